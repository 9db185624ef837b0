//! A column, looked up once and then read by row number. No comparison of keys happens after that.

use crate::facts::{RawTable, Values};
use crate::key::{Key, Kind};
use std::cell::OnceCell;

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
            Some(rows) => Self(Storage::Sparse(Sparse {
                len: table.len,
                rows,
                cells,
                words: OnceCell::new(),
            })),
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

    /// Gives every value that is known to `set`, with what `rows` holds for its row. Quicker than [`each`](Self::each) where
    /// a list with an element a row is filled.
    #[inline]
    pub fn fill<R>(&self, rows: &mut [R], mut set: impl FnMut(&mut R, &'a T)) {
        match &self.0 {
            Storage::Dense(cells) => {
                rows.iter_mut().zip(*cells).for_each(|(row, cell)| set(row, cell));
            }
            _ => self.each(|row, cell| {
                if let Some(row) = rows.get_mut(row as usize) {
                    set(row, cell);
                }
            }),
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

/// Values of some rows: a bit a row says whether there is one, and counting the bits before it says which. The bits are
/// made when the first row is asked for: whoever reads the whole column needs none.
#[derive(Clone, Debug)]
struct Sparse<'a, T> {
    len: u32,
    rows: &'a [u32],
    cells: &'a [T],
    words: OnceCell<Vec<Word>>,
}

/// Sixty-four rows.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    known: u64,
    /// How many values come before them.
    before: u32,
}

/// The rows are ascending, as the contract has them; of others it gives wrong values, but never fails.
fn index(len: u32, rows: &[u32]) -> Vec<Word> {
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
    words
}

impl<'a, T> Sparse<'a, T> {
    #[inline]
    fn get(&self, row: u32) -> Option<&'a T> {
        let words = self.words.get_or_init(|| index(self.len, self.rows));
        let word = words.get((row / 64) as usize)?;
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

#[cfg(test)]
mod tests {
    use super::Column;
    use crate::facts::{RawColumn, RawTable, Values};
    use crate::key::{Key, Kind, Place};

    const KEY: Key = Key::new("a", Place::Skills, Kind::Integer);

    fn table(rows: Option<Vec<u32>>, cells: Vec<i64>) -> RawTable {
        let column = RawColumn { key: "a".to_owned(), rows, values: Values::Integers(cells) };
        RawTable { len: 200, columns: vec![column] }
    }

    #[test]
    fn all_ways_of_reading_a_column_give_the_same() {
        let nobody = RawTable { len: 200, columns: Vec::new() };
        for table in [
            table(None, (0..200).collect()),
            table(Some(vec![0, 63, 64, 130, 199]), vec![5, 6, 7, 8, 9]),
            table(Some(Vec::new()), Vec::new()),
            nobody,
        ] {
            let column: Column<'_, i64> = Column::find(&table, &KEY, &[&[KEY]]);
            let one_by_one: Vec<_> = (0..200).map(|row| column.get(row).copied()).collect();
            let mut filled = vec![None; 200];
            column.fill(&mut filled, |cell, value| *cell = Some(*value));
            assert_eq!(filled, one_by_one);
            let mut taken = vec![None; 200];
            column.each(|row, value| taken[row as usize] = Some(*value));
            assert_eq!(taken, one_by_one);
        }
    }

    #[test]
    fn what_does_not_fit_into_a_shorter_list_is_left_out() {
        for table in [table(None, vec![1; 200]), table(Some(vec![1, 199]), vec![1, 1])] {
            let column: Column<'_, i64> = Column::find(&table, &KEY, &[&[KEY]]);
            let mut filled = [0; 2];
            column.fill(&mut filled, |cell, value| *cell = *value);
            assert_eq!(filled[1], 1);
        }
    }
}
