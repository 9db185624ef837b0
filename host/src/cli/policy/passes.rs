//! What a change of curators does to the pass that would be made now: both plans, side by side.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::effects::{SHOWN, after, more};
use crate::{
    cli::{
        Global,
        options::RootArgs,
        output::{Output, columns},
    },
    curator::{Asked, Plan, Planned},
    ledger::Access,
    skill::{OneLine, SkillId},
    world::{
        World, counted,
        error::{CommandError, Kind},
        gate::Gate,
        pass::{Curators, plan},
        store::Store,
        swap::Swap,
    },
};

/// A pass that would be made now, before and after.
pub struct Passes {
    before: Plan,
    after: Plan,
}

impl Passes {
    /// Asks both about the skills of the home. Nothing where there is none yet.
    ///
    /// # Errors
    /// Where the ledger can't be read, or those that would be used give no answer that counts.
    pub fn of(
        world: &World<'_>,
        global: &Global,
        roots: &RootArgs,
        swap: &Swap,
        out: &mut Output<'_>,
    ) -> Result<Option<Passes>, CommandError> {
        let own = World::own(world.system, &global.at(roots))?;
        let Ok(store) = Store::open(world.system, &own, Access::Read, out) else {
            return Ok(None);
        };
        let now = world.system.now();
        let mut planned = |config, gate: &Gate<'_>| -> Result<Plan, CommandError> {
            let curators = Curators::of(&own, config, gate, out)?;
            Ok(plan(&own, &store, &curators, (Asked::Person, now), out)?.0)
        };
        let before = planned(&swap.now.config, &Gate::open(world, false))?;
        let after = planned(&swap.config, &after(world, swap))?;
        if let Some((policy, why)) = after.failed() {
            let message = format!("`{policy}` fails on this library: {why}");
            return Err(CommandError::new(Kind::Finding, message)
                .hint("see what it answers: skillkeep policy test"));
        }
        Ok(Some(Passes { before, after }))
    }

    fn differences(&self) -> Vec<(Option<&Planned>, Option<&Planned>)> {
        let (before, after) = (by_id(&self.before), by_id(&self.after));
        let mut ids: Vec<SkillId> = before.keys().chain(after.keys()).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter()
            .map(|id| (before.get(&id).copied(), after.get(&id).copied()))
            .filter(|(one, other)| said(*one) != said(*other))
            .collect()
    }

    /// For people.
    pub fn text(&self) -> String {
        let differing = self.differences();
        let mut text = format!(
            "a pass now, {} looked at: {} otherwise\n",
            counted(self.after.looked, "skill"),
            match differing.len() {
                0 => "none fares".to_owned(),
                1 => "1 fares".to_owned(),
                many => format!("{many} fare"),
            }
        );
        let rows: Vec<Vec<String>> = differing
            .iter()
            .take(SHOWN)
            .map(|(one, other)| {
                let name = other.or(*one).map(|it| OneLine::capped(&it.name, 60).into_string());
                let why = other.map(|it| it.reason.text.to_string()).unwrap_or_default();
                let way = format!("{} -> {}", said(*one), said(*other));
                vec![format!("  {}", name.unwrap_or_default()), way, why]
            })
            .collect();
        text.push_str(&columns(&rows));
        text.push_str(&more(differing.len()));
        if self.after.notices.len() != self.before.notices.len() {
            text.push_str(&format!(
                "  to look at: {} before, {} after\n",
                self.before.notices.len(),
                self.after.notices.len()
            ));
        }
        text
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let changed: Vec<Value> = self
            .differences()
            .into_iter()
            .map(|(one, other)| {
                let either = other.or(one);
                json!({
                    "skill": either.map(|it| &it.name),
                    "id": either.map(|it| it.id),
                    "from": said(one),
                    "to": said(other),
                    "reason": other.map(|it| &it.reason),
                })
            })
            .collect();
        json!({
            "skills": self.after.looked,
            "notices-before": self.before.notices.len(),
            "notices-after": self.after.notices.len(),
            "changed": changed,
        })
    }
}

fn by_id(plan: &Plan) -> BTreeMap<SkillId, &Planned> {
    plan.rows.iter().map(|row| (row.id, row)).collect()
}

/// What becomes of a skill, in a word.
fn said(row: Option<&Planned>) -> &'static str {
    match row.map(|row| (row.to, row.law.is_some() || row.kept.is_some())) {
        None => "as it is",
        Some((Some(to), _)) => to.word(),
        Some((None, true)) => "held",
        Some((None, false)) => "as it is",
    }
}
