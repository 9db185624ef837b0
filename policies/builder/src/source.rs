//! The hash of what a component is built from: its crate, the crates that it takes by path, its cases, the profile, and the
//! locked versions of what writes code into it. Tests and the native test kit are not in it, since they reach no component.
//! No path of the machine is in it either: the same crate has the same hash wherever it lies.

use crate::error::BuildError;
use crate::package::{CASES, Package};
use crate::toolchain::profile;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The hash of bytes as people see it.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash of everything that goes into a component.
///
/// # Errors
/// Where a source can't be read.
pub fn hash(package: &Package) -> Result<String, BuildError> {
    let crates = crates(package)?;
    let mut text = String::new();
    for (name, folder) in &crates {
        let mut files = vec![folder.join("Cargo.toml")];
        collect(&folder.join("src"), &mut files)?;
        collect(&folder.join("wit"), &mut files)?;
        if *folder == package.folder {
            collect(&folder.join(CASES), &mut files)?;
        }
        files.push(folder.join("build.rs"));
        files.sort();
        for file in files.iter().filter(|file| file.is_file()) {
            let within = file.strip_prefix(folder).unwrap_or(file);
            let within = within.to_string_lossy().replace('\\', "/");
            let bytes =
                std::fs::read(file).map_err(|error| BuildError::io("read", file, &error))?;
            text.push_str(&format!("{name}/{within} {}\n", digest(&bytes)));
        }
    }
    text.push_str(&profile().join("\n"));
    text.push_str(&locked(&package.root));
    Ok(digest(text.as_bytes()))
}

/// The crate and those that it takes by path, by name.
pub(crate) fn crates(package: &Package) -> Result<BTreeMap<String, PathBuf>, BuildError> {
    let mut crates = BTreeMap::new();
    gather(&package.folder, &package.root, &mut crates)?;
    Ok(crates)
}

fn gather(
    folder: &Path,
    root: &Path,
    crates: &mut BTreeMap<String, PathBuf>,
) -> Result<(), BuildError> {
    let manifest =
        table(&folder.join("Cargo.toml")).ok_or_else(|| BuildError::NoCrate(folder.to_owned()))?;
    let name = manifest.get("package").and_then(|it| it.get("name")).and_then(toml::Value::as_str);
    let name = name.unwrap_or_default().to_owned();
    if crates.contains_key(&name) {
        return Ok(());
    }
    crates.insert(name, folder.to_owned());
    let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
    for (name, dependency) in dependencies.into_iter().flatten() {
        let inherited = dependency.get("workspace").and_then(toml::Value::as_bool) == Some(true);
        let (value, base) = if inherited {
            let of_root = table(&root.join("Cargo.toml"));
            let of_root =
                of_root.and_then(|it| it.get("workspace")?.get("dependencies")?.get(name).cloned());
            (of_root, root)
        } else {
            (Some(dependency.clone()), folder)
        };
        let path = value.as_ref().and_then(|it| it.get("path")).and_then(toml::Value::as_str);
        if let Some(path) = path {
            let folder = base.join(path);
            let folder = folder
                .canonicalize()
                .map_err(|error| BuildError::io("find the folder", &folder, &error))?;
            gather(&folder, root, crates)?;
        }
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), BuildError> {
    // A crate may be without some of the folders.
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.map_err(|error| BuildError::io("list", folder, &error))?;
        let path = entry.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "testkit" && name != "tests" {
                collect(&path, files)?;
            }
        } else if [".rs", ".wit", ".md"].iter().any(|end| name.ends_with(end)) && name != "tests.rs"
        {
            files.push(path);
        }
    }
    Ok(())
}

fn table(path: &Path) -> Option<toml::Table> {
    std::fs::read_to_string(path).ok()?.parse().ok()
}

/// The locked versions of what generates bindings.
fn locked(root: &Path) -> String {
    let lock = table(&root.join("Cargo.lock")).unwrap_or_default();
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let mut lines = String::from("\n");
    for package in packages.into_iter().flatten() {
        let of = |key| package.get(key).and_then(toml::Value::as_str).unwrap_or_default();
        if of("name").starts_with("wit-") {
            lines.push_str(&format!("{} {} {}\n", of("name"), of("version"), of("checksum")));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::hash;
    use crate::{BuildError, Package};
    use std::fs;
    use std::path::Path;

    /// A crate with one that it takes by path, as `policy new` makes them.
    fn lay(folder: &Path) {
        let manifest = "[package]\nname = \"rule\"\nversion = \"1.2.3\"\n[lib]\ncrate-type = [\"cdylib\"]\n\
                        [dependencies]\nsdk = { path = \"sdk\" }\n[workspace]\n";
        for (path, text) in [
            ("Cargo.toml", manifest),
            ("src/lib.rs", "//! A rule."),
            ("cases/a.md", "## a"),
            ("tests/cases.rs", "fn main() {}"),
            ("sdk/Cargo.toml", "[package]\nname = \"sdk\"\n"),
            ("sdk/src/lib.rs", "//! An SDK."),
            ("sdk/src/testkit/mod.rs", "//! For tests."),
        ] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn the_hash_is_of_what_reaches_the_component_wherever_it_lies() {
        let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        lay(one.path());
        lay(&two.path().join("deeper"));
        let of = |folder: &Path| hash(&Package::read(folder).unwrap()).unwrap();
        let first = of(one.path());
        assert_eq!(first, of(&two.path().join("deeper")));
        for (path, text, changes) in [
            ("tests/cases.rs", "fn main() { }", false),
            ("sdk/src/testkit/mod.rs", "//! For other tests.", false),
            ("README.md", "# Rule", false),
            ("src/lib.rs", "//! Another rule.", true),
            ("cases/a.md", "## b", true),
            ("sdk/src/lib.rs", "//! Another SDK.", true),
        ] {
            let before = of(one.path());
            fs::write(one.path().join(path), text).unwrap();
            assert_eq!(before != of(one.path()), changes, "{path}");
        }
    }

    #[test]
    fn a_folder_that_is_no_policys_crate_says_what_it_lacks() {
        let folder = tempfile::tempdir().unwrap();
        let read = || Package::read(folder.path());
        assert!(matches!(read(), Err(BuildError::NoCrate(_))));
        for (manifest, expected) in [
            ("[package", "it is not TOML"),
            ("[workspace]\n", "found no `[package]`"),
            ("[package]\nname = \"a\"\n", "found no `crate-type` with `cdylib`"),
        ] {
            fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
            let error = read().unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(error.hints().len(), 1);
        }
        lay(folder.path());
        let package = read().unwrap();
        assert_eq!((package.name.as_str(), package.version.as_str()), ("rule", "1.2.3"));
    }
}
