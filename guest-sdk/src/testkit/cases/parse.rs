//! From the text of a file to its cases. It reads the outline: headings, tables, statements, expectations. What the words
//! of a table mean stands in [`draft`](super::draft).

use super::draft::{Draft, Input};
use super::problem::Problem;
use super::table::{self, Slot, Written};
use super::{Case, Expected, File, Grid, GridRow, Rows};

/// The most rows that a table may have, and that all questions of a file may tell together: a component brings its cases with
/// it, and those of a stranger must not fill the memory.
const MOST_ROWS: usize = 5_000;
const MOST_TOLD: usize = 300_000;

/// Reads a file of cases. The path is only for messages.
///
/// # Errors
/// The first mistake, with its line.
pub fn parse(path: &str, text: &str) -> Result<File, Problem> {
    read(path, text).map_err(|problem| problem.within(path))
}

/// A case while it is being read.
struct Open {
    name: String,
    line: usize,
    /// Where it ends so far: the line after its last that says anything.
    end: usize,
    draft: Draft,
    expected: Option<(std::ops::Range<usize>, Found)>,
}

/// An expectation before its draft is complete.
enum Found {
    Nothing,
    Refused(String),
    Table(Written),
}

fn read(path: &str, text: &str) -> Result<File, Problem> {
    // Some editors begin a file with a mark that nobody sees.
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
    let mut title = String::new();
    let mut base = Draft::default();
    let mut cases: Vec<Case> = Vec::new();
    let mut open: Option<Open> = None;
    let (mut at, mut told) = (0, 0_usize);
    while let Some(line) = lines.get(at) {
        let number = at + 1;
        let next = block_end(&lines, at);
        if let Some(name) = line.strip_prefix("## ") {
            if let Some(done) = open.take() {
                cases.push(close(done, path)?);
            }
            let name = name.trim().to_owned();
            if let Some(other) = cases.iter().find(|case| case.name == name) {
                let found = format!("a second case `{name}`, after that of line {}", other.line);
                return Err(Problem::new(number, found, "another name"));
            }
            told = told.saturating_add(base.rows().max(1));
            enough(number, told)?;
            open =
                Some(Open { name, line: number, end: next, draft: base.clone(), expected: None });
        } else if let Some(name) = line.strip_prefix("# ") {
            if title.is_empty() {
                name.trim().clone_into(&mut title);
            }
        } else if let Some(rest) = line.strip_prefix("expect:") {
            let Some(case) = &mut open else {
                return Err(Problem::new(
                    number,
                    "`expect:`",
                    "a case before it, such as `## a name`",
                ));
            };
            if case.expected.is_some() {
                return Err(Problem::new(number, "a second `expect:`", "one a case"));
            }
            let (found, end) = expectation(&lines, at, rest.trim())?;
            if let Found::Table(table) = &found {
                let rows = table.rows.len().saturating_mul(case.draft.rows().max(1));
                told = told.saturating_add(rows);
                enough(number, told)?;
            }
            case.expected = Some((at..end, found));
            case.end = end;
            at = end;
            continue;
        } else {
            let draft = open.as_mut().map_or(&mut base, |case| &mut case.draft);
            block(draft, &lines, at, next)?;
            if let Some(case) = open.as_mut().filter(|_| !line.trim().is_empty()) {
                case.end = next;
            }
        }
        at = next;
    }
    if let Some(done) = open {
        cases.push(close(done, path)?);
    }
    if cases.is_empty() {
        return Err(Problem::new(
            lines.len().max(1),
            "no case",
            "at least one, such as `## a name`",
        ));
    }
    Ok(File { path: path.to_owned(), title, cases })
}

fn enough(line: usize, told: usize) -> Result<(), Problem> {
    if told <= MOST_TOLD {
        return Ok(());
    }
    let found = format!("{told} rows that are told up to here");
    Err(Problem::new(line, found, format!("{MOST_TOLD} in a file")).hint("use several files"))
}

/// The line after a table or a fenced block that begins here, or else the next line.
fn block_end(lines: &[&str], at: usize) -> usize {
    let rest = lines.get(at..).unwrap_or_default();
    let Some(first) = rest.first() else { return at };
    if first.starts_with("```") {
        let inner = rest.iter().skip(1).position(|line| line.trim_end() == "```");
        return inner.map_or(lines.len(), |inner| at + inner + 2);
    }
    if table::is_row(first) {
        return at + rest.iter().take_while(|line| table::is_row(line)).count();
    }
    at + 1
}

fn not_too_long(lines: &[(usize, &str)]) -> Result<(), Problem> {
    match lines.get(MOST_ROWS + 2) {
        None => Ok(()),
        Some((line, _)) => {
            Err(Problem::new(*line, "one row more", format!("{MOST_ROWS} in a table at most")))
        }
    }
}

fn numbered<'a>(lines: &[&'a str], from: usize, to: usize) -> Vec<(usize, &'a str)> {
    let lines = lines.get(from..to).unwrap_or_default();
    (from + 1..).zip(lines.iter().copied()).collect()
}

/// A table, a statement, a fenced text, or prose.
fn block(draft: &mut Draft, lines: &[&str], at: usize, end: usize) -> Result<(), Problem> {
    let Some(line) = lines.get(at) else { return Ok(()) };
    if line.starts_with("```") {
        let inner = lines.get(at + 1..end.saturating_sub(1)).unwrap_or_default();
        draft.content = inner.iter().flat_map(|line| [line, "\n"]).collect();
        return Ok(());
    }
    if table::is_row(line) {
        let lines = numbered(lines, at, end);
        not_too_long(&lines)?;
        draft.table(table::read(&lines)?)?;
        // Tables lie over each other; together they are no longer than one may be, twice.
        let rows = draft.rows();
        if rows > 2 * MOST_ROWS {
            let expected = format!("{} at most", 2 * MOST_ROWS);
            return Err(Problem::new(at + 1, format!("{rows} skills and categories"), expected));
        }
        return Ok(());
    }
    match line.strip_prefix("- ") {
        Some(statement) => draft.statement(at + 1, statement.trim()),
        None => Ok(()),
    }
}

fn expectation(lines: &[&str], at: usize, rest: &str) -> Result<(Found, usize), Problem> {
    let (mut at, mut words) = (at, rest);
    while words.is_empty() {
        at += 1;
        match lines.get(at) {
            Some(line) if line.starts_with('#') => break,
            Some(line) => words = line.trim(),
            None => break,
        }
    }
    if table::is_row(words) {
        let end = block_end(lines, at);
        return Ok((Found::Table(table::read(&numbered(lines, at, end))?), end));
    }
    if words == "nothing" {
        return Ok((Found::Nothing, at + 1));
    }
    if let Some(refusal) = words.strip_prefix("refused:") {
        return Ok((Found::Refused(refusal.trim().to_owned()), at + 1));
    }
    let expected = "a table, `nothing`, or `refused: …`";
    if words.is_empty() {
        return Err(Problem::new(at + 1, "nothing below `expect:`", expected)
            .hint("without the line `expect:`, `--bless` writes both"));
    }
    Err(Problem::new(at + 1, format!("`{words}`"), expected))
}

fn close(open: Open, path: &str) -> Result<Case, Problem> {
    let Open { name, line, end, draft, expected } = open;
    let slot = draft.slot;
    let (span, expected) = match expected {
        None => (end..end, Expected::Unwritten),
        Some((span, Found::Nothing)) => (span, Expected::Nothing),
        Some((span, Found::Refused(refusal))) => (span, Expected::Refused(refusal)),
        Some((span, Found::Table(written))) => (span, of_table(written, &draft)?),
    };
    let told = draft.facts()?;
    Ok(Case { name, line, path: path.to_owned(), slot, told, expected, span })
}

/// A table of proposals, or one that asks several times.
fn of_table(written: Written, draft: &Draft) -> Result<Expected, Problem> {
    let headings: Vec<&str> = written.headings.iter().map(String::as_str).collect();
    let of_slot = Slot::ALL.into_iter().filter(|slot| draft.slot.is_none_or(|it| it == *slot));
    for slot in of_slot {
        let (all, shorter) = (slot.headings(), slot.headings().len() - 1);
        let why = headings == all;
        if why || Some(headings.as_slice()) == all.get(..shorter) {
            return Ok(Expected::Rows(Rows { slot, why, rows: written.rows }));
        }
    }
    let inputs = headings.iter().take_while(|heading| Input::read(heading).is_some()).count();
    let (inputs_named, subjects) = written.headings.split_at_checked(inputs).unwrap_or_default();
    if inputs == 0 || subjects.is_empty() {
        let found = format!("the headings `{}`", headings.join("`, `"));
        let tables: Vec<String> =
            Slot::ALL.iter().map(|slot| format!("`{}`", slot.headings().join("`, `"))).collect();
        return Err(Problem::new(written.line, found, tables.join("; or "))
            .hint("a table that asks several times begins with what changes: `limit`, `set KEY`, `fact KEY`, `KEY of NAME`"));
    }
    let rows = written.rows.iter().map(|(line, cells)| {
        let (inputs, choices) = cells.split_at_checked(inputs).unwrap_or_default();
        let mut changed = draft.clone();
        for (heading, cell) in inputs_named.iter().zip(inputs).filter(|(_, cell)| !cell.is_empty())
        {
            if let Some(input) = Input::read(heading) {
                changed.change(*line, &input, cell)?;
            }
        }
        let (inputs, choices) = (inputs.to_vec(), choices.to_vec());
        Ok(GridRow { line: *line, inputs, choices, told: changed.facts()? })
    });
    let rows = rows.collect::<Result<_, Problem>>()?;
    Ok(Expected::Grid(Grid { inputs: inputs_named.to_vec(), subjects: subjects.to_vec(), rows }))
}
