//! Snapshots of a home's own roots: made before a pass retires anything, or because a person wants one.

use std::path::PathBuf;

use crate::{
    change::{By, Keeper, Looks, Snapshot, Snapshots},
    ledger::RootId,
    world::{World, error::CommandError, store::Store},
};

/// The roots that the home owns and that are there.
///
/// # Errors
/// Where the ledger can't be read.
pub fn owned_roots(store: &Store<'_>) -> Result<Vec<(RootId, PathBuf)>, CommandError> {
    let roots = store.ledger.roots()?;
    let owned = roots.into_iter().filter(|it| it.root.owned && store.owns(&it.root.path));
    Ok(owned.map(|it| (it.id, it.root.path)).collect())
}

/// Their writers.
///
/// # Errors
/// Law `owned`.
pub fn keepers<'s>(
    store: &'s Store<'_>,
    roots: &'s [(RootId, PathBuf)],
) -> Result<Vec<Keeper<'s>>, CommandError> {
    roots.iter().map(|(id, path)| Ok(store.keeper(*id, path)?)).collect()
}

/// What former snapshots saw of files. A file of its own beside that of scans, whose looks are about other files.
#[must_use]
pub fn looks(world: &World<'_>, store: &Store<'_>) -> Looks {
    let file = world.private_cache().map(|cache| cache.join(format!("kept-{}", store.home.id)));
    Looks::open(store.disk, file)
}

/// Makes a snapshot of all roots that the home owns.
///
/// # Errors
/// Where somebody else holds a root, or something can't be read or written: nothing is changed then.
pub fn snapshot(world: &World<'_>, store: &Store<'_>, by: &By) -> Result<Snapshot, CommandError> {
    let roots = owned_roots(store)?;
    let keepers = keepers(store, &roots)?;
    let mut looks = looks(world, store);
    let keep = world.config.curator.snapshots as usize;
    let snapshot = Snapshots::of(store.disk, &store.home).take(&keepers, by, keep, &mut looks)?;
    looks.close(store.disk);
    Ok(snapshot)
}
