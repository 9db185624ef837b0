//! `skillkeep rate`

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::{Global, options::RootArgs, output::Output};
use crate::{
    ledger::{Access, Event, Kind},
    skill::{OneLine, SkillId},
    system::System,
    world::{
        World,
        error::CommandError,
        naming::one,
        store::{Store, named, not_the_sample},
    },
};

/// Say how a skill did.
#[derive(Debug, Args)]
#[command(
    after_help = "It is evidence for rules that weigh skills by how they did, and changes no file.\n\nExample: skillkeep rate incident-first-hour corrected --note \"the pager number is another one\""
)]
pub struct RateArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its folder, category/name, or its id
    name: String,

    /// How it did: success (it helped), failure (it didn't) or corrected (it had to be)
    #[arg(hide_possible_values = true)]
    outcome: Outcome,

    /// What there is to say about it, in one line
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    /// The session that it was used in
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// How a skill did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Outcome {
    /// It helped
    Success,
    /// It didn't
    Failure,
    /// It had to be corrected
    Corrected,
}

impl Outcome {
    fn kind(self) -> Kind {
        match self {
            Outcome::Success => Kind::Success,
            Outcome::Failure => Kind::Failure,
            Outcome::Corrected => Kind::Corrected,
        }
    }
}

/// Unicode scalars of a note that are kept, and of a session's name.
const LONGEST_NOTE: usize = 500;
const LONGEST_SESSION: usize = 200;

/// Writes it down.
pub fn rate(
    system: &dyn System,
    global: &Global,
    args: &RateArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let world = World::open(system, &global.at(&args.roots))?;
    world.announce(out);
    not_the_sample(&world)?;
    let store = Store::open(system, &world, Access::Write, out)?;
    let (id, name) = which(&world, &store, &args.name, out)?;
    let line = |text: &Option<String>, cap| {
        let line = text.as_ref().map(|text| OneLine::capped(text, cap).into_string());
        line.filter(|line| !line.is_empty())
    };
    let note = line(&args.note, LONGEST_NOTE);
    let cut = args
        .note
        .as_ref()
        .is_some_and(|it| OneLine::new(it).as_str() != note.as_deref().unwrap_or(""));
    let kind = args.outcome.kind();
    let event = Event {
        skill: id,
        at: store.disk.now(),
        kind,
        actor: store.actor,
        weight: 1,
        session: line(&args.session, LONGEST_SESSION),
        note,
    };
    store.ledger.record(std::slice::from_ref(&event))?;
    if cut {
        out.warn(&format!("the note was cut to {LONGEST_NOTE} characters"));
    }
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.rate/1",
            "skill": id,
            "name": name,
            "outcome": kind.word(),
            "actor": event.actor,
            "session": event.session,
            "note": event.note,
        }))?;
    } else {
        out.text(&format!("rated `{name}`: {}\n", kind.word()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The skill's id and name. Only for one that no scan has seen yet all are looked at.
fn which(
    world: &World<'_>,
    store: &Store<'_>,
    name: &str,
    out: &mut Output<'_>,
) -> Result<(SkillId, String), CommandError> {
    let row = one(world, name, out)?;
    if let Some(own) = world.library.own_row(row)
        && let Some(known) = store.ledger.at_hand_in(own.path, own.folder)?
    {
        let name = world.library.skills.get(row).map_or(name, |skill| skill.name.as_str());
        return Ok((known.id, name.to_owned()));
    }
    let noted = store.note(world)?;
    let named = named(world, &noted, name, out)?;
    Ok((named.id, named.name))
}
