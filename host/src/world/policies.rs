//! Policies as the settings name them: which judge, with what, and their bytes.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{World, error::CommandError, gate::Gate};
use crate::{
    config::{Config, from_home},
    decision::{Allowance, Slot, Value},
    judge::{Chosen, Judge},
    policy::{Assignment, Builtin, Engine, LoadError, MAX_COMPONENT_BYTES, Source, Withheld},
    system::{Kind, System},
};

/// What decides in a slot by the settings: what they name, or the slot's own. Several may.
#[must_use]
pub fn in_use(config: &Config, slot: Slot) -> Vec<String> {
    match config.slots.get(slot.word()).and_then(|config| config.use_.as_deref()) {
        Some(names @ [_, ..]) => names.to_vec(),
        _ => Builtin::of_slot(slot).map(|builtin| builtin.name.to_owned()).into_iter().collect(),
    }
}

/// What the config sets, by slot.
pub fn config_settings(config: &Config) -> BTreeMap<Slot, Vec<Assignment>> {
    let mut settings: BTreeMap<Slot, Vec<Assignment>> = BTreeMap::new();
    for (slot, config) in &config.slots {
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

/// How much of the usual limits the policies of a slot may use, by the settings.
#[must_use]
pub fn allowance(config: &Config, slot: Slot) -> Allowance {
    config.slots.get(slot.word()).map(|config| config.limits).unwrap_or_default()
}

/// The same of every slot.
#[must_use]
pub fn config_allowances(config: &Config) -> BTreeMap<Slot, Allowance> {
    Slot::ALL.into_iter().map(|slot| (slot, allowance(config, slot))).collect()
}

/// Loads the judges of writes that the settings name, with the settings and limits of their slot. Those that are loaded though nobody
/// said yes to them come beside, with why.
///
/// # Errors
/// Where this machine can't run any.
pub fn judge(
    world: &World<'_>,
    gate: &Gate<'_>,
    config: &Config,
) -> Result<(Judge, Vec<Withheld>), CommandError> {
    let mut despite = Vec::new();
    let chosen = in_use(config, Slot::Provenance).into_iter().map(|name| {
        let component = gate.admit(Slot::Provenance, &name).map(|admitted| {
            despite.extend(admitted.despite);
            (admitted.source, admitted.bytes)
        });
        Chosen { name: from_home(world.system, &config.home, &name), component }
    });
    let chosen = chosen.collect();
    let settings = config_settings(config).remove(&Slot::Provenance).unwrap_or_default();
    let within = allowance(config, Slot::Provenance);
    Ok((Judge::load(engine(world)?, chosen, &settings, within), despite))
}

/// Loads one policy as a judge of writes, with the config's settings and limits of the slot, whoever said yes to it. What is in
/// quarantine is not loaded.
///
/// # Errors
/// Where this machine can't run any.
pub fn judge_alone(world: &World<'_>, name: &str) -> Result<Judge, CommandError> {
    let given = Gate::open(world, false).given(Slot::Provenance, name);
    let component = given.map(|it| (it.source, it.bytes));
    let chosen = Chosen { name: name.to_owned(), component };
    let settings = config_settings(&world.config).remove(&Slot::Provenance).unwrap_or_default();
    let within = allowance(&world.config, Slot::Provenance);
    Ok(Judge::load(engine(world)?, vec![chosen], &settings, within))
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
            return Err(LoadError::unknown(name));
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
