//! Who judges: the policies of the slot, loaded or failed, each in its seat.

use std::borrow::Cow;

use crate::{
    decision::Slot,
    policy::{Assignment, Engine, LoadError, Loaded, SettingProblem, Source},
};

/// A policy that is to judge, as it was found.
pub struct Chosen {
    /// As it was named.
    pub name: String,
    /// Its bytes and where they are from, or why there are none.
    pub component: Result<(Source, Cow<'static, [u8]>), LoadError>,
}

/// The policies that judge writes, and what runs them.
pub struct Judge {
    pub(super) engine: Engine,
    pub(super) seats: Vec<Seat>,
}

/// One of them.
pub(super) struct Seat {
    pub(super) name: String,
    pub(super) loaded: Result<Loaded, LoadError>,
}

impl Judge {
    /// Loads what was chosen, all with the same settings. What doesn't load keeps its seat as its error: what is in doubt is
    /// refused, not let through.
    #[must_use]
    pub fn load(engine: Engine, chosen: Vec<Chosen>, settings: &[Assignment]) -> Judge {
        let seats = chosen.into_iter().map(|Chosen { name, component }| {
            let loaded = component.and_then(|(source, bytes)| {
                Loaded::load(&engine, source, &bytes, Some(Slot::Provenance), settings)
            });
            Seat { name, loaded }
        });
        let seats = seats.collect();
        Judge { engine, seats }
    }

    /// The policies, in their order: by title, or, where one did not load, by the name that it was given.
    pub fn titles(&self) -> impl Iterator<Item = String> {
        self.seats.iter().map(|seat| match &seat.loaded {
            Ok(policy) => policy.title(),
            Err(_) => seat.name.clone(),
        })
    }

    /// What did not load, by the name that it was given.
    pub fn failed(&self) -> impl Iterator<Item = (&str, &LoadError)> {
        self.seats.iter().filter_map(|seat| Some((seat.name.as_str(), seat.loaded.as_ref().err()?)))
    }

    /// Settings that none of the policies knows, each with what to do about it. One that another policy knows is no slip.
    pub fn warnings(&self) -> Vec<(&SettingProblem, String)> {
        let mut loaded = self.seats.iter().filter_map(|seat| seat.loaded.as_ref().ok());
        let Some(first) = loaded.next() else { return Vec::new() };
        let others: Vec<&Loaded> = loaded.collect();
        let unknown = |warning: &&SettingProblem| {
            others.iter().all(|policy| policy.warnings.iter().any(|it| it.key() == warning.key()))
        };
        let named = first.source.named();
        first.warnings.iter().filter(unknown).map(|it| (it, it.hint(&named))).collect()
    }
}
