//! The index of a session, decided by the generation that is current when it begins.

use super::Host;
use crate::{
    index::{Policies, Programs},
    tools::notes::Notes,
    world::{
        Tell as _,
        asking::Wishes,
        error::CommandError,
        kept,
        policies::config_settings,
        session::{Decided, keep},
    },
};

/// An index, printed, with what should be known beside it.
#[derive(Clone, Debug)]
pub struct Printed {
    /// The block.
    pub text: String,
    /// The number of the generation that decided it.
    pub generation: u64,
    /// What should be known beside it.
    pub notes: Vec<String>,
}

impl Host {
    /// Makes the index of a session, and records it where there is a home.
    ///
    /// # Errors
    /// Where the settings are wrong, a root that was named is not there, or the limit holds no block.
    pub fn index(&self, session: &str) -> Result<Printed, CommandError> {
        let mut notes = Notes::default();
        let (world, kept) = kept::open(self.system(), &self.place())?;
        world.announce(&mut notes);
        let wishes = Wishes {
            session: Some(session.to_owned()),
            reader: self.agent().map(str::to_owned),
            ..Wishes::default()
        };
        let (mut inputs, unit) = world.inputs(&wishes);
        let recalled = world.recall(&kept, &wishes, &mut inputs);
        for problem in recalled.warnings.iter().chain(&recalled.findings) {
            notes.problem(problem);
        }
        let generation = self.generation();
        let meter = world.meter(unit);
        let programs = Programs::new(world.system);
        let policies = Policies::of(&generation);
        let made = inputs.make(&world.library, meter.get(), &policies, &programs)?;
        meter.save(world.system);
        for note in &made.decided.notes {
            if let Some(fallback) = &note.fallback {
                notes.warn(&format!("slot `{}`: policy `{}`: {fallback}", note.slot, note.policy));
            }
        }
        let settings = config_settings(&world.config);
        let decided =
            Decided { wishes: &wishes, inputs: &inputs, unit, settings: &settings, made: &made };
        keep(&world, &kept, &decided, &mut notes);
        Ok(Printed {
            text: made.decided.block.text,
            generation: generation.number(),
            notes: notes.into_lines(),
        })
    }
}
