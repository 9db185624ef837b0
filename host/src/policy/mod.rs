//! Policies: components in a sandbox, from their bytes to an answer.
//!
//! *Invariant*: what leaves this room is plain data of `decision`, with every text made one line. The generated types
//! of the contract are seen by `contract` alone. Nothing here looks at what an answer proposes; that is `laws`.

mod artefact;
mod builtin;
mod clock;
mod compile;
mod contract;
mod engine;
mod error;
mod info;
mod inspect;
mod isolate;
mod limits;
mod loaded;
mod room;
mod settings;
mod threads;
mod withheld;

pub use builtin::{BUILTINS, Builtin};
pub use contract::Used;
pub use engine::{Engine, EngineError};
pub use error::{Fault, LoadError, Outcome, wider};
pub use info::{Info, Parameter};
pub use inspect::{Import, Inspection, digest, inspect};
pub use isolate::{ISOLATED_COMPILE, compile_isolated_main};
pub use limits::{Limits, MAX_COMPONENT_BYTES};
pub use loaded::{Call, Loaded, Source, Tried};
pub use settings::{Assignment, SettingProblem, parameters_hint};
pub use threads::begin_roomy_thread;
pub use withheld::Withheld;

/// The contract that this host speaks.
pub const CONTRACT: &str = "skillkeep:policy";
/// Its version.
pub const CONTRACT_VERSION: (u64, u64, u64) = (0, 1, 0);
