//! The Agent Skills standard's XML, as its reference tool prints it for a prompt: name, description and location of each
//! skill, and nothing around it. Any XML parser reads it; what is left out is told in comments.

use super::{Frame, Layout, Named, ToolWords, of};
use crate::index::text::FRAME;

/// The layout.
pub const XML: Xml = Xml;

/// The standard's XML.
#[derive(Clone, Copy, Debug)]
pub struct Xml;

impl Layout for Xml {
    fn word(&self) -> &'static str {
        "xml"
    }

    fn head(&self, frame: Frame, words: &ToolWords) -> String {
        let sample = match words.sample_line().trim_end() {
            "" => String::new(),
            line => format!("  <!-- {line} -->\n"),
        };
        match frame {
            Frame::Count => String::new(),
            Frame::Tags => format!("<{FRAME}>\n"),
            Frame::Prose | Frame::Line => format!("<{FRAME}>\n{sample}"),
        }
    }

    fn tail(&self, frame: Frame) -> String {
        if frame == Frame::Count { String::new() } else { format!("</{FRAME}>\n") }
    }

    fn line(&self, skill: Named<'_>, text: &str) -> String {
        element(skill, text, escape)
    }

    fn count(&self, category: &str, skills: u32, others: bool) -> String {
        let skills = if others {
            of(skills, "more skill", "more skills")
        } else {
            of(skills, "skill", "skills")
        };
        format!("  <!-- {skills} in {} -->\n", comment(category))
    }

    fn rest(&self, skills: u32, categories: u32) -> String {
        let categories = of(categories, "category", "categories");
        format!("  <!-- {} in {categories} -->\n", of(skills, "more skill", "more skills"))
    }

    fn count_only(&self, skills: u32, categories: u32) -> String {
        let categories = of(categories, "category", "categories");
        format!("<{FRAME}><!-- {} in {categories} --></{FRAME}>\n", of(skills, "skill", "skills"))
    }

    fn located(&self) -> bool {
        true
    }
}

/// One skill. A description that is not shown has no element.
pub(super) fn element(skill: Named<'_>, text: &str, escape: fn(&str) -> String) -> String {
    let description = if text.is_empty() {
        String::new()
    } else {
        format!("    <description>{}</description>\n", escape(text))
    };
    format!(
        "  <skill>\n    <name>{}</name>\n{description}    <location>{}</location>\n  </skill>\n",
        escape(skill.name),
        escape(skill.location)
    )
}

/// Text between tags: no markup, and none of the characters that no XML document may hold.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c if is_of_xml(c) => escaped.push(c),
            _ => {}
        }
    }
    escaped
}

/// Whether an XML document may hold a character at all.
pub(super) fn is_of_xml(c: char) -> bool {
    !matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Text in a comment, which two hyphens would end.
fn comment(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars().filter(|c| is_of_xml(*c)) {
        if c == '-' && safe.ends_with('-') {
            safe.push(' ');
        }
        safe.push(c);
    }
    safe
}
