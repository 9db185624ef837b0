//! Asks a policy of this crate, in this process and without a sandbox.

use super::ask::{Question, Reply};
use crate::slots::{budget, curator, demotion, provenance};

macro_rules! ask {
    ($name:ident, $case:ident, $policy:ident, $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn $name<P: crate::$policy>(question: &Question) -> Reply {
            match question {
                Question::$case(request) => Reply::$case($name::run::<P>(request)),
                _ => Reply::Failed("the question is another slot's".to_owned()),
            }
        }
    };
}

ask!(demotion, Demotion, DemotionPolicy, "Asks a demotion policy.");
ask!(budget, Budget, BudgetPolicy, "Asks a budget policy.");
ask!(curator, Curator, CuratorPolicy, "Asks a curator.");
ask!(provenance, Provenance, ProvenancePolicy, "Asks a provenance policy.");
