//! Who is asked before a write is made. The rules are elsewhere: here is what holds where none was asked, and what holds
//! above all of them.

use crate::{
    decision::{Action, By, Judgement, Reasoned, Verdict, WriteRequest},
    skill::{Actor, OneLine, Origin},
};

/// Somebody who judges writes. A write that is asked about could be made: names, texts and what was read are good, and no
/// act law forbids it.
pub trait Judge: Sync {
    /// Judges one.
    fn judge(&self, write: &WriteRequest) -> Judgement;
}

impl<F: Fn(&WriteRequest) -> Judgement + Sync> Judge for F {
    fn judge(&self, write: &WriteRequest) -> Judgement {
        self(write)
    }
}

/// What holds where no rule was asked: all that no law forbids, a new skill is its maker's, and the others stay whose they
/// are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unruled;

impl Judge for Unruled {
    fn judge(&self, write: &WriteRequest) -> Judgement {
        let maker = match write.actor {
            Actor::Person => Origin::Person,
            Actor::Foreground => Origin::Foreground,
            Actor::Review => Origin::Review,
            Actor::Sync => Origin::Installed,
            Actor::Curator | Actor::Job | Actor::Outside => Origin::Unknown,
        };
        let verdict = Verdict::Allow(write.origin.unwrap_or(maker));
        by_host(verdict, "unruled", "no rule was asked")
    }
}

fn by_host(verdict: Verdict<Origin>, code: &str, text: &str) -> Judgement {
    let reason = Reasoned { code: OneLine::new(code), text: OneLine::new(text) };
    Judgement { verdict, reason, by: By::Host }
}

/// The judgement that holds: where agents' writes are to be approved, none is made at once, whatever a judge says, and nobody
/// but a person brings back what was put away.
pub(super) fn judged(judge: &dyn Judge, write: &WriteRequest) -> Judgement {
    let judgement = judge.judge(write);
    let Verdict::Allow(origin) = judgement.verdict else { return judgement };
    if write.actor == Actor::Person {
        judgement
    } else if write.approval {
        let text = "agents' writes are to be approved: `writes.approval` is on";
        by_host(Verdict::Stage(origin), "approval", text)
    } else if write.action == Action::Restore {
        let text = "only a person brings back what was archived, so it waits for one";
        by_host(Verdict::Stage(origin), "restore", text)
    } else {
        judgement
    }
}

#[cfg(test)]
mod tests {
    use super::{Judge as _, Unruled, by_host, judged};
    use crate::{
        decision::{Action, Verdict, WriteRequest},
        skill::{Actor, Origin},
    };

    fn write(actor: Actor, origin: Option<Origin>, approval: bool) -> WriteRequest {
        WriteRequest { approval, ..WriteRequest::plain(actor, Action::Edit, origin) }
    }

    #[test]
    fn approval_turns_every_agent_s_leave_into_waiting_and_no_refusal_into_leave() {
        let deny = |_: &WriteRequest| by_host(Verdict::Deny, "no", "no");
        for actor in Actor::ALL {
            let [off, on] = [false, true].map(|approval| {
                judged(&Unruled, &write(*actor, Some(Origin::Adopted), approval)).verdict
            });
            assert_eq!(off, Verdict::Allow(Origin::Adopted));
            let waits = Verdict::Stage(Origin::Adopted);
            assert_eq!(on, if *actor == Actor::Person { off } else { waits }, "{actor:?}");
            assert_eq!(judged(&deny, &write(*actor, None, true)).verdict, Verdict::Deny);
        }
    }

    #[test]
    fn what_was_put_away_is_brought_back_at_once_by_a_person_alone() {
        for actor in Actor::ALL {
            let write = WriteRequest::plain(*actor, Action::Restore, Some(Origin::Foreground));
            let verdict = judged(&Unruled, &write).verdict;
            let at_once = verdict == Verdict::Allow(Origin::Foreground);
            assert_eq!(at_once, *actor == Actor::Person, "{actor:?}: {verdict:?}");
        }
    }

    #[test]
    fn a_new_skill_is_its_makers() {
        for (actor, origin) in [
            (Actor::Person, Origin::Person),
            (Actor::Foreground, Origin::Foreground),
            (Actor::Review, Origin::Review),
            (Actor::Sync, Origin::Installed),
            (Actor::Job, Origin::Unknown),
            (Actor::Curator, Origin::Unknown),
        ] {
            let verdict = Unruled.judge(&write(actor, None, false)).verdict;
            assert_eq!(verdict, Verdict::Allow(origin));
        }
    }
}
