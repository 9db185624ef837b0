//! Who decides in a slot: one policy with its settings, loaded or not.

use std::{borrow::Cow, sync::Arc};

use super::{
    Circuit, Held, Mark, Tally, Ticket, Trust,
    watch::{Came, Watch},
};
use crate::{
    decision::{Allowance, Slot},
    policy::{Assignment, BUILTINS, Builtin, Call, Engine, LoadError, Loaded, Source},
    skill::{Instant, OneLine, nearest},
};

/// A policy that is to become a member, as it was found.
#[derive(Clone)]
pub struct Recruit {
    /// As it was named.
    pub name: String,
    /// Its bytes and where they are from, or why there are none.
    pub component: Result<(Source, Cow<'static, [u8]>), LoadError>,
    /// Its settings.
    pub settings: Vec<Assignment>,
    /// How much of the usual limits it may use.
    pub allowance: Allowance,
}

impl Recruit {
    /// A policy that comes with the host, by its name.
    #[must_use]
    pub fn builtin(name: &str) -> Recruit {
        let component = match Builtin::named(name) {
            Some(builtin) => Ok((Source::Builtin(builtin.name), Cow::Borrowed(builtin.bytes))),
            None => {
                let near = nearest(name, BUILTINS.iter().map(|builtin| builtin.name));
                Err(LoadError::Unknown { name: name.to_owned(), near: near.map(str::to_owned) })
            }
        };
        let allowance = Allowance::default();
        Recruit { name: name.to_owned(), component, settings: Vec::new(), allowance }
    }

    /// The policy that decides in a slot where nobody says otherwise; none where the host brings none.
    #[must_use]
    pub fn of_slot(slot: Slot) -> Option<Recruit> {
        Some(Recruit::builtin(Builtin::of_slot(slot)?.name))
    }

    /// A component that was read from a file.
    #[must_use]
    pub fn file(path: impl Into<std::path::PathBuf>, bytes: Vec<u8>) -> Recruit {
        let path = path.into();
        let name = path.display().to_string();
        let component = Ok((Source::File(path), Cow::Owned(bytes)));
        let allowance = Allowance::default();
        Recruit { name, component, settings: Vec::new(), allowance }
    }

    /// The same with these settings.
    #[must_use]
    pub fn with(mut self, settings: Vec<Assignment>) -> Recruit {
        self.settings = settings;
        self
    }

    /// The same within these limits.
    #[must_use]
    pub fn within(mut self, allowance: Allowance) -> Recruit {
        self.allowance = allowance;
        self
    }
}

/// How a member stands before it is asked.
#[derive(Clone)]
pub(super) enum State {
    Ready(Arc<Loaded>),
    Failed(LoadError),
    Quarantined(Mark),
}

/// A policy in a slot of a generation. It stays the same member in later generations for as long as its bytes, settings and
/// limits do, with its counts and its trust.
pub struct Member {
    slot: Slot,
    name: String,
    digest: Option<String>,
    given: Vec<Assignment>,
    pub(super) state: State,
    pub(super) watch: Watch,
}

impl Member {
    pub(super) fn new(
        slot: Slot,
        name: String,
        digest: Option<String>,
        given: Vec<Assignment>,
        (state, watch): (State, Watch),
    ) -> Member {
        Member { slot, name, digest, given, state, watch }
    }

    /// The same policy under another watch.
    pub(super) fn under(&self, watch: Watch) -> Member {
        let Member { slot, name, digest, given, state, .. } = self;
        Member {
            slot: *slot,
            name: name.clone(),
            digest: digest.clone(),
            given: given.clone(),
            state: state.clone(),
            watch,
        }
    }

    /// The same, not to be asked for that.
    pub(super) fn quarantined(self, mark: Mark) -> Member {
        Member { state: State::Quarantined(mark), ..self }
    }

    /// The slot.
    #[must_use]
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// As it was named when it was taken in.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 of its bytes in hexadecimal, where there are any.
    #[must_use]
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// The policy, where it is loaded. Who asks it past [`Member::admit`] asks unwatched.
    #[must_use]
    pub fn policy(&self) -> Option<&Loaded> {
        match &self.state {
            State::Ready(policy) => Some(policy),
            State::Failed(_) | State::Quarantined(_) => None,
        }
    }

    /// Its own name and version, or the name that it was given where it is not loaded.
    #[must_use]
    pub fn title(&self) -> String {
        self.policy().map_or_else(|| self.name.clone(), Loaded::title)
    }

    /// Leave to ask it once.
    ///
    /// # Errors
    /// Why it is not asked: it did not load, it is in quarantine, or its breaker is open. The slot's fallback answers.
    pub fn admit(&self) -> Result<Ticket<'_>, Held> {
        match &self.state {
            State::Ready(policy) => Ticket::new(self, policy),
            State::Failed(error) => Err(Held::NotLoaded(error.clone())),
            State::Quarantined(mark) => Err(Held::Quarantined(OneLine::new(&mark.to_string()))),
        }
    }

    /// Asks it once under its watch, for who has no laws to hold an answer to. Where there are some, an answer that they throw
    /// away is a fault, and [`Ticket::came`] is told so.
    ///
    /// # Errors
    /// As [`Member::admit`].
    pub fn ask<T>(
        &self,
        engine: &Engine,
        question: impl FnOnce(&Engine, &Loaded) -> Call<T>,
    ) -> Result<Call<T>, Held> {
        let ticket = self.admit()?;
        let call = question(engine, ticket.policy());
        ticket.came(&Came::of(&call.outcome));
        Ok(call)
    }

    /// Why it did not load, if that is so.
    #[must_use]
    pub fn load_error(&self) -> Option<&LoadError> {
        match &self.state {
            State::Failed(error) => Some(error),
            State::Ready(_) | State::Quarantined(_) => None,
        }
    }

    /// How far it is trusted.
    #[must_use]
    pub fn trust(&self) -> Trust {
        match &self.state {
            State::Quarantined(mark) => Trust::Condemned(OneLine::new(&mark.to_string())),
            State::Ready(_) | State::Failed(_) => self.watch.trust(),
        }
    }

    /// Where its breaker stands.
    #[must_use]
    pub fn circuit(&self) -> Circuit {
        self.watch.circuit()
    }

    /// Its calls, counted.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.watch.tally()
    }

    /// Its last fault, and when that was.
    #[must_use]
    pub fn last_fault(&self) -> Option<(Instant, OneLine)> {
        self.watch.last_fault()
    }

    /// Whether it was made of these bytes, settings and limits for that slot, and is loaded.
    pub(super) fn is_made_of(
        &self,
        slot: Slot,
        digest: &str,
        given: &[Assignment],
        allowance: Allowance,
    ) -> bool {
        self.policy().is_some_and(|policy| policy.allowance == allowance)
            && self.slot == slot
            && self.digest() == Some(digest)
            && self.given == given
    }

    /// Whether the other is the same policy: the same bytes with the same settings and limits in the same slot.
    pub(super) fn is_same(&self, other: &Member) -> bool {
        match (self.policy(), other.policy()) {
            (Some(one), Some(two)) => {
                self.slot == other.slot
                    && self.digest == other.digest
                    && one.settings == two.settings
                    && one.allowance == two.allowance
            }
            _ => false,
        }
    }
}
