//! Roots as the ledger numbers them.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use rusqlite::{Connection, OptionalExtension, Row};

use super::{Ledger, LedgerError, RootId, open::Stop, words::Sql};
use crate::skill::{Instant, OneLine};

/// A root that is to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRoot {
    /// Where it is: absolute, links resolved. No two roots have the same.
    pub path: PathBuf,
    /// Whose it is, for people.
    pub label: OneLine,
    /// Whether this home owns it and may write there.
    pub owned: bool,
    /// Whether a person trusts what comes from there.
    pub trusted: bool,
    /// Of two skills of one name, that of the root with the lower number counts.
    pub precedence: i64,
    /// When it was added.
    pub at: Instant,
}

/// A root that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootRecord {
    /// Its number.
    pub id: RootId,
    /// What is known of it.
    pub root: NewRoot,
}

const COLUMNS: &str = "id, path, label, owned, trusted, precedence, added";

impl Ledger {
    /// Adds a root, or changes what is known of the one at that path (but for when it was added).
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn add_root(&self, root: &NewRoot) -> Result<RootId, LedgerError> {
        // Nearly always it is known just so, and nothing need be made durable.
        if let Some(known) = self.root_at(&root.path)?
            && (NewRoot { at: root.at, ..known.root } == *root)
        {
            return Ok(known.id);
        }
        self.write(|all| {
            let mut put = all.prepare_cached(
                "INSERT INTO roots (path, label, owned, trusted, precedence, added)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (path) DO UPDATE SET label = ?2, owned = ?3, trusted = ?4, precedence = ?5
                 RETURNING id",
            )?;
            let values = (
                to_text(&root.path),
                root.label.as_str(),
                root.owned,
                root.trusted,
                root.precedence,
                Sql(root.at),
            );
            Ok(RootId(put.query_row(values, |row| row.get(0))?))
        })
    }

    /// All roots, by precedence.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn roots(&self) -> Result<Vec<RootRecord>, LedgerError> {
        self.read(|all| {
            let mut ask = all
                .prepare_cached(&format!("SELECT {COLUMNS} FROM roots ORDER BY precedence, id"))?;
            let found = ask.query_map([], record)?.collect::<rusqlite::Result<_>>()?;
            Ok(found)
        })
    }

    /// The root at a path.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn root_at(&self, path: &Path) -> Result<Option<RootRecord>, LedgerError> {
        self.read(|all| at(all, path))
    }
}

pub(super) fn at(all: &Connection, path: &Path) -> Result<Option<RootRecord>, Stop> {
    let mut ask = all.prepare_cached(&format!("SELECT {COLUMNS} FROM roots WHERE path = ?1"))?;
    Ok(ask.query_row([to_text(path)], record).optional()?)
}

/// Where each root is.
pub(super) fn paths(all: &Connection) -> Result<BTreeMap<RootId, Arc<Path>>, Stop> {
    let mut ask = all.prepare_cached("SELECT id, path FROM roots")?;
    let found = ask.query_map([], |row| {
        Ok((RootId(row.get(0)?), Arc::from(from_text(row.get_ref(1)?.as_str()?))))
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn record(row: &Row<'_>) -> rusqlite::Result<RootRecord> {
    Ok(RootRecord {
        id: RootId(row.get(0)?),
        root: NewRoot {
            path: from_text(&row.get::<_, String>(1)?),
            label: OneLine::new(&row.get::<_, String>(2)?),
            owned: row.get(3)?,
            trusted: row.get(4)?,
            precedence: row.get(5)?,
            at: row.get::<_, Sql<Instant>>(6)?.0,
        },
    })
}

/// A path as text: `%` and whatever is no UTF-8 as `%` and two digits, so that every path comes back as it was.
fn to_text(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            text.push_str(&format!("%{byte:02x}"));
        }
    }
    text
}

fn from_text(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(part.get(2..).unwrap_or_default().as_bytes());
            }
            None => {
                bytes.push(b'%');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
    }
    PathBuf::from(OsStr::from_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path};

    use proptest::prelude::*;

    use super::{NewRoot, from_text, to_text};
    use crate::{
        ledger::Ledger,
        skill::{Instant, OneLine},
    };

    proptest! {
        #[test]
        fn every_path_comes_back(bytes: Vec<u8>, text in "[%a-f0-9/]{0,12}") {
            for path in [Path::new(OsStr::from_bytes(&bytes)), Path::new(&text)] {
                prop_assert_eq!(from_text(&to_text(path)), path);
            }
        }
    }

    #[test]
    fn a_root_that_is_added_again_is_the_same_one() {
        let ledger = Ledger::in_memory().unwrap();
        let root = |path: &str, precedence, owned| NewRoot {
            path: path.into(),
            label: OneLine::new("mine"),
            owned,
            trusted: false,
            precedence,
            at: Instant(precedence),
        };
        let first = ledger.add_root(&root("/a", 2, false)).unwrap();
        let second = ledger.add_root(&root("/b", 1, true)).unwrap();
        assert_eq!(ledger.add_root(&root("/a", 0, true)).unwrap(), first);
        let found = ledger.roots().unwrap();
        assert_eq!(found.iter().map(|it| it.id).collect::<Vec<_>>(), [first, second]);
        assert_eq!(found[0].root, NewRoot { at: Instant(2), ..root("/a", 0, true) });
        assert_eq!(ledger.root_at(Path::new("/b")).unwrap().unwrap(), found[1]);
        assert_eq!(ledger.root_at(Path::new("/c")).unwrap(), None);
    }
}
