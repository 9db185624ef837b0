//! From the settings and the lock to recruits: what is named, read, and let through the gate or not.

use std::path::PathBuf;

use crate::{
    config::{Config, from_home},
    decision::Slot,
    policy::{Builtin, LoadError, Withheld, digest},
    roster::Recruit,
    system::System,
    world::{
        gate::Gate,
        policies::{allowance, config_settings, in_use},
    },
};

/// A policy as the settings name it, with what was found there.
pub struct Named {
    /// The slot.
    pub slot: Slot,
    /// As the settings name it.
    pub name: String,
    /// Its file; none for one that comes with the host.
    pub file: Option<PathBuf>,
    /// Why it would not be loaded, were it not for `dev`.
    pub despite: Option<Withheld>,
    /// What a roster takes: its bytes, or why there are none, and the settings and limits of its slot.
    pub recruit: Recruit,
}

/// What decides by the settings, in the order of slots: all that they name, and each slot's own where they name nothing. What
/// may not be loaded is in its place with why.
#[must_use]
pub fn recruits(system: &dyn System, config: &Config, gate: &Gate<'_>) -> Vec<Named> {
    let settings = config_settings(config);
    let mut named = Vec::new();
    for slot in Slot::ALL {
        for name in in_use(config, slot) {
            let file = file_of(system, config, &name);
            let admitted = gate.admit(slot, &name);
            let despite = admitted.as_ref().ok().and_then(|it| it.despite.clone());
            let recruit = Recruit {
                name: from_home(system, &config.home, &name),
                component: admitted.map(|it| (it.source, it.bytes)),
                settings: settings.get(&slot).cloned().unwrap_or_default(),
                allowance: allowance(config, slot),
            };
            named.push(Named { slot, name, file, despite, recruit });
        }
    }
    named
}

/// The files of components that the settings name, each once.
#[must_use]
pub fn files(system: &dyn System, config: &Config) -> Vec<PathBuf> {
    let names = Slot::ALL.into_iter().flat_map(|slot| in_use(config, slot));
    let mut files: Vec<PathBuf> = names.filter_map(|name| file_of(system, config, &name)).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// Where a named component lies. A word that is no path names none.
fn file_of(system: &dyn System, config: &Config, name: &str) -> Option<PathBuf> {
    if Builtin::named(name).is_some() {
        return None;
    }
    let file = PathBuf::from(from_home(system, &config.home, name));
    file.is_absolute().then_some(file)
}

impl Named {
    /// SHA-256 of what is there, in hexadecimal, as far as it was read.
    #[must_use]
    pub fn digest(&self) -> Option<String> {
        match &self.recruit.component {
            Ok((_, bytes)) => Some(digest(bytes)),
            Err(LoadError::Withheld(why)) => match why {
                Withheld::NotPinned { found, .. } | Withheld::Changed { found, .. } => {
                    Some(found.clone())
                }
                Withheld::Quarantined { sha256, .. } => Some(sha256.clone()),
                Withheld::Unsigned { .. }
                | Withheld::BadSignature { .. }
                | Withheld::NoLock { .. } => None,
            },
            Err(_) => None,
        }
    }
}
