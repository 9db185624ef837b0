//! Writes that are judged: what is asked about one, what a policy answers, and what comes of it.

use serde::{Deserialize, Serialize};

use super::{Context, Reason, Reasoned, Value};
use crate::skill::{Actor, Instant, OneLine, Origin};

/// What a write does. What is a person's alone by its nature, such as pinning and purging, is no such write: nobody asks a
/// policy about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A skill is made.
    Create,
    /// A file of a skill is made, changed or taken away.
    Edit,
    /// A skill goes to the archive.
    Retire,
    /// A skill comes back from the archive.
    Restore,
}

/// In whose care the folder is that a skill lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Care {
    /// In this host's, which may write there.
    Owned,
    /// In somebody else's: it is only read.
    ReadOnly,
}

/// Of a skill that is retired, what takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Successor {
    /// No other skill was named.
    None,
    /// One was named that is not there.
    Missing,
    /// One was named, and it is there.
    Present,
}

macro_rules! words {
    ($kind:ident: $($variant:ident $word:literal),+) => {
        impl $kind {
            /// All of them, in order.
            pub const ALL: &[$kind] = &[$($kind::$variant),+];

            /// The word for policies, for people and for JSON.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $($kind::$variant => $word),+
                }
            }
        }
    };
}

words!(Action: Create "create", Edit "edit", Retire "retire", Restore "restore");
words!(Care: Owned "owned", ReadOnly "read-only");
words!(Successor: None "none", Missing "missing", Present "present");

/// A write that is to be judged, with all that a judgement may depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteRequest {
    /// The time of the decision.
    pub now: Instant,
    /// The same for the same session and another for the next one.
    pub seed: u64,
    /// Who writes, known from how the call came.
    pub actor: Actor,
    /// What is done.
    pub action: Action,
    /// Who made what is there, as it was declared; nothing where nothing is there.
    pub origin: Option<Origin>,
    /// Whether a person pinned the skill. Where pins can't be read, everything counts as pinned.
    pub pinned: bool,
    /// Whether a scheduled job names the skill, whatever the job's state.
    pub referenced: bool,
    /// Whether who writes named the hash of what is there. True where nothing is there.
    pub read: bool,
    /// In whose care the skill's folder is.
    pub root: Care,
    /// The file that is written, below the skill's folder; nothing where it is the whole skill.
    pub path: Option<String>,
    /// Of a skill that is retired, what takes its place.
    pub successor: Option<Successor>,
    /// Whether the operator wants to see what agents write before it is done.
    pub approval: bool,
    /// Whether the operator lets skills be retired that came with an agent.
    pub retire_bundled: bool,
    /// The text to be written; empty where there is none. Only a policy that asks for it is told.
    pub content: String,
}

impl WriteRequest {
    /// A write of which nothing is special: in an owned folder, of what its writer has read, neither pinned nor named by a
    /// job, at the beginning of time. What is another way is changed in it.
    #[must_use]
    pub fn plain(actor: Actor, action: Action, origin: Option<Origin>) -> WriteRequest {
        WriteRequest {
            now: Instant(0),
            seed: 0,
            actor,
            action,
            origin,
            pinned: false,
            referenced: false,
            read: true,
            root: Care::Owned,
            path: None,
            successor: None,
            approval: false,
            retire_bundled: false,
            content: String::new(),
        }
    }
}

/// A write as one policy is told it: the facts that it asks for, by their keys in the dictionary.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvenanceRequest {
    /// What holds for the whole request.
    pub context: Context,
    /// The write.
    pub write: Vec<(&'static str, Value)>,
    /// The text to be written, or nothing.
    pub content: String,
}

/// What becomes of a write. `O` says whose the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict<O> {
    /// It is done, and the result has this origin.
    Allow(O),
    /// It waits for a person, and the result will have this origin.
    Stage(O),
    /// It is not done.
    Deny,
}

impl<O> Verdict<O> {
    /// The word for people and for JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Allow(_) => "allow",
            Verdict::Stage(_) => "stage",
            Verdict::Deny => "deny",
        }
    }

    /// How strict it is: 0 lets the write be done, 1 has it wait, 2 refuses it.
    #[must_use]
    pub fn strictness(&self) -> u8 {
        match self {
            Verdict::Allow(_) => 0,
            Verdict::Stage(_) => 1,
            Verdict::Deny => 2,
        }
    }

    /// Whose the result is, if there is one.
    #[must_use]
    pub fn origin(&self) -> Option<&O> {
        match self {
            Verdict::Allow(origin) | Verdict::Stage(origin) => Some(origin),
            Verdict::Deny => None,
        }
    }
}

/// A provenance policy's answer as it came, before any law has looked at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteAnswer {
    /// What it says; the origin is whatever word it gave.
    pub verdict: Verdict<OneLine>,
    /// Why.
    pub why: Reason,
}

/// Who decided a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// A policy, by its name and version.
    Policy(OneLine),
    /// A law of the host's, by its name.
    Law(OneLine),
    /// The host, where policies disagreed or did not answer.
    Host,
}

impl std::fmt::Display for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            By::Policy(title) => write!(f, "{title}"),
            By::Law(law) => write!(f, "law `{law}`"),
            By::Host => write!(f, "the host"),
        }
    }
}

/// What holds for a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// What becomes of it.
    pub verdict: Verdict<Origin>,
    /// Why, for whoever wrote.
    pub reason: Reasoned,
    /// Who decided it.
    pub by: By,
}
