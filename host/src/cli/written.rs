//! What a write did or would do, for people and as JSON; and what to do where it was refused.

use serde_json::{Value, json};

use super::{
    Global,
    options::ReasonArgs,
    output::{Output, printable},
};
use crate::{
    change::{ChangeError, Done, Preview, diff::FileDiff, names::SKILL_FILE, patch::Tolerance},
    ledger::Step,
    skill::SkillId,
    system::System,
    tools::{Call, remember, trouble::Trouble},
    world::{Where, counted, error::CommandError},
};

/// A write, made or foreseen.
pub struct Written<'a> {
    change: Option<(i64, SkillId)>,
    steps: &'a [Step],
    diffs: &'a [FileDiff],
    tolerated: &'a [(String, Tolerance)],
    notes: &'a [String],
}

impl<'a> From<&'a Done> for Written<'a> {
    fn from(done: &'a Done) -> Written<'a> {
        let Done { id, skill, steps, diffs, tolerated, notes } = done;
        Written { change: Some((id.0, *skill)), steps, diffs, tolerated, notes }
    }
}

impl<'a> From<&'a Preview> for Written<'a> {
    fn from(preview: &'a Preview) -> Written<'a> {
        let Preview { steps, diffs, tolerated, .. } = preview;
        Written { change: None, steps, diffs, tolerated, notes: &[] }
    }
}

impl Written<'_> {
    /// Which files of the skill in a folder it is about, in words.
    pub fn files(&self, folder: &str) -> String {
        let paths: Vec<&str> = self.paths().collect();
        match paths.as_slice() {
            [path] => format!("`{}`", below(path, folder)),
            paths => counted(paths.len(), "file"),
        }
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Put { path, .. } | Step::Remove { path, .. } => Some(path.as_str()),
            _ => None,
        })
    }

    /// Says what was done to the skill of a name, as one JSON value or as a line with the diffs below it.
    ///
    /// # Errors
    /// Where standard output can't be written.
    pub fn tell(
        &self,
        global: &Global,
        (name, folder, what): (&str, &str, &str),
        out: &mut Output<'_>,
    ) -> Result<(), CommandError> {
        for note in self.notes {
            out.warn(note);
        }
        for (path, by) in self.tolerated {
            out.warn(&format!(
                "the passage is not in `{path}` as it was given; it was found by the tolerance `{}`",
                by.word()
            ));
        }
        if global.json {
            return out.json(&self.as_json(name, folder, what));
        }
        match self.change {
            Some((id, _)) => out.text(&format!("change {id}: {what}\n"))?,
            None => out.note("dry run: nothing is written"),
        }
        self.diffs.iter().try_for_each(|diff| out.text(&printable(&diff.unified())))
    }

    fn as_json(&self, name: &str, folder: &str, what: &str) -> Value {
        let files = self.steps.iter().filter_map(|step| match step {
            Step::Put { path, after, .. } => Some(json!({
                "path": below(path, folder),
                "hash": after.digest,
                "bytes": after.size,
                "mode": format!("{:o}", after.mode),
            })),
            Step::Remove { path, .. } => Some(json!({ "path": below(path, folder), "hash": null })),
            _ => None,
        });
        json!({
            "schema": "skillkeep.write/1",
            "change": self.change.map(|(id, _)| id),
            "dry-run": self.change.is_none(),
            "skill": self.change.map(|(_, skill)| skill),
            "name": name,
            "folder": folder,
            "what": what,
            "files": files.collect::<Vec<_>>(),
            "tolerated": self.tolerated.iter().map(|(path, by)| json!({
                "path": path, "by": by.word(),
            })).collect::<Vec<_>>(),
            "diffs": self.diffs.iter().map(FileDiff::unified).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

/// A path as it is below the skill's folder.
fn below<'p>(path: &'p str, folder: &str) -> &'p str {
    path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/')
}

/// A refusal, with the commands that lead on for the skill of this name.
pub fn refused(trouble: Trouble, name: &str) -> CommandError {
    let path = match &trouble {
        Trouble::Change {
            error: ChangeError::Unread { path, .. } | ChangeError::Changed { path, .. },
            ..
        } => path.clone(),
        _ => return trouble.into(),
    };
    let (file, base) = match path.as_str() {
        SKILL_FILE => (String::new(), String::new()),
        path => (format!(" {path}"), format!("{path}=")),
    };
    let hint = format!(
        "skillkeep show {name}{file} --json; with its `hash`, write again: --base {base}HASH"
    );
    CommandError { hints: vec![hint], ..trouble.into() }
}

/// The same, with a word on it where this very call was refused before.
pub fn again(
    system: &dyn System,
    place: &Where<'_>,
    why: &ReasonArgs,
    call: &Call,
    error: CommandError,
) -> CommandError {
    match remember(system, place, why.session.as_deref(), call) {
        0 | 1 => error,
        times => error
            .hint(format!("this very call was refused {times} times: trying it again won't help")),
    }
}
