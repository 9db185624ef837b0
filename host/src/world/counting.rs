//! That a skill was shown, counted: what may be shown to whom, and the event afterwards. Who asked for a text gets it,
//! whatever becomes of the count.

use std::{path::PathBuf, time::Duration};

use super::{
    Tell, World,
    caller::caller_of,
    error::{CommandError, Kind},
    kept,
    store::LEDGER,
};
use crate::{
    ledger::{Access, AtHand, Event, Ledger, Shown},
    skill::{Actor, Choice, OneLine},
};

/// How long a count waits for somebody else who writes. Longer, and the agent's next step waits for a number.
const WAIT: Duration = Duration::from_millis(500);

/// Unicode scalars of a session's name that are kept.
const LONGEST_SESSION: usize = 200;

/// Who asks for a skill, and what is to be counted.
pub struct Counting {
    home: Option<PathBuf>,
    actor: Actor,
    skill: Skill,
    session: Option<String>,
}

/// What the home knows of the skill.
enum Skill {
    /// There is no home, or what is shown is no skill that counts, such as a file of another.
    None,
    /// A link leads to it, from a root to where none is.
    Linked,
    /// No scan has seen it.
    New,
    Known(Box<AtHand>),
    /// The ledger can't be read.
    Lost(CommandError),
}

impl Counting {
    /// Looks a row of the library up.
    ///
    /// One that no scan has seen is not registered here. Who it is can't be told by a look at its own folder: it may be a known
    /// skill that moved, and of two that changed places each lies where the other was. That takes a look at all folders, which
    /// is a scan's work and would make whoever only wants a text wait for it.
    pub fn new(world: &World<'_>, row: usize, session: Option<&str>) -> Counting {
        let own = world.library.own_row(row);
        let linked =
            || world.library.skills.get(row).is_some_and(|skill| skill.place.linked_to.is_some());
        let skill = match (kept::ledger(world.system, &world.home), own) {
            _ if world.is_sample() => Skill::None,
            (Ok(None), _) => Skill::None,
            (Ok(_), None) if linked() => Skill::Linked,
            (Ok(_), None) => Skill::None,
            (Err(error), _) => Skill::Lost(error.into()),
            (Ok(Some(ledger)), Some(own)) => match ledger.at_hand_in(own.path, own.folder) {
                Ok(Some(known)) => Skill::Known(Box::new(known)),
                Ok(None) => Skill::New,
                Err(error) => Skill::Lost(error.into()),
            },
        };
        let home = world.home.path.clone();
        let actor = caller_of(world);
        let session = session.map(|id| OneLine::capped(id, LONGEST_SESSION).into_string());
        Counting { home, actor, skill, session: session.filter(|id| !id.is_empty()) }
    }

    /// What is known of the skill; nothing where there is no home, either.
    pub fn known(&self) -> Option<&AtHand> {
        match &self.skill {
            Skill::Known(known) => Some(known),
            _ => None,
        }
    }

    /// Whether there is a home to know anything.
    pub fn has_home(&self) -> bool {
        !matches!(self.skill, Skill::None)
    }

    /// What is off for an agent is shown to people only, and so is what waits to be accepted, where it is held till then, and what
    /// somebody else put back that was archived.
    /// `agent` is the one that asks, where it is told.
    ///
    /// # Errors
    /// Where it is off or held, and no person asks.
    pub fn may_be_shown(
        &self,
        world: &World<'_>,
        name: &str,
        agent: Option<&str>,
    ) -> Result<(), CommandError> {
        let Some(known) = self.known().filter(|_| self.actor != Actor::Person) else {
            return Ok(());
        };
        if known.held && world.config.writes.holds() {
            let message =
                format!("`{name}` was changed by others, and is held until a person accepts that");
            return Err(CommandError::new(Kind::Finding, message)
                .hint("ask the person whose home this is: skillkeep pending"));
        }
        if known.put_back.is_some() {
            let message = format!("`{name}` was archived, and put back by somebody else");
            return Err(CommandError::new(Kind::Finding, message)
                .hint(format!("ask the person whose home this is: skillkeep restore {name}")));
        }
        if known.choice(agent) != Choice::Off {
            return Ok(());
        }
        let whom = agent.map_or("agents", |agent| agent);
        let turn = match known.choices.get(&agent.map(str::to_owned)) {
            Some(_) => agent.map_or(String::new(), |agent| format!(" --agent {agent}")),
            None => String::new(),
        };
        let message =
            format!("`{name}` is off for {whom}, by choice of the person whose home this is");
        Err(CommandError::new(Kind::Finding, message)
            .hint(format!("ask that person, who can turn it on: skillkeep set {name} auto{turn}")))
    }

    /// Counts it. What can't be counted is told, and stops nothing.
    pub fn count(&self, world: &World<'_>, shown: Shown, out: &mut dyn Tell) {
        match &self.skill {
            Skill::None => {}
            Skill::Linked => {
                out.note("not counted: a link leads to this skill, out of all roots");
                out.hint("name the folder that it leads to under `roots` in skillkeep.toml");
            }
            Skill::New => {
                out.note("not counted: no scan has seen this skill yet");
                out.hint("skillkeep scan");
            }
            Skill::Lost(error) => not_counted(error, out),
            Skill::Known(known) => {
                if let Err(error) = self.write(world, known, shown) {
                    not_counted(&error, out);
                }
            }
        }
    }

    fn write(&self, world: &World<'_>, known: &AtHand, shown: Shown) -> Result<(), CommandError> {
        let Some(home) = &self.home else { return Ok(()) };
        let ledger = Ledger::open_within(&home.join(LEDGER), Access::Add, WAIT)?.ledger;
        let event = |kind: &crate::ledger::Kind| Event {
            skill: known.id,
            at: world.system.now(),
            kind: *kind,
            actor: self.actor,
            weight: 1,
            session: self.session.clone(),
            note: None,
        };
        let events: Vec<Event> = shown.kinds(self.actor).iter().map(event).collect();
        Ok(ledger.record(&events)?)
    }
}

fn not_counted(error: &CommandError, out: &mut dyn Tell) {
    out.warn(&format!("not counted: {}", error.message));
    for hint in &error.hints {
        out.hint(hint);
    }
}
