//! A recorded decision, decided once more: from what the record and its shelf say, and from nothing else.

use std::{path::Path, sync::Arc};

use super::{Record, Shelf};
use crate::{
    index::{
        Candidates, Entry, EntryUsage, Inputs, Made, Meter, Policies, Style, TREE, TooSmall, XML,
        categorised, location,
    },
    laws::not_after,
    skill::{Choice, Session},
};

/// Why a record can't be decided again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAgain {
    /// It was laid out in a way that this program doesn't know by its word.
    #[error("its layout is `{0}`, and `hermes` or `xml` was expected")]
    Layout(String),
    /// Its seed is none.
    #[error("its seed is `{0}`, and sixteen hexadecimal digits were expected")]
    Seed(String),
    /// It is about other rows than its shelf has.
    #[error("it is about {rows} skills, and its shelf has {shelf}")]
    Rows {
        /// Those of the record.
        rows: usize,
        /// Those of the shelf.
        shelf: usize,
    },
    /// The limit is below what the shortest block costs.
    #[error(transparent)]
    TooSmall(#[from] TooSmall),
}

/// What it is decided from.
#[derive(Clone, Debug)]
pub struct Again {
    inputs: Inputs,
    candidates: Candidates,
}

impl Again {
    /// What a record was decided from. `user` is the home of the person, which some layouts don't write out.
    ///
    /// # Errors
    /// Where the record and its shelf don't say enough.
    pub fn of(record: &Record, shelf: &Shelf, user: Option<&Path>) -> Result<Again, NotAgain> {
        let styles = [Style(&TREE), Style(&XML)];
        let layout = styles.into_iter().find(|style| style.word() == record.layout);
        let layout = layout.ok_or_else(|| NotAgain::Layout(record.layout.clone()))?;
        let seed = u64::from_str_radix(&record.seed, 16);
        let seed = seed.map_err(|_| NotAgain::Seed(record.seed.clone()))?;
        if record.forms.chosen.len() != shelf.skills.len() {
            let (rows, shelf) = (record.forms.chosen.len(), shelf.skills.len());
            return Err(NotAgain::Rows { rows, shelf });
        }
        let facts = &record.facts;
        let inputs = Inputs {
            now: record.now,
            seed,
            session: Session {
                platform: facts.platform.clone(),
                environments: facts.environments.clone(),
                toolsets: facts.toolsets.clone(),
                tools: facts.tools.clone(),
                disabled: facts.disabled.clone(),
            },
            compact: record.compact.clone(),
            short: record.short as usize,
            limit: record.limit,
            layout,
            home: user.map(Path::to_owned),
            ..Inputs::default()
        };
        let entries = entries(record, shelf, &inputs);
        let described = shelf.categories.iter().map(|it| (it.path.clone(), it.description.clone()));
        let categories = categorised(described, &entries, &record.compact);
        let candidates = Candidates { entries, categories, ..Candidates::default() };
        Ok(Again { inputs, candidates })
    }

    /// Decides.
    ///
    /// # Errors
    /// Where the limit is below what the shortest block costs.
    pub fn decide(&self, meter: &dyn Meter, policies: &Policies<'_>) -> Result<Made, NotAgain> {
        Ok(self.inputs.make_of(self.candidates.clone(), meter, policies)?)
    }
}

fn entries(record: &Record, shelf: &Shelf, inputs: &Inputs) -> Vec<Entry> {
    let mut used: std::collections::BTreeMap<u32, EntryUsage> = record
        .usage
        .iter()
        .map(|it| {
            let clamped = it.last.map(|raw| (not_after(record.now, raw), raw));
            let usage = EntryUsage {
                uses: it.uses,
                last_used: clamped.map(|((time, _), _)| time),
                raw_last_used: clamped.filter(|((_, future), _)| *future).map(|(_, raw)| raw),
                pinned: it.pinned,
            };
            (it.row, usage)
        })
        .collect();
    let entry = |(row, skill): (u32, &super::ShelfSkill)| Entry {
        skill: row as usize,
        name: skill.name.clone(),
        location: match inputs.layout.located() {
            true => location(inputs.layout, inputs.home.as_deref(), Path::new(&skill.path)),
            false => String::new(),
        },
        category: skill.category,
        full: Arc::clone(&skill.full),
        short: Arc::clone(&skill.short),
        missing: skill.missing.clone(),
        usage: used.remove(&row),
        previous: record.previous.get(&row).copied(),
        id: skill.id,
        choice: record.choices.get(&row).copied().unwrap_or(Choice::Auto),
        stale: record.stale.get(&row).copied(),
    };
    (0..).zip(&shelf.skills).map(entry).collect()
}

impl Record {
    /// What of a record is another in one that was decided again, in words; nothing where both are the same, bit for bit.
    /// Who decided and what it took is not compared: only what came of it.
    #[must_use]
    pub fn differs(&self, made: &Made) -> Vec<&'static str> {
        let decided = &made.decided;
        let costs = decided.prices.skills.iter().map(|it| [it.full, it.short, it.name]);
        let details = super::Rows::of(&decided.details);
        let forms = super::Rows::of(&decided.forms);
        [
            ("prices", self.costs.iter().copied().ne(costs)),
            ("caps", self.caps != decided.caps),
            ("details", self.details.chosen != details.chosen),
            ("reasons of details", !self.details.same_reasons(&details)),
            ("forms", self.forms.chosen != forms.chosen),
            ("reasons of forms", !self.forms.same_reasons(&forms)),
            ("proposals", self.forms.proposed != forms.proposed),
            ("cut", self.cut != decided.cut),
            ("frame", self.frame != decided.fit.frame),
            ("cost", self.cost != decided.block.cost),
            ("laws", self.laws != decided.bites),
        ]
        .into_iter()
        .filter_map(|(what, differs)| differs.then_some(what))
        .collect()
    }
}

impl<T> super::Rows<T> {
    fn same_reasons(&self, other: &super::Rows<T>) -> bool {
        self.why == other.why && self.reasons == other.reasons
    }
}
