//! What became of one skill in one index: of one that was just made, or of one that was recorded.

use serde_json::{Value as Json, json};

use crate::{
    cli::{options::Plan, records},
    decision::{Form, Reasoned, Slot},
    index::{Made, gates_of},
    laws::{Bite, Cut},
    record::{Record, Shelf},
    skill::{Choice, Skill},
};

/// What became of one skill in one index.
pub struct Verdict {
    gates: Vec<Gate>,
    /// Its form, if it was offered.
    pub form: Option<Form>,
    visible: Option<Visible>,
    unit: &'static str,
}

/// One gate, and what it found.
struct Gate {
    code: String,
    open: bool,
    because: String,
}

/// What is only known of a visible skill.
struct Visible {
    costs: [(Form, u32); 3],
    cap: Form,
    category: String,
    detail: String,
    detail_reason: Option<Reasoned>,
    asked: Option<&'static str>,
    choice: Choice,
    stale: bool,
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
    /// Of a row of the library, in an index that was just made.
    pub fn of(plan: &Plan, made: &Made, row: usize, skill: &Skill) -> Verdict {
        let kept = plan.inputs.kept.get(row).and_then(Option::as_ref);
        let gates = gates_of(skill, &plan.inputs.session, plan.inputs.agent, kept);
        let gates = gates.into_iter().map(|gate| Gate {
            code: gate.code.to_owned(),
            open: gate.open,
            because: gate.because,
        });
        let visible = made.row_of(row).and_then(|at| Visible::of(plan, made, at));
        Verdict { gates: gates.collect(), form: made.form_of(row), visible, unit: plan.unit.word() }
    }

    /// Of a visible row of a decision's shelf.
    pub fn shown(record: &Record, shelf: &Shelf, at: usize) -> Verdict {
        Verdict {
            gates: Vec::new(),
            form: record.forms.chosen.get(at).copied(),
            visible: Visible::recorded(record, shelf, at),
            unit: record.unit.word(),
        }
    }

    /// Of a skill that a decision left out, by the gates that were shut.
    pub fn hidden(record: &Record, gates: &[(String, String)]) -> Verdict {
        let gate = |(code, because): &(String, String)| Gate {
            code: code.clone(),
            open: false,
            because: because.clone(),
        };
        let gates = gates.iter().map(gate).collect();
        Verdict { gates, form: None, visible: None, unit: record.unit.word() }
    }

    /// What became of it, in words.
    pub fn words(&self) -> &'static str {
        form_words(self.form)
    }
}

/// What a form means, in words.
pub fn form_words(form: Option<Form>) -> &'static str {
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
            let notes = decided.notes.iter().filter(|note| note.slot == slot);
            who(notes.map(|note| (note.policy.as_str(), note.fallback.is_some())))
        };
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        Some(Visible {
            costs: [Form::Full, Form::Short, Form::Name].map(|form| (form, price.of(form))),
            cap: *decided.caps.get(at)?,
            category: category.path.clone(),
            detail: detail.choice.word().to_owned(),
            detail_reason: decided.details.reason(entry.category as usize).cloned(),
            asked: category.user.map(crate::decision::Detail::word),
            choice: entry.choice,
            stale: entry.stale.is_some(),
            demotion: who(Slot::Demotion),
            reason: decided.forms.reason(at).cloned(),
            proposed: choice.proposed,
            budget: who(Slot::Budget),
            uses: entry.usage.map(|usage| usage.uses),
            last_used: entry.usage.and_then(|usage| usage.last_used).map(|time| time.to_string()),
            pinned: entry.usage.is_some_and(|usage| usage.pinned),
            missing: entry.missing.clone(),
            laws: bitten(&decided.bites, number),
            cut: decided.cut,
            limit: plan.limit(),
            block: decided.block.cost,
        })
    }

    fn recorded(record: &Record, shelf: &Shelf, at: usize) -> Option<Visible> {
        let skill = shelf.skills.get(at)?;
        let place = skill.category as usize;
        let category = shelf.categories.get(place)?;
        let [full, short, name] = *record.costs.get(at)?;
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        let used = record.usage.iter().find(|used| used.row == number);
        let who = |slot| {
            let notes = record.slots.iter().filter(|note| note.slot == slot);
            who(notes.map(|note| (note.policy.as_str(), note.fallback.is_some())))
        };
        let top = category.path.split('/').next().unwrap_or(&category.path);
        let asked = record.compact.get(&category.path).or_else(|| record.compact.get(top));
        Some(Visible {
            costs: [(Form::Full, full), (Form::Short, short), (Form::Name, name)],
            cap: *record.caps.get(at)?,
            category: category.path.clone(),
            detail: record.details.chosen.get(place)?.word().to_owned(),
            detail_reason: record.details.reason(place).cloned(),
            asked: asked.map(|detail| detail.word()),
            choice: record.choices.get(&number).copied().unwrap_or_default(),
            stale: record.stale.contains_key(&number),
            demotion: who(Slot::Demotion),
            reason: record.forms.reason(at).cloned(),
            proposed: record.forms.proposed.get(&number).copied(),
            budget: who(Slot::Budget),
            uses: used.map(|used| used.uses),
            last_used: used.and_then(|used| used.last).map(|time| time.to_string()),
            pinned: used.is_some_and(|used| used.pinned),
            missing: skill.missing.clone(),
            laws: bitten(&record.laws, number),
            cut: record.cut,
            limit: Some(record.limit),
            block: record.cost,
        })
    }
}

/// The laws that bit a row.
fn bitten(bites: &[Bite], row: u32) -> Vec<String> {
    let here = bites.iter().filter(|bite| bite.rows.is_empty() || bite.rows.contains(&row));
    here.map(|bite| format!("`{}` ({}): {}", bite.law.word(), bite.about, bite.what)).collect()
}

/// The rows of a verdict, as name and value.
pub fn rows(verdict: &Verdict, row: &mut dyn FnMut(&str, String)) {
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
    let chosen = match visible.choice {
        Choice::Auto => String::new(),
        choice => format!("; you chose {}", choice.word()),
    };
    let stale = if visible.stale { "; it is stale" } else { "" };
    let cap = if visible.cap == Form::Full {
        format!("{stale}{chosen}")
    } else {
        format!("; at most {} here{stale}{chosen}", visible.cap.word())
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

/// The same as JSON.
pub fn json_of(verdict: &Verdict) -> Json {
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
            "choice": visible.choice,
            "stale": visible.stale,
            "missing-programs": visible.missing,
            "laws": visible.laws,
            "cut": visible.cut,
            "limit": visible.limit,
            "block": visible.block,
        })),
    })
}

/// Who decided in a slot: its policies, and the host in the place of those that failed.
fn who<'n>(policies: impl Iterator<Item = (&'n str, bool)>) -> String {
    let told: Vec<String> = policies
        .map(|(policy, failed)| match failed {
            true => format!("{policy} failed, the host"),
            false => policy.to_owned(),
        })
        .collect();
    if told.is_empty() { "the host".to_owned() } else { told.join(" and ") }
}
