//! Builds the components of the policies and fixtures, and checks that the committed ones are current. How a component is
//! made stands in `skillkeep-build`.
#![allow(
    clippy::disallowed_methods,
    reason = "a task is an edge of its own: it reads and writes this folder"
)]

mod component;
mod manifest;

use anyhow::{Result, bail};
use component::{all, compile};
use manifest::{Entry, Manifest};
use skillkeep_build::{Toolchain, digest, hash};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask dist | cargo xtask check [--rebuild]";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = root()?;
    match args.as_slice() {
        ["dist"] => dist(&root),
        ["check"] => check(&root, false),
        ["check", "--rebuild"] => check(&root, true),
        _ => bail!(USAGE),
    }
}

fn root() -> Result<PathBuf> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    match crate_folder.ancestors().nth(2) {
        Some(root) if root.join("Cargo.lock").is_file() => Ok(root.to_owned()),
        _ => bail!("no `Cargo.lock` two folders above `{}`", crate_folder.display()),
    }
}

/// Builds everything and writes components and manifests.
fn dist(root: &Path) -> Result<()> {
    let toolchain = Toolchain::find()?;
    say(&format!("compiler: {}", toolchain.version))?;
    compile(root, &toolchain)?;
    let mut manifests: Vec<(&str, Manifest)> = Vec::new();
    for component in all() {
        let built = component.finish(root, &toolchain)?;
        let path = component.path(root);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, &built.bytes)?;
        say(&format!("{}: {} bytes", component.name, built.bytes.len()))?;
        let entry = Entry::new(&component, &toolchain, &built);
        match manifests.iter_mut().find(|(folder, _)| *folder == component.dist) {
            Some((_, manifest)) => manifest.components.push(entry),
            None => manifests.push((component.dist, Manifest { components: vec![entry] })),
        }
    }
    for (folder, manifest) in manifests {
        manifest.write(&root.join(folder))?;
    }
    Ok(())
}

/// Compares the committed components with their sources and, if asked, with a fresh build.
fn check(root: &Path, rebuild: bool) -> Result<()> {
    let mut wrong = Vec::new();
    let toolchain = if rebuild { Some(Toolchain::find()?) } else { None };
    if let Some(toolchain) = &toolchain {
        compile(root, toolchain)?;
    }
    for component in all() {
        let manifest = Manifest::read(&root.join(component.dist))?;
        let Some(entry) = manifest.of(component.name) else {
            wrong.push(format!("`{}` is in no manifest", component.name));
            continue;
        };
        let committed = std::fs::read(component.path(root))?;
        let mut ran = vec!["source hash", "committed bytes"];
        if entry.source != hash(&component.package(root)?)? {
            wrong.push(format!("the source of `{}` is newer than its component", component.name));
        }
        if entry.sha256 != digest(&committed) {
            wrong.push(format!("`{}` is not the file that its manifest names", component.name));
        }
        if let Some(toolchain) = &toolchain {
            ran.push("fresh build");
            let fresh = component.finish(root, toolchain)?.bytes;
            if entry.compiler == toolchain.version {
                ran.push("fresh bytes");
                if fresh != committed {
                    wrong.push(format!("a fresh build of `{}` has other bytes", component.name));
                }
            }
        }
        say(&format!("{}: compared {}", component.name, ran.join(", ")))?;
    }
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{}\nhint: cargo xtask dist", wrong.join("\n"))
}

fn say(line: &str) -> Result<()> {
    Ok(writeln!(stdout(), "{line}")?)
}
