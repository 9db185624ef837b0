//! Who calls: known by what a call shows and where it runs, never by what it says of itself.

use std::path::{Path, PathBuf};

use super::{
    World,
    error::{CommandError, Kind},
};
use crate::{skill::Actor, system::Disk};

/// The file of a home that holds what a person shows who is at no terminal.
pub const TOKEN: &str = "token";
/// The folder of a home that holds what reviews, jobs and syncs show, a file each.
pub const TOKENS: &str = "tokens";
/// The variable that it is shown in.
const SHOWN: &str = "SKILLKEEP_TOKEN";

/// Bytes of such a file.
const SMALL: u64 = 4 << 10;

/// Who calls, by what it shows: the home's token is a person's, and reviews, jobs and syncs have their own. Without any it
/// is a person at a terminal, and elsewhere somebody who works for one.
pub fn caller(disk: &dyn Disk, home: &Path) -> Actor {
    let shown = disk.variable(SHOWN).filter(|shown| !shown.is_empty());
    let is_shown = |file: PathBuf| {
        let token = disk.read(&home.join(file), SMALL).unwrap_or_default();
        let token = String::from_utf8_lossy(&token);
        !token.trim().is_empty() && shown.as_deref() == Some(token.trim())
    };
    if is_shown(TOKEN.into()) {
        return Actor::Person;
    }
    // What it shows counts before where it runs: a review may have been begun at somebody's terminal.
    let mut with = Actor::WITH_TOKENS.into_iter();
    let shows = with.find(|actor| is_shown(Path::new(TOKENS).join(actor.word())));
    let here = if disk.is_attended() { Actor::Person } else { Actor::Foreground };
    shows.unwrap_or(here)
}

/// Who calls in a world: somebody who works for a person, where there is no home to hold what a person would show, or where
/// agents alone call.
#[must_use]
pub fn caller_of(world: &World<'_>) -> Actor {
    let caller = match (world.system.disk(), &world.home.path) {
        (Some(disk), Some(home)) => caller(disk, home),
        _ => Actor::Foreground,
    };
    if world.for_agents && caller == Actor::Person { Actor::Foreground } else { caller }
}

/// Whom a call counts as that asks to be somebody else.
///
/// # Errors
/// Where it may not be.
pub fn acting_as(is: Actor, asked: Option<Actor>) -> Result<Actor, CommandError> {
    let Some(asked) = asked else { return Ok(is) };
    if is.may_act_as(asked) {
        return Ok(asked);
    }
    let (is, asked_word) = (is.word(), asked.word());
    let message = format!("this is `{is}`, which can't act as `{asked_word}`");
    let error = CommandError::new(Kind::Finding, message);
    Err(match asked {
        Actor::Person => {
            error.hint(format!("at a terminal, or with the home's `{TOKEN}` in {SHOWN}"))
        }
        asked if Actor::WITH_TOKENS.contains(&asked) => error.hint(format!(
            "with the home's `{TOKENS}/{asked_word}` in {SHOWN}; skillkeep init --token {asked_word} makes it"
        )),
        _ => error.hint("leave out `--as`"),
    })
}
