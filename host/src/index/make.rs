//! One index from beginning to end, as a function of values: the same inputs give the same bytes.

use std::{collections::BTreeMap, path::PathBuf};

use super::{
    agents::Agent,
    decide::{Decided, Policies, Request, TooSmall, decide},
    entries::{Candidates, Circumstances},
    kept::Kept,
    layout::Style,
    lines::Lines,
    meter::Meter,
    ready::Programs,
};
use crate::{
    decision::{Detail, Form, Slot},
    library::Library,
    roster::{Answer, Answers},
    skill::{Instant, OneLine, Session, Usage},
};

/// Everything that an index depends on beside the library and the policies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// The time of the decision.
    pub now: Instant,
    /// The session's seed.
    pub seed: u64,
    /// What holds in the session.
    pub session: Session,
    /// How skills were used, as another program's file says.
    pub usage: Usage,
    /// What the home knows, by row of the library; empty without a home.
    pub kept: Vec<Option<Kept>>,
    /// Categories that the user wants less of, by path or by first segment.
    pub compact: BTreeMap<String, Detail>,
    /// Forms of the previous index, by `category/name`.
    pub previous: BTreeMap<String, Form>,
    /// Longest short form, in Unicode scalars.
    pub short: usize,
    /// What the block may cost, in the meter's unit.
    pub limit: u32,
    /// How the block is laid out.
    pub layout: Style,
    /// Whose index it is, where it is not our own.
    pub agent: Option<&'static Agent>,
    /// The user's home, which some layouts don't write out.
    pub home: Option<PathBuf>,
    /// Whether the skills are the sample that comes with the program, and the block has to say so.
    pub sample: bool,
}

/// Where nobody says how long a short form may be: what a routing measurement on real skills found to keep most of the
/// whole description's hits at half its price.
pub const DEFAULT_SHORT: usize = 120;

/// An index with what it was made of.
#[derive(Clone, Debug)]
pub struct Made {
    /// Visible skills, categories, and who is left out.
    pub candidates: Candidates,
    /// What was decided of them.
    pub decided: Decided,
}

impl Inputs {
    /// Makes the index.
    ///
    /// # Errors
    /// Where the limit is below what even one line costs.
    pub fn make(
        &self,
        library: &Library,
        meter: &dyn Meter,
        policies: &Policies<'_>,
        programs: &Programs<'_>,
    ) -> Result<Made, TooSmall> {
        self.make_of(self.gather(library, programs, None), meter, policies)
    }

    /// The first half: visible skills with their texts. They are the same whatever the limit and whoever decides, and whether somebody
    /// keeps lines.
    #[must_use]
    pub fn gather(
        &self,
        library: &Library,
        programs: &Programs<'_>,
        lines: Option<&Lines>,
    ) -> Candidates {
        let circumstances = Circumstances {
            now: self.now,
            session: &self.session,
            usage: &self.usage,
            kept: &self.kept,
            compact: &self.compact,
            previous: &self.previous,
            short: self.short,
            layout: self.layout,
            agent: self.agent,
            home: self.home.as_deref(),
            lines,
        };
        Candidates::gather(library, &circumstances, programs)
    }

    /// The second half: who of them gets which form, and the block.
    ///
    /// # Errors
    /// As [`Inputs::make`].
    pub fn make_of(
        &self,
        candidates: Candidates,
        meter: &dyn Meter,
        policies: &Policies<'_>,
    ) -> Result<Made, TooSmall> {
        let request = Request {
            candidates: &candidates,
            layout: self.layout,
            meter,
            limit: self.limit,
            session: &self.session,
            now: self.now,
            seed: self.seed,
            sample: self.sample,
        };
        let decided = decide(&request, policies)?;
        let candidates = match decided.cut {
            Some(cut) => candidates.cut(cut.scalars, self.layout),
            None => candidates,
        };
        Ok(Made { candidates, decided })
    }
}

/// How many skills have each form, and who is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Coverage {
    /// Visible skills.
    pub skills: usize,
    /// With their whole description.
    pub full: usize,
    /// With a part of it.
    pub short: usize,
    /// By name alone.
    pub name: usize,
    /// In a count.
    pub counted: usize,
    /// Categories that have visible skills.
    pub categories: usize,
    /// Categories that are counted together in the last line.
    pub folded_categories: usize,
    /// Visible skills with nothing but a name to show.
    pub without_description: usize,
    /// Visible skills whose programs are not all there.
    pub not_ready: usize,
    /// Skills left out by a gate, by the gate's code.
    pub gated: BTreeMap<&'static str, usize>,
}

impl Made {
    /// Counts what became of everybody.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        let mut coverage = Coverage {
            skills: self.candidates.entries.len(),
            categories: self.candidates.categories.len(),
            folded_categories: self.decided.block.folded.len(),
            without_description: self
                .candidates
                .entries
                .iter()
                .filter(|e| e.full.is_empty())
                .count(),
            not_ready: self.candidates.entries.iter().filter(|e| !e.missing.is_empty()).count(),
            ..Coverage::default()
        };
        for choice in &self.decided.forms.rows {
            match choice.choice {
                Form::Full => coverage.full += 1,
                Form::Short => coverage.short += 1,
                Form::Name => coverage.name += 1,
                Form::Counted => coverage.counted += 1,
            }
        }
        for hidden in &self.candidates.hidden {
            if let Some(gate) = hidden.shut.first() {
                *coverage.gated.entry(gate.code).or_default() += 1;
            }
        }
        coverage
    }

    /// What was decided, row by row, as the trial of a candidate compares it.
    #[must_use]
    pub fn answers(&self) -> Answers {
        let Made { candidates, decided } = self;
        let details = candidates.categories.iter().enumerate().filter_map(|(row, category)| {
            Some(Answer {
                slot: Slot::Demotion,
                about: OneLine::new(&category.path),
                choice: decided.details.row(row)?.choice.word().to_owned(),
                reason: decided.details.reason(row).cloned(),
            })
        });
        let forms = candidates.entries.iter().enumerate().filter_map(|(row, entry)| {
            let category = candidates.categories.get(entry.category as usize);
            let path = category.map_or("", |category| category.path.as_str());
            let cut = decided.cut.map_or_else(String::new, |cut| format!(" {}", cut.scalars));
            let form = decided.forms.row(row)?.choice;
            // A short line is another one where it is cut elsewhere.
            let cut = if form == Form::Short { cut } else { String::new() };
            Some(Answer {
                slot: Slot::Budget,
                about: OneLine::new(&format!("{path}/{}", entry.name)),
                choice: format!("{}{cut}", form.word()),
                reason: decided.forms.reason(row).cloned(),
            })
        });
        let fallbacks = decided.notes.iter().filter_map(|note| {
            Some((note.slot, OneLine::capped(&note.fallback.as_ref()?.to_string(), 400)))
        });
        Answers { rows: details.chain(forms).collect(), fallbacks: fallbacks.collect() }
    }

    /// What the block would cost with everything in full, the prose around it too: the same at every limit.
    #[must_use]
    pub fn cost_in_full(&self) -> u64 {
        let Decided { prices, fit, .. } = &self.decided;
        let lines = prices.sum(self.candidates.entries.iter().map(|_| Form::Full)).shown;
        lines.saturating_sub(prices.fixed).saturating_add(fit.prose)
    }

    /// The row of a skill of the library, if it is visible.
    #[must_use]
    pub fn row_of(&self, skill: usize) -> Option<usize> {
        self.candidates.entries.iter().position(|entry| entry.skill == skill)
    }

    /// The form of a skill of the library, if it is visible.
    #[must_use]
    pub fn form_of(&self, skill: usize) -> Option<Form> {
        Some(self.decided.forms.row(self.row_of(skill)?)?.choice)
    }
}
