//! What whoever asks may see of the skills, and what is known of those.

use crate::{
    index::gates_of,
    ledger::AtHand,
    skill::{Actor, Choice, Gate, Session, Skill, Standing},
    world::{World, caller::caller_of, kept::Kept},
};

/// The skills of a world as one agent, or a person, may see them.
pub struct Sight<'a> {
    /// The world.
    pub world: &'a World<'a>,
    /// What the home knows.
    pub kept: &'a Kept,
    known: Vec<Option<&'a AtHand>>,
    agent: Option<&'a str>,
    /// By row: whether whoever asks must not see it.
    hidden: Vec<bool>,
}

impl<'a> Sight<'a> {
    /// What is off for an agent, what waits to be accepted, and what was archived and put back by somebody else is seen by people
    /// only, and so are files that lie in its folder and look like skills. `agent` is the one that asks, where it is told.
    #[must_use]
    pub fn new(world: &'a World<'a>, kept: &'a Kept, agent: Option<&'a str>) -> Sight<'a> {
        let known = kept.rows(&world.library);
        let mut sight = Sight { world, kept, known, agent, hidden: Vec::new() };
        let person = caller_of(world) == Actor::Person;
        let holds = world.config.writes.holds();
        let off = |row: usize| {
            let held = sight.of(row).is_some_and(|it| (holds && it.held) || it.put_back.is_some());
            !person && (held || sight.choice(row) == Choice::Off)
        };
        let skills = world.library.skills.iter().enumerate();
        let hidden = skills.map(|(row, skill)| match skill.standing {
            Standing::Support { inside } => off(inside),
            _ => off(row),
        });
        sight.hidden = hidden.collect();
        sight
    }

    /// What is known of a row's skill; nothing where no scan has seen it.
    #[must_use]
    pub fn of(&self, row: usize) -> Option<&'a AtHand> {
        self.known.get(row).copied().flatten()
    }

    /// What was chosen for a row's skill, for the agent that asks.
    #[must_use]
    pub fn choice(&self, row: usize) -> Choice {
        self.of(row).map_or(Choice::Auto, |known| known.choice(self.agent))
    }

    /// Whether whoever asks must not see a row.
    #[must_use]
    pub fn hides(&self, row: usize) -> bool {
        self.hidden.get(row).copied().unwrap_or(true)
    }

    /// Whether an agent is offered a row's skill: it counts, nobody keeps it for people, and no gate that is known of is shut.
    #[must_use]
    pub fn offers(&self, row: usize, skill: &Skill, session: &Session) -> bool {
        let chosen = Gate::of_choice(self.choice(row)).is_none();
        skill.is_live()
            && chosen
            && !self.hides(row)
            && gates_of(skill, session, None, None).iter().all(|gate| gate.open)
    }

    /// How many rows may be seen.
    #[must_use]
    pub fn seen(&self) -> usize {
        self.hidden.iter().filter(|hidden| !**hidden).count()
    }
}
