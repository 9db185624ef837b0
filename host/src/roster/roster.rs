//! Who decides now, and how that changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak},
};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::{
    Candidate, Cause, Clock, Generation, Listener, Mark, Member, Recruit, Rejected, Rules, Trial,
    Why,
    clock::instant,
    recruit::{FoundingDesk, enlist, found},
    watch::Watch,
};
use crate::{
    decision::Slot,
    policy::Engine,
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

/// What a roster's clones and its members' watches share.
pub(super) struct Desk {
    engine: Engine,
    rules: Rules,
    clock: Arc<dyn Clock>,
    listener: Arc<dyn Listener>,
    /// A decision takes a hundred microseconds and this lock some tens of nanoseconds, so nothing cleverer is needed.
    current: RwLock<Arc<Generation>>,
    /// Taken before `current` is written, never the other way about. Nothing is loaded or asked while it is held.
    books: Mutex<Books>,
}

struct Books {
    /// Of each slot whose policies are on probation, those that it gets back if one fails. They are proven, all of them.
    former: BTreeMap<Slot, Vec<Arc<Member>>>,
    marks: Vec<Mark>,
    last_errors: BTreeMap<Slot, Rejected>,
    /// Digests whose cases passed.
    passed: BTreeSet<(Slot, String)>,
}

/// Digests that are remembered as having passed; then it begins again, which costs a run of cases.
const MOST_PASSED: usize = 1_000;

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
            let (former, passed) = (BTreeMap::new(), BTreeSet::new());
            let books = Mutex::new(Books { former, marks: marks.clone(), last_errors, passed });
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
            let digest = recruit.component.as_ref().ok().map(|(_, it)| crate::policy::digest(it));
            let member = enlist(&self.desk, slot, recruit);
            members.push(member.map_err(|why| self.desk.turn_down(slot, name, digest, why))?);
        }
        Ok(Candidate { roster: self, slot, members, trial: None })
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

impl Desk {
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(super) fn now(&self) -> Instant {
        instant(self.clock.nanos())
    }

    pub(super) fn watch(&self, desk: Weak<Desk>, trusted: bool) -> Watch {
        Watch::new(self.rules, Arc::clone(&self.clock), desk, trusted)
    }

    pub(super) fn current(&self) -> Arc<Generation> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        // What is done under this lock can't end half-way.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A mark for which that holds.
    pub(super) fn mark_on(&self, holds: impl Fn(&Mark) -> bool) -> Option<Mark> {
        self.books().marks.iter().find(|mark| holds(mark)).cloned()
    }

    /// Why these bytes can't become active in a slot whatever their settings, where that was found out last.
    pub(super) fn lasting(&self, slot: Slot, digest: &str) -> Option<Why> {
        let books = self.books();
        let error = books.last_errors.get(&slot)?;
        let of_settings = matches!(
            &*error.why,
            Why::Load(
                crate::policy::LoadError::Settings { .. }
                    | crate::policy::LoadError::CheckSettings(_)
            )
        );
        let holds = error.digest.as_deref() == Some(digest)
            && error.is_lasting()
            && !of_settings
            && !matches!(*error.why, Why::Quarantined(_));
        holds.then(|| (*error.why).clone())
    }

    /// A policy for which that holds, where it is active or would be brought back, and was not condemned.
    pub(super) fn known(&self, is_it: impl Fn(&Member) -> bool) -> Option<Arc<Member>> {
        let current = self.current();
        let books = self.books();
        let mut known = current.members.iter().chain(books.former.values().flatten());
        known.find(|it| is_it(it) && !it.watch.is_condemned()).map(Arc::clone)
    }

    pub(super) fn has_passed(&self, slot: Slot, digest: &str) -> bool {
        self.books().passed.contains(&(slot, digest.to_owned()))
    }

    pub(super) fn passes(&self, slot: Slot, digest: &str) {
        let mut books = self.books();
        if books.passed.len() >= MOST_PASSED {
            books.passed.clear();
        }
        books.passed.insert((slot, digest.to_owned()));
    }

    /// Keeps an error as the slot's last, and gives it back.
    pub(super) fn turn_down(
        &self,
        slot: Slot,
        name: String,
        digest: Option<String>,
        why: Why,
    ) -> Rejected {
        let rejected = Rejected { slot, name, digest, at: self.now(), why: Box::new(why) };
        self.books().last_errors.insert(slot, rejected.clone());
        rejected
    }

    /// Puts a candidate in the place of all that a slot has.
    pub(super) fn activate(
        &self,
        slot: Slot,
        members: Vec<Arc<Member>>,
        trial: Option<Trial>,
    ) -> Result<Arc<Generation>, Rejected> {
        let mut books = self.books();
        let marked = members.iter().find_map(|member| {
            let mark = books.marks.iter().find(|mark| mark.covers(member))?;
            Some((member, mark.clone()))
        });
        if let Some((member, mark)) = marked {
            drop(books);
            let (name, digest) = (member.name().to_owned(), member.digest().map(str::to_owned));
            return Err(self.turn_down(slot, name, digest, Why::Quarantined(mark)));
        }
        books.last_errors.remove(&slot);
        let now = self.current();
        let had: Vec<Arc<Member>> = now.of(slot).map(Arc::clone).collect();
        if had.len() == members.len() && had.iter().zip(&members).all(|(a, b)| Arc::ptr_eq(a, b)) {
            return Ok(now);
        }
        let former = if members.iter().all(|member| member.watch.is_proven()) {
            books.former.remove(&slot)
        } else {
            // Who is on probation now was never proven: what comes back is who was there before.
            books.former.entry(slot).or_insert(had);
            None
        };
        for member in
            members.iter().filter(|member| !now.members.iter().any(|it| Arc::ptr_eq(it, member)))
        {
            member.watch.start();
        }
        let mut all = now.members.clone();
        all.retain(|member| member.slot() != slot);
        all.extend(members);
        let generation = self.store(&now, all, Cause::Swapped(slot), trial);
        drop(books);
        drop(former);
        Ok(generation)
    }

    /// Makes the next generation current. The books are held by who calls, so that numbers are given in turn.
    fn store(
        &self,
        now: &Generation,
        mut members: Vec<Arc<Member>>,
        cause: Cause,
        trial: Option<Trial>,
    ) -> Arc<Generation> {
        members.sort_by_key(|member| member.slot());
        let generation = Arc::new(Generation {
            number: now.number.saturating_add(1),
            since: self.now(),
            cause,
            engine: self.engine.clone(),
            members,
            trial,
        });
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, Arc::clone(&generation));
        drop(current);
        drop(old);
        generation
    }

    /// A policy got through probation: what its slot had before is let go, once all of the slot's are through.
    pub(super) fn proven(&self, slot: Slot) {
        let mut books = self.books();
        let done = self.current().of(slot).all(|member| member.watch.is_proven());
        let former = if done { books.former.remove(&slot) } else { None };
        drop(books);
        drop(former);
    }

    /// A policy failed on probation: it goes into quarantine, and every slot that it is in gets back what it had before.
    pub(super) fn condemn(&self, guilty: &Member, why: &OneLine) {
        let (Some(digest), Some(policy)) = (guilty.digest(), guilty.policy()) else { return };
        let mut books = self.books();
        let now = self.current();
        let proven: Vec<&Arc<Member>> = now
            .members
            .iter()
            .chain(books.former.values().flatten())
            .filter(|member| member.digest() == Some(digest) && member.watch.is_proven())
            .collect();
        // It came back since, and proved itself: this is a late word of an earlier try.
        if proven.iter().any(|member| member.is_same(guilty)) {
            return;
        }
        let proven = !proven.is_empty();
        let mark = Mark {
            digest: digest.to_owned(),
            only: proven.then(|| (guilty.slot(), policy.settings.clone())),
            name: guilty.name().to_owned(),
            slot: guilty.slot(),
            why: why.clone(),
            at: self.now(),
        };
        books.marks.push(mark.clone());
        let mut members = now.members.clone();
        let mut changed = false;
        for slot in Slot::ALL {
            let in_slot = members.iter().filter(|it| it.slot() == slot && mark.covers(it));
            let covered: Vec<Arc<Member>> =
                in_slot.filter(|it| !it.watch.is_proven()).map(Arc::clone).collect();
            let Some(first) = covered.first() else { continue };
            for member in &covered {
                member.watch.condemn(why);
            }
            let (name, why) = (first.name().to_owned(), Box::new(Why::Quarantined(mark.clone())));
            let digest = Some(digest.to_owned());
            books.last_errors.insert(slot, Rejected { slot, name, digest, at: mark.at, why });
            members.retain(|member| member.slot() != slot);
            members.extend(books.former.remove(&slot).unwrap_or_default());
            changed = true;
        }
        let then = match changed {
            true => self.store(&now, members, Cause::Restored(Box::new(mark.clone())), None),
            false => now,
        };
        drop(books);
        self.listener.condemned(&mark, &then);
    }
}
