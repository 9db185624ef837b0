//! What follows from a change for its skill, told by its steps alone: whoever finishes it after a crash has no more.

use super::{
    foreign::{former, is_put_away_elsewhere},
    names::SKILL_FILE,
    place::{ARCHIVE, is_in, last, parent},
};
use crate::{
    ledger::{After, NewChange, Step, Verb},
    skill::State,
};

/// What holds once a change is done. `own` is the folder that the skill is known in, if it is known: in folders below it a
/// file of that name is like any other.
pub(super) fn after(change: &NewChange, own: Option<&str>) -> After {
    let active =
        |folder: &str| After { state: Some(State::Active), folder: Some(folder.to_owned()) };
    let only = |state| After { state: Some(state), folder: None };
    if change.verb == Verb::Purge {
        return only(State::Purged);
    }
    let makes = |path: &str| {
        makes_skill(path) && own.is_none_or(|own| own.is_empty() || parent(path) == own)
    };
    for step in &change.steps {
        match step {
            Step::Move { from, to } if is_in(to, ARCHIVE) => {
                let folder = is_put_away_elsewhere(from).then(|| former(from).to_owned());
                return After { state: Some(State::Archived), folder };
            }
            // An undo put it back into the other program's archive that it was taken from.
            Step::Move { to, .. } if is_put_away_elsewhere(to) => {
                return After { state: Some(State::Archived), folder: Some(to.clone()) };
            }
            Step::Move { to, .. } => return active(to),
            Step::Put { path, before: None, .. } if makes(path) => {
                return active(parent(path));
            }
            Step::Remove { path, .. } if makes(path) => return only(State::Gone),
            _ => {}
        }
    }
    After::default()
}

/// Whether the file at a path makes its folder a skill.
pub(super) fn makes_skill(path: &str) -> bool {
    last(path).eq_ignore_ascii_case(SKILL_FILE) && !is_in(path, super::place::OURS)
}
