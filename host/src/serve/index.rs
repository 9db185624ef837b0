//! The index of a session, decided by the generation that is current when it begins; and the same for trying a generation.

use std::path::PathBuf;

use super::Host;
use crate::{
    index::{Inputs, Made, Policies, Programs},
    judge::{self, Judge},
    roster::{Answers, Generation},
    system::OsSystem,
    tools::notes::Notes,
    world::{
        Tell as _, Where, World,
        asking::Wishes,
        error::CommandError,
        kept::{self, Kept},
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

/// An index with all that it was made from.
pub(super) struct Whole {
    pub(super) wishes: Wishes,
    pub(super) inputs: Inputs,
    pub(super) unit: crate::decision::Unit,
    pub(super) made: Made,
}

/// Makes an index of what is there now, by a generation.
///
/// # Errors
/// Where the limit holds no block.
pub(super) fn whole(
    world: &World<'_>,
    kept: &Kept,
    wishes: Wishes,
    generation: &Generation,
    notes: &mut Notes,
) -> Result<Whole, CommandError> {
    let (mut inputs, unit) = world.inputs(&wishes);
    let recalled = world.recall(kept, &wishes, &mut inputs);
    for problem in recalled.warnings.iter().chain(&recalled.findings) {
        notes.problem(problem);
    }
    let meter = world.meter(unit);
    let programs = Programs::new(world.system);
    let made = inputs.make(&world.library, meter.get(), &Policies::of(generation), &programs)?;
    meter.save(world.system);
    Ok(Whole { wishes, inputs, unit, made })
}

/// What a generation answers to the questions of the moment: the index of a session about which nothing is known, and all writes
/// that a rule can tell apart. This is what a candidate is tried on.
///
/// # Errors
/// Where no index can be made at all, in words.
pub fn answers(
    home: Option<&PathBuf>,
    roots: &[PathBuf],
    generation: &Generation,
) -> Result<Answers, String> {
    let place = Where { home: home.map(PathBuf::as_path), roots, for_agents: true };
    let made = || {
        let (world, kept) = kept::open(&OsSystem, &place)?;
        whole(&world, &kept, Wishes::default(), generation, &mut Notes::default())
    };
    let mut answers = made().map_err(|error| error.to_string())?.made.answers();
    let writes = judge::answers(&Judge::of(generation));
    answers.rows.extend(writes.rows);
    answers.fallbacks.extend(writes.fallbacks);
    Ok(answers)
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
        let generation = self.generation();
        let wishes = self.wishes(session);
        let Whole { wishes, inputs, unit, made } =
            whole(&world, &kept, wishes, &generation, &mut notes)?;
        for note in &made.decided.notes {
            if let Some(fallback) = &note.fallback {
                notes.warn(&format!("slot `{}`: policy `{}`: {fallback}", note.slot, note.policy));
                if let Some(hint) = fallback.hint(note.slot) {
                    notes.hint(&hint);
                }
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

    /// What a session wishes of its index.
    pub(super) fn wishes(&self, session: &str) -> Wishes {
        Wishes {
            session: Some(session.to_owned()),
            reader: self.agent().map(str::to_owned),
            ..Wishes::default()
        }
    }
}
