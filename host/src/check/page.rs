//! A skill's file as the rules see it: where its fields stand, its body, the links in it. Bytes in, values out; where a
//! link leads is not known here.

use super::links::{self, Link};
use crate::{
    library::{self, Field, Header},
    skill::OneLine,
};

/// Lines of a file that are named for what nobody sees in them.
const MOST_HIDDEN: usize = 3;

/// What one file holds beside what the parser makes of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Its header, as it is written.
    pub header: Header,
    /// Its body.
    pub body: String,
    /// What the body refers to by a relative path, each once.
    pub links: Vec<Link>,
    /// Lines with characters that nobody sees, with the first of them.
    pub hidden: Vec<(u32, char)>,
    /// Tokens of the body, where it is long enough for anybody to ask.
    pub tokens: Option<u32>,
}

impl Page {
    /// Looks at the bytes of a file that is text.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Page {
        let header = Header::of(bytes);
        let body = String::from_utf8_lossy(library::body(bytes)).into_owned();
        let links = links::of(&body, header.body_line);
        let above = bytes.len().saturating_sub(library::body(bytes).len());
        let top = String::from_utf8_lossy(bytes.get(..above).unwrap_or_default());
        let mut hidden = unseen(top.trim_start_matches('\u{feff}'), 1);
        // One that is not there as it is was written as an escape, and whoever reads the value gets it all the same.
        let escaped =
            |field: &Field| field.unseen.filter(|c| !top.contains(*c)).map(|c| (field.line, c));
        hidden.extend(header.fields.iter().filter_map(escaped));
        hidden.sort_unstable();
        hidden.extend(unseen(&body, header.body_line));
        hidden.truncate(MOST_HIDDEN);
        Page { header, body, links, hidden, tokens: None }
    }
}

/// The lines of a text with characters that nobody sees.
fn unseen(text: &str, first: u32) -> Vec<(u32, char)> {
    if text.is_ascii() && !text.bytes().any(|b| b.is_ascii_control() && !b"\t\n\r\x0c".contains(&b))
    {
        return Vec::new();
    }
    let line = |(number, line): (u32, &str)| {
        Some((number, line.chars().find(|c| OneLine::is_unseen(*c))?))
    };
    (first..).zip(text.split('\n')).filter_map(line).take(MOST_HIDDEN).collect()
}
