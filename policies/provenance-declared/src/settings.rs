//! What can be set, and what an answer may give as its reason. No rule belongs here.

use skillkeep_policy::facts::Value;
use skillkeep_policy::settings::Scalar;

/// What becomes of a write of which more than one thing could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is done.
    Allow,
    /// It waits for a person.
    Stage,
    /// It is refused.
    Deny,
}

impl Scalar for Outcome {
    fn to_value(&self) -> Value {
        match self {
            Self::Allow => "allow".into(),
            Self::Stage => "stage".into(),
            Self::Deny => "deny".into(),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text == "allow" => Ok(Self::Allow),
            Value::Text(text) if text == "stage" => Ok(Self::Stage),
            Value::Text(text) if text == "deny" => Ok(Self::Deny),
            _ => Err("`allow`, `stage` or `deny`".to_owned()),
        }
    }
}

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// What becomes of a change to a file that its writer may change and has not read: `deny` tells it to read first,
        /// `stage` leaves it to a person.
        pub unread: Outcome = Outcome::Deny,
        /// What becomes of a foreground agent's change to what it has read and did not write: `allow`, `stage` or `deny`.
        pub foreground_edits: Outcome = Outcome::Allow,
        /// What becomes of a new skill that a job makes while nobody is there: `allow`, `stage` or `deny`.
        pub job_creates: Outcome = Outcome::Allow,
    }
    check unread_is_no_permission;
}

fn unread_is_no_permission(settings: &Settings) -> Option<skillkeep_policy::Problem> {
    (settings.unread == Outcome::Allow)
        .then(|| skillkeep_policy::Problem::new("unread", "expected `stage` or `deny`"))
}

skillkeep_policy::reasons! {
    /// Why a write is done, waits, or is refused.
    pub enum Reason {
        Person = "a person may change what is theirs to change",
        New { origin: String } = "it is new, and counts as made by `{0}`",
        Unattended = "nobody is there while a job runs, so it waits for a person",
        Own = "it is the writer's own",
        Read { origin: String } = "it is of origin `{0}`, and its writer has read what is there",
        ReadFirst = "its writer has not read what is there: read the file, and write again with the hash that comes with it",
        Others { origin: String } = "it is of origin `{0}`, which is not its writer's, so it waits for a person",
        Unmarked = "nobody declared whose it is, so it counts as a person's and waits for one",
        Shipped { origin: String } = "it is of origin `{0}`, and an update would undo the change: make a skill of your own beside it",
        Absorbed = "it is the review's own, and another skill takes its place",
        NoSuccessor = "it would be lost: name the skill that takes its place, which has to be there",
        Curated { origin: String } = "it is of origin `{0}`, which a pass may retire",
        NotCurated { origin: String } = "it is of origin `{0}`, which no pass retires: a person can, or can adopt it",
        Foreign = "its writer may not change what others made",
        RestoreWaits = "only a person brings back what was archived, so it waits for one",
        Approval = "the operator looks at such writes first, so it waits for a person",
        Pinned = "a person pinned it, and what is pinned is not retired: change it instead, or ask a person to unpin it",
        Referenced = "a scheduled job names it: change the job first",
        ReadOnly = "it lies in a folder that is only read: make a skill of your own, or ask a person to take the folder into care",
        Stranger { actor: String } = "`{0}` is no writer that this rule knows",
        NoSuchAct { action: String } = "`{0}` is nothing that this rule knows how to judge",
    }
}
