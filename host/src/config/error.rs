//! What can be wrong with what the user set up. Each message says what was found and what was expected; what to do
//! about it is the hint.

use std::{io, path::PathBuf};

use crate::skill::OneLine;

/// Why the program can't tell how it is set up.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A relative path, and the working folder is gone.
    #[error("`{path}` is relative, and the working folder can't be told")]
    NoWorkingFolder {
        /// The relative path.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The home is no folder.
    #[error("the home `{path}` is no folder")]
    HomeIsNoFolder {
        /// Where it should be.
        path: PathBuf,
    },
    /// The file is there and can't be read.
    #[error("`{file}` can't be read")]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is no UTF-8.
    #[error("`{file}` is no UTF-8 text")]
    NotText {
        /// The file.
        file: PathBuf,
    },
    /// The file is no TOML.
    #[error("`{file}`, line {line}: {message}")]
    NotToml {
        /// The file.
        file: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The parser's words.
        message: OneLine,
    },
    /// A value is of another kind, or out of its bounds.
    #[error("`{file}`, line {line}: `{key}` is {found}, and {expected} was expected")]
    Wrong {
        /// The file.
        file: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The whole key, with dots.
        key: OneLine,
        /// What is there.
        found: OneLine,
        /// What should be.
        expected: &'static str,
    },
}

impl ConfigError {
    /// What to do about it, where one thing is likely.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ConfigError::HomeIsNoFolder { .. } => {
                Some("name a folder with `--home PATH` or `SKILLKEEP_HOME`")
            }
            ConfigError::NoWorkingFolder { .. } => Some("give an absolute path"),
            ConfigError::Unreadable { .. } => {
                Some("check who may read it, or name another `--home`")
            }
            ConfigError::NotText { .. } => Some("save it as UTF-8"),
            ConfigError::NotToml { .. } | ConfigError::Wrong { .. } => None,
        }
    }
}

/// A key that means nothing here. It is said, and changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigWarning {
    /// The file.
    pub file: PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// The whole key, with dots.
    pub key: OneLine,
    /// The key that was meant, perhaps.
    pub near: Option<&'static str>,
}

impl std::fmt::Display for ConfigWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ConfigWarning { file, line, key, near } = self;
        write!(f, "`{}`, line {line}: `{key}` means nothing", file.display())?;
        match near {
            Some(near) => write!(f, "; is `{near}` meant?"),
            None => Ok(()),
        }
    }
}

/// Why a folder that the user named can't be a root.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// Nothing is there, or it may not be looked at.
    #[error("the root `{path}` can't be found")]
    Missing {
        /// As it was looked for.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something else is there.
    #[error("the root `{path}` is a file, and a folder of skills was expected")]
    NoFolder {
        /// As it was looked for.
        path: PathBuf,
    },
}

impl RootError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            RootError::Missing { .. } => {
                "name a folder that holds skills, or leave `--root` out to see what is found"
                    .to_owned()
            }
            RootError::NoFolder { path } => match path.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => {
                    format!("skillkeep index --root {}", parent.display())
                }
                _ => "name the folder that holds it".to_owned(),
            },
        }
    }
}
