//! Whether what came of a question is what its case expects, and where not, as a difference that a person can read.

use super::ask::{Question, Reply, Subject};
use super::problem::Problem;
use super::table::Slot;
use super::told::{self, Told};
use super::value;
use super::{Case, Expected, Facts, Grid, Rows};

/// What came of one case.
#[derive(Clone, Debug)]
pub struct Judged {
    /// One, or one a row of a table that asks several times.
    pub runs: Vec<Run>,
    /// What differs, as text; nothing where all is as expected.
    pub difference: Option<String>,
}

/// What came of one question of a case.
#[derive(Clone, Debug)]
pub struct Run {
    /// The line that asks.
    pub line: usize,
    /// What came of it.
    pub told: Told,
    pub(crate) choices: Vec<String>,
}

impl Case {
    /// Asks the policy and compares. `ask` is whatever runs the policy.
    ///
    /// # Errors
    /// Where the case itself makes no sense for this policy.
    pub fn judge(
        &self,
        slot: Slot,
        subject: &Subject,
        ask: &mut dyn FnMut(&Question) -> Reply,
    ) -> Result<Judged, Problem> {
        self.judged(slot, subject, ask).map_err(|problem| problem.within(&self.path))
    }

    fn judged(
        &self,
        slot: Slot,
        subject: &Subject,
        ask: &mut dyn FnMut(&Question) -> Reply,
    ) -> Result<Judged, Problem> {
        if let Some(other) = self.slot.filter(|other| *other != slot) {
            let found = format!("a case for `{}`", other.word());
            return Err(Problem::new(self.line, found, format!("one for `{}`", slot.word())));
        }
        let mut tell = |told: &Facts| -> Result<Told, Problem> {
            known_keys(told, subject)?;
            let settings = subject.settings(told)?;
            let question = subject.ask(slot, told, settings);
            Ok(told::tell(&told.library, &question, &ask(&question), subject))
        };
        if let Expected::Grid(grid) = &self.expected {
            return judge_grid(grid, slot, &mut tell);
        }
        let told = tell(&self.told)?;
        let difference = self.difference(slot, &told)?;
        let run = Run { line: self.line, told, choices: Vec::new() };
        Ok(Judged { runs: vec![run], difference })
    }

    fn difference(&self, slot: Slot, told: &Told) -> Result<Option<String>, Problem> {
        let line = self.span.start + 1;
        let one = |expected: &str| match told {
            Told::Rows(rows) if rows.is_empty() && expected == "nothing" => None,
            Told::Refused(refusal) if expected == format!("refused: {refusal}") => None,
            _ => Some(format!("{:>5} - {expected}\n{}", line, found(told, true))),
        };
        Ok(match &self.expected {
            Expected::Unwritten => {
                Some(format!("{:>5}   nothing is expected yet\n{}", self.line, found(told, true)))
            }
            Expected::Nothing => one("nothing"),
            Expected::Refused(refusal) => one(&format!("refused: {refusal}")),
            Expected::Grid(_) => None,
            Expected::Rows(rows) => {
                if rows.slot.headings() != slot.headings() {
                    let found = format!("a table for `{}`", rows.slot.word());
                    return Err(Problem::new(line, found, format!("one for `{}`", slot.word())));
                }
                self.of_rows(rows, slot, told)?
            }
        })
    }

    fn of_rows(&self, expected: &Rows, slot: Slot, told: &Told) -> Result<Option<String>, Problem> {
        if slot != Slot::Provenance {
            self.subjects_exist(expected, slot)?;
        }
        let Told::Rows(rows) = told else {
            let rows = expected.rows.iter().map(|(line, cells)| {
                format!("{line:>5} - {}\n{}", joined(cells), unknown_word(slot, cells))
            });
            return Ok(Some(format!("{}{}", rows.collect::<String>(), found(told, expected.why))));
        };
        let cut = |row: &Vec<String>| {
            let kept = if expected.why { row.len() } else { row.len().saturating_sub(1) };
            row.get(..kept).unwrap_or_default().to_vec()
        };
        let mut left: Vec<Vec<String>> = rows.iter().map(cut).collect();
        let mut missing = Vec::new();
        for (line, cells) in &expected.rows {
            match left.iter().position(|row| row == cells) {
                Some(place) => drop(left.remove(place)),
                None => missing.push((line, cells)),
            }
        }
        if missing.is_empty() && left.is_empty() {
            return Ok(None);
        }
        let mut text = String::new();
        for (line, cells) in missing {
            text.push_str(&format!("{line:>5} - {}\n", joined(cells)));
            text.push_str(&unknown_word(slot, cells));
            // What came of the same skill stands below what was expected of it.
            if let Some(place) = left.iter().position(|row| row.first() == cells.first()) {
                text.push_str(&format!("      + {}\n", joined(&left.remove(place))));
            }
        }
        for row in left {
            text.push_str(&format!("      + {}\n", joined(&row)));
        }
        Ok(Some(text))
    }

    fn subjects_exist(&self, expected: &Rows, slot: Slot) -> Result<(), Problem> {
        let names = subjects(&self.told, slot);
        let strange = expected.rows.iter().find_map(|(line, cells)| {
            let name = cells.first()?;
            (!names.contains(name)).then_some((line, name))
        });
        match strange {
            None => Ok(()),
            Some((line, name)) => {
                Err(Problem::new(*line, format!("`{name}`"), "a name of the tables above"))
            }
        }
    }
}

fn subjects(told: &Facts, slot: Slot) -> Vec<String> {
    match slot {
        Slot::Demotion => told.library.categories.iter().map(|it| it.name.clone()).collect(),
        _ => told::skill_names(&told.library),
    }
}

/// A key that neither the dictionary nor the policy knows is a slip of the pen.
fn known_keys(told: &Facts, subject: &Subject) -> Result<(), Problem> {
    let strange = told.keys.iter().find(|(key, _)| {
        value::known(key).or(value::known_of_write(key)).is_none() && !subject.asks.contains(key)
    });
    match strange {
        None => Ok(()),
        Some((key, line)) => Err(Problem::new(
            *line,
            format!("the fact `{key}`"),
            "one of the dictionary, or one that the policy asks for",
        )
        .hint("`skillkeep policy show` lists what a policy needs and wants")),
    }
}

fn judge_grid(
    grid: &Grid,
    slot: Slot,
    tell: &mut dyn FnMut(&Facts) -> Result<Told, Problem>,
) -> Result<Judged, Problem> {
    let (mut runs, mut difference) = (Vec::new(), String::new());
    for row in &grid.rows {
        let told = tell(&row.told)?;
        let choices = choices(grid, &row.told, slot, &told).map_err(|name| {
            Problem::new(row.line, format!("the heading `{name}`"), "a name of the tables above")
        })?;
        let expected: Vec<String> = row
            .choices
            .iter()
            .map(
                |choice| if choice.is_empty() { slot.silence().to_owned() } else { choice.clone() },
            )
            .collect();
        if expected != choices {
            let line =
                |choices: &[String]| joined(&[row.inputs.clone(), choices.to_vec()].concat());
            difference.push_str(&format!("{:>5} - {}\n", row.line, line(&row.choices)));
            difference.push_str(&format!("      + {}\n", line(&choices)));
        }
        runs.push(Run { line: row.line, told, choices });
    }
    Ok(Judged { runs, difference: (!difference.is_empty()).then_some(difference) })
}

/// What a row of a table that asks several times says of each subject.
fn choices(grid: &Grid, facts: &Facts, slot: Slot, told: &Told) -> Result<Vec<String>, String> {
    let rows = match told {
        Told::Rows(rows) => rows,
        Told::Refused(why) => return Ok(alone(grid, slot, format!("refused: {why}"))),
        Told::Broken(why) => return Ok(alone(grid, slot, format!("broken: {why}"))),
    };
    let names = subjects(facts, slot);
    let choice = |subject: &String| match (slot, subject.as_str()) {
        (Slot::Provenance, "verdict") => Ok(rows.first().and_then(|row| row.first()).cloned()),
        (Slot::Provenance, "why") => Ok(rows.first().and_then(|row| row.get(1)).cloned()),
        _ if !names.contains(subject) => Err(subject.clone()),
        _ => Ok(rows
            .iter()
            .find(|row| row.first() == Some(subject))
            .and_then(|row| row.get(1))
            .cloned()),
    };
    let silence = || slot.silence().to_owned();
    grid.subjects.iter().map(|subject| Ok(choice(subject)?.unwrap_or_else(silence))).collect()
}

fn alone(grid: &Grid, slot: Slot, text: String) -> Vec<String> {
    let silence = || slot.silence().to_owned();
    let rest = (1..grid.subjects.len()).map(|_| silence());
    std::iter::once(text).chain(rest).collect()
}

/// A word that no answer can have is told with those that there are.
fn unknown_word(slot: Slot, cells: &[String]) -> String {
    let place = slot.headings().len() - 2;
    match (cells.get(place), slot.headings().get(place)) {
        (Some(word), Some(heading)) if !slot.says(word) => {
            let words = slot.words().join("`, `");
            format!("        `{word}` is no {heading}, expected one of `{words}`\n")
        }
        _ => String::new(),
    }
}

fn joined(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// What was found, where it is no list of rows like the expected one.
fn found(told: &Told, why: bool) -> String {
    match told {
        Told::Rows(rows) if rows.is_empty() => "      + nothing\n".to_owned(),
        Told::Rows(rows) => rows
            .iter()
            .map(|row| {
                let kept = if why { row.len() } else { row.len().saturating_sub(1) };
                format!("      + {}\n", joined(row.get(..kept).unwrap_or_default()))
            })
            .collect(),
        Told::Refused(refusal) => format!("      + refused: {refusal}\n"),
        Told::Broken(why) => format!("      + broken: {why}\n"),
    }
}
