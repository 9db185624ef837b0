//! Who decides now, and how that changes.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, RwLock, Weak},
};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::{
    Candidate, Cause, Clock, Generation, Listener, Mark, Member, Recruit, Rejected, Rules, Why,
    clock::instant,
    desk::{Books, Desk},
    recruit::{FoundingDesk, enlist, found},
    watch::Watch,
};
use crate::{
    decision::Slot,
    policy::{Engine, digest},
    skill::{Instant, OneLine},
    system::OsSystem,
};

/// Who decides now: a handle on the current [`Generation`] that is cheap to clone and to share.
#[derive(Clone)]
pub struct Roster {
    pub(super) desk: Arc<Desk>,
}

/// What a roster is begun with. The default asks the machine's clock, knows of no quarantine and tells nobody.
pub struct Setup {
    /// The figures of probation and breakers.
    pub rules: Rules,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Components that are in quarantine from before.
    pub marks: Vec<Mark>,
    /// Who is told of what the roster does by itself.
    pub listener: Arc<dyn Listener>,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            rules: Rules::default(),
            clock: Arc::new(OsSystem),
            marks: Vec::new(),
            listener: Arc::new(()),
        }
    }
}

impl Roster {
    /// Begins with these policies, loaded side by side. One that does not load, or is in quarantine, keeps its place with its
    /// error, and its slot falls back: nothing that a policy does keeps a host from starting. A slot that takes one policy gets
    /// the first that was given for it.
    #[must_use]
    pub fn begin(engine: Engine, recruits: Vec<(Slot, Recruit)>, setup: Setup) -> Roster {
        let Setup { rules, clock, marks, listener } = setup;
        let desk = Arc::new_cyclic(|desk: &Weak<Desk>| {
            let watch = || Watch::new(rules, Arc::clone(&clock), Weak::clone(desk), true);
            let founding = FoundingDesk { engine: &engine, marks: &marks, watch: &watch };
            let found = |(slot, recruit)| Arc::new(found(&founding, slot, recruit));
            let mut members: Vec<Arc<Member>> = recruits.into_par_iter().map(found).collect();
            members.sort_by_key(|member| member.slot());
            let since = instant(clock.nanos());
            let last_errors = only_one(&mut members, since);
            let (engine, cause) = (engine.clone(), Cause::Begun);
            let generation = Generation {
                number: 1,
                since,
                cause,
                engine: engine.clone(),
                members,
                trial: None,
            };
            let books = Books { marks: marks.clone(), last_errors, ..Books::default() };
            let books = Mutex::new(books);
            let current = RwLock::new(Arc::new(generation));
            Desk { engine, rules, clock: Arc::clone(&clock), listener, current, books }
        });
        Roster { desk }
    }

    /// Begins with the policies that come with the host: the default of every slot that has one.
    #[must_use]
    pub fn of_builtins(engine: Engine, setup: Setup) -> Roster {
        let recruits =
            Slot::ALL.into_iter().filter_map(|slot| Some((slot, Recruit::of_slot(slot)?)));
        Roster::begin(engine, recruits.collect(), setup)
    }

    /// Who decides now. A decision takes it once and asks all its slots of it.
    #[must_use]
    pub fn current(&self) -> Arc<Generation> {
        self.desk.current()
    }

    /// Loads policies for a slot, beside those that are active: every step of loading, then the cases that each carries. They
    /// take the place of all that the slot has, so the slot's whole set is given; nothing at all leaves the slot to its
    /// fallback. One that is active already with the same bytes and settings stays who it is, whatever it is called.
    ///
    /// # Errors
    /// The first that fails, which is also kept as [`Roster::last_error`]. Who was active still is.
    pub fn prepare(&self, slot: Slot, recruits: Vec<Recruit>) -> Result<Candidate<'_>, Rejected> {
        if let (true, [_, second, ..]) = (takes_one(slot), recruits.as_slice()) {
            let why = Why::TooMany { slot, found: recruits.len() };
            return Err(self.desk.turn_down(slot, second.name.clone(), None, why));
        }
        let mut members = Vec::with_capacity(recruits.len());
        for recruit in recruits {
            let name = recruit.name.clone();
            let digest = recruit.component.as_ref().ok().map(|(_, it)| digest(it));
            let member = enlist(&self.desk, slot, recruit);
            members.push(member.map_err(|why| self.desk.turn_down(slot, name, digest, why))?);
        }
        Ok(Candidate { roster: self, slots: vec![slot], members, trial: None })
    }

    /// The last candidate of a slot that was turned down or failed on probation, since the slot's last swap that went well.
    #[must_use]
    pub fn last_error(&self, slot: Slot) -> Option<Rejected> {
        self.desk.books().last_errors.get(&slot).cloned()
    }

    /// What is in quarantine.
    #[must_use]
    pub fn quarantine(&self) -> Vec<Mark> {
        self.desk.books().marks.clone()
    }

    /// Puts bytes that are on probation here into quarantine, where they failed under another roster: every slot that they are
    /// in gets back what it had before. What has proved itself here stays. Whether anything was changed.
    pub fn condemn(&self, digest: &str, why: &OneLine) -> bool {
        let current = self.current();
        let mut suspects = current.members().iter().filter(|it| it.digest() == Some(digest));
        let suspect = suspects.find(|it| it.policy().is_some() && !it.watch.is_proven());
        if let Some(member) = suspect {
            self.desk.condemn(member, why);
        }
        suspect.is_some()
    }

    /// Takes bytes out of quarantine, by a person's word. Whether they were in it. Nothing becomes active by that.
    pub fn pardon(&self, digest: &str) -> bool {
        let mut books = self.desk.books();
        let before = books.marks.len();
        books.marks.retain(|mark| mark.digest != digest);
        books.last_errors.retain(|_, error| {
            error.digest.as_deref() != Some(digest) || !matches!(*error.why, Why::Quarantined(_))
        });
        books.marks.len() < before
    }
}

/// Whether several answers of a slot can't be made one.
fn takes_one(slot: Slot) -> bool {
    match slot {
        Slot::Demotion | Slot::Budget => true,
        Slot::Curator | Slot::Provenance => false,
    }
}

/// Leaves the first of a slot that takes one, and says so of the others.
fn only_one(members: &mut Vec<Arc<Member>>, at: Instant) -> BTreeMap<Slot, Rejected> {
    let mut errors = BTreeMap::new();
    for slot in Slot::ALL.into_iter().filter(|slot| takes_one(*slot)) {
        let found = members.iter().filter(|it| it.slot() == slot).count();
        if found < 2 {
            continue;
        }
        let mut kept = 0;
        members.retain(|member| {
            if member.slot() != slot {
                return true;
            }
            kept += 1;
            if kept == 2 {
                let (name, why) = (member.name().to_owned(), Why::TooMany { slot, found });
                let digest = member.digest().map(str::to_owned);
                errors.insert(slot, Rejected { slot, name, digest, at, why: Box::new(why) });
            }
            kept == 1
        });
    }
    errors
}
