//! How rules fared, as rows and as text.

use super::board::{Board, Scores};

/// One rule at one limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What the rule is called.
    pub label: String,
    /// The limit; none for a rule that keeps to none.
    pub limit: Option<u32>,
    /// How it fared.
    pub scores: Scores,
    /// Skills with a description.
    pub described: usize,
    /// Skills by name alone.
    pub named: usize,
    /// Skills that nobody can find.
    pub hidden: usize,
    /// What the block costs.
    pub cost: u64,
    /// Whether the host's fallback decided.
    pub fell_back: bool,
}

impl Row {
    /// The row of a board.
    #[must_use]
    pub fn new(board: &Board, scores: Scores) -> Row {
        let [described, named, hidden] = board.forms();
        Row {
            label: board.label.clone(),
            limit: board.limit,
            scores,
            described,
            named,
            hidden,
            cost: board.cost,
            fell_back: board.fallback.is_some(),
        }
    }
}

/// A share in percent with one digit, such as `71.4`.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// The heading and the rows, cell by cell.
#[must_use]
pub fn table(rows: &[Row]) -> Vec<Vec<String>> {
    let head = ["LIMIT", "RULE", "TOP-1", "TOP-5", "DESCRIBED", "NAMED", "HIDDEN", "COST"];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for row in rows {
        let fallback = if row.fell_back { " (fell back)" } else { "" };
        table.push(vec![
            row.limit.map_or("none".to_owned(), |limit| limit.to_string()),
            format!("{}{fallback}", row.label),
            percent(row.scores.top_1),
            row.scores.top_5.map_or("-".to_owned(), percent),
            row.described.to_string(),
            row.named.to_string(),
            row.hidden.to_string(),
            row.cost.to_string(),
        ]);
    }
    table
}
