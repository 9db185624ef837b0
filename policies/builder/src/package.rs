//! A policy's crate as its manifest has it: name, version, where its module and its cases lie.

use crate::error::BuildError;
use crate::toolchain::{PROFILE, TARGET};
use std::path::{Path, PathBuf};

/// The folder of a crate's cases.
pub const CASES: &str = "cases";

/// A policy's crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The folder of its workspace: its own where it is in none.
    pub root: PathBuf,
    /// Where it is built.
    pub target: PathBuf,
    library: String,
}

impl Package {
    /// Reads a crate's manifest.
    ///
    /// # Errors
    /// Where there is none, or it is not a policy's.
    pub fn read(folder: &Path) -> Result<Self, BuildError> {
        let path = folder.join("Cargo.toml");
        let Ok(text) = std::fs::read_to_string(&path) else {
            return Err(BuildError::NoCrate(folder.to_owned()));
        };
        let folder = folder
            .canonicalize()
            .map_err(|error| BuildError::io("find the folder", folder, &error))?;
        let bad = |what: String, hint: &'static str| BuildError::BadCrate {
            path: path.clone(),
            what,
            hint,
        };
        let manifest: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            bad(format!("it is not TOML: {}", error.message()), "mend it by hand")
        })?;
        let package = manifest.get("package").and_then(toml::Value::as_table);
        let Some(package) = package else {
            return Err(bad(
                "found no `[package]`, expected a policy's crate".to_owned(),
                "name the folder of one crate of the workspace",
            ));
        };
        let name = package.get("name").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        let lib = manifest.get("lib").and_then(toml::Value::as_table);
        let kinds = lib.and_then(|lib| lib.get("crate-type")).and_then(toml::Value::as_array);
        if !kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind.as_str() == Some("cdylib"))) {
            return Err(bad(
                "found no `crate-type` with `cdylib` in `[lib]`, so that it has no module"
                    .to_owned(),
                "add `[lib]` with `crate-type = [\"cdylib\", \"rlib\"]`",
            ));
        }
        let root = workspace(&folder).unwrap_or_else(|| folder.clone());
        let version = match package.get("version") {
            Some(toml::Value::String(version)) => version.clone(),
            Some(_) => inherited_version(&root).unwrap_or_default(),
            None => String::new(),
        };
        let library = lib.and_then(|lib| lib.get("name")).and_then(toml::Value::as_str);
        let library = library.map_or_else(|| name.replace('-', "_"), str::to_owned);
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |folder| root.join(folder));
        Ok(Self { name, version, folder, root, target: target.join("wasm"), library })
    }

    /// Where the build leaves the crate's core module.
    #[must_use]
    pub fn module(&self) -> PathBuf {
        self.target.join(TARGET).join(PROFILE).join(&self.library).with_extension("wasm")
    }

    /// The crate's files of cases: name and text, by name.
    ///
    /// # Errors
    /// Where one can't be read.
    pub fn cases(&self) -> Result<Vec<(String, String)>, BuildError> {
        let folder = self.folder.join(CASES);
        let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        let mut cases = Vec::new();
        for path in entries.map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                let text = std::fs::read_to_string(&path)
                    .map_err(|error| BuildError::io("read", &path, &error))?;
                cases.push((name, text));
            }
        }
        cases.sort();
        Ok(cases)
    }
}

/// The folder of the workspace that a crate is in.
fn workspace(folder: &Path) -> Option<PathBuf> {
    let manifest = |folder: &Path| -> Option<toml::Table> {
        std::fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()
    };
    folder
        .ancestors()
        .find(|folder| manifest(folder).is_some_and(|manifest| manifest.contains_key("workspace")))
        .map(Path::to_owned)
}

fn inherited_version(root: &Path) -> Option<String> {
    let manifest: toml::Table =
        std::fs::read_to_string(root.join("Cargo.toml")).ok()?.parse().ok()?;
    let package = manifest.get("workspace")?.get("package")?;
    package.get("version").and_then(toml::Value::as_str).map(str::to_owned)
}
