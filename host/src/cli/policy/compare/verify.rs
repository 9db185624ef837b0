//! `skillkeep policy compare --verify`: what was decided is decided again by those who did, and is the same, bit for bit. So it
//! is with what indexes were decided from, and with what passes were.

use std::{collections::BTreeMap, process::ExitCode};

use serde_json::{Value as Json, json};

use super::records::{Meters, nothing};
use crate::{
    cli::{Global, output::Output},
    ledger::{Decided, Ledger, Pass},
    skill::{Instant, OneLine},
    world::{
        World, counted,
        error::{CommandError, Kind},
        kept,
        policies::engine,
        recorded::Recorded,
    },
};

/// As many skills of a pass are named.
const NAMED: usize = 5;

/// What came of deciding again: how many were the same, which were not, and why some could not be.
struct Verified<T> {
    same: usize,
    others: Vec<Other<T>>,
    left: BTreeMap<String, usize>,
}

/// One that came out otherwise.
struct Other<T> {
    it: T,
    what: Vec<String>,
    /// Skills that are something else now, by name; of a pass.
    skills: Vec<String>,
}

impl<T> Verified<T> {
    fn new() -> Verified<T> {
        Verified { same: 0, others: Vec::new(), left: BTreeMap::new() }
    }

    fn add(&mut self, it: T, differs: Result<(Vec<String>, Vec<String>), String>) {
        match differs {
            Ok((what, _)) if what.is_empty() => self.same += 1,
            Ok((what, skills)) => self.others.push(Other { it, what, skills }),
            Err(why) => *self.left.entry(why).or_default() += 1,
        }
    }

    fn is_empty(&self) -> bool {
        self.same == 0 && self.others.is_empty() && self.left.is_empty()
    }
}

/// Runs it.
pub fn verify(
    world: &World<'_>,
    global: &Global,
    since: Option<Instant>,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let ledger = kept::needed_ledger(world)?;
    let mut recorded = Recorded::of(world, engine(world)?)?;
    let indexes = indexes(world, &ledger, &mut recorded, since)?;
    let passes = passes(&ledger, &mut recorded, since)?;
    if indexes.is_empty() && passes.is_empty() {
        return Err(nothing());
    }
    if global.json {
        out.json(&json(&indexes, &passes))?;
    } else {
        out.text(&text(&indexes, &passes))?;
    }
    let same = indexes.others.is_empty() && passes.others.is_empty();
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::from(Kind::Finding.status()) })
}

fn indexes(
    world: &World<'_>,
    ledger: &Ledger,
    recorded: &mut Recorded<'_>,
    since: Option<Instant>,
) -> Result<Verified<Decided>, CommandError> {
    let (mut verified, mut meters) = (Verified::new(), Meters::default());
    for decided in recorded.decisions(ledger, since)? {
        let differs = recorded.open(&decided).and_then(|(record, again)| {
            let then = recorded.deciders(&record, None)?;
            let meter = meters.of(world, record.unit);
            let what = record.differs(&recorded.decide(&again, &then, meter.get())?);
            Ok((what.into_iter().map(str::to_owned).collect(), Vec::new()))
        });
        verified.add(decided, differs);
    }
    Ok(verified)
}

fn passes(
    ledger: &Ledger,
    recorded: &mut Recorded<'_>,
    since: Option<Instant>,
) -> Result<Verified<Pass>, CommandError> {
    let mut verified = Verified::new();
    for it in recorded.passes(ledger, since)? {
        let record = recorded.open_pass(&it);
        let differs = record.and_then(|record| Ok(record.differs(&recorded.ask_again(&record)?)));
        verified.add(it.0, differs);
    }
    Ok(verified)
}

fn json(indexes: &Verified<Decided>, passes: &Verified<Pass>) -> Json {
    let left = |left: &BTreeMap<String, usize>| -> Vec<Json> {
        left.iter().map(|(why, count)| json!({ "why": why, "count": count })).collect()
    };
    json!({
        "schema": "skillkeep.policy-verify/1",
        "verified": indexes.same,
        "differ": indexes.others.iter().map(|other| json!({
            "at": other.it.at.to_string(),
            "session": other.it.session,
            "agent": other.it.agent,
            "record": other.it.record,
            "what": other.what,
        })).collect::<Vec<_>>(),
        "not-verified": left(&indexes.left),
        "passes": {
            "verified": passes.same,
            "differ": passes.others.iter().map(|other| json!({
                "pass": other.it.id.0,
                "at": other.it.begun.to_string(),
                "what": other.what,
                "skills": other.skills,
            })).collect::<Vec<_>>(),
            "not-verified": left(&passes.left),
        },
    })
}

fn text(indexes: &Verified<Decided>, passes: &Verified<Pass>) -> String {
    let mut text = String::new();
    if !indexes.is_empty() {
        text.push_str(&same(&counted(indexes.same, "decision")));
        for Other { it, what, .. } in &indexes.others {
            let session = OneLine::capped(it.session.as_deref().unwrap_or("-"), 80);
            let what = what.join(", ");
            text.push_str(&format!("{} of session {session}: another one in its {what}\n", it.at));
        }
        text.push_str(&left(&indexes.left, |count| count.to_string()));
    }
    if !passes.is_empty() {
        text.push_str(&same(&counted(passes.same, "pass")));
        for Other { it, what, skills } in &passes.others {
            let named: Vec<String> =
                skills.iter().take(NAMED).map(|it| format!("`{it}`")).collect();
            let more = match skills.len().saturating_sub(named.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let of = if named.is_empty() { "" } else { ", of " };
            text.push_str(&format!(
                "pass {} of {}: another one in {}{of}{}{more}\n",
                it.id.0,
                it.begun,
                what.join(", "),
                named.join(", "),
            ));
        }
        text.push_str(&left(&passes.left, |count| counted(count, "pass")));
    }
    text
}

fn same(count: &str) -> String {
    format!("{count} decided again and the same, bit for bit\n")
}

fn left(left: &BTreeMap<String, usize>, counted: impl Fn(usize) -> String) -> String {
    let line = |(why, count): (&String, &usize)| {
        format!("{} can't be decided again: {why}\n", counted(*count))
    };
    left.iter().map(line).collect()
}
