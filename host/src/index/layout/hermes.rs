//! Hermes's index, and the same after Progressive Skill has worked on it. Both stand by category like our own; the prose is
//! ours.

use super::{Charges, Frame, Layout, Named, ToolWords, of, tree};
use crate::index::text::{FRAME, escape_name};

/// Hermes's index.
pub const HERMES: Hermes = Hermes { progressive: false };
/// The same, its categories of names turned to counts, and its lines under a budget.
pub const PROGRESSIVE: Hermes = Hermes { progressive: true };

/// Hermes's index.
#[derive(Clone, Copy, Debug)]
pub struct Hermes {
    progressive: bool,
}

impl Layout for Hermes {
    fn word(&self) -> &'static str {
        if self.progressive { "progressive" } else { "hermes" }
    }

    fn head(&self, _: Frame, words: &ToolWords) -> String {
        let open = words.open.map_or("load it".to_owned(), |tool| format!("load it with `{tool}`"));
        let write = words.write.map_or(String::new(), |tool| {
            format!("Mend a skill that proves wrong with `{tool}`, and offer to keep what a hard task taught you.\n")
        });
        format!(
            "## Skills (mandatory)\n\n{}Look through the skills below before you answer. If one fits the task even in part, {open} and do as it says.\n{write}\n<{FRAME}>\n",
            words.sample_line()
        )
    }

    fn tail(&self, _: Frame) -> String {
        format!(
            "</{FRAME}>\n\nGo on without loading one only where none has to do with the task.\n"
        )
    }

    fn header(&self, category: &str, description: &str) -> String {
        tree::header(category, description)
    }

    fn line(&self, skill: Named<'_>, text: &str) -> String {
        tree::line(skill.name, text)
    }

    fn name(&self, skill: Named<'_>) -> String {
        tree::name(skill.name)
    }

    fn names_frame(&self, category: &str) -> String {
        tree::names_start(category) + "\n"
    }

    fn names(&self, category: &str, names: &str) -> String {
        tree::names(category, names)
    }

    /// Where lines of a category are left out, Progressive Skill leaves no mark. That is mended here.
    fn count(&self, category: &str, skills: u32, others: bool) -> String {
        let more = if others { "+" } else { "" };
        let behind = if others { " more" } else { "" };
        format!("  {} ({more}{skills}{behind})\n", escape_name(category))
    }

    fn rest(&self, skills: u32, categories: u32) -> String {
        format!("  (+{skills} more in {})\n", of(categories, "category", "categories"))
    }

    fn count_only(&self, skills: u32, categories: u32) -> String {
        tree::count_only(skills, categories)
    }

    fn cut_mark(&self) -> &'static str {
        "..."
    }

    fn charges(&self) -> Charges {
        if self.progressive { Charges::Lines } else { Charges::Block }
    }
}
