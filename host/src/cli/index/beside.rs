//! An agent's index beside ours, in the same number of tokens. Only measured figures: both blocks are counted as a model
//! counts them, whatever the agent's own rule counts in.

use serde::Serialize;

use super::super::{
    options::{DecisionArgs, Plan},
    slots::Slots,
};
use crate::{
    decision::{Form, Unit},
    index::{Agent, Made, Programs},
    world::counted,
    world::{World, error::CommandError},
};

/// What each says of how many skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Beside {
    /// Tokens (o200k) of the agent's block: the limit of ours.
    pub tokens: u32,
    /// Live skills of the library.
    pub skills: usize,
    /// What the agent's block says.
    pub agent: Says,
    /// What ours says; nothing where not even one line of it takes so few tokens.
    pub skillkeep: Option<Says>,
    /// The least that ours takes, where that is more.
    pub least: Option<u64>,
}

/// What a block says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Says {
    /// Skills with a description, or a part of one.
    pub described: usize,
    /// Skills by name alone.
    pub named: usize,
    /// Characters of what stands behind the names, by skill that is described.
    pub characters: usize,
}

impl Says {
    fn of(made: &Made) -> Says {
        let texts = made.candidates.entries.iter().zip(&made.decided.forms.rows).filter_map(
            |(entry, row)| match row.choice {
                Form::Full => Some(&*entry.full),
                Form::Short => Some(&*entry.short),
                Form::Name => Some(""),
                Form::Counted => None,
            },
        );
        let (mut says, mut characters) = (Says { described: 0, named: 0, characters: 0 }, 0);
        for text in texts {
            if text.is_empty() {
                says.named += 1;
            } else {
                says.described += 1;
                characters += text.chars().count();
            }
        }
        says.characters = characters.checked_div(says.described).unwrap_or(0);
        says
    }
}

impl Beside {
    /// Makes our index with as many tokens as the agent's takes.
    ///
    /// # Errors
    /// Where our own settings are wrong.
    pub fn of(
        world: &World<'_>,
        its: &Plan,
        args: &DecisionArgs,
        made: &Made,
        programs: &Programs<'_>,
    ) -> Result<Beside, CommandError> {
        let meter = world.meter(Unit::Tokens);
        let tokens = meter.get().count(&made.decided.block.text);
        // Of the user's options those that are about the session hold for ours too; those about the rule are the agent's.
        let session =
            DecisionArgs { settings: Vec::new(), limit: None, unit: None, ..args.clone() };
        let mut plan = Plan::new(world, &session)?;
        plan.unit = Unit::Tokens;
        plan.inputs.limit = tokens;
        plan.inputs.kept.clone_from(&its.inputs.kept);
        let slots = Slots::load(world, &plan)?;
        let ours = plan.inputs.make(&world.library, meter.get(), &slots.policies(), programs);
        meter.save(world.system);
        let (skillkeep, least) = match ours {
            Ok(ours) => (Some(Says::of(&ours)), None),
            Err(too_small) => (None, Some(too_small.least)),
        };
        Ok(Beside {
            tokens,
            skills: world.library.skills.iter().filter(|skill| skill.is_live()).count(),
            agent: Says::of(made),
            skillkeep,
            least,
        })
    }

    /// In one line. How much is said behind the names stands there where the agent shortens it.
    #[must_use]
    pub fn line(&self, agent: &Agent, shortened: bool) -> String {
        let Beside { tokens, skills, agent: its, skillkeep, least } = self;
        let in_characters = |says: &Says| match (shortened, says.described) {
            (true, 1..) => format!(" ({} characters each)", says.characters),
            _ => String::new(),
        };
        let its = format!(
            "{} describes {} of your {}{}",
            agent.title,
            its.described,
            counted(*skills, "skill"),
            in_characters(its)
        );
        match (skillkeep, least) {
            (Some(ours), _) => format!(
                "{its}; Skillkeep {}{}, in the same {} tokens",
                ours.described,
                in_characters(ours),
                grouped(u64::from(*tokens))
            ),
            (None, least) => format!(
                "{its}, in {} tokens; Skillkeep needs {}",
                grouped(u64::from(*tokens)),
                grouped(least.unwrap_or(0))
            ),
        }
    }
}

/// A number as people read it: `5,440`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (21_692, "21,692"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), text);
        }
    }
}
