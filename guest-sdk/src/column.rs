//! A column, looked up once and then read by row number. No comparison of keys happens after that.

use crate::facts::{RawTable, Values};
use crate::key::{Key, Kind};

/// One fact about the rows of a table.
#[derive(Clone, Debug)]
pub struct Column<'a, T>(Storage<'a, T>);

#[derive(Clone, Debug)]
enum Storage<'a, T> {
    Dense(&'a [T]),
    Sparse(Sparse<'a, T>),
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
            Some(rows) => Self(Storage::Sparse(Sparse::new(table.len, rows, cells))),
        }
    }

    /// Gives every value that is known to `take`, with its row, ascending. For many rows that is quicker than
    /// [`get`](Self::get) for each, and it is the quickest way to read columns whose values are known of few.
    #[inline]
    pub fn each(&self, mut take: impl FnMut(u32, &'a T)) {
        match &self.0 {
            Storage::Dense(cells) => (0..).zip(*cells).for_each(|(row, cell)| take(row, cell)),
            Storage::Sparse(Sparse { rows, cells, .. }) => {
                rows.iter().zip(*cells).for_each(|(row, cell)| take(*row, cell));
            }
            Storage::Unknown => {}
            Storage::Undeclared(key) => undeclared(key),
        }
    }

    /// The value of a row, where it is known.
    #[inline]
    #[must_use]
    pub fn get(&self, row: u32) -> Option<&'a T> {
        match &self.0 {
            Storage::Dense(cells) => cells.get(row as usize),
            Storage::Sparse(sparse) => sparse.get(row),
            Storage::Unknown => None,
            Storage::Undeclared(key) => {
                undeclared(key);
                None
            }
        }
    }
}

fn undeclared(key: &str) {
    debug_assert!(false, "the policy reads `{key}`, which is in neither NEEDS nor WANTS");
}

/// Values of some rows: a bit a row says whether there is one, and counting the bits before it says which.
#[derive(Clone, Debug)]
struct Sparse<'a, T> {
    rows: &'a [u32],
    cells: &'a [T],
    words: Vec<Word>,
}

/// Sixty-four rows.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    known: u64,
    /// How many values come before them.
    before: u32,
}

impl<'a, T> Sparse<'a, T> {
    /// The rows are ascending, as the contract has them; of others it gives wrong values, but never fails.
    fn new(len: u32, rows: &'a [u32], cells: &'a [T]) -> Self {
        let mut words = vec![Word::default(); len.div_ceil(64) as usize];
        for row in rows {
            if let Some(word) = words.get_mut((row / 64) as usize) {
                word.known |= 1 << (row % 64);
            }
        }
        let mut before = 0;
        for word in &mut words {
            word.before = before;
            before += word.known.count_ones();
        }
        Self { rows, cells, words }
    }

    #[inline]
    fn get(&self, row: u32) -> Option<&'a T> {
        let word = self.words.get((row / 64) as usize)?;
        let bit = 1 << (row % 64);
        if word.known & bit == 0 {
            return None;
        }
        let place = word.before + (word.known & (bit - 1)).count_ones();
        self.cells.get(place as usize)
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
