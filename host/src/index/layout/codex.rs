//! Codex's list: a line a skill with the path of its file, in the order of the names. What is left out leaves no mark there.
//! The prose is ours.

use super::{Charges, Frame, Layout, Named, ToolWords};
use crate::index::text::escape;

/// The layout.
pub const CODEX: Codex = Codex;

/// Codex's list.
#[derive(Clone, Copy, Debug)]
pub struct Codex;

impl Layout for Codex {
    fn word(&self) -> &'static str {
        "codex"
    }

    fn head(&self, _: Frame, words: &ToolWords) -> String {
        format!(
            "## Skills\n{}A skill is a file of instructions on this machine: each line has its name, what it is for, and where the file is.\n\
             ### Available skills\n",
            words.sample_line()
        )
    }

    fn tail(&self, _: Frame) -> String {
        "### How to use skills\n\
         Where one is named, or the task is what its line says, read the file at that path first, and no more of its folder than you need.\n"
            .to_owned()
    }

    fn line(&self, skill: Named<'_>, text: &str) -> String {
        let Named { name, location } = skill;
        let space = if text.is_empty() { "" } else { " " };
        format!("- {}:{space}{} (file: {})\n", escape(name), escape(text), escape(location))
    }

    fn rest(&self, _: u32, _: u32) -> String {
        String::new()
    }

    fn count_only(&self, _: u32, _: u32) -> String {
        String::new()
    }

    fn cut_mark(&self) -> &'static str {
        ""
    }

    fn charges(&self) -> Charges {
        Charges::List
    }

    fn by_category(&self) -> bool {
        false
    }

    fn located(&self) -> bool {
        true
    }
}
