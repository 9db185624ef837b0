//! Who keeps a world: it is looked at again where something happened, and nowhere else.

use std::{
    collections::HashSet,
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    happened::Happened,
    held::{Held, Top},
};
use crate::{
    index::Lines,
    library::{Library, Trace, scan_kept},
    system::{Changes, Stat, System, Witness, Witnessed},
    world::{
        Where, World,
        error::CommandError,
        kept::Kept,
        remembered::{Remembered, Sessions},
        store::LEDGER,
    },
};

/// How long a library is used before all of it is looked at, whatever was told: what nobody is told of is seen so late.
const LOOK: Duration = Duration::from_secs(30);

/// Keeps a world, and what the home knows of it.
pub struct Warm {
    system: &'static dyn System,
    home: Option<PathBuf>,
    roots: Vec<PathBuf>,
    changes: Option<Box<dyn Changes>>,
    say: Box<dyn Fn(&str) + Send + Sync>,
    looking_every: Duration,
    state: Mutex<State>,
    remembered: OnceLock<Arc<Remembered>>,
    /// Whether something changed of which nobody was told yet.
    untold: AtomicBool,
}

#[derive(Default)]
struct State {
    held: Option<Held>,
    known: Option<Known>,
    /// Whether nothing can be kept.
    blind: bool,
    number: u64,
}

/// What the home knows, and the state of its ledger before that was read.
struct Known {
    kept: Arc<Kept>,
    file: Stat,
    version: i64,
}

/// A world and what the home knows of it. Whoever has it goes on with it, whatever happens meanwhile.
pub struct Now {
    /// The world.
    pub world: Arc<World<'static>>,
    /// What the home knows.
    pub kept: Arc<Kept>,
    /// The same number means the same world and the same knowledge, how often skills were used aside. There is none where
    /// nothing is kept.
    pub number: Option<u64>,
}

impl Warm {
    /// Keeps nothing yet. `changes` is what tells of changes; who has none reads all at each call. What somebody should know of
    /// that is said once.
    #[must_use]
    pub fn new(
        system: &'static dyn System,
        place: &Where<'_>,
        changes: io::Result<Box<dyn Changes>>,
        say: impl Fn(&str) + Send + Sync + 'static,
    ) -> Warm {
        let warm = Warm {
            system,
            home: place.home.map(PathBuf::from),
            roots: place.roots.to_vec(),
            changes: None,
            say: Box::new(say),
            looking_every: LOOK,
            state: Mutex::default(),
            remembered: OnceLock::new(),
            untold: AtomicBool::new(false),
        };
        match changes {
            Ok(changes) => Warm { changes: Some(changes), ..warm },
            Err(error) => {
                warm.go_blind(&mut warm.state(), &format!("nothing tells of changes: {error}"));
                warm
            }
        }
    }

    /// The same with another time after which all is looked at, whatever was told: 30 seconds are usual.
    #[must_use]
    pub fn looking_every(self, time: Duration) -> Warm {
        Warm { looking_every: time, ..self }
    }

    /// The world as it is now: what anybody wrote before this was called is in it.
    ///
    /// # Errors
    /// As [`World::open`].
    pub fn world(&self) -> Result<Arc<World<'static>>, CommandError> {
        self.look(&mut self.state())
    }

    /// The world and what the home knows of it.
    ///
    /// # Errors
    /// As [`World::open`].
    pub fn now(&self) -> Result<Now, CommandError> {
        let mut state = self.state();
        let world = self.look(&mut state)?;
        let kept = self.know(&mut state, &world);
        let number = state.held.as_ref().map(|_| state.number);
        Ok(Now { world, kept, number })
    }

    /// Has all looked at by the next call: somebody saw what it doesn't know.
    pub fn doubt(&self) {
        self.state().held = None;
    }

    /// Whether nothing can be kept, so that each call reads all.
    #[must_use]
    pub fn is_blind(&self) -> bool {
        self.state().blind
    }

    pub(super) fn changes(&self) -> Option<&dyn Changes> {
        self.changes.as_deref()
    }

    /// Whether something changed since this was last asked.
    pub(super) fn news(&self) -> bool {
        self.untold.swap(false, Ordering::AcqRel)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What was being made when somebody panicked was not put in yet.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self) -> Where<'_> {
        Where { home: self.home.as_deref(), roots: &self.roots, for_agents: true }
    }

    fn go_blind(&self, state: &mut State, why: &str) {
        state.held = None;
        if !std::mem::replace(&mut state.blind, true) {
            (self.say)(&format!("{why}; so each call reads all skills anew"));
        }
        if let Some(changes) = &self.changes {
            changes.retain(&|_| false);
            changes.wake();
        }
    }

    fn look(&self, state: &mut State) -> Result<Arc<World<'static>>, CommandError> {
        let Some(changes) = self.changes.as_deref().filter(|_| !state.blind) else {
            return Ok(Arc::new(World::open(self.system, &self.place())?));
        };
        let happened = Happened::of(self.system, changes.take());
        if !happened.is_nothing() {
            self.untold.store(true, Ordering::Release);
        }
        let held = state.held.take().filter(|held| !happened.lost && held.holds(self.system));
        let Some(mut held) = held else { return self.whole(state, changes) };
        if !self.follow_settings(state, &mut held)? {
            return self.whole(state, changes);
        }
        if held.looked.elapsed() >= self.looking_every {
            return self.all_again(state, &held, changes, &happened);
        }
        if !happened.touched.is_empty()
            && !self.follow_folders(state, &mut held, changes, &happened)
        {
            return self.whole(state, changes);
        }
        let world = Arc::clone(&held.world);
        state.held = Some(held);
        Ok(world)
    }

    /// Takes other settings over. Whether the library can stay.
    fn follow_settings(&self, state: &mut State, held: &mut Held) -> Result<bool, CommandError> {
        // Whether a project is trusted is known by the ledger.
        let is_sure = held.world.found.projects.is_empty();
        if is_sure && held.settings.holds(self.system) {
            return Ok(true);
        }
        let (fresh, settings) = self.unread()?;
        held.settings = settings;
        if fresh.is_set_as(&held.world) {
            return Ok(true);
        }
        let same = fresh.found.roots == held.world.found.roots && fresh.home == held.world.home;
        if same {
            held.world = Arc::new(fresh.with_library(Arc::clone(&held.world.library)));
            state.number += 1;
        }
        Ok(same)
    }

    /// Looks again at folders in which something happened. Whether that can tell what is there now.
    fn follow_folders(
        &self,
        state: &mut State,
        held: &mut Held,
        changes: &dyn Changes,
        happened: &Happened,
    ) -> bool {
        let failed = Failed::default();
        let witness = Witness::beside_folders(self.system);
        let library =
            held.trace.again(&witness, &held.world.library, &happened.touched, &|folder| {
                failed.note(changes.watch(folder));
            });
        let Some(library) = library.filter(|it| !it.skills.is_empty() && !failed.any()) else {
            return false;
        };
        held.beside = std::mem::take(&mut held.beside).and(witness.into_seen());
        held.world = Arc::new(held.world.with_library(Arc::new(library)));
        state.number += 1;
        true
    }

    /// Looks at everything, since it is time. Where something else is there and nobody told of it, none is believed any more.
    fn all_again(
        &self,
        state: &mut State,
        held: &Held,
        changes: &dyn Changes,
        happened: &Happened,
    ) -> Result<Arc<World<'static>>, CommandError> {
        let world = self.whole(state, changes)?;
        let is_same = same(&world.library, &held.world.library);
        if !is_same {
            self.untold.store(true, Ordering::Release);
        }
        let missed = !is_same && happened.touched.is_empty();
        if missed && changes.take().is_empty() {
            self.go_blind(state, "skills changed and nothing told of it");
        } else if missed {
            // It changed while it was looked at: what was just taken belongs to the next look.
            state.held = None;
        }
        Ok(world)
    }

    fn whole(
        &self,
        state: &mut State,
        changes: &dyn Changes,
    ) -> Result<Arc<World<'static>>, CommandError> {
        state.number += 1;
        let (mut world, settings) = self.unread()?;
        let tops = world.found.roots.iter().map(|root| Top::of(self.system, &root.path)).collect();
        let failed = Failed::default();
        let witness = Witness::beside_folders(self.system);
        let cache = world.cached("skills.bin");
        let (library, trace) =
            scan_kept(&witness, &world.found.roots, cache.as_deref(), &|folder| {
                failed.note(changes.watch(folder));
            });
        world.hold(library);
        let beside = witness.into_seen();
        let can_be_kept = !world.library.skills.is_empty()
            && !world.is_sample()
            && world.library.roots.iter().all(|report| report.resolved.is_some());
        let world = Arc::new(world);
        if let Some(why) = failed.into_words() {
            self.go_blind(state, &why);
        } else if can_be_kept {
            only(changes, &trace);
            let world = Arc::clone(&world);
            let looked = Instant::now();
            state.held = Some(Held { world, trace, settings, beside, tops, looked });
        }
        Ok(world)
    }

    /// A world before its library is read, and what it was made from.
    fn unread(&self) -> Result<(World<'static>, Witnessed), CommandError> {
        let witness = Witness::new(self.system);
        let mut world = World::unread(&witness, &self.place())?.over(self.system);
        // The home stays where it is for as long as a process, and so does its cache.
        let remembered = self.remembered.get_or_init(|| {
            let tokens = Arc::new(world.token_meter());
            let (lines, sessions) = (Lines::default(), Sessions::default());
            Arc::new(Remembered { tokens, lines, sessions })
        });
        world.remembered = Some(Arc::clone(remembered));
        Ok((world, witness.into_seen()))
    }

    fn know(&self, state: &mut State, world: &World<'_>) -> Arc<Kept> {
        let path = world.home.path.as_ref().map(|home| home.join(LEDGER));
        let file = path.and_then(|path| self.system.stat(&path).ok());
        if let (Some(known), Some(file)) = (&state.known, file)
            && known.file == file
            && known.kept.ledger.as_ref().and_then(|it| it.version().ok()) == Some(known.version)
        {
            return Arc::clone(&known.kept);
        }
        let before = state.known.take();
        // Asked before all is read, as for what is read: what is written meanwhile makes it another one.
        let still = before.as_ref().and_then(|it| it.kept.ledger.as_ref()?.version().ok());
        let kept = Kept::read(self.system, &world.home);
        if let (Some(before), Some(version), Some(file)) = (&before, still, file)
            && (before.file.device, before.file.inode) == (file.device, file.inode)
            && before.kept.skills == kept.skills
            && before.kept.is_as(&kept)
        {
            // The same as before stays where it is: ten thousand small texts that come and go leave the memory in pieces.
            let kept = Arc::clone(&before.kept);
            state.known = Some(Known { kept: Arc::clone(&kept), file, version });
            return kept;
        }
        let version = kept.version;
        let kept = Arc::new(kept);
        if before.is_none_or(|before| !before.kept.is_as(&kept)) {
            state.number += 1;
        }
        if let (Some(file), Some(version)) = (file, version) {
            state.known = Some(Known { kept: Arc::clone(&kept), file, version });
        }
        kept
    }
}

/// Whether a folder could not be watched while it was walked through, and why.
#[derive(Default)]
struct Failed(Mutex<Option<io::Error>>);

impl Failed {
    fn note(&self, watched: io::Result<()>) {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        let Err(error) = watched else { return };
        // What is gone or may not be read can't be listed either, and the folder above tells when that changes.
        if !matches!(error.kind(), NotFound | NotADirectory | PermissionDenied) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn any(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn into_words(self) -> Option<String> {
        let error = self.0.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        Some(match error.kind() {
            io::ErrorKind::StorageFull => {
                "the folders of skills are more than this user may watch (sysctl fs.inotify.max_user_watches)"
                    .to_owned()
            }
            io::ErrorKind::Unsupported => {
                "skills lie on a file system that doesn't tell what others change".to_owned()
            }
            _ => format!("a folder of skills can't be watched: {error}"),
        })
    }
}

/// Ends the watch of folders in which a walk was not.
fn only(changes: &dyn Changes, trace: &Trace) {
    let folders: HashSet<_> = trace.folders().collect();
    changes.retain(&|folder| folders.contains(folder));
}

/// Whether two libraries say the same, whatever it took to find that. A file that got another name elsewhere says the same as before.
pub(super) fn same(one: &Library, other: &Library) -> bool {
    one.roots == other.roots
        && one.skills == other.skills
        && one.categories == other.categories
        && one.problems == other.problems
}
