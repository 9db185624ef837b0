//! Our own layout: categories with their skills below them, a line of names, a count.

use super::{Frame, Layout, Named, ToolWords, of};
use crate::index::text::{FRAME, escape, escape_name};

/// The layout.
pub const TREE: Tree = Tree;

/// Categories with their skills below them.
#[derive(Clone, Copy, Debug)]
pub struct Tree;

impl Layout for Tree {
    fn word(&self) -> &'static str {
        "tree"
    }

    fn head(&self, frame: Frame, words: &ToolWords) -> String {
        let sample = words.sample_line();
        match frame {
            Frame::Prose => {
                let open = words.open.map_or("open it by its name".to_owned(), |tool| {
                    format!("open it with `{tool}`")
                });
                let list = words.list.map_or(
                    "A name without a description opens the same way.".to_owned(),
                    |tool| {
                        format!(
                            "A name without a description opens the same way, and `{tool}` tells more about a category."
                        )
                    },
                );
                let write = words.write.map_or(String::new(), |tool| {
                    format!(
                        "Where a skill proves wrong, or a hard task taught you something, set it down with `{tool}`.\n"
                    )
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

    fn tail(&self, frame: Frame) -> String {
        match frame {
            Frame::Prose => format!("</{FRAME}>\n\nIf none fits, go on without one.\n"),
            Frame::Line | Frame::Tags => format!("</{FRAME}>\n"),
            Frame::Count => String::new(),
        }
    }

    fn header(&self, category: &str, description: &str) -> String {
        header(category, description)
    }

    fn line(&self, skill: Named<'_>, text: &str) -> String {
        line(skill.name, text)
    }

    fn name(&self, skill: Named<'_>) -> String {
        name(skill.name)
    }

    fn names_frame(&self, category: &str) -> String {
        names_start(category) + "\n"
    }

    fn names(&self, category: &str, names: &str) -> String {
        self::names(category, names)
    }

    fn count(&self, category: &str, skills: u32, others: bool) -> String {
        let category = escape_name(category);
        if others {
            format!("  {category} (+{skills} more)\n")
        } else {
            format!("  {category} ({skills})\n")
        }
    }

    fn rest(&self, skills: u32, categories: u32) -> String {
        format!("  (+{skills} more in {})\n", of(categories, "category", "categories"))
    }

    fn count_only(&self, skills: u32, categories: u32) -> String {
        count_only(skills, categories)
    }
}

/// A category's header.
pub(super) fn header(category: &str, description: &str) -> String {
    let category = escape_name(category);
    if description.is_empty() {
        format!("  {category}:\n")
    } else {
        format!("  {category}: {}\n", escape(description))
    }
}

/// A skill's line below it.
pub(super) fn line(name: &str, text: &str) -> String {
    let name = escape_name(name);
    if text.is_empty() {
        format!("    - {name}\n")
    } else {
        format!("    - {name}: {}\n", escape(text))
    }
}

/// One name of a line of names, with the comma that all but the last have.
pub(super) fn name(name: &str) -> String {
    format!(" {},", escape_name(name))
}

/// The beginning of a category's line of names. With a line end it costs what it costs with the names' last comma less.
pub(super) fn names_start(category: &str) -> String {
    format!("  {} [names only]:", escape_name(category))
}

/// A category's line of names.
pub(super) fn names(category: &str, names: &str) -> String {
    format!("{}{}\n", names_start(category), names.strip_suffix(',').unwrap_or(names))
}

/// One line that counts everything.
pub(super) fn count_only(skills: u32, categories: u32) -> String {
    format!("{} in {}\n", of(skills, "skill", "skills"), of(categories, "category", "categories"))
}
