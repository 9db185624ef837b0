//! From rules and limits to what each shows.

use super::{
    super::options::Plan,
    contenders::{Budget, Contender, Demotion, Limits},
};
use crate::{
    decision::Slot,
    eval::{Board, Shown},
    index::{Candidates, InCharge, Inputs, Made, Meter, Policies},
    policy::{Assignment, Engine, LoadError, Loaded},
    world::{
        World,
        error::{CommandError, Kind as ErrorKind},
        gate::Gate,
        policies::engine,
    },
};

/// A component, or why there is none.
struct Component {
    name: String,
    loaded: Result<Loaded, LoadError>,
}

impl Component {
    fn load(
        (gate, plan): (&Gate<'_>, &Plan),
        engine: &Engine,
        slot: Slot,
        name: &str,
        settings: &[Assignment],
    ) -> Component {
        let admitted = match plan.given.contains(&slot) {
            true => gate.given(slot, name),
            false => gate.admit(slot, name),
        };
        let loaded = admitted.and_then(|it| {
            let within = plan.allowance(slot);
            Loaded::load_within(engine, it.source, &it.bytes, Some(slot), settings, within)
        });
        Component { name: name.to_owned(), loaded }
    }

    fn in_charge(&self) -> InCharge<'_> {
        match &self.loaded {
            Ok(policy) => InCharge::Policy(policy),
            Err(error) => InCharge::Failed { name: self.name.clone(), error },
        }
    }
}

/// Every rule at each of its limits: those without a limit first, then limit by limit.
///
/// # Errors
/// Where this machine can't run components, a component that the user named can't be loaded, or a limit is below what one
/// line costs.
pub fn boards(
    world: &World<'_>,
    plan: &Plan,
    candidates: &Candidates,
    rules: &[Contender],
    limits: &[u32],
    meter: &dyn Meter,
) -> Result<Vec<Board>, CommandError> {
    let engine = engine(world)?;
    let gate = Gate::open(world, plan.dev);
    let settings = plan.settings.get(&Slot::Demotion).map_or(&[][..], Vec::as_slice);
    let names = plan.names(Slot::Demotion);
    let load =
        |name: &String| Component::load((&gate, plan), &engine, Slot::Demotion, name, settings);
    let demotion: Vec<Component> = names.iter().map(load).collect();
    // A comparison with what doesn't load would be one with the baseline, under another name.
    let budgets = rules
        .iter()
        .map(|rule| match &rule.budget {
            Budget::Host(_) => Ok(None),
            Budget::Component { name, settings } => {
                let component =
                    Component::load((&gate, plan), &engine, Slot::Budget, name, settings);
                match component.loaded {
                    Err(error) => Err(CommandError::from(error)),
                    Ok(_) => Ok(Some(component)),
                }
            }
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut boards = Vec::new();
    for limit in std::iter::once(None).chain(limits.iter().copied().map(Some)) {
        for (rule, budget) in rules.iter().zip(&budgets) {
            let wanted = match rule.limits {
                Limits::Given => limit.is_some(),
                Limits::Without => limit.is_none(),
                Limits::Both => true,
            };
            if !wanted {
                continue;
            }
            let inputs = Inputs { limit: limit.unwrap_or(u32::MAX), ..plan.inputs.clone() };
            let policies = Policies {
                engine: &engine,
                demotion: match rule.demotion {
                    Demotion::AsPlanned => demotion.iter().map(Component::in_charge).collect(),
                    Demotion::Nobody => {
                        vec![InCharge::Host { name: &rule.name, rule: crate::eval::everything }]
                    }
                },
                budget: match (&rule.budget, budget) {
                    (_, Some(component)) => component.in_charge(),
                    (Budget::Host(host), _) => InCharge::Host { name: &rule.name, rule: *host },
                    (Budget::Component { .. }, None) => continue,
                },
            };
            let made = inputs.make_of(candidates.clone(), meter, &policies).map_err(|error| {
                CommandError::new(ErrorKind::Usage, error.to_string())
                    .hint(format!("`--limits {}` is the least that prints anything", error.least))
            })?;
            boards.push(board(rule, limit, made));
        }
    }
    Ok(boards)
}

fn board(rule: &Contender, limit: Option<u32>, made: Made) -> Board {
    let skills = made
        .candidates
        .entries
        .iter()
        .zip(&made.decided.forms.rows)
        .map(|(entry, choice)| Shown {
            skill: entry.skill,
            name: entry.name.clone(),
            category: made
                .candidates
                .categories
                .get(entry.category as usize)
                .map_or(String::new(), |category| category.path.clone()),
            form: choice.choice,
            text: entry.visible(choice.choice),
        })
        .collect();
    let fallback = made.decided.notes.iter().find_map(|note| note.fallback.as_ref());
    Board {
        label: rule.label.clone(),
        limit,
        cost: made.decided.block.cost,
        skills,
        fallback: fallback.map(ToString::to_string),
        block: made.decided.block.text,
    }
}
