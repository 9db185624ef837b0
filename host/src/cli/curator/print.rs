//! Plans and what became of them, as people read them.

use crate::{
    cli::output::columns,
    curator::{Became, Happened, Plan, Planned, Report, summary, wanted, why_held},
    skill::{OneLine, State},
};

/// Rows of one section that are printed; the plan and the report have all of them.
const SHOWN: usize = 20;

/// A plan.
pub fn plan(plan: &Plan, unmet: usize) -> String {
    let policies: Vec<&str> = plan.policies.iter().map(|it| it.title.as_str()).collect();
    let mut text = format!(
        "plan {} by {}: {} skills looked at, {} in the curator's care\n",
        plan.id(),
        policies.join(", "),
        plan.looked,
        plan.candidates
    );
    if let Some((policy, why)) = plan.failed() {
        text.push_str(&format!(
            "{policy} gave no answer that counts, so nothing is changed: {why}\n"
        ));
    }
    let to = |state: State| plan.to(state).collect::<Vec<&Planned>>();
    for (title, rows) in [
        ("to the archive", to(State::Archived)),
        ("stale from now on", to(State::Stale)),
        ("active again", to(State::Active)),
    ] {
        section(title, &rows, &mut text, |row| match row.law {
            Some(_) => format!(
                "{}; it was to {}, and {}",
                row.reason.text,
                wanted(row.wanted),
                why_held(row)
            ),
            None => row.reason.text.to_string(),
        });
    }
    let held: Vec<&Planned> = plan.held().filter(|row| row.to.is_none()).collect();
    section("stay as they are", &held, &mut text, |row| {
        format!("was to {} ({}), and {}", wanted(row.wanted), row.reason.text, why_held(row))
    });
    notices(plan, &mut text);
    if unmet > 0 {
        text.push_str(&format!(
            "{unmet} more are new here: a scan meets them, and their time begins there\n"
        ));
    }
    if plan.rows.is_empty() && plan.notices.is_empty() {
        text.push_str("nothing to do\n");
    }
    text
}

fn notices(plan: &Plan, text: &mut String) {
    if plan.notices.is_empty() {
        return;
    }
    text.push_str(&format!("to look at ({}):\n", plan.notices.len()));
    let rows: Vec<Vec<String>> = plan
        .notices
        .iter()
        .take(SHOWN)
        .map(|it| vec![format!("  {}", name(&it.name)), format!("{}: {}", it.kind, it.reason.text)])
        .collect();
    text.push_str(&columns(&rows));
    more(plan.notices.len(), text);
}

fn section<'p>(
    title: &str,
    rows: &[&'p Planned],
    text: &mut String,
    why: impl Fn(&'p Planned) -> String,
) {
    if rows.is_empty() {
        return;
    }
    text.push_str(&format!("{title} ({}):\n", rows.len()));
    let shown: Vec<Vec<String>> = rows
        .iter()
        .take(SHOWN)
        .map(|row| vec![format!("  {}", name(&row.name)), why(row)])
        .collect();
    text.push_str(&columns(&shown));
    more(rows.len(), text);
}

fn more(rows: usize, text: &mut String) {
    if rows > SHOWN {
        text.push_str(&format!("  and {} more; `--json` has all of them\n", rows - SHOWN));
    }
}

fn name(name: &str) -> String {
    OneLine::capped(name, 60).into_string()
}

/// What became of a pass.
pub fn report(report: &Report, folder: Option<&str>) -> String {
    let mut text = format!("pass {}: {}\n", report.pass, summary(&report.counts));
    let left: Vec<&Happened> = report
        .skills
        .iter()
        .filter(|it| matches!(it.became, Became::Left { .. } | Became::NotReached))
        .collect();
    for it in left.iter().take(SHOWN) {
        let why = match &it.became {
            Became::Left { why } => OneLine::capped(why, 300).into_string(),
            _ => "the pass ended before it".to_owned(),
        };
        text.push_str(&format!("  left `{}`: {why}\n", name(&it.planned.name)));
    }
    more(left.len(), &mut text);
    if let Some(why) = &report.stopped {
        text.push_str(&format!("it ended early: {why}\n"));
    }
    if let Some(snapshot) = &report.snapshot {
        text.push_str(&format!("snapshot before it: {snapshot}\n"));
    }
    if let Some(folder) = folder {
        text.push_str(&format!("report: {folder}/REPORT.md\n"));
    }
    text
}
