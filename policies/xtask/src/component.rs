//! The components of the project, and how a core module becomes one.

use crate::toolchain::{Toolchain, clean_of_paths};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use wit_component::{ComponentEncoder, DecodedWasm};
use wit_parser::WorldKey;

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
pub const fn all() -> [Component; 9] {
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
            name: "curator-minimal",
            world: "curator-policy",
            folder: "tests/fixtures/components/curator-minimal",
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

    /// Makes the built core module a component, and checks that no path of this machine stands in it.
    pub fn wrap(&self, root: &Path, toolchain: &Toolchain) -> Result<Vec<u8>> {
        let module = Toolchain::module(root, self.name);
        let bytes =
            std::fs::read(&module).with_context(|| format!("no module `{}`", module.display()))?;
        let component = ComponentEncoder::default()
            .module(&bytes)
            .and_then(|encoder| encoder.validate(true).encode())
            .with_context(|| format!("`{}` can't be made a component", self.name))?;
        self.is_of_its_world(&component)?;
        clean_of_paths(&component, root, toolchain)
            .with_context(|| format!("`{}` carries a path of this machine", self.name))?;
        Ok(component)
    }
}

impl Component {
    /// A component imports nothing but the types of `facts`, and exports its world's two interfaces.
    fn is_of_its_world(&self, component: &[u8]) -> Result<()> {
        let DecodedWasm::Component(resolve, world) = wit_component::decode(component)? else {
            bail!("`{}` is not a component", self.name);
        };
        let world = resolve.worlds.get(world).context("the component has no world")?;
        let names = |items: &mut dyn Iterator<Item = &WorldKey>| -> Vec<String> {
            items.map(|key| resolve.name_world_key(key)).collect()
        };
        let (imports, exports) =
            (names(&mut world.imports.keys()), names(&mut world.exports.keys()));
        let slot = self.world.trim_end_matches("-policy");
        let of = |interface: &str| format!("skillkeep:policy/{interface}@0.1.0");
        ensure!(
            imports == [of("facts")] || imports.is_empty(),
            "`{}` imports {imports:?}, expected nothing but `facts`",
            self.name
        );
        ensure!(
            exports == [of("policy"), of(slot)],
            "`{}` exports {exports:?}, expected `policy` and `{slot}`",
            self.name
        );
        Ok(())
    }
}
