//! Leaves every write but a person's to a person: nothing an agent writes is done before somebody has seen it. What is there
//! keeps its origin, and what is new is its maker's once it was approved.

use skillkeep_policy::key::write as key;
use skillkeep_policy::provenance::{Answer, ProvenancePolicy, Request};
use skillkeep_policy::{Key, NoSettings, Policy, Refusal};

skillkeep_policy::reasons! {
    /// Why a write is done, or waits.
    pub enum Reason {
        Person = "a person may change what is theirs to change",
        Waits = "whoever is not a person proposes, so it waits for a person",
    }
}

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Strict;

impl Policy for Strict {
    type Settings = NoSettings;
    type Reason = Reason;
    const NAME: &'static str = "provenance-strict";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = "leaves every write but a person's to a person";
    const NEEDS: &'static [Key] = &[key::ACTOR];
    const WANTS: &'static [Key] = &[key::ORIGIN];
}

impl ProvenancePolicy for Strict {
    fn decide(request: &Request<'_>, _: &NoSettings) -> Result<Answer<Reason>, Refusal<Reason>> {
        let origin = request.own_origin();
        Ok(match request.actor() {
            "person" => Answer::allow(origin, Reason::Person),
            _ => Answer::stage(origin, Reason::Waits),
        })
    }
}

skillkeep_policy::export_provenance!(Strict);
