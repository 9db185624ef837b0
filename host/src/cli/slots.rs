//! Who decides: policies by name or file, loaded or failed.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use super::{
    error::CommandError,
    options::{Plan, config_settings, from_home},
    world::World,
};
use crate::{
    decision::Slot,
    index::{InCharge, Policies, baseline},
    judge::{Chosen, Judge},
    policy::{
        BUILTINS, Builtin, Engine, LoadError, Loaded, MAX_COMPONENT_BYTES, SettingProblem, Source,
    },
    skill::nearest,
    system::{Kind, System},
};

/// An engine and the policies in charge of an index.
pub struct Slots {
    /// The engine.
    pub engine: Engine,
    demotion: Option<Charge>,
    /// Who shows everything where nobody demotes.
    nobody: &'static str,
    budget: Charge,
}

struct Charge {
    name: String,
    loaded: Result<Loaded, LoadError>,
}

impl Slots {
    /// Loads what the plan names, or the defaults. A policy that doesn't load is kept as its error: its slot falls back.
    ///
    /// # Errors
    /// Where this machine can't run any, or a policy refuses what an option sets.
    pub fn load(world: &World<'_>, plan: &Plan) -> Result<Slots, CommandError> {
        let engine = engine(world)?;
        let charge = |slot: Slot| {
            let name = match plan.policies.get(&slot) {
                Some(name) => name.clone(),
                None => Builtin::of_slot(slot)
                    .map_or_else(String::new, |builtin| builtin.name.to_owned()),
            };
            let given = plan.settings.get(&slot).map_or(&[][..], Vec::as_slice);
            let loaded = component(world.system, &name).and_then(|(source, bytes)| {
                Loaded::load(&engine, source, &bytes, Some(slot), given)
            });
            match loaded {
                // What was typed just now can be typed again; what stands in a file must not cost the block.
                Err(error) if error.is_typed() => Err(CommandError::from(error)),
                loaded => Ok(Charge { name, loaded }),
            }
        };
        // Side by side: each takes a millisecond, most of it unpacking compiled code.
        let agent = plan.inputs.agent;
        let demotes = agent.is_none_or(|agent| agent.demotion.is_some());
        let (demotion, budget) = rayon::join(
            || demotes.then(|| charge(Slot::Demotion)).transpose(),
            || charge(Slot::Budget),
        );
        let nobody = agent.map_or("", |agent| agent.title);
        let (demotion, budget) = (demotion?, budget?);
        Ok(Slots { engine, demotion, nobody, budget })
    }

    /// The policies, as an index takes them.
    #[must_use]
    pub fn policies(&self) -> Policies<'_> {
        Policies {
            engine: &self.engine,
            demotion: match &self.demotion {
                Some(charge) => charge.in_charge(),
                None => InCharge::Host { name: self.nobody, rule: baseline },
            },
            budget: self.budget.in_charge(),
        }
    }

    /// What a user should know of their settings, whatever comes of them, each with what to do about it.
    pub fn warnings(&self) -> impl Iterator<Item = (Slot, &SettingProblem, String)> {
        let demotion = self.demotion.as_ref().map(|charge| (Slot::Demotion, charge));
        demotion
            .into_iter()
            .chain([(Slot::Budget, &self.budget)])
            .filter_map(|(slot, charge)| Some((slot, charge.loaded.as_ref().ok()?)))
            .flat_map(|(slot, loaded)| {
                let named = loaded.source.named();
                loaded.warnings.iter().map(move |it| (slot, it, it.hint(&named)))
            })
    }
}

impl Charge {
    fn in_charge(&self) -> InCharge<'_> {
        match &self.loaded {
            Ok(policy) => InCharge::Policy(policy),
            Err(error) => InCharge::Failed { name: self.name.clone(), error },
        }
    }
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
