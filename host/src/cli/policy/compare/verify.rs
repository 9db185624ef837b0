//! `skillkeep policy compare --verify`: what was decided is decided again by those who did, and is the same, bit for bit.

use std::{collections::BTreeMap, process::ExitCode};

use serde_json::json;

use super::records::{Meters, nothing};
use crate::{
    cli::{Global, output::Output},
    ledger::Decided,
    skill::Instant,
    world::{
        World, counted,
        error::{CommandError, Kind},
        kept,
        policies::engine,
        recorded::Recorded,
        store::no_home,
    },
};

/// A decision that came out otherwise.
struct Other {
    decided: Decided,
    what: Vec<&'static str>,
}

/// Runs it.
pub fn verify(
    world: &World<'_>,
    global: &Global,
    since: Option<Instant>,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let ledger = kept::ledger(world.system, &world.home)?.ok_or_else(no_home)?;
    let mut recorded = Recorded::of(world, engine(world)?)?;
    let decisions = recorded.decisions(&ledger, since)?;
    if decisions.is_empty() {
        return Err(nothing());
    }
    let (mut same, mut others, mut left) = (0, Vec::new(), BTreeMap::<String, usize>::new());
    let mut meters = Meters::default();
    for decided in decisions {
        let differs = recorded.open(&decided).and_then(|(record, again)| {
            let then = recorded.deciders(&record, None)?;
            let meter = meters.of(world, record.unit);
            Ok(record.differs(&recorded.decide(&again, &then, meter.get())?))
        });
        match differs {
            Ok(what) if what.is_empty() => same += 1,
            Ok(what) => others.push(Other { decided, what }),
            Err(why) => *left.entry(why).or_default() += 1,
        }
    }
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.policy-verify/1",
            "verified": same,
            "differ": others.iter().map(|it| json!({
                "at": it.decided.at.to_string(),
                "session": it.decided.session,
                "agent": it.decided.agent,
                "record": it.decided.record,
                "what": it.what,
            })).collect::<Vec<_>>(),
            "not-verified": left.iter().map(|(why, count)| json!({ "why": why, "count": count })).collect::<Vec<_>>(),
        }))?;
    } else {
        out.text(&text(same, &others, &left))?;
    }
    Ok(if others.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(Kind::Finding.status()) })
}

fn text(same: usize, others: &[Other], left: &BTreeMap<String, usize>) -> String {
    let mut text =
        format!("{} decided again and the same, bit for bit\n", counted(same, "decision"));
    for it in others {
        let session = it.decided.session.as_deref().unwrap_or("-");
        text.push_str(&format!(
            "{} of session {}: another one in its {}\n",
            it.decided.at,
            crate::skill::OneLine::capped(session, 80),
            it.what.join(", ")
        ));
    }
    for (why, count) in left {
        text.push_str(&format!("{count} can't be decided again: {why}\n"));
    }
    text
}
