//! The crate of a new policy, as files: a small rule that works, its cases, and the SDK, so that nothing else is needed.
//!
//! *Invariant*: pure. It says what is to be written and writes nothing.

mod name;

use std::path::Path;

use include_dir::{Dir, DirEntry, include_dir};
pub use name::{BadName, check_name};

use crate::decision::Slot;

static SDK: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../guest-sdk/src");
const SDK_MANIFEST: &str = include_str!("../../../guest-sdk/Cargo.toml");
const SDK_BUILD: &str = include_str!("../../../guest-sdk/build.rs");
const SDK_GUIDE: &str = include_str!("../../../guest-sdk/README.md");
const WIT: &str = include_str!("../../../wit/policy-0.1/policy.wit");
const DICTIONARY: &str = include_str!("../../../wit/policy-0.1/dictionary.toml");
const WORKSPACE: &str = include_str!("../../../Cargo.toml");
const LOCK: &str = include_str!("../../../Cargo.lock");
const README: &str = include_str!("../../scaffold/README.md");

/// The folder of the SDK in a new crate.
const VENDORED: &str = "skillkeep-policy";

/// Where a new crate takes the SDK from.
#[derive(Clone, Copy, Debug)]
pub enum Sdk<'a> {
    /// A copy in the crate.
    Copied,
    /// A folder of the machine.
    Folder(&'a Path),
}

/// The files of a new crate: path below its folder, and text.
#[must_use]
pub fn files(name: &str, slot: Slot, sdk: Sdk<'_>) -> Vec<(String, String)> {
    let (rule, cases, summary) = match slot {
        Slot::Demotion => (
            include_str!("../../scaffold/demotion/lib.rs"),
            include_str!("../../scaffold/demotion/rule.md"),
            "shows names only of categories that nobody uses",
        ),
        Slot::Budget => (
            include_str!("../../scaffold/budget/lib.rs"),
            include_str!("../../scaffold/budget/rule.md"),
            "gives all skills the longest form that fits for every one",
        ),
        Slot::Curator => (
            include_str!("../../scaffold/curator/lib.rs"),
            include_str!("../../scaffold/curator/rule.md"),
            "archives what was not used for some time",
        ),
        Slot::Provenance => (
            include_str!("../../scaffold/provenance/lib.rs"),
            include_str!("../../scaffold/provenance/rule.md"),
            "lets a person write, and stages every other write",
        ),
    };
    let type_name = type_name(name);
    let capital = sentence(summary);
    let rule = rule.replacen("SUMMARY", &format!("{capital}."), 1).replace("TYPE", &type_name);
    let tests = format!(
        "//! The files of `cases/`, each case a test.\n\nfn main() -> std::process::ExitCode {{\n    \
         skillkeep_policy::testkit::cases::harness::{slot}::<{}::{type_name}>(\"cases\")\n}}\n",
        name.replace('-', "_")
    );
    let mut files = vec![
        ("Cargo.toml".to_owned(), manifest(name, summary, sdk)),
        ("Cargo.lock".to_owned(), lock()),
        ("README.md".to_owned(), README.replace("NAME", name).replace("SUMMARY", &capital)),
        (".gitignore".to_owned(), "/target\n/*.wasm\n".to_owned()),
        ("src/lib.rs".to_owned(), rule),
        ("cases/rule.md".to_owned(), cases.to_owned()),
        ("tests/cases.rs".to_owned(), tests),
    ];
    if let Sdk::Copied = sdk {
        files.extend(vendored());
    }
    files
}

fn manifest(name: &str, summary: &str, sdk: Sdk<'_>) -> String {
    let path = match sdk {
        Sdk::Copied => VENDORED.to_owned(),
        Sdk::Folder(folder) => folder.display().to_string(),
    };
    let path = toml::Value::String(path);
    format!(
        "[package]\nname = \"{name}\"\ndescription = \"{summary}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         publish = false\n\n[lib]\ncrate-type = [\"cdylib\", \"rlib\"]\n\n[[test]]\nname = \"cases\"\n\
         harness = false\n\n[dependencies]\nskillkeep-policy = {{ path = {path} }}\n\n\
         # A workspace of its own, wherever it lies.\n[workspace]\n"
    )
}

/// Whether the SDK may depend on a crate of that name.
fn is_dependency(name: &str) -> bool {
    let lock: toml::Table = LOCK.parse().unwrap_or_default();
    let packages = lock.get("package").and_then(toml::Value::as_array);
    packages.into_iter().flatten().any(|package| {
        package.get("source").is_some()
            && package.get("name").and_then(toml::Value::as_str) == Some(name)
    })
}

/// The versions that this release was built and tested with; cargo drops those that the crate has no use for.
fn lock() -> String {
    let mut lock: toml::Table = LOCK.parse().unwrap_or_default();
    if let Some(toml::Value::Array(packages)) = lock.get_mut("package") {
        packages.retain(|package| package.get("source").is_some());
    }
    let text = toml::to_string(&lock).unwrap_or_default();
    format!("# The versions that the SDK was tested with.\n{text}")
}

/// The SDK as a crate that belongs to no workspace.
fn vendored() -> Vec<(String, String)> {
    fn walk(folder: &Dir<'_>, files: &mut Vec<(String, String)>) {
        for entry in folder.entries() {
            match entry {
                DirEntry::Dir(folder) => walk(folder, files),
                DirEntry::File(file) => {
                    let text = file.contents_utf8().unwrap_or_default().to_owned();
                    files.push((format!("{VENDORED}/src/{}", file.path().display()), text));
                }
            }
        }
    }
    let mut files = Vec::new();
    for (path, text) in [
        ("Cargo.toml", sdk_manifest().as_str()),
        ("build.rs", SDK_BUILD),
        ("README.md", SDK_GUIDE),
        ("wit/policy.wit", WIT),
        ("wit/dictionary.toml", DICTIONARY),
    ] {
        files.push((format!("{VENDORED}/{path}"), text.to_owned()));
    }
    walk(&SDK, &mut files);
    files
}

/// The SDK's manifest with what it takes from its workspace written out.
fn sdk_manifest() -> String {
    let mut manifest: toml::Table = SDK_MANIFEST.parse().unwrap_or_default();
    let workspace: toml::Table = WORKSPACE.parse().unwrap_or_default();
    let shared = workspace.get("workspace").and_then(|it| it.get("package"));
    if let Some(toml::Value::Table(package)) = manifest.get_mut("package") {
        for (key, value) in package.iter_mut() {
            if let (true, Some(shared)) =
                (value.get("workspace").is_some(), shared.and_then(|it| it.get(key)))
            {
                *value = shared.clone();
            }
        }
    }
    // Its own tests stay behind.
    manifest.remove("dev-dependencies");
    manifest.remove("lints");
    let text = toml::to_string(&manifest).unwrap_or_default();
    format!("# A copy of the SDK; `skillkeep policy new` makes a newer one.\n{text}")
}

fn type_name(name: &str) -> String {
    name.split('-').map(sentence).collect()
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn the_copied_sdk_belongs_to_no_workspace_and_keeps_its_dependencies() {
        let copied: toml::Table = sdk_manifest().parse().unwrap();
        assert!(!sdk_manifest().contains("workspace"), "{}", sdk_manifest());
        let original: toml::Table = SDK_MANIFEST.parse().unwrap();
        for key in ["dependencies", "build-dependencies", "target", "features"] {
            assert_eq!(copied.get(key), original.get(key), "{key}");
        }
    }

    #[test]
    fn every_file_of_a_crate_is_there_once_and_filled_in() {
        for slot in Slot::ALL {
            let files = files("my-rule-2", slot, Sdk::Copied);
            let mut paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
            let count = paths.len();
            paths.sort_unstable();
            paths.dedup();
            assert_eq!(paths.len(), count);
            for path in
                ["skillkeep-policy/wit/policy.wit", "skillkeep-policy/src/testkit/cases/parse.rs"]
            {
                assert!(paths.contains(&path), "{path}");
            }
            for (path, text) in files.iter().filter(|(path, _)| !path.starts_with(VENDORED)) {
                assert!(!text.contains("//! SUMMARY") && !text.contains("TYPE"), "{path}");
                assert!(path == "src/lib.rs" || !text.contains("NAME"), "{path}");
            }
            assert!(files.iter().any(|(path, text)| path == "src/lib.rs"
                && text.contains("pub struct MyRule2;")
                && text.contains("const SUMMARY: &'static str")));
        }
    }

    #[test]
    fn an_sdk_of_the_machine_is_not_copied() {
        let files = files("a", Slot::Budget, Sdk::Folder(Path::new("/sdk \"here\"")));
        assert!(files.iter().all(|(path, _)| !path.starts_with(VENDORED)));
        let manifest = files.iter().find(|(path, _)| path == "Cargo.toml").unwrap();
        let manifest: toml::Table = manifest.1.parse().unwrap();
        let path = manifest["dependencies"]["skillkeep-policy"]["path"].as_str();
        assert_eq!(path, Some("/sdk \"here\""));
    }
}
