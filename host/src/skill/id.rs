//! What a skill is known by for as long as it lives, whatever it is called and wherever it lies.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a skill: sixty random bits, so that two homes never give out the same one. A name, a folder or `category/name`
/// is only an alias of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillId(u64);

/// Crockford's base 32: no letter that is taken for a digit.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LEN: u32 = 12;
const BITS: u32 = 5 * LEN;

impl SkillId {
    /// The id that these random bits give; the upper four are not used.
    #[must_use]
    pub fn from_random(bits: u64) -> SkillId {
        SkillId(bits & ((1 << BITS) - 1))
    }

    /// As a database keeps it; never negative.
    #[must_use]
    pub fn to_number(self) -> i64 {
        // Sixty bits fit.
        i64::try_from(self.0).unwrap_or(i64::MAX)
    }

    /// From what a database kept, if it can have come from there.
    #[must_use]
    pub fn from_number(number: i64) -> Option<SkillId> {
        u64::try_from(number).ok().filter(|bits| bits >> BITS == 0).map(SkillId)
    }
}

impl fmt::Display for SkillId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..LEN).rev().try_for_each(|place| {
            let digit = usize::try_from(self.0 >> (5 * place) & 31).unwrap_or(0);
            let digit = DIGITS.get(digit).copied().unwrap_or(b'0');
            write!(f, "{}", char::from(digit))
        })
    }
}

impl fmt::Debug for SkillId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SkillId({self})")
    }
}

/// A text is no id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found `{found}`, expected the twelve letters and digits of a skill's id")]
pub struct NoSkillId {
    found: String,
}

impl FromStr for SkillId {
    type Err = NoSkillId;

    fn from_str(text: &str) -> Result<SkillId, NoSkillId> {
        let digit = |byte: u8| DIGITS.iter().position(|digit| *digit == byte.to_ascii_lowercase());
        let no_id = || NoSkillId { found: super::OneLine::capped(text, 40).into_string() };
        if text.len() != LEN as usize {
            return Err(no_id());
        }
        let bits = text.bytes().try_fold(0_u64, |bits, byte| Some(bits << 5 | digit(byte)? as u64));
        bits.map(SkillId).ok_or_else(no_id)
    }
}

impl Serialize for SkillId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SkillId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SkillId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::SkillId;

    proptest! {
        #[test]
        fn an_id_is_itself_after_writing_and_reading(bits: u64) {
            let id = SkillId::from_random(bits);
            prop_assert_eq!(id.to_string().parse::<SkillId>().unwrap(), id);
            prop_assert_eq!(id.to_string().to_uppercase().parse::<SkillId>().unwrap(), id);
            prop_assert_eq!(SkillId::from_number(id.to_number()), Some(id));
            prop_assert_eq!(id.to_string().len(), 12);
        }

        #[test]
        fn other_texts_and_numbers_are_none(text in "\\PC{0,20}", number: i64) {
            if let Ok(id) = text.parse::<SkillId>() {
                prop_assert_eq!(id.to_string(), text.to_lowercase());
            }
            let id = SkillId::from_number(number);
            prop_assert_eq!(id.is_some(), (0..1 << 60).contains(&number));
        }
    }

    #[test]
    fn what_is_no_id_is_told() {
        assert_eq!(
            "deploy".parse::<SkillId>().unwrap_err().to_string(),
            "found `deploy`, expected the twelve letters and digits of a skill's id"
        );
        assert!("ilou00000000".parse::<SkillId>().is_err());
    }
}
