//! What can be set, and what a proposal may give as its reason. No rule belongs here.

use skillkeep_policy::facts::Value;
use skillkeep_policy::settings::{Scalar, texts};
use skillkeep_policy::{Decay, Keyed, Problem};

/// What becomes of a session of which tools are known, none of which is linked to a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlinked {
    /// Nothing is demoted: names that the tables don't know say nothing about the session.
    Show,
    /// As if the session had no tools, which is what Progressive Skill does.
    Demote,
}

impl Scalar for Unlinked {
    fn to_value(&self) -> Value {
        match self {
            Self::Show => "show".into(),
            Self::Demote => "demote".into(),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text == "show" => Ok(Self::Show),
            Value::Text(text) if text == "demote" => Ok(Self::Demote),
            _ => Err("`show` or `demote`".to_owned()),
        }
    }
}

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// The categories that a toolset has a use for, by the first segment of their path.
        pub links: Keyed<Vec<String>> = Keyed::from([
            ("terminal", &["software-development", "devops", "github", "hermes"][..]),
            ("file", &["software-development", "hermes"]),
            ("web", &["research", "hermes"]),
            ("browser", &["research", "computer-use"]),
            ("skills", &["hermes"]),
            ("memory", &["note-taking"]),
        ]),
        /// The toolset that a tool belongs to.
        pub tool_toolsets: Keyed<String> = Keyed::from([
            ("terminal", "terminal"),
            ("process", "terminal"),
            ("read_file", "file"),
            ("write_file", "file"),
            ("patch", "file"),
            ("search_files", "file"),
            ("web_search", "web"),
            ("web_extract", "web"),
            ("firecrawl", "web"),
            ("browser_navigate", "browser"),
            ("browser_click", "browser"),
            ("browser_snapshot", "browser"),
            ("computer_use", "browser"),
            ("skill_view", "skills"),
            ("skills_list", "skills"),
            ("skill_manage", "skills"),
            ("memory", "memory"),
            ("session_search", "memory"),
        ]),
        /// Categories that are never demoted, by the first segment of their path.
        pub always_relevant: Vec<String> = texts(["general", "hermes", "software-development"]),
        /// What becomes of the categories where tools are known and none is linked to any: `show` or `demote`.
        pub unlinked: Unlinked = Unlinked::Show,
        /// The score of one skill that shows its category in full.
        pub promote_score: f64 = 2.0 => 0.0..=1e9,
        /// The score of one skill that keeps a category in full which the previous index showed in full.
        pub keep_score: f64 = 1.5 => 0.0..=1e9,
        /// A skill used within so many days counts with all its uses, undecayed.
        pub fresh_days: f64 = 2.0 => 0.0..=36500.0,
        /// The period of the decay.
        pub decay_days: f64 = 30.0 => 0.001..=36500.0,
        /// What is left after one period: `e-folding` (0.368) or `half-life` (0.5).
        pub decay: Decay = Decay::EFolding,
    }
    check thresholds_in_order;
}

fn thresholds_in_order(settings: &Settings) -> Option<Problem> {
    let Settings { promote_score, keep_score, .. } = settings;
    (keep_score > promote_score)
        .then(|| Problem::new("keep-score", "expected no more than `promote-score`"))
}

skillkeep_policy::reasons! {
    /// Why a category is demoted.
    pub enum Reason {
        Unlinked { category: String } = "no toolset of the session is linked to `{0}`",
        NoTools { category: String } = "the session has no tools that `{0}` could be for",
    }
}
