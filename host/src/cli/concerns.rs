//! What a person should see though they didn't ask for it: a session that gets nothing done, a ledger that stands in for
//! another.

use super::output::Output;
use crate::{
    ledger::{Ledger, LedgerError},
    skill::Instant,
    world::counted,
};

/// Seconds for which a session without a write is told.
const RECENT: i64 = 7 * 86_400;

/// Different writes that have to be refused for it.
const LEAST: u32 = 3;

/// What there is, each with what to do about it.
///
/// # Errors
/// Where the ledger can't be read.
pub fn concerns(ledger: &Ledger, now: Instant) -> Result<Vec<(String, String)>, LedgerError> {
    let mut all = Vec::new();
    if let Some(since) = ledger.damaged_since()? {
        let message = format!(
            "since {since} the ledger stands in for one that was lost, and nobody accepted it: nothing is archived but by you"
        );
        all.push((message, "skillkeep scan --accept-ledger".to_owned()));
    }
    for shut in ledger.shut_out(Instant(now.0.saturating_sub(RECENT)), LEAST)? {
        let (at, why) = shut.last;
        let who = match shut.session.as_str() {
            "" => format!("`{}` without a session", shut.actor.word()),
            session => format!("`{}` in session `{session}`", shut.actor.word()),
        };
        let writes = counted(shut.writes as usize, "write");
        let message = format!("{who}: all of {writes} refused, the last {at}: {why}");
        let hint = "see what your rules let whom do: skillkeep policy show provenance --table";
        all.push((message, hint.to_owned()));
    }
    Ok(all)
}

/// Tells them.
///
/// # Errors
/// As [`concerns`].
pub fn tell(ledger: &Ledger, now: Instant, out: &mut Output<'_>) -> Result<(), LedgerError> {
    for (message, hint) in concerns(ledger, now)? {
        out.warn(&message);
        out.hint(&hint);
    }
    Ok(())
}
