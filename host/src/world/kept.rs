//! What the home knows of the skills, for commands that only read. Where there is no home nothing is known, and nothing is
//! made, moved or written on the way to that.

use std::ffi::OsStr;

use foldhash::HashMap;

use super::{
    Tell, Where, World,
    error::CommandError,
    store::{LEDGER, no_ledger},
};
use crate::{
    config::Home,
    ledger::{Access, AtHand, Ledger, LedgerError},
    library::Library,
    system::System,
};

/// What is known of the skills that are in the library.
#[derive(Debug, Default)]
pub struct Kept {
    /// The skills, by id.
    pub skills: Vec<AtHand>,
    /// The ledger, where there is one that can be read.
    pub ledger: Option<Ledger>,
    /// The ledger's version before it was read.
    pub version: Option<i64>,
    /// Why nothing is known though there is a ledger. Whatever else was asked can be done all the same.
    pub problem: Option<CommandError>,
}

impl Kept {
    /// Reads what a home knows. It needs no library, so that both can be read at once.
    #[must_use]
    pub fn read(system: &dyn System, home: &Home) -> Kept {
        let ledger = match ledger(system, home) {
            Ok(Some(ledger)) => ledger,
            Ok(None) => return Kept::default(),
            Err(error) => return Kept { problem: Some(error.into()), ..Kept::default() },
        };
        // Asked before all else: what is written meanwhile makes it another one.
        let version = ledger.version().ok();
        match ledger.at_hand() {
            Ok(skills) => Kept { skills, ledger: Some(ledger), version, problem: None },
            Err(error) => Kept { problem: Some(error.into()), ..Kept::default() },
        }
    }

    /// Whether the same is known, how often skills were used aside.
    #[must_use]
    pub fn is_as(&self, other: &Kept) -> bool {
        let problem = |kept: &Kept| kept.problem.as_ref().map(|it| it.message.clone());
        self.ledger.is_some() == other.ledger.is_some()
            && problem(self) == problem(other)
            && self.skills.len() == other.skills.len()
            && self.skills.iter().zip(&other.skills).all(|(one, other)| one.is_but_for_use(other))
    }

    /// Says why nothing is known though there is a ledger.
    pub fn announce(&self, out: &mut dyn Tell) {
        if let Some(problem) = &self.problem {
            out.warn(&problem.message);
            for hint in &problem.hints {
                out.hint(hint);
            }
        }
    }

    /// What is known of each row of a library; nothing of rows that are no skills of their own.
    #[must_use]
    pub fn rows(&self, library: &Library) -> Vec<Option<&AtHand>> {
        let mut rows = vec![None; library.skills.len()];
        if self.skills.is_empty() {
            return rows;
        }
        let places: HashMap<(&OsStr, &str), &AtHand> =
            self.skills.iter().map(|it| ((it.root.as_os_str(), it.folder.as_str()), it)).collect();
        for own in library.own() {
            if let Some(row) = rows.get_mut(own.row) {
                *row = places.get(&(own.path.as_os_str(), own.folder)).copied();
            }
        }
        rows
    }
}

/// The world and what is known of it, read side by side.
///
/// # Errors
/// As [`World::open`].
pub fn open<'a>(
    system: &'a dyn System,
    place: &Where<'_>,
) -> Result<(World<'a>, Kept), CommandError> {
    let mut world = World::unread(system, place)?;
    let (library, kept) = rayon::join(|| world.read(), || Kept::read(system, &world.home));
    world.hold(library);
    Ok((world, kept))
}

/// A home's ledger, to be read; none where there is no home, or nothing in it.
///
/// # Errors
/// Where there is one that can't be read.
pub fn ledger(system: &dyn System, home: &Home) -> Result<Option<Ledger>, LedgerError> {
    // A system of the memory's has no home that SQLite could open.
    let (Some(_), Some(path)) = (system.disk(), &home.path) else { return Ok(None) };
    match Ledger::open(&path.join(LEDGER), Access::Read) {
        Ok(opened) => Ok(Some(opened.ledger)),
        Err(LedgerError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The ledger of a world's home, for who can do nothing without it.
///
/// # Errors
/// Where there is no home, its ledger is gone, or it can't be read.
pub fn needed_ledger(world: &World<'_>) -> Result<Ledger, CommandError> {
    ledger(world.system, &world.home)?.ok_or_else(|| no_ledger(world))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::{Kept, LEDGER};
    use crate::{
        config::Home,
        ledger::{Access, Ledger, NewRoot, NewSkill, Origin},
        library::scan,
        skill::{Instant, OneLine, Root, SkillId, State},
        system::OsSystem,
    };

    #[test]
    fn where_nothing_is_kept_nothing_is_made_and_nothing_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let home = |path| Home { path, cache: None };
        for path in [None, Some(folder.path().join("none")), Some(folder.path().to_owned())] {
            let kept = Kept::read(&OsSystem, &home(path));
            assert!(kept.skills.is_empty() && kept.ledger.is_none() && kept.problem.is_none());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::write(folder.path().join(LEDGER), "a letter").unwrap();
        let kept = Kept::read(&OsSystem, &home(Some(folder.path().to_owned())));
        assert!(kept.ledger.is_none());
        assert!(kept.problem.unwrap().message.contains("is no ledger of this program"));
    }

    #[test]
    fn a_row_is_known_by_its_root_and_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for place in ["one/a", "one/b", "two/a"] {
            std::fs::create_dir_all(top.join(place)).unwrap();
            let text = format!("---\nname: x\ndescription: {place}.\n---\nDo.\n");
            std::fs::write(top.join(place).join("SKILL.md"), text).unwrap();
        }
        let ledger = Ledger::open(&top.join("home").join(LEDGER), Access::Write).unwrap().ledger;
        for (number, (root, place)) in (1..).zip([("one", "b"), ("two", "a"), ("two", "gone")]) {
            let root = NewRoot {
                path: top.join(root),
                label: OneLine::new(root),
                owned: false,
                trusted: false,
                precedence: 0,
                at: Instant(0),
            };
            let skill = NewSkill {
                id: SkillId::from_random(number),
                root: ledger.add_root(&root).unwrap(),
                folder: place.to_owned(),
                name: "x".to_owned(),
                category: "general".to_owned(),
                state: State::Active,
                origin: Origin::Unknown,
                created: Instant(0),
            };
            ledger.add_skill(&skill).unwrap();
        }
        let kept = Kept::read(&OsSystem, &Home { path: Some(top.join("home")), cache: None });
        let roots = ["one", "two"].map(|root| Root {
            path: top.join(root),
            label: OneLine::new(root),
            category: None,
        });
        let library = scan(&OsSystem, &roots, None);
        let rows: Vec<_> = kept.rows(&library).into_iter().map(|row| row.map(|it| it.id)).collect();
        let id = |number| Some(SkillId::from_random(number));
        assert_eq!(rows, [None, id(1), id(2)]);
        assert_eq!(Kept::default().rows(&library), [None, None, None]);
    }
}
