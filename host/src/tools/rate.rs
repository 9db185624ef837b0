//! How a skill did, as somebody says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Toolbox, notes::Notes, trouble::Trouble};
use crate::{
    ledger::{Access, Event, Kind},
    skill::{OneLine, SkillId},
    system::System,
    world::{
        Tell, Where, World,
        error::CommandError,
        naming::one,
        store::{Store, named, not_the_sample},
    },
};

/// Unicode scalars of a note that are kept, and of a session's name.
const LONGEST_NOTE: usize = 500;
const LONGEST_SESSION: usize = 200;

/// How a skill did.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It helped
    Success,
    /// It didn't
    Failure,
    /// It had to be corrected
    Corrected,
}

impl Outcome {
    fn kind(self) -> Kind {
        match self {
            Outcome::Success => Kind::Success,
            Outcome::Failure => Kind::Failure,
            Outcome::Corrected => Kind::Corrected,
        }
    }
}

/// How which skill did.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateRequest {
    /// The skill's name
    pub name: String,
    /// How it did: it helped, it didn't, or it had to be corrected
    pub outcome: Outcome,
    /// What there is to say about it, in one line
    #[serde(default)]
    pub note: Option<String>,
}

/// That it was written down.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rated {
    /// The skill's name
    pub name: String,
    /// How it did
    pub outcome: Outcome,
    /// The note as it was kept
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Writes down how a skill did.
///
/// # Errors
/// Where no skill is meant or several, there is no home, or its ledger can't be written.
pub fn rate(
    system: &dyn System,
    place: &Where<'_>,
    asked: &RateRequest,
    session: Option<&str>,
    out: &mut dyn Tell,
) -> Result<(Event, String), CommandError> {
    let world = World::open(system, place)?;
    world.announce(out);
    not_the_sample(&world)?;
    let store = Store::open(system, &world, Access::Write, out)?;
    let (skill, name) = which(&world, &store, &asked.name, out)?;
    let line = |text: Option<&str>, cap| {
        text.map(|text| OneLine::capped(text, cap).into_string()).filter(|line| !line.is_empty())
    };
    let note = line(asked.note.as_deref(), LONGEST_NOTE);
    if let Some(whole) = &asked.note
        && OneLine::new(whole).as_str() != note.as_deref().unwrap_or_default()
    {
        out.warn(&format!("the note was cut to {LONGEST_NOTE} characters"));
    }
    let event = Event {
        skill,
        at: store.disk.now(),
        kind: asked.outcome.kind(),
        actor: store.actor,
        weight: 1,
        session: line(session, LONGEST_SESSION),
        note,
    };
    store.ledger.record(std::slice::from_ref(&event))?;
    Ok((event, name))
}

/// The skill's id and name. Only for one that no scan has seen yet all are looked at.
fn which(
    world: &World<'_>,
    store: &Store<'_>,
    name: &str,
    out: &mut dyn Tell,
) -> Result<(SkillId, String), CommandError> {
    let row = one(world, name, out)?;
    if let Some(own) = world.library.own_row(row)
        && let Some(known) = store.ledger.at_hand_in(own.path, own.folder)?
    {
        let name = world.library.skills.get(row).map_or(name, |skill| skill.name.as_str());
        return Ok((known.id, name.to_owned()));
    }
    let noted = store.note(world)?;
    let named = named(world, &noted, name, out)?;
    Ok((named.id, named.name))
}

impl Toolbox<'_> {
    /// `skill_rate`: writes down how a skill did.
    ///
    /// # Errors
    /// As [`rate`].
    pub fn rate(&self, asked: &RateRequest, notes: &mut Notes) -> Result<Rated, Trouble> {
        let session = self.session.as_deref();
        let (event, name) = rate(self.system, &self.place, asked, session, notes)?;
        Ok(Rated { name, outcome: asked.outcome, note: event.note })
    }
}
