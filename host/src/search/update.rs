//! Bringing an index up to date: only files are read that are not what they were, by all that a scan knows of them.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
    path::Path,
};

use rayon::prelude::*;
use rusqlite::Connection;

use super::{
    SearchError,
    index::{Index, path_to_read},
    texts,
    words::spaced,
};
use crate::{
    library::{Identity, LARGEST_FILE, Library, body, is_settled},
    system::System,
};

/// Skills that are read before they are stored: what is held of them at once, and how long SQLite waits for the next ones.
const BATCH: usize = 512;

/// Skills of other sets of roots that are kept.
const MOST_OTHERS: usize = 20_000;

/// Pages of the index that are put together after a change, at most.
const PAGES: i64 = 64;

/// What it took to bring an index up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Updated {
    /// Skills whose files were what they were.
    pub kept: usize,
    /// Skills that were looked at again.
    pub read: usize,
    /// Skills whose texts were new or not what they were.
    pub stored: usize,
    /// Skills that are no more.
    pub removed: usize,
}

/// A skill as the index has it.
struct Known {
    id: i64,
    path: Vec<u8>,
    /// What told its file's state from others; empty where there was nothing to read.
    identity: Vec<u8>,
    settled: bool,
    header: i64,
    body: i64,
}

/// A skill as the library has it.
struct Row<'k> {
    row: usize,
    path: Vec<u8>,
    header: i64,
    known: Option<&'k Known>,
}

/// A skill that was looked at.
struct Read<'k> {
    of: Row<'k>,
    identity: Vec<u8>,
    settled: bool,
    body: i64,
    /// The words of its texts, where they are not those that the index has.
    words: Option<[String; 3]>,
}

impl Index {
    /// Brings the index up to date with a library, whose files lie in `files`. Skills of other roots are kept.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn update(
        &mut self,
        library: &Library,
        files: &dyn System,
    ) -> Result<Updated, SearchError> {
        match self.bring_up(library, files) {
            Ok(updated) => Ok(updated),
            Err(error) => {
                self.begin_anew(&error)?;
                self.bring_up(library, files).map_err(SearchError::Memory)
            }
        }
    }

    fn bring_up(&mut self, library: &Library, files: &dyn System) -> rusqlite::Result<Updated> {
        let known = known(&self.base)?;
        let by_path: HashMap<&[u8], &Known> =
            known.iter().map(|it| (it.path.as_slice(), it)).collect();
        let rows = (0..library.skills.len()).into_par_iter();
        let rows: Vec<Row<'_>> = rows.filter_map(|row| row_of(library, row, &by_path)).collect();
        let (kept, looked): (Vec<_>, Vec<_>) =
            one_a_place(rows).into_iter().partition(|it| is_as_it_was(library, it));
        let mut updated = Updated { kept: kept.len(), read: looked.len(), ..Updated::default() };
        self.rows.clear();
        self.rows.extend(kept.iter().filter_map(|it| Some((it.known?.id, it.row))));
        let mut seen: Vec<i64> =
            kept.iter().chain(&looked).filter_map(|it| Some(it.known?.id)).collect();
        seen.sort_unstable();
        let gone = gone(library, &known, &seen);
        if looked.is_empty() && gone.is_empty() {
            return Ok(updated);
        }
        self.base.execute_batch("BEGIN")?;
        for id in &gone {
            self.base.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([id])?;
            self.base.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([id])?;
        }
        updated.removed = gone.len();
        self.changed |= !gone.is_empty();
        self.store_all(library, files, looked, &mut updated)?;
        self.tidy_up()?;
        self.base.execute_batch("COMMIT")?;
        Ok(updated)
    }

    /// Takes out of FTS5's parts what was removed from them, and puts small parts together: by itself it does that only where
    /// much is written at once.
    fn tidy_up(&self) -> rusqlite::Result<()> {
        let mut merge =
            self.base.prepare_cached("INSERT INTO words (words, rank) VALUES ('merge', ?1)")?;
        merge.execute([PAGES]).map(drop)
    }

    /// Reads and stores, side by side: while one batch is stored, the next one is read.
    fn store_all<'k>(
        &mut self,
        library: &Library,
        files: &dyn System,
        looked: Vec<Row<'k>>,
        updated: &mut Updated,
    ) -> rusqlite::Result<()> {
        let mut rest = looked.into_iter();
        let mut next = || -> Vec<Row<'k>> { rest.by_ref().take(BATCH).collect() };
        let read = |rows: Vec<Row<'k>>| -> Vec<Read<'k>> {
            rows.into_par_iter().map(|row| look(library, files, row)).collect()
        };
        let mut batch = read(next());
        while !batch.is_empty() {
            let ahead = next();
            let (following, stored) = rayon::join(
                || read(ahead),
                || batch.iter().try_for_each(|it| self.store(it, updated)),
            );
            stored?;
            batch = following;
        }
        Ok(())
    }

    fn store(&mut self, it: &Read<'_>, updated: &mut Updated) -> rusqlite::Result<()> {
        let facts = (&it.of.path, &it.identity, it.settled, it.of.header, it.body);
        let id = match it.of.known {
            Some(known) => {
                let same = known.identity == it.identity && known.settled == it.settled;
                if it.words.is_some() || !same {
                    self.base
                        .prepare_cached(
                            "UPDATE files SET path = ?1, identity = ?2, settled = ?3, header = ?4, body = ?5 WHERE id = ?6",
                        )?
                        .execute((facts.0, facts.1, facts.2, facts.3, facts.4, known.id))?;
                    self.changed = true;
                }
                if it.words.is_some() {
                    self.base
                        .prepare_cached("DELETE FROM words WHERE rowid = ?1")?
                        .execute([known.id])?;
                }
                known.id
            }
            None => {
                self.base
                    .prepare_cached(
                        "INSERT INTO files (path, identity, settled, header, body) VALUES (?1, ?2, ?3, ?4, ?5)",
                    )?
                    .execute(facts)?;
                self.changed = true;
                self.base.last_insert_rowid()
            }
        };
        if let Some([name, description, body]) = &it.words {
            self.base
                .prepare_cached(
                    "INSERT INTO words (rowid, name, description, body) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute((id, name, description, body))?;
            updated.stored += 1;
        }
        self.rows.insert(id, it.of.row);
        Ok(())
    }
}

fn known(base: &Connection) -> rusqlite::Result<Vec<Known>> {
    let mut ask = base.prepare_cached(
        "SELECT id, path, identity, settled, header, body FROM files ORDER BY id",
    )?;
    let known = ask.query_map([], |row| {
        Ok(Known {
            id: row.get(0)?,
            path: row.get(1)?,
            identity: row.get(2)?,
            settled: row.get(3)?,
            header: row.get(4)?,
            body: row.get(5)?,
        })
    })?;
    known.collect()
}

/// A row by its place: that of its file, or of its folder where there is none.
fn row_of<'k>(library: &Library, row: usize, known: &HashMap<&[u8], &'k Known>) -> Option<Row<'k>> {
    let skill = library.skills.get(row)?;
    let path = library.path_of(row).or_else(|| library.folder_of(row))?;
    let path = path.into_os_string().into_encoded_bytes();
    let header = texts::header(skill.name.as_str(), &texts::description(skill));
    let known = known.get(path.as_slice()).copied();
    Some(Row { row, path, header, known })
}

/// The first row of each place: folders whose names are no text may look the same, and nothing in them can be read.
fn one_a_place(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let mut seen = HashSet::with_capacity(rows.len());
    let firsts: Vec<bool> = rows.iter().map(|it| seen.insert(it.path.as_slice())).collect();
    rows.into_iter().zip(firsts).filter_map(|(it, first)| first.then_some(it)).collect()
}

fn is_as_it_was(library: &Library, it: &Row<'_>) -> bool {
    let Some(known) = it.known else { return false };
    known.settled && known.header == it.header && known.identity == identity(library, it.row)
}

/// What tells the state of a row's file from others; empty where nothing is read.
fn identity(library: &Library, row: usize) -> Vec<u8> {
    let looked = library.looked.get(row).copied().flatten();
    let readable = path_to_read(library, row).is_some();
    looked.filter(|_| readable).map_or_else(Vec::new, |stat| Identity::of(&stat).bytes().to_vec())
}

/// Reads a skill's file, and makes words where they are not those that the index has.
fn look<'k>(library: &Library, files: &dyn System, of: Row<'k>) -> Read<'k> {
    // Taken before the file is read: a change that comes later has this time or a later one.
    let moment = files.now_nanos();
    let path = path_to_read(library, of.row);
    let bytes = path.as_deref().map(|path| files.read(path, LARGEST_FILE));
    let looked = library.looked.get(of.row).copied().flatten();
    let settled = match &bytes {
        None => true,
        Some(read) => read.is_ok() && looked.is_some_and(|stat| is_settled(&stat, moment)),
    };
    let bytes = bytes.and_then(Result::ok).unwrap_or_default();
    let text = body(&bytes);
    let (header, hash) = (of.header, texts::hash(text));
    let same = of.known.is_some_and(|known| (known.header, known.body) == (header, hash));
    let words = library.skills.get(of.row).filter(|_| !same).map(|skill| {
        let body = String::from_utf8_lossy(text);
        [skill.name.as_str(), &texts::description(skill), &body].map(spaced)
    });
    Read { identity: identity(library, of.row), settled, body: hash, words, of }
}

/// What the index has and the library doesn't: of the folders that were searched all of it, of others what is too much.
fn gone(library: &Library, known: &[Known], seen: &[i64]) -> Vec<i64> {
    let searched = library.roots.iter().filter(|report| report.problem.is_none());
    let searched: Vec<&Path> = searched.filter_map(|report| report.resolved.as_deref()).collect();
    let mut others = 0;
    let gone = known.iter().filter(|it| seen.binary_search(&it.id).is_err()).filter(|it| {
        let path = Path::new(OsStr::from_bytes(&it.path));
        let mine = searched.iter().any(|top| path.starts_with(top));
        others += usize::from(!mine);
        mine || others > MOST_OTHERS
    });
    gone.map(|it| it.id).collect()
}
