//! Writes what a policy answers into its cases: the expectations alone change, every other byte stays.

use super::judge::Judged;
use super::table::{self, Slot};
use super::told::Told;
use super::{Case, Expected};

/// The file's text with the expectations of these cases as they were found. A broken answer is never written.
#[must_use]
pub fn bless(text: &str, slot: Slot, cases: &[(&Case, &Judged)]) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let mut cases: Vec<_> = cases.iter().filter(|(_, judged)| judged.wants_blessing()).collect();
    cases.sort_by_key(|(case, _)| std::cmp::Reverse(case.span.start));
    for (case, judged) in cases {
        let Some(written) = expectation(case, slot, judged) else { continue };
        let mut written: String = written.replace('\n', newline);
        if matches!(case.expected, Expected::Unwritten) {
            written = format!("{newline}{written}");
            if let Some(last) = lines.get_mut(case.span.start.saturating_sub(1))
                && !last.ends_with('\n')
            {
                last.push_str(newline);
            }
        }
        lines.splice(case.span.clone(), [written]);
    }
    lines.concat()
}

impl Judged {
    fn wants_blessing(&self) -> bool {
        self.difference.is_some()
            && !self.runs.iter().any(|run| matches!(run.told, Told::Broken(_)))
    }
}

fn expectation(case: &Case, slot: Slot, judged: &Judged) -> Option<String> {
    if let Expected::Grid(grid) = &case.expected {
        let headings: Vec<&str> =
            grid.inputs.iter().chain(&grid.subjects).map(String::as_str).collect();
        let rows: Vec<Vec<String>> = grid
            .rows
            .iter()
            .zip(&judged.runs)
            .map(|(row, run)| [row.inputs.clone(), run.choices.clone()].concat())
            .collect();
        return Some(format!("expect:\n\n{}", table::render(&headings, &rows)));
    }
    let rows = match &judged.runs.first()?.told {
        Told::Broken(_) => return None,
        Told::Refused(refusal) => return Some(format!("expect: refused: {refusal}\n")),
        Told::Rows(rows) if rows.is_empty() => return Some("expect: nothing\n".to_owned()),
        Told::Rows(rows) => rows,
    };
    let why = !matches!(&case.expected, Expected::Rows(rows) if !rows.why);
    let kept = slot.headings().len() - usize::from(!why);
    let headings = slot.headings().get(..kept)?;
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.get(..kept).unwrap_or_default().to_vec()).collect();
    Some(format!("expect:\n\n{}", table::render(headings, &rows)))
}
