//! SUMMARY

use skillkeep_policy::key::write as key;
use skillkeep_policy::provenance::{Answer, ProvenancePolicy, Request};
use skillkeep_policy::{Key, NoSettings, Policy, Refusal};

skillkeep_policy::reasons! {
    /// Why a write is done or not.
    pub enum Reason {
        Person = "a person wrote it",
        NotAPerson { actor: String } = "written by `{0}`, which is not a person",
    }
}

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct TYPE;

impl Policy for TYPE {
    type Settings = NoSettings;
    type Reason = Reason;
    const NAME: &'static str = env!("CARGO_PKG_NAME");
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = env!("CARGO_PKG_DESCRIPTION");
    const NEEDS: &'static [Key] = &[key::ACTOR];
    const WANTS: &'static [Key] = &[key::ORIGIN];
}

impl ProvenancePolicy for TYPE {
    fn decide(request: &Request<'_>, _: &NoSettings) -> Result<Answer<Reason>, Refusal<Reason>> {
        // Whose the result is: what is there keeps its origin, and what is new is its maker's.
        let origin = request.own_origin();
        Ok(match request.actor() {
            "person" => Answer::allow(origin, Reason::Person),
            actor => Answer::stage(origin, Reason::NotAPerson { actor: actor.to_owned() }),
        })
    }
}

skillkeep_policy::export_provenance!(TYPE);
