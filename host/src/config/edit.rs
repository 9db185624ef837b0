//! `skillkeep.toml` with one thing more in it. What the user wrote stays: order, comments, blanks. A pure function from text
//! to text; whoever writes the file is another.

use std::path::Path;

use toml_edit::{Array, DocumentMut, Item, Value};

use super::ConfigError;
use crate::skill::OneLine;

/// Where a root was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// To `roots`, which the file names already.
    Roots,
    /// To `more-roots`: the file names no `roots`, and those that are found stay.
    MoreRoots,
}

/// The text with a root more, and where. `file` is named in errors.
///
/// # Errors
/// Where the text is no TOML, or holds something else than a list there.
pub fn with_root(file: &Path, text: &str, root: &str) -> Result<(String, Added), ConfigError> {
    let mut document = parse(file, text)?;
    let (key, added) = if document.contains_key("roots") {
        ("roots", Added::Roots)
    } else {
        ("more-roots", Added::MoreRoots)
    };
    let is_empty = document.is_empty();
    match document.get_mut(key) {
        Some(item) => {
            let list = item.as_array_mut().ok_or_else(|| ConfigError::Wrong {
                file: file.to_path_buf(),
                line: 1,
                key: OneLine::new(key),
                found: OneLine::new("something else"),
                expected: "a list of paths, or of tables with `path` and `label`",
            })?;
            push(list, root);
        }
        // Comments alone hang on nothing that comes: what is added comes after them.
        None if is_empty => {
            let blank = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            let mut list = Array::new();
            list.push(root);
            return Ok((format!("{text}{blank}{key} = {list}\n"), added));
        }
        None => {
            let mut list = Array::new();
            list.push(root);
            document.insert(key, Item::Value(Value::Array(list)));
        }
    }
    Ok((document.to_string(), added))
}

/// The text as it can be changed.
pub(super) fn parse(file: &Path, text: &str) -> Result<DocumentMut, ConfigError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start);
        ConfigError::NotToml {
            file: file.to_path_buf(),
            line: text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1,
            message: OneLine::capped(error.message(), 200),
        }
    })
}

/// One more at the end, on a line of its own where the others are. A comment behind the last one stays behind it.
pub(super) fn push(list: &mut Array, root: &str) {
    let text = |raw: Option<&toml_edit::RawString>| {
        raw.and_then(|raw| raw.as_str()).map(str::to_owned).unwrap_or_default()
    };
    let before = text(list.iter().last().and_then(|last| last.decor().prefix()));
    let behind = text(Some(list.trailing()));
    let (Some((_, indent)), Some((comment, closing))) =
        (before.rsplit_once('\n'), behind.rsplit_once('\n'))
    else {
        list.push(root);
        return;
    };
    list.push_formatted(Value::from(root).decorated(format!("{comment}\n{indent}"), ""));
    list.set_trailing(format!("\n{closing}"));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::path::Path;

    use super::{Added, with_root};

    fn added(text: &str) -> (String, Added) {
        with_root(Path::new("skillkeep.toml"), text, "~/more").unwrap()
    }

    #[test]
    fn a_root_is_added_and_all_else_stays() {
        for (text, expected, at) in [
            ("", "more-roots = [\"~/more\"]\n", Added::MoreRoots),
            ("# mine\n", "# mine\nmore-roots = [\"~/more\"]\n", Added::MoreRoots),
            ("# mine", "# mine\nmore-roots = [\"~/more\"]\n", Added::MoreRoots),
            (
                "# top\nroots = [\"a\"] # first\n\n[index]\nlimit = 9 # odd\n",
                "# top\nroots = [\"a\", \"~/more\"] # first\n\n[index]\nlimit = 9 # odd\n",
                Added::Roots,
            ),
            (
                "[index]\nlimit = 9\n# end\n",
                "more-roots = [\"~/more\"]\n[index]\nlimit = 9\n# end\n",
                Added::MoreRoots,
            ),
            (
                "more-roots = [\n  \"a\", # one\n  { path = \"b\" },\n]\n",
                "more-roots = [\n  \"a\", # one\n  { path = \"b\" },\n  \"~/more\",\n]\n",
                Added::MoreRoots,
            ),
            (
                "roots = [\n  \"a\", # last\n]\n",
                "roots = [\n  \"a\", # last\n  \"~/more\",\n]\n",
                Added::Roots,
            ),
            ("roots = []\n", "roots = [\"~/more\"]\n", Added::Roots),
        ] {
            assert_eq!(added(text), (expected.to_owned(), at), "{text}");
        }
    }

    #[test]
    fn what_is_no_list_and_no_toml_is_refused() {
        for text in ["roots = 3\n", "roots = [\n"] {
            assert!(with_root(Path::new("skillkeep.toml"), text, "x").is_err(), "{text}");
        }
    }
}
