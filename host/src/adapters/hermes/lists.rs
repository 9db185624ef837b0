//! Hermes's lists: which skills came with it, which were installed, which it put away and does not bring back.

use serde_json::Value;

use crate::{
    adapters::{
        said::{Claim, Left},
        text::{ForeignError, json_of, kind_of, shown, text_of},
    },
    ledger::Origin,
};

pub(super) const BUNDLED: &str = "skills/.bundled_manifest";
pub(super) const INSTALLED: &str = "skills/.hub/lock.json";
pub(super) const SUPPRESSED: &str = "skills/.curator_suppressed";

/// The version of the lock file that is known.
const LOCK_VERSION: u64 = 1;

/// `.bundled_manifest`: `NAME:MD5` a line, or the bare name in an older one.
///
/// # Errors
/// Where it is no text.
pub(super) fn bundled(bytes: &[u8], left: &mut Vec<Left>) -> Result<Vec<Claim>, ForeignError> {
    let mut claims = Vec::new();
    for (number, line) in (1..).zip(text_of(bytes)?.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // A plugin's skill has a colon in its name, and a hash has none.
        let (name, hash) = match line.rsplit_once(':') {
            Some((name, hash)) => (name.trim(), hash.trim()),
            None => (line, ""),
        };
        let is_hash =
            hash.is_empty() || hash.len() == 32 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        if name.is_empty() || !is_hash {
            let why =
                format!("found {}, expected NAME:MD5", shown(&Value::String(line.to_owned())));
            left.push(Left::new(BUNDLED, format!("line {number}"), why));
            continue;
        }
        let key = name.to_owned();
        claims.push(Claim { file: BUNDLED, key, folder: None, origin: Origin::Bundled });
    }
    Ok(claims)
}

/// `.hub/lock.json`: `{"installed": {NAME: {"install_path": FOLDER}}}`.
///
/// # Errors
/// Where it is no JSON mapping, or has no list.
pub(super) fn installed(bytes: &[u8], left: &mut Vec<Left>) -> Result<Vec<Claim>, ForeignError> {
    let lock = match json_of(bytes)? {
        Value::Object(lock) => lock,
        other => {
            return Err(ForeignError::NotMapping { place: "the whole", found: kind_of(&other) });
        }
    };
    if let Some(version) = lock.get("version").filter(|it| it.as_u64() != Some(LOCK_VERSION)) {
        let why = format!(
            "found {}, and {LOCK_VERSION} is known; the list is read as far as it is understood",
            shown(version)
        );
        left.push(Left::new(INSTALLED, "version", why));
    }
    let installed = match lock.get("installed") {
        Some(Value::Object(installed)) => installed,
        other => {
            let found = other.map_or("missing", kind_of);
            return Err(ForeignError::NotMapping { place: "`installed`", found });
        }
    };
    let mut claims = Vec::new();
    for (key, entry) in installed {
        let folder = match entry.get("install_path") {
            _ if !entry.is_object() => {
                let why =
                    format!("{}, and a mapping was expected; its name counts", kind_of(entry));
                left.push(Left::new(INSTALLED, format!("installed.{key}"), why));
                None
            }
            None | Some(Value::Null) => None,
            Some(Value::String(path)) if is_below(path) => Some(path.trim_matches('/').to_owned()),
            Some(path) => {
                let why = format!(
                    "found {}, expected a folder below the skills; its name counts",
                    shown(path)
                );
                left.push(Left::new(INSTALLED, format!("installed.{key}.install_path"), why));
                None
            }
        };
        claims.push(Claim {
            file: INSTALLED,
            key: key.clone(),
            folder: folder.filter(|folder| !folder.is_empty()),
            origin: Origin::Installed,
        });
    }
    Ok(claims)
}

fn is_below(path: &str) -> bool {
    !path.starts_with('/') && !path.split(['/', '\\']).any(|part| part == "..")
}

/// `.curator_suppressed`: a name a line.
///
/// # Errors
/// Where it is no text.
pub(super) fn suppressed(bytes: &[u8]) -> Result<Vec<String>, ForeignError> {
    let lines = text_of(bytes)?.lines().map(str::trim);
    let mut names: Vec<String> =
        lines.filter(|it| !it.is_empty() && !it.starts_with('#')).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// `.curator_suppressed` with these names in it as well; nothing where they are there, or none is given.
#[must_use]
pub fn suppressed_file<'n>(
    there: Option<&[u8]>,
    names: impl Iterator<Item = &'n str>,
) -> Option<Vec<u8>> {
    let mut all = suppressed(there.unwrap_or_default()).ok()?;
    let new: Vec<String> =
        names.filter(|name| !all.iter().any(|it| it == name)).map(str::to_owned).collect();
    if new.is_empty() {
        return None;
    }
    all.extend(new);
    all.sort();
    all.dedup();
    Some((all.join("\n") + "\n").into_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{bundled, installed, suppressed, suppressed_file};
    use crate::adapters::said::{Claim, Left};

    fn told(claims: &[Claim]) -> Vec<(&str, Option<&str>)> {
        claims.iter().map(|it| (it.key.as_str(), it.folder.as_deref())).collect()
    }

    fn lines(left: &[Left]) -> Vec<String> {
        left.iter().map(|it| format!("{}: {}", it.at, it.why)).collect()
    }

    #[test]
    fn a_manifest_is_read_in_both_of_its_versions_and_an_odd_line_is_told() {
        let text = "pdf:0123456789abcdef0123456789abcdef\n\n# note\nold-name\r\nplugin:x:0123456789ABCDEF0123456789abcdef\npdf:12\n:0123456789abcdef0123456789abcdef\n";
        let mut left = Vec::new();
        let claims = bundled(text.as_bytes(), &mut left).unwrap();
        assert_eq!(told(&claims), [("pdf", None), ("old-name", None), ("plugin:x", None)]);
        assert_eq!(
            lines(&left),
            [
                "line 6: found `\"pdf:12\"`, expected NAME:MD5",
                "line 7: found `\":0123456789abcdef0123456789abcdef\"`, expected NAME:MD5",
            ]
        );
    }

    #[test]
    fn a_lock_names_its_skills_by_folder_where_that_is_below() {
        let json = r#"{"version": 99, "installed": {"a": {"install_path": "cat/a/"}, "b": {}, "c": {"install_path": "../c"},
            "d": [], "e": {"install_path": 3}, "f": {"install_path": "/etc"}}}"#;
        let mut left = Vec::new();
        let claims = installed(json.as_bytes(), &mut left).unwrap();
        let none = ["b", "c", "d", "e", "f"].map(|key| (key, None));
        assert_eq!(told(&claims), [&[("a", Some("cat/a"))][..], &none].concat());
        assert_eq!(
            lines(&left),
            [
                "version: found `99`, and 1 is known; the list is read as far as it is understood",
                "installed.c.install_path: found `\"../c\"`, expected a folder below the skills; its name counts",
                "installed.d: a list, and a mapping was expected; its name counts",
                "installed.e.install_path: found `3`, expected a folder below the skills; its name counts",
                "installed.f.install_path: found `\"/etc\"`, expected a folder below the skills; its name counts",
            ]
        );
        for (json, message) in [
            ("[]", "the whole is a list, and a mapping was expected"),
            (r#"{"installed": []}"#, "`installed` is a list, and a mapping was expected"),
            (r#"{"version": 1}"#, "`installed` is missing, and a mapping was expected"),
        ] {
            assert_eq!(installed(json.as_bytes(), &mut left).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn a_suppression_is_a_name_a_line() {
        assert_eq!(suppressed(b"b\n# why\n\n a \nb\n").unwrap(), ["a", "b"]);
        assert!(suppressed(b"\xff").is_err());
        let with = |there: Option<&[u8]>, names: &[&'static str]| {
            suppressed_file(there, names.iter().copied())
        };
        assert_eq!(with(Some(b"b\n# why\n"), &["a", "b"]), Some(b"a\nb\n".to_vec()));
        assert_eq!(with(Some(b"b\n"), &["b"]), None);
        assert_eq!(with(None, &[]), None);
        // What can't be read is not written over.
        assert_eq!(with(Some(b"\xff"), &["a"]), None);
    }
}
