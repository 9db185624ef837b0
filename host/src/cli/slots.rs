//! Who decides: policies by name or file, loaded or failed.

use super::options::Plan;
use crate::{
    decision::Slot,
    index::{InCharge, Policies, baseline},
    policy::{Builtin, Engine, LoadError, Loaded, SettingProblem, Withheld},
    world::{Tell, World, error::CommandError, gate::Gate, judges::tell_despite, policies::engine},
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
    /// Why it should not be loaded, where it is for development.
    despite: Option<Withheld>,
}

impl Slots {
    /// Loads what the plan names, or the defaults. A policy that doesn't load is kept as its error: its slot falls back.
    ///
    /// # Errors
    /// Where this machine can't run any, or a policy refuses what an option sets.
    pub fn load(world: &World<'_>, plan: &Plan) -> Result<Slots, CommandError> {
        Slots::load_through(world, plan, &Gate::open(world, plan.dev))
    }

    /// The same with another gate than the home's.
    ///
    /// # Errors
    /// As [`Slots::load`].
    pub fn load_through(
        world: &World<'_>,
        plan: &Plan,
        gate: &Gate<'_>,
    ) -> Result<Slots, CommandError> {
        let engine = engine(world)?;
        let charge = |slot: Slot| {
            let name = match plan.policies.get(&slot) {
                Some(name) => name.clone(),
                None => Builtin::of_slot(slot)
                    .map_or_else(String::new, |builtin| builtin.name.to_owned()),
            };
            let given = plan.settings.get(&slot).map_or(&[][..], Vec::as_slice);
            let admitted = match plan.given.contains(&slot) {
                true => gate.given(slot, &name),
                false => gate.admit(slot, &name),
            };
            let mut despite = None;
            let loaded = admitted.and_then(|it| {
                despite = it.despite;
                Loaded::load(&engine, it.source, &it.bytes, Some(slot), given)
            });
            match loaded {
                // What was typed just now can be typed again; what stands in a file must not cost the block.
                Err(error) if error.is_typed() => Err(CommandError::from(error)),
                loaded => Ok(Charge { name, loaded, despite }),
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

impl Slots {
    /// Says loudly what is loaded though nobody said yes to it.
    pub fn tell_despite(&self, out: &mut dyn Tell) {
        let demotion = self.demotion.as_ref().map(|charge| (Slot::Demotion, charge));
        for (slot, charge) in demotion.into_iter().chain([(Slot::Budget, &self.budget)]) {
            if let Some(why) = &charge.despite {
                tell_despite(slot, why, out);
            }
        }
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
