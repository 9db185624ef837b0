//! Who is tried on the past: policies in their seats, and the two that bound them.

use xxhash_rust::xxh3::xxh3_64;

use super::{replay::DAY, soon::Soon};
use crate::{
    curator::{Heard, Seat, Subject, hear, question},
    decision::{Allowance, Fate, Reasoned, Slot},
    index::SlotNote,
    laws::Opinion,
    policy::Engine,
    skill::{Instant, OneLine},
};

/// Who is tried.
pub enum Contender<'a> {
    /// Policies that decide together, as in the slot.
    Policies {
        /// What runs them.
        engine: &'a Engine,
        /// They.
        seats: Vec<Seat<'a>>,
    },
    /// Sees the future, and retires what nobody wants within the window.
    Oracle,
    /// Retires nothing.
    Never,
}

impl Contender<'_> {
    /// What it has to say of these skills at a time. Only who sees the future looks at `soon`: one for each of them.
    pub(super) fn hear(&self, subjects: &[Subject], soon: &[&Soon], now: Instant) -> Heard {
        match self {
            Contender::Policies { engine, seats } => {
                // The same for the same day, so that a second run is the same too.
                let seed = xxh3_64(&now.0.div_euclid(DAY).to_le_bytes());
                hear(engine, seats, subjects.len(), |asked| question(subjects, now, seed, asked))
            }
            Contender::Oracle => {
                let fates = soon.iter().map(|soon| (!soon.is(now)).then_some((Fate::Archive, 0)));
                let why = Reasoned {
                    code: OneLine::new("unwanted"),
                    text: OneLine::new("nobody wants it within the window"),
                };
                native(
                    "oracle",
                    Opinion {
                        fates: fates.collect(),
                        reasons: vec![Some(why)],
                        ..Opinion::default()
                    },
                )
            }
            Contender::Never => {
                native("never", Opinion { fates: vec![None; subjects.len()], ..Opinion::default() })
            }
        }
    }
}

/// What one of the host's own says.
fn native(name: &str, opinion: Opinion) -> Heard {
    let note = SlotNote {
        slot: Slot::Curator,
        policy: name.to_owned(),
        source: name.to_owned(),
        digest: None,
        generation: None,
        allowance: Allowance::default(),
        fallback: None,
        fuel: 0,
        fuel_limit: 0,
        rows: opinion.fates.len(),
        micros: 0,
    };
    Heard { opinions: vec![Some(opinion)], notes: vec![note], bites: Vec::new() }
}
