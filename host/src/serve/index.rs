//! The index of a session, decided by the generation that is current when it begins; and the same for trying a generation.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Host, host::Reply};
use crate::{
    index::{Inputs, Made, Policies, Programs},
    judge::{self, Judge},
    roster::{Answers, Generation},
    skill::Session,
    system::{OsSystem, Stat},
    tools::notes::Notes,
    world::{
        Tell as _, Where, World,
        asking::Wishes,
        error::CommandError,
        kept::{self, Kept},
        policies::config_settings,
        session::{Decided, keep},
        warm::Now,
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
    let candidates = inputs.gather(&world.library, &programs, world.lines());
    let made = inputs.make_of(candidates, meter.get(), &Policies::of(generation))?;
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

/// What an index depends on, as far as it may change while the world and what is known of it don't.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    session: String,
    number: u64,
    generation: u64,
    holds: Session,
    /// The folders of programs.
    programs: Vec<Option<Stat>>,
}

/// Indexes that are kept at most, each of another session.
const MOST_INDEXES: usize = 64;

/// The indexes that were made last, one a session, the newest at the end. How often skills are used changes none: it is told with the
/// next session's.
#[derive(Default)]
pub(super) struct Indexes(Mutex<Vec<(Key, Printed)>>);

impl Indexes {
    fn get(&self, key: &Key) -> Option<Printed> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(of, _)| of == key).map(|(_, printed)| printed.clone())
    }

    fn has(&self, session: &str) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().any(|(of, _)| of.session == session)
    }

    fn keep(&self, key: Key, printed: Printed) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(of, _)| of.session != key.session);
        if all.len() >= MOST_INDEXES {
            all.remove(0);
        }
        all.push((key, printed));
    }
}

/// An index that no record knows of yet.
struct Unrecorded {
    world: Arc<World<'static>>,
    kept: Arc<Kept>,
    whole: Whole,
}

impl Unrecorded {
    /// Records it, and notes what goes wrong with that beside what is printed.
    fn keep(self, mut printed: Printed) -> Printed {
        let Unrecorded { world, kept, whole: Whole { wishes, inputs, unit, made } } = self;
        let settings = config_settings(&world.config);
        let decided =
            Decided { wishes: &wishes, inputs: &inputs, unit, settings: &settings, made: &made };
        let mut notes = Notes::default();
        keep(&world, &kept, &decided, &mut notes);
        // What was counted for it, too.
        world.meter(unit).save(world.system);
        printed.notes.extend(notes.into_lines());
        printed
    }
}

impl Host {
    /// The index of a session: the one that was made for it last, where it would be the same. What is made is recorded where there
    /// is a home, by the thread that made it: the first one of a session before anybody sees it, later ones, which go on from there,
    /// once they are given.
    ///
    /// An error is given where the settings are wrong, a root that was named is not there, or the limit holds no block.
    pub(super) fn index(&self, session: &str, reply: Reply<Result<Printed, CommandError>>) {
        match self.make_index(session) {
            Err(error) => reply.give(Err(error)),
            Ok((printed, None)) => reply.give(Ok(printed)),
            Ok((printed, Some(record))) => {
                let recording = self.recordings.begin();
                let blank = Printed {
                    text: String::new(),
                    generation: printed.generation,
                    notes: Vec::new(),
                };
                reply.give(Ok(printed));
                for note in record.keep(blank).notes {
                    tracing::warn!("{note}");
                }
                // The ledger is another one now: it is read before anybody waits for that.
                drop(self.now());
                drop(recording);
                self.stirred.note();
            }
        }
    }

    /// The index of a session, and what is still to be recorded of it.
    fn make_index(&self, session: &str) -> Result<(Printed, Option<Unrecorded>), CommandError> {
        let now = self.now()?;
        let generation = self.generation();
        let key = now.number.map(|number| Key {
            session: session.to_owned(),
            number,
            generation: generation.number(),
            holds: now.world.session(),
            programs: Programs::new(now.world.system).seen(),
        });
        if let Some(printed) = key.as_ref().and_then(|key| self.indexes.get(key)) {
            return Ok((printed, None));
        }
        self.recordings.wait();
        let (printed, record) = self.make_anew(session, now, &generation)?;
        let (printed, record) = match self.indexes.has(session) {
            true => (printed, Some(record)),
            false => (record.keep(printed), None),
        };
        if let Some(key) = key {
            self.indexes.keep(key, printed.clone());
        }
        Ok((printed, record))
    }

    fn make_anew(
        &self,
        session: &str,
        Now { world, kept, .. }: Now,
        generation: &Generation,
    ) -> Result<(Printed, Unrecorded), CommandError> {
        let mut notes = Notes::default();
        world.announce(&mut notes);
        let wishes = self.wishes(session);
        let whole = whole(&world, &kept, wishes, generation, &mut notes)?;
        let decided = &whole.made.decided;
        for note in &decided.notes {
            if let Some(fallback) = &note.fallback {
                notes.warn(&format!("slot `{}`: policy `{}`: {fallback}", note.slot, note.policy));
                if let Some(hint) = fallback.hint(note.slot) {
                    notes.hint(&hint);
                }
            }
        }
        let printed = Printed {
            text: decided.block.text.clone(),
            generation: generation.number(),
            notes: notes.into_lines(),
        };
        Ok((printed, Unrecorded { world, kept, whole }))
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
