//! Asking the policies of the slot, each in its seat.

use crate::{
    decision::{CuratorRequest, Slot},
    index::{Fallback, InCharge, SlotNote, ask_or_nothing},
    laws::{Bite, Opinion, approve_fates},
    policy::Engine,
};

/// Who is asked.
pub type Seat<'a> = InCharge<'a>;

/// What all of them had to say.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Each policy's opinion, in their order; nothing of one that gave no answer that counts.
    pub opinions: Vec<Option<Opinion>>,
    /// How each came to it.
    pub notes: Vec<SlotNote>,
    /// Laws that threw an answer away.
    pub bites: Vec<Bite>,
}

impl Heard {
    /// The first policy that gave no answer that counts, and why: then nothing is changed, for it may have had a word against
    /// it.
    #[must_use]
    pub fn failed(&self) -> Option<(&SlotNote, &Fallback)> {
        self.notes.iter().find_map(|note| Some((note, note.fallback.as_ref()?)))
    }
}

/// Asks all of them about these rows. The question is made for each of what it asks for.
#[must_use]
pub fn hear(
    engine: &Engine,
    seats: &[Seat<'_>],
    rows: usize,
    question: impl Fn(&dyn Fn(&str) -> bool) -> CuratorRequest,
) -> Heard {
    let mut heard = Heard::default();
    for seat in seats {
        let (opinion, note, bites) = ask_or_nothing(
            Slot::Curator,
            seat,
            |policy| policy.curator(engine, question(&|key| policy.info.asks_for(key))),
            |answer, declared| approve_fates(answer, declared, rows),
        );
        heard.opinions.push(opinion);
        heard.notes.push(note);
        heard.bites.extend(bites);
    }
    heard
}
