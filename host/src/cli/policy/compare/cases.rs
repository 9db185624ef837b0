//! Two rules on what cases ask.

use std::path::PathBuf;

use skillkeep_policy::testkit::cases::{Told, parse};

use super::super::{rules::Rule, test::read_sheets};
use crate::{
    cli::output::Output,
    decision::{Reasoned, Slot},
    past::{Difference, Differences, Side},
    policy::{Engine, Loaded},
    skill::OneLine,
    system::System,
    trial::Sandboxed,
    world::error::{CommandError, Kind},
};

/// Puts the question of each case to both. A case that makes no sense for one of them is left, and said.
pub fn compare(
    system: &dyn System,
    engine: &Engine,
    slot: Slot,
    rules: &[Rule; 2],
    cases: &[PathBuf],
    out: &mut Output<'_>,
) -> Result<Differences, CommandError> {
    let [one, other] = rules.each_ref().map(alone);
    let (one, other) = (one?, other?);
    let (one, other) = (Sandboxed::new(engine, one, slot), Sandboxed::new(engine, other, slot));
    let mut found = Differences::default();
    for sheet in read_sheets(system, cases)? {
        let wrong = |what: String| CommandError::new(Kind::Usage, what);
        if !sheet.is_text {
            return Err(wrong(format!("`{}` is no text in UTF-8", sheet.name)));
        }
        let file = parse(&sheet.name, &sheet.text).map_err(|it| wrong(it.to_string()))?;
        for case in &file.cases {
            let told = |by: &Sandboxed<'_>| {
                case.judge(by.sdk_slot(), &by.subject, &mut |question| by.ask(question))
            };
            let (ours, theirs) = match (told(&one), told(&other)) {
                (Ok(ours), Ok(theirs)) => (ours, theirs),
                (Err(problem), _) | (_, Err(problem)) => {
                    out.warn(&format!("the case `{}` is left out: {problem}", case.name));
                    continue;
                }
            };
            for (ours, theirs) in ours.runs.iter().zip(&theirs.runs) {
                found.snapshots += 1;
                let place = format!("{}:{}", file.path, ours.line);
                add(&mut found, slot, &place, (&ours.told, &theirs.told));
            }
        }
    }
    Ok(found)
}

/// Cases are put to one policy.
fn alone(rule: &Rule) -> Result<&Loaded, CommandError> {
    match rule.members.as_slice() {
        [one] => Ok(one),
        _ => {
            let message = format!("`{}` is several policies, and cases are put to one", rule.name);
            Err(CommandError::new(Kind::Usage, message))
        }
    }
}

fn add(found: &mut Differences, slot: Slot, place: &str, (ours, theirs): (&Told, &Told)) {
    let (ours, mut theirs) = (sides(ours), sides(theirs));
    let mut put = |who: &str, one: Side, other: Side| {
        let about = OneLine::capped(format!("{place} {who}").trim_end(), 200);
        found.compare(slot, Difference { about, at: None, one, other });
    };
    let nothing = || Side { choice: "nothing".to_owned(), reason: None };
    for (who, one) in ours {
        let same = theirs.iter().position(|(it, _)| *it == who);
        let other = same.map_or_else(nothing, |at| theirs.remove(at).1);
        put(&who, one, other);
    }
    for (who, other) in theirs {
        put(&who, nothing(), other);
    }
}

/// What was answered, by what it is about. Reasons come filled, so they are told apart by what is decided alone.
fn sides(told: &Told) -> Vec<(String, Side)> {
    let side = |choice: &str, why: Option<&String>| Side {
        choice: choice.to_owned(),
        reason: why.map(|why| Reasoned { code: OneLine::new(""), text: OneLine::capped(why, 400) }),
    };
    match told {
        Told::Refused(why) => vec![(String::new(), side("refused", Some(why)))],
        Told::Broken(why) => vec![(String::new(), side("no answer", Some(why)))],
        Told::Rows(rows) => rows
            .iter()
            .map(|row| match row.as_slice() {
                [who, what, why, ..] => (who.clone(), side(what, Some(why))),
                [what, why] => (String::new(), side(what, Some(why))),
                other => (String::new(), side(&other.join(" "), None)),
            })
            .collect(),
    }
}
