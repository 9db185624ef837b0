//! What a change of policies does to what is decided here: the index of this library, what becomes of writes, or a pass.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::passes::Passes;
use crate::{
    cli::{
        Global,
        opening::{Opening, open},
        options::{AgentArgs, DecisionArgs, RootArgs, configured},
        output::{Output, columns},
        slots::Slots,
    },
    decision::{Judgement, Slot},
    index::{self, Changed, Fallback, Made, Programs},
    judge::{self, Cell},
    skill::OneLine,
    world::{
        World, counted,
        error::{CommandError, Kind},
        gate::Gate,
        policies::{config_allowances, config_settings, judge as judges},
        swap::Swap,
    },
};

/// As many lines of differences are printed; JSON has them all.
pub(super) const SHOWN: usize = 12;

/// What is decided otherwise.
#[derive(Default)]
pub struct Effects {
    index: Option<Index>,
    writes: Option<Writes>,
    passes: Option<Passes>,
}

/// An index, before and after.
struct Index {
    skills: usize,
    unit: &'static str,
    limit: u32,
    costs: [u64; 2],
    changed: Vec<Changed>,
    sample: bool,
}

/// What becomes of every write that a rule can tell apart, before and after.
struct Writes {
    before: Vec<Cell>,
    after: Vec<Cell>,
}

impl Effects {
    /// Decides with both, on the library and the settings of the session that is asked for.
    ///
    /// # Errors
    /// Where the one that would be used fails here.
    pub fn of(
        world: &World<'_>,
        global: &Global,
        (roots, decision): (&RootArgs, &DecisionArgs),
        swap: &Swap,
        slots: &BTreeSet<Slot>,
        out: &mut Output<'_>,
    ) -> Result<Effects, CommandError> {
        let mut effects = Effects::default();
        if slots.contains(&Slot::Demotion) || slots.contains(&Slot::Budget) {
            effects.index = Some(Index::of(world, global, (roots, decision), swap, slots, out)?);
        }
        if slots.contains(&Slot::Provenance) {
            let table = |config, gate: &Gate<'_>| -> Result<Vec<Cell>, CommandError> {
                Ok(judge::table(&judges(world, gate, config)?.0))
            };
            effects.writes = Some(Writes {
                before: table(&swap.now.config, &Gate::open(world, false))?,
                after: table(&swap.config, &after(world, swap))?,
            });
        }
        if slots.contains(&Slot::Curator) {
            effects.passes = Passes::of(world, global, roots, swap, out)?;
        }
        Ok(effects)
    }

    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        let index = self.index.as_ref().map_or_else(String::new, Index::text);
        let writes = self.writes.as_ref().map_or_else(String::new, Writes::text);
        let passes = self.passes.as_ref().map_or_else(String::new, Passes::text);
        index + &writes + &passes
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "index": self.index.as_ref().map(Index::json),
            "writes": self.writes.as_ref().map(Writes::json),
            "passes": self.passes.as_ref().map(Passes::json),
        })
    }
}

/// The gate as it would be.
pub fn after<'a>(world: &World<'a>, swap: &'a Swap) -> Gate<'a> {
    Gate::of(world.system, &swap.config, Ok(swap.lock.clone()), false)
}

impl Index {
    fn of(
        world: &World<'_>,
        global: &Global,
        (roots, decision): (&RootArgs, &DecisionArgs),
        swap: &Swap,
        slots: &BTreeSet<Slot>,
        out: &mut Output<'_>,
    ) -> Result<Index, CommandError> {
        let agent = AgentArgs::default();
        let opening = open(world.system, &global.at(roots), decision, &agent)?;
        let Opening { world, plan, slots: used, .. } = &opening;
        plan.announce(out);
        let mut other = plan.clone();
        other.policies = configured(world.system, &swap.config);
        other.settings = config_settings(&swap.config);
        other.allowances = config_allowances(&swap.config);
        let would = Slots::load_through(world, &other, &after(world, swap))?;
        let (meter, programs) = (world.meter(plan.unit), Programs::new(world.system));
        let make = |slots: &Slots| {
            plan.inputs.make(&world.library, meter.get(), &slots.policies(), &programs)
        };
        let (before, after) = (make(used)?, make(&would)?);
        meter.save(world.system);
        fails(&after, slots)?;
        Ok(Index {
            skills: after.candidates.entries.len(),
            unit: plan.unit.word(),
            limit: plan.inputs.limit,
            costs: [before.decided.block.cost, after.decided.block.cost],
            changed: index::differences(&before, &after),
            sample: world.is_sample(),
        })
    }

    fn text(&self) -> String {
        let [before, after] = self.costs;
        let of = if self.sample { " of the SAMPLE library" } else { "" };
        let mut text = format!(
            "the index, {}{of} in {} {}: {before} before, {after} after; {} another form\n",
            counted(self.skills, "skill"),
            self.limit,
            self.unit,
            match self.changed.len() {
                0 => "no skill has".to_owned(),
                1 => "1 skill has".to_owned(),
                many => format!("{many} skills have"),
            }
        );
        let rows: Vec<Vec<String>> = self
            .changed
            .iter()
            .take(SHOWN)
            .map(|it| {
                let why =
                    it.reason.as_ref().map(|reason| reason.text.to_string()).unwrap_or_default();
                let way = format!("{} -> {}", it.from.word(), it.to.word());
                vec![format!("  {}", it.skill), way, why]
            })
            .collect();
        text.push_str(&columns(&rows));
        text.push_str(&more(self.changed.len()));
        text
    }

    fn json(&self) -> Value {
        json!({
            "skills": self.skills,
            "sample": self.sample,
            "unit": self.unit,
            "limit": self.limit,
            "cost-before": self.costs[0],
            "cost-after": self.costs[1],
            "changed": self.changed.iter().map(|it| json!({
                "skill": it.skill, "from": it.from, "to": it.to, "reason": it.reason,
            })).collect::<Vec<_>>(),
        })
    }
}

pub(super) fn more(all: usize) -> String {
    match all.checked_sub(SHOWN) {
        None | Some(0) => String::new(),
        Some(more) => format!("  and {more} more; `--json` has them all\n"),
    }
}

/// A policy that fails on the very library that it is to decide for is not used.
fn fails(made: &Made, slots: &BTreeSet<Slot>) -> Result<(), CommandError> {
    let mut notes = made.decided.notes.iter().filter(|note| slots.contains(&note.slot));
    let failed = notes.find_map(|note| Some((note, note.fallback.as_ref()?)));
    let Some((note, why)) = failed else { return Ok(()) };
    let message = format!("`{}` fails on this library: {why}", note.policy);
    let hint = match why {
        Fallback::Load(error) => error.hint(),
        _ => Some(format!(
            "see what it answers: skillkeep index --policy {}={}",
            note.slot, note.source
        )),
    };
    Err(CommandError::new(Kind::Finding, message).maybe_hint(hint))
}

impl Writes {
    fn differences(&self) -> Vec<judge::Differing<'_>> {
        judge::differences(&self.before, &self.after)
    }

    fn text(&self) -> String {
        let differing = self.differences();
        let mut text = format!(
            "writes, {} that a rule can tell apart: {} otherwise\n",
            self.after.len(),
            match differing.len() {
                0 => "none is judged".to_owned(),
                1 => "1 is judged".to_owned(),
                many => format!("{many} are judged"),
            }
        );
        let rows: Vec<Vec<String>> = differing
            .iter()
            .take(SHOWN)
            .map(|(one, other)| {
                let way = format!("{} -> {}", said(&one.judgement), said(&other.judgement));
                vec![format!("  {}", called(other)), way, other.judgement.reason.text.to_string()]
            })
            .collect();
        text.push_str(&columns(&rows));
        text.push_str(&more(differing.len()));
        text
    }

    fn json(&self) -> Value {
        let judged = |it: &Judgement| {
            json!({
                "verdict": it.verdict.word(),
                "as": it.verdict.origin().map(|origin| origin.word()),
                "reason": it.reason,
                "by": it.by.to_string(),
            })
        };
        let differing = self.differences();
        json!({
            "cells": self.after.len(),
            "changed": differing.iter().map(|(one, other)| json!({
                "action": other.request.action,
                "actor": other.request.actor,
                "origin": other.request.origin,
                "under": other.under.word(),
                "from": judged(&one.judgement),
                "to": judged(&other.judgement),
            })).collect::<Vec<_>>(),
        })
    }
}

/// A write of the table, in words.
fn called(cell: &Cell) -> OneLine {
    let request = &cell.request;
    let whose = request.origin.map_or("new".to_owned(), |origin| format!("of {}", origin.word()));
    let under = match cell.under {
        judge::Under::Plain => String::new(),
        under => format!(", {}", under.word()),
    };
    OneLine::new(&format!("{} by {}, {whose}{under}", request.action.word(), request.actor.word()))
}

fn said(judgement: &Judgement) -> String {
    match judgement.verdict.origin() {
        Some(origin) => format!("{} as {}", judgement.verdict.word(), origin.word()),
        None => judgement.verdict.word().to_owned(),
    }
}
