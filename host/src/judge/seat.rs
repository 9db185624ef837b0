//! Who judges: the policies of the slot, loaded or failed, each in its seat.

use std::{borrow::Cow, sync::Arc};

use crate::{
    decision::{Allowance, Slot},
    policy::{Assignment, Engine, LoadError, Loaded, SettingProblem, Source},
    roster::{Generation, Member},
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
    /// The number of the generation whose policies they are.
    pub(super) generation: Option<u64>,
}

/// One of them.
pub(super) struct Seat {
    pub(super) name: String,
    pub(super) who: Who,
}

/// Who sits there.
pub(super) enum Who {
    /// A policy that was loaded for this judge alone, or was not to be loaded.
    Own(Box<Result<Loaded, LoadError>>),
    /// One of a generation, asked under its watch.
    Member(Arc<Member>),
}

impl Judge {
    /// Loads what was chosen, all with the same settings and limits. What doesn't load keeps its seat as its error: what is in doubt is
    /// refused, not let through.
    #[must_use]
    pub fn load(
        engine: Engine,
        chosen: Vec<Chosen>,
        settings: &[Assignment],
        allowance: Allowance,
    ) -> Judge {
        let seats = chosen.into_iter().map(|Chosen { name, component }| {
            let loaded = component.and_then(|(source, bytes)| {
                let slot = Some(Slot::Provenance);
                Loaded::load_within(&engine, source, &bytes, slot, settings, allowance)
            });
            Seat { name, who: Who::Own(Box::new(loaded)) }
        });
        let seats = seats.collect();
        Judge { engine, seats, generation: None }
    }

    /// The judges of a generation, which is as cheap as counting them. Where it has none, nothing is let through.
    #[must_use]
    pub fn of(generation: &Generation) -> Judge {
        let seats = generation.of(Slot::Provenance).map(|member| Seat {
            name: member.name().to_owned(),
            who: Who::Member(Arc::clone(member)),
        });
        Judge {
            engine: generation.engine().clone(),
            seats: seats.collect(),
            generation: Some(generation.number()),
        }
    }

    /// The policies, in their order: by title, or, where one did not load, by the name that it was given.
    pub fn titles(&self) -> impl Iterator<Item = String> {
        self.seats.iter().map(|seat| match seat.policy() {
            Some(policy) => policy.title(),
            None => seat.name.clone(),
        })
    }

    /// What did not load, by the name that it was given.
    pub fn failed(&self) -> impl Iterator<Item = (&str, &LoadError)> {
        self.seats.iter().filter_map(|seat| Some((seat.name.as_str(), seat.load_error()?)))
    }

    /// Settings that none of the policies knows, each with what to do about it. One that another policy knows is no slip.
    pub fn warnings(&self) -> Vec<(&SettingProblem, String)> {
        let mut loaded = self.seats.iter().filter_map(Seat::policy);
        let Some(first) = loaded.next() else { return Vec::new() };
        let others: Vec<&Loaded> = loaded.collect();
        let unknown = |warning: &&SettingProblem| {
            others.iter().all(|policy| policy.warnings.iter().any(|it| it.key() == warning.key()))
        };
        let named = first.source.named();
        first.warnings.iter().filter(unknown).map(|it| (it, it.hint(&named))).collect()
    }
}

impl Seat {
    fn policy(&self) -> Option<&Loaded> {
        match &self.who {
            Who::Own(loaded) => loaded.as_ref().as_ref().ok(),
            Who::Member(member) => member.policy(),
        }
    }

    fn load_error(&self) -> Option<&LoadError> {
        match &self.who {
            Who::Own(loaded) => loaded.as_ref().as_ref().err(),
            Who::Member(member) => member.load_error(),
        }
    }
}
