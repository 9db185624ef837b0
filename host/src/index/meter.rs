//! Counting texts in the unit of a limit.

use crate::decision::Unit;

/// Counts texts in one unit.
pub trait Meter: Sync {
    /// The unit.
    fn unit(&self) -> Unit;
    /// What each text costs, in their order.
    fn count_all(&self, texts: &[&str]) -> Vec<u32>;
    /// What one text costs.
    fn count(&self, text: &str) -> u32 {
        self.count_all(&[text]).first().copied().unwrap_or(0)
    }
}

/// Counts bytes of UTF-8.
pub struct ByteMeter;

impl Meter for ByteMeter {
    fn unit(&self) -> Unit {
        Unit::Bytes
    }

    fn count_all(&self, texts: &[&str]) -> Vec<u32> {
        texts.iter().map(|text| u32::try_from(text.len()).unwrap_or(u32::MAX)).collect()
    }
}

/// Counts Unicode scalars.
pub struct CharMeter;

impl Meter for CharMeter {
    fn unit(&self) -> Unit {
        Unit::Chars
    }

    fn count_all(&self, texts: &[&str]) -> Vec<u32> {
        texts.iter().map(|text| u32::try_from(text.chars().count()).unwrap_or(u32::MAX)).collect()
    }
}
