//! What all handles of a roster share: who is current, and the books beside it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak},
};

use super::{
    Cause, Clock, Generation, Listener, Mark, Member, Only, Rejected, Rules, Trial, Why,
    clock::instant, watch::Watch,
};
use crate::{
    decision::{Allowance, Slot},
    policy::{Engine, LoadError},
    skill::{Instant, OneLine},
};

/// What a roster's clones and its members' watches share.
pub(super) struct Desk {
    pub(super) engine: Engine,
    pub(super) rules: Rules,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) listener: Arc<dyn Listener>,
    /// Taking it and a clone cost nine nanoseconds, which is what arc-swap's `load_full` took beside it; a decision takes a
    /// hundred microseconds.
    pub(super) current: RwLock<Arc<Generation>>,
    /// Taken before `current` is written, never the other way about. Nothing is loaded or asked while it is held.
    pub(super) books: Mutex<Books>,
}

#[derive(Default)]
pub(super) struct Books {
    /// Of each slot whose policies are on probation, those that it gets back if one fails. They are proven, all of them.
    pub(super) former: BTreeMap<Slot, Vec<Arc<Member>>>,
    pub(super) marks: Vec<Mark>,
    pub(super) last_errors: BTreeMap<Slot, Rejected>,
    /// Digests whose cases passed, within those limits.
    pub(super) passed: Vec<(Slot, String, Allowance)>,
}

/// Digests that are remembered as having passed; then it begins again, which costs a run of cases.
const MOST_PASSED: usize = 1_000;

impl Desk {
    pub(super) fn now(&self) -> Instant {
        instant(self.clock.nanos())
    }

    pub(super) fn watch(&self, desk: Weak<Desk>, trusted: bool) -> Watch {
        Watch::new(self.rules, Arc::clone(&self.clock), desk, trusted)
    }

    pub(super) fn current(&self) -> Arc<Generation> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn books(&self) -> MutexGuard<'_, Books> {
        // What is done under this lock can't end half-way.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A mark for which that holds.
    pub(super) fn mark_on(&self, holds: impl Fn(&Mark) -> bool) -> Option<Mark> {
        self.books().marks.iter().find(|mark| holds(mark)).cloned()
    }

    /// Why these bytes can't become active in a slot whatever their settings and limits, where that was found out last.
    pub(super) fn lasting(&self, slot: Slot, digest: &str) -> Option<Why> {
        let books = self.books();
        let error = books.last_errors.get(&slot)?;
        let of_settings = match &*error.why {
            Why::Load(LoadError::Settings { .. } | LoadError::CheckSettings(_)) => true,
            Why::Load(LoadError::Instantiate(fault) | LoadError::Describe(fault)) => {
                fault.used_up().is_some()
            }
            _ => false,
        };
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

    pub(super) fn has_passed(&self, slot: Slot, digest: &str, within: Allowance) -> bool {
        self.books().passed.iter().any(|it| (it.0, it.1.as_str(), it.2) == (slot, digest, within))
    }

    pub(super) fn passes(&self, slot: Slot, digest: &str, within: Allowance) {
        let mut books = self.books();
        if books.passed.len() >= MOST_PASSED {
            books.passed.clear();
        }
        books.passed.push((slot, digest.to_owned(), within));
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

    /// Puts a candidate in the place of all that its slots have, in one step.
    pub(super) fn activate(
        &self,
        slots: Vec<Slot>,
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
            return Err(self.turn_down(member.slot(), name, digest, Why::Quarantined(mark)));
        }
        let now = self.current();
        let (mut changed, mut former) = (Vec::new(), Vec::new());
        for slot in slots {
            books.last_errors.remove(&slot);
            let had: Vec<Arc<Member>> = now.of(slot).map(Arc::clone).collect();
            let has: Vec<&Arc<Member>> = members.iter().filter(|it| it.slot() == slot).collect();
            if had.len() == has.len() && had.iter().zip(&has).all(|(a, b)| Arc::ptr_eq(a, b)) {
                continue;
            }
            if has.iter().all(|member| member.watch.is_proven()) {
                former.extend(books.former.remove(&slot));
            } else {
                // Who is on probation now was never proven: what comes back is who was there before.
                books.former.entry(slot).or_insert(had);
            }
            changed.push(slot);
        }
        if changed.is_empty() {
            return Ok(now);
        }
        for member in
            members.iter().filter(|member| !now.members.iter().any(|it| Arc::ptr_eq(it, member)))
        {
            member.watch.start();
        }
        let mut all = now.members.clone();
        all.retain(|member| !changed.contains(&member.slot()));
        all.extend(members.into_iter().filter(|member| changed.contains(&member.slot())));
        let generation = self.store(&now, all, Cause::Swapped(changed), trial);
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
        let mut books = self.books();
        let now = self.current();
        let Some(mark) = self.mark_for(&books, &now, guilty, why) else { return };
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
            let digest = Some(mark.digest.clone());
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

    /// What to remember of a policy that failed on probation. Nothing where that is known, or where it is a late word of an
    /// earlier try: the same policy came back since, and proved itself.
    fn mark_for(
        &self,
        books: &Books,
        now: &Generation,
        guilty: &Member,
        why: &OneLine,
    ) -> Option<Mark> {
        let (digest, policy) = (guilty.digest()?, guilty.policy()?);
        let trusted = now.members.iter().chain(books.former.values().flatten());
        let proven: Vec<&Arc<Member>> =
            trusted.filter(|it| it.digest() == Some(digest) && it.watch.is_proven()).collect();
        let known = books.marks.iter().any(|mark| mark.covers(guilty));
        if known || proven.iter().any(|member| member.is_same(guilty)) {
            return None;
        }
        Some(Mark {
            digest: digest.to_owned(),
            only: (!proven.is_empty()).then(|| Box::new(Only::of(guilty.slot(), policy))),
            name: guilty.name().to_owned(),
            slot: guilty.slot(),
            why: why.clone(),
            at: self.now(),
        })
    }
}
