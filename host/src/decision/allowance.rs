//! How much of the usual limits the policies of a slot may use: a factor for each limit.
//!
//! Factors and not figures: a limit grows with what is asked about, as it does where nobody says anything, and none can be
//! written away. There is a least and a most of each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a call uses up, each with a limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Work, counted the same on every machine.
    Fuel,
    /// Time by the clock.
    Time,
    /// Memory.
    Memory,
    /// Elements of a table.
    Table,
    /// Bytes that are copied out of it.
    Copied,
}

impl Resource {
    /// All of them, in the order in which they are told.
    pub const ALL: [Resource; 5] =
        [Resource::Fuel, Resource::Time, Resource::Memory, Resource::Table, Resource::Copied];

    /// The word in settings and records.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Resource::Fuel => "fuel",
            Resource::Time => "time",
            Resource::Memory => "memory",
            Resource::Table => "table",
            Resource::Copied => "copied",
        }
    }

    /// The resource of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Resource> {
        Resource::ALL.into_iter().find(|it| it.word() == word)
    }

    /// The most that a limit may be, as a factor of the usual one. An interpreter in a component takes some fifty times what
    /// compiled code does. The base of time comes to a minute with it, and that of memory to a gibibyte.
    #[must_use]
    pub fn most(self) -> u32 {
        match self {
            Resource::Fuel | Resource::Table => 100,
            Resource::Time => 30,
            Resource::Memory => 64,
            Resource::Copied => 16,
        }
    }
}

/// A factor of a usual limit, in thousandths, so that every machine comes to the same limit. It is never below a tenth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor(u32);

/// The least factor, in thousandths.
const LEAST: u32 = 100;

impl Factor {
    /// The limit as it usually is.
    pub const USUAL: Factor = Factor(1_000);

    /// A factor of a resource's limit, to three digits behind the point. Nothing where it is no number from 0.1 to
    /// [`Resource::most`].
    #[must_use]
    pub fn new(of: Resource, factor: f64) -> Option<Factor> {
        let thousandths = (factor * 1_000.0).round();
        let most = f64::from(of.most()) * 1_000.0;
        let is_one = (f64::from(LEAST)..=most).contains(&thousandths);
        // It is a whole number of five or six digits by now.
        is_one.then_some(Factor(thousandths as u32))
    }

    /// As a number.
    #[must_use]
    pub fn number(self) -> f64 {
        f64::from(self.0) / 1_000.0
    }

    /// So many times that much, rounded down.
    #[must_use]
    pub fn times(self, usual: u64) -> u64 {
        let product = u128::from(usual) * u128::from(self.0) / 1_000;
        u64::try_from(product).unwrap_or(u64::MAX)
    }
}

impl std::fmt::Display for Factor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// A factor for each resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "BTreeMap<Resource, f64>", try_from = "BTreeMap<Resource, f64>")]
pub struct Allowance([Factor; Resource::ALL.len()]);

impl Default for Allowance {
    /// The usual limits.
    fn default() -> Allowance {
        Allowance([Factor::USUAL; Resource::ALL.len()])
    }
}

impl Allowance {
    /// The factor of a resource's limit.
    #[must_use]
    pub fn of(&self, resource: Resource) -> Factor {
        self.0.get(resource as usize).copied().unwrap_or(Factor::USUAL)
    }

    /// The same with another factor of that resource's limit.
    #[must_use]
    pub fn with(mut self, resource: Resource, factor: Factor) -> Allowance {
        if let Some(it) = self.0.get_mut(resource as usize) {
            *it = factor;
        }
        self
    }

    /// Whether all limits are as usual.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Allowance::default()
    }

    /// The same, with nothing below the usual.
    #[must_use]
    pub fn at_least_usual(self) -> Allowance {
        Allowance(self.0.map(|factor| factor.max(Factor::USUAL)))
    }

    /// The limits that are not as usual.
    pub fn changed(&self) -> impl Iterator<Item = (Resource, Factor)> {
        let all = Resource::ALL.into_iter().map(|resource| (resource, self.of(resource)));
        all.filter(|(_, factor)| *factor != Factor::USUAL)
    }
}

impl std::fmt::Display for Allowance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let changed = self.changed().map(|(of, factor)| format!("{factor} × {}", of.word()));
        f.write_str(&changed.collect::<Vec<_>>().join(", "))
    }
}

impl From<Allowance> for BTreeMap<Resource, f64> {
    fn from(allowance: Allowance) -> BTreeMap<Resource, f64> {
        allowance.changed().map(|(resource, factor)| (resource, factor.number())).collect()
    }
}

/// A factor that no setting could have had.
#[derive(Debug, thiserror::Error)]
#[error("found {found}, expected a factor of `{}` from 0.1 to {}", of.word(), of.most())]
pub struct NoFactor {
    of: Resource,
    found: f64,
}

impl TryFrom<BTreeMap<Resource, f64>> for Allowance {
    type Error = NoFactor;

    fn try_from(factors: BTreeMap<Resource, f64>) -> Result<Allowance, NoFactor> {
        factors.into_iter().try_fold(Allowance::default(), |allowance, (of, found)| {
            let factor = Factor::new(of, found).ok_or(NoFactor { of, found })?;
            Ok(allowance.with(of, factor))
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::{Allowance, Factor, Resource};

    #[test]
    fn a_factor_is_from_a_tenth_to_the_most() {
        for resource in Resource::ALL {
            let most = f64::from(resource.most());
            for (factor, is_one) in [
                (0.1, true),
                (0.099, false),
                (0.0, false),
                (-1.0, false),
                (most, true),
                (most + 0.001, false),
                (f64::MAX, false),
                (f64::INFINITY, false),
                (f64::NAN, false),
            ] {
                assert_eq!(Factor::new(resource, factor).is_some(), is_one, "{factor}");
            }
        }
    }

    #[test]
    fn what_is_multiplied_is_whole_and_never_wraps() {
        let of = |factor| Factor::new(Resource::Fuel, factor).unwrap();
        assert_eq!(of(1.0), Factor::USUAL);
        assert_eq!((of(0.1).times(205), of(2.5).times(3)), (20, 7));
        assert_eq!((of(100.0).times(u64::MAX), of(0.1).times(0)), (u64::MAX, 0));
    }

    #[test]
    fn a_record_of_it_tells_what_is_not_as_usual_and_is_read_back() {
        let three = Factor::new(Resource::Memory, 3.25).unwrap();
        let allowance = Allowance::default().with(Resource::Memory, three);
        let json = serde_json::to_string(&allowance).unwrap();
        assert_eq!(json, r#"{"memory":3.25}"#);
        assert_eq!(serde_json::from_str::<Allowance>(&json).unwrap(), allowance);
        assert_eq!(serde_json::from_str::<Allowance>("{}").unwrap(), Allowance::default());
        let error = serde_json::from_str::<Allowance>(r#"{"memory":1e9}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "found 1000000000, expected a factor of `memory` from 0.1 to 64"
        );
    }
}
