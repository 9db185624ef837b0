//! Values as columns hold them, and what can't be one of them: damage, told with the word that was found.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use super::{ChangeId, Digest, Origin, PendingId, PendingState, RootId, Verb};
use crate::skill::{Actor, Choice, Instant, OneLine, SkillId, State};

fn unknown(what: &str, found: &str) -> FromSqlError {
    FromSqlError::other(Unknown {
        what: what.to_owned(),
        found: OneLine::capped(found, 40).into_string(),
    })
}

#[derive(Debug, thiserror::Error)]
#[error("`{found}` is no {what}")]
struct Unknown {
    what: String,
    found: String,
}

/// A column's value in a type of the domain, and back. The orphan rule keeps `ToSql` off the domain's own types, and
/// `skill` knows no SQL.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sql<T>(pub(super) T);

macro_rules! words {
    ($($kind:ident $what:literal),+) => { $(
        impl ToSql for Sql<$kind> {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.0.word().into())
            }
        }

        impl FromSql for Sql<$kind> {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                let word = value.as_str()?;
                $kind::from_word(word).map(Sql).ok_or_else(|| unknown($what, word))
            }
        }
    )+ };
}

words!(Actor "actor", State "state", Choice "choice", Origin "origin", Verb "verb", PendingState "state of a write that waits");

macro_rules! numbers {
    ($($kind:ident),+) => { $(
        impl ToSql for Sql<$kind> {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.0.0.into())
            }
        }

        impl FromSql for Sql<$kind> {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_i64().map($kind).map(Sql)
            }
        }
    )+ };
}

numbers!(Instant, RootId, ChangeId, PendingId);

impl ToSql for Sql<SkillId> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.to_number().into())
    }
}

impl FromSql for Sql<SkillId> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let number = value.as_i64()?;
        SkillId::from_number(number).map(Sql).ok_or_else(|| unknown("id", &number.to_string()))
    }
}

impl ToSql for Sql<Digest> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.0.as_slice().into())
    }
}

impl FromSql for Sql<Digest> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let bytes = value.as_blob()?;
        let digest = bytes.try_into().map(|bytes| Sql(Digest(bytes)));
        digest.map_err(|_| unknown("digest", &format!("{} bytes", bytes.len())))
    }
}

/// Sixty-four bits, such as an inode, in a column that has a sign.
impl ToSql for Sql<u64> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.cast_signed().into())
    }
}

impl FromSql for Sql<u64> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(|number| Sql(number.cast_unsigned()))
    }
}
