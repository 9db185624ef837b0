//! Claude Code's list: a line a skill, in the order of the names, in a reminder beside the conversation. The prose is ours.

use super::{Charges, Frame, Layout, Named, ToolWords};
use crate::index::text::escape;

/// The layout.
pub const CLAUDE_CODE: ClaudeCode = ClaudeCode;

/// Claude Code's list.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

impl Layout for ClaudeCode {
    fn word(&self) -> &'static str {
        "claude-code"
    }

    fn head(&self, _: Frame, words: &ToolWords) -> String {
        format!("{}Skills that the Skill tool can open:\n\n", words.sample_line())
    }

    fn tail(&self, _: Frame) -> String {
        String::new()
    }

    fn line(&self, skill: Named<'_>, text: &str) -> String {
        let name = escape(skill.name);
        if text.is_empty() {
            format!("- {name}\n")
        } else {
            format!("- {name}: {}\n", escape(text))
        }
    }

    /// Names are never left out of it, unless a limit is asked for that they don't fit in.
    fn rest(&self, skills: u32, _: u32) -> String {
        format!("- (+{skills} more)\n")
    }

    fn count_only(&self, skills: u32, _: u32) -> String {
        self.rest(skills, 0)
    }

    fn charges(&self) -> Charges {
        Charges::List
    }

    fn by_category(&self) -> bool {
        false
    }
}
