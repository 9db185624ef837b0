//! The agents whose indexes can be shown, one entry each: whose rule decides, in what layout, by what texts, and which skills
//! the agent takes. Their figures and sources stand with their policies; what an agent does beside choosing forms stands here.
//!
//! Sources: Claude Code's documentation and its program 2.1.268; openai/codex, `core-skills` at 0899b7c (`render.rs`) and
//! 033d1d0 (`loader.rs`); openclaw/openclaw at 1d6db6e (`skill-prompt-limits.ts`); hermes-agent 0.19.0; freehul/progressive-skill
//! 3.1.0.

use super::{
    layout::{CLAUDE_CODE, CODEX, HERMES, Layout, OPENCLAW, PROGRESSIVE},
    text::{beginning, full_text},
};
use crate::{
    decision::Unit,
    skill::{Facts, OneLine, Skill},
};

/// An agent that has an index of its own.
#[derive(Debug)]
pub struct Agent {
    /// What `--as` calls it.
    pub word: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The policy that stands for its rule, in the budget slot.
    pub budget: &'static str,
    /// The one in the demotion slot, with settings where they are not the defaults; none where nothing is demoted but what
    /// the user says.
    pub demotion: Option<(&'static str, &'static [(&'static str, &'static str)])>,
    /// How it prints the list.
    pub layout: &'static dyn Layout,
    /// What its limits count.
    pub unit: Unit,
    /// What the list may cost where the rule itself doesn't say.
    pub limit: Option<u32>,
    /// Whether the rule depends on the size of the model's context window.
    pub has_window: bool,
    /// Codes of the gates that it has.
    pub gates: &'static [&'static str],
    /// What it prints of a skill behind the name.
    pub text: fn(&Facts) -> String,
    /// Why it doesn't load a skill at all, if it doesn't.
    pub refuses: fn(&Skill) -> Option<String>,
}

impl PartialEq for Agent {
    fn eq(&self, other: &Agent) -> bool {
        self.word == other.word
    }
}

/// Gates that Hermes has, and so whatever works on its index.
const GATES_OF_HERMES: &[&str] = &[
    "disabled",
    "platform",
    "environment",
    "requires-toolsets",
    "requires-tools",
    "fallback-for-toolsets",
    "fallback-for-tools",
];

/// All of them.
pub static AGENTS: [Agent; 5] = [
    Agent {
        word: "claude-code",
        title: "Claude Code",
        budget: "budget-claude-code",
        demotion: None,
        layout: &CLAUDE_CODE,
        unit: Unit::Chars,
        limit: None,
        has_window: true,
        gates: &["manual"],
        text: full_text,
        refuses: |_| None,
    },
    Agent {
        word: "codex",
        title: "Codex",
        budget: "budget-codex",
        demotion: None,
        layout: &CODEX,
        unit: Unit::Bytes,
        limit: None,
        has_window: true,
        gates: &[],
        text: description,
        refuses: |skill| {
            let (name, text) = (length(skill.name.as_str()), length(&description(&skill.facts)));
            match (name, text) {
                (65.., _) => {
                    Some(format!("Codex loads no name over 64 characters; this has {name}"))
                }
                (_, 0) => Some("Codex loads no skill without a description".to_owned()),
                (_, 1025..) => Some(format!(
                    "Codex loads no description over 1,024 characters; this has {text}"
                )),
                _ => None,
            }
        },
    },
    Agent {
        word: "openclaw",
        title: "OpenClaw",
        budget: "budget-openclaw",
        demotion: None,
        layout: &OPENCLAW,
        unit: Unit::Chars,
        limit: None,
        has_window: false,
        gates: &["manual"],
        text: description,
        refuses: |skill| {
            let silent = description(&skill.facts).is_empty();
            silent.then(|| "OpenClaw loads no skill without a description".to_owned())
        },
    },
    Agent {
        word: "hermes",
        title: "Hermes",
        budget: "budget-hermes",
        demotion: None,
        layout: &HERMES,
        unit: Unit::Chars,
        limit: None,
        has_window: false,
        gates: GATES_OF_HERMES,
        text: unquoted,
        refuses: |_| None,
    },
    Agent {
        word: "progressive",
        title: "Progressive Skill",
        budget: "budget-progressive",
        // As its own command line has it: no grace, one threshold, no second look at what was shown before.
        demotion: Some((
            "demotion-toolset",
            &[
                ("always-relevant", "hermes,software-development"),
                ("fresh-days", "0"),
                ("keep-score", "1.999999"),
                ("promote-score", "1.999999"),
                ("unlinked", "demote"),
            ],
        )),
        layout: &PROGRESSIVE,
        unit: Unit::Chars,
        limit: Some(4_600),
        has_window: false,
        gates: GATES_OF_HERMES,
        // It works on what Hermes has printed.
        text: |facts| beginning(&unquoted(facts), 60, "..."),
        refuses: |_| None,
    },
];

impl Agent {
    /// The agent of that word.
    #[must_use]
    pub fn named(word: &str) -> Option<&'static Agent> {
        AGENTS.iter().find(|agent| agent.word == word)
    }
}

fn description(facts: &Facts) -> String {
    facts.description.as_ref().map_or("", OneLine::as_str).to_owned()
}

fn unquoted(facts: &Facts) -> String {
    description(facts).trim_matches(['\'', '"']).to_owned()
}

fn length(text: &str) -> usize {
    text.chars().count()
}
