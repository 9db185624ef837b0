//! Who is asked before a skill is written: the policies of the slot `provenance`, loaded once by each command that writes.

use std::sync::OnceLock;

use super::{Tell, World, error::CommandError, gate::Gate, policies::judge};
use crate::{
    change,
    decision::{Judgement, Slot, WriteRequest},
    judge::{Judge, combine},
    policy::Withheld,
};

/// The judges of a command, once they are loaded.
#[derive(Default)]
pub struct Judges(OnceLock<Judge>);

impl Judges {
    /// Loads those that the settings name, and says what is wrong with them. A second time it does nothing.
    ///
    /// # Errors
    /// Where this machine can't run any.
    pub fn load(&self, world: &World<'_>, out: &mut dyn Tell) -> Result<(), CommandError> {
        if self.0.get().is_none() {
            let gate = Gate::open(world, false);
            let (judge, despite) = judge(world, &gate, &world.config)?;
            for why in &despite {
                tell_despite(Slot::Provenance, why, out);
            }
            tell_settings(&judge, out);
            tell_failed(&judge, out);
            self.0.get_or_init(|| judge);
        }
        Ok(())
    }

    /// Seats judges that are loaded already, unless there are some.
    pub fn seat(&self, judge: Judge) {
        self.0.get_or_init(|| judge);
    }
}

impl change::Judge for Judges {
    fn judge(&self, write: &WriteRequest) -> Judgement {
        match self.0.get() {
            Some(judge) => judge.judge(write),
            // Nobody was loaded: what is in doubt is not let through.
            None => combine(write, &[]),
        }
    }
}

/// Says loudly that a component is loaded though it should not be.
pub fn tell_despite(slot: Slot, why: &Withheld, out: &mut dyn Tell) {
    out.warn(&format!("slot `{slot}`: {why}; it is loaded all the same, for development"));
    out.hint(&why.hint());
}

/// Says which settings no judge knows.
pub fn tell_settings(judge: &Judge, out: &mut dyn Tell) {
    for (warning, hint) in judge.warnings() {
        out.warn(&warning.to_string());
        out.hint(&hint);
    }
}

/// Says which judges did not load. Whether there was one.
pub fn tell_failed(judge: &Judge, out: &mut dyn Tell) -> bool {
    let mut any = false;
    for (name, error) in judge.failed() {
        any = true;
        out.warn(&format!("`{name}` does not load, and refuses what it would judge: {error}"));
        if let Some(hint) = error.hint() {
            out.hint(&hint);
        }
    }
    any
}
