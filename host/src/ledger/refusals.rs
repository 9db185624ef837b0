//! Calls that were refused: the same one again is counted, and who gets nothing done is found.

use rusqlite::named_params;

use super::{Digest, Ledger, LedgerError, schema, words::Sql};
use crate::skill::{Actor, Instant};

/// The version that they came with.
const VERSION: i32 = 5;

/// Seconds for which a refusal is known: as long as a write may wait.
const KEPT: i64 = 30 * 86_400;

/// A call that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The session that it came in; empty where none was named.
    pub session: String,
    /// Who called.
    pub actor: Actor,
    /// The hash of all that was asked, and of what was said to it.
    pub call: Digest,
    /// What was to be done, in a word.
    pub verb: String,
    /// The skill, as it was called.
    pub skill: String,
    /// Why it was refused.
    pub why: String,
    /// Whether a rule or a law stood in the way, whatever the call said.
    pub barred: bool,
    /// When.
    pub at: Instant,
}

/// Somebody whose writes all were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShutOut {
    /// The session; empty where none was named.
    pub session: String,
    /// Who wrote.
    pub actor: Actor,
    /// How many different writes a rule or a law refused.
    pub writes: u32,
    /// The newest refusal's time and its reason.
    pub last: (Instant, String),
}

impl Ledger {
    /// Writes down that a call was refused, and says how often this very one was in its session, this time included. What is
    /// older than 30 days is let go.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn refuse(&self, refused: &Refused) -> Result<u32, LedgerError> {
        self.write(|all| {
            let mut old = all.prepare_cached("DELETE FROM refusals WHERE last < ?1")?;
            old.execute([refused.at.0.saturating_sub(KEPT)])?;
            let mut put = all.prepare_cached(
                "INSERT INTO refusals (session, actor, call, verb, skill, why, barred, times, first, last)
                 VALUES (:session, :actor, :call, :verb, :skill, :why, :barred, 1, :at, :at)
                 ON CONFLICT (session, actor, call) DO UPDATE
                 SET times = times + 1, last = max(last, excluded.last)
                 RETURNING times",
            )?;
            Ok(put.query_row(
                named_params! {
                    ":session": refused.session,
                    ":actor": Sql(refused.actor),
                    ":call": refused.call.0,
                    ":verb": refused.verb,
                    ":skill": refused.skill,
                    ":why": refused.why,
                    ":barred": refused.barred,
                    ":at": Sql(refused.at),
                },
                |row| row.get(0),
            )?)
        })
    }

    /// Who, since a time, had at least so many different writes refused by a rule or a law, and in the same session none made
    /// and none staged: a rule that refuses everything looks like this. The newest first.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn shut_out(&self, since: Instant, least: u32) -> Result<Vec<ShutOut>, LedgerError> {
        self.read(|all| {
            if schema::version(all)? < VERSION {
                return Ok(Vec::new());
            }
            // With one `max`, SQLite takes `why` from that row. Calls without a session are told apart by time alone.
            let mut found = all.prepare_cached(
                "WITH shut AS (
                   SELECT session, actor, count(*) AS writes, max(last) AS last, why,
                     CASE session WHEN '' THEN ?1 ELSE 0 END AS since
                   FROM refusals WHERE barred = 1 AND last >= ?1 GROUP BY session, actor
                 )
                 SELECT session, actor, writes, last, why FROM shut
                 WHERE writes >= ?2
                 AND NOT EXISTS (SELECT 1 FROM changes AS made
                   WHERE coalesce(made.session, '') = shut.session AND made.actor = shut.actor
                   AND made.at >= shut.since)
                 AND NOT EXISTS (SELECT 1 FROM pending AS waits
                   WHERE coalesce(waits.session, '') = shut.session AND waits.actor = shut.actor
                   AND waits.at >= shut.since)
                 ORDER BY last DESC, session, actor",
            )?;
            let rows = found.query_map((Sql(since), least), |row| {
                Ok(ShutOut {
                    session: row.get(0)?,
                    actor: row.get::<_, Sql<Actor>>(1)?.0,
                    writes: row.get::<_, u32>(2)?,
                    last: (row.get::<_, Sql<Instant>>(3)?.0, row.get(4)?),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Digest, KEPT, Ledger, Refused, ShutOut};
    use crate::skill::{Actor, Instant};

    fn refused(session: &str, call: u8, at: i64) -> Refused {
        Refused {
            session: session.to_owned(),
            actor: Actor::Foreground,
            call: Digest([call; 32]),
            verb: "skill_write".to_owned(),
            skill: "deploy".to_owned(),
            why: format!("because of {call}"),
            barred: true,
            at: Instant(at),
        }
    }

    #[test]
    fn the_same_call_is_counted_in_its_session_and_for_its_actor_until_it_is_forgotten() {
        let ledger = Ledger::in_memory().unwrap();
        let other = Refused { actor: Actor::Review, ..refused("a", 1, 12) };
        for (refused, times) in [
            (refused("a", 1, 10), 1),
            (refused("a", 1, 11), 2),
            (refused("a", 2, 11), 1),
            (refused("b", 1, 11), 1),
            (other, 1),
            (refused("a", 1, 11 + KEPT), 3),
            (refused("a", 1, 14 + 2 * KEPT), 1),
        ] {
            assert_eq!(ledger.refuse(&refused).unwrap(), times, "{refused:?}");
        }
    }

    #[test]
    fn who_gets_nothing_done_is_told_with_the_newest_reason() {
        let ledger = Ledger::in_memory().unwrap();
        for (session, call, at) in
            [("a", 1, 10), ("a", 2, 20), ("a", 3, 15), ("b", 1, 30), ("", 1, 40)]
        {
            ledger.refuse(&refused(session, call, at)).unwrap();
        }
        ledger.refuse(&refused("a", 1, 16)).unwrap();
        let wrong = |call| Refused { barred: false, ..refused("b", call, 31) };
        (5..9).for_each(|call| assert_eq!(ledger.refuse(&wrong(call)).unwrap(), 1));
        let told = ShutOut {
            session: "a".to_owned(),
            actor: Actor::Foreground,
            writes: 3,
            last: (Instant(20), "because of 2".to_owned()),
        };
        assert_eq!(ledger.shut_out(Instant(0), 3).unwrap(), [told]);
        let sessions = |since, least| -> Vec<String> {
            let all = ledger.shut_out(Instant(since), least).unwrap();
            all.into_iter().map(|it| it.session).collect()
        };
        assert_eq!(sessions(0, 1), ["", "b", "a"]);
        assert_eq!(sessions(17, 1), ["", "b", "a"]);
        assert_eq!(sessions(21, 1), ["", "b"]);
        assert_eq!(sessions(0, 4), Vec::<String>::new());
    }
}
