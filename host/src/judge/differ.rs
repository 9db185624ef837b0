//! Two judges, asked about the same writes: where they differ.

use super::table::Cell;

/// A write of which two judges make something else: the cell of the one and of the other.
pub type Differing<'a> = (&'a Cell, &'a Cell);

/// The cells of two tables that differ in what becomes of the write, or in whose the result is. Only the reason may differ
/// where both come to the same.
#[must_use]
pub fn differences<'a>(one: &'a [Cell], other: &'a [Cell]) -> Vec<Differing<'a>> {
    let pairs = one.iter().zip(other);
    pairs.filter(|(one, other)| one.judgement.verdict != other.judgement.verdict).collect()
}
