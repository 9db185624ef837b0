//! The policies of the slot `curator` that the settings name, loaded once.

use crate::{
    config::{Combine, Config, from_home},
    curator::Seat,
    decision::Slot,
    policy::{Engine, LoadError, Loaded},
    world::{
        Tell, World,
        error::CommandError,
        gate::Gate,
        judges::tell_despite,
        policies::{allowance, config_settings, engine, in_use},
    },
};

/// Who is asked what becomes of skills.
pub struct Curators {
    engine: Engine,
    seats: Vec<(String, Result<Loaded, LoadError>)>,
    combine: Combine,
    given: Vec<String>,
}

impl Curators {
    /// Loads those that the settings name, and says what is wrong with them. One that does not load keeps its seat: nothing is
    /// changed without it.
    ///
    /// # Errors
    /// Where this machine can't run any.
    pub fn load(world: &World<'_>, out: &mut dyn Tell) -> Result<Curators, CommandError> {
        Curators::of(world, &world.config, &Gate::open(world, false), out)
    }

    /// The same by other settings than the home's, through the gate that goes with them.
    ///
    /// # Errors
    /// As [`Curators::load`].
    pub fn of(
        world: &World<'_>,
        config: &Config,
        gate: &Gate<'_>,
        out: &mut dyn Tell,
    ) -> Result<Curators, CommandError> {
        let names = in_use(config, Slot::Curator);
        let engine = engine(world)?;
        let settings = config_settings(config).remove(&Slot::Curator).unwrap_or_default();
        let within = allowance(config, Slot::Curator);
        let mut seats = Vec::with_capacity(names.len());
        for name in &names {
            let loaded = gate.admit(Slot::Curator, name).and_then(|admitted| {
                if let Some(why) = &admitted.despite {
                    tell_despite(Slot::Curator, why, out);
                }
                Loaded::load_within(
                    &engine,
                    admitted.source,
                    &admitted.bytes,
                    Some(Slot::Curator),
                    &settings,
                    within,
                )
            });
            let name = from_home(world.system, &config.home, name);
            if let Err(error) = &loaded {
                out.warn(&format!("`{name}` does not load, so no skill is touched: {error}"));
                if let Some(hint) = error.hint() {
                    out.hint(&hint);
                }
            }
            seats.push((name, loaded));
        }
        let slot = config.slots.get(Slot::Curator.word());
        // Of several that a person put together each may see something that the others don't.
        let combine = slot.and_then(|slot| slot.combine).unwrap_or(Combine::Any);
        let given = settings.iter().map(|it| format!("{}={}", it.key, it.value)).collect();
        Ok(Curators { engine, seats, combine, given })
    }

    /// What runs them.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How their opinions become one.
    #[must_use]
    pub fn combine(&self) -> Combine {
        self.combine
    }

    /// Settings of the slot that were given, as `KEY=VALUE`.
    #[must_use]
    pub fn given(&self) -> &[String] {
        &self.given
    }

    /// Whether any of them asks for one of these facts.
    #[must_use]
    pub fn ask_for(&self, keys: &[&str]) -> bool {
        let loaded = self.seats.iter().filter_map(|(_, loaded)| loaded.as_ref().ok());
        loaded.into_iter().any(|policy| keys.iter().any(|key| policy.info.asks_for(key)))
    }

    /// A setting of the first of them that has it, as a whole number.
    #[must_use]
    pub fn setting(&self, key: &str) -> Option<i64> {
        self.seats.iter().find_map(|(_, loaded)| match loaded.as_ref().ok()?.settings.get(key)? {
            crate::decision::Value::Integer(number) => Some(*number),
            _ => None,
        })
    }

    /// Their titles, in their order; of one that did not load the name that it was given.
    pub fn titles(&self) -> impl Iterator<Item = String> {
        self.seats.iter().map(|(name, loaded)| match loaded {
            Ok(policy) => policy.title(),
            Err(_) => name.clone(),
        })
    }

    /// As they are asked.
    #[must_use]
    pub fn seats(&self) -> Vec<Seat<'_>> {
        self.seats
            .iter()
            .map(|(name, loaded)| match loaded {
                Ok(policy) => Seat::Policy(policy),
                Err(error) => Seat::Failed { name: name.clone(), error },
            })
            .collect()
    }
}
