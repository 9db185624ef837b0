//! The components of the project.

use anyhow::{Context, Result, ensure};
use skillkeep_build::{Built, Package, Toolchain, finish};
use std::path::{Path, PathBuf};

/// One component: a crate, and the world that it is for.
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// The crate and the file.
    pub name: &'static str,
    /// The world of the contract.
    pub world: &'static str,
    /// The crate's folder.
    pub folder: &'static str,
    /// Where the component is committed.
    pub dist: &'static str,
}

const POLICIES: &str = "policies/dist";
const FIXTURES: &str = "tests/fixtures/components";

/// Every component of the project, one a world at least.
pub const fn all() -> [Component; 19] {
    [
        Component {
            name: "demotion-toolset",
            world: "demotion-policy",
            folder: "policies/demotion-toolset",
            dist: POLICIES,
        },
        Component {
            name: "budget-ladder",
            world: "budget-policy",
            folder: "policies/budget-ladder",
            dist: POLICIES,
        },
        Component {
            name: "budget-progressive",
            world: "budget-policy",
            folder: "policies/budget-progressive",
            dist: POLICIES,
        },
        Component {
            name: "budget-claude-code",
            world: "budget-policy",
            folder: "policies/budget-claude-code",
            dist: POLICIES,
        },
        Component {
            name: "budget-codex",
            world: "budget-policy",
            folder: "policies/budget-codex",
            dist: POLICIES,
        },
        Component {
            name: "budget-openclaw",
            world: "budget-policy",
            folder: "policies/budget-openclaw",
            dist: POLICIES,
        },
        Component {
            name: "budget-hermes",
            world: "budget-policy",
            folder: "policies/budget-hermes",
            dist: POLICIES,
        },
        Component {
            name: "curator-inactivity",
            world: "curator-policy",
            folder: "policies/curator-inactivity",
            dist: POLICIES,
        },
        Component {
            name: "curator-outcome",
            world: "curator-policy",
            folder: "policies/curator-outcome",
            dist: POLICIES,
        },
        Component {
            name: "curator-decay",
            world: "curator-policy",
            folder: "policies/curator-decay",
            dist: POLICIES,
        },
        Component {
            name: "curator-negative",
            world: "curator-policy",
            folder: "policies/curator-negative",
            dist: POLICIES,
        },
        Component {
            name: "provenance-declared",
            world: "provenance-policy",
            folder: "policies/provenance-declared",
            dist: POLICIES,
        },
        Component {
            name: "provenance-open",
            world: "provenance-policy",
            folder: "policies/provenance-open",
            dist: POLICIES,
        },
        Component {
            name: "provenance-strict",
            world: "provenance-policy",
            folder: "policies/provenance-strict",
            dist: POLICIES,
        },
        Component {
            name: "curator-minimal",
            world: "curator-policy",
            folder: "tests/fixtures/components/curator-minimal",
            dist: FIXTURES,
        },
        Component {
            name: "curator-careless",
            world: "curator-policy",
            folder: "tests/fixtures/components/curator-careless",
            dist: FIXTURES,
        },
        Component {
            name: "budget-careless",
            world: "budget-policy",
            folder: "tests/fixtures/components/budget-careless",
            dist: FIXTURES,
        },
        Component {
            name: "provenance-careless",
            world: "provenance-policy",
            folder: "tests/fixtures/components/provenance-careless",
            dist: FIXTURES,
        },
        Component {
            name: "provenance-minimal",
            world: "provenance-policy",
            folder: "tests/fixtures/components/provenance-minimal",
            dist: FIXTURES,
        },
    ]
}

impl Component {
    /// Where the component is committed.
    pub fn path(&self, root: &Path) -> PathBuf {
        root.join(self.dist).join(self.name).with_extension("wasm")
    }

    /// Its crate.
    pub fn package(&self, root: &Path) -> Result<Package> {
        Ok(Package::read(&root.join(self.folder))?)
    }

    /// Makes the built core module a component of its world.
    pub fn finish(&self, root: &Path, toolchain: &Toolchain) -> Result<Built> {
        let built = finish(toolchain, &self.package(root)?)
            .with_context(|| format!("`{}` can't be made a component", self.name))?;
        let slot = self.world.trim_end_matches("-policy");
        ensure!(built.slot == slot, "`{}` is for `{}`, expected `{slot}`", self.name, built.slot);
        Ok(built)
    }
}

/// Builds the core modules of all of them at once.
pub fn compile(root: &Path, toolchain: &Toolchain) -> Result<()> {
    let names = all().map(|component| component.name);
    Ok(toolchain.compile(root, &root.join("target/wasm"), &names, &[])?)
}
