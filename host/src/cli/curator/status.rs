//! `skillkeep curator status`

use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;
use serde_json::{Value, json};

use crate::{
    cli::{
        Global, curated,
        options::RootArgs,
        output::{Output, columns},
    },
    config::parse_now,
    curator::{Asked, Gate, IdleFrom, Outside, Plan, Subject},
    ledger::{Access, Ledger, Pass, PassPhase},
    skill::{Instant, OneLine, State},
    system::System,
    world::{
        World, counted,
        error::CommandError,
        pass::{Curators, gate, last_pass, plan},
        store::Store,
    },
};

/// Days that are looked ahead for what is near its threshold.
const AHEAD: i64 = 7;
const DAY: i64 = 86_400;
/// Skills of each list.
const SHOWN: usize = 5;

/// Say how the curator stands.
#[derive(Debug, Args)]
#[command(after_help = "Example: skillkeep curator status")]
pub struct StatusArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// As at this time: RFC 3339 or seconds since 1970
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// All that there is to say.
struct Status<'a> {
    gate: Gate<'a>,
    last: Option<Pass>,
    cut_off: Option<Pass>,
    runs: u64,
    policies: Vec<String>,
    subjects: Vec<Subject>,
    archived: usize,
    unmet: usize,
    now: Plan,
    soon: Plan,
    report_is_there: bool,
    put_back: Vec<(String, String)>,
}

/// Says how it stands.
pub fn status(
    system: &dyn System,
    global: &Global,
    args: &StatusArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let now = args.now.as_deref().map(parse_now).transpose()?.unwrap_or_else(|| system.now());
    let world = World::own(system, &global.at(&args.roots))?;
    world.announce(out);
    let store = Store::open(system, &world, Access::Read, out)?;
    let curators = Curators::load(&world, out)?;
    let (today, ground) = plan(&world, &store, &curators, (Asked::Schedule, now), out)?;
    let later = Instant(now.0.saturating_add(AHEAD * DAY));
    let (soon, _) = plan(&world, &store, &curators, (Asked::Schedule, later), &mut Nobody)?;
    let last = last_pass(&store.ledger)?;
    let report_is_there = last
        .as_ref()
        .and_then(|it| it.report.as_ref())
        .is_some_and(|folder| system.stat(&store.home.path.join(folder).join("REPORT.md")).is_ok());
    let archived = store.ledger.skills()?.iter().filter(|it| it.state == State::Archived).count();
    let mut put_back = Vec::new();
    for (there, archived) in store.ledger.put_back()? {
        if let Some(it) = ground.subjects.iter().find(|it| it.id == there) {
            put_back.push((it.name.clone(), curated::put_back(&store.ledger, archived)?));
        }
    }
    let newest = store.ledger.passes(1)?.into_iter().next();
    let status = Status {
        gate: gate(&world, &store.ledger, now)?,
        cut_off: newest.filter(|it| it.phase != PassPhase::Done),
        last,
        runs: store.ledger.passes_done()?,
        policies: curators.titles().collect(),
        subjects: ground.subjects,
        archived,
        unmet: ground.unmet,
        now: today,
        soon,
        report_is_there,
        put_back,
    };
    if global.json {
        out.json(&status.json())?;
    } else {
        out.text(&status.text())?;
    }
    Ok(if status.now.failed().is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// One line about the curator, for an overview; nothing where it can't be told.
pub fn line(world: &World<'_>, ledger: &Ledger) -> Option<String> {
    let gate = gate(world, ledger, world.system.now()).ok()?;
    let waits = gate.waits();
    let last = last_pass(ledger).ok()?;
    let last = last.map_or_else(
        || "no pass yet".to_owned(),
        |it| format!("pass {} on {}: {}", it.id.0, day(it.begun), it.summary),
    );
    let next = match waits.first() {
        None => "the next one is due".to_owned(),
        Some(wait) => wait.to_string(),
    };
    Some(format!("{last}; {next}"))
}

fn day(at: Instant) -> String {
    at.to_string().split('T').next().unwrap_or_default().to_owned()
}

/// What was said already is not said twice.
struct Nobody;

impl crate::world::Tell for Nobody {
    fn note(&mut self, _: &str) {}
    fn warn(&mut self, _: &str) {}
    fn hint(&mut self, _: &str) {}
}

impl Status<'_> {
    fn text(&self) -> String {
        let gate = &self.gate;
        let mut text = String::new();
        let on = match (gate.config.enabled, gate.standing.paused) {
            (false, _) => "off",
            (true, Some(_)) => "paused",
            (true, None) => "on",
        };
        let runs = match self.runs {
            0 => "no pass yet".to_owned(),
            1 => "1 pass".to_owned(),
            runs => format!("{runs} passes"),
        };
        text.push_str(&format!("curator: {on}, {runs}\n"));
        let waits = gate.waits();
        if waits.is_empty() {
            text.push_str("next pass: due now; skillkeep curator tick begins it\n");
        } else {
            let next = gate.next().map_or_else(String::new, |at| format!(" not before {at};"));
            let waits: Vec<String> = waits.iter().map(ToString::to_string).collect();
            text.push_str(&format!("next pass:{next} it waits: {}\n", waits.join("; ")));
        }
        if gate.clock_is_off() {
            text.push_str("the last pass lies in the future by this clock, and counts as due\n");
        }
        text.push_str(&match gate.idle {
            None => "idle: unknown, nothing was ever recorded\n".to_owned(),
            Some(idle) => format!(
                "idle: since {} ({})\n",
                idle.since,
                match idle.from {
                    IdleFrom::Ledger => "what was recorded here",
                    IdleFrom::Sessions => "files of an agent's sessions",
                }
            ),
        });
        text.push_str(&match gate.standing.consent {
            Some(at) => format!("consent: given at {at}\n"),
            None => "consent: not given, so nothing is archived; skillkeep curator run asks\n"
                .to_owned(),
        });
        match &self.last {
            None => text.push_str("last pass: none\n"),
            Some(pass) => {
                text.push_str(&format!(
                    "last pass: {} at {}, {}\n",
                    pass.id.0, pass.begun, pass.summary
                ));
                if let Some(folder) = &pass.report {
                    let missing = if self.report_is_there { "" } else { " (missing)" };
                    text.push_str(&format!("last report: {folder}/REPORT.md{missing}\n"));
                }
            }
        }
        if let Some(pass) = &self.cut_off {
            text.push_str(&format!(
                "pass {} at {} did not come to its end: {}\n",
                pass.id.0,
                pass.begun,
                if pass.summary.is_empty() {
                    "it is being made, or was cut off"
                } else {
                    &pass.summary
                }
            ));
            if let Some(folder) = &pass.report {
                text.push_str(&format!("its report: {folder}/REPORT.md\n"));
            }
        }
        text.push_str(&format!("asked: {}\n", self.policies.join(", ")));
        if let Some((policy, why)) = self.now.failed() {
            text.push_str(&format!(
                "  {policy} gives no answer that counts, so nothing is changed: {why}\n"
            ));
        }
        text.push_str(&self.covered());
        self.near(&mut text);
        self.activity(&mut text);
        text
    }

    /// What is in its care and what isn't, and why.
    fn covered(&self) -> String {
        let all = self.subjects.len();
        let care: Vec<&Subject> = self.subjects.iter().filter(|it| it.in_care()).collect();
        let of = |state: State| care.iter().filter(|it| it.standing.state == state).count();
        let mut text = format!(
            "in its care: {} of {}: {} active, {} stale; {} in the archive\n",
            care.len(),
            counted(all, "skill"),
            of(State::Active),
            of(State::Stale),
            self.archived
        );
        for (why, count) in self.outside() {
            text.push_str(&format!("  not: {count} {}\n", why.why()));
        }
        if self.unmet > 0 {
            text.push_str(&format!("  not yet: {} no scan has met\n", self.unmet));
        }
        for (name, what) in &self.put_back {
            text.push_str(&format!("  kept out: {}, {what}\n", OneLine::capped(name, 60)));
        }
        let held = |is: fn(&Subject) -> bool| care.iter().filter(|it| is(it)).count();
        let (pinned, jobs) = (held(|it| it.standing.pinned), held(|it| it.standing.referenced));
        if pinned + jobs > 0 {
            text.push_str(&format!("  of these {pinned} pinned, {jobs} named by jobs\n"));
        }
        text
    }

    fn outside(&self) -> BTreeMap<Outside, usize> {
        let mut outside = BTreeMap::new();
        for why in self.subjects.iter().filter_map(Subject::outside) {
            *outside.entry(why).or_insert(0) += 1;
        }
        outside
    }

    fn near(&self, text: &mut String) {
        let near = self.soon_only();
        if near.is_empty() {
            return;
        }
        text.push_str(&format!("within {AHEAD} days, if nobody uses them ({}):\n", near.len()));
        let rows: Vec<Vec<String>> = near
            .iter()
            .take(SHOWN)
            .map(|(name, to, why)| {
                vec![format!("  {}", OneLine::capped(name, 60)), (*to).to_owned(), why.clone()]
            })
            .collect();
        text.push_str(&columns(&rows));
        if near.len() > SHOWN {
            text.push_str(&format!("  and {} more\n", near.len() - SHOWN));
        }
    }

    /// What is wanted of skills within some days that isn't wanted now.
    fn soon_only(&self) -> Vec<(String, &'static str, String)> {
        let now: BTreeMap<_, _> = self.now.rows.iter().map(|it| (it.id, it.wanted)).collect();
        let soon = self.soon.rows.iter().filter(|it| {
            it.wanted != State::Active
                && now.get(&it.id) != Some(&it.wanted)
                && it.law.is_none_or(|law| law == crate::laws::Law::Consent)
        });
        soon.map(|it| {
            let to = if it.wanted == State::Archived { "to the archive" } else { "stale" };
            (it.name.clone(), to, it.reason.text.to_string())
        })
        .collect()
    }

    fn activity(&self, text: &mut String) {
        let mut care: Vec<&Subject> = self.subjects.iter().filter(|it| it.in_care()).collect();
        if care.is_empty() {
            return;
        }
        let count = |it: &Subject| it.uses + it.views + it.writes;
        let row = |it: &&Subject| {
            let name = format!("  {}", OneLine::capped(&it.name, 60));
            vec![name, format!("{} uses", it.uses), format!("last active {}", day(it.active()))]
        };
        care.sort_by_key(|it| (it.active(), it.id));
        let oldest: Vec<Vec<String>> = care.iter().take(SHOWN).map(row).collect();
        text.push_str("least recently active:\n");
        text.push_str(&columns(&oldest));
        let by_count = |it: &Subject| std::cmp::Reverse(count(it));
        care.sort_by(|a, b| by_count(a).cmp(&by_count(b)).then_with(|| a.name.cmp(&b.name)));
        if care.first().is_some_and(|it| count(it) > 0) {
            let most: Vec<Vec<String>> =
                care.iter().filter(|it| count(it) > 0).take(SHOWN).map(row).collect();
            text.push_str("most active:\n");
            text.push_str(&columns(&most));
        }
    }

    fn json(&self) -> Value {
        let gate = &self.gate;
        let waits = gate.waits();
        let care: Vec<&Subject> = self.subjects.iter().filter(|it| it.in_care()).collect();
        let of = |state: State| care.iter().filter(|it| it.standing.state == state).count();
        let near: Vec<Value> = self
            .soon_only()
            .into_iter()
            .map(|(name, to, why)| json!({ "name": name, "to": to, "why": why }))
            .collect();
        let skills: Vec<Value> = self
            .subjects
            .iter()
            .map(|it| {
                json!({
                    "id": it.id, "name": it.name, "folder": it.folder, "root": it.root,
                    "state": it.standing.state, "origin": it.origin.word(),
                    "in-care": it.in_care(), "why-not": it.outside().map(Outside::why),
                    "pinned": it.standing.pinned, "jobs": it.jobs,
                    "uses": it.uses, "views": it.views, "writes": it.writes,
                    "last-active": it.active(),
                })
            })
            .collect();
        json!({
            "schema": "skillkeep.curator-status/1",
            "enabled": gate.config.enabled,
            "paused": gate.standing.paused,
            "consent": gate.standing.consent,
            "passes": self.runs,
            "due": waits.is_empty(),
            "waits": waits,
            "next": gate.next(),
            "idle": gate.idle,
            "interval-hours": gate.config.interval_hours,
            "min-idle-hours": gate.config.min_idle_hours,
            "last": self.last.as_ref().map(|it| json!({
                "pass": it.id, "at": it.begun, "summary": it.summary, "report": it.report,
                "report-is-there": self.report_is_there, "snapshot": it.snapshot,
            })),
            "policies": self.policies,
            "failed": self.now.failed().map(|(policy, why)| json!({ "policy": policy, "why": why })),
            "in-care": { "skills": care.len(), "active": of(State::Active), "stale": of(State::Stale) },
            "archived": self.archived,
            "unmet": self.unmet,
            "put-back": self.put_back.iter().map(|(name, what)| json!({ "name": name, "what": what })).collect::<Vec<_>>(),
            "near": near,
            "skills": skills,
        })
    }
}
