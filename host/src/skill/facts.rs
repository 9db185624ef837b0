//! What one SKILL.md says, as the one parser read it.

use serde::{Deserialize, Serialize};

use super::{Diagnostic, Gates, OneLine};

/// How the header was read. Later tiers are tried only where the earlier ones fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// As YAML, without a change.
    Strict,
    /// Line by line, since it is not YAML.
    Lenient,
    /// Not at all: there is no header, and the folder gives the name.
    Folder,
}

impl Tier {
    /// The word for people and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Tier::Strict => "strict",
            Tier::Lenient => "lenient",
            Tier::Folder => "folder",
        }
    }
}

/// What one SKILL.md says. It depends on the file's bytes alone, so that it can be cached by the file's identity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// How the header was read.
    pub tier: Tier,
    /// The header's `name`, if it gives one.
    pub name: Option<OneLine>,
    /// The header's `description`, made one line; absent where it is missing or blank.
    pub description: Option<OneLine>,
    /// The header's `when_to_use`, which some agents print after the description.
    pub when_to_use: Option<OneLine>,
    /// The first sentence of the body that is no heading: what a skill without a description is shown with.
    pub opening: Option<OneLine>,
    /// The header's `category` (or `metadata.category`), used where the folders give none.
    pub category: Option<OneLine>,
    /// The header's `tags`.
    pub tags: Vec<OneLine>,
    /// The header's `version`, as it is written.
    pub version: Option<OneLine>,
    /// What must hold for the skill to be offered.
    pub gates: Gates,
    /// Tools that the header asks to have allowed: a list, or one text with spaces between them.
    pub allowed_tools: Vec<OneLine>,
    /// Header keys that mean nothing to this program; they are left as they are.
    pub unknown_keys: Vec<OneLine>,
    /// What was wrong, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Bytes of the whole file.
    pub bytes: u64,
    /// Unicode scalars of the body.
    pub body_chars: u64,
}

impl Facts {
    /// What a file says that says nothing: one that is no text, or that can't be read. The folder gives the name.
    #[must_use]
    pub fn silent(bytes: u64, diagnostics: Vec<Diagnostic>) -> Facts {
        Facts {
            tier: Tier::Folder,
            name: None,
            description: None,
            when_to_use: None,
            opening: None,
            category: None,
            tags: Vec::new(),
            version: None,
            gates: Gates::default(),
            allowed_tools: Vec::new(),
            unknown_keys: Vec::new(),
            diagnostics,
            bytes,
            body_chars: 0,
        }
    }
}

/// Whether a row of the library is a candidate for the index, or why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A candidate.
    Live,
    /// A root of higher precedence has this name already; the number is that skill's row.
    Shadowed {
        /// Row of the skill that wins.
        by: usize,
    },
    /// The same category of the same root has this name already.
    Duplicate {
        /// Row of the skill that wins.
        of: usize,
    },
    /// A file in a support folder of another skill, which is never a candidate.
    Support {
        /// Row of the skill that the folder belongs to.
        inside: usize,
    },
    /// Nothing readable is there: a dangling link, no permission, no regular file, too large.
    Broken,
}

impl Standing {
    /// Its word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Standing::Live => "live",
            Standing::Shadowed { .. } => "shadowed",
            Standing::Duplicate { .. } => "duplicate",
            Standing::Support { .. } => "support",
            Standing::Broken => "broken",
        }
    }
}
