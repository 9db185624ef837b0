//! What every command starts from that changes something: the home's id and ledger, the roots that it owns, and who calls.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    Global,
    caller::{acting_as, caller},
    error::{CommandError, Kind},
    naming::one,
    options::RootArgs,
    output::Output,
    world::World,
};
use crate::{
    change::{By, Home, Judge, Keeper, Target, Unruled},
    config,
    ledger::{Access, Digest, Found, Ledger, NewRoot, RootId, Settled, Sketch},
    library::Own,
    skill::{Actor, SkillId},
    system::{Disk, System},
};

/// The ledger's file in the home.
pub const LEDGER: &str = "keep.db";
/// The file that holds the home's id.
pub const ID: &str = "id";

/// Bytes of a small file of ours.
const SMALL: u64 = 4 << 10;

/// Bytes of a SKILL.md that its hash is taken of: the library reads no more of it.
const MOST_BYTES: u64 = 64 << 20;

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
    /// Whether agents' writes wait for a person.
    pub approval: bool,
    /// Who judges what is written.
    judge: Box<dyn Judge>,
}

/// What a scan came to, by row of the library.
pub struct Noted {
    /// Roots as the ledger numbers them, where they were searched: in the order of the library's.
    pub roots: Vec<Option<(RootId, PathBuf)>>,
    /// Ids of rows that are skills of their own.
    pub ids: Vec<Option<SkillId>>,
    /// What became of what was known.
    pub settled: Settled,
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
        out: &mut Output<'_>,
    ) -> Result<Store<'a>, CommandError> {
        let disk = system.disk().ok_or_else(no_home)?;
        let home = identity(disk, &world.home).ok_or_else(no_home)?;
        let opened = Ledger::open(&home.path.join(LEDGER), access)?;
        if let Some(aside) = &opened.set_aside {
            out.warn(&format!(
                "the ledger was damaged ({}), and lies at `{}` now; a new one begins",
                aside.found,
                world.shorten(&aside.path)
            ));
            out.hint("nothing is retired until that is resolved");
        }
        let actor = caller(disk, &home.path);
        let approval = world.config.writes.approval;
        Ok(Store { disk, home, ledger: opened.ledger, actor, approval, judge: Box::new(Unruled) })
    }

    /// Notes what is in the roots: ids for what is new, places as they are now, pins as the roots have them.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn note(&self, world: &World<'_>) -> Result<Noted, CommandError> {
        let now = self.disk.now();
        let mut roots = Vec::new();
        for (precedence, report) in (0..).zip(&world.library.roots) {
            let Some(path) = report.resolved.clone().filter(|_| report.problem.is_none()) else {
                roots.push(None);
                continue;
            };
            let label = report.root.label.clone();
            // Who takes a root trusts it.
            let owned = self.owns(&path);
            let new =
                NewRoot { owned, trusted: owned, path: path.clone(), label, precedence, at: now };
            roots.push(Some((self.ledger.add_root(&new)?, path)));
        }
        let rows = self.found(world, &roots);
        let all: BTreeSet<RootId> = roots.iter().flatten().map(|(id, _)| *id).collect();
        let found: Vec<Found> = rows.iter().map(|(_, found)| found.clone()).collect();
        let settled = self.ledger.settle(&all, &found, now, &mut || self.disk.random())?;
        let mut ids = vec![None; world.library.skills.len()];
        for ((row, _), id) in rows.iter().zip(&settled.ids) {
            if let Some(place) = ids.get_mut(*row) {
                *place = Some(*id);
            }
        }
        let noted = Noted { roots, ids, settled };
        self.note_pins(&noted)?;
        Ok(noted)
    }

    /// What is in the roots, as a scan would note it, and nothing of it noted.
    fn seen(&self, world: &World<'_>) -> Result<Noted, CommandError> {
        let mut roots = Vec::new();
        for report in &world.library.roots {
            let path = report.resolved.clone().filter(|_| report.problem.is_none());
            roots.push(match path {
                None => None,
                Some(path) => {
                    let known = self.ledger.root_at(&path)?;
                    Some((known.map_or(RootId(0), |root| root.id), path))
                }
            });
        }
        let mut ids = vec![None; world.library.skills.len()];
        for (row, found) in self.found(world, &roots) {
            let known = self.ledger.skill_at(found.root, &found.folder)?;
            if let Some(place) = ids.get_mut(row) {
                let new = || SkillId::from_random(self.disk.random());
                *place = Some(known.map_or_else(new, |skill| skill.id));
            }
        }
        Ok(Noted { roots, ids, settled: Settled::default() })
    }

    fn note_pins(&self, noted: &Noted) -> Result<(), CommandError> {
        let skills = self.ledger.skills()?;
        for (id, path) in noted.roots.iter().flatten() {
            let Ok(keeper) = self.keeper(*id, path) else { continue };
            let pins = keeper.pins()?;
            let pinned = skills.iter().filter(|skill| skill.root == *id);
            let pinned = pinned.filter(|skill| pins.contains_key(&skill.folder));
            self.ledger.take_pins(*id, &pinned.map(|skill| skill.id).collect())?;
        }
        Ok(())
    }

    /// The rows of the library that are skills of their own, each as its folder is now.
    fn found(&self, world: &World<'_>, roots: &[Option<(RootId, PathBuf)>]) -> Vec<(usize, Found)> {
        let root_of = |own: &Own<'_>| Some(roots.get(own.root)?.as_ref()?.0);
        let rows: Vec<(usize, RootId)> =
            world.library.own().iter().filter_map(|own| Some((own.row, root_of(own)?))).collect();
        let look = |(row, root): (usize, RootId)| {
            let skill = world.library.skills.get(row)?;
            let folder = world.library.folder_of(row)?;
            let stat = self.disk.stat(&folder).ok()?;
            let bytes = self.disk.read(&folder.join(&skill.place.file), MOST_BYTES).ok();
            let text = bytes.as_deref().map(String::from_utf8_lossy);
            let found = Found {
                root,
                folder: skill.place.folder.clone(),
                name: skill.name.as_str().to_owned(),
                category: skill.category.as_str().to_owned(),
                device: stat.device,
                inode: stat.inode,
                digest: bytes.as_deref().map(Digest::of),
                sketch: text.map(|text| Sketch::of(&text)),
            };
            Some((row, found))
        };
        rows.into_par_iter().filter_map(look).collect()
    }

    /// Whether a root is this home's.
    pub fn owns(&self, root: &Path) -> bool {
        Keeper::open(self.disk, &self.ledger, &self.home, RootId(0), root).is_ok()
    }

    /// The writer of an owned root.
    ///
    /// # Errors
    /// Law `owned`.
    pub fn keeper<'s>(&'s self, id: RootId, path: &'s Path) -> Result<Keeper<'s>, CommandError> {
        let keeper = Keeper::open(self.disk, &self.ledger, &self.home, id, path)?;
        Ok(keeper.judged_by(self.judge.as_ref(), self.approval))
    }

    /// Who does it, and why.
    ///
    /// # Errors
    /// Where the call claims to be somebody whom it may not be.
    pub fn by(&self, why: &Why) -> Result<By, CommandError> {
        let actor = acting_as(self.actor, why.acting_as.as_deref())?;
        let reason = why.reason.clone().unwrap_or_default();
        Ok(By { actor, session: why.session.clone(), reason })
    }
}

/// That nobody made a home yet.
pub fn no_home() -> CommandError {
    CommandError::new(Kind::Finding, "there is no home yet, so nothing is kept")
        .hint("skillkeep init")
}

/// A home as it signs roots, where somebody made it.
pub fn identity(disk: &dyn Disk, home: &config::Home) -> Option<Home> {
    let path = home.path.as_ref()?;
    let id = disk.read(&path.join(ID), SMALL).ok()?;
    let id = String::from_utf8_lossy(&id).trim().to_owned();
    Some(Home { id, path: disk.resolve(path).unwrap_or_else(|_| path.clone()) })
}

/// Why something is changed.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Why {
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    /// The session that it is done in
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,

    /// Count as another actor than the one that calls: foreground, review, curator, job or sync. A person may be any of
    /// them, and nobody else is more than what the call came with
    #[arg(long = "as", value_name = "ACTOR", value_parser = ["person", "foreground", "review", "curator", "job", "sync"], hide_possible_values = true)]
    pub acting_as: Option<String>,
}

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
    out: &mut Output<'_>,
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
    out: &mut Output<'_>,
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
    global: &Global,
    roots: &RootArgs,
    out: &mut Output<'_>,
) -> Result<(World<'a>, Store<'a>, Noted), CommandError> {
    let world = rooted(system, global, roots, out)?;
    let store = Store::open(system, &world, Access::Write, out)?;
    let noted = store.note(&world)?;
    Ok((world, store, noted))
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
    global: &Global,
    roots: &RootArgs,
    out: &mut Output<'_>,
) -> Result<(World<'a>, Store<'a>, Noted), CommandError> {
    let world = rooted(system, global, roots, out)?;
    let store = Store::open(system, &world, Access::Read, out)?;
    let noted = store.seen(&world)?;
    Ok((world, store, noted))
}

fn rooted<'a>(
    system: &'a dyn System,
    global: &Global,
    roots: &RootArgs,
    out: &mut Output<'_>,
) -> Result<World<'a>, CommandError> {
    let world = World::own(system, global, roots)?;
    world.announce(out);
    if world.library.roots.is_empty() {
        let message = "there is no folder of skills on this machine, so nothing can be changed";
        return Err(CommandError::new(Kind::Finding, message).hint("skillkeep init"));
    }
    Ok(world)
}
