//! Why a change was not made: what was found, and what to do about it. Whatever it is, each skill is whole, old or new.

use std::{io, path::PathBuf};

use super::{
    content::BadContent,
    names::{BadName, BadPath},
    patch::BadPatch,
    stage::Staged,
};
use crate::{
    decision::By,
    ledger::{ChangeId, Digest, LedgerError, PendingId, PendingState},
    skill::{Actor, Instant, OneLine, SkillId},
};

/// Why a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// A name that nothing new may have.
    #[error(transparent)]
    Name(#[from] BadName),
    /// A path that no file of a skill is written at.
    #[error(transparent)]
    Path(#[from] BadPath),
    /// A file that may not be written.
    #[error("`{path}` is not written: {why}")]
    Content {
        /// Its path in the skill.
        path: String,
        /// What is wrong with it.
        why: BadContent,
    },
    /// A patch that can't be made.
    #[error("`{path}` is not patched: {why}")]
    Patch {
        /// The file's path in the skill.
        path: String,
        /// Why.
        why: BadPatch,
    },
    /// A patch of what is no text.
    #[error("`{0}` is no text in UTF-8, and can only be replaced whole")]
    NoText(String),
    /// No file, no folder.
    #[error("there is no `{path}`{}", among(.there))]
    Missing {
        /// What was named.
        path: String,
        /// What is there instead.
        there: Vec<String>,
    },
    /// Something is there already.
    #[error("`{0}` is there already")]
    Exists(String),
    /// A skill of that name is known.
    #[error("a skill `{name}` is there already, at `{at}`")]
    NameTaken {
        /// The name.
        name: String,
        /// Where the other one is.
        at: String,
    },
    /// A folder that is no skill's own.
    #[error("`{folder}` can't be {done}: {why}")]
    NoSkillFolder {
        /// The folder, below the root.
        folder: String,
        /// What was to be done, such as `archived`.
        done: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Something on the way is a link, which is never written through.
    #[error("`{0}` is a link or lies behind one, and is not written through")]
    Link(PathBuf),
    /// Nothing would change.
    #[error("nothing would change: what was given is there already")]
    NoChange,
    /// A file is put or removed that an edit before was about.
    #[error("`{0}` is given twice in one change, and the first would be lost")]
    Twice(String),
    /// An agent didn't say which text it read.
    #[error("`{path}` is there, and the hash of what was read of it is missing: it is {now} now")]
    Unread {
        /// The file.
        path: String,
        /// Its hash.
        now: Digest,
    },
    /// The file is not the one that was read.
    #[error("`{path}` was changed since it was read: found {}, expected {}", told(.found), told(.expected))]
    Changed {
        /// The file.
        path: String,
        /// What is there; nothing where there is no file.
        found: Option<Digest>,
        /// What was expected.
        expected: Option<Digest>,
    },
    /// Law `pinned`.
    #[error("`{0}` is pinned, and stays where it is")]
    Pinned(String),
    /// The ledger stands in for one that was lost, and no person has accepted it.
    #[error(
        "`{folder}` is not archived: since {since} the ledger stands in for one that was lost, and what spoke against it may be lost too"
    )]
    Unaccepted {
        /// The folder, below the root.
        folder: String,
        /// Since when.
        since: Instant,
    },
    /// Law `owned`: nobody took the root.
    #[error("the root `{0}` is not owned, and is only read")]
    NotOwned(PathBuf),
    /// Law `owned`: another home did.
    #[error("the root `{root}` is owned by the home `{owner}`, and only read by this one")]
    OwnedElsewhere {
        /// The root.
        root: PathBuf,
        /// The other home.
        owner: PathBuf,
    },
    /// A verb that is a person's alone.
    #[error("only a person may {verb}, and `{}` asked", actor.word())]
    PersonOnly {
        /// What was asked.
        verb: &'static str,
        /// By whom.
        actor: Actor,
    },
    /// A file of ours that says nothing sensible. What it guards stays guarded.
    #[error("`{path}` is damaged: {found}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        found: String,
    },
    /// Somebody else changes something in the root, or in the home.
    #[error("`{place}` is held by {holder}, and was not let go within {seconds} s")]
    Held {
        /// The root, or the home.
        place: PathBuf,
        /// What the lock's file says.
        holder: String,
        /// How long was waited.
        seconds: u64,
    },
    /// A rule forbids it.
    #[error("it is refused by {by}: {reason}")]
    Denied {
        /// Why, in its words.
        reason: OneLine,
        /// Which rule.
        by: By,
    },
    /// It is not made yet: a person decides on it first.
    #[error("it waits for a person as `{}`: {}", .0.id, .0.reason)]
    Waits(Box<Staged>),
    /// Nothing waits, or ever did, by that number.
    #[error("nothing waits as `{0}`")]
    NoSuchPending(PendingId),
    /// It waited once.
    #[error("`{id}` is {} already{}", state.word(), after(note))]
    Ended {
        /// Its number.
        id: PendingId,
        /// What became of it.
        state: PendingState,
        /// A word on that.
        note: String,
    },
    /// What waits doesn't fit what is there.
    #[error("`{id}` doesn't fit any more: {why}")]
    Stale {
        /// Its number.
        id: PendingId,
        /// Why.
        why: Box<ChangeError>,
    },
    /// What waits would do something else than what was shown to who approves it.
    #[error("`{id}` is not what was shown: it is {now} now")]
    OtherThanShown {
        /// Its number.
        id: PendingId,
        /// The hash of what it would do.
        now: Digest,
    },
    /// There is no such change.
    #[error("there is no change {}", .0.0)]
    NoSuchChange(ChangeId),
    /// It was undone.
    #[error("change {} was undone by change {}", .0.0, .1.0)]
    Undone(ChangeId, ChangeId),
    /// It can't be undone.
    #[error("change {} can't be undone: {why}", .id.0)]
    NoWayBack {
        /// The change.
        id: ChangeId,
        /// Why.
        why: String,
    },
    /// What it left is not what is there.
    #[error("undoing change {} would overwrite newer work: {}", .id.0, .newer.join("; "))]
    NewerWork {
        /// The change.
        id: ChangeId,
        /// What is newer.
        newer: Vec<String>,
    },
    /// Nothing of that skill is archived.
    #[error("nothing of the skill `{0}` is archived")]
    NotArchived(SkillId),
    /// The bytes of an object are gone or others.
    #[error("the former bytes {0} are {found} in the store", found = .1)]
    Lost(Digest, &'static str),
    /// The bytes of a change were let go.
    #[error("the bytes of change {} are no longer kept: it was made {at}, and they are kept for {days} days", .id.0)]
    PastRetention {
        /// The change.
        id: ChangeId,
        /// When it was made.
        at: Instant,
        /// How long they are kept.
        days: u32,
    },
    /// Something else came to a path while the change was made.
    #[error("`{path}` is not as it was a moment ago: {found}")]
    InTheWay {
        /// The path, below the root.
        path: String,
        /// What is there.
        found: String,
    },
    /// The change could be neither made nor taken back now. It is finished by the next one.
    #[error("change {} is only begun, and the next command goes on with it: {why}", .id.0)]
    Unfinished {
        /// The change.
        id: ChangeId,
        /// Why.
        why: Box<ChangeError>,
    },
    /// Nothing was ever snapshot here, or all of it went.
    #[error("there are no snapshots")]
    NoSnapshot,
    /// None of that name.
    #[error("there is no snapshot `{id}`")]
    NoSuchSnapshot {
        /// What was named.
        id: String,
        /// Those that are called like it.
        near: Vec<String>,
    },
    /// It was to be made with others, and what stopped them stopped it.
    #[error("it is not made, as others that it belongs with can't be: {0}")]
    WithOthers(String),
    /// The operating system refused.
    #[error("{doing} `{path}` failed: {source}", path = path.display())]
    Io {
        /// What was done.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// Its words.
        source: io::Error,
    },
    /// The ledger refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

fn among(there: &[String]) -> String {
    if there.is_empty() { String::new() } else { format!("; there are {}", there.join(", ")) }
}

fn after(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!(": {note}") }
}

fn told(digest: &Option<Digest>) -> String {
    digest.map_or_else(|| "no file".to_owned(), |digest| digest.to_string())
}

impl ChangeError {
    /// The act law that refused, if one did.
    #[must_use]
    pub fn law(&self) -> Option<&'static str> {
        match self {
            ChangeError::Pinned(_) => Some("pinned"),
            ChangeError::NotOwned(_) | ChangeError::OwnedElsewhere { .. } => Some("owned"),
            _ => None,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            ChangeError::Name(bad) => format!("call it `{}`", bad.near.as_ref()?),
            ChangeError::Content { why, .. } => why.hint(),
            ChangeError::Patch { why, .. } => why.hint().to_owned(),
            ChangeError::NameTaken { name, .. } => format!(
                "change that one: skillkeep write {name}; or make another one beside it with `--shadow`"
            ),
            ChangeError::Twice(_) => "give each file once, or patch it after it was put".to_owned(),
            ChangeError::Unread { path, .. } | ChangeError::Changed { path, .. } => {
                format!("read `{path}` again, and name the hash that comes with it")
            }
            ChangeError::Link(_) => "name the file that it leads to, in its own root".to_owned(),
            ChangeError::Pinned(folder) => format!("skillkeep unpin {folder}"),
            ChangeError::NotOwned(root) => format!("skillkeep init {}", root.display()),
            ChangeError::OwnedElsewhere { owner, .. } => {
                format!("use its home: --home {}", owner.display())
            }
            ChangeError::PersonOnly { .. } => {
                "at a terminal, or with the home's `token` in SKILLKEEP_TOKEN".to_owned()
            }
            ChangeError::Unaccepted { .. } => {
                "a person looks and says so: skillkeep scan --accept-ledger".to_owned()
            }
            ChangeError::PastRetention { .. } => {
                "to keep them longer from now on: `keep-days` under `[store]` in skillkeep.toml"
                    .to_owned()
            }
            ChangeError::Lost(..) => "skillkeep check --ledger".to_owned(),
            ChangeError::Denied { by: By::Policy(title), .. } => {
                let name = title.as_str().split(' ').next().unwrap_or_default();
                format!("see what it lets whom do: skillkeep policy show {name}")
            }
            ChangeError::Denied { .. } => "skillkeep policy list".to_owned(),
            ChangeError::Waits(staged) => format!("skillkeep pending diff {}", staged.id),
            ChangeError::NoSuchPending(_) => "skillkeep pending".to_owned(),
            ChangeError::Ended { .. } => "skillkeep pending --all".to_owned(),
            ChangeError::Stale { id, .. } => {
                format!("skillkeep pending diff {id}; skillkeep pending reject {id}")
            }
            ChangeError::OtherThanShown { id, .. } => format!("skillkeep pending diff {id}"),
            ChangeError::Held { .. } => "try again when it is done".to_owned(),
            ChangeError::Undone(_, by) => format!("skillkeep undo {}", by.0),
            ChangeError::NewerWork { .. } => {
                "skillkeep log; undo the newer changes first".to_owned()
            }
            ChangeError::NoSuchChange(_) => "skillkeep log".to_owned(),
            ChangeError::NoSnapshot => "to make one: skillkeep curator backup".to_owned(),
            ChangeError::NoSuchSnapshot { near, .. } if !near.is_empty() => {
                format!(
                    "did you mean {}?",
                    near.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
                )
            }
            ChangeError::NoSuchSnapshot { .. } => {
                "to see all: skillkeep curator rollback --list".to_owned()
            }
            ChangeError::Ledger(error) => error.hint()?,
            ChangeError::Unfinished { why, .. } => why.hint()?,
            ChangeError::Io { path, source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    format!("make room: df -h {}", path.display())
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    format!("see who may write there: ls -ld {}", path.display())
                }
                io::ErrorKind::CrossesDevices => {
                    "keep all of a root on one file system: mount nothing below it".to_owned()
                }
                _ => return None,
            },
            _ => return None,
        })
    }
}
