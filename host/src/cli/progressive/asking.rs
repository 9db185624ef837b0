//! Progressive Skill's two questions, each put to the policy that stands for its rule. What comes back has gone through the
//! laws; nothing is decided here.

use std::collections::BTreeSet;

use serde::Serialize;

use super::inputs::Inputs;
use crate::{
    adapters::progressive::{
        Demotion, Listing, Tools, budget_question, budget_settings, caps, demotion_settings,
        details_question, relevance_question,
    },
    decision::{Detail, Form, Prices, Slot, Value},
    index::{InCharge, Settled, SlotNote, ask_details, ask_forms},
    laws::{Caps, Choices, Forms},
    policy::{Assignment, Engine, LoadError, Loaded},
    world::{
        World,
        error::CommandError,
        policies::{component, engine},
    },
};

/// What `demote` prints.
#[derive(Serialize)]
pub struct Demoted {
    /// Categories to show by name only.
    pub demote: BTreeSet<String>,
    /// What the session's tools are for, and what always is relevant; none where nothing is known.
    pub relevant: BTreeSet<String>,
    /// Every category that has skills.
    pub all_categories: BTreeSet<String>,
}

/// Asks twice: what the session is about, and what of the library it has no use for. What is shown by name only already is
/// asked about as if no tool were for it, since Progressive Skill takes such a category back only for its use.
pub fn ask_what_to_demote(
    world: &World<'_>,
    inputs: &Inputs,
    compact: BTreeSet<String>,
) -> Result<(Demoted, Vec<SlotNote>), CommandError> {
    let engine = engine(world)?;
    let policy = Charge::load(
        world,
        &engine,
        Slot::Demotion,
        "demotion-toolset",
        &demotion_settings(&inputs.config),
        inputs,
    )?;
    let mut notes = Vec::new();
    let asked = |key: &str| policy.asks_for(key);
    let mut ask = |demotion: &Demotion| {
        let caps = Caps { user: vec![None; demotion.categories.len()], names_do_not_fit: false };
        let (details, note, _): Settled<Choices<Detail>> =
            ask_details(&engine, &policy.in_charge(), &caps, |_| demotion.request.clone());
        notes.push(note);
        demotion.demoted(details.rows.iter().map(|row| row.choice))
    };

    let catalog = &inputs.catalog;
    let named = policy.links().chain(inputs.config.always_relevant.iter().cloned()).collect();
    let (about, nobodys) = relevance_question(inputs.now, catalog, &named, &inputs.tools, &asked);
    let for_nothing = ask(&about);
    let (demote, relevant) = if for_nothing.contains(&nobodys) {
        let details = |categories: &BTreeSet<String>, tools: Option<&Tools>| {
            details_question(inputs.now, categories, catalog, &inputs.usage, tools, &asked)
        };
        let mut demote = ask(&details(&catalog.categories, Some(&inputs.tools)));
        demote.extend(ask(&details(&compact, None)));
        (demote, about.categories.into_iter().filter(|it| !for_nothing.contains(it)).collect())
    } else {
        (compact, BTreeSet::new())
    };
    Ok((Demoted { demote, relevant, all_categories: catalog.categories.clone() }, notes))
}

/// Asks which lines of a printed index are kept.
pub fn ask_what_to_keep(
    world: &World<'_>,
    inputs: &Inputs,
    listing: &Listing,
    prices: &Prices,
) -> Result<(Vec<Form>, SlotNote), CommandError> {
    let engine = engine(world)?;
    let settings = budget_settings(&inputs.config);
    let policy =
        Charge::load(world, &engine, Slot::Budget, "budget-progressive", &settings, inputs)?;
    let caps = caps(listing);
    let first = || (0..caps.len()).collect();
    // Lines of a printed index are kept or left out: no cut of a policy makes them shorter.
    let recut = |_: u32, rows: &[usize]| {
        rows.iter().filter_map(|row| prices.skills.get(*row)).map(|price| price.short).collect()
    };
    let (forms, note, _): Settled<Forms> =
        ask_forms(&engine, &policy.in_charge(), prices, &caps, &recut, first, |asked| {
            budget_question(inputs.now, listing, prices, &inputs.usage, asked)
        });
    Ok((forms.choices.rows.iter().map(|row| row.choice).collect(), note))
}

/// A policy that stands for one of Progressive Skill's rules, or why it can't be asked.
struct Charge {
    name: &'static str,
    loaded: Result<Loaded, LoadError>,
}

impl Charge {
    /// # Errors
    /// Where the policy refuses the user's settings: those are wrong, not the policy.
    fn load(
        world: &World<'_>,
        engine: &Engine,
        slot: Slot,
        name: &'static str,
        settings: &[(&'static str, Value)],
        inputs: &Inputs,
    ) -> Result<Charge, CommandError> {
        let given: Vec<Assignment> = settings
            .iter()
            .map(|(key, value)| Assignment {
                key: (*key).to_owned(),
                value: value.clone(),
                untyped: false,
                from: inputs.settings_from.clone(),
            })
            .collect();
        let loaded = component(world.system, name)
            .and_then(|(source, bytes)| Loaded::load(engine, source, &bytes, Some(slot), &given));
        match loaded {
            Err(error @ LoadError::Settings { .. }) => Err(error.into()),
            loaded => Ok(Charge { name, loaded }),
        }
    }

    fn in_charge(&self) -> InCharge<'_> {
        match &self.loaded {
            Ok(policy) => InCharge::Policy(policy),
            Err(error) => InCharge::Failed { name: self.name.to_owned(), error },
        }
    }

    fn asks_for(&self, key: &str) -> bool {
        self.loaded.as_ref().is_ok_and(|policy| policy.info.asks_for(key))
    }

    /// Every category that a toolset is linked to, as the policy declares it.
    fn links(&self) -> impl Iterator<Item = String> {
        let parameters = self.loaded.as_ref().map_or(&[][..], |policy| &policy.info.parameters);
        parameters.iter().filter(|it| it.key.as_str().starts_with("links.")).flat_map(
            |it| match &it.default {
                Value::Texts(categories) => categories.clone(),
                _ => Vec::new(),
            },
        )
    }
}
