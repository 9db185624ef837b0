//! What a limit is counted in.

use serde::{Deserialize, Serialize};

/// The unit of a limit and of every price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Tokens of `o200k_base`.
    #[default]
    Tokens,
    /// Unicode scalars.
    Chars,
}

impl Unit {
    /// The unit that a word means: `tokens` or `chars`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Unit> {
        [Unit::Tokens, Unit::Chars].into_iter().find(|unit| unit.word() == word)
    }

    /// The word for people, for flags and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Unit::Tokens => "tokens",
            Unit::Chars => "chars",
        }
    }

    /// The limit where nobody says one: 2,000 tokens, or as many characters as English has in them.
    #[must_use]
    pub fn default_limit(self) -> u32 {
        match self {
            Unit::Tokens => 2_000,
            Unit::Chars => 5_440,
        }
    }
}
