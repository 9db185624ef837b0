//! OpenClaw's catalogue: the standard's XML with more of it escaped, in the order of the names, and a note before it where
//! skills were left out. The prose is ours.

use super::{
    Frame, Layout, Named, ToolWords, of,
    xml::{element, is_of_xml},
};
use crate::index::text::FRAME;

/// The layout.
pub const OPENCLAW: OpenClaw = OpenClaw;

/// OpenClaw's catalogue.
#[derive(Clone, Copy, Debug)]
pub struct OpenClaw;

impl Layout for OpenClaw {
    fn word(&self) -> &'static str {
        "openclaw"
    }

    fn head(&self, _: Frame, words: &ToolWords) -> String {
        format!(
            "{}These skills hold instructions for tasks of one kind each.\n\
             Where a task is what a description says, read the skill's file with the read tool before you begin.\n\
             Paths in a skill's file are relative to the folder that the file is in; give commands the whole path.\n\n<{FRAME}>\n",
            words.sample_line()
        )
    }

    fn tail(&self, _: Frame) -> String {
        format!("</{FRAME}>\n")
    }

    fn line(&self, skill: Named<'_>, text: &str) -> String {
        element(skill, text, escape)
    }

    fn rest(&self, skills: u32, _: u32) -> String {
        let more = of(skills, "more skill is", "more skills are");
        format!("⚠️ {more} not in this list. Run `openclaw skills check` to see all.\n")
    }

    fn count_only(&self, skills: u32, _: u32) -> String {
        self.rest(skills, 0)
    }

    fn assemble(&self, head: &str, list: &str, rest: &str, tail: &str) -> String {
        [rest, head, list, tail].concat()
    }

    fn cut_mark(&self) -> &'static str {
        "..."
    }

    fn by_category(&self) -> bool {
        false
    }

    fn located(&self) -> bool {
        true
    }

    fn shortens_home(&self) -> bool {
        true
    }
}

fn escape(text: &str) -> String {
    let text: String = text.chars().filter(|c| is_of_xml(*c)).collect();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}
