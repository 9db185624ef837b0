//! Recorded decisions of a home, decided again: each with the policies that it was decided by, as long as their bytes are
//! found, or with others.

mod passes;

pub use passes::RecordedPass;

use std::{collections::BTreeMap, path::PathBuf};

use super::{World, error::CommandError, gate::Gate, store::no_home, swap};
use crate::{
    decision::{Slot, Value},
    index::{InCharge, Made, Meter, Policies, baseline},
    ledger::{Decided, Ledger},
    policy::{Assignment, BUILTINS, Engine, Loaded, Source},
    record::{Again, Record, Records, Shelf, SlotRecord},
    skill::Instant,
    system::Disk,
};

/// What a policy that decided is known by: slot, digest, settings.
type Known = (Slot, String, Vec<String>);

/// The recorded decisions of a home.
pub struct Recorded<'a> {
    world: &'a World<'a>,
    gate: Gate<'a>,
    engine: Engine,
    disk: &'a dyn Disk,
    home: PathBuf,
    user: Option<PathBuf>,
    loaded: BTreeMap<Known, Result<Loaded, String>>,
}

/// Who decides a record again.
#[derive(Clone, Default)]
pub struct Deciders {
    /// The demotion slot.
    pub demotion: Vec<Loaded>,
    /// The budget slot.
    pub budget: Option<Loaded>,
}

impl Deciders {
    /// The same with other policies in a slot.
    #[must_use]
    pub fn with(&self, slot: Slot, policies: &[Loaded]) -> Deciders {
        let mut other = self.clone();
        match slot {
            Slot::Demotion => other.demotion = policies.to_vec(),
            Slot::Budget => other.budget = policies.first().cloned(),
            Slot::Curator | Slot::Provenance => {}
        }
        other
    }
}

impl<'a> Recorded<'a> {
    /// Those of a world's home, to be decided on this engine.
    ///
    /// # Errors
    /// Where there is no home.
    pub fn of(world: &'a World<'a>, engine: Engine) -> Result<Recorded<'a>, CommandError> {
        let (Some(disk), Some(home)) = (world.system.disk(), &world.home.path) else {
            return Err(no_home());
        };
        Ok(Recorded {
            world,
            gate: Gate::open(world, false),
            engine,
            disk,
            home: disk.resolve(home).unwrap_or_else(|_| home.clone()),
            user: world.system.variable("HOME").map(PathBuf::from),
            loaded: BTreeMap::new(),
        })
    }

    /// Decisions from a time on, the oldest first.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn decisions(
        &self,
        ledger: &Ledger,
        since: Option<Instant>,
    ) -> Result<Vec<Decided>, CommandError> {
        let mut found = ledger.decisions(None, usize::MAX)?;
        found.retain(|it| since.is_none_or(|since| it.at >= since));
        found.reverse();
        Ok(found)
    }

    /// A decision's record, and what it was decided from.
    ///
    /// # Errors
    /// Why it can't be decided again, in words.
    pub fn open(&self, decided: &Decided) -> Result<(Record, Again), String> {
        let records = Records::new(self.disk, &self.home);
        let (record, shelf): (Record, Shelf) =
            records.read(decided).map_err(|error| error.to_string())?;
        let again = Again::of(&record, &shelf, self.user.as_deref());
        let again = again.map_err(|error| error.to_string())?;
        Ok((record, again))
    }

    /// Who decided a record; `but` a slot whose policies are not looked for, since others are put there.
    ///
    /// # Errors
    /// Whose bytes are not there any more, in words.
    pub fn deciders(&mut self, record: &Record, but: Option<Slot>) -> Result<Deciders, String> {
        let mut deciders = Deciders::default();
        for slot in record.slots.iter().filter(|slot| Some(slot.slot) != but) {
            let Some(policy) = self.policy(slot)? else { continue };
            match slot.slot {
                Slot::Demotion => deciders.demotion.push(policy),
                Slot::Budget => deciders.budget = Some(policy),
                Slot::Curator | Slot::Provenance => {}
            }
        }
        Ok(deciders)
    }

    /// Decides.
    ///
    /// # Errors
    /// Why it can't be, in words.
    pub fn decide(
        &self,
        again: &Again,
        deciders: &Deciders,
        meter: &dyn Meter,
    ) -> Result<Made, String> {
        let nobody = || InCharge::Host { name: "nobody", rule: baseline };
        let mut demotion: Vec<InCharge<'_>> =
            deciders.demotion.iter().map(InCharge::Policy).collect();
        if demotion.is_empty() {
            demotion.push(nobody());
        }
        let budget = deciders.budget.as_ref().map_or_else(nobody, InCharge::Policy);
        let policies = Policies { engine: &self.engine, demotion, budget };
        again.decide(meter, &policies).map_err(|error| error.to_string())
    }

    /// The policy that decided in a slot; none where the host did by itself.
    fn policy(&mut self, slot: &SlotRecord) -> Result<Option<Loaded>, String> {
        let Some(digest) = &slot.digest else {
            return match &slot.fallback {
                None => Ok(None),
                Some(why) => Err(format!("`{}` was not loaded then: {why}", slot.policy)),
            };
        };
        let known = (slot.slot, digest.clone(), slot.settings.clone());
        if let Some(loaded) = self.loaded.get(&known) {
            return loaded.clone().map(Some);
        }
        let loaded = self.load(slot, digest);
        self.loaded.insert(known, loaded.clone());
        loaded.map(Some)
    }

    fn load(&self, slot: &SlotRecord, digest: &str) -> Result<Loaded, String> {
        if self.gate.lock().is_ok_and(|lock| lock.quarantined(digest).is_some()) {
            return Err(format!("`{}` is in quarantine", slot.policy));
        }
        let ours = BUILTINS.into_iter().find(|builtin| builtin.digest == digest);
        let kept;
        let (source, bytes): (Source, &[u8]) = match ours {
            Some(builtin) => (Source::Builtin(builtin.name), builtin.bytes),
            None => {
                let gone = || format!("the bytes of `{}` are gone ({digest})", slot.policy);
                kept = swap::back(self.world.system, &self.home, &slot.source, digest)
                    .map_err(|_| gone())?;
                (Source::File(kept.path.clone()), &kept.kept.bytes)
            }
        };
        let given: Vec<Assignment> = slot
            .settings
            .iter()
            .filter_map(|text| text.split_once('='))
            .map(|(key, value)| Assignment {
                key: key.to_owned(),
                value: Value::Text(value.to_owned()),
                untyped: true,
                from: "the record".to_owned(),
            })
            .collect();
        Loaded::load_within(&self.engine, source, bytes, Some(slot.slot), &given, slot.limits)
            .map_err(|error| format!("`{}` doesn't load any more: {error}", slot.policy))
    }
}
