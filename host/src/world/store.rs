//! What every command starts from that changes something: the home's id and ledger, the roots that it owns, and who calls.

use std::path::Path;

use super::{
    Tell, Where, World,
    caller::{acting_as, caller_of},
    error::{CommandError, Kind},
    judges::Judges,
    naming::one,
    noting::Noted,
};
use crate::{
    change::{self, By, ChangeError, Home, Keeper, Retention, Target},
    config,
    judge::Judge,
    ledger::{Access, Damage, Ledger, LedgerError, Lost, RootId},
    skill::{Actor, SkillId},
    system::{Disk, System},
};

/// The ledger's file in the home.
pub const LEDGER: &str = "keep.db";
/// The file that holds the home's id.
pub const ID: &str = "id";

/// Daily backups of the ledger that are kept.
const BACKUPS: usize = 7;

/// Bytes of a small file of ours.
const SMALL: u64 = 4 << 10;

/// A home that is there, with its ledger open.
pub struct Store<'a> {
    /// The writing half of the door.
    pub disk: &'a dyn Disk,
    /// The home.
    pub home: Home,
    /// What is known.
    pub ledger: Ledger,
    /// Who calls.
    pub actor: Actor,
    /// How long former bytes are kept.
    pub retention: Retention,
    /// Whether agents' writes wait for a person.
    pub approval: bool,
    /// Whether passes may retire what came with an agent.
    pub retire_bundled: bool,
    /// Who judges what is written.
    judges: Judges,
}

impl<'a> Store<'a> {
    /// Opens the store of a home.
    ///
    /// # Errors
    /// Where nobody made the home yet, or its ledger can't be opened.
    pub fn open(
        system: &'a dyn System,
        world: &World<'_>,
        access: Access,
        out: &mut dyn Tell,
    ) -> Result<Store<'a>, CommandError> {
        let disk = system.disk().ok_or_else(no_home)?;
        let home = identity(disk, &world.home).ok_or_else(no_home)?;
        let opened = Ledger::open(&home.path.join(LEDGER), access)?;
        if let Some(lost) = &opened.lost {
            told(lost, world, out);
        }
        let actor = caller_of(world);
        let (retention, approval) = (retention(world), world.config.writes.approval);
        let (judges, retire_bundled) = (Judges::default(), world.config.curator.retire_bundled);
        let ledger = opened.ledger;
        Ok(Store { disk, home, ledger, actor, retention, approval, retire_bundled, judges })
    }

    /// The same with a ledger that is whole: one that is damaged is set aside.
    ///
    /// # Errors
    /// Where it can't be opened.
    pub fn replaced(
        self,
        world: &World<'_>,
        counts: Damage,
        out: &mut dyn Tell,
    ) -> Result<Store<'a>, CommandError> {
        let Store { ledger, .. } = self;
        drop(ledger);
        let opened =
            Ledger::replace_damaged(&self.home.path.join(LEDGER), counts, self.disk.now())?;
        if let Some(lost) = &opened.lost {
            told(lost, world, out);
        }
        Ok(Store { ledger: opened.ledger, ..self })
    }

    /// Whether a root is this home's.
    pub fn owns(&self, root: &Path) -> bool {
        Keeper::open(self.disk, &self.ledger, &self.home, RootId(0), root).is_ok()
    }

    /// Loads who judges what this command writes, and says what is wrong with them. Whoever writes without is refused.
    ///
    /// # Errors
    /// Where this machine can't run any policy.
    pub fn seat_judges(&self, world: &World<'_>, out: &mut dyn Tell) -> Result<(), CommandError> {
        self.judges.load(world, out)
    }

    /// Seats judges that are loaded already. It has to be the first to do so.
    pub fn seat(&self, judge: Judge) {
        self.judges.seat(judge);
    }

    /// What is due once a day, by whoever comes to write: a backup of what was known so far, and former bytes let go whose
    /// time is over. What goes wrong with it is said, and stops nothing.
    pub fn keep_up(&self, world: &World<'_>, out: &mut dyn Tell) {
        // Where something was lost, none of the older ones is let go: they may know more.
        let keep = match self.ledger.damaged_since() {
            Ok(None) => BACKUPS,
            _ => usize::MAX,
        };
        if let Err(error) = self.ledger.back_up(self.disk.now(), keep) {
            out.warn(&format!("no backup of the ledger could be made: {error}"));
            let folder = self.home.path.join("backups");
            out.hint(&format!("see the disk and who may write there: {}", world.shorten(&folder)));
            // What is let go should be in a backup first.
            return;
        }
        if let Err(error) = self.sweep() {
            out.warn(&format!("former bytes whose time is over could not be let go: {error}"));
        }
    }

    fn sweep(&self) -> Result<(), ChangeError> {
        let now = self.disk.now();
        if !self.ledger.is_sweep_due(now)? {
            return Ok(());
        }
        if change::sweep(self.disk, &self.ledger, &self.home, self.retention)?.done {
            self.ledger.swept(now)?;
        }
        Ok(())
    }

    /// The writer of an owned root.
    ///
    /// # Errors
    /// Law `owned`.
    pub fn keeper<'s>(&'s self, id: RootId, path: &'s Path) -> Result<Keeper<'s>, ChangeError> {
        let keeper = Keeper::open(self.disk, &self.ledger, &self.home, id, path)?;
        let keeper = keeper.keeping(self.retention).judged_by(&self.judges, self.approval);
        Ok(keeper.retiring_bundled(self.retire_bundled))
    }

    /// Who does it, and why.
    ///
    /// # Errors
    /// Where the call claims to be somebody whom it may not be.
    pub fn by(&self, why: impl Into<Why>) -> Result<By, CommandError> {
        let Why { reason, session, acting_as: asked } = why.into();
        let actor = acting_as(self.actor, asked)?;
        Ok(By { actor, session, reason: reason.unwrap_or_default() })
    }
}

/// That nobody made a home yet.
pub fn no_home() -> CommandError {
    CommandError::new(Kind::Finding, "there is no home yet, so nothing is kept")
        .hint("skillkeep init")
}

/// That there is nothing to read: no home, or a home whose ledger is gone, which a scan finds again as far as it can.
pub fn no_ledger(world: &World<'_>) -> CommandError {
    match world.system.disk().and_then(|disk| identity(disk, &world.home)) {
        Some(_) => CommandError::new(Kind::Finding, "the home's ledger is gone")
            .hint("from backups, archives and folders, with the same ids: skillkeep scan"),
        None => no_home(),
    }
}

/// A home as it signs roots, where somebody made it.
pub fn identity(disk: &dyn Disk, home: &config::Home) -> Option<Home> {
    let path = home.path.as_ref()?;
    let id = disk.read(&path.join(ID), SMALL).ok()?;
    let id = String::from_utf8_lossy(&id).trim().to_owned();
    Some(Home { id, path: disk.resolve(path).unwrap_or_else(|_| path.clone()) })
}

/// Why something is changed.
#[derive(Clone, Debug, Default)]
pub struct Why {
    /// Why, for the log.
    pub reason: Option<String>,
    /// The session that it is done in.
    pub session: Option<String>,
    /// Whom the call counts as, where it isn't the one that calls.
    pub acting_as: Option<Actor>,
}

/// What a command has that changes something: the world, its store, and what is in the roots.
pub type Opened<'a> = (World<'a>, Store<'a>, Noted);

/// A skill that a command is about, as the ledger knows it.
pub struct Named<'s> {
    /// Its root, and where that is.
    pub root: (RootId, &'s Path),
    /// Its id.
    pub id: SkillId,
    /// Its folder below the root.
    pub folder: String,
    /// Its name.
    pub name: String,
}

/// A skill that a command changes, with its root's writer.
pub struct Meant<'s> {
    /// Its root's writer.
    pub keeper: Keeper<'s>,
    /// Its id.
    pub id: SkillId,
    /// Its folder below the root.
    pub folder: String,
    /// Its name.
    pub name: String,
}

impl Meant<'_> {
    /// As a change takes it.
    #[must_use]
    pub fn target(&self) -> Target<'_> {
        Target { id: self.id, folder: &self.folder }
    }

    /// The name of its folder, which may differ from its own.
    #[must_use]
    pub fn folder_name(&self) -> &str {
        self.folder.rsplit('/').next().unwrap_or(&self.folder)
    }
}

/// The skill that a name means, by the one resolver.
///
/// # Errors
/// Where there is none or several, it is no skill of its own, or its root can't be searched.
pub fn named<'s>(
    world: &World<'_>,
    noted: &'s Noted,
    name: &str,
    out: &mut dyn Tell,
) -> Result<Named<'s>, CommandError> {
    let row = one(world, name, out)?;
    let skill = world.library.skills.get(row);
    let id = noted.ids.get(row).copied().flatten();
    let (Some(skill), Some(id)) = (skill, id) else {
        let message = format!("`{name}` has no folder of its own that could be changed");
        return Err(CommandError::new(Kind::Finding, message).hint(format!("skillkeep why {name}")));
    };
    let root = noted.roots.get(skill.place.root).and_then(Option::as_ref);
    let Some((root, path)) = root else {
        let message = format!("the root of `{name}` can't be searched");
        return Err(CommandError::new(Kind::Fault, message));
    };
    Ok(Named {
        root: (*root, path),
        id,
        folder: skill.place.folder.clone(),
        name: skill.name.as_str().to_owned(),
    })
}

/// The same, to be changed.
///
/// # Errors
/// As [`named`], and where its root isn't owned.
pub fn meant<'s>(
    store: &'s Store<'_>,
    world: &World<'_>,
    noted: &'s Noted,
    name: &str,
    out: &mut dyn Tell,
) -> Result<Meant<'s>, CommandError> {
    let Named { root: (root, path), id, folder, name } = named(world, noted, name, out)?;
    Ok(Meant { keeper: store.keeper(root, path)?, id, folder, name })
}

/// The world and its store, noted: what a command needs that changes a skill.
///
/// # Errors
/// As each of them.
pub fn open<'a>(
    system: &'a dyn System,
    place: &Where<'_>,
    out: &mut dyn Tell,
) -> Result<Opened<'a>, CommandError> {
    let (world, store) = begin(system, place, out)?;
    let (store, noted) = match store.note(&world) {
        // What a look at its first bytes can't see.
        Err(ChangeError::Ledger(LedgerError::Damaged { .. })) => {
            let store = store.replaced(&world, Damage::File, out)?;
            let noted = store.note(&world)?;
            (store, noted)
        }
        noted => (store, noted?),
    };
    store.keep_up(&world, out);
    Ok((world, store, noted))
}

/// The world and its store, to be written.
///
/// # Errors
/// As each of them.
pub fn begin<'a>(
    system: &'a dyn System,
    place: &Where<'_>,
    out: &mut dyn Tell,
) -> Result<(World<'a>, Store<'a>), CommandError> {
    let world = rooted(system, place, out)?;
    let store = Store::open(system, &world, Access::Again, out)?;
    Ok((world, store))
}

/// How long former bytes are kept, as the settings have it.
fn retention(world: &World<'_>) -> Retention {
    let usual = Retention::default();
    Retention { days: world.config.keep_days.unwrap_or(usual.days), ..usual }
}

/// Says what became of a ledger that was lost.
fn told(lost: &Lost, world: &World<'_>, out: &mut dyn Tell) {
    let now = match &lost.aside {
        Some(aside) => format!("what is left of it lies at `{}`", world.shorten(aside)),
        None => "nothing is left of it".to_owned(),
    };
    out.warn(&format!("the ledger was lost ({}); {now}", lost.found));
    for broken in &lost.broken {
        out.warn(&format!("its backup `{}` is damaged too", world.shorten(broken)));
    }
    match &lost.backup {
        Some(backup) => out.note(&format!(
            "restored from `{}`: what was used, chosen and changed since then is not known any more",
            world.shorten(backup)
        )),
        None => out.note(
            "there is no backup of it: what was used, chosen and changed so far is not known any more",
        ),
    }
    out.note("archives and pins are known again from the roots, and skills from their folders");
    out.hint("only a person archives until the ledger is accepted: skillkeep scan --accept-ledger");
}

/// Nothing is known of skills that come with the program, or done with them.
///
/// # Errors
/// Where the library is the sample.
pub fn not_the_sample(world: &World<'_>) -> Result<(), CommandError> {
    if !world.is_sample() {
        return Ok(());
    }
    let message = "the sample library is not yours to change";
    Err(CommandError::new(Kind::Finding, message).hint("skillkeep init FOLDER"))
}

/// As [`open`], for a dry run: nothing is written down. What isn't known yet has an id of the moment.
///
/// # Errors
/// As each of them.
pub fn look<'a>(
    system: &'a dyn System,
    place: &Where<'_>,
    out: &mut dyn Tell,
) -> Result<Opened<'a>, CommandError> {
    let world = rooted(system, place, out)?;
    let store = Store::open(system, &world, Access::Read, out)?;
    let noted = store.seen(&world)?;
    Ok((world, store, noted))
}

fn rooted<'a>(
    system: &'a dyn System,
    place: &Where<'_>,
    out: &mut dyn Tell,
) -> Result<World<'a>, CommandError> {
    let world = World::own(system, place)?;
    world.announce(out);
    if world.library.roots.is_empty() {
        let message = "there is no folder of skills on this machine, so nothing can be changed";
        return Err(CommandError::new(Kind::Finding, message).hint("skillkeep init"));
    }
    Ok(world)
}
