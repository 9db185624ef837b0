//! What a session's index was decided from, kept for the next one and for `why --at`.

use std::{collections::BTreeMap, path::Path, time::Duration};

use crate::{
    cli::{opening::Opening, options::DecisionArgs, output::Output},
    decision::Slot,
    index::Made,
    ledger::{Access, Ledger},
    record::{About, Record, RecordError, Records, Shelf},
    system::Disk,
    world::{error::CommandError, store::LEDGER},
};

/// How long another process that writes is waited for: the index is out already, and somebody waits for this one.
const WAIT: Duration = Duration::from_millis(500);

/// Keeps the decision of a session's index, where there is a home that knows any of its skills. A time that somebody made up
/// is no session's. What fails is said; the index was printed all the same.
pub fn keep(opening: &Opening<'_>, args: &DecisionArgs, made: &Made, out: &mut Output<'_>) {
    let Opening { world, plan, kept, .. } = opening;
    let known = plan.inputs.kept.iter().any(Option::is_some);
    let (Some(session), Some(disk), Some(home)) =
        (args.session.as_deref(), world.system.disk(), &world.home.path)
    else {
        return;
    };
    if kept.ledger.is_none() || !known || args.now.is_some() || plan.inputs.agent.is_some() {
        return;
    }
    let agent = args.reader.as_deref().unwrap_or_default();
    if let Err(error) = write(opening, (session, agent), made, (disk, home)) {
        let error = CommandError::from(error);
        out.warn(&format!("this decision was not recorded: {}", error.message));
        for hint in &error.hints {
            out.hint(hint);
        }
    }
}

fn write(
    opening: &Opening<'_>,
    (session, agent): (&str, &str),
    made: &Made,
    (disk, home): (&dyn Disk, &Path),
) -> Result<(), RecordError> {
    let Opening { world, plan, .. } = opening;
    let settings: BTreeMap<Slot, Vec<String>> = plan
        .settings
        .iter()
        .map(|(slot, given)| {
            (*slot, given.iter().map(|it| format!("{}={}", it.key, it.value)).collect())
        })
        .collect();
    let shelf = Shelf::of(&world.library, &plan.inputs, &made.candidates);
    let about = About { session, agent, unit: plan.unit, settings: &settings };
    let record = Record::of(&about, &plan.inputs, made, Records::name_of(&shelf)?);
    let ledger = Ledger::open_within(&home.join(LEDGER), Access::Add, WAIT)?.ledger;
    let home = disk.resolve(home).unwrap_or_else(|_| home.to_owned());
    let records = Records::new(disk, &home);
    if records.keep(&ledger, &record, &shelf, disk.now())? {
        records.sweep(&ledger, disk.now())?;
    }
    Ok(())
}
