//! Calls that were refused before: the same one again is told that it won't help.

use std::time::Duration;

use serde_json::Value as Json;

use super::{Tool, trouble::Trouble};
use crate::{
    ledger::{Access, Digest, Ledger, Refused},
    skill::{Actor, OneLine},
    system::System,
    world::{Where, World, caller::caller_of, store::LEDGER},
};

/// How long the count waits for somebody else who writes: an agent waits for its answer.
const WAIT: Duration = Duration::from_millis(200);

/// Unicode scalars that are kept of a name and of a reason.
const LONGEST_NAME: usize = 80;
const LONGEST_REASON: usize = 300;

/// A call that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    verb: String,
    skill: String,
    why: String,
    barred: bool,
    hash: Digest,
}

impl Call {
    /// A tool's call, by all that it was given and all that was said to it.
    #[must_use]
    pub fn of_tool(tool: Tool, input: &Json, trouble: &Trouble) -> Call {
        let skill = input.get("name").and_then(Json::as_str).unwrap_or_default();
        Call::new(tool.word(), skill, &input.to_string(), trouble)
    }

    /// A call by a word for what was to be done, the skill as it was called, and all that was asked.
    #[must_use]
    pub fn new(verb: &str, skill: &str, asked: &str, trouble: &Trouble) -> Call {
        let why = trouble.to_string();
        let hash = Digest::of([verb, skill, asked, &why].join("\0").as_bytes());
        Call {
            verb: verb.to_owned(),
            skill: OneLine::capped(skill, LONGEST_NAME).into_string(),
            why: OneLine::capped(&why, LONGEST_REASON).into_string(),
            barred: trouble.is_barred(),
            hash,
        }
    }
}

/// Writes down that a call was refused, and says how often this very one was in its session, this time included. Where there
/// is no home, or it can't be written now, nobody counts, and each is the first.
#[must_use]
pub fn remember(system: &dyn System, place: &Where<'_>, session: Option<&str>, call: &Call) -> u32 {
    let count = || {
        let mut world = World::without_library(system, place.home).ok()?;
        world.for_agents = place.for_agents;
        let (home, actor) = (world.home.path.as_ref()?, caller_of(&world));
        // A person knows what they try again.
        if actor == Actor::Person {
            return None;
        }
        let ledger = Ledger::open_within(&home.join(LEDGER), Access::Add, WAIT).ok()?.ledger;
        let refused = Refused {
            session: OneLine::capped(session.unwrap_or_default(), 200).into_string(),
            actor,
            call: call.hash,
            verb: call.verb.clone(),
            skill: call.skill.clone(),
            why: call.why.clone(),
            barred: call.barred,
            at: system.now(),
        };
        ledger.refuse(&refused).ok()
    };
    count().unwrap_or(1)
}
