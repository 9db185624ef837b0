//! How a Level-0 block is laid out: every piece of text that is printed and not a skill's own. One file a layout.
//!
//! Each piece ends its own line, and no line begins with a slash or a line break. So a tokenizer that splits at line
//! ends counts the pieces as it counts the whole, and prices add up.
//!
//! *Invariant*: texts come in as skills say them, and each layout escapes what could break out of it. Which skill gets which
//! form is never decided here.

mod claude_code;
mod codex;
mod hermes;
mod openclaw;
mod tree;
mod xml;

use std::collections::BTreeSet;

pub use claude_code::CLAUDE_CODE;
pub use codex::CODEX;
pub use hermes::{HERMES, PROGRESSIVE};
pub use openclaw::OPENCLAW;
pub use tree::TREE;
pub use xml::XML;

/// One layout: its pieces, and what a limit counts of them.
pub trait Layout: std::fmt::Debug + Sync {
    /// Its word, by which two are compared.
    fn word(&self) -> &'static str;

    /// What stands before the list.
    fn head(&self, frame: Frame, words: &ToolWords) -> String;

    /// What stands after the list.
    fn tail(&self, frame: Frame) -> String;

    /// The header of a category whose skills have lines of their own.
    fn header(&self, _category: &str, _description: &str) -> String {
        String::new()
    }

    /// The line of one skill.
    fn line(&self, skill: Named<'_>, text: &str) -> String;

    /// One name of a category's line of names; where there is no such line, a line without a description.
    fn name(&self, skill: Named<'_>) -> String {
        self.line(skill, "")
    }

    /// What a category's line of names costs beside the names.
    fn names_frame(&self, _category: &str) -> String {
        String::new()
    }

    /// A category's line of names, from names as [`name`](Layout::name) gives them, one after the other.
    fn names(&self, _category: &str, names: &str) -> String {
        names.to_owned()
    }

    /// The line that counts a category's skills; `others` if more of them are shown above it.
    fn count(&self, _category: &str, _skills: u32, _others: bool) -> String {
        String::new()
    }

    /// The line that counts the skills which have no count line.
    fn rest(&self, skills: u32, categories: u32) -> String;

    /// The whole block where nothing else fits.
    fn count_only(&self, skills: u32, categories: u32) -> String;

    /// The pieces of a block, put together. The third is the line that counts the rest, if there is one.
    fn assemble(&self, head: &str, list: &str, rest: &str, tail: &str) -> String {
        [head, list, rest, tail].concat()
    }

    /// What a text ends with whose end was cut off.
    fn cut_mark(&self) -> &'static str {
        "…"
    }

    /// What a limit counts.
    fn charges(&self) -> Charges {
        Charges::Block
    }

    /// Whether skills stand by category, with lines of their own for counts; else by name, all of them together.
    fn by_category(&self) -> bool {
        true
    }

    /// Whether it says where a skill's file is.
    fn located(&self) -> bool {
        false
    }

    /// Whether it writes `~` for the user's home there.
    fn shortens_home(&self) -> bool {
        false
    }
}

/// A layout by reference, with the tree as the one that is taken where nobody says another.
#[derive(Clone, Copy, Debug)]
pub struct Style(pub &'static dyn Layout);

impl Default for Style {
    fn default() -> Style {
        Style(&TREE)
    }
}

impl PartialEq for Style {
    fn eq(&self, other: &Style) -> bool {
        self.0.word() == other.0.word()
    }
}

impl std::ops::Deref for Style {
    type Target = dyn Layout;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

/// Who a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// The skill's name, as it says it.
    pub name: &'a str,
    /// Where its file is; empty where nobody asks.
    pub location: &'a str,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charges {
    /// The whole block.
    Block,
    /// The list, without what stands before and after it.
    List,
    /// Lines of skills; headers, names and counts are free.
    Lines,
}

/// How much the block says about itself. Later ones are taken where a limit is tight: prose shrinks before skills vanish.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Frame {
    /// A heading, what skills are for and how to open one.
    Prose,
    /// One line.
    Line,
    /// The tags around the list, no more.
    Tags,
    /// No list: one line that counts.
    Count,
}

/// What the frame's text depends on: which of an agent's tools it may name, since it must not speak of what the session
/// can't call, and whether the skills are samples, which an agent must not take for its user's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolWords {
    open: Option<&'static str>,
    list: Option<&'static str>,
    write: Option<&'static str>,
    sample: bool,
}

/// Tools that make an index useful: without any of them nobody could act on it.
pub const SKILL_TOOLS: [&str; 4] = ["skills_list", "skill_view", "skill_manage", "skill_write"];

impl ToolWords {
    /// The words for a session's tools; none are named where nobody said which there are.
    #[must_use]
    pub fn of(tools: Option<&BTreeSet<String>>, sample: bool) -> ToolWords {
        let has =
            |name: &'static str| tools.is_some_and(|tools| tools.contains(name)).then_some(name);
        ToolWords {
            open: has("skill_view"),
            list: has("skills_list"),
            write: has("skill_write").or_else(|| has("skill_manage")),
            sample,
        }
    }

    /// What a block says first that shows the sample.
    fn sample_line(&self) -> &'static str {
        if self.sample {
            "SAMPLE: these skills come with skillkeep; the user has none yet.\n"
        } else {
            ""
        }
    }
}

/// `1 skill`, `2 skills`; `1 category`, `2 categories`.
fn of(count: u32, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}
