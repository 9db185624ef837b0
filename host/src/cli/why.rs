//! `skillkeep why`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::{
    Global,
    index::fallbacks,
    list::{place, state},
    opening::{Opening, open},
    options::{AgentArgs, DecisionArgs, RootArgs},
    output::{Output, columns},
    records,
    slots::Slots,
};
use crate::{
    decision::Form,
    index::{Agent, Programs},
    skill::{Skill, Standing, Tier},
    system::System,
    world::{
        World,
        error::{CommandError, Kind},
        naming::one,
    },
};

mod changes;
mod curator;
mod past;
mod verdict;

use changes::{Change, apply};
use curator::Curated;
use verdict::{Verdict, form_words, json_of};

/// Say why a skill is in the index or isn't, and what would change it.
#[derive(Debug, Args)]
#[command(
    after_help = "Facts for --if: platform, tools, toolsets, limit, now, session, short, compact (full, names or count, for its category), disabled, pinned, choice, uses, last-used, and SLOT.KEY for a policy's setting.\n\nExample: skillkeep why docker-build --if toolsets=web --if pinned=true"
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

    /// Why it was in the index, or wasn't, that held at this time (RFC 3339 or seconds since 1970), as recorded for a session
    #[arg(long, value_name = "TIME", conflicts_with_all = ["changes", "agent"])]
    at: Option<String>,

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
    if let Some(at) = &args.at {
        return past::why(system, global, args, at, out);
    }
    let Opening { world, plan, slots, kept } =
        open(system, &global.at(&args.roots), &args.decision, &args.agent)?;
    let row = one(&world, &args.name, out)?;
    world.announce(out);
    plan.announce(out);
    slots.tell_despite(out);
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
    // Another agent's index knows nothing of passes.
    let curated = match plan.inputs.agent {
        None => curator::of(&world, &kept, row, plan.inputs.now, out)?,
        Some(_) => None,
    };

    let explanation = Explanation {
        world: &world,
        agent: plan.inputs.agent,
        row,
        skill,
        now,
        changed,
        would_change,
        changes: &args.changes,
        curated,
    };
    if global.json {
        out.json(&explanation.json())?;
    } else {
        out.text(&explanation.text())?;
    }
    fallbacks(&made, out);
    Ok(plan.exit_code(made.decided.fell_back()))
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
    curated: Option<Curated>,
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
        verdict::rows(&self.now, &mut row);
        if let Some(curated) = &self.curated {
            curated.rows(&mut row);
        }
        let whose = self.agent.map_or(String::new(), |agent| format!(" as {} has it", agent.title));
        let mut text =
            format!("{}{whose}: {}\n\n{}", self.skill.name, self.now.words(), columns(&rows));
        if let Some(changed) = &self.changed {
            let mut rows: Vec<Vec<String>> = Vec::new();
            verdict::rows(changed, &mut |name: &str, value: String| {
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
            "now": json_of(&self.now),
            "curator": self.curated.as_ref().map(Curated::json),
            "if": self.changes,
            "then": self.changed.as_ref().map(json_of),
            "would-change": self.would_change.iter().map(|(change, form)| json!({
                "if": change.to_string(),
                "form": form,
            })).collect::<Vec<_>>(),
        })
    }
}
