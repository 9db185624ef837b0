//! The skills that another program sees, and whom its names mean: by the library's resolver among those alone, for a name
//! means another skill elsewhere; then in its archive.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::Home;
use crate::{
    adapters::takeover::{InArchive, Standing},
    ledger::{Known, PutAway, RootId, SkillRecord, match_up},
    library::{Library, Names, scan},
    skill::{OneLine, Root, SkillId, State},
    world::{
        World,
        error::CommandError,
        noting::{Noted, found_in},
        store::Store,
    },
};

/// Where Hermes puts skills away, below its skills.
const ARCHIVE: &str = ".archive";

/// What another program sees.
pub struct View {
    library: Library,
    /// Its roots, as the ledger numbers them.
    roots: BTreeSet<RootId>,
    /// By row of the library.
    rows: Vec<Option<Standing>>,
    /// Skills of its archive.
    pub archive: Vec<InArchive>,
    /// What is known of each of those.
    put_away: BTreeMap<SkillId, Standing>,
}

impl View {
    /// All skills of the library, for a program that doesn't say where its skills lie.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn of_all(
        world: &World<'_>,
        store: &Store<'_>,
        noted: &Noted,
    ) -> Result<View, CommandError> {
        let roots: Vec<Root> = world.library.roots.iter().map(|it| it.root.clone()).collect();
        View::of(world, store, noted, &roots)
    }

    /// The skills of a Hermes home, and those of its archive.
    ///
    /// # Errors
    /// As [`View::of_all`].
    pub fn of_home(
        world: &World<'_>,
        store: &Store<'_>,
        noted: &Noted,
        home: &Home,
    ) -> Result<View, CommandError> {
        let resolved = |path: &PathBuf| world.system.resolve(path).unwrap_or(path.clone());
        let wanted: BTreeSet<PathBuf> = home.roots.iter().map(resolved).collect();
        let reports = world.library.roots.iter();
        let roots: Vec<Root> = reports
            .filter(|it| it.resolved.as_ref().is_some_and(|path| wanted.contains(path)))
            .map(|it| it.root.clone())
            .collect();
        let mut view = View::of(world, store, noted, &roots)?;
        view.look_into_archive(world, store, noted, home)?;
        Ok(view)
    }

    fn of(
        world: &World<'_>,
        store: &Store<'_>,
        noted: &Noted,
        roots: &[Root],
    ) -> Result<View, CommandError> {
        let records = records(store)?;
        let mut places: BTreeMap<PathBuf, Standing> = BTreeMap::new();
        let mut owned: BTreeMap<&Path, bool> = BTreeMap::new();
        for own in world.library.own() {
            let id = noted.ids.get(own.row).copied().flatten();
            let owned = *owned.entry(own.path).or_insert_with(|| store.owns(own.path));
            if let Some(id) = id {
                let Some((root, _)) = noted.roots.get(own.root).and_then(Option::as_ref) else {
                    continue;
                };
                let place = (*root, own.folder);
                let standing = standing(id, place, records.get(&id), owned, store);
                places.insert(own.path.join(own.folder), standing);
            }
        }
        let cache = world.home.cache.as_ref().map(|cache| cache.join("skills.bin"));
        let library = scan(world.system, roots, cache.as_deref());
        // A skill behind a link is the skill that the link leads to.
        let place = |row: usize| -> Option<PathBuf> {
            let skill = library.skills.get(row)?;
            let linked = skill.place.linked_to.as_ref().map(PathBuf::from);
            linked.or_else(|| library.folder_of(row))
        };
        let rows = (0..library.skills.len()).map(|row| places.get(&place(row)?).cloned()).collect();
        let resolved: BTreeSet<&Path> =
            library.roots.iter().filter_map(|it| it.resolved.as_deref()).collect();
        let all = noted.roots.iter().flatten();
        let roots = all.filter(|(_, path)| resolved.contains(path.as_path())).map(|it| it.0);
        let roots = roots.collect();
        Ok(View { library, roots, rows, archive: Vec::new(), put_away: BTreeMap::new() })
    }

    fn look_into_archive(
        &mut self,
        world: &World<'_>,
        store: &Store<'_>,
        noted: &Noted,
        home: &Home,
    ) -> Result<(), CommandError> {
        let Some((root, skills)) = home.root(world, noted) else { return Ok(()) };
        let root = *root;
        let folder = skills.join(ARCHIVE);
        if world.system.stat(&folder).is_err() {
            return Ok(());
        }
        let label = OneLine::new(ARCHIVE);
        let library = scan(world.system, &[Root { path: folder, label, category: None }], None);
        let mut found = Vec::new();
        for own in library.own() {
            let Some(skill) = library.skills.get(own.row) else { continue };
            let place = format!("{ARCHIVE}/{}", own.folder);
            let folder = own.path.join(own.folder);
            found.extend(found_in(store.disk, &folder, skill, (root, &place)));
        }
        let known = away(store, noted)?;
        let matched = match_up(&known, &found, &BTreeSet::new());
        let records = records(store)?;
        let owned = store.owns(skills);
        for (row, found) in found.into_iter().enumerate() {
            let same = matched.same.get(&row).copied();
            let id = same.unwrap_or_else(|| SkillId::from_random(store.disk.random()));
            let record = records.get(&id);
            let is_there = |it: &&SkillRecord| {
                it.state == State::Archived && (it.root, &it.folder) == (found.root, &found.folder)
            };
            let known = record.filter(is_there).is_some();
            let mut standing = standing(id, (found.root, &found.folder), record, owned, store);
            standing.state = State::Archived;
            self.put_away.insert(id, standing);
            let since = record.and_then(|it| it.archived_at).unwrap_or(store.disk.now());
            self.archive.push(InArchive { away: PutAway { id, found, since }, known });
        }
        Ok(())
    }

    /// Whom a name means.
    #[must_use]
    pub fn named(&self, names: &Names<'_>, name: &str) -> Vec<Standing> {
        let rows = names.all(name);
        if !rows.is_empty() {
            let standing = |row: usize| self.rows.get(row)?.clone();
            let mut found: Vec<Standing> = rows.into_iter().filter_map(standing).collect();
            found.dedup_by_key(|it| it.id);
            return found;
        }
        let fits = |it: &&InArchive| {
            let found = &it.away.found;
            let below = found.folder.split_once('/').map(|(_, below)| below);
            found.name == name || below == Some(name)
        };
        let all = self.archive.iter().filter(fits);
        all.filter_map(|it| self.put_away.get(&it.away.id).cloned()).collect()
    }

    /// The roots that it sees, as the ledger numbers them.
    #[must_use]
    pub fn roots(&self) -> &BTreeSet<RootId> {
        &self.roots
    }

    /// The table that names are looked up in.
    #[must_use]
    pub fn names(&self) -> Names<'_> {
        Names::new(&self.library)
    }

    /// The skills that count, and those of the archive, each with its name.
    #[must_use]
    pub fn skills(&self) -> Vec<(&str, &Standing)> {
        let rows = self.library.skills.iter().zip(&self.rows);
        let live = rows.filter(|(skill, _)| skill.is_live());
        let mut all: Vec<(&str, &Standing)> =
            live.filter_map(|(skill, it)| Some((skill.name.as_str(), it.as_ref()?))).collect();
        for it in &self.archive {
            if let Some(standing) = self.put_away.get(&it.away.id) {
                all.push((it.away.found.name.as_str(), standing));
            }
        }
        all
    }
}

fn records(store: &Store<'_>) -> Result<BTreeMap<SkillId, SkillRecord>, CommandError> {
    Ok(store.ledger.skills()?.into_iter().map(|skill| (skill.id, skill)).collect())
}

fn standing(
    id: SkillId,
    (root, folder): (RootId, &str),
    record: Option<&SkillRecord>,
    owned: bool,
    store: &Store<'_>,
) -> Standing {
    Standing {
        id,
        root,
        folder: folder.to_owned(),
        origin: record.map(|it| it.origin).unwrap_or_default(),
        pinned: record.is_some_and(|it| it.pinned),
        state: record.map_or(State::Active, |it| it.state),
        since: record.map_or(store.disk.now(), |it| it.created),
        owned,
    }
}

/// Skills that are in no place of the library: those that may lie in an archive. A dry run has noted nothing, so those
/// count too that a scan would find gone.
fn away(store: &Store<'_>, noted: &Noted) -> Result<Vec<Known>, CommandError> {
    let seen: BTreeSet<SkillId> = noted.ids.iter().flatten().copied().collect();
    let roots: BTreeSet<RootId> = noted.roots.iter().flatten().map(|(id, _)| *id).collect();
    let mut known = store.ledger.known()?;
    known.retain(|it| !seen.contains(&it.id) && (!it.in_place || roots.contains(&it.root)));
    known.iter_mut().for_each(|it| it.in_place = false);
    Ok(known)
}
