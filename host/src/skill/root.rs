//! Where skills come from.

use std::path::PathBuf;

use super::OneLine;

/// A folder that skills are looked for in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Where it is; it may be a link.
    pub path: PathBuf,
    /// Whose it is, for people, such as `hermes` or `claude plugin pdf-tools`.
    pub label: OneLine,
    /// The category of its flat skills, such as the plugin's name.
    pub category: Option<OneLine>,
}
