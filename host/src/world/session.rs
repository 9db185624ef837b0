//! What a session's index was decided from, kept for the next one and for `why --at`.

use std::{collections::BTreeMap, path::Path, time::Duration};

use super::{Tell, World, asking::Wishes, error::CommandError, kept::Kept, store::LEDGER};
use crate::{
    decision::{Slot, Unit},
    index::{Inputs, Made},
    ledger::{Access, Ledger},
    policy::Assignment,
    record::{About, Record, RecordError, Records, Shelf},
    system::Disk,
};

/// How long another process that writes is waited for: the index is out already, and somebody waits for this one.
const WAIT: Duration = Duration::from_millis(500);

/// An index as it was decided.
pub struct Decided<'a> {
    /// What was wished.
    pub wishes: &'a Wishes,
    /// What it was made from.
    pub inputs: &'a Inputs,
    /// The unit of its limit.
    pub unit: Unit,
    /// Settings of who decided.
    pub settings: &'a BTreeMap<Slot, Vec<Assignment>>,
    /// What came of it.
    pub made: &'a Made,
}

/// Keeps the decision of a session's index, where there is a home that knows any of its skills. A time that somebody made up
/// is no session's. What fails is said; the index is there all the same.
pub fn keep(world: &World<'_>, kept: &Kept, it: &Decided<'_>, out: &mut dyn Tell) {
    let known = it.inputs.kept.iter().any(Option::is_some);
    let (Some(session), Some(disk), Some(home)) =
        (it.wishes.session.as_deref(), world.system.disk(), &world.home.path)
    else {
        return;
    };
    let steered = it.wishes.now.is_some() || it.inputs.agent.is_some();
    if kept.ledger.is_none() || !known || steered {
        return;
    }
    if let Err(error) = write(world, it, session, (disk, home)) {
        let mut error = CommandError::from(error);
        error.message = format!("this decision was not recorded: {}", error.message);
        out.problem(&error);
    }
}

fn write(
    world: &World<'_>,
    it: &Decided<'_>,
    session: &str,
    (disk, home): (&dyn Disk, &Path),
) -> Result<(), RecordError> {
    let agent = it.wishes.reader.as_deref().unwrap_or_default();
    let words = |given: &Vec<Assignment>| -> Vec<String> {
        given.iter().map(|it| format!("{}={}", it.key, it.value)).collect()
    };
    let settings: BTreeMap<Slot, Vec<String>> =
        it.settings.iter().map(|(slot, given)| (*slot, words(given))).collect();
    let shelf = Shelf::of(&world.library, it.inputs, &it.made.candidates);
    let about = About { session, agent, unit: it.unit, settings: &settings };
    let record = Record::of(&about, it.inputs, it.made, Records::name_of(&shelf)?);
    let ledger = Ledger::open_within(&home.join(LEDGER), Access::Add, WAIT)?.ledger;
    let home = disk.resolve(home).unwrap_or_else(|_| home.to_owned());
    let records = Records::new(disk, &home);
    let stored = records.keep(&ledger, &record, &shelf, disk.now())?;
    if let Some(remembered) = &world.remembered {
        remembered.sessions.keep((agent, session), stored.name, record.begun(&shelf));
    }
    if stored.anew {
        records.sweep(&ledger, disk.now())?;
    }
    Ok(())
}
