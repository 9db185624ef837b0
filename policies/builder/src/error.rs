//! What can go wrong on the way to a component, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// A component can't be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No compiler has the target.
    #[error("found no Rust compiler with a standard library for `wasm32-unknown-unknown`{}", .named.as_ref().map_or(String::new(), |named| format!(" (`{}`, which SKILLKEEP_WASM_RUSTC names, has none)", named.display())))]
    NoToolchain {
        /// The one that the environment names, if it does.
        named: Option<PathBuf>,
    },
    /// The folder holds no crate.
    #[error("found no `Cargo.toml` in `{0}`, expected the folder of a policy's crate")]
    NoCrate(PathBuf),
    /// The crate is no policy's.
    #[error("`{path}`: {what}")]
    BadCrate {
        /// Its manifest.
        path: PathBuf,
        /// What was found and what was expected.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// The compiler refused it.
    #[error("the crate does not build: cargo ended with {0}")]
    Compile(String),
    /// The machine has no linker for what runs while a crate is built.
    #[error(
        "the crate does not build: found no linker `cc`, which cargo needs for macros and build scripts"
    )]
    NoLinker,
    /// The module can't be made a component.
    #[error("the module can't be made a component: {0}")]
    Wrap(String),
    /// The component is for no world.
    #[error("the component exports {0}, expected `policy` and one slot of skillkeep:policy@0.1.0")]
    NoWorld(String),
    /// The component imports something.
    #[error("the component imports {0}, and a policy may import nothing")]
    Imports(String),
    /// A path of this machine stands in it.
    #[error("the component carries a path of this machine: `{0}`")]
    Path(String),
    /// A file or program failed.
    #[error("can't {what} `{path}`: {reason}")]
    Io {
        /// What was to be done.
        what: &'static str,
        /// With what.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
}

impl BuildError {
    pub(crate) fn io(what: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io { what, path: path.to_owned(), reason: error.to_string() }
    }

    /// What to do about it.
    #[must_use]
    pub fn hints(&self) -> Vec<&'static str> {
        match self {
            Self::NoToolchain { .. } => vec![
                "rustup target add wasm32-unknown-unknown",
                "without rustup, SKILLKEEP_WASM_CARGO and SKILLKEEP_WASM_RUSTC name a cargo and a rustc that have it; \
                 a checkout's .ci/wasm-toolchain sets up Debian's",
            ],
            Self::NoCrate(_) => {
                vec!["`skillkeep policy new NAME --slot SLOT` makes one"]
            }
            Self::BadCrate { hint, .. } => vec![hint],
            Self::NoWorld(_) => {
                vec![
                    "end the crate's lib.rs with one export macro, such as `skillkeep_policy::export_budget!(MyPolicy);`",
                ]
            }
            Self::Imports(_) => {
                vec![
                    "a policy is a pure function: leave out the crates that ask for a clock, randomness or the page",
                ]
            }
            Self::Compile(_) => vec!["`cargo test` in the crate says the same, and quicker"],
            Self::NoLinker => vec![
                "install one: `apt-get install gcc libc6-dev` on Debian, `dnf install gcc` on Fedora, `xcode-select --install` on macOS",
            ],
            Self::Wrap(_) => vec![
                "the crate and the SDK must be of the same release; see `skillkeep-policy` in Cargo.toml",
            ],
            Self::Path(_) => vec!["leave out `env!(\"CARGO_MANIFEST_DIR\")` and the like"],
            Self::Io { .. } => Vec::new(),
        }
    }

    /// Whether the author's crate is at fault, and not the machine.
    #[must_use]
    pub fn is_the_crates(&self) -> bool {
        !matches!(
            self,
            Self::NoToolchain { .. } | Self::NoLinker | Self::Io { .. } | Self::NoCrate(_)
        )
    }
}
