//! What a command says when it can't do what was asked, and the exit status that goes with it.

use crate::{
    change::{ChangeError, patch::BadPatch},
    config::{ConfigError, NowError, RootError},
    decision::Slot,
    ledger::LedgerError,
    policy::{EngineError, LoadError},
    record::RecordError,
};

/// The kind of an error; each has an exit status of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something was looked for and not found, or looked at and not good: 1.
    Finding,
    /// The arguments or the settings are wrong: 2.
    Usage,
    /// The machine or the program failed: 3.
    Fault,
}

impl Kind {
    /// The exit status.
    #[must_use]
    pub fn status(self) -> u8 {
        match self {
            Kind::Finding => 1,
            Kind::Usage => 2,
            Kind::Fault => 3,
        }
    }
}

/// An error with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// Its kind.
    pub kind: Kind,
    /// What was found and what was expected, in one line.
    pub message: String,
    /// What to do, each a line; best a command to run.
    pub hints: Vec<String>,
}

impl CommandError {
    /// An error without a hint.
    pub fn new(kind: Kind, message: impl Into<String>) -> CommandError {
        CommandError { kind, message: message.into(), hints: Vec::new() }
    }

    /// The same with one more hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> CommandError {
        self.hints.push(hint.into());
        self
    }

    /// The same with a hint, if there is one.
    #[must_use]
    pub fn maybe_hint(self, hint: Option<impl Into<String>>) -> CommandError {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }
}

impl CommandError {
    /// Why a policy does not load that was named for that slot.
    #[must_use]
    pub fn in_slot(error: LoadError, slot: Slot) -> CommandError {
        let hints = error.hint_in(slot).into_iter().collect();
        CommandError { hints, ..CommandError::from(error) }
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> CommandError {
        let hint = error.hint();
        CommandError::new(Kind::Usage, error.to_string()).maybe_hint(hint)
    }
}

impl From<RootError> for CommandError {
    fn from(error: RootError) -> CommandError {
        let hint = error.hint();
        CommandError::new(Kind::Usage, error.to_string()).hint(hint)
    }
}

impl From<NowError> for CommandError {
    fn from(error: NowError) -> CommandError {
        let hint = error.hint();
        CommandError::new(Kind::Usage, error.to_string()).hint(hint)
    }
}

impl From<EngineError> for CommandError {
    fn from(error: EngineError) -> CommandError {
        CommandError::new(Kind::Fault, error.to_string())
    }
}

impl From<LoadError> for CommandError {
    fn from(error: LoadError) -> CommandError {
        let hint = error.hint();
        let kind = match error {
            LoadError::Unreadable { .. }
            | LoadError::Unknown { .. }
            | LoadError::Settings { .. } => Kind::Usage,
            _ => Kind::Finding,
        };
        CommandError::new(kind, error.to_string()).maybe_hint(hint)
    }
}

impl From<RecordError> for CommandError {
    fn from(error: RecordError) -> CommandError {
        match error {
            RecordError::Ledger(error) => error.into(),
            RecordError::Io { .. } => CommandError::new(Kind::Fault, error.to_string()),
            RecordError::Gone(_) | RecordError::Damaged { .. } | RecordError::Form { .. } => {
                CommandError::new(Kind::Finding, error.to_string())
            }
        }
    }
}

impl From<LedgerError> for CommandError {
    fn from(error: LedgerError) -> CommandError {
        let hint = error.hint();
        CommandError::new(Kind::Fault, error.to_string()).maybe_hint(hint)
    }
}

impl From<ChangeError> for CommandError {
    fn from(error: ChangeError) -> CommandError {
        let hint = error.hint();
        let kind = match error {
            ChangeError::Name(_)
            | ChangeError::Path(_)
            | ChangeError::Twice(_)
            | ChangeError::NoSuchChange(_)
            | ChangeError::Patch { why: BadPatch::Missing | BadPatch::NoNew, .. } => Kind::Usage,
            ChangeError::Io { .. } | ChangeError::Ledger(_) | ChangeError::Unfinished { .. } => {
                Kind::Fault
            }
            _ => Kind::Finding,
        };
        CommandError::new(kind, error.to_string()).maybe_hint(hint)
    }
}
