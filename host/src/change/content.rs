//! What a file must be to be written. The one parser of `library` reads it; here is said only what is asked of the facts.
//! Files that are there already may be anything.

use crate::{
    library::{body, parse},
    skill::{Diagnostic, Facts, OneLine, Problem, Tier},
};

/// Characters of a SKILL.md at most.
pub const LONGEST_SKILL: usize = 100_000;
/// Bytes of any other file at most.
pub const LARGEST_SUPPORT: usize = 1024 * 1024;
/// Characters of a description at most, by the standard.
pub const LONGEST_DESCRIPTION: usize = 1_024;

/// Why a text is no SKILL.md that may be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadContent {
    /// There is nothing in it.
    #[error("the SKILL.md is empty, expected a header between `---` lines and a text below it")]
    Empty,
    /// Its header can't be read as one.
    #[error("the header of the SKILL.md can't be read{}: {}", at_line(.0), .0.cause)]
    Header(Diagnostic),
    /// A field that every skill has is missing.
    #[error("the header of the SKILL.md has no `{0}`")]
    Missing(&'static str),
    /// The description is too long.
    #[error("the description has {0} characters, expected {LONGEST_DESCRIPTION} at most")]
    LongDescription(usize),
    /// There is nothing below the header.
    #[error("the SKILL.md has nothing below its header, expected what to do")]
    NoBody,
    /// Its name isn't the skill's.
    #[error("the header names the skill `{found}`, expected `{expected}` as its folder is called")]
    OtherName {
        /// What the header says.
        found: OneLine,
        /// What it should say.
        expected: String,
    },
    /// It has too many characters.
    #[error("the SKILL.md has {0} characters, expected {LONGEST_SKILL} at most")]
    Long(usize),
    /// A file beside it has too many bytes.
    #[error("the file has {0} bytes, expected {LARGEST_SUPPORT} at most")]
    Large(usize),
}

fn at_line(diagnostic: &Diagnostic) -> String {
    diagnostic.line.map_or_else(String::new, |line| format!(" (line {line})"))
}

impl BadContent {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            BadContent::Header(diagnostic) => diagnostic.fix.as_str().to_owned(),
            BadContent::Long(_) => {
                "move parts of it to files in `references/` and name these in the text".to_owned()
            }
            BadContent::Large(_) => "keep large data outside and say where it is".to_owned(),
            BadContent::OtherName { expected, .. } => format!("write `name: {expected}`"),
            BadContent::LongDescription(_) => "say when to use it, and the rest below".to_owned(),
            BadContent::Empty | BadContent::Missing(_) | BadContent::NoBody => {
                "begin with `---`, `name:`, `description:`, `---`, then say what to do".to_owned()
            }
        }
    }
}

/// Whether these bytes may become the SKILL.md of the skill in a folder of this name, in the place of `former`.
///
/// # Errors
/// Where they may not, with the first reason. What is wrong with the former file already is no reason to refuse where it
/// gets no worse: a name that differs, and a length that shrinks.
pub fn check_skill(folder: &str, bytes: &[u8], former: Option<&[u8]>) -> Result<Facts, BadContent> {
    let text = String::from_utf8_lossy(bytes);
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Err(BadContent::Empty);
    }
    let facts = parse(bytes);
    let problem =
        |problem: Problem| facts.diagnostics.iter().find(|found| found.problem == problem);
    for unreadable in [
        Problem::NotUtf8,
        Problem::NoHeader,
        Problem::UnclosedHeader,
        Problem::HeaderTooLong,
        Problem::NotYaml,
        Problem::NotMapping,
    ] {
        if let Some(found) = problem(unreadable) {
            return Err(BadContent::Header(found.clone()));
        }
    }
    let name = facts.name.as_ref().ok_or(BadContent::Missing("name"))?;
    if facts.tier != Tier::Strict {
        return Err(BadContent::Missing("name"));
    }
    let description = facts.description.as_ref().ok_or(BadContent::Missing("description"))?;
    if problem(Problem::LongDescription).is_some() {
        return Err(BadContent::LongDescription(description.as_str().chars().count()));
    }
    if String::from_utf8_lossy(body(bytes)).trim().is_empty() {
        return Err(BadContent::NoBody);
    }
    let before = former.map(parse).and_then(|facts| facts.name);
    if name.as_str() != folder && before.as_ref() != Some(name) {
        return Err(BadContent::OtherName { found: name.clone(), expected: folder.to_owned() });
    }
    let chars = text.chars().count();
    let shrinks =
        former.is_some_and(|former| chars < String::from_utf8_lossy(former).chars().count());
    if chars > LONGEST_SKILL && !shrinks {
        return Err(BadContent::Long(chars));
    }
    Ok(facts)
}

/// A small SKILL.md to begin with: a header, and one heading. A description that plain YAML would read otherwise is quoted.
#[must_use]
pub fn starter(name: &str, description: &str) -> String {
    let with = |description: &str| {
        format!("---\nname: {name}\ndescription: {description}\n---\n\n# {}\n", title(name))
    };
    let plain = with(description);
    let read = parse(plain.as_bytes());
    let same = read.description.as_ref().is_some_and(|read| read.as_str() == description);
    if description.is_empty() || (same && read.tier == Tier::Strict) {
        return plain;
    }
    // A JSON text is a quoted text of YAML too.
    with(&serde_json::Value::from(description).to_string())
}

/// A name as a heading: `deploy-a-service` as `Deploy a service`.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether these bytes may become a file beside the SKILL.md, in the place of `former`.
///
/// # Errors
/// Where there are too many of them, and not fewer than there were.
pub fn check_support(bytes: &[u8], former: Option<&[u8]>) -> Result<(), BadContent> {
    let shrinks = former.is_some_and(|former| bytes.len() < former.len());
    if bytes.len() > LARGEST_SUPPORT && !shrinks {
        return Err(BadContent::Large(bytes.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::{BadContent, check_skill, check_support, starter};
    use crate::skill::OneLine;

    fn skill(name: &str, description: &str, body: &str) -> String {
        format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
    }

    #[test]
    fn what_is_no_skill_is_refused_with_its_reason() {
        for (text, reason) in [
            (skill("a", "x", "Do it.\n"), None),
            (format!("\u{feff}{}", skill("a", "x", "Do it.\n")), None),
            (String::new(), Some("is empty")),
            (" \n\n".to_owned(), Some("is empty")),
            ("# No header\n".to_owned(), Some("header of the SKILL.md can't be read")),
            ("---\nname: a\ndescription: x\n".to_owned(), Some("can't be read")),
            ("---\nname: [a\ndescription: x\n---\nDo.\n".to_owned(), Some("can't be read (line")),
            ("---\n- a\n---\nDo.\n".to_owned(), Some("can't be read")),
            ("---\ndescription: x\n---\nDo.\n".to_owned(), Some("has no `name`")),
            ("---\nname: a\n---\nDo.\n".to_owned(), Some("has no `description`")),
            (skill("a", "' '", "Do.\n"), Some("has no `description`")),
            (skill("a", "x", ""), Some("nothing below its header")),
            (skill("a", "x", " \n"), Some("nothing below its header")),
            (skill("b", "x", "Do.\n"), Some("names the skill `b`, expected `a`")),
            (skill("a", &"x".repeat(1_025), "Do.\n"), Some("has 1025 characters")),
            (skill("a", &"x".repeat(1_024), "Do.\n"), None),
        ] {
            let found = check_skill("a", text.as_bytes(), None).err().map(|bad| bad.to_string());
            match reason {
                None => assert_eq!(found, None, "{text}"),
                Some(reason) => {
                    let found = found.unwrap_or_default();
                    assert!(found.contains(reason), "{text:?} gave {found:?}");
                }
            }
        }
    }

    #[test]
    fn a_skill_may_have_100_000_characters_and_a_longer_one_may_shrink() {
        let of = |chars: usize| {
            let head = skill("a", "x", "");
            format!("{head}{}", "é".repeat(chars - head.len()))
        };
        let check = |now: usize, former: Option<usize>| {
            let former = former.map(of);
            check_skill("a", of(now).as_bytes(), former.as_deref().map(str::as_bytes)).map(|_| ())
        };
        assert_eq!(check(100_000, None), Ok(()));
        assert_eq!(check(100_001, None), Err(BadContent::Long(100_001)));
        assert_eq!(check(100_001, Some(90_000)), Err(BadContent::Long(100_001)));
        assert_eq!(check(150_000, Some(200_000)), Ok(()));
        assert_eq!(check(200_000, Some(200_000)), Err(BadContent::Long(200_000)));
    }

    #[test]
    fn a_name_that_differs_already_may_stay_and_no_other_may_come() {
        let of = |name: &str| skill(name, "x", "Do.\n");
        let check = |now: &str| check_skill("a", of(now).as_bytes(), Some(of("old").as_bytes()));
        assert!(check("old").is_ok());
        assert!(check("a").is_ok());
        assert!(matches!(check("b"), Err(BadContent::OtherName { .. })));
    }

    #[test]
    fn a_starter_is_plain_where_it_can_be() {
        assert_eq!(
            starter("deploy-it", "Use when a service goes out."),
            "---\nname: deploy-it\ndescription: Use when a service goes out.\n---\n\n# Deploy it\n"
        );
        assert_eq!(
            starter("a", "Use for prod: \"now\""),
            "---\nname: a\ndescription: \"Use for prod: \\\"now\\\"\"\n---\n\n# A\n"
        );
    }

    proptest! {
        #[test]
        fn a_starter_says_what_it_was_given(description in "[ -~äß技#:\"'\\[{*&!|>%@`-]{1,80}") {
            prop_assume!(!description.trim().is_empty());
            let facts = check_skill("a", starter("a", &description).as_bytes(), None);
            let facts = facts.map_err(|bad| TestCaseError::fail(bad.to_string()))?;
            prop_assert_eq!(facts.description, Some(OneLine::new(&description)));
        }
    }

    #[test]
    fn other_files_may_have_a_mebibyte() {
        let mebibyte = vec![0; 1024 * 1024 + 2];
        let check = |size: usize, former: usize| {
            check_support(&mebibyte[..size], Some(&mebibyte[..former]))
        };
        assert_eq!(check(1024 * 1024, 0), Ok(()));
        assert_eq!(check(1024 * 1024 + 1, 0), Err(BadContent::Large(1024 * 1024 + 1)));
        assert_eq!(check(1024 * 1024 + 1, 1024 * 1024 + 2), Ok(()));
    }
}
