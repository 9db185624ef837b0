//! Whether a pass is due, told in milliseconds; one that is due is made by a process of its own, so that nobody waits for it.

use super::{cut_off, gate};
use crate::{
    curator::Wait,
    ledger::Access,
    system::System,
    world::{
        Tell, Where, World,
        error::{CommandError, Kind},
        store::Store,
    },
};

/// Begins a pass if one is due, and returns at once with what it waits for otherwise. Nothing of the library is read: whether
/// it is time hangs on none of it.
///
/// # Errors
/// Where there is no home, its ledger can't be opened, or the pass can't be begun.
pub fn begin_if_due(
    system: &dyn System,
    place: &Where<'_>,
    out: &mut dyn Tell,
) -> Result<Vec<Wait>, CommandError> {
    let world = World::unread(system, place)?;
    let store = Store::open(system, &world, Access::Add, out)?;
    let now = store.disk.now();
    store.ledger.defer(now)?;
    cut_off::end_if_nobody_is_at_it((&world, &store), out)?;
    let waits = gate(&world, &store.ledger, now)?.waits();
    if waits.is_empty() {
        begin(system, &world, place)?;
    }
    Ok(waits)
}

fn begin(system: &dyn System, world: &World<'_>, place: &Where<'_>) -> Result<(), CommandError> {
    let mut arguments: Vec<String> = ["curator", "run", "--due"].map(str::to_owned).to_vec();
    if let Some(home) = &world.home.path {
        arguments.extend(["--home".to_owned(), home.display().to_string()]);
    }
    for root in place.roots {
        arguments.extend(["--root".to_owned(), root.display().to_string()]);
    }
    let cant = |why: &str| {
        let message = format!("a pass is due and could not be begun: {why}");
        CommandError::new(Kind::Fault, message).hint("skillkeep curator run --due")
    };
    let program = world.program.as_ref().ok_or_else(|| cant("this program's file is not known"))?;
    system.begin(program, &arguments).map_err(|error| cant(&error.to_string()))
}
