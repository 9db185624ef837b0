//! The hash of what a component is built from: its crate, the SDK, the contract, the profile and the versions of the tools
//! that write code into it. Tests and the native test kit are not in it, since they reach no component.

use crate::component::Component;
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The hash of bytes as people see it.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash of everything that goes into a component.
pub fn hash(root: &Path, component: &Component) -> Result<String> {
    let mut files = Vec::new();
    for folder in [component.folder, "guest-sdk"] {
        files.push(root.join(folder).join("Cargo.toml"));
        collect(&root.join(folder).join("src"), &mut files)?;
    }
    files.push(root.join("guest-sdk/build.rs"));
    files.push(root.join("wit/policy-0.1/policy.wit"));
    files.sort();
    let mut text = String::new();
    for file in files {
        let name = file.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
        let bytes =
            std::fs::read(&file).with_context(|| format!("no source `{}`", file.display()))?;
        text.push_str(&format!("{name} {}\n", digest(&bytes)));
    }
    text.push_str(&profiles(root)?);
    text.push_str(&tools(root)?);
    Ok(digest(text.as_bytes()))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("no folder `{}`", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "testkit" && name != "tests" {
                collect(&path, files)?;
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            files.push(path);
        }
    }
    Ok(())
}

fn table(root: &Path, file: &str) -> Result<toml::Table> {
    let text = std::fs::read_to_string(root.join(file))?;
    text.parse().with_context(|| format!("`{file}` is not TOML"))
}

/// The profiles that the guests are built with.
fn profiles(root: &Path) -> Result<String> {
    let manifest = table(root, "Cargo.toml")?;
    let profiles = manifest.get("profile").context("no `[profile]` in `Cargo.toml`")?;
    let of = |name: &str| profiles.get(name).map(ToString::to_string).unwrap_or_default();
    Ok(format!("release {}\nguest {}\n", of("release"), of("guest")))
}

/// The locked versions of what generates bindings and wraps modules.
fn tools(root: &Path) -> Result<String> {
    let lock = table(root, "Cargo.lock")?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let mut lines = String::new();
    for package in packages.context("no packages in `Cargo.lock`")? {
        let of = |key| package.get(key).and_then(toml::Value::as_str).unwrap_or_default();
        if of("name").starts_with("wit-") {
            lines.push_str(&format!("{} {} {}\n", of("name"), of("version"), of("checksum")));
        }
    }
    Ok(lines)
}
