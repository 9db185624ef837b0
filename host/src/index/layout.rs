//! The layout of a Level-0 block: every piece of text that is printed and not a skill's own.
//!
//! Each piece ends its own line, and no line begins with a slash or a line break. So a tokenizer that splits at line
//! ends counts the pieces as it counts the whole, and prices add up.

use std::collections::BTreeSet;

use super::text::FRAME;

/// How much the block says about itself. Later ones are taken where a limit is tight: prose shrinks before skills vanish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
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
}

/// What stands before the list.
#[must_use]
pub fn head(frame: Frame, words: &ToolWords) -> String {
    let sample = if words.sample {
        "SAMPLE: these skills come with skillkeep; the user has none yet.\n"
    } else {
        ""
    };
    match frame {
        Frame::Prose => {
            let open = words
                .open
                .map_or("open it by its name".to_owned(), |tool| format!("open it with `{tool}`"));
            let list = words.list.map_or("A name without a description opens the same way.".to_owned(), |tool| {
                format!("A name without a description opens the same way, and `{tool}` tells more about a category.")
            });
            let write = words.write.map_or(String::new(), |tool| {
                format!("Where a skill proves wrong, or a hard task taught you something, set it down with `{tool}`.\n")
            });
            format!(
                "## Skills\n\n{sample}A skill is a tested way of doing a recurring task. Before you begin, look through this list; \
                 if one may fit, even in part, {open} and follow it.\n{list}\n{write}\n<{FRAME}>\n"
            )
        }
        Frame::Line => {
            let open = words.open.map_or("open one by its name".to_owned(), |tool| {
                format!("open one with `{tool}`")
            });
            let list =
                words.list.map_or(String::new(), |tool| format!("; `{tool}` shows the rest"));
            format!("{sample}Skills: {open} before a task it may fit{list}.\n<{FRAME}>\n")
        }
        Frame::Tags => format!("<{FRAME}>\n"),
        Frame::Count => String::new(),
    }
}

/// What stands after the list.
#[must_use]
pub fn tail(frame: Frame) -> String {
    match frame {
        Frame::Prose => format!("</{FRAME}>\n\nIf none fits, go on without one.\n"),
        Frame::Line | Frame::Tags => format!("</{FRAME}>\n"),
        Frame::Count => String::new(),
    }
}

/// The header of a category whose skills have lines of their own.
#[must_use]
pub fn header(category: &str, description: &str) -> String {
    if description.is_empty() {
        format!("  {category}:\n")
    } else {
        format!("  {category}: {description}\n")
    }
}

/// The line of one skill.
#[must_use]
pub fn line(name: &str, text: &str) -> String {
    if text.is_empty() { format!("    - {name}\n") } else { format!("    - {name}: {text}\n") }
}

/// The beginning of a category's names line, without the names. Its price includes the line end, which takes the place
/// of the last name's comma.
#[must_use]
pub fn names_start(category: &str) -> String {
    format!("  {category} [names only]:")
}

/// One name of a names line, with the comma that all but the last have.
#[must_use]
pub fn name(name: &str) -> String {
    format!(" {name},")
}

/// The line that counts a category's skills; `others` if more of them are shown above it.
#[must_use]
pub fn count(category: &str, skills: u32, others: bool) -> String {
    if others {
        format!("  {category} (+{skills} more)\n")
    } else {
        format!("  {category} ({skills})\n")
    }
}

/// The line that counts the skills of the categories which have no count line.
#[must_use]
pub fn rest(skills: u32, categories: u32) -> String {
    let noun = if categories == 1 { "category" } else { "categories" };
    format!("  (+{skills} more in {categories} {noun})\n")
}

/// The whole block where nothing else fits.
#[must_use]
pub fn count_only(skills: u32, categories: u32) -> String {
    let (skill_noun, category_noun) = (
        if skills == 1 { "skill" } else { "skills" },
        if categories == 1 { "category" } else { "categories" },
    );
    format!("{skills} {skill_noun} in {categories} {category_noun}\n")
}
