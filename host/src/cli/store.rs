//! What every command starts from that changes something: the home's id and ledger, the roots that it owns, and who calls.

use std::path::Path;

use super::{
    Global,
    error::{CommandError, Kind},
    noting::Noted,
    options::RootArgs,
    output::Output,
    show::one,
    world::World,
};
use crate::{
    change::{By, Home, Keeper, Target},
    ledger::{Access, Ledger, RootId},
    skill::{Actor, SkillId},
    system::{Disk, System},
};

/// The ledger's file in the home.
pub const LEDGER: &str = "keep.db";
/// The file that holds the home's id.
pub const ID: &str = "id";
/// The file that holds what a person shows who is at no terminal.
pub const TOKEN: &str = "token";

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
        let no_home = || {
            CommandError::new(Kind::Finding, "there is no home yet, so nothing is kept")
                .hint("skillkeep init")
        };
        let (Some(disk), Some(path)) = (system.disk(), &world.home.path) else {
            return Err(no_home());
        };
        let id = disk.read(&path.join(ID), SMALL).map_err(|_| no_home())?;
        let path = disk.resolve(path).unwrap_or_else(|_| path.clone());
        let opened = Ledger::open(&path.join(LEDGER), access)?;
        if let Some(aside) = &opened.set_aside {
            out.warn(&format!(
                "the ledger was damaged ({}), and lies at `{}` now; a new one begins",
                aside.found,
                world.shorten(&aside.path)
            ));
            out.hint("nothing is retired until that is resolved");
        }
        let id = String::from_utf8_lossy(&id).trim().to_owned();
        let actor = caller(disk, &path);
        Ok(Store { disk, home: Home { id, path }, ledger: opened.ledger, actor })
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
        Ok(Keeper::open(self.disk, &self.ledger, &self.home, id, path)?)
    }

    /// Who does it, and why.
    #[must_use]
    pub fn by(&self, why: &Why) -> By {
        By {
            actor: self.actor,
            session: why.session.clone(),
            reason: why.reason.clone().unwrap_or_default(),
        }
    }
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
}

/// A skill that a command is about, with its root's writer.
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
}

/// The skill that a name means, by the one resolver.
///
/// # Errors
/// Where there is none or several, it is no skill of its own, or its root isn't owned.
pub fn meant<'s>(
    store: &'s Store<'_>,
    world: &World<'_>,
    noted: &'s Noted,
    name: &str,
) -> Result<Meant<'s>, CommandError> {
    let row = one(world, name)?;
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
    Ok(Meant {
        keeper: store.keeper(*root, path)?,
        id,
        folder: skill.place.folder.clone(),
        name: skill.name.as_str().to_owned(),
    })
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
    let (world, store) = begin(system, global, roots, out)?;
    let noted = store.note(&world)?;
    Ok((world, store, noted))
}

/// The world and its store, to be written.
///
/// # Errors
/// As each of them.
pub fn begin<'a>(
    system: &'a dyn System,
    global: &Global,
    roots: &RootArgs,
    out: &mut Output<'_>,
) -> Result<(World<'a>, Store<'a>), CommandError> {
    let world = World::open(system, global, roots)?;
    if world.is_sample() {
        world.announce(out);
        let message = "the sample library is not yours to change";
        return Err(CommandError::new(Kind::Finding, message).hint("skillkeep init FOLDER"));
    }
    world.announce(out);
    let store = Store::open(system, &world, Access::Write, out)?;
    Ok((world, store))
}

/// A person only at a terminal, or with the home's token; everybody else works for somebody.
fn caller(disk: &dyn Disk, home: &Path) -> Actor {
    let shown = disk.variable("SKILLKEEP_TOKEN");
    let token = disk.read(&home.join(TOKEN), SMALL).ok();
    let token = token.as_deref().map(|token| String::from_utf8_lossy(token).trim().to_owned());
    let known = token.filter(|token| !token.is_empty());
    if disk.is_attended() || (known.is_some() && shown == known) {
        Actor::Person
    } else {
        Actor::Foreground
    }
}
