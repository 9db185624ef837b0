//! Changes as the ledger keeps them: what was done, in steps that can be done backwards.

use std::{fmt, io};

use serde::{Deserialize, Serialize};
use sha2::Digest as _;

use super::{Origin, PendingId};
use crate::skill::{Actor, Choice, Instant, SkillId};

/// SHA-256 of some bytes; the name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(sha2::Sha256::digest(bytes).into())
    }

    /// Of the bytes that something writes, none of which are kept.
    ///
    /// # Errors
    /// As what writes.
    pub fn of_written<E>(
        write: impl FnOnce(&mut dyn io::Write) -> Result<(), E>,
    ) -> Result<Digest, E> {
        let mut hashing = Hashing(sha2::Sha256::new());
        write(&mut hashing)?;
        Ok(Digest(hashing.0.finalize().into()))
    }

    /// From 64 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Digest> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(Digest(bytes))
    }
}

/// Takes in what is written.
struct Hashing(sha2::Sha256);

impl io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = String::deserialize(deserializer)?;
        Digest::from_hex(&text).ok_or_else(|| serde::de::Error::custom("expected 64 hex digits"))
    }
}

/// A root, as the ledger numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RootId(pub i64);

/// A change, as people name it: `undo 12`. Numbers grow and are never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChangeId(pub i64);

/// A file's content and permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// Its bytes, by hash: an object of that name holds them.
    pub digest: Digest,
    /// Size in bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
}

impl Blob {
    /// Of a file that has these bytes.
    #[must_use]
    pub fn of(bytes: &[u8], mode: u32) -> Blob {
        Blob { digest: Digest::of(bytes), size: bytes.len() as u64, mode }
    }
}

/// One step of a change. Paths are below the root, with `/` between their parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum Step {
    /// A file is made or replaced, or gets other permissions.
    Put {
        /// Where.
        path: String,
        /// What was there; nothing where it is made.
        before: Option<Blob>,
        /// What is there then.
        after: Blob,
    },
    /// A file is taken away.
    Remove {
        /// Where.
        path: String,
        /// What was there.
        before: Blob,
    },
    /// A small file of ours is made, whose text is in the step itself: nobody keeps it as an object.
    PutText {
        /// Where; nothing was there.
        path: String,
        /// What is in it then.
        text: String,
        /// Its permissions.
        mode: u32,
    },
    /// Such a file is taken away.
    RemoveText {
        /// Where.
        path: String,
        /// What was in it.
        text: String,
        /// Its permissions.
        mode: u32,
    },
    /// A folder is made. Undone, it is taken away if it is empty.
    MakeFolder {
        /// Where.
        path: String,
        /// Its permissions.
        mode: u32,
    },
    /// An empty folder is taken away.
    RemoveFolder {
        /// Where.
        path: String,
        /// Its permissions.
        mode: u32,
    },
    /// A folder gets other permissions.
    SetMode {
        /// Where.
        path: String,
        /// Its permissions before.
        before: u32,
        /// And then.
        after: u32,
    },
    /// A whole folder is moved, as it is.
    Move {
        /// From there.
        from: String,
        /// To there.
        to: String,
    },
    /// A user's choice for a skill; in the ledger only.
    Choose {
        /// For one agent only, by its word.
        agent: Option<String>,
        /// What it was.
        before: Choice,
        /// What it is then.
        after: Choice,
    },
}

/// What kind of change it is, for people and for the laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// A skill is made.
    Create,
    /// Files of a skill are made, replaced or taken away.
    Write,
    /// A skill goes to the archive.
    Archive,
    /// It comes back.
    Restore,
    /// It is erased for good.
    Purge,
    /// It is pinned.
    Pin,
    /// It is no longer pinned.
    Unpin,
    /// A user's choice.
    Set,
    /// A person takes it into the curator's care. No file is changed.
    Adopt,
    /// A change is done backwards.
    Undo,
    /// Somebody else changed files; found at a scan.
    Outside,
    /// A scan saw a skill for the first time. It changed nothing: its steps say which files there were.
    Found,
}

/// A change that is about to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewChange {
    /// In this root.
    pub root: RootId,
    /// To this skill.
    pub skill: SkillId,
    /// What kind it is.
    pub verb: Verb,
    /// By whom.
    pub actor: Actor,
    /// In which session, if it is known.
    pub session: Option<String>,
    /// Why, in the actor's words; empty where nothing was said.
    pub reason: String,
    /// The change that it undoes.
    pub undoes: Option<ChangeId>,
    /// When, by the real clock.
    pub at: Instant,
    /// What is done, in this order.
    pub steps: Vec<Step>,
    /// By whose leave.
    pub leave: Leave,
}

/// By whose leave a change is made, where somebody was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leave {
    /// Whose the skill is declared to be with it.
    pub origin: Option<Origin>,
    /// Who approved it after it had waited.
    pub approved: Option<Actor>,
    /// What had waited: it ends with this change.
    pub pending: Option<PendingId>,
    /// It is somebody else's, and waits to be accepted from when it is written down. No part of the record.
    pub waits: bool,
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRecord {
    /// Its number.
    pub id: ChangeId,
    /// What it was.
    pub change: NewChange,
    /// The change that undid it.
    pub undone_by: Option<ChangeId>,
    /// Whether it was begun, and neither done nor taken back.
    pub open: bool,
    /// Whose the skill was before, where the change declared that.
    pub former_origin: Option<Origin>,
}

impl Verb {
    /// All of them.
    pub const ALL: [Verb; 12] = [
        Verb::Create,
        Verb::Write,
        Verb::Archive,
        Verb::Restore,
        Verb::Purge,
        Verb::Pin,
        Verb::Unpin,
        Verb::Set,
        Verb::Adopt,
        Verb::Undo,
        Verb::Outside,
        Verb::Found,
    ];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verb::Create => "create",
            Verb::Write => "write",
            Verb::Archive => "archive",
            Verb::Restore => "restore",
            Verb::Purge => "purge",
            Verb::Pin => "pin",
            Verb::Unpin => "unpin",
            Verb::Set => "set",
            Verb::Adopt => "adopt",
            Verb::Undo => "undo",
            Verb::Outside => "outside",
            Verb::Found => "found",
        }
    }

    /// What a word means; nothing for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Verb> {
        Verb::ALL.into_iter().find(|verb| verb.word() == word)
    }
}

impl NewChange {
    /// Whether it is about users' choices alone, and moves no file.
    #[must_use]
    pub fn is_choice(&self) -> bool {
        !self.steps.is_empty() && self.steps.iter().all(|step| matches!(step, Step::Choose { .. }))
    }
}

impl Step {
    /// The step that takes this one back. Of a change the steps are taken back from the last to the first.
    #[must_use]
    pub fn inverse(&self) -> Step {
        match self.clone() {
            Step::Put { path, before: Some(before), after } => {
                Step::Put { path, before: Some(after), after: before }
            }
            Step::Put { path, before: None, after } => Step::Remove { path, before: after },
            Step::Remove { path, before } => Step::Put { path, before: None, after: before },
            Step::PutText { path, text, mode } => Step::RemoveText { path, text, mode },
            Step::RemoveText { path, text, mode } => Step::PutText { path, text, mode },
            Step::MakeFolder { path, mode } => Step::RemoveFolder { path, mode },
            Step::RemoveFolder { path, mode } => Step::MakeFolder { path, mode },
            Step::SetMode { path, before, after } => {
                Step::SetMode { path, before: after, after: before }
            }
            Step::Move { from, to } => Step::Move { from: to, to: from },
            Step::Choose { agent, before, after } => {
                Step::Choose { agent, before: after, after: before }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Blob, Digest, Step};
    use crate::skill::Choice;

    #[test]
    fn a_step_taken_back_twice_is_itself() {
        let blob = |text: &str, mode| Blob {
            digest: Digest::of(text.as_bytes()),
            size: text.len() as u64,
            mode,
        };
        let path = || "a/SKILL.md".to_owned();
        for step in [
            Step::Put { path: path(), before: None, after: blob("x", 0o644) },
            Step::Put { path: path(), before: Some(blob("y", 0o600)), after: blob("x", 0o644) },
            Step::Remove { path: path(), before: blob("x", 0o755) },
            Step::PutText { path: path(), text: "x".to_owned(), mode: 0o600 },
            Step::MakeFolder { path: path(), mode: 0o755 },
            Step::RemoveFolder { path: path(), mode: 0o700 },
            Step::SetMode { path: path(), before: 0o755, after: 0o700 },
            Step::Move { from: path(), to: "b".to_owned() },
            Step::Choose { agent: None, before: Choice::Auto, after: Choice::Off },
        ] {
            assert_ne!(step.inverse(), step);
            assert_eq!(step.inverse().inverse(), step);
        }
    }

    #[test]
    fn a_digest_is_read_as_it_is_written() {
        let digest = Digest::of(b"abc");
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), hex);
        assert_eq!(Digest::from_hex(hex), Some(digest));
        for other in
            ["", "ba78", "zz7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"]
        {
            assert_eq!(Digest::from_hex(other), None);
        }
    }
}
