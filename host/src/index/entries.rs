//! From a library to what an index is made of: visible skills as rows with their texts, categories as rows, and who is
//! left out and why.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use foldhash::HashMap;
use rayon::prelude::*;

use super::{
    agents::Agent,
    categories::{CategoryRow, categorised},
    kept::Kept,
    layout::{Named, Style},
    lines::{Line, Lines},
    ready::Programs,
    text,
};
use crate::{
    decision::{Detail, Form},
    laws::not_after,
    library::{Library, Names},
    skill::{
        Choice, Gate, Instant, OneLine, Session, Skill, SkillId, Standing, Usage, UsageRecord,
    },
};

/// One visible skill: a row of the skills table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its row in the library.
    pub skill: usize,
    /// Its name.
    pub name: String,
    /// Where its file is, if the layout says so.
    pub location: String,
    /// Row of its category.
    pub category: u32,
    /// The text of the full form.
    pub full: Arc<str>,
    /// The text of the short form; the same as `full` where that is short.
    pub short: Arc<str>,
    /// Programs that it calls and that are not there.
    pub missing: Vec<String>,
    /// How it was used, if anything is known.
    pub usage: Option<EntryUsage>,
    /// Its form in the previous index.
    pub previous: Option<Form>,
    /// Who it is, if the home knows it.
    pub id: Option<SkillId>,
    /// What the user wants of it.
    pub choice: Choice,
    /// The most telling form that it may have for being stale; nothing where it is not.
    pub stale: Option<Form>,
}

impl Entry {
    /// Who its line is about.
    #[must_use]
    pub fn named(&self) -> Named<'_> {
        Named { name: &self.name, location: &self.location }
    }

    /// What an agent can read of it in a form, without the layout: its name, and what stands behind that; nothing of one
    /// that is counted.
    #[must_use]
    pub fn visible(&self, form: Form) -> Option<String> {
        let text = match form {
            Form::Full => &self.full,
            Form::Short => &self.short,
            Form::Name => "",
            Form::Counted => return None,
        };
        Some(if text.is_empty() { self.name.clone() } else { format!("{}: {text}", self.name) })
    }
}

/// Usage of one entry, after the law `clock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryUsage {
    /// How often it was opened for a task.
    pub uses: u64,
    /// When it was last used, never in the future.
    pub last_used: Option<Instant>,
    /// What was recorded, where that is in the future.
    pub raw_last_used: Option<Instant>,
    /// Whether a person pinned it.
    pub pinned: bool,
}

/// A skill that is not offered, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Its row in the library.
    pub skill: usize,
    /// Gates that are shut; none where its standing keeps it out.
    pub shut: Vec<Gate>,
}

/// What the user and earlier sessions bring along.
pub struct Circumstances<'a> {
    /// The time of the decision.
    pub now: Instant,
    /// What holds in the session.
    pub session: &'a Session,
    /// How skills were used.
    pub usage: &'a Usage,
    /// What the home knows, by row of the library; shorter where it knows nothing of the others.
    pub kept: &'a [Option<Kept>],
    /// Categories that the user wants less of, by path or by first segment.
    pub compact: &'a BTreeMap<String, Detail>,
    /// Forms of the previous index, by `category/name`.
    pub previous: &'a BTreeMap<String, Form>,
    /// Longest short form, in Unicode scalars.
    pub short: usize,
    /// How it is laid out.
    pub layout: Style,
    /// Whose index it is, where it is not our own.
    pub agent: Option<&'static Agent>,
    /// The user's home, which some layouts don't write out.
    pub home: Option<&'a Path>,
    /// Lines that somebody keeps.
    pub lines: Option<&'a Lines>,
}

impl Circumstances<'_> {
    /// What the home knows of a row.
    fn kept(&self, row: usize) -> Option<&Kept> {
        self.kept.get(row)?.as_ref()
    }

    /// What the user wants of a row. What another agent has by its own rule knows nothing of that.
    fn choice(&self, row: usize) -> Choice {
        match self.agent {
            Some(_) => Choice::Auto,
            None => self.kept(row).map_or(Choice::Auto, |kept| kept.choice),
        }
    }
}

/// Where a file is, as a layout says it, which may not write out the user's home.
#[must_use]
pub fn location(layout: Style, home: Option<&Path>, path: &Path) -> String {
    let home = home.filter(|_| layout.shortens_home());
    let text = match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    };
    OneLine::new(&text).into_string()
}

/// Everything that an index is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Visible skills, sorted as they are printed: by category, then name.
    pub entries: Vec<Entry>,
    /// Their categories, sorted by path.
    pub categories: Vec<CategoryRow>,
    /// Who is left out.
    pub hidden: Vec<Hidden>,
    /// Usage records that belong to no skill, and those that could belong to several.
    pub orphans: Vec<String>,
    /// Names whose last use lies in the future.
    pub from_the_future: Vec<String>,
}

impl Candidates {
    /// The same with short forms cut as a policy has them.
    #[must_use]
    pub fn cut(mut self, scalars: u32, layout: Style) -> Candidates {
        self.entries.par_iter_mut().for_each(|entry| {
            entry.short = text::beginning(&entry.full, scalars as usize, layout.cut_mark()).into();
        });
        self
    }

    /// Sorts a library's skills into visible and hidden ones and prepares the texts of the visible.
    #[must_use]
    pub fn gather(
        library: &Library,
        circumstances: &Circumstances<'_>,
        programs: &Programs<'_>,
    ) -> Candidates {
        // The gates that are shut, of those that have any say.
        let shut: Vec<Option<Vec<Gate>>> = library
            .skills
            .par_iter()
            .enumerate()
            .map(|(row, skill)| {
                if !matches!(skill.standing, Standing::Live) {
                    return None;
                }
                let Circumstances { session, agent, .. } = *circumstances;
                let mut gates = gates_of(skill, session, agent, circumstances.kept(row));
                gates.retain(|gate| !gate.open);
                Some(gates)
            })
            .collect();
        let (mut visible, mut hidden) = (Vec::new(), Vec::new());
        for (row, shut) in shut.into_iter().enumerate() {
            match shut {
                Some(shut) if shut.is_empty() => visible.push(row),
                shut => hidden.push(Hidden { skill: row, shut: shut.unwrap_or_default() }),
            }
        }
        let Attached { usage, orphans, from_the_future } = attach_usage(library, circumstances);
        let mut candidates =
            Candidates { hidden, orphans, from_the_future, ..Candidates::default() };
        candidates.fill(library, circumstances, programs, &visible, &usage);
        candidates
    }

    fn fill(
        &mut self,
        library: &Library,
        circumstances: &Circumstances<'_>,
        programs: &Programs<'_>,
        visible: &[usize],
        usage: &[Option<EntryUsage>],
    ) {
        let skills: Vec<(usize, &Arc<Skill>)> =
            visible.iter().filter_map(|row| Some((*row, library.skills.get(*row)?))).collect();
        let mut paths: Vec<&str> =
            skills.iter().map(|(_, skill)| skill.category.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let rows: HashMap<&str, u32> = paths.iter().copied().zip(0..).collect();
        let notes: HashMap<&str, &str> = library
            .categories
            .iter()
            .rev()
            .filter_map(|note| Some((note.path.as_str(), note.description.as_ref()?.as_str())))
            .collect();

        let short = circumstances.short;
        let lines = circumstances.lines.map(|lines| (lines, lines.known(short)));
        let mut entries: Vec<Entry> = skills
            .par_iter()
            .map(|(row, skill)| {
                let missing = programs.missing(&skill.facts.gates.commands);
                let words: Vec<&str> = missing.iter().map(String::as_str).collect();
                let kept_line = || match &lines {
                    Some((_, known)) if is_kept(skill, circumstances) => known.get(skill),
                    _ => None,
                };
                let Line { full, short } = kept_line().unwrap_or_else(|| {
                    let (mark, text) = match circumstances.agent {
                        Some(agent) => (String::new(), (agent.text)(&skill.facts)),
                        None => (text::mark(&skill.facts, &words), text::full_text(&skill.facts)),
                    };
                    Line::of(&mark, &text, short)
                });
                let kept = circumstances.kept(*row);
                let previous = if circumstances.previous.is_empty() {
                    kept.and_then(|kept| kept.previous)
                } else {
                    circumstances.previous.get(&skill.qualified()).copied()
                };
                let location = circumstances
                    .layout
                    .located()
                    .then(|| library.path_of(*row))
                    .flatten()
                    .map(|path| location(circumstances.layout, circumstances.home, &path))
                    .unwrap_or_default();
                Entry {
                    skill: *row,
                    name: skill.name.as_str().to_owned(),
                    location,
                    category: rows.get(skill.category.as_str()).copied().unwrap_or(0),
                    full,
                    short,
                    missing,
                    usage: usage.get(*row).copied().flatten(),
                    previous,
                    id: kept.map(|kept| kept.id),
                    choice: circumstances.choice(*row),
                    stale: kept.and_then(|kept| kept.stale),
                }
            })
            .collect();
        if let Some((lines, known)) = lines {
            let new = entries.iter().filter_map(|entry| {
                let skill = library.skills.get(entry.skill)?;
                if !is_kept(skill, circumstances) || known.get(skill).is_some() {
                    return None;
                }
                let (full, short) = (Arc::clone(&entry.full), Arc::clone(&entry.short));
                Some((Arc::clone(skill), Line { full, short }))
            });
            let new = new.collect();
            lines.keep(known, short, new);
        }
        entries.sort_by(|a, b| {
            a.category
                .cmp(&b.category)
                .then_with(|| a.name.cmp(&b.name))
                .then(a.skill.cmp(&b.skill))
        });

        let described = paths.iter().map(|path| {
            ((*path).to_owned(), notes.get(path).copied().unwrap_or_default().to_owned())
        });
        self.categories = categorised(described, &entries, circumstances.compact);
        self.entries = entries;
    }
}

/// Whether what its line says of a skill depends on nothing but the skill.
fn is_kept(skill: &Skill, circumstances: &Circumstances<'_>) -> bool {
    circumstances.agent.is_none() && skill.facts.gates.commands.is_empty()
}

/// Every gate of a skill, open or shut; for another agent, those that it has, which knows nothing of what the home keeps.
#[must_use]
pub fn gates_of(
    skill: &Skill,
    session: &Session,
    agent: Option<&Agent>,
    kept: Option<&Kept>,
) -> Vec<Gate> {
    if agent.is_none()
        && session.disabled.is_empty()
        && skill.facts.gates.are_none()
        && kept.is_none_or(Kept::lets_through)
    {
        return Vec::new();
    }
    let folder = skill.place.folder.rsplit('/').next().unwrap_or("");
    let qualified = if session.disabled.is_empty() { String::new() } else { skill.qualified() };
    let mut gates = skill.facts.gates.evaluate(&[skill.name.as_str(), folder, &qualified], session);
    if let Some(kept) = kept.filter(|_| agent.is_none()) {
        gates.splice(0..0, Gate::of_choice(kept.choice));
        gates.splice(0..0, kept.held.then(Gate::held));
        gates.splice(0..0, kept.put_back.then(Gate::put_back));
    }
    if let Some(agent) = agent {
        gates.retain(|gate| agent.gates.contains(&gate.code));
        gates.extend((agent.refuses)(skill).map(|because| Gate {
            code: "not-loaded",
            open: false,
            because,
        }));
    }
    gates
}

/// Usage by row of the library. A record counts for the skill that its key resolves to, and for none where that is not
/// one: counters are never split or merged by name.
fn attach_usage(library: &Library, circumstances: &Circumstances<'_>) -> Attached {
    let usage = vec![None; library.skills.len()];
    let mut attached = Attached { usage, ..Attached::default() };
    for (row, kept) in circumstances.kept.iter().enumerate() {
        let Some(kept) = kept else { continue };
        let name = || library.skills.get(row).map(|skill| skill.qualified()).unwrap_or_default();
        attached.add(row, &kept.usage, circumstances.now, name);
    }
    if circumstances.usage.records.is_empty() {
        return attached;
    }
    let names = Names::new(library);
    for (key, record) in &circumstances.usage.records {
        match names.one(key) {
            Some(row) => attached.add(row, record, circumstances.now, || key.clone()),
            None => attached.orphans.push(key.clone()),
        }
    }
    attached
}

/// Usage that found its rows.
#[derive(Default)]
struct Attached {
    usage: Vec<Option<EntryUsage>>,
    orphans: Vec<String>,
    from_the_future: Vec<String>,
}

impl Attached {
    /// Adds a record. Two keys of one file can name one skill, such as `x` and `cat/x`: they are the same skill's uses.
    fn add(
        &mut self,
        row: usize,
        record: &UsageRecord,
        now: Instant,
        name: impl FnOnce() -> String,
    ) {
        let clamped = record.last_used.map(|raw| (not_after(now, raw), raw));
        if matches!(clamped, Some(((_, true), _))) {
            self.from_the_future.push(name());
        }
        let found = EntryUsage {
            uses: record.uses,
            last_used: clamped.map(|((time, _), _)| time),
            raw_last_used: clamped.filter(|((_, was_future), _)| *was_future).map(|(_, raw)| raw),
            pinned: record.pinned,
        };
        match self.usage.get_mut(row) {
            Some(Some(known)) => {
                known.uses = known.uses.saturating_add(found.uses);
                known.last_used = known.last_used.max(found.last_used);
                known.raw_last_used = known.raw_last_used.max(found.raw_last_used);
                known.pinned |= found.pinned;
            }
            Some(none) => *none = Some(found),
            None => {}
        }
    }
}
