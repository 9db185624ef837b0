//! A look: what the settings, the lock and the components are now, and what follows from that.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    in_force::{InForce, Memory, lock},
    recruits::{Named, files, recruits},
    report::Trouble,
    seen::Seen,
    wish::{Tried, Wish},
};
use crate::{
    config::{self, Config, Home},
    decision::Slot,
    lock::{FILE, Lock},
    roster::{Candidate, Generation, Recruit, Rejected},
    skill::OneLine,
    system::System,
    world::{
        commit::quarantine,
        gate::{Gate, beside, read_lock},
    },
};

/// What came of a look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looked {
    /// Slots that have other policies now, in one generation.
    pub swapped: Vec<Slot>,
    /// That generation's number.
    pub generation: Option<u64>,
    /// What was turned down. Who decided before still does.
    pub rejected: Vec<Rejected>,
    /// All of it in words, a line each, and what else somebody should know.
    pub lines: Vec<OneLine>,
}

impl Looked {
    /// Whether nothing came of it.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Looked::default()
    }

    fn say(&mut self, line: &str) {
        self.lines.push(OneLine::capped(line, 600));
    }
}

impl InForce {
    /// Looks whether the settings, the lock or a component are other than they were, and has decide what is wanted now: loaded
    /// beside who decides, its cases run, tried on the live questions, and put in force in one step, all slots together. What
    /// fails leaves its slot as it was. Where no file changed, a few of them were asked for their state and that is all.
    pub fn look(&self) -> Looked {
        self.look_and_tell(&mut || ())
    }

    /// As [`InForce::look`]. `under_way` is called where something is tried, when it begins: that may take seconds.
    pub fn look_and_tell(&self, under_way: &mut dyn FnMut()) -> Looked {
        let mut memory = lock(&self.memory);
        let mut looked = Looked::default();
        self.write_quarantine(&mut memory, &mut looked);
        let now = self.setup.clock.nanos();
        let is_due = memory.tried.values().any(|it| it.is_due(now));
        let system = &*self.setup.system;
        if memory.seen.is_the_same(system) && !is_due {
            return looked;
        }
        let mut seen = Seen::default();
        note_settings(system, &self.setup.home, &mut seen);
        let config = match self.settings(&mut memory) {
            Ok(config) => config,
            Err((message, hint)) => {
                memory.seen = seen;
                self.keep_trouble(message, hint, &mut looked);
                return looked;
            }
        };
        let policies = read_lock(system, &config.home);
        note_components(system, &config, &mut seen);
        memory.seen = seen;
        // A lock that is gone lifts nothing.
        if let (Ok(policies), true) = (&policies, exists(system, &config.home.join(FILE))) {
            self.follow_quarantine(policies, &mut memory, &mut looked);
        }
        let gate = Gate::of(system, &config, policies.clone(), self.setup.dev);
        let named = recruits(system, &config, &gate);
        self.tell_of(&named, &config, policies.err());
        self.put_in_force(&named, &mut memory, &mut looked, under_way);
        looked
    }

    /// The settings, or what is wrong with them and what to do about it. That they are gone is wrong where there were some: somebody
    /// may be writing them, and what nobody asks for any more would be stricter than what takes its place.
    fn settings(&self, memory: &mut Memory) -> Result<Config, (String, Option<String>)> {
        let system = &*self.setup.system;
        let home = &self.setup.home;
        let file = home.path.as_ref().map(|home| home.join(config::FILE));
        let is_there = file.as_ref().is_some_and(|file| exists(system, file));
        if let (Some(file), true, false) = (&file, memory.had_settings, is_there) {
            let file = file.display();
            let hint =
                format!("an empty file means that the host's own policies decide: touch {file}");
            return Err((format!("`{file}` is gone"), Some(hint)));
        }
        memory.had_settings |= is_there;
        config::load(system, home)
            .map_err(|error| (error.to_string(), error.hint().map(str::to_owned)))
    }

    fn keep_trouble(&self, message: String, hint: Option<String>, looked: &mut Looked) {
        let at = self.now();
        let mut told = self.told();
        if told.trouble.as_ref().is_none_or(|it| it.message != message) {
            looked.say(&format!("the settings stay as they were: {message}"));
        }
        told.set_trouble(Some((message, hint)), at);
    }

    /// Writes down what failed on probation. What can't be written now is tried again with the next look.
    fn write_quarantine(&self, memory: &mut Memory, looked: &mut Looked) {
        let waiting = self.ear.waiting();
        if waiting.is_empty() {
            return;
        }
        let mut trouble = None;
        for mark in waiting {
            looked.say(&format!("slot `{}`: {mark}; what decided before does again", mark.slot));
            let (Some(disk), Some(home), None) =
                (self.setup.system.disk(), self.home(), &mark.only)
            else {
                // The lock knows bytes, whatever their settings: what is about settings holds as long as this process.
                self.ear.done(&mark);
                continue;
            };
            match quarantine(disk, home, &mark.digest, mark.why.as_str()) {
                Ok(()) => {
                    memory.in_lock.insert(mark.digest.clone());
                    self.ear.done(&mark);
                }
                Err(error) => {
                    let message = format!("a quarantine is not written down: {error}");
                    let hint = error.hints.first().cloned();
                    trouble = Some(Trouble { at: self.now(), message, hint });
                }
            }
        }
        self.told().quarantine_trouble = trouble;
    }

    /// What another process put into quarantine and is on probation here goes; what a person lifted may come again.
    fn follow_quarantine(&self, policies: &Lock, memory: &mut Memory, looked: &mut Looked) {
        for mark in self.roster.quarantine() {
            let is_lifted = policies.quarantined(&mark.digest).is_none();
            if is_lifted && memory.in_lock.remove(&mark.digest) && self.roster.pardon(&mark.digest)
            {
                looked
                    .say(&format!("`{}` may be used again: its quarantine was lifted", mark.name));
                memory.tried.clear();
            }
        }
        memory.in_lock.retain(|digest| policies.quarantined(digest).is_some());
        for it in &policies.quarantined {
            let why = OneLine::capped(&it.reason, 400);
            if memory.in_lock.insert(it.sha256.clone()) && self.roster.condemn(&it.sha256, &why) {
                looked.say(&format!("another process put {} into quarantine: {why}", it.sha256));
                // It is in the lock already.
                self.ear.waiting().iter().filter(|mark| mark.digest == it.sha256).for_each(
                    |mark| {
                        self.ear.done(mark);
                    },
                );
            }
        }
    }

    /// Tries what is wanted of those slots that are to be otherwise, and puts in force what passes.
    fn put_in_force(
        &self,
        named: &[Named],
        memory: &mut Memory,
        looked: &mut Looked,
        under_way: &mut dyn FnMut(),
    ) {
        let now = self.setup.clock.nanos();
        let mut wanted: BTreeMap<Slot, Vec<Recruit>> = BTreeMap::new();
        for slot in Slot::ALL {
            let of_slot: Vec<&Named> = named.iter().filter(|it| it.slot == slot).collect();
            let wish = Wish::of(&of_slot);
            let before = memory.tried.get(&slot).filter(|it| it.wish == wish);
            if before.is_some_and(|it| !it.is_due(now)) {
                continue;
            }
            let is_held = say_held(&of_slot, before.is_some(), looked);
            let again = before.and_then(|it| it.again).filter(|_| !is_held);
            memory.tried.insert(slot, Tried { wish, again });
            if !is_held {
                wanted.insert(slot, of_slot.iter().map(|it| it.recruit.clone()).collect());
            }
        }
        if wanted.is_empty() {
            return;
        }
        self.told().under_way = Some((wanted.keys().copied().collect(), self.now()));
        under_way();
        let tried: Vec<Slot> = wanted.keys().copied().collect();
        let before = self.roster.current();
        let after = self.try_all(wanted, looked);
        let mut told = self.told();
        told.under_way = None;
        told.note_since(&self.roster.current());
        drop(told);
        for slot in tried {
            let rejected = looked.rejected.iter().find(|it| it.slot == slot);
            let is_passing = rejected.is_some_and(|it| !it.is_lasting());
            if let Some(tried) = memory.tried.get_mut(&slot) {
                tried.ended(is_passing, now);
            }
        }
        if let Some(after) = after {
            self.say_swapped(&before, &after, named, looked);
        }
    }

    /// Loads, tries and activates all of these in one step, but for those that fail on the way.
    fn try_all(
        &self,
        mut wanted: BTreeMap<Slot, Vec<Recruit>>,
        looked: &mut Looked,
    ) -> Option<std::sync::Arc<Generation>> {
        while !wanted.is_empty() {
            let candidate = self.prepare(&mut wanted, looked)?;
            let tried = match &self.setup.questions {
                Some(questions) if !candidate.is_active() => candidate.try_out(questions),
                _ => Ok(candidate),
            };
            match tried.and_then(Candidate::activate) {
                Ok(generation) => return Some(generation),
                // The others are tried without it: they passed so far, and may yet.
                Err(rejected) => {
                    wanted.remove(&rejected.slot);
                    turned_down(rejected, looked);
                }
            }
        }
        None
    }

    fn prepare(
        &self,
        wanted: &mut BTreeMap<Slot, Vec<Recruit>>,
        looked: &mut Looked,
    ) -> Option<Candidate<'_>> {
        let mut all: Option<Candidate<'_>> = None;
        let mut failed = Vec::new();
        for (slot, recruits) in wanted.iter() {
            match self.roster.prepare(*slot, recruits.clone()) {
                Ok(candidate) => {
                    all = Some(match all.take() {
                        Some(others) => others.and(candidate),
                        None => candidate,
                    });
                }
                Err(rejected) => {
                    failed.push(*slot);
                    turned_down(rejected, looked);
                }
            }
        }
        wanted.retain(|slot, _| !failed.contains(slot));
        all
    }

    fn say_swapped(
        &self,
        before: &Generation,
        after: &Generation,
        named: &[Named],
        looked: &mut Looked,
    ) {
        if before.number() == after.number() {
            return;
        }
        let titles = |generation: &Generation, slot| -> Vec<String> {
            let titled = generation.of(slot).map(|it| {
                let digest = it.digest().and_then(|it| it.get(..12)).unwrap_or("no bytes");
                format!("{} ({digest})", it.title())
            });
            titled.collect()
        };
        for slot in Slot::ALL {
            let (old, new) = (titles(before, slot), titles(after, slot));
            let are_same = before.of(slot).map(std::sync::Arc::as_ptr);
            if are_same.eq(after.of(slot).map(std::sync::Arc::as_ptr)) {
                continue;
            }
            looked.swapped.push(slot);
            let (old, new) = (or_nobody(&old), or_nobody(&new));
            let number = after.number();
            looked
                .say(&format!("slot `{slot}`: {new} decides in generation {number}, after {old}"));
            for why in
                named.iter().filter(|it| it.slot == slot).filter_map(|it| it.despite.as_ref())
            {
                looked.say(&format!("loaded for development: {why}; {}", why.hint()));
            }
        }
        looked.generation = Some(after.number());
    }
}

/// Whether a slot can't be tried, since something that is named for it may not be loaded or is not there.
fn say_held(of_slot: &[&Named], is_known: bool, looked: &mut Looked) -> bool {
    let mut is_held = false;
    for it in of_slot {
        if let Err(error) = &it.recruit.component {
            is_held = true;
            if !is_known {
                let hint = error.hint().map_or_else(String::new, |hint| format!("; {hint}"));
                looked.say(&format!("slot `{}` stays as it was: {error}{hint}", it.slot));
            }
        }
    }
    is_held
}

fn or_nobody(titles: &[String]) -> String {
    match titles {
        [] => "nobody".to_owned(),
        titles => titles.join(", "),
    }
}

fn turned_down(rejected: Rejected, looked: &mut Looked) {
    let hint = rejected.hint().map_or_else(String::new, |hint| format!("; {hint}"));
    looked.say(&format!("{rejected}{hint}"));
    looked.rejected.push(rejected);
}

pub(super) fn exists(system: &dyn System, file: &Path) -> bool {
    system.stat(file).is_ok() || system.read_link(file).is_ok()
}

/// The settings' file and the lock's.
pub(super) fn settings_of(home: &Path) -> [PathBuf; 2] {
    [home.join(config::FILE), home.join(FILE)]
}

pub(super) fn note_settings(system: &dyn System, home: &Home, seen: &mut Seen) {
    for file in home.path.iter().flat_map(|home| settings_of(home)) {
        seen.note(system, &file);
    }
}

pub(super) fn note_components(system: &dyn System, config: &Config, seen: &mut Seen) {
    files(system, config).iter().for_each(|file| note_component(system, file, seen));
}

fn note_component(system: &dyn System, file: &Path, seen: &mut Seen) {
    seen.note(system, file);
    seen.note(system, &beside(file));
}
