//! The built-in policies in this process, for tests that decide a hundred times: no program is started for each.

use std::{path::Path, sync::OnceLock};

use skillkeep::{
    decision::Slot,
    index::{CharMeter, InCharge, Inputs, Made, Policies, Programs, TooSmall},
    library::{Library, scan},
    policy::{Builtin, Engine, Loaded, Source},
    skill::{Instant, OneLine, Root},
    system::{MemorySystem, OsSystem},
};

use crate::support::shared_cache;

/// The time of all decisions here.
pub const NOW: Instant = Instant(1_790_000_000);

/// The engine and the two policies that come with the host.
pub struct Deciders {
    engine: Engine,
    demotion: Loaded,
    budget: Loaded,
}

impl Deciders {
    /// Loaded once for all tests.
    pub fn get() -> &'static Deciders {
        static ONE: OnceLock<Deciders> = OnceLock::new();
        ONE.get_or_init(|| {
            let engine = Engine::new(Some(&shared_cache().join("components")), None).unwrap();
            let load = |slot| {
                let builtin = Builtin::of_slot(slot).unwrap();
                Loaded::load(&engine, Source::Builtin(builtin.name), builtin.bytes, Some(slot), &[])
                    .unwrap()
            };
            let (demotion, budget) = (load(Slot::Demotion), load(Slot::Budget));
            Deciders { engine, demotion, budget }
        })
    }

    pub fn policies(&self) -> Policies<'_> {
        Policies {
            engine: &self.engine,
            demotion: vec![InCharge::Policy(&self.demotion)],
            budget: InCharge::Policy(&self.budget),
        }
    }

    /// An index in characters.
    pub fn make(&self, library: &Library, inputs: &Inputs) -> Result<Made, TooSmall> {
        inputs.make(library, &CharMeter, &self.policies(), &Programs::new(&MemorySystem::new()))
    }
}

/// Inputs of a session about which nothing is known.
pub fn inputs(limit: u32) -> Inputs {
    Inputs { now: NOW, short: 120, limit, ..Inputs::default() }
}

/// The library in a folder, without a cache.
pub fn library(folder: &Path) -> Library {
    let root = Root { path: folder.to_owned(), label: OneLine::new("test"), category: None };
    scan(&OsSystem, &[root], None)
}
