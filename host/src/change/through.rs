//! A folder gone through: all that lies in it, folder after folder, each listed once with the states of its files. Links are
//! told and never followed.

use std::collections::BTreeMap;

use super::{ChangeError, place::join, spot::Spot};
use crate::{
    ledger::Blob,
    system::{Kind, Stat},
};

/// What is met in a folder.
pub(super) enum Met {
    /// A folder, with its permissions. What is in it comes later.
    Folder(u32),
    /// A link, by what it holds.
    Link(Blob),
    /// A regular file, not opened yet.
    File(Stat),
    /// What has no bytes that could be kept, or no name that could be written down: what is wrong with it.
    Odd(&'static str),
}

/// Something in a folder, and where.
pub(super) struct Place<'p> {
    /// Below the folder that is gone through.
    pub inside: &'p str,
    /// Below the top.
    pub path: &'p str,
}

/// Goes through a folder and gives back its permissions. `meet` says of each folder whether what is in it is gone through
/// too; of anything else its word doesn't count.
pub(super) fn through(
    spot: Spot<'_>,
    folder: &str,
    meet: &mut dyn FnMut(Place<'_>, Met) -> Result<bool, ChangeError>,
) -> Result<u32, ChangeError> {
    let missing = || ChangeError::Missing { path: folder.to_owned(), there: Vec::new() };
    let top = spot.held(folder)?.filter(|held| held.kind == Kind::Folder).ok_or_else(missing)?;
    let mut left = vec![String::new()];
    while let Some(below) = left.pop() {
        let at = join(folder, &below);
        // One call for a folder with the states of its files: a scan of what is known does little else.
        let listed = spot.disk.list_and_look(&spot.path(&at), |_| true);
        let (entries, states) = spot.told("listing", &at, listed)?;
        let mut states: BTreeMap<String, Stat> = states.into_iter().collect();
        for entry in entries {
            let (inside, path) = (join(&below, &entry.name), join(&at, &entry.name));
            let met = match entry.kind {
                _ if entry.odd_name => Met::Odd("its name is no UTF-8"),
                Kind::Other => Met::Odd("it is a pipe, a socket or a device"),
                Kind::File => match states.remove(&entry.name) {
                    Some(state) => Met::File(state),
                    None => match spot.state(&path)? {
                        Some(state) => Met::File(state),
                        None => continue,
                    },
                },
                Kind::Folder => match spot.held(&path)? {
                    Some(held) => Met::Folder(held.mode),
                    None => continue,
                },
                Kind::Link => match spot.held(&path)? {
                    Some(held) => Met::Link(spot.blob(&path, &held)?),
                    None => continue,
                },
            };
            let is_folder = matches!(met, Met::Folder(_));
            if meet(Place { inside: &inside, path: &path }, met)? && is_folder {
                left.push(inside);
            }
        }
    }
    Ok(top.mode)
}
