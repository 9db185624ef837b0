//! Rules as somebody names them to try or to compare: a policy or several, each with settings of its own.

use std::path::Path;

use crate::{
    config::Combine,
    curator::Seat,
    decision::Slot,
    past::Contender,
    policy::{Assignment, Builtin, Engine, LoadError, Loaded},
    world::{
        World,
        error::{CommandError, Kind},
        gate::Gate,
        policies::{component, config_settings, in_use},
    },
};

use super::super::{options::assignment_of, output::Output};

/// How a rule is written.
pub const FORM: &str = "\
A rule is the name of a policy that comes with the host, or a component's file. Behind a comma stand settings, and a plus \
joins policies that decide together: `curator-inactivity,archive-after-days=60`, `curator-decay+curator-outcome`.";

/// A rule that can be asked.
pub struct Rule {
    /// As it was named.
    pub name: String,
    /// The policies that it is made of.
    pub members: Vec<Loaded>,
}

impl Rule {
    /// Loads a rule for a slot. The settings of skillkeep.toml hold for the policies that it names, below those that were typed.
    ///
    /// # Errors
    /// Where a policy doesn't load, or refuses what is set.
    pub fn load(
        world: &World<'_>,
        engine: &Engine,
        slot: Slot,
        text: &str,
        out: &mut Output<'_>,
    ) -> Result<Rule, CommandError> {
        let gate = Gate::open(world, false);
        let used = in_use(&world.config, slot);
        let mut members = Vec::new();
        for (name, typed) in parts(world, text) {
            let mut given: Vec<Assignment> = match used.iter().any(|it| it == name) {
                true => config_settings(&world.config).remove(&slot).unwrap_or_default(),
                false => Vec::new(),
            };
            for setting in typed.split(',').filter(|it| !it.is_empty()) {
                given.push(assignment_of(setting, "the rule", name)?);
            }
            let admitted = gate.given(slot, name)?;
            let loaded = Loaded::load(engine, admitted.source, &admitted.bytes, Some(slot), &given)
                .map_err(|error| other_slot(name, slot, error))?;
            for warning in &loaded.warnings {
                if warning.is_typed() {
                    let error = CommandError::new(Kind::Usage, warning.to_string());
                    return Err(error.hint(warning.hint(&loaded.source.named())));
                }
                out.warn(&warning.to_string());
                out.hint(&warning.hint(&loaded.source.named()));
            }
            members.push(loaded);
        }
        Ok(Rule { name: text.to_owned(), members })
    }

    /// The rule as a contender on the past.
    #[must_use]
    pub fn contender<'a>(&'a self, engine: &'a Engine) -> Contender<'a> {
        let seats = self.members.iter().map(Seat::Policy).collect();
        Contender::Policies { engine, seats }
    }
}

/// A policy of another slot is a slip, and no fault of the policy's.
fn other_slot(name: &str, slot: Slot, error: LoadError) -> CommandError {
    let LoadError::OtherSlot { found, .. } = &error else { return error.into() };
    let found: Vec<String> = found.iter().map(|slot| format!("`{slot}`")).collect();
    let message =
        format!("`{name}` decides {}, and one for `{slot}` was expected", found.join(", "));
    CommandError::new(Kind::Usage, message).hint("skillkeep policy list")
}

/// The policies of a rule by their names, each with the settings that stand behind it. What is a file's name as a whole is
/// that file.
fn parts<'t>(world: &World<'_>, text: &'t str) -> Vec<(&'t str, &'t str)> {
    if Builtin::named(text).is_some() || world.system.stat(Path::new(text)).is_ok() {
        return vec![(text, "")];
    }
    let part = |part: &'t str| match part.split_once(',') {
        Some((name, settings)) => (name.trim(), settings),
        None => (part.trim(), ""),
    };
    text.split('+').map(part).collect()
}

/// The slots that the first policy of a rule decides.
///
/// # Errors
/// Where it can't be read, or is no policy.
pub fn slots_of(world: &World<'_>, engine: &Engine, text: &str) -> Result<Vec<Slot>, CommandError> {
    let name = parts(world, text).first().map_or(text, |(name, _)| *name).to_owned();
    let (source, bytes) = component(world.system, &name)?;
    Ok(Loaded::load(engine, source, &bytes, None, &[])?.inspection.slots)
}

/// How several curators become one, by the settings.
#[must_use]
pub fn combine(world: &World<'_>) -> Combine {
    let curator = world.config.slots.get(Slot::Curator.word());
    curator.and_then(|slot| slot.combine).unwrap_or(Combine::Any)
}
