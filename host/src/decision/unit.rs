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
    /// Bytes of UTF-8.
    Bytes,
}

impl Unit {
    /// The unit that a word means: `tokens`, `chars` or `bytes`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Unit> {
        [Unit::Tokens, Unit::Chars, Unit::Bytes].into_iter().find(|unit| unit.word() == word)
    }

    /// The word for people, for flags and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Unit::Tokens => "tokens",
            Unit::Chars => "chars",
            Unit::Bytes => "bytes",
        }
    }

    /// The limit where nobody says one: 2,000 tokens, or as many characters, and so bytes, as English has in them.
    #[must_use]
    pub fn default_limit(self) -> u32 {
        match self {
            Unit::Tokens => 2_000,
            Unit::Chars | Unit::Bytes => 5_440,
        }
    }
}
