//! A column, looked up once and then read by row number. No comparison of keys happens after that.

use crate::facts::{RawTable, Values};
use crate::key::{Key, Kind};

/// One fact about the rows of a table.
#[derive(Clone, Debug)]
pub struct Column<'a, T>(Storage<'a, T>);

#[derive(Clone, Debug)]
enum Storage<'a, T> {
    Dense(&'a [T]),
    Sparse(Vec<Option<&'a T>>),
    /// Asked for, and not known of any row.
    Unknown,
    /// Never asked for: reading it is a mistake of the policy, which a debug build reports.
    Undeclared(&'static str),
}

/// The types that a column may hold.
pub trait Cell: Sized {
    /// The matching type of the contract.
    const KIND: Kind;
    /// The values, if they are of this type.
    fn cells(values: &Values) -> Option<&[Self]>;
}

macro_rules! cell {
    ($type:ty, $kind:ident, $values:ident) => {
        impl Cell for $type {
            const KIND: Kind = Kind::$kind;
            fn cells(values: &Values) -> Option<&[Self]> {
                if let Values::$values(cells) = values { Some(cells) } else { None }
            }
        }
    };
}

cell!(bool, Boolean, Booleans);
cell!(i64, Integer, Integers);
cell!(f64, Real, Reals);
cell!(String, Text, Texts);

impl<'a, T: Cell> Column<'a, T> {
    /// Looks the column up. `declared` are the keys that the policy's `describe` lists.
    pub(crate) fn find(table: &'a RawTable, key: &Key, declared: &[&[Key]]) -> Self {
        if !declared.iter().any(|keys| keys.iter().any(|declared| declared.name == key.name)) {
            return Self(Storage::Undeclared(key.name));
        }
        let Some(column) = table.columns.iter().find(|column| column.key == key.name) else {
            return Self(Storage::Unknown);
        };
        let Some(cells) = T::cells(&column.values) else { return Self(Storage::Unknown) };
        match &column.rows {
            None => Self(Storage::Dense(cells)),
            Some(rows) => {
                let mut dense = vec![None; table.len as usize];
                for (row, cell) in rows.iter().zip(cells) {
                    if let Some(place) = dense.get_mut(*row as usize) {
                        *place = Some(cell);
                    }
                }
                Self(Storage::Sparse(dense))
            }
        }
    }

    /// The value of a row, where it is known.
    #[inline]
    #[must_use]
    pub fn get(&self, row: u32) -> Option<&'a T> {
        match &self.0 {
            Storage::Dense(cells) => cells.get(row as usize),
            Storage::Sparse(cells) => cells.get(row as usize).copied().flatten(),
            Storage::Unknown => None,
            Storage::Undeclared(key) => {
                debug_assert!(
                    false,
                    "the policy reads `{key}`, which is in neither NEEDS nor WANTS"
                );
                None
            }
        }
    }
}

/// Whether a table has a column of the key's type that says something about its rows.
pub(crate) fn has(table: &RawTable, key: &Key) -> bool {
    table.len == 0
        || table
            .columns
            .iter()
            .any(|column| column.key == key.name && key.kind.fits_all(&column.values))
}
