//! Skills made, changed and put away.

use std::{collections::BTreeMap, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Toolbox,
    notes::Notes,
    trouble::{BadInput, Trouble},
};
use crate::{
    change::{
        Archived, By, ChangeError, Clash, Done, Edit, Keeper, NewSkill, Preview, Staged, Target,
        diff::FileDiff,
        names::SKILL_FILE,
        patch::Tolerance,
        request::{Asked, Request},
    },
    curator::in_a_row,
    decision::{Judgement, Verdict},
    judge::Judge,
    ledger::{RootId, SkillRecord, Step},
    skill::{Actor, nearest},
    world::{
        Tell, World,
        error::{CommandError, Kind},
        noting::Noted,
        pass::jobs,
        store::{self, Meant, Opened, Store, Why, named},
    },
};

/// What is done to which skill. All of it is one change: all is done, or nothing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteRequest {
    /// The skill's name. A new one has small letters, digits and hyphens
    pub name: String,
    /// What is done [default: edit]
    #[serde(default)]
    pub action: Action,
    /// To create: the category, a folder around the skill
    #[serde(default)]
    pub category: Option<String>,
    /// The whole SKILL.md: needed to create, and replaces the one that is there where the skill is edited
    #[serde(default)]
    pub text: Option<String>,
    /// What is done to single files, in this order
    #[serde(default)]
    pub edits: Vec<Asked>,
    /// The `hash` that skill_view gave of each file that is there and edited, by path: nobody overwrites what they didn't read
    #[serde(default)]
    pub base: BTreeMap<String, String>,
    /// Why, in a line, for whoever looks at the change
    #[serde(default)]
    pub reason: Option<String>,
    /// Show what an edit would do, and do nothing
    #[serde(default)]
    pub dry_run: bool,
}

/// What is done to a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Files of a skill that is there are changed
    #[default]
    Edit,
    /// A skill is made
    Create,
    /// A skill that is of no use any more is put into the archive, from where a person can bring it back
    Archive,
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was made
    Made,
    /// It waits for a person, and nothing was changed yet
    Waits,
    /// It would be made
    WouldBeMade,
    /// It would wait for a person
    WouldWait,
}

/// What became of a write that was not refused.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Wrote {
    /// What became of it
    pub outcome: Outcome,
    /// The skill's name
    pub name: String,
    /// The change, by the number that people undo it by
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<i64>,
    /// What waits, by the number that people decide on it by
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
    /// Why it waits
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The files as they are now, or would be; what was taken away has no hash
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileNow>,
    /// What differs, file by file
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diffs: Vec<String>,
    /// What to do next
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A file after a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileNow {
    /// Its path below the skill's folder
    pub path: String,
    /// Its SHA-256: the `base` of the next write to it
    pub hash: Option<String>,
    /// Its bytes
    pub bytes: Option<u64>,
}

/// What became of a write.
pub enum Went {
    /// It was made.
    Made(Done),
    /// It waits.
    Waits(Box<Staged>),
}

/// What became of a write that was not refused.
fn went(result: Result<Done, ChangeError>) -> Result<Went, ChangeError> {
    match result {
        Ok(done) => Ok(Went::Made(done)),
        Err(ChangeError::Waits(staged)) => Ok(Went::Waits(staged)),
        Err(error) => Err(error),
    }
}

/// Why a write would wait, if it would.
fn foreseen_to_wait(judgement: Judgement) -> Result<Option<String>, ChangeError> {
    let Judgement { verdict, reason, by } = judgement;
    match verdict {
        Verdict::Allow(_) => Ok(None),
        Verdict::Stage(_) => Ok(Some(format!("{by}: {}", reason.text))),
        Verdict::Deny => Err(ChangeError::Denied { reason: reason.text, by }),
    }
}

/// The root that a new skill is made in: the first that this home owns, or the one of that label or path.
///
/// # Errors
/// Where there is none.
pub fn root_for<'n>(
    world: &World<'_>,
    store: &Store<'_>,
    noted: &'n Noted,
    asked: Option<&str>,
) -> Result<(RootId, &'n Path), CommandError> {
    let reports = world.library.roots.iter().zip(&noted.roots);
    let mut roots = reports.filter_map(|(report, root)| Some((&report.root, root.as_ref()?)));
    let Some(asked) = asked else {
        let owned = roots.find(|(_, (_, path))| store.owns(path));
        return owned.map(|(_, (id, path))| (*id, path.as_path())).ok_or_else(|| {
            let first = noted.roots.iter().flatten().next();
            let init = first.map(|(_, path)| format!("skillkeep init {}", world.shorten(path)));
            CommandError::new(Kind::Finding, "this home owns no root, so no skill can be made")
                .maybe_hint(init)
        });
    };
    let resolved = store.disk.resolve(Path::new(asked)).ok();
    let named = roots
        .find(|(root, (_, path))| root.label.as_str() == asked || resolved.as_ref() == Some(path));
    named.map(|(_, (id, path))| (*id, path.as_path())).ok_or_else(|| {
        let labels = || world.library.roots.iter().map(|report| report.root.label.as_str());
        let error = CommandError::new(Kind::Usage, format!("there is no root `{asked}`"));
        match nearest(asked, labels()) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("there are {}", labels().collect::<Vec<_>>().join(", "))),
        }
    })
}

/// Who writes in the folders of a home, with its judges seated: one for each command or call.
pub struct Writer<'o, 'a> {
    world: &'o World<'a>,
    store: &'o Store<'a>,
    noted: &'o Noted,
    by: By,
}

impl<'o, 'a> Writer<'o, 'a> {
    /// Seats the judges.
    ///
    /// # Errors
    /// Where the call claims to be somebody whom it may not be, or this machine can't run any policy.
    pub fn new(
        (world, store, noted): &'o Opened<'a>,
        why: impl Into<Why>,
        out: &mut dyn Tell,
    ) -> Result<Writer<'o, 'a>, CommandError> {
        let by = store.by(why)?;
        store.seat_judges(world, out)?;
        Ok(Writer { world, store, noted, by })
    }

    /// The skill that a name means, to be changed.
    ///
    /// # Errors
    /// As [`named`], and where its root isn't owned.
    pub fn meant(&self, name: &str, out: &mut dyn Tell) -> Result<Meant<'o>, Trouble> {
        let it = named(self.world, self.noted, name, out)?;
        let (root, path) = it.root;
        let keeper = self.store.keeper(root, path).map_err(Trouble::of(&it.name))?;
        Ok(Meant { keeper, id: it.id, folder: it.folder, name: it.name })
    }

    /// The skill that a name means, to be put away: law `referenced` looks at the jobs as they are now, and which of them name
    /// it is said.
    ///
    /// # Errors
    /// As [`Writer::meant`], and where the ledger can't be read.
    pub fn meant_to_go(&self, name: &str, out: &mut dyn Tell) -> Result<Meant<'o>, Trouble> {
        let it = self.meant(name, out)?;
        let jobs = jobs(self.world, &self.store.ledger);
        let jobs = jobs.map_err(|error| Trouble::of(&it.name)(error.into()))?;
        let named = jobs.of(it.id, &it.name, &it.folder);
        if !named.is_empty() {
            out.warn(&format!("jobs name `{}`: {}", it.name, in_a_row(&named)));
        }
        Ok(Meant { keeper: it.keeper.named_by_jobs(!named.is_empty()), ..it })
    }

    /// Makes a skill in a root.
    ///
    /// # Errors
    /// Where the root isn't owned, or it is refused or can't be made.
    pub fn create(&self, new: &NewSkill<'_>, (id, root): (RootId, &Path)) -> Result<Went, Trouble> {
        let trouble = Trouble::of(new.name);
        let keeper = self.store.keeper(id, root).map_err(&trouble)?;
        went(keeper.create(new, &self.world.library, &self.by)).map_err(&trouble)
    }

    /// Writes files of a skill, all or none.
    ///
    /// # Errors
    /// Where it is refused or can't be written.
    pub fn edit(&self, it: &Meant<'_>, edits: &[Edit]) -> Result<Went, Trouble> {
        went(it.keeper.write(it.target(), edits, &self.by)).map_err(Trouble::of(&it.name))
    }

    /// What [`Writer::edit`] would do, and nothing of it done.
    ///
    /// # Errors
    /// Where it would be refused.
    pub fn would_edit(&self, it: &Meant<'_>, edits: &[Edit]) -> Result<Preview, Trouble> {
        let preview = it.keeper.would_write(&it.folder, edits, &self.by);
        let allowed = preview.and_then(|preview| match preview.judgement.verdict {
            Verdict::Deny => {
                let Judgement { reason, by, .. } = preview.judgement;
                Err(ChangeError::Denied { reason: reason.text, by })
            }
            Verdict::Allow(_) | Verdict::Stage(_) => Ok(preview),
        });
        allowed.map_err(Trouble::of(&it.name))
    }

    /// Puts a skill into the archive.
    ///
    /// # Errors
    /// Where it is refused or can't be put there.
    pub fn archive(&self, it: &Meant<'_>) -> Result<Went, Trouble> {
        went(it.keeper.archive(it.target(), &self.by)).map_err(Trouble::of(&it.name))
    }

    /// What [`Writer::archive`] would come to, and nothing of it done: nothing where it would be made, else why it would wait.
    ///
    /// # Errors
    /// Where it would be refused.
    pub fn would_archive(&self, it: &Meant<'_>) -> Result<Option<String>, Trouble> {
        let judged = it.keeper.would_archive(it.target(), &self.by).and_then(foreseen_to_wait);
        judged.map_err(Trouble::of(&it.name))
    }

    /// What [`Writer::restore`] would come to, and nothing of it done: nothing where it would be made, else why it would wait.
    ///
    /// # Errors
    /// Where it would be refused.
    pub fn would_restore(
        &self,
        keeper: &Keeper<'_>,
        archived: &Archived,
    ) -> Result<Option<String>, Trouble> {
        let trouble = Trouble::of(&archived.sidecar.name);
        let judged = match self.in_the_way(archived).map_err(&trouble)? {
            Some(there) => {
                keeper.would_archive(Target { id: there.id, folder: &there.folder }, &self.by)
            }
            None => keeper.would_restore(archived, &self.by),
        };
        judged.and_then(foreseen_to_wait).map_err(trouble)
    }

    /// Brings an archived copy back to its old place. What somebody else put back of it meanwhile gives way: it goes to the
    /// archive itself, as a change of its own.
    ///
    /// # Errors
    /// Where it is refused or can't be brought there.
    pub fn restore(&self, keeper: &Keeper<'_>, archived: &Archived) -> Result<Went, Trouble> {
        let trouble = Trouble::of(&archived.sidecar.name);
        if let Some(there) = self.in_the_way(archived).map_err(&trouble)? {
            let reason = "somebody else had put it back; the one that was archived is restored";
            let by = By { reason: reason.to_owned(), ..self.by.clone() };
            let target = Target { id: there.id, folder: &there.folder };
            keeper.archive(target, &by).map_err(&trouble)?;
        }
        went(keeper.restore(archived, None, &self.by)).map_err(trouble)
    }

    /// What somebody else put back of an archived skill, where a person asks for that one.
    fn in_the_way(&self, archived: &Archived) -> Result<Option<SkillRecord>, ChangeError> {
        let there = self.store.ledger.put_back_of(archived.sidecar.id)?;
        Ok(there.filter(|_| self.by.actor == Actor::Person))
    }
}

impl Toolbox<'_> {
    /// `skill_write`: makes, edits or archives a skill, if whoever calls may.
    ///
    /// # Errors
    /// Where what is asked for makes no sense, is refused, or can't be written.
    pub fn write(&self, asked: &WriteRequest, notes: &mut Notes) -> Result<Wrote, Trouble> {
        asked.check()?;
        let open = if asked.dry_run { store::look } else { store::open };
        let opened = open(self.system, &self.place, notes)?;
        let reason = asked.reason.clone();
        let why = Why { reason, session: self.session.clone(), acting_as: None };
        let (world, store, noted) = &opened;
        if let Some(generation) = &self.generation {
            store.seat(Judge::of(generation));
        }
        let writer = Writer::new(&opened, why, notes)?;
        if asked.action == Action::Create {
            let (name, category) = (asked.name.as_str(), asked.category.as_deref());
            let files = asked.edits(name)?;
            let new = NewSkill { name, category, files: &files, clash: Clash::Refuse };
            let folder = category.map_or(name.to_owned(), |category| format!("{category}/{name}"));
            let mut wrote = told(
                writer.create(&new, root_for(world, store, noted, None)?)?,
                name,
                &folder,
                notes,
            );
            // All of its text is new: a diff would only say it once more.
            wrote.diffs.clear();
            return Ok(wrote);
        }
        if asked.action == Action::Archive {
            let it = writer.meant_to_go(&asked.name, notes)?;
            return Ok(told(writer.archive(&it)?, &it.name, &it.folder, notes));
        }
        let it = writer.meant(&asked.name, notes)?;
        let edits = asked.edits(it.folder_name())?;
        if asked.dry_run {
            return Ok(foreseen(&writer.would_edit(&it, &edits)?, &it.name, &it.folder, notes));
        }
        Ok(told(writer.edit(&it, &edits)?, &it.name, &it.folder, notes))
    }
}

impl WriteRequest {
    /// Whether what is asked for goes together.
    fn check(&self) -> Result<(), BadInput> {
        let together = |what| Err(BadInput::Together(what));
        let has_text = self.text.is_some() || self.edits.iter().any(is_skill_file);
        match self.action {
            Action::Create if !has_text => {
                together("a skill is made of its `text`, the whole SKILL.md, and none was given")
            }
            Action::Create if self.dry_run => together("`dry_run` is for edits"),
            Action::Create if !self.base.is_empty() => {
                together("`base` is for files that are there, and a new skill has none")
            }
            Action::Edit if self.text.is_none() && self.edits.is_empty() => {
                together("an edit needs `edits`, or the whole SKILL.md as `text`")
            }
            Action::Edit | Action::Archive if self.category.is_some() => together(
                "`category` is for a skill that is made; one that is there keeps its place",
            ),
            Action::Archive if self.text.is_some() || !self.edits.is_empty() => {
                together("a skill is archived as it is: leave out `text` and `edits`")
            }
            Action::Archive if self.dry_run => together("`dry_run` is for edits"),
            _ => Ok(()),
        }
    }

    /// As a change takes them; `folder` is the name of the skill's folder.
    fn edits(&self, folder: &str) -> Result<Vec<Edit>, Trouble> {
        let whole = self.text.iter().map(|text| Asked::Put {
            path: SKILL_FILE.to_owned(),
            text: text.clone(),
            executable: None,
        });
        let edits = whole.chain(self.edits.iter().cloned()).collect();
        Ok(Request { base: self.base.clone(), edits }.into_edits(folder)?)
    }
}

fn is_skill_file(asked: &Asked) -> bool {
    matches!(asked, Asked::Put { path, .. } if path.ends_with(SKILL_FILE))
}

/// What is said of a write that was made, or waits.
fn told(went: Went, name: &str, folder: &str, notes: &mut Notes) -> Wrote {
    let blank = Wrote {
        outcome: Outcome::Waits,
        name: name.to_owned(),
        change: None,
        pending: None,
        why: None,
        files: Vec::new(),
        diffs: Vec::new(),
        next: None,
    };
    match went {
        Went::Made(done) => {
            tolerated(&done.tolerated, notes);
            done.notes.iter().for_each(|note| notes.warn(note));
            Wrote {
                outcome: Outcome::Made,
                change: Some(done.id.0),
                files: files(&done.steps, folder),
                diffs: done.diffs.iter().map(FileDiff::unified).collect(),
                ..blank
            }
        }
        Went::Waits(staged) => {
            for id in &staged.evicted {
                notes.say(format!("`{id}` was put out of the queue, undecided: too many waited"));
            }
            let again = if staged.already { "it waited already; " } else { "" };
            Wrote {
                pending: Some(staged.id.to_string()),
                why: Some(format!("{}: {}", staged.by, staged.reason)),
                next: Some(format!(
                    "{again}go on without it: a person decides, and calling again changes nothing"
                )),
                ..blank
            }
        }
    }
}

/// What is said of a write that would be made, or would wait.
fn foreseen(preview: &Preview, name: &str, folder: &str, notes: &mut Notes) -> Wrote {
    let Judgement { verdict, reason, by } = &preview.judgement;
    let waits = matches!(verdict, Verdict::Stage(_));
    tolerated(&preview.tolerated, notes);
    Wrote {
        outcome: if waits { Outcome::WouldWait } else { Outcome::WouldBeMade },
        name: name.to_owned(),
        change: None,
        pending: None,
        why: waits.then(|| format!("{by}: {}", reason.text)),
        files: files(&preview.steps, folder),
        diffs: preview.diffs.iter().map(FileDiff::unified).collect(),
        next: None,
    }
}

fn tolerated(tolerated: &[(String, Tolerance)], notes: &mut Notes) {
    for (path, by) in tolerated {
        notes.say(format!(
            "the passage is not in `{path}` as it was given; it was found by the tolerance `{}`",
            by.word()
        ));
    }
}

fn files(steps: &[Step], folder: &str) -> Vec<FileNow> {
    let below =
        |path: &str| path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/').to_owned();
    let file = |step: &Step| match step {
        Step::Put { path, after, .. } => Some(FileNow {
            path: below(path),
            hash: Some(after.digest.to_string()),
            bytes: Some(after.size),
        }),
        Step::Remove { path, .. } => Some(FileNow { path: below(path), hash: None, bytes: None }),
        _ => None,
    };
    steps.iter().filter_map(file).collect()
}
