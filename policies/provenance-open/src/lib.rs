//! Lets everybody write. What the host's laws forbid stays forbidden: no rule can lift them. What is there keeps its origin,
//! and what is new is its maker's, so that a stricter rule can take over at any time.

use skillkeep_policy::key::write as key;
use skillkeep_policy::provenance::{Answer, ProvenancePolicy, Request};
use skillkeep_policy::{Key, NoSettings, Policy, Refusal};

skillkeep_policy::reasons! {
    /// Why a write is done.
    pub enum Reason {
        Open = "this rule lets everybody write what the host's laws let them",
    }
}

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Open;

impl Policy for Open {
    type Settings = NoSettings;
    type Reason = Reason;
    const NAME: &'static str = "provenance-open";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = "lets everybody write whatever the host's laws let them";
    const NEEDS: &'static [Key] = &[key::ACTOR];
    const WANTS: &'static [Key] = &[key::ORIGIN];
}

impl ProvenancePolicy for Open {
    fn decide(request: &Request<'_>, _: &NoSettings) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(Answer::allow(request.own_origin(), Reason::Open))
    }
}

skillkeep_policy::export_provenance!(Open);
