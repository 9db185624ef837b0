//! The index: words by skill, in a SQLite database in memory. What is asked of it, and how it comes and goes as a file.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, MAIN_DB};

use super::{
    SearchError,
    file::{self, State},
    query::Query,
    rank::{self, Match},
    snippet,
    texts::{self, Field},
    words::Words,
};
use crate::{
    library::{LARGEST_FILE, Library, body},
    skill::{OneLine, Skill, Standing},
    system::System,
};

/// The tables. Texts are not kept, only their words and where they stand: whoever shows one reads it where it lies. `ascii` parts
/// at white space, which is all that stands between the words it is given.
const TABLES: &str = "
    CREATE TABLE files (
        id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, identity BLOB NOT NULL, settled INTEGER NOT NULL,
        header INTEGER NOT NULL, body INTEGER NOT NULL
    ) STRICT;
    CREATE VIRTUAL TABLE words USING fts5(
        name, description, body, content = '', contentless_delete = 1, tokenize = 'ascii'
    );
";

/// Bytes that FTS5 gathers before it makes a part of them: with its usual megabyte, a large library's first index is made of many
/// parts that are put together again and again, and is a tenth larger for it.
const GATHERED: i64 = 32 << 20;

/// An index of a library.
#[derive(Debug)]
pub struct Index {
    pub(super) base: Connection,
    file: Option<PathBuf>,
    state: State,
    /// Whether there is something that the file doesn't have.
    pub(super) changed: bool,
    /// The library's rows, by their numbers in the index: of the library that it was last brought up to date with.
    pub(super) rows: HashMap<i64, usize>,
}

/// What is asked for, and for whom.
pub struct Asked<'a> {
    /// The query.
    pub query: &'a Query,
    /// The one text that counts; all of them where none is named.
    pub field: Option<Field>,
    /// Hits that are shown at most.
    pub limit: usize,
    /// Whether a row of the library may be found at all.
    pub wanted: &'a dyn Fn(usize) -> bool,
    /// How often a row was used.
    pub uses: &'a dyn Fn(usize) -> u64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The best, in their order.
    pub hits: Vec<Hit>,
    /// How many skills have what was asked for.
    pub total: usize,
}

/// A skill that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its row of the library.
    pub row: usize,
    /// In which of its texts something of the query stands.
    pub fields: Vec<Field>,
    /// The text around the best place, with what was asked for between `«` and `»`; of a skill that was found by its name only,
    /// what it says of itself first: its description, or how its body begins.
    pub snippet: OneLine,
    /// How well it fits; only the order within one answer means anything.
    pub score: f64,
}

impl Index {
    /// Opens the index that was kept in a file, or an empty one. Whatever is wrong with the file, there is an index, and
    /// [`Index::state`] says what was wrong.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn open(system: &dyn System, file: Option<&Path>) -> Result<Index, SearchError> {
        let (mut state, database) = match file {
            Some(file) => file::read(system, file),
            None => (State::Off, None),
        };
        let kept = match database.as_deref().map(load) {
            Some(Ok(base)) => Some(base),
            Some(Err(error)) => {
                state = State::Damaged(error.to_string());
                None
            }
            None => None,
        };
        let base = match kept {
            Some(base) => base,
            None => empty().map_err(SearchError::Memory)?,
        };
        let file = file.map(Path::to_owned);
        Ok(Index { base, file, state, changed: false, rows: HashMap::new() })
    }

    /// What was found of the file.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Begins with nothing: SQLite refuses what the file's hash vouched for.
    pub(super) fn begin_anew(&mut self, error: &rusqlite::Error) -> Result<(), SearchError> {
        if self.state.may_be_written() {
            self.state = State::Damaged(error.to_string());
        }
        self.base = empty().map_err(SearchError::Memory)?;
        self.rows.clear();
        Ok(())
    }

    /// Keeps what is new in the file, if it may be written and there is something new; says whether it was written.
    ///
    /// # Errors
    /// Where it can't be written; the old file is then as it was, and the index as good as ever.
    pub fn save(&mut self, system: &dyn System) -> io::Result<bool> {
        let Some(file) = self.file.as_deref().filter(|_| self.changed) else { return Ok(false) };
        if !self.state.may_be_written() {
            return Ok(false);
        }
        shrink(&self.base).map_err(io::Error::other)?;
        let database = self.base.serialize(MAIN_DB).map_err(io::Error::other)?;
        file::write(system, file, &database)?;
        self.changed = false;
        Ok(true)
    }

    /// The skills that have what is asked for. The library is the one that the index was brought up to date with, and `files` is
    /// where it lies.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn search(
        &mut self,
        asked: &Asked<'_>,
        library: &Library,
        files: &dyn System,
    ) -> Result<Found, SearchError> {
        if asked.query.is_empty() {
            return Ok(Found::default());
        }
        let matches = match self.matches(asked) {
            Ok(matches) => matches,
            Err(error) => {
                self.begin_anew(&error)?;
                self.update(library, files)?;
                self.matches(asked).map_err(SearchError::Memory)?
            }
        };
        let ranked = rank::order(matches, asked, library);
        let mut found = Found { hits: Vec::new(), total: ranked.len() };
        for it in ranked {
            if found.hits.len() >= asked.limit {
                break;
            }
            let skill = library.skills.get(it.row);
            let hit = skill.and_then(|skill| {
                let (fields, snippet) = show(asked, skill, &text(library, files, it.row))?;
                Some(Hit { row: it.row, fields, snippet, score: it.score })
            });
            match hit {
                Some(hit) => found.hits.push(hit),
                // Its file was changed since the library was read.
                None => found.total -= 1,
            }
        }
        Ok(found)
    }

    /// The rows of the library that SQLite finds, in no order.
    fn matches(&self, asked: &Asked<'_>) -> rusqlite::Result<Vec<Match>> {
        let mut ask = self.base.prepare_cached(
            "SELECT rowid, -bm25(words, 1, 0, 0), -bm25(words, 0, 1, 0), -bm25(words, 0, 0, 1)
             FROM words WHERE words MATCH ?1",
        )?;
        let mut rows = ask.query([asked.query.expression(asked.field)])?;
        let mut matches = Vec::new();
        while let Some(found) = rows.next()? {
            let row = self.rows.get(&found.get(0)?).filter(|row| (asked.wanted)(**row));
            if let Some(row) = row {
                let scores = [found.get(1)?, found.get(2)?, found.get(3)?];
                matches.push(Match { row: *row, scores });
            }
        }
        Ok(matches)
    }
}

/// What a hit shows; nothing where the skill doesn't have what was asked for.
fn show(asked: &Asked<'_>, skill: &Skill, body: &str) -> Option<(Vec<Field>, OneLine)> {
    let description = texts::description(skill);
    let all = [skill.name.as_str(), &description, body];
    let words = all.map(Words::of);
    let searched: Vec<(Field, &Words)> = Field::ALL
        .into_iter()
        .zip(&words)
        .filter(|(field, _)| asked.field.is_none_or(|asked| asked == *field))
        .collect();
    let spots = asked.query.spots(&searched)?;
    let mut fields: Vec<Field> = spots.iter().map(|spot| spot.field).collect();
    fields.sort_unstable();
    fields.dedup();
    let [_, description, body] = all;
    let facts = &skill.facts;
    let said = facts.description.as_ref().or(facts.when_to_use.as_ref()).or(facts.opening.as_ref());
    let about = said.map_or(body, OneLine::as_str);
    Some((fields, snippet::best(description, body, about, &spots)))
}

/// The body of a row's file as it is now; nothing of a file that the library didn't read.
pub(super) fn text(library: &Library, files: &dyn System, row: usize) -> String {
    let bytes = path_to_read(library, row).and_then(|path| files.read(&path, LARGEST_FILE).ok());
    String::from_utf8_lossy(body(&bytes.unwrap_or_default())).into_owned()
}

/// The path of a row's file, if there is one that may be read. Of a broken row the library read nothing, maybe since a link leads
/// out of all roots: nothing of it is shown here either.
pub(super) fn path_to_read(library: &Library, row: usize) -> Option<PathBuf> {
    let whole = library.skills.get(row).is_some_and(|it| it.standing != Standing::Broken);
    library.path_of(row).filter(|_| whole)
}

fn empty() -> rusqlite::Result<Connection> {
    let base = Connection::open_in_memory()?;
    set_up(&base)?;
    base.pragma_update(None, "application_id", file::APPLICATION)?;
    base.pragma_update(None, "user_version", file::VERSION)?;
    base.execute_batch(TABLES)?;
    base.execute("INSERT INTO words (words, rank) VALUES ('hashsize', ?1)", [GATHERED])?;
    Ok(base)
}

fn load(database: &[u8]) -> rusqlite::Result<Connection> {
    let mut base = Connection::open_in_memory()?;
    base.deserialize_read_exact(MAIN_DB, database, database.len(), false)?;
    set_up(&base)?;
    Ok(base)
}

fn set_up(base: &Connection) -> rusqlite::Result<()> {
    base.pragma_update(None, "trusted_schema", false)?;
    // What fails is thrown away as a whole, so there is nothing to go back to.
    base.pragma_update_and_check(None, "journal_mode", "off", |_| Ok(()))?;
    // KiB: what is read of the largest index isn't copied twice.
    base.pragma_update(None, "cache_size", -65_536)
}

/// Gives back pages that nothing is on, where they are a third of all: whoever opens the file next reads them too.
fn shrink(base: &Connection) -> rusqlite::Result<()> {
    let number = |name| base.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if number("freelist_count")? * 3 > number("page_count")? {
        base.execute_batch("VACUUM")?;
    }
    Ok(())
}
