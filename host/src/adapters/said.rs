//! What another program says of skills, whatever its format: counts with their times, marks, lists, jobs. Under the names
//! that it has for them: whom they mean is the resolver's to say.

use serde_json::{Map, Value};

use crate::{
    ledger::{Digest, Origin},
    skill::{Instant, OneLine, State},
};

/// Whose files they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// Hermes Agent.
    Hermes,
    /// Progressive Skill, which counts the same calls where it is a plugin of Hermes.
    Progressive,
}

impl Program {
    /// Its word, in the ledger and on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Program::Hermes => "hermes",
            Program::Progressive => "progressive",
        }
    }

    /// Its name, for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Program::Hermes => "Hermes",
            Program::Progressive => "Progressive Skill",
        }
    }
}

/// A count, and when the last one was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many.
    pub count: u32,
    /// When the last one was; as the file says, so possibly in the future.
    pub last: Option<Instant>,
}

/// What a program knows of one skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The name that it has there.
    pub key: String,
    /// When the record was begun, word for word: with its name it tells one record from another. Empty where nothing says.
    pub made: String,
    /// The same as a time.
    pub since: Option<Instant>,
    /// How often its text was shown.
    pub views: Count,
    /// How often it was used.
    pub uses: Count,
    /// How often it was written to.
    pub writes: Count,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Active, stale or archived, where a word says so.
    pub state: Option<State>,
    /// Since when it is archived.
    pub archived: Option<Instant>,
    /// Who made it, where a word says so that is known.
    pub origin: Option<Origin>,
}

/// Something that was not taken over: where it stands, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    /// The file, below the place that was read.
    pub file: String,
    /// The key or the line; empty for the whole file.
    pub at: OneLine,
    /// What was found and what was expected.
    pub why: OneLine,
}

impl Left {
    /// What was left of a file.
    #[must_use]
    pub fn new(file: &str, at: impl AsRef<str>, why: impl AsRef<str>) -> Left {
        Left {
            file: file.to_owned(),
            at: OneLine::capped(at.as_ref(), 80),
            why: OneLine::capped(why.as_ref(), 300),
        }
    }
}

/// A list that says where skills came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The list's file.
    pub file: &'static str,
    /// The name that it has for a skill.
    pub key: String,
    /// Its folder below the skills, where the list says.
    pub folder: Option<String>,
    /// What being in the list means.
    pub origin: Origin,
}

/// A job that names a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobReference {
    /// The job's name, or its id where it has none.
    pub job: String,
    /// The skill as the job spells it.
    pub spelling: String,
}

/// All that a program says.
#[derive(Clone, Debug)]
pub struct Said {
    /// Whose.
    pub program: Program,
    /// Where it was read: an absolute path.
    pub place: String,
    /// Of the bytes of the counts: the same file at another place is no news.
    pub digest: Digest,
    /// Counts and marks.
    pub records: Vec<Record>,
    /// The file that they are in, below the place.
    pub records_file: &'static str,
    /// Where skills came from.
    pub claims: Vec<Claim>,
    /// Jobs that name skills; nothing where their file can't be read, so that nothing new is known of them.
    pub jobs: Option<Vec<JobReference>>,
    /// What the program says of itself, for a curator to come and for the way back.
    pub kept: Map<String, Value>,
    /// What was not understood.
    pub left: Vec<Left>,
}
