//! How much of a context a body takes once its skill is opened.

use super::{finding::Draft, page::Page, rule::Rule};

/// The standard's guidance for a body.
const MOST_LINES: usize = 500;
/// The same in tokens.
pub(super) const MOST_TOKENS: u32 = 5_000;

/// What is wrong with a body's size.
pub(super) fn judge(row: usize, page: &Page, found: &mut Vec<Draft>) {
    let line = page.header.body_line;
    if page.body.trim().is_empty() {
        found.push(Draft::new(row, Rule::EmptyBody, line, "nothing follows the header"));
        return;
    }
    let lines = page.body.lines().count();
    if lines > MOST_LINES {
        let cause = format!("{lines} lines; the standard's guidance is {MOST_LINES}");
        // The first line that is too many, so that a reader sees where it would have to end.
        let over = u32::try_from(MOST_LINES).unwrap_or(u32::MAX);
        found.push(Draft::new(row, Rule::LongBodyLines, line.saturating_add(over), &cause));
    }
    if let Some(tokens) = page.tokens.filter(|tokens| *tokens > MOST_TOKENS) {
        let cause = format!("{tokens} tokens; the standard's guidance is {MOST_TOKENS}");
        found.push(Draft::new(row, Rule::LongBodyTokens, line, &cause));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(file: &str, tokens: Option<u32>) -> Vec<(Rule, u32)> {
        let mut found = Vec::new();
        judge(0, &Page { tokens, ..Page::of(file.as_bytes()) }, &mut found);
        found.into_iter().map(|draft| (draft.rule, draft.line)).collect()
    }

    #[test]
    fn a_body_is_neither_empty_nor_longer_than_the_guidance() {
        let lines = |count: usize| format!("---\nname: x\n---\n{}", "line\n".repeat(count));
        assert_eq!(rules(&lines(500), Some(5_000)), []);
        assert_eq!(rules(&lines(501), None), [(Rule::LongBodyLines, 504)]);
        assert_eq!(rules(&lines(1), Some(5_001)), [(Rule::LongBodyTokens, 4)]);
        assert_eq!(rules("---\nname: x\n---\n \n\n", None), [(Rule::EmptyBody, 4)]);
    }
}
