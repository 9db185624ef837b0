//! Each writer changes what is its own; what is somebody else's waits for a person. Whose something is was declared when it
//! was made, and is never guessed: what nobody declared counts as a person's. It must never let a pass retire what a person
//! or a foreground agent wrote.

mod rule;
mod settings;

pub use settings::{Reason, Settings};

use skillkeep_policy::key::write as key;
use skillkeep_policy::provenance::{Answer, ProvenancePolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Declared;

impl Policy for Declared {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "provenance-declared";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str =
        "lets each writer change what is its own, and leaves the rest to a person";
    const NEEDS: &'static [Key] = &[
        key::ACTOR,
        key::ACTION,
        key::PINNED,
        key::REFERENCED,
        key::READ,
        key::ROOT,
        key::APPROVAL,
        key::RETIRE_BUNDLED,
    ];
    const WANTS: &'static [Key] = &[key::ORIGIN, key::SUCCESSOR];
}

impl ProvenancePolicy for Declared {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(*request, settings))
    }
}

skillkeep_policy::export_provenance!(Declared);
