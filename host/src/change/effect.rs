//! What follows from a change for its skill, told by its steps alone: whoever finishes it after a crash has no more.

use super::{
    names::SKILL_FILE,
    place::{ARCHIVE, is_in, last, parent},
};
use crate::{
    ledger::{After, NewChange, Step, Verb},
    skill::State,
};

/// What holds once a change is done.
pub(super) fn after(change: &NewChange) -> After {
    let waits = change.leave.waits;
    let active =
        |folder: &str| After { state: Some(State::Active), folder: Some(folder.to_owned()), waits };
    let only = |state| After { state: Some(state), folder: None, waits };
    if change.verb == Verb::Purge {
        return only(State::Purged);
    }
    for step in &change.steps {
        match step {
            Step::Move { to, .. } if is_in(to, ARCHIVE) => return only(State::Archived),
            Step::Move { to, .. } => return active(to),
            Step::Put { path, before: None, .. } if makes_skill(path) => {
                return active(parent(path));
            }
            Step::Remove { path, .. } if makes_skill(path) => return only(State::Gone),
            _ => {}
        }
    }
    After { waits, ..After::default() }
}

/// Whether the file at a path makes its folder a skill.
pub(super) fn makes_skill(path: &str) -> bool {
    last(path).eq_ignore_ascii_case(SKILL_FILE) && !is_in(path, super::place::OURS)
}
