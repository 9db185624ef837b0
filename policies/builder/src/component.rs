//! How a core module becomes a component, and what a component must be.

use crate::error::BuildError;
use crate::sections::About;
use wit_component::{ComponentEncoder, DecodedWasm};
use wit_parser::WorldKey;

/// A component that was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// The component, its sections included.
    pub bytes: Vec<u8>,
    /// The slot that it is for.
    pub slot: String,
    /// What it was built from.
    pub about: About,
    /// The files of cases in it.
    pub cases: Vec<String>,
}

const SLOTS: [&str; 4] = ["demotion", "budget", "curator", "provenance"];

/// Makes a core module a component, and validates it.
///
/// # Errors
/// Where the module was not built on the SDK.
pub fn wrap(module: &[u8]) -> Result<Vec<u8>, BuildError> {
    ComponentEncoder::default()
        .module(module)
        .and_then(|encoder| encoder.validate(true).encode())
        .map_err(|error| BuildError::Wrap(format!("{error:#}")))
}

/// The slot that a component is for: it imports nothing but the types of `facts`, and exports its world's two interfaces.
///
/// # Errors
/// Where it is of no world, or imports something.
pub fn slot_of(component: &[u8]) -> Result<String, BuildError> {
    let decoded = wit_component::decode(component);
    let Ok(DecodedWasm::Component(resolve, world)) = decoded else {
        return Err(BuildError::Wrap("it is no component".to_owned()));
    };
    let Some(world) = resolve.worlds.get(world) else {
        return Err(BuildError::Wrap("it has no world".to_owned()));
    };
    let names = |items: &mut dyn Iterator<Item = &WorldKey>| -> Vec<String> {
        items.map(|key| resolve.name_world_key(key)).collect()
    };
    let (imports, exports) = (names(&mut world.imports.keys()), names(&mut world.exports.keys()));
    let of = |interface: &str| format!("skillkeep:policy/{interface}@0.1.0");
    let listed = |names: &[String]| match names {
        [] => "nothing".to_owned(),
        names => format!("`{}`", names.join("`, `")),
    };
    let others: Vec<String> = imports.into_iter().filter(|name| *name != of("facts")).collect();
    if !others.is_empty() {
        return Err(BuildError::Imports(listed(&others)));
    }
    let slot = SLOTS.into_iter().find(|slot| exports == [of("policy"), of(slot)]);
    slot.map(str::to_owned).ok_or_else(|| BuildError::NoWorld(listed(&exports)))
}
