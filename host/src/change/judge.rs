//! Who is asked before a write is made, and what the answer can be. The rules are elsewhere: here is what they are told, and
//! what holds where nobody else judges.

use crate::{
    ledger::{Origin, Verb},
    skill::{Actor, SkillId},
};

/// A write that is judged before it is made. It could be made: names, texts and what was read are good, and no act law
/// forbids it.
#[derive(Clone, Debug)]
pub struct WriteRequest<'a> {
    /// What is to be done: `create`, `write`, `archive` or `restore`.
    pub verb: Verb,
    /// Who asks.
    pub actor: Actor,
    /// In which session, if it is known.
    pub session: Option<&'a str>,
    /// The skill; one that is to be made has its id already.
    pub skill: SkillId,
    /// Its folder below the root.
    pub folder: &'a str,
    /// Whose it is declared to be; nothing for one that is to be made.
    pub origin: Option<Origin>,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Whether the writer named the hash of every file that is there and would be another one then.
    pub read: bool,
    /// Whether the operator wants agents' writes to be approved.
    pub approval: bool,
    /// The files that would be others, by path below the skill's folder, each with its bytes as they would be; nothing for
    /// one that is taken away. Empty where the folder is moved as it is.
    pub files: Vec<(&'a str, Option<&'a [u8]>)>,
}

/// What a judge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The write is made, and the skill is declared to be of this origin with it.
    Allow(Origin),
    /// It waits for a person; the skill is declared to be of this origin once it is made.
    Stage(Origin),
    /// It is not made.
    Deny,
}

/// A verdict, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in a sentence for who asked.
    pub reason: String,
    /// Who judged: a policy's name, or `host`.
    pub by: String,
}

/// Somebody who judges writes.
pub trait Judge {
    /// Judges one.
    fn judge(&self, write: &WriteRequest<'_>) -> Judgement;
}

impl<F: Fn(&WriteRequest<'_>) -> Judgement> Judge for F {
    fn judge(&self, write: &WriteRequest<'_>) -> Judgement {
        self(write)
    }
}

/// What holds where no rule was asked: all that no law forbids, a new skill is its maker's, and the others stay whose they
/// are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unruled;

impl Judge for Unruled {
    fn judge(&self, write: &WriteRequest<'_>) -> Judgement {
        let maker = match write.actor {
            Actor::Person => Origin::Person,
            Actor::Foreground => Origin::Foreground,
            Actor::Review => Origin::Review,
            Actor::Sync => Origin::Installed,
            Actor::Curator | Actor::Job | Actor::Outside => Origin::Unknown,
        };
        Judgement {
            verdict: Verdict::Allow(write.origin.unwrap_or(maker)),
            reason: "no rule was asked".to_owned(),
            by: HOST.to_owned(),
        }
    }
}

/// Who judges where no policy did.
const HOST: &str = "host";

/// The judgement that holds: where agents' writes are to be approved, none is made at once, whatever a judge says.
pub(super) fn judged(judge: &dyn Judge, write: &WriteRequest<'_>) -> Judgement {
    let judgement = judge.judge(write);
    match judgement.verdict {
        Verdict::Allow(origin) if write.approval && write.actor != Actor::Person => Judgement {
            verdict: Verdict::Stage(origin),
            reason: "agents' writes are to be approved: `writes.approval` is on".to_owned(),
            by: HOST.to_owned(),
        },
        _ => judgement,
    }
}

#[cfg(test)]
mod tests {
    use super::{Judge as _, Judgement, Unruled, Verdict, WriteRequest, judged};
    use crate::{
        ledger::{Origin, Verb},
        skill::{Actor, SkillId},
    };

    fn write(actor: Actor, origin: Option<Origin>, approval: bool) -> WriteRequest<'static> {
        WriteRequest {
            verb: Verb::Write,
            actor,
            session: None,
            skill: SkillId::from_random(1),
            folder: "deploy",
            origin,
            pinned: false,
            read: true,
            approval,
            files: Vec::new(),
        }
    }

    #[test]
    fn approval_turns_every_agent_s_leave_into_waiting_and_no_refusal_into_leave() {
        let deny = |_: &WriteRequest<'_>| Judgement {
            verdict: Verdict::Deny,
            reason: String::new(),
            by: String::new(),
        };
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
