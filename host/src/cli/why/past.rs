//! `skillkeep why NAME --at TIME`: what a recorded decision said of a skill.

use std::process::ExitCode;

use serde_json::json;

use super::{
    WhyArgs,
    verdict::{self, Verdict, json_of},
};
use crate::{
    cli::{
        Global,
        output::{Output, columns},
    },
    config::parse_now,
    ledger::{Decided, Ledger, Meant},
    record::{Record, Records, Shelf},
    skill::{Instant, OneLine, SkillId},
    system::System,
    world::{
        World,
        error::{CommandError, Kind},
        kept::{self, Kept},
        naming::one,
    },
};

/// Where a skill stood in a decision.
struct Stood {
    name: String,
    path: String,
    id: Option<SkillId>,
    standing: Option<String>,
    verdict: Verdict,
}

/// Answers from the record of the decision that held at a time.
pub fn why(
    system: &dyn System,
    global: &Global,
    args: &WhyArgs,
    at: &str,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let at = parse_now(at)?;
    let (world, kept) = kept::open(system, &global.at(&args.roots))?;
    let Some(ledger) = &kept.ledger else {
        return Err(kept.problem.unwrap_or_else(|| {
            CommandError::new(Kind::Finding, "there is no home, so no decision was recorded")
                .hint("skillkeep init")
        }));
    };
    let agent = args.decision.reader.as_deref().unwrap_or_default();
    let decided =
        ledger.decision_at(agent, at)?.map_or_else(|| Err(none(ledger, agent, at)), Ok)?;
    let (Some(disk), Some(home)) = (system.disk(), &world.home.path) else {
        return Err(none(ledger, agent, at));
    };
    let home = disk.resolve(home).unwrap_or_else(|_| home.clone());
    let (record, shelf) = Records::new(disk, &home).read(&decided)?;
    let id = id_of(&world, &kept, ledger, &args.name, out);
    let stood = stood(&record, &shelf, &args.name, id).ok_or_else(|| {
        let name = OneLine::capped(&args.name, 80);
        let message = format!("`{name}` was in no root when that was decided, at {}", decided.at);
        CommandError::new(Kind::Finding, message).hint(format!("skillkeep log {name}"))
    })?;
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.why-then/1",
            "at": at.to_string(),
            "decided": decided.at.to_string(),
            "session": decided.session,
            "agent": agent,
            "record": decided.record,
            "policies": record.slots,
            "skill": { "name": stood.name, "id": stood.id, "path": stood.path, "standing": stood.standing },
            "then": json_of(&stood.verdict),
        }))?;
    } else {
        out.text(&text(&world, &record, &decided, &stood))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(world: &World<'_>, record: &Record, decided: &Decided, stood: &Stood) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![format!("  {name}"), value]);
    let agent = match record.agent.as_str() {
        "" => String::new(),
        agent => format!(" of {agent}"),
    };
    row("session", format!("{}{agent}", OneLine::capped(&record.session, 80)));
    let by: Vec<&str> = record.slots.iter().map(|slot| slot.policy.as_str()).collect();
    row("decided", format!("{} by {}", decided.at, by.join(", ")));
    row("found", world.shorten(stood.path.as_ref()));
    if let Some(standing) = &stood.standing {
        row("stood", standing.clone());
    }
    verdict::rows(&stood.verdict, &mut row);
    format!(
        "{} at {}: {}\n\n{}",
        OneLine::new(&stood.name),
        decided.at,
        stood.verdict.words(),
        columns(&rows)
    )
}

/// Where a skill stood: by its id, or by its name where the home didn't know it then.
fn stood(record: &Record, shelf: &Shelf, name: &str, id: Option<SkillId>) -> Option<Stood> {
    let is = |of: Option<SkillId>, called: &str| match (of, id) {
        (Some(of), Some(id)) => of == id,
        _ => called == name,
    };
    if let Some((at, skill)) =
        shelf.skills.iter().enumerate().find(|(_, skill)| is(skill.id, &skill.name))
    {
        return Some(Stood {
            name: skill.name.clone(),
            path: skill.path.clone(),
            id: skill.id,
            standing: None,
            verdict: Verdict::shown(record, shelf, at),
        });
    }
    let hidden = shelf.hidden.iter().find(|hidden| is(hidden.id, &hidden.name))?;
    Some(Stood {
        name: hidden.name.clone(),
        path: hidden.path.clone(),
        id: hidden.id,
        standing: hidden.standing.clone(),
        verdict: Verdict::hidden(record, &hidden.gates),
    })
}

/// Who a name means: today, or once.
fn id_of(
    world: &World<'_>,
    kept: &Kept,
    ledger: &Ledger,
    name: &str,
    out: &mut Output<'_>,
) -> Option<SkillId> {
    if let Ok(row) = one(world, name, out) {
        return kept.rows(&world.library).get(row).copied().flatten().map(|known| known.id);
    }
    match ledger.meant(name) {
        Ok(Meant::One(id)) => Some(id),
        _ => None,
    }
}

/// No decision held then.
fn none(ledger: &Ledger, agent: &str, at: Instant) -> CommandError {
    let whose = if agent.is_empty() { String::new() } else { format!(" for `{agent}`") };
    let message = format!("no decision{whose} until {at} is recorded");
    let error = CommandError::new(Kind::Finding, message);
    match ledger.oldest_decision() {
        Ok(Some(oldest)) if oldest > at => error.hint(format!("the oldest is of {oldest}")),
        _ => error.hint("skillkeep index --session ID"),
    }
}
