//! SUMMARY

use skillkeep_policy::key::{Kind, Place};
use skillkeep_policy::provenance::{Answer, ProvenancePolicy, Request};
use skillkeep_policy::{Key, NoSettings, Policy, Refusal};

/// Who writes.
const ACTOR: Key = Key::new("actor", Place::Write, Kind::Text);

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
    const NEEDS: &'static [Key] = &[ACTOR];
}

impl ProvenancePolicy for TYPE {
    fn decide(request: &Request<'_>, _: &NoSettings) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(match request.text(&ACTOR) {
            Some("person") => Answer::allow("user", Reason::Person),
            actor => {
                let actor = actor.unwrap_or_default().to_owned();
                Answer::stage(actor.clone(), Reason::NotAPerson { actor })
            }
        })
    }
}

skillkeep_policy::export_provenance!(TYPE);
