//! Every write that a rule can tell apart, with what comes of it: by who writes, what is done, whose it is, and one special
//! circumstance at a time. It is made by asking, so that it says what holds and not what somebody wrote down.

use super::{Judge, hearing::Hearing};
use crate::{
    decision::{Action, Care, Judgement, Slot, Successor, WriteRequest},
    roster::{Answer, Answers},
    skill::{Actor, OneLine, Origin},
};

/// Who may write by this host, in the order of the table.
pub const WRITERS: [Actor; 6] =
    [Actor::Person, Actor::Foreground, Actor::Review, Actor::Curator, Actor::Job, Actor::Sync];

/// What is special about a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Under {
    /// Nothing: the folder is owned, its writer has read what is there, and a skill that is retired has a successor.
    Plain,
    /// Its writer has not read what is there.
    Unread,
    /// A person pinned the skill.
    Pinned,
    /// A scheduled job names the skill.
    Referenced,
    /// Of a skill that is retired, no other was named to take its place.
    NoSuccessor,
    /// The one that was named is not there.
    MissingSuccessor,
    /// The operator lets bundled skills be retired.
    BundledMay,
    /// The operator wants to see what agents write.
    Approval,
    /// The folder is only read.
    ReadOnly,
}

impl Under {
    /// All of them, in the order of the table.
    pub const ALL: [Under; 9] = [
        Under::Plain,
        Under::Unread,
        Under::Pinned,
        Under::Referenced,
        Under::NoSuccessor,
        Under::MissingSuccessor,
        Under::BundledMay,
        Under::Approval,
        Under::ReadOnly,
    ];

    /// The word for people and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Under::Plain => "plain",
            Under::Unread => "unread",
            Under::Pinned => "pinned",
            Under::Referenced => "referenced",
            Under::NoSuccessor => "no successor",
            Under::MissingSuccessor => "successor gone",
            Under::BundledMay => "retire-bundled",
            Under::Approval => "approval",
            Under::ReadOnly => "read-only",
        }
    }

    /// Whether it can be so where this is done.
    #[must_use]
    pub fn can_be(self, action: Action) -> bool {
        match self {
            Under::Plain | Under::Approval | Under::ReadOnly => true,
            Under::Unread => action == Action::Edit,
            Under::Pinned | Under::Referenced => matches!(action, Action::Edit | Action::Retire),
            Under::NoSuccessor | Under::MissingSuccessor | Under::BundledMay => {
                action == Action::Retire
            }
        }
    }

    fn put(self, request: &mut WriteRequest) {
        match self {
            Under::Plain => {}
            Under::Unread => request.read = false,
            Under::Pinned => request.pinned = true,
            Under::Referenced => request.referenced = true,
            Under::NoSuccessor => request.successor = Some(Successor::None),
            Under::MissingSuccessor => request.successor = Some(Successor::Missing),
            Under::BundledMay => request.retire_bundled = true,
            Under::Approval => request.approval = true,
            Under::ReadOnly => request.root = Care::ReadOnly,
        }
    }
}

/// One write of the table.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What is special about it.
    pub under: Under,
    /// The write.
    pub request: WriteRequest,
    /// What holds.
    pub judgement: Judgement,
    /// What the policies' answers came to, where a law made something else of it.
    pub proposed: Option<Judgement>,
}

/// All of them: by what is done, by what is special, by whose it is, and by who writes.
#[must_use]
pub fn table(judge: &Judge) -> Vec<Cell> {
    let cell = |(under, request)| {
        let Hearing { judgement, proposed, .. } = judge.hear(&request);
        let proposed = (proposed != judgement).then_some(proposed);
        Cell { under, request, judgement, proposed }
    };
    writes().into_iter().map(cell).collect()
}

/// The writes of the table, each with what is special about it.
fn writes() -> Vec<(Under, WriteRequest)> {
    let mut writes = Vec::new();
    for action in Action::ALL {
        for under in Under::ALL.into_iter().filter(|under| under.can_be(*action)) {
            for origin in origins(*action) {
                writes.extend(WRITERS.map(|actor| (under, write(actor, *action, origin, under))));
            }
        }
    }
    writes
}

/// Whose something may be where this is done: of what is new, nobody's yet.
fn origins(action: Action) -> Vec<Option<Origin>> {
    match action {
        Action::Create => vec![None],
        _ => Origin::ALL.iter().copied().map(Some).collect(),
    }
}

fn write(actor: Actor, action: Action, origin: Option<Origin>, under: Under) -> WriteRequest {
    let mut request = WriteRequest::plain(actor, action, origin);
    if action == Action::Retire {
        request.successor = Some(Successor::Present);
    }
    under.put(&mut request);
    request
}

/// All of them as the trial of a candidate compares them.
#[must_use]
pub fn answers(judge: &Judge) -> Answers {
    let (mut rows, mut fallbacks) = (Vec::new(), Vec::new());
    for (under, request) in writes() {
        let hearing = judge.hear(&request);
        let whose = request.origin.map_or("nobody's yet", Origin::word);
        let (actor, action) = (request.actor.word(), request.action.word());
        let about = format!("{actor}, {action}, {whose}, {}", under.word());
        let Judgement { verdict, reason, .. } = hearing.judgement;
        let owner = verdict.origin().map_or_else(String::new, |it| format!(" {}", it.word()));
        rows.push(Answer {
            slot: Slot::Provenance,
            about: OneLine::new(&about),
            choice: format!("{}{owner}", verdict.word()),
            reason: Some(reason),
        });
        if let (true, Some(opinion)) =
            (fallbacks.is_empty(), hearing.opinions.into_iter().find(|it| it.fallback.is_some()))
        {
            let why = opinion.fallback.map_or_else(String::new, |why| why.to_string());
            fallbacks.push((Slot::Provenance, OneLine::capped(&why, 400)));
        }
    }
    Answers { rows, fallbacks }
}
