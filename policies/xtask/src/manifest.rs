//! The manifest beside the components: what each was built from, by what, and what came out.

use crate::component::Component;
use anyhow::{Context, Result};
use skillkeep_build::{Built, Toolchain, digest};
use std::path::Path;

const FILE: &str = "manifest.toml";

/// The components of one folder.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// In the order of the build.
    pub components: Vec<Entry>,
}

/// One component.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file's name without its ending.
    pub name: String,
    /// The world of the contract.
    pub world: String,
    /// The hash of everything that it is built from.
    pub source: String,
    /// What the compiler says of itself.
    pub compiler: String,
    /// The hash of the component.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: usize,
}

impl Entry {
    /// Describes a component that was just built.
    pub fn new(component: &Component, toolchain: &Toolchain, built: &Built) -> Self {
        Self {
            name: component.name.to_owned(),
            world: component.world.to_owned(),
            source: built.about.source.clone(),
            compiler: toolchain.version.clone(),
            sha256: digest(&built.bytes),
            bytes: built.bytes.len(),
        }
    }
}

impl Manifest {
    /// The entry of a component.
    pub fn of(&self, name: &str) -> Option<&Entry> {
        self.components.iter().find(|entry| entry.name == name)
    }

    /// Writes the manifest into a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let mut text =
            String::from("# Written by `cargo xtask dist`; `cargo xtask check` compares.\n");
        for Entry { name, world, source, compiler, sha256, bytes } in &self.components {
            text.push_str(&format!(
                "\n[[component]]\nname = \"{name}\"\nworld = \"{world}\"\nsource = \"{source}\"\n\
                 compiler = \"{compiler}\"\nsha256 = \"{sha256}\"\nbytes = {bytes}\n"
            ));
        }
        Ok(std::fs::write(folder.join(FILE), text)?)
    }

    /// Reads the manifest of a folder.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("no manifest `{}`", path.display()))?;
        let table: toml::Table =
            text.parse().with_context(|| format!("`{}` is not TOML", path.display()))?;
        let list = table.get("component").and_then(toml::Value::as_array);
        let components = list
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter()
            .map(|entry| {
                let text = |key: &str| {
                    let value = entry.get(key).and_then(toml::Value::as_str);
                    value.map(str::to_owned).with_context(|| format!("no `{key}` in a component"))
                };
                let bytes = entry.get("bytes").and_then(toml::Value::as_integer);
                Ok(Entry {
                    name: text("name")?,
                    world: text("world")?,
                    source: text("source")?,
                    compiler: text("compiler")?,
                    sha256: text("sha256")?,
                    bytes: usize::try_from(bytes.context("no `bytes` in a component")?)?,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self { components })
    }
}
