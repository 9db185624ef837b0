//! Whether a pass is being made now, by whoever.

use std::{io::ErrorKind, time::Duration};

use super::carry::CLAIM;
use crate::{system::At, world::store::Store};

/// Whether somebody holds the claim of the one pass that is made at a time. A home whose claim can't be asked for has none.
#[must_use]
pub fn is_under_way(store: &Store<'_>) -> bool {
    let at = At { top: &store.home.path, below: CLAIM };
    let taken = store.disk.lock(at, "looking whether a pass is made", Duration::ZERO);
    taken.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}
