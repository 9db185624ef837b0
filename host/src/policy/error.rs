//! What goes wrong with a policy: before it is asked (a [`LoadError`]) and while it answers (a [`Fault`]).
//!
//! Every message says what was found and what was expected; what to do next is apart, in `hint`.

use crate::{
    decision::{Reasoned, Resource, Slot},
    skill::{OneLine, nearest},
};

use super::{
    BUILTINS, CONTRACT, CONTRACT_VERSION, limits::MAX_COMPONENT_BYTES, settings::SettingProblem,
    withheld::Withheld,
};

/// A component can't be used. The steps come in this order, and each has its own error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LoadError {
    /// The file can't be read.
    #[error("can't read `{path}`: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The system's words.
        reason: String,
    },
    /// The name belongs to no policy that comes with the host, and no file is there.
    #[error("no policy is called `{name}`, and no file of that name is there")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The name that is nearest, if one is near.
        near: Option<String>,
    },
    /// It could be loaded, and must not be.
    #[error(transparent)]
    Withheld(#[from] Withheld),
    /// The file is too large.
    #[error("the file has {bytes} bytes; a component may have {MAX_COMPONENT_BYTES}")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// The file is no wasm at all.
    #[error("found {found}, expected a WebAssembly component")]
    NotWasm {
        /// What it looks like.
        found: String,
    },
    /// The file is a core module.
    #[error("found a core module, expected a component")]
    CoreModule,
    /// The bytes end early or make no sense.
    #[error("the component is damaged at byte {offset} of {bytes}: {reason}")]
    Damaged {
        /// Where.
        offset: u64,
        /// Size of the file.
        bytes: u64,
        /// What the parser says.
        reason: OneLine,
    },
    /// It is put together from more components than a policy ever is.
    #[error("the component has more than {most} {what} within it")]
    TooManyParts {
        /// How many it may have.
        most: usize,
        /// Of what.
        what: &'static str,
    },
    /// It imports something; a policy may import nothing.
    #[error("the component imports {}, and a policy may import nothing", list(.imports))]
    Imports {
        /// What it imports.
        imports: Vec<String>,
        /// Whether it is WASI that it imports.
        wasi: bool,
    },
    /// It exports this contract in another version.
    #[error("the component is built for {CONTRACT}@{found}, this host speaks {}", version())]
    OtherVersion {
        /// The version it is built for.
        found: String,
        /// Whether that is the newer one.
        newer: bool,
    },
    /// It exports nothing of the contract, or not all of a world.
    #[error("the component exports {}; a policy exports `{CONTRACT}/policy@{}` and a decision beside it", list_or_nothing(.exports), version())]
    NoWorld {
        /// What it exports.
        exports: Vec<String>,
    },
    /// It answers another question than it was given for.
    #[error("the component decides {}, and it was given for `{wanted}`", slots(.found))]
    OtherSlot {
        /// The slot it was given for.
        wanted: Slot,
        /// The slots it has.
        found: Vec<Slot>,
    },
    /// The compiler refused it.
    #[error("the component doesn't compile: {reason}")]
    Compile {
        /// What the compiler says.
        reason: OneLine,
    },
    /// The compiler used too much.
    #[error("compiling the component was stopped: {reason}")]
    CompileStopped {
        /// What it used too much of.
        reason: String,
    },
    /// The machine doesn't give what every policy needs.
    #[error("this machine can't run it: {reason}")]
    Machine {
        /// What it doesn't give.
        reason: String,
    },
    /// Names are right, types are not.
    #[error("`{interface}` of the component has other types than the contract's: {reason}")]
    OtherTypes {
        /// The interface.
        interface: String,
        /// What the engine says.
        reason: OneLine,
    },
    /// It failed before its first call.
    #[error("the component fails when it is instantiated: {0}")]
    Instantiate(Fault),
    /// It failed to say what it is.
    #[error("`describe` fails: {0}")]
    Describe(Fault),
    /// What it says of itself can't be.
    #[error("what `describe` says of itself can't be: {reason}")]
    BadInfo {
        /// What is wrong.
        reason: String,
    },
    /// It needs facts that this host doesn't know.
    #[error("the policy needs {}, which this host doesn't tell", list(.keys))]
    NeedsUnknown {
        /// The keys.
        keys: Vec<String>,
    },
    /// It failed to judge its settings.
    #[error("`check-settings` fails: {0}")]
    CheckSettings(Fault),
    /// Settings are wrong.
    #[error("{}", list_problems(.problems))]
    Settings {
        /// The policy, as `policy show` takes it.
        policy: String,
        /// What is wrong with each.
        problems: Vec<SettingProblem>,
    },
}

impl LoadError {
    /// That no policy of the host has that name.
    #[must_use]
    pub fn unknown(name: &str) -> LoadError {
        let near = nearest(name, BUILTINS.iter().map(|builtin| builtin.name)).map(str::to_owned);
        LoadError::Unknown { name: name.to_owned(), near }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            LoadError::Unreadable { .. } => "name a component's file, or a policy of `skillkeep policy list`".to_owned(),
            LoadError::Unknown { near, .. } => match near {
                Some(name) => format!("did you mean `{name}`? `skillkeep policy list` shows all"),
                None => "`skillkeep policy list` shows the policies that come with the host".to_owned(),
            },
            LoadError::Withheld(why) => why.hint(),
            LoadError::TooLarge { .. } => {
                "a policy in Rust has less than 100 kB; build it with `opt-level = \"s\"` and strip it".to_owned()
            }
            LoadError::NotWasm { .. } | LoadError::CoreModule | LoadError::TooManyParts { .. } => {
                "build for `wasm32-unknown-unknown` and wrap the module with wit-component's encoder".to_owned()
            }
            LoadError::Damaged { .. } => "copy or build the file again, and move it into place whole".to_owned(),
            LoadError::Imports { wasi: true, .. } => {
                "build for `wasm32-unknown-unknown`: WASI targets import clocks and files even where a policy uses none"
                    .to_owned()
            }
            LoadError::Imports { wasi: false, .. } => {
                "a policy is a pure function of its request: take what it needs from columns and facts".to_owned()
            }
            LoadError::OtherVersion { newer: true, .. } => "upgrade the host, or take an older release of the policy".to_owned(),
            LoadError::OtherVersion { newer: false, .. } => {
                format!("build the policy again with the SDK for {}", version())
            }
            LoadError::NoWorld { .. } => "the SDK's export macros export what a world needs".to_owned(),
            LoadError::OtherSlot { found, .. } => match found.first() {
                Some(slot) => format!("give it as `--policy {slot}=FILE`"),
                None => return None,
            },
            LoadError::OtherTypes { .. } => {
                format!("build the policy with the WIT of {CONTRACT}@{}, unchanged", version())
            }
            LoadError::NeedsUnknown { .. } => {
                "the keys are those of `dictionary.toml`; use `wants` for what a policy can do without".to_owned()
            }
            LoadError::Settings { policy, problems } => return problems.first().map(|it| it.hint(policy)),
            LoadError::Machine { .. } => {
                "the policy is not at fault: `ulimit -v unlimited` lifts a limit of addresses".to_owned()
            }
            LoadError::Compile { .. }
            | LoadError::CompileStopped { .. }
            | LoadError::Instantiate(_)
            | LoadError::Describe(_)
            | LoadError::BadInfo { .. }
            | LoadError::CheckSettings(_) => {
                "`skillkeep policy show FILE` tells how far it gets; its author can mend it".to_owned()
            }
        })
    }

    /// What to do about it where it was given for that slot: a limit that it ran into is the slot's.
    #[must_use]
    pub fn hint_in(&self, slot: Slot) -> Option<String> {
        let of_limit = match self {
            LoadError::Instantiate(fault)
            | LoadError::Describe(fault)
            | LoadError::CheckSettings(fault) => fault.hint(slot),
            _ => None,
        };
        of_limit.or_else(|| self.hint())
    }

    /// Whether the user typed what is wrong, on this very command line: no policy's failure, but wrong usage.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        matches!(self, LoadError::Settings { problems, .. } if problems.iter().any(SettingProblem::is_typed))
    }

    /// The word for JSON.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            LoadError::Unreadable { .. } => "unreadable",
            LoadError::Unknown { .. } => "unknown",
            LoadError::Withheld(why) => why.code(),
            LoadError::TooLarge { .. } => "too-large",
            LoadError::NotWasm { .. } => "not-wasm",
            LoadError::CoreModule => "core-module",
            LoadError::Damaged { .. } => "damaged",
            LoadError::TooManyParts { .. } => "too-many-parts",
            LoadError::Imports { .. } => "imports",
            LoadError::OtherVersion { .. } => "other-version",
            LoadError::NoWorld { .. } => "no-world",
            LoadError::OtherSlot { .. } => "other-slot",
            LoadError::Compile { .. } => "compile",
            LoadError::CompileStopped { .. } => "compile-stopped",
            LoadError::Machine { .. } => "machine",
            LoadError::OtherTypes { .. } => "other-types",
            LoadError::Instantiate(_) => "instantiate",
            LoadError::Describe(_) => "describe",
            LoadError::BadInfo { .. } => "bad-info",
            LoadError::NeedsUnknown { .. } => "needs-unknown",
            LoadError::CheckSettings(_) => "check-settings",
            LoadError::Settings { .. } => "settings",
        }
    }
}

/// A policy did what no policy may. A considered no is not among these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It worked longer than it may, by the count that is the same everywhere.
    #[error("it used up its fuel ({limit})")]
    Fuel {
        /// Units of fuel.
        limit: u64,
    },
    /// It worked longer than it may, by the clock.
    #[error("it was not done after {limit} ms")]
    Deadline {
        /// Milliseconds.
        limit: u64,
    },
    /// It asked for more memory than it may have.
    #[error("it asked for {asked} bytes of memory and may have {limit}")]
    Memory {
        /// Bytes it asked for, all in all.
        asked: usize,
        /// Bytes.
        limit: usize,
    },
    /// It asked for a larger table than it may have.
    #[error("it asked for a table of {asked} elements and may have {limit}")]
    Table {
        /// Elements it asked for.
        asked: usize,
        /// Elements.
        limit: usize,
    },
    /// It called itself too deeply.
    #[error("it used up its stack ({limit} bytes)")]
    Stack {
        /// Bytes.
        limit: usize,
    },
    /// It returned more than it may.
    #[error("it returned more than {limit} bytes")]
    Copied {
        /// Bytes.
        limit: usize,
    },
    /// It trapped.
    #[error("it trapped: {0}")]
    Trap(OneLine),
    /// What it returned is no value of the contract, or it gave arguments no place in its memory.
    #[error("what it returned can't be used: {0}")]
    Invalid(OneLine),
    /// It is made of more instances, memories or tables than it may have.
    #[error("it can't be put together: {0}")]
    Parts(OneLine),
    /// The host could not run it.
    #[error("it could not be run: {0}")]
    Host(OneLine),
}

impl Fault {
    /// What it used up, where it ran into a limit that the settings can move.
    #[must_use]
    pub fn used_up(&self) -> Option<Resource> {
        match self {
            Fault::Fuel { .. } => Some(Resource::Fuel),
            Fault::Deadline { .. } => Some(Resource::Time),
            Fault::Memory { .. } => Some(Resource::Memory),
            Fault::Table { .. } => Some(Resource::Table),
            Fault::Copied { .. } => Some(Resource::Copied),
            Fault::Stack { .. }
            | Fault::Trap(_)
            | Fault::Invalid(_)
            | Fault::Parts(_)
            | Fault::Host(_) => None,
        }
    }

    /// What to do about it: the key of the limit that it ran into.
    #[must_use]
    pub fn hint(&self, slot: Slot) -> Option<String> {
        self.used_up().map(|of| wider(of, slot))
    }
}

/// The key that makes a limit of a slot wider.
#[must_use]
pub fn wider(of: Resource, slot: Slot) -> String {
    let (word, most) = (of.word(), of.most());
    format!(
        "`{word}` under `[slots.{slot}.limits]` in skillkeep.toml is how many times the usual it may have, up to {most}"
    )
}

/// How a policy's answer came out, before laws have looked at it.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<T> {
    /// It answered.
    Answer(T),
    /// It said no, with its reason.
    Refused(Reasoned),
    /// It did what no policy may.
    Faulted(Fault),
}

fn version() -> String {
    let (major, minor, patch) = CONTRACT_VERSION;
    format!("{major}.{minor}.{patch}")
}

fn list(words: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut text =
        words.iter().take(SHOWN).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    if words.len() > SHOWN {
        text.push_str(&format!(" and {} more", words.len() - SHOWN));
    }
    text
}

fn list_or_nothing(words: &[String]) -> String {
    if words.is_empty() { "nothing".to_owned() } else { list(words) }
}

fn slots(slots: &[Slot]) -> String {
    slots.iter().map(|slot| format!("`{slot}`")).collect::<Vec<_>>().join(" and ")
}

/// The first few: a policy may find as many as it likes, and a person reads one line.
fn list_problems(problems: &[SettingProblem]) -> String {
    const SHOWN: usize = 4;
    let mut text =
        problems.iter().take(SHOWN).map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if problems.len() > SHOWN {
        text.push_str(&format!("; and {} more", problems.len() - SHOWN));
    }
    text
}
