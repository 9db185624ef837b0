//! Who decides: policies by name or file, loaded or failed.

use rayon::prelude::*;

use super::options::Plan;
use crate::{
    decision::Slot,
    index::{InCharge, Policies, baseline},
    policy::{Engine, LoadError, Loaded, SettingProblem, Withheld},
    world::{Tell, World, error::CommandError, gate::Gate, judges::tell_despite, policies::engine},
};

/// An engine and the policies in charge of an index.
pub struct Slots {
    /// The engine.
    pub engine: Engine,
    demotion: Vec<Charge>,
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
        let charge = |slot: Slot, name: String| {
            let given = plan.settings.get(&slot).map_or(&[][..], Vec::as_slice);
            let within = plan.allowance(slot);
            let admitted = match plan.given.contains(&slot) {
                true => gate.given(slot, &name),
                false => gate.admit(slot, &name),
            };
            let mut despite = None;
            let loaded = admitted.and_then(|it| {
                despite = it.despite;
                Loaded::load_within(&engine, it.source, &it.bytes, Some(slot), given, within)
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
        let names = if demotes { plan.names(Slot::Demotion) } else { Vec::new() };
        let budget = plan.names(Slot::Budget).into_iter().next().unwrap_or_default();
        let (demotion, budget) = rayon::join(
            || names.into_par_iter().map(|name| charge(Slot::Demotion, name)).collect(),
            || charge(Slot::Budget, budget),
        );
        let nobody = agent.map_or("", |agent| agent.title);
        let (demotion, budget): (Result<Vec<_>, CommandError>, _) = (demotion, budget);
        let (demotion, budget) = (demotion?, budget?);
        Ok(Slots { engine, demotion, nobody, budget })
    }

    /// The policies, as an index takes them.
    #[must_use]
    pub fn policies(&self) -> Policies<'_> {
        Policies {
            engine: &self.engine,
            demotion: match self.demotion.as_slice() {
                [] => vec![InCharge::Host { name: self.nobody, rule: baseline }],
                charges => charges.iter().map(Charge::in_charge).collect(),
            },
            budget: self.budget.in_charge(),
        }
    }

    /// What a user should know of their settings, whatever comes of them, each with what to do about it.
    pub fn warnings(&self) -> impl Iterator<Item = (Slot, &SettingProblem, String)> {
        let known_elsewhere = move |slot: Slot, it: &SettingProblem| {
            // What another policy of the slot knows is no slip.
            slot == Slot::Demotion
                && self.demotion.iter().any(|other| {
                    other.loaded.as_ref().is_ok_and(|other| !other.warnings.contains(it))
                })
        };
        self.charges()
            .filter_map(|(slot, charge)| Some((slot, charge.loaded.as_ref().ok()?)))
            .flat_map(|(slot, loaded)| {
                let named = loaded.source.named();
                loaded.warnings.iter().map(move |it| (slot, it, it.hint(&named)))
            })
            .filter(move |(slot, it, _)| !known_elsewhere(*slot, it))
    }
}

impl Slots {
    fn charges(&self) -> impl Iterator<Item = (Slot, &Charge)> {
        let demotion = self.demotion.iter().map(|charge| (Slot::Demotion, charge));
        demotion.chain([(Slot::Budget, &self.budget)])
    }

    /// Says loudly what is loaded though nobody said yes to it.
    pub fn tell_despite(&self, out: &mut dyn Tell) {
        for (slot, charge) in self.charges() {
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
