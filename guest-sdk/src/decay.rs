//! How use fades with time, with the kind of fading named: the two kinds differ by almost half after one period.

use crate::facts::Value;
use crate::settings::Scalar;

/// What a period of decay means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    /// After the period 1/e, or 0.368, is left.
    EFolding,
    /// After the period a half is left.
    HalfLife,
}

impl Decay {
    /// What is left of one use after so many days, with a period of so many.
    #[must_use]
    pub fn left(self, age_days: f64, period_days: f64) -> f64 {
        (-self.exponent(age_days, period_days)).exp()
    }

    /// How far one use has faded, as the exponent of e by which it is divided: for rules that go on with logarithms, or
    /// that need fewer digits than [`left`](Self::left) gives.
    #[must_use]
    pub fn exponent(self, age_days: f64, period_days: f64) -> f64 {
        let periods = age_days.max(0.0) / period_days;
        match self {
            Self::EFolding => periods,
            Self::HalfLife => periods * core::f64::consts::LN_2,
        }
    }
}

impl Scalar for Decay {
    fn to_value(&self) -> Value {
        match self {
            Self::EFolding => "e-folding".into(),
            Self::HalfLife => "half-life".into(),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text == "e-folding" => Ok(Self::EFolding),
            Value::Text(text) if text == "half-life" => Ok(Self::HalfLife),
            _ => Err("`e-folding` or `half-life`".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Decay;

    #[test]
    fn after_one_period_the_named_part_is_left() {
        assert_eq!(Decay::EFolding.left(30.0, 30.0), 0.367_879_441_171_442_33);
        assert!((Decay::HalfLife.left(30.0, 30.0) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_time_to_come_has_not_faded() {
        assert_eq!(Decay::EFolding.left(-5.0, 30.0), 1.0);
    }
}
