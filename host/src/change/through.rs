//! A folder gone through: all that lies in it, folder after folder, each listed once with the states of its files. Links are
//! told and never followed.

use super::{ChangeError, place::join, spot::Spot};
use crate::{
    ledger::Blob,
    system::{Kind, Looked, Stat},
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
    through_listed(spot, folder, listed(spot, folder)?, meet)?;
    Ok(top.mode)
}

/// What lies in a folder, with the states of its files, by one call: a scan of what is known does little else.
pub(super) fn listed(spot: Spot<'_>, folder: &str) -> Result<Looked, ChangeError> {
    spot.told("listing", folder, spot.disk.list_and_look(&spot.path(folder), |_| true))
}

/// Goes through a folder that was listed.
pub(super) fn through_listed(
    spot: Spot<'_>,
    folder: &str,
    top: Looked,
    meet: &mut dyn FnMut(Place<'_>, Met) -> Result<bool, ChangeError>,
) -> Result<(), ChangeError> {
    let mut left = Vec::new();
    let mut next = Some((String::new(), top));
    while let Some((below, (entries, states))) = next {
        let at = join(folder, &below);
        // States come in the order of the entries, but for those that weren't looked at.
        let mut states = states.into_iter().peekable();
        for entry in entries {
            let (inside, path) = (join(&below, &entry.name), join(&at, &entry.name));
            let met = match entry.kind {
                _ if entry.odd_name => Met::Odd("its name is no UTF-8"),
                Kind::Other => Met::Odd("it is a pipe, a socket or a device"),
                Kind::File => match states.next_if(|(name, _)| *name == entry.name) {
                    Some((_, state)) => Met::File(state),
                    None => match spot.state(&path)? {
                        Some(state) => Met::File(state),
                        None => continue,
                    },
                },
                // By its path, as it is listed then: going down to it part by part takes as long as all the rest.
                Kind::Folder => match spot.state(&path)? {
                    Some(state) => Met::Folder(state.mode),
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
        next = match left.pop() {
            Some(below) => {
                let inside = listed(spot, &join(folder, &below))?;
                Some((below, inside))
            }
            None => None,
        };
    }
    Ok(())
}
