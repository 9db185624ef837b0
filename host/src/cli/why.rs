//! `skillkeep why`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::{
    Global,
    error::{CommandError, Kind},
    index::fallbacks,
    list::{place, state},
    naming::one,
    opening::open,
    options::{AgentArgs, DecisionArgs, Plan, RootArgs},
    output::{Output, columns},
    records,
    slots::Slots,
    world::World,
};
use crate::{
    decision::{Form, Reasoned},
    index::{Agent, Made, Programs, gates_of},
    laws::Cut,
    skill::{Gate, Skill, Standing, Tier},
    system::System,
};

mod changes;

use changes::{Change, apply};

/// Say why a skill is in the index or isn't, and what would change it.
#[derive(Debug, Args)]
#[command(
    after_help = "Facts for --if: platform, tools, toolsets, limit, now, session, short, compact (full, names or count, for its category), disabled, pinned, uses, last-used, and SLOT.KEY for a policy's setting.\n\nExample: skillkeep why docker-build --if toolsets=web --if pinned=true"
)]
pub struct WhyArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its folder, or category/name
    name: String,

    #[command(flatten)]
    decision: DecisionArgs,

    #[command(flatten)]
    agent: AgentArgs,

    /// Decide once more with this fact changed; may be given several times
    #[arg(long = "if", value_name = "KEY=VALUE")]
    changes: Vec<String>,
}

/// Explains.
pub fn why(
    system: &dyn System,
    global: &Global,
    args: &WhyArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (world, plan, slots) = open(system, global, &args.roots, &args.decision, &args.agent)?;
    let row = one(&world, &args.name, out)?;
    world.announce(out);
    plan.announce(out);
    let skill = world.library.skills.get(row).ok_or_else(|| {
        CommandError::new(Kind::Fault, format!("row {row} is not in the library"))
    })?;
    let meter = world.meter(plan.unit);
    let programs = Programs::new(system);
    let made = plan.inputs.make(&world.library, meter.get(), &slots.policies(), &programs)?;
    let now = Verdict::of(&plan, &made, row, skill);

    let mut changed = None;
    if !args.changes.is_empty() {
        let mut other = plan.clone();
        for change in &args.changes {
            apply(&Change::parse(change)?, &mut other, &world, row, skill)?;
        }
        let slots = Slots::load(&world, &other)?;
        let made = other.inputs.make(&world.library, meter.get(), &slots.policies(), &programs)?;
        fallbacks(&made, out);
        changed = Some(Verdict::of(&other, &made, row, skill));
    }

    // What would change it, found by deciding again with one fact changed. Nothing could for a skill that is no candidate.
    let mut would_change = Vec::new();
    if skill.is_live() && args.changes.is_empty() {
        for change in changes::candidates(&plan, &made, row, skill) {
            let mut other = plan.clone();
            apply(&change, &mut other, &world, row, skill)?;
            // A limit that is too small to print anything is no answer to the question.
            if let Ok(made) =
                other.inputs.make(&world.library, meter.get(), &slots.policies(), &programs)
            {
                let form = made.form_of(row);
                if form != now.form {
                    would_change.push((change, form));
                }
            }
        }
    }
    meter.save(system);

    let explanation = Explanation {
        world: &world,
        agent: plan.inputs.agent,
        row,
        skill,
        now,
        changed,
        would_change,
        changes: &args.changes,
    };
    if global.json {
        out.json(&explanation.json())?;
    } else {
        out.text(&explanation.text())?;
    }
    fallbacks(&made, out);
    Ok(plan.exit_code(made.decided.fell_back()))
}

/// What became of one skill in one index.
struct Verdict {
    gates: Vec<Gate>,
    form: Option<Form>,
    visible: Option<Visible>,
    unit: &'static str,
}

/// What is only known of a visible skill.
struct Visible {
    costs: [(Form, u32); 3],
    cap: Form,
    category: String,
    detail: &'static str,
    detail_reason: Option<Reasoned>,
    asked: Option<&'static str>,
    demotion: String,
    reason: Option<Reasoned>,
    proposed: Option<Form>,
    budget: String,
    uses: Option<u64>,
    last_used: Option<String>,
    pinned: bool,
    missing: Vec<String>,
    laws: Vec<String>,
    cut: Option<Cut>,
    limit: Option<u32>,
    block: u64,
}

impl Verdict {
    fn of(plan: &Plan, made: &Made, row: usize, skill: &Skill) -> Verdict {
        let gates = gates_of(skill, &plan.inputs.session, plan.inputs.agent);
        let visible = made.row_of(row).and_then(|at| Visible::of(plan, made, at));
        Verdict { gates, form: made.form_of(row), visible, unit: plan.unit.word() }
    }

    fn words(&self) -> &'static str {
        form_words(self.form)
    }
}

fn form_words(form: Option<Form>) -> &'static str {
    match form {
        Some(Form::Full) => "in the index, with its whole description",
        Some(Form::Short) => "in the index, with a part of its description",
        Some(Form::Name) => "in the index, by name only",
        Some(Form::Counted) => "in the index as one of a count, without its name",
        None => "not in the index",
    }
}

impl Visible {
    fn of(plan: &Plan, made: &Made, at: usize) -> Option<Visible> {
        let decided = &made.decided;
        let entry = made.candidates.entries.get(at)?;
        let category = made.candidates.categories.get(entry.category as usize)?;
        let price = decided.prices.skills.get(at)?;
        let detail = decided.details.row(entry.category as usize)?;
        let choice = decided.forms.row(at)?;
        let who = |slot| {
            decided.notes.iter().find(|note| note.slot == slot).map_or(
                "the host".to_owned(),
                |note| {
                    if note.fallback.is_some() {
                        format!("{} failed, the host", note.policy)
                    } else {
                        note.policy.clone()
                    }
                },
            )
        };
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        Some(Visible {
            costs: [Form::Full, Form::Short, Form::Name].map(|form| (form, price.of(form))),
            cap: *decided.caps.get(at)?,
            category: category.path.clone(),
            detail: detail.choice.word(),
            detail_reason: decided.details.reason(entry.category as usize).cloned(),
            asked: category.user.map(crate::decision::Detail::word),
            demotion: who(crate::decision::Slot::Demotion),
            reason: decided.forms.reason(at).cloned(),
            proposed: choice.proposed,
            budget: who(crate::decision::Slot::Budget),
            uses: entry.usage.map(|usage| usage.uses),
            last_used: entry.usage.and_then(|usage| usage.last_used).map(|time| time.to_string()),
            pinned: entry.usage.is_some_and(|usage| usage.pinned),
            missing: entry.missing.clone(),
            laws: decided
                .bites
                .iter()
                .filter(|bite| bite.rows.is_empty() || bite.rows.contains(&number))
                .map(|bite| format!("`{}` ({}): {}", bite.law.word(), bite.about, bite.what))
                .collect(),
            cut: decided.cut,
            limit: plan.limit(),
            block: decided.block.cost,
        })
    }
}

struct Explanation<'a> {
    world: &'a World<'a>,
    agent: Option<&'static Agent>,
    row: usize,
    skill: &'a Skill,
    now: Verdict,
    changed: Option<Verdict>,
    would_change: Vec<(Change, Option<Form>)>,
    changes: &'a [String],
}

impl Explanation<'_> {
    fn text(&self) -> String {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut row = |name: &str, value: String| rows.push(vec![format!("  {name}"), value]);
        let root = self.world.library.roots.get(self.skill.place.root);
        row(
            "found",
            format!(
                "{} (root {})",
                place(self.world, self.row, self.skill),
                root.map_or("", |report| report.root.label.as_str())
            ),
        );
        if let Some(target) = &self.skill.place.linked_to {
            row("link to", target.clone());
        }
        row("stands", state(self.world, self.skill));
        let tier = match (&self.skill.standing, self.skill.facts.tier) {
            (Standing::Broken, _) => "nothing to read",
            (_, Tier::Strict) => "strict: it is YAML",
            (_, Tier::Lenient) => "lenient: read line by line, since it is not YAML",
            (_, Tier::Folder) => "none: the folder gives the name",
        };
        row("header", tier.to_owned());
        for diagnostic in self.world.library.diagnostics_of(self.row) {
            let line = diagnostic.line.map_or(String::new(), |line| format!("line {line}: "));
            row(
                "",
                format!(
                    "{line}{}: {}; {}",
                    diagnostic.problem.word(),
                    diagnostic.cause,
                    diagnostic.fix
                ),
            );
        }
        verdict_rows(&self.now, &mut row);
        let whose = self.agent.map_or(String::new(), |agent| format!(" as {} has it", agent.title));
        let mut text =
            format!("{}{whose}: {}\n\n{}", self.skill.name, self.now.words(), columns(&rows));
        if let Some(changed) = &self.changed {
            let mut rows: Vec<Vec<String>> = Vec::new();
            verdict_rows(changed, &mut |name: &str, value: String| {
                rows.push(vec![format!("  {name}"), value])
            });
            text.push_str(&format!(
                "\nif {}: {}\n\n{}",
                self.changes.join(" and "),
                changed.words(),
                columns(&rows)
            ));
        }
        if !self.would_change.is_empty() {
            let rows: Vec<Vec<String>> = self
                .would_change
                .iter()
                .map(|(change, form)| {
                    vec![format!("  {}", change.flag()), form_words(*form).to_owned()]
                })
                .collect();
            text.push_str(&format!("\nwhat would change it\n{}", columns(&rows)));
        } else if self.changed.is_none() && self.skill.is_live() {
            text.push_str("\nno single fact that was tried changes it\n");
        }
        text
    }

    fn json(&self) -> Json {
        json!({
            "schema": "skillkeep.why/1",
            "skill": records::skill(self.world, self.row, self.skill),
            "state": state(self.world, self.skill),
            "as": self.agent.map(|agent| agent.word),
            "now": verdict_json(&self.now),
            "if": self.changes,
            "then": self.changed.as_ref().map(verdict_json),
            "would-change": self.would_change.iter().map(|(change, form)| json!({
                "if": change.to_string(),
                "form": form,
            })).collect::<Vec<_>>(),
        })
    }
}

fn verdict_rows(verdict: &Verdict, row: &mut dyn FnMut(&str, String)) {
    if verdict.gates.is_empty() {
        row("gates", "none".to_owned());
    }
    for (number, gate) in verdict.gates.iter().enumerate() {
        let word = if gate.open { "open" } else { "SHUT" };
        row(
            if number == 0 { "gates" } else { "" },
            format!("{}: {word}, {}", gate.code, gate.because),
        );
    }
    let Some(visible) = &verdict.visible else { return };
    if !visible.missing.is_empty() {
        row("ready", format!("no: {} not on the PATH", visible.missing.join(", ")));
    }
    let uses = match visible.uses {
        Some(1) => "1 use".to_owned(),
        Some(uses) => format!("{uses} uses"),
        None => "no record of use".to_owned(),
    };
    let last = visible.last_used.as_ref().map_or(String::new(), |time| format!(", last {time}"));
    let pinned = if visible.pinned { ", pinned" } else { "" };
    row("worth", format!("{uses}{last}{pinned}"));
    let costs: Vec<String> =
        visible.costs.iter().map(|(form, cost)| format!("{} {cost}", form.word())).collect();
    row(
        "costs",
        format!(
            "{} {}; {}",
            costs.join(", "),
            verdict.unit,
            match visible.limit {
                Some(limit) => format!("the block costs {} of {limit}", visible.block),
                None => format!("the list costs {}", visible.block),
            }
        ),
    );
    if let Some(cut) = visible.cut {
        let lowered = if cut.scalars == cut.proposed {
            String::new()
        } else {
            format!("; it proposed {}", cut.proposed)
        };
        row("cut", format!("short lines say {} scalars of a description{lowered}", cut.scalars));
    }
    let asked = visible.asked.map_or(String::new(), |detail| format!("; you asked for {detail}"));
    row(
        "demotion",
        format!(
            "{} shows {} ({}: {}){asked}",
            visible.category,
            visible.detail,
            visible.demotion,
            visible
                .detail_reason
                .as_ref()
                .map_or("it proposed nothing".to_owned(), |reason| reason.text.to_string())
        ),
    );
    let proposed =
        visible.proposed.map_or(String::new(), |form| format!("; it proposed {}", form.word()));
    let cap = if visible.cap == Form::Full {
        String::new()
    } else {
        format!("; at most {} here", visible.cap.word())
    };
    row(
        "budget",
        format!(
            "{} ({}: {}){proposed}{cap}",
            verdict.form.map_or("", Form::word),
            visible.budget,
            records::reason_text(visible.reason.as_ref())
        ),
    );
    for (number, law) in visible.laws.iter().enumerate() {
        row(if number == 0 { "laws" } else { "" }, law.clone());
    }
}

fn verdict_json(verdict: &Verdict) -> Json {
    json!({
        "form": verdict.form,
        "unit": verdict.unit,
        "gates": verdict.gates.iter().map(|gate| json!({
            "code": gate.code, "open": gate.open, "because": gate.because,
        })).collect::<Vec<_>>(),
        "visible": verdict.visible.as_ref().map(|visible| json!({
            "category": visible.category,
            "costs": { "full": visible.costs[0].1, "short": visible.costs[1].1, "name": visible.costs[2].1 },
            "cap": visible.cap,
            "demotion": { "policy": visible.demotion, "detail": visible.detail, "reason": visible.detail_reason, "asked": visible.asked },
            "budget": { "policy": visible.budget, "reason": visible.reason, "proposed": visible.proposed },
            "uses": visible.uses,
            "last-used": visible.last_used,
            "pinned": visible.pinned,
            "missing-programs": visible.missing,
            "laws": visible.laws,
            "cut": visible.cut,
            "limit": visible.limit,
            "block": visible.block,
        })),
    })
}
