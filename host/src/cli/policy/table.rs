//! `skillkeep policy show NAME --table`: what becomes of every write, as the policies answer when they are asked.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::{
    cli::{
        Global,
        output::{Output, columns},
    },
    decision::{Action, Judgement, Slot},
    judge::{Cell, Judge, Under, WRITERS, table as all_cells},
    policy::inspect,
    skill::{OneLine, Origin},
    world::{
        World,
        error::{CommandError, Kind},
        gate::Gate,
        judges::{tell_despite, tell_failed, tell_settings},
        policies::{component, judge, judge_alone},
    },
};

/// Runs `policy show --table` for a policy, or for whoever is in charge of the slot that is named.
pub fn table(
    world: &World<'_>,
    global: &Global,
    name: &str,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let judge = match Slot::from_word(name) {
        Some(Slot::Provenance) => {
            let (judge, despite) = judge(world, &Gate::open(world, false), &world.config)?;
            for why in &despite {
                tell_despite(Slot::Provenance, why, out);
            }
            judge
        }
        Some(slot) => return Err(no_table(name, slot)),
        None => {
            let (_, bytes) = component(world.system, name)?;
            let slots = inspect(&bytes)?.slots;
            if let (false, Some(slot)) = (slots.contains(&Slot::Provenance), slots.first()) {
                return Err(no_table(name, *slot));
            }
            judge_alone(world, name)?
        }
    };
    tell_settings(&judge, out);
    let cells = all_cells(&judge);
    if global.json {
        out.json(&record(&judge, &cells))?;
    } else {
        out.text(&text(&judge, &cells))?;
    }
    Ok(ExitCode::from(u8::from(tell_failed(&judge, out))))
}

fn no_table(name: &str, slot: Slot) -> CommandError {
    let message = if name == slot.word() {
        format!("found the slot `{slot}`, expected `provenance` or a policy of that slot")
    } else {
        format!("`{name}` decides `{slot}`, and only a policy of `provenance` judges writes")
    };
    CommandError::new(Kind::Usage, message).hint("skillkeep policy show provenance --table")
}

fn record(judge: &Judge, cells: &[Cell]) -> Value {
    let judged = |it: &Judgement| {
        json!({
            "verdict": it.verdict.word(),
            "as": it.verdict.origin().map(|origin| origin.word()),
            "reason": it.reason,
            "by": it.by.to_string(),
        })
    };
    let one = |cell: &Cell| {
        json!({
            "action": cell.request.action,
            "actor": cell.request.actor,
            "origin": cell.request.origin,
            "under": cell.under.word(),
            "holds": judged(&cell.judgement),
            "proposed": cell.proposed.as_ref().map(judged),
        })
    };
    json!({
        "schema": "skillkeep.policy-table/1",
        "policies": judge.titles().collect::<Vec<_>>(),
        "cells": cells.iter().map(one).collect::<Vec<_>>(),
    })
}

/// One block for each thing that may be done, a line for each owner. Of a special circumstance only the lines are printed
/// that it changes.
fn text(judge: &Judge, cells: &[Cell]) -> String {
    let mut legend = Legend::default();
    let mut rows = Vec::new();
    for action in Action::ALL {
        if !rows.is_empty() {
            rows.push(Vec::new());
        }
        let heading = std::iter::once(action.word().to_uppercase());
        rows.push(heading.chain(WRITERS.map(|actor| actor.word().to_owned())).collect());
        let of_action: Vec<&Cell> =
            cells.iter().filter(|cell| cell.request.action == *action).collect();
        block(&of_action, &mut legend, &mut rows);
    }
    let titles: Vec<String> = judge.titles().collect();
    let laws = if cells.iter().any(|cell| cell.proposed.is_some()) {
        "*  a law of the host's holds, whatever was answered\n"
    } else {
        ""
    };
    format!(
        "what becomes of a write, by {}\n\n{}\n{}{laws}{}",
        titles.join(" and "),
        columns(&rows),
        legend.text(),
        "what is there keeps its origin; what is new is of the origin that stands below\n\
         a circumstance changes only the lines that are printed under it\n"
    )
}

fn block(cells: &[&Cell], legend: &mut Legend, rows: &mut Vec<Vec<String>>) {
    let of = |under: Under| -> Vec<Vec<&Cell>> {
        let chosen: Vec<&Cell> = cells.iter().copied().filter(|it| it.under == under).collect();
        chosen.chunks(WRITERS.len()).map(<[&Cell]>::to_vec).collect()
    };
    let plain = of(Under::Plain);
    match plain.as_slice() {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|it| same(it, first)) => {
            rows.push(labelled("  every origin".to_owned(), first, legend));
        }
        _ => owners(&plain, legend, rows),
    }
    for under in Under::ALL.into_iter().filter(|under| *under != Under::Plain) {
        circumstance(under, &of(under), &plain, legend, rows);
    }
}

/// A line for each owner, and, of what is new, whose it will be.
fn owners(lines: &[Vec<&Cell>], legend: &mut Legend, rows: &mut Vec<Vec<String>>) {
    for line in lines {
        rows.push(labelled(owner(line), line, legend));
        if line.iter().any(|cell| cell.request.origin.is_none()) {
            rows.push(made_as(line));
        }
    }
}

/// The lines that a circumstance changes; one for all where it comes to the same for every owner.
fn circumstance(
    under: Under,
    lines: &[Vec<&Cell>],
    plain: &[Vec<&Cell>],
    legend: &mut Legend,
    rows: &mut Vec<Vec<String>>,
) {
    let is_changed = |(line, plain): &(&Vec<&Cell>, &Vec<&Cell>)| !same(line, plain);
    let changed: Vec<Vec<&Cell>> =
        lines.iter().zip(plain).filter(is_changed).map(|(line, _)| line.clone()).collect();
    let label = format!(" {}", under.word());
    match changed.as_slice() {
        [] => {}
        [first, rest @ ..]
            if changed.len() == lines.len() && rest.iter().all(|it| same(it, first)) =>
        {
            rows.push(labelled(label, first, legend));
        }
        _ => {
            rows.push(vec![label]);
            rows.extend(changed.iter().map(|line| labelled(owner(line), line, legend)));
        }
    }
}

/// Whether two lines say the same, whose it is aside.
fn same(one: &[&Cell], other: &[&Cell]) -> bool {
    let said = |cell: &Cell| {
        let it = &cell.judgement;
        (it.verdict.word(), it.by.clone(), it.reason.code.clone(), cell.proposed.is_some())
    };
    one.iter().map(|cell| said(cell)).eq(other.iter().map(|cell| said(cell)))
}

fn owner(line: &[&Cell]) -> String {
    let origin = line.first().and_then(|cell| cell.request.origin);
    format!("  {}", origin.map_or("new", Origin::word))
}

fn labelled(label: String, line: &[&Cell], legend: &mut Legend) -> Vec<String> {
    std::iter::once(label).chain(line.iter().map(|cell| said(cell, legend))).collect()
}

fn said(cell: &Cell, legend: &mut Legend) -> String {
    let letter = legend.letter(&cell.judgement);
    let law = if cell.proposed.is_some() { "*" } else { "" };
    format!("{} {letter}{law}", cell.judgement.verdict.word())
}

/// Whose the result is where something is made.
fn made_as(line: &[&Cell]) -> Vec<String> {
    let origin = |cell: &&Cell| cell.judgement.verdict.origin().map_or("", |it| it.word());
    let words = line.iter().map(|cell| origin(cell).to_owned());
    std::iter::once(String::new()).chain(words).collect()
}

/// The reasons that the table points to, each with the texts that it came with.
#[derive(Default)]
struct Legend {
    reasons: Vec<(OneLine, String, Vec<String>)>,
}

impl Legend {
    fn letter(&mut self, judgement: &Judgement) -> String {
        let (code, by) = (&judgement.reason.code, judgement.by.to_string());
        let text = judgement.reason.text.to_string();
        let found = self.reasons.iter().position(|it| it.0 == *code && it.1 == by);
        let place = found.unwrap_or(self.reasons.len());
        match self.reasons.get_mut(place) {
            Some((.., texts)) if texts.contains(&text) => {}
            Some((.., texts)) => texts.push(text),
            None => self.reasons.push((code.clone(), by, vec![text])),
        }
        lettered(place)
    }

    fn text(&self) -> String {
        let lines = self.reasons.iter().enumerate().map(|(place, (_, _, texts))| {
            wrapped(&format!("{:<2} {}", lettered(place), common(texts)))
        });
        lines.collect()
    }
}

/// `a` to `z`, then `aa`.
fn lettered(place: usize) -> String {
    let letter = |place: usize| char::from(b'a' + u8::try_from(place % 26).unwrap_or(0));
    match place / 26 {
        0 => letter(place).to_string(),
        more => format!("{}{}", letter(more - 1), letter(place)),
    }
}

/// What texts of one reason have in common, with `…` for the words in which they differ.
fn common(texts: &[String]) -> String {
    let Some((first, rest)) = texts.split_first() else { return String::new() };
    let mut words: Vec<&str> = first.split(' ').collect();
    for text in rest {
        let others: Vec<&str> = text.split(' ').collect();
        if others.len() != words.len() {
            return first.clone();
        }
        for (word, other) in words.iter_mut().zip(others) {
            if *word != other {
                *word = if word.ends_with(',') { "…," } else { "…" };
            }
        }
    }
    words.join(" ")
}

/// A line of the legend, no wider than a terminal; what is too long goes on below, further in.
fn wrapped(line: &str) -> String {
    const WIDE: usize = 80;
    let (mut text, mut width) = (String::new(), 0);
    for word in line.split_inclusive(' ') {
        let long = word.trim_end().chars().count();
        if width > 0 && width + long > WIDE {
            text.truncate(text.trim_end().len());
            text.push_str("\n   ");
            width = 3;
        }
        text.push_str(word);
        width += word.chars().count();
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::{common, lettered, wrapped};

    #[test]
    fn reasons_are_lettered_beyond_z() {
        let letters: Vec<String> = [0, 25, 26, 27, 52].into_iter().map(lettered).collect();
        assert_eq!(letters, ["a", "z", "aa", "ab", "ba"]);
    }

    #[test]
    fn texts_of_one_reason_are_told_by_what_they_have_in_common() {
        let texts =
            |texts: &[&str]| common(&texts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        assert_eq!(texts(&["it is `a`, once"]), "it is `a`, once");
        assert_eq!(texts(&["it is `a` now", "it is `b` now"]), "it is … now");
        assert_eq!(texts(&["of `a`, which", "of `b`, which"]), "of …, which");
        assert_eq!(texts(&["one text", "quite another text"]), "one text");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let line = "a  ".to_owned() + &"word ".repeat(40);
        let wrapped = wrapped(&line);
        assert!(wrapped.lines().all(|line| line.chars().count() <= 80), "{wrapped}");
        assert_eq!(wrapped.split_whitespace().count(), 41);
        assert!(wrapped.lines().skip(1).all(|line| line.starts_with("   word")), "{wrapped}");
    }
}
