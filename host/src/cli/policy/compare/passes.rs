//! Two curators on the recorded passes of a home.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{
    super::rules::{Rule, combine},
    print,
};
use crate::{
    cli::output::{Output, columns},
    past::Differences,
    policy::Engine,
    skill::Instant,
    world::{
        World,
        error::{CommandError, Kind},
        kept,
        recorded::Recorded,
    },
};

/// What two curators would have done in recorded passes.
pub struct OnPasses {
    /// Where they differ.
    pub found: Differences,
    passes: Vec<OnPass>,
}

/// The same of one.
struct OnPass {
    pass: i64,
    at: Instant,
    differ: usize,
    looked: usize,
}

/// Puts the questions of each recorded pass to both. What can't be decided again is said, by why. Nothing where no pass is
/// recorded.
pub fn compare(
    world: &World<'_>,
    engine: &Engine,
    rules: &[Rule; 2],
    since: Option<Instant>,
    out: &mut Output<'_>,
) -> Result<Option<OnPasses>, CommandError> {
    let Some(ledger) = kept::ledger(world.system, &world.home)? else { return Ok(None) };
    let recorded = Recorded::of(world, engine.clone())?;
    let all = recorded.passes(&ledger, since)?;
    let (mut found, mut passes) = (Differences::default(), Vec::new());
    let mut left = BTreeMap::<String, usize>::new();
    for it in &all {
        let plans = recorded.open_pass(it).and_then(|record| {
            let plan = |rule: &Rule| recorded.plan_again(&record, &rule.members, combine(world));
            let [one, other] = rules;
            let plans = [plan(one)?, plan(other)?];
            Ok((record, plans))
        });
        let (record, plans) = match plans {
            Ok(both) => both,
            Err(why) => {
                *left.entry(why).or_default() += 1;
                continue;
            }
        };
        if let Some((who, why)) = plans.iter().find_map(crate::curator::Plan::failed) {
            let message = format!("`{who}` gave no answer that counts: {why}");
            return Err(CommandError::new(Kind::Finding, message));
        }
        let before = found.count();
        found.plans(&record.subjects, plans.each_ref(), record.now);
        let (differ, looked) = (found.count() - before, record.subjects.len());
        passes.push(OnPass { pass: it.0.id.0, at: it.0.begun, differ, looked });
    }
    for (why, count) in left {
        out.warn(&format!("{count} of {} recorded passes are left out: {why}", all.len()));
    }
    Ok((!passes.is_empty()).then_some(OnPasses { found, passes }))
}

impl OnPasses {
    /// For people.
    pub fn text(&self, [one, other]: [&str; 2]) -> String {
        let count = crate::world::counted(self.found.decisions, "decision");
        let mut text = format!("in recorded passes, {one} -> {other}: {count}\n");
        let rows: Vec<Vec<String>> = self
            .passes
            .iter()
            .map(|it| {
                let differ = format!("{} of {} differ", it.differ, it.looked);
                vec![format!("  pass {}", it.pass), it.at.to_string(), differ]
            })
            .collect();
        text.push_str(&columns(&rows));
        text.push_str(&print::sorts(&self.found));
        text
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let passes = self.passes.iter().map(|it| {
            json!({
                "pass": it.pass,
                "at": it.at.to_string(),
                "decisions": it.looked,
                "differ": it.differ,
            })
        });
        json!({
            "differ": self.found.count(),
            "passes": passes.collect::<Vec<_>>(),
            "by-reason": print::by_reason(&self.found),
        })
    }
}
