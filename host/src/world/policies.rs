//! Policies as the settings name them: which judge, with what, and their bytes.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{World, error::CommandError};
use crate::{
    decision::{Slot, Value},
    judge::{Chosen, Judge},
    policy::{Assignment, BUILTINS, Builtin, Engine, LoadError, MAX_COMPONENT_BYTES, Source},
    skill::nearest,
    system::{Kind, System},
};

/// A policy that the config names by file is looked for beside the config.
pub fn from_home(home: &Path, name: &str) -> String {
    if name.ends_with(".wasm") && Path::new(name).is_relative() {
        home.join(name).to_string_lossy().into_owned()
    } else {
        name.to_owned()
    }
}

/// What the config sets, by slot.
pub fn config_settings(world: &World<'_>) -> BTreeMap<Slot, Vec<Assignment>> {
    let mut settings: BTreeMap<Slot, Vec<Assignment>> = BTreeMap::new();
    for (slot, config) in &world.config.slots {
        let Some(slot) = Slot::from_word(slot) else { continue };
        for (key, value) in &config.settings {
            let value = match value {
                toml::Value::Boolean(value) => Value::Boolean(*value),
                toml::Value::Integer(value) => Value::Integer(*value),
                toml::Value::Float(value) => Value::Real(*value),
                toml::Value::Array(values) => Value::Texts(
                    values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect(),
                ),
                other => {
                    Value::Text(other.as_str().map_or_else(|| other.to_string(), str::to_owned))
                }
            };
            settings.entry(slot).or_default().push(Assignment {
                key: key.clone(),
                value,
                untyped: false,
                from: "skillkeep.toml".to_owned(),
            });
        }
    }
    settings
}

/// The policies that judge writes, by name: those that the config lists, or the slot's own. Several may.
pub fn judging(world: &World<'_>) -> Vec<String> {
    let slot = Slot::Provenance;
    match world.config.slots.get(slot.word()).and_then(|config| config.use_.as_deref()) {
        Some(names @ [_, ..]) => {
            names.iter().map(|name| from_home(&world.config.home, name)).collect()
        }
        _ => Builtin::of_slot(slot).map(|builtin| builtin.name.to_owned()).into_iter().collect(),
    }
}

/// Loads the judges of writes: those that are named, with the config's settings of their slot.
///
/// # Errors
/// Where this machine can't run any.
pub fn judge(world: &World<'_>, names: Vec<String>) -> Result<Judge, CommandError> {
    let chosen = names.into_iter().map(|name| {
        let component = component(world.system, &name);
        Chosen { name, component }
    });
    let settings = config_settings(world).remove(&Slot::Provenance).unwrap_or_default();
    Ok(Judge::load(engine(world)?, chosen.collect(), &settings))
}

/// The engine, with the cache below the home. A stranger's component is compiled in a child of this very program.
pub fn engine(world: &World<'_>) -> Result<Engine, CommandError> {
    let folder = world.private_cache().map(|cache| cache.join("components"));
    Ok(Engine::new(folder.as_deref(), world.program.as_deref())?)
}

/// The bytes of a policy that is named: one that comes with the host, or a file. A file is read until two readings agree,
/// so that one that is being written is not taken by half.
pub fn component(
    system: &dyn System,
    name: &str,
) -> Result<(Source, Cow<'static, [u8]>), LoadError> {
    if let Some(builtin) = Builtin::named(name) {
        return Ok((Source::Builtin(builtin.name), Cow::Borrowed(builtin.bytes)));
    }
    let path = PathBuf::from(name);
    let unreadable = |reason: String| LoadError::Unreadable { path: name.to_owned(), reason };
    match system.stat(&path) {
        Err(_) if !name.contains('/') && !name.ends_with(".wasm") => {
            return Err(LoadError::Unknown { name: name.to_owned(), near: near(name) });
        }
        // A pipe would be waited for, and can't be read twice.
        Ok(stat) if stat.kind == Kind::Other => {
            return Err(unreadable("it is no regular file".to_owned()));
        }
        _ => {}
    }
    let once = || read_component(system, &path).map_err(|error| unreadable(error.to_string()));
    const TRIES: usize = 3;
    let mut bytes = once()?;
    for _ in 0..TRIES {
        let again = once()?;
        if again == bytes {
            return Ok((Source::File(path), Cow::Owned(bytes)));
        }
        bytes = again;
    }
    Err(unreadable("it changes while it is read".to_owned()))
}

fn read_component(system: &dyn System, path: &Path) -> std::io::Result<Vec<u8>> {
    system.read(path, MAX_COMPONENT_BYTES + 1)
}

fn near(name: &str) -> Option<String> {
    nearest(name, BUILTINS.iter().map(|builtin| builtin.name)).map(str::to_owned)
}
