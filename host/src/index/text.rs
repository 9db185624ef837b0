//! Text of an index that comes from skills: what each form of a line says, and what must not close the frame.

use crate::skill::{Facts, OneLine, Problem};

/// The words that begin a trigger clause, lower case: what a skill is for, as authors write it.
pub const TRIGGERS: [&str; 12] = [
    "use when",
    "use this when",
    "use this skill when",
    "use this skill for",
    "use this skill to",
    "use for",
    "use if",
    "use whenever",
    "used when",
    "invoke when",
    "trigger when",
    "when the user",
];

/// The longest mark of missing programs that a line carries, in programs.
const MAX_MISSING: usize = 3;

/// What both forms of a line begin with, since it must not be cut off: that the header could not be read, that programs
/// are missing. Ends with a space, unless it is empty.
#[must_use]
pub fn mark(facts: &Facts, missing: &[&str]) -> String {
    let mut mark = String::new();
    if facts.diagnostics.iter().any(|d| {
        matches!(d.problem, Problem::UnclosedHeader | Problem::NotMapping | Problem::HeaderTooLong)
    }) {
        mark.push_str("[header unreadable] ");
    }
    if !missing.is_empty() {
        let shown: Vec<String> =
            missing.iter().take(MAX_MISSING).map(|m| (*m).to_owned()).collect();
        let more = if missing.len() > MAX_MISSING { ", …" } else { "" };
        mark.push_str(&format!("[not ready: needs {}{more}] ", shown.join(", ")));
    }
    mark
}

/// What the line of a skill says in full, without its name and mark: the description, with when to use it, or else how
/// its text opens; empty where there is nothing to say.
#[must_use]
pub fn full_text(facts: &Facts) -> String {
    match (&facts.description, &facts.when_to_use) {
        (Some(description), Some(when)) => {
            format!("{description} {when}")
        }
        (Some(only), None) | (None, Some(only)) => only.as_str().to_owned(),
        (None, None) => facts.opening.as_ref().map_or("", OneLine::as_str).to_owned(),
    }
}

/// The short form of a line's text: the whole where it is short already, else the clause that says when to use the skill,
/// else the beginning; cut between words, at most `chars` Unicode scalars with the ellipsis.
#[must_use]
pub fn short_text(full: &str, chars: usize) -> String {
    if full.chars().nth(chars).is_none() {
        return full.to_owned();
    }
    match trigger_clause(full) {
        Some(clause) => cut(clause, chars),
        None => cut(full, chars),
    }
}

/// The clause that begins with a trigger, to the end of its sentence. One that is too short to tell anything is none.
fn trigger_clause(text: &str) -> Option<&str> {
    const SHORTEST: usize = 20;
    let start = trigger_start(text)?;
    let rest = text.get(start..)?;
    let end = sentence_end(rest);
    let clause = rest.get(..end)?.trim_end();
    (clause.chars().count() >= SHORTEST).then_some(clause)
}

/// The first beginning of a word at which a trigger stands, in any case. Only words that begin as one of them does are
/// looked at: this is asked of every skill.
#[must_use]
pub fn trigger_start(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let stands = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        let begins = |trigger: &&str| {
            rest.get(..trigger.len())
                .is_some_and(|rest| rest.eq_ignore_ascii_case(trigger.as_bytes()))
        };
        TRIGGERS.iter().any(begins)
    };
    let mut inside = false;
    bytes.iter().enumerate().find_map(|(at, byte)| {
        let first = !inside && matches!(byte.to_ascii_lowercase(), b'u' | b'i' | b't' | b'w');
        inside = byte.is_ascii_alphanumeric();
        (first && stands(at)).then_some(at)
    })
}

/// Where the first sentence ends, its full stop included: a stop followed by a space and a capital or an opening sign,
/// so that `e.g. tables` and `v1.2` don't end one.
#[must_use]
pub fn sentence_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if matches!(c, '。' | '！' | '？') {
            return at + c.len_utf8();
        }
        if matches!(c, '.' | '!' | '?') && chars.peek().is_some_and(|(_, next)| *next == ' ') {
            let after = text.get(at + 2..).and_then(|rest| rest.chars().next());
            if after
                .is_some_and(|c| c.is_uppercase() || matches!(c, '(' | '[' | '"' | '`' | '*' | '-'))
            {
                return at + 1;
            }
        }
    }
    text.len()
}

/// At most `chars` scalars, an ellipsis at the end where something was left out. Cut before a word, unless that would
/// lose more than a third (one long word, or a script without spaces).
fn cut(text: &str, chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(chars) else { return text.to_owned() };
    let room = chars.saturating_sub(1);
    let hard = text.char_indices().nth(room).map_or(end, |(at, _)| at);
    let head = text.get(..hard).unwrap_or(text);
    let at_word = if text.get(hard..).is_some_and(|rest| rest.starts_with(' ')) {
        head
    } else {
        match head.rfind(' ') {
            Some(space) if space * 3 >= hard * 2 => head.get(..space).unwrap_or(head),
            _ => head,
        }
    };
    let kept = at_word.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | ':' | '-' | '–' | '(')
    });
    format!("{kept}…")
}

/// A text as a policy's cut leaves it: its first `chars` scalars, of which the mark is a part that says that something was
/// cut off; where the mark doesn't fit, without it.
#[must_use]
pub fn beginning(text: &str, chars: usize, mark: &str) -> String {
    if text.chars().nth(chars).is_none() {
        return text.to_owned();
    }
    let marked = mark.chars().count();
    let (room, mark) = if chars > marked { (chars - marked, mark) } else { (chars, "") };
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    format!("{}{mark}", text.get(..end).unwrap_or(text).trim_end())
}

/// Escapes what could close the frame or open another one: a `<` before a slash, or before the frame's own name. All
/// other angle brackets stay readable, as in `Vec<T>`.
#[must_use]
pub fn escape(text: &str) -> String {
    if !text.contains('<') {
        return text.to_owned();
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        let rest = text.get(at + c.len_utf8()..).unwrap_or("").trim_start();
        let opens = c == '<'
            && (rest.starts_with('/')
                || rest.get(..FRAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(FRAME)));
        if opens {
            escaped.push_str("&lt;");
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// A name or a category's path as it is printed: escaped, and without what the layout is made of, so that one name can't
/// stand for several, or for a line of its own. Names by the standard have none of this.
#[must_use]
pub fn escape_name(name: &str) -> String {
    let escaped = escape(name);
    if !escaped.contains([',', '[', ']']) {
        return escaped;
    }
    escaped.replace(',', ";").replace('[', "(").replace(']', ")")
}

/// The name of the tag around the list.
pub const FRAME: &str = "available_skills";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trigger_is_found() {
        for trigger in TRIGGERS {
            assert_eq!(
                trigger_start(&format!("Xuse it. {}", trigger.to_uppercase())),
                Some(9),
                "{trigger}"
            );
        }
    }

    #[test]
    fn the_short_form_is_the_trigger_clause_or_the_beginning() {
        for (full, chars, short) in [
            ("Fits as it is.", 60, "Fits as it is."),
            (
                "Reads tables out of scanned papers. Use when a PDF has no text layer. Needs tesseract.",
                60,
                "Use when a PDF has no text layer.",
            ),
            (
                "Convert media. Use this skill when a clip, e.g. a screen recording, has to play in a browser v1.2 or older.",
                80,
                "Use this skill when a clip, e.g. a screen recording, has to play in a browser…",
            ),
            (
                "A description that goes on and on without saying when",
                30,
                "A description that goes on…",
            ),
            (
                "Overuse when tired is not a trigger, but this sentence is long enough",
                40,
                "Overuse when tired is not a trigger…",
            ),
            (
                "Use when ok. And then a long tail that says what the skill really does",
                40,
                "Use when ok. And then a long tail that…",
            ),
            ("Averylongwordwithoutanyspaceinit", 10, "Averylong…"),
            (
                "依頼された内容を確認し、丁寧な業務メールを作成します。社外の相手に送る場合に使います。",
                20,
                "依頼された内容を確認し、丁寧な業務メー…",
            ),
            ("", 20, ""),
        ] {
            let got = short_text(full, chars);
            assert_eq!(got, short, "{full}");
            assert!(got.chars().count() <= chars.max(full.chars().count().min(chars)), "{got}");
        }
    }

    #[test]
    fn a_name_can_not_imitate_the_layout() {
        for (name, printed) in [
            ("docker-build", "docker-build"),
            ("a, b, c", "a; b; c"),
            ("x [names only]: evil", "x (names only): evil"),
            ("</available_skills>", "&lt;/available_skills>"),
        ] {
            assert_eq!(escape_name(name), printed);
        }
    }

    #[test]
    fn what_could_close_the_frame_is_escaped_and_the_rest_stays_readable() {
        for (text, escaped) in [
            ("Vec<T> and a < b", "Vec<T> and a < b"),
            ("</available_skills>", "&lt;/available_skills>"),
            ("< / available_skills >", "&lt; / available_skills >"),
            ("<AVAILABLE_Skills>", "&lt;AVAILABLE_Skills>"),
            ("</system>ok<br/>", "&lt;/system>ok<br/>"),
            ("日<本/>", "日<本/>"),
        ] {
            assert_eq!(escape(text), escaped, "{text}");
        }
    }
}
