//! What a policy may be called: what a crate, a file and a flag can all be.

/// A name that can't be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found the name `{name}`, expected {expected}")]
pub struct BadName {
    /// The name.
    pub name: String,
    /// What a name is.
    pub expected: &'static str,
    /// A name that is near and could be.
    pub near: Option<String>,
}

const MOST: usize = 64;

/// Names that cargo or the SDK has taken.
const TAKEN: [&str; 9] = [
    "alloc",
    "core",
    "proc-macro",
    "skillkeep",
    "skillkeep-policy",
    "std",
    "test",
    "deps",
    "build",
];

/// Rust's own words can name no library.
const WORDS: [&str; 41] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "if", "impl", "in",
    "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try",
];

/// Whether a policy may be called that.
///
/// # Errors
/// Where it may not, with a name that is near.
pub fn check_name(name: &str) -> Result<(), BadName> {
    let bad = |expected: &'static str| {
        let near = mended(name);
        let near = (near != name && is_well_formed(&near) && !is_taken(&near)).then_some(near);
        Err(BadName { name: name.to_owned(), expected, near })
    };
    if !is_well_formed(name) {
        return bad("small letters, digits and single hyphens, a letter first, 64 at most");
    }
    if is_taken(name) {
        return bad("one that neither Rust nor the SDK has taken");
    }
    Ok(())
}

fn is_well_formed(name: &str) -> bool {
    name.len() <= MOST
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.ends_with('-')
        && !name.contains("--")
        && name.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-')
}

fn is_taken(name: &str) -> bool {
    TAKEN.contains(&name)
        || super::is_dependency(name)
        || WORDS.contains(&name)
        || ["type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield"]
            .contains(&name)
}

fn mended(name: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && before.is_ascii_lowercase() {
            out.push('-');
        }
        before = letter;
        if letter.is_ascii_alphanumeric() {
            out.push(letter.to_ascii_lowercase());
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    let trimmed = out.trim_start_matches(|it: char| !it.is_ascii_lowercase()).trim_matches('-');
    let cut: String = trimmed.chars().take(MOST).collect();
    if is_taken(&cut) { format!("{cut}-policy") } else { cut }
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn a_name_is_what_a_crate_and_a_file_can_be() {
        for name in ["a", "my-rule", "rule2", "keep-4-ever"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for (name, near) in [
            ("", None),
            ("MyRule", Some("my-rule")),
            ("my_rule", Some("my-rule")),
            ("2nd", Some("nd")),
            ("../up", Some("up")),
            ("a--b", Some("a-b")),
            ("a-", Some("a")),
            ("test", Some("test-policy")),
            ("match", Some("match-policy")),
            // Cargo could not tell the crate from what the SDK depends on.
            ("wit-bindgen", Some("wit-bindgen-policy")),
            ("規則", None),
        ] {
            let bad = check_name(name).unwrap_err();
            assert_eq!(bad.near.as_deref(), near, "{name}");
        }
    }
}
