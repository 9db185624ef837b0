//! What the lines of skills say, kept from one index to the next.

use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;

use super::text;
use crate::skill::Skill;

/// What the line of a skill says, without its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// In full.
    pub(super) full: Arc<str>,
    /// In short; the same text where that is short already.
    pub(super) short: Arc<str>,
}

impl Line {
    /// A text behind a mark; the short form has at most so many Unicode scalars of it.
    pub(super) fn of(mark: &str, text: &str, short: usize) -> Line {
        let marked = |text: &str| match mark {
            "" => Arc::from(text),
            mark => Arc::from(format!("{mark}{text}").trim_end()),
        };
        let cut = text::short_text(text, short);
        let full = marked(text);
        let short = if cut == text { Arc::clone(&full) } else { marked(&cut) };
        Line { full, short }
    }
}

/// Lines of skills, for who makes indexes of the same skills again and again. None is kept of a skill that calls programs: what is
/// said of that depends on the machine.
#[derive(Debug, Default)]
pub struct Lines(Mutex<Arc<Known>>);

/// Lines that are added before those of skills that are gone are left out: looking for these takes a look at all.
const SWEEP: usize = 64;

/// Lines by the address of their skill, which is nobody else's for as long as the skill is held here.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The longest short form that they were made with.
    short: usize,
    /// How many were added since those of skills that are gone were last left out.
    added: usize,
    lines: HashMap<usize, (Arc<Skill>, Line)>,
}

impl Known {
    pub(super) fn get(&self, skill: &Arc<Skill>) -> Option<Line> {
        self.lines.get(&address(skill)).map(|(_, line)| line.clone())
    }
}

impl Lines {
    /// Those that were kept with short forms of this length.
    pub(super) fn known(&self, short: usize) -> Arc<Known> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.short == short { Arc::clone(&known) } else { Arc::default() }
    }

    /// Keeps lines beside those that were known. Those of skills that nobody else holds any more are left out in time.
    pub(super) fn keep(&self, mut known: Arc<Known>, short: usize, new: Vec<(Arc<Skill>, Line)>) {
        if new.is_empty() {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Held here alone from now on, where nobody else reads it.
        *kept = Arc::default();
        let all = Arc::make_mut(&mut known);
        all.short = short;
        all.added += new.len();
        if all.added > SWEEP {
            all.added = 0;
            all.lines.retain(|_, (skill, _)| Arc::strong_count(skill) > 1);
        }
        all.lines.extend(new.into_iter().map(|(skill, line)| (address(&skill), (skill, line))));
        *kept = known;
    }
}

fn address(skill: &Arc<Skill>) -> usize {
    Arc::as_ptr(skill).addr()
}
