//! The policies in force in a running host.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use super::{
    look,
    recruits::{Named, recruits},
    report::{NamedReport, NamedState, Report, SCHEMA, SlotReport, TrialReport, Trouble, Watched},
    seen::Seen,
    wish::{Tried, tried_at_first},
};
use crate::{
    config::{self, Config, ConfigError, Home},
    decision::Slot,
    policy::{Engine, LoadError, Loaded, Withheld},
    roster::{Answers, Clock, Generation, Listener, Mark, Member, Roster, Rules, Standing, Status},
    skill::Instant,
    system::System,
    world::gate::{Gate, read_lock},
};

/// Answers the live questions by a generation, for a trial: the same for every generation that it is given.
pub type Questions = Box<dyn Fn(&Arc<Generation>) -> Result<Answers, String> + Send + Sync>;

/// What the policies in force are kept by.
pub struct Setup {
    /// The outside. Who gives one without a disk has no quarantine written.
    pub system: Arc<dyn System + Send>,
    /// The home.
    pub home: Home,
    /// What runs policies.
    pub engine: Engine,
    /// The figures of probation and breakers.
    pub rules: Rules,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Whether what nobody said yes to is loaded, as if the settings said `dev`.
    pub dev: bool,
    /// What candidates are tried on; without them they are not.
    pub questions: Option<Questions>,
}

/// The policies in force, and all that is needed to keep them those that the settings and the lock want.
pub struct InForce {
    pub(super) setup: Setup,
    pub(super) roster: Roster,
    pub(super) ear: Arc<Ear>,
    /// Held for a whole look, so that two never meet.
    pub(super) memory: Mutex<Memory>,
    /// Held for moments.
    told: Mutex<Told>,
    started: Instant,
}

/// What a look has to remember for the next.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) seen: Seen,
    pub(super) tried: BTreeMap<Slot, Tried>,
    /// Whether there was a file of settings.
    pub(super) had_settings: bool,
    /// Digests that were seen in the lock's quarantine.
    pub(super) in_lock: BTreeSet<String>,
}

/// What is told beside what the roster knows.
#[derive(Default)]
pub(super) struct Told {
    pub(super) trouble: Option<Trouble>,
    pub(super) quarantine_trouble: Option<Trouble>,
    pub(super) under_way: Option<(Vec<Slot>, Instant)>,
    pub(super) named: Vec<Found>,
    pub(super) watched: Watched,
    /// Files that a look reads, besides the settings and the lock.
    pub(super) files: Vec<PathBuf>,
    /// Of each slot who decides, and since which generation.
    since: BTreeMap<Slot, (Vec<Weak<Member>>, u64, Instant)>,
}

/// What was found of a policy that is named.
pub(super) struct Found {
    slot: Slot,
    name: String,
    digest: Option<String>,
    despite: Option<Withheld>,
    error: Option<LoadError>,
    missing: bool,
}

/// Hears what the roster condemns, and hands it on: who decides has no time to write files.
#[derive(Default)]
pub(super) struct Ear {
    condemned: Mutex<Vec<Mark>>,
    wake: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Listener for Ear {
    fn condemned(&self, mark: &Mark, _: &Generation) {
        lock(&self.condemned).push(mark.clone());
        if let Some(wake) = &*lock(&self.wake) {
            wake();
        }
    }
}

/// Nothing that is done under these locks can end half-way.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ear {
    pub(super) fn waiting(&self) -> Vec<Mark> {
        lock(&self.condemned).clone()
    }

    pub(super) fn done(&self, mark: &Mark) {
        lock(&self.condemned).retain(|it| it != mark);
    }
}

impl InForce {
    /// Begins with what the settings and the lock want. What does not load, or may not, keeps its place with its error, and its
    /// slot falls back until that is mended.
    ///
    /// # Errors
    /// Where the settings can't be read: there is nothing that held before.
    pub fn begin(setup: Setup) -> Result<InForce, ConfigError> {
        let system = Arc::clone(&setup.system);
        let mut seen = Seen::default();
        look::note_settings(&*system, &setup.home, &mut seen);
        let config = config::load(&*system, &setup.home)?;
        let lock = read_lock(&*system, &config.home);
        look::note_components(&*system, &config, &mut seen);
        let named =
            recruits(&*system, &config, &Gate::of(&*system, &config, lock.clone(), setup.dev));
        let ear = Arc::new(Ear::default());
        let roster = Roster::begin(
            setup.engine.clone(),
            named.iter().map(|it| (it.slot, it.recruit.clone())).collect(),
            crate::roster::Setup {
                rules: setup.rules,
                clock: Arc::clone(&setup.clock),
                marks: Vec::new(),
                listener: ear.clone(),
            },
        );
        let in_lock = lock.iter().flat_map(|it| &it.quarantined).map(|it| it.sha256.clone());
        let tried = tried_at_first(&roster, &named, setup.clock.nanos());
        let settings = setup.home.path.as_ref().map(|home| home.join(config::FILE));
        let had_settings = settings.is_some_and(|file| look::exists(&*system, &file));
        let memory = Memory { seen, tried, had_settings, in_lock: in_lock.collect() };
        let told = Told { files: super::recruits::files(&*system, &config), ..Told::default() };
        let in_force = InForce {
            roster,
            ear,
            memory: Mutex::new(memory),
            told: Mutex::new(told),
            started: setup.system.now(),
            setup,
        };
        in_force.tell_of(&named, &config, lock.err());
        in_force.told().note_since(&in_force.roster.current());
        Ok(in_force)
    }

    /// Who decides. A clone may be kept.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The settings' and the lock's files, and those of all components that are named: what a look reads.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let home = self.setup.home.path.iter();
        let mut files: Vec<PathBuf> = home.flat_map(|home| look::settings_of(home)).collect();
        for component in &self.told().files {
            files.push(component.clone());
            files.push(crate::world::gate::beside(component));
        }
        files
    }

    /// Has that called when there is something to do that no file tells of.
    pub fn when_needed(&self, wake: impl Fn() + Send + 'static) {
        *lock(&self.ear.wake) = Some(Box::new(wake));
    }

    /// Compiles what a look would load, where that was not tried yet, so that a look which comes soon finds it done. Nothing
    /// follows from it: what fails here fails in the look.
    pub fn warm(&self) {
        let system = &*self.setup.system;
        let Ok(config) = config::load(system, &self.setup.home) else { return };
        let policies = read_lock(system, &config.home);
        let gate = Gate::of(system, &config, policies, self.setup.dev);
        let named = recruits(system, &config, &gate);
        let memory = lock(&self.memory);
        let is_new = |it: &&Named| {
            let tried = memory.tried.get(&it.slot);
            it.digest().is_some_and(|digest| !tried.is_some_and(|tried| tried.knows(&digest)))
        };
        let fresh: Vec<&Named> = named.iter().filter(is_new).collect();
        drop(memory);
        for it in fresh {
            if let Ok((source, bytes)) = &it.recruit.component {
                let (engine, source) = (&self.setup.engine, source.clone());
                let (settings, within) = (&it.recruit.settings, it.recruit.allowance);
                let slot = Some(it.slot);
                drop(Loaded::load_within(engine, source, bytes, slot, settings, within));
            }
        }
    }

    /// Notes how changes are noticed, for the report.
    pub fn watched(&self, watched: Watched) {
        self.told().watched = watched;
    }

    /// The home's folder, where there is one.
    pub(super) fn home(&self) -> Option<&Path> {
        self.setup.home.path.as_deref()
    }

    pub(super) fn told(&self) -> MutexGuard<'_, Told> {
        lock(&self.told)
    }

    pub(super) fn now(&self) -> Instant {
        let seconds = self.setup.clock.nanos().div_euclid(1_000_000_000);
        Instant(i64::try_from(seconds).unwrap_or(i64::MAX))
    }

    /// Keeps what was found of all that is named, and whether the lock could be read.
    pub(super) fn tell_of(&self, named: &[Named], config: &Config, no_lock: Option<Withheld>) {
        let system = &*self.setup.system;
        let found = named.iter().map(|it| Found {
            slot: it.slot,
            name: it.name.clone(),
            digest: it.digest(),
            despite: it.despite.clone(),
            error: it.recruit.component.as_ref().err().cloned(),
            missing: it.file.as_ref().is_some_and(|file| {
                system.stat(file).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
            }),
        });
        let found = found.collect();
        let at = self.now();
        let mut told = self.told();
        told.named = found;
        told.files = super::recruits::files(system, config);
        let hint = no_lock.as_ref().map(Withheld::hint);
        told.set_trouble(no_lock.map(|why| (why.to_string(), hint)), at);
    }

    /// How everything stands.
    #[must_use]
    pub fn report(&self) -> Report {
        let status = self.roster.status();
        let mut told = self.told();
        told.note_since(&self.roster.current());
        let slots = Slot::ALL.into_iter().map(|slot| told.slot(slot, &status)).collect();
        Report {
            schema: SCHEMA,
            pid: std::process::id(),
            started: self.started,
            generation: status.generation,
            since: status.since,
            cause: status.cause,
            watching: told.watched.clone(),
            trouble: told.trouble.clone().or_else(|| told.quarantine_trouble.clone()),
            slots,
            trial: status.last_trial.as_ref().map(TrialReport::of),
            quarantine: status.quarantine,
        }
    }
}

impl Told {
    /// The same trouble as before keeps the time at which it began.
    pub(super) fn set_trouble(&mut self, trouble: Option<(String, Option<String>)>, at: Instant) {
        let before = self.trouble.take();
        self.trouble = trouble.map(|(message, hint)| {
            let since = before.filter(|it| it.message == message).map_or(at, |it| it.at);
            Trouble { at: since, message, hint }
        });
    }

    /// Notes of each slot in which generation its policies came. They are known by themselves: the same bytes with other settings
    /// are others.
    pub(super) fn note_since(&mut self, current: &Generation) {
        for slot in Slot::ALL {
            let members: Vec<Weak<Member>> = current.of(slot).map(Arc::downgrade).collect();
            let known = self.since.get(&slot).map(|(known, _, _)| known);
            let is_known = known.is_some_and(|known| {
                known.iter().map(Weak::as_ptr).eq(members.iter().map(Weak::as_ptr))
            });
            if !is_known {
                self.since.insert(slot, (members, current.number(), current.since()));
            }
        }
    }

    fn slot(&self, slot: Slot, status: &Status) -> SlotReport {
        let active: Vec<Standing> =
            status.members.iter().filter(|it| it.slot == slot).cloned().collect();
        let last_error = status.last_errors.iter().find(|it| it.slot == slot).cloned();
        let since = self.since.get(&slot);
        let is_tried = |(slots, _): &&(Vec<Slot>, Instant)| slots.contains(&slot);
        let named = self.named.iter().filter(|it| it.slot == slot);
        SlotReport {
            slot,
            generation: since.map_or(status.generation, |(_, number, _)| *number),
            since: since.map_or(status.since, |(_, _, since)| *since),
            named: named.map(|it| it.report(&active, last_error.as_ref())).collect(),
            active,
            under_way: self.under_way.as_ref().filter(is_tried).map(|(_, since)| *since),
            last_error,
        }
    }
}

impl Found {
    fn report(&self, active: &[Standing], last: Option<&crate::roster::Problem>) -> NamedReport {
        let member = active.iter().find(|it| it.digest.is_some() && it.digest == self.digest);
        let failed = last.filter(|it| it.digest.is_some() && it.digest == self.digest);
        let (mut message, mut hint) = (None, None);
        let state = match (&self.error, member) {
            (Some(error), _) => {
                (message, hint) = (Some(error.to_string()), error.hint_in(self.slot));
                match error {
                    LoadError::Withheld(why) if why.wants_a_yes() => NamedState::DiffersOnDisk,
                    LoadError::Withheld(_) => NamedState::Withheld,
                    _ if self.missing => NamedState::Missing,
                    _ => NamedState::Failed,
                }
            }
            (None, _) if failed.is_some() => {
                message = failed.map(|it| it.message.clone());
                hint = failed.and_then(|it| it.hint.clone());
                NamedState::Failed
            }
            (None, Some(member))
                if member.error.is_some() || member.trust == Some("quarantined") =>
            {
                message = member.error.clone();
                NamedState::Failed
            }
            (None, Some(_)) => match &self.despite {
                Some(why) => {
                    (message, hint) = (Some(why.to_string()), Some(why.hint()));
                    NamedState::UsedWithoutAYes
                }
                None => NamedState::Used,
            },
            (None, None) => NamedState::Waiting,
        };
        NamedReport { name: self.name.clone(), state, digest: self.digest.clone(), message, hint }
    }
}
