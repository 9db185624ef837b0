//! How much of a count is new: beyond what its record told before, and beyond what another program counted of the same calls.

use std::collections::BTreeMap;

use crate::{
    adapters::said::{Program, Record, Said},
    ledger::{Mark, Source, Taken},
    skill::SkillId,
};

/// What was taken over before, by what is asked of it.
pub(super) struct Before<'a> {
    said: &'a Said,
    taken: &'a Taken,
    own: BTreeMap<(&'a str, &'a str), &'a Mark>,
    uses: BTreeMap<(bool, SkillId), u64>,
}

impl<'a> Before<'a> {
    pub(super) fn new(said: &'a Said, taken: &'a Taken) -> Before<'a> {
        let mut own = BTreeMap::new();
        // A record that came along to another place is one record, with the most that it told at either.
        let mut records: BTreeMap<(bool, SkillId, &str, &str, &str), u64> = BTreeMap::new();
        for (source, marks, _) in &taken.sources {
            let mine = source.program == said.program.word();
            for mark in marks {
                if mine && source.place == said.place {
                    own.insert((mark.key.as_str(), mark.made.as_str()), mark);
                }
                let place = if mark.made.is_empty() { source.place.as_str() } else { "" };
                let record = (mine, mark.skill, mark.key.as_str(), mark.made.as_str(), place);
                let most = records.entry(record).or_default();
                *most = (*most).max(u64::from(mark.uses));
            }
        }
        let mut uses: BTreeMap<(bool, SkillId), u64> = BTreeMap::new();
        for ((mine, skill, ..), most) in records {
            *uses.entry((mine, skill)).or_default() += most;
        }
        Before { said, taken, own, uses }
    }

    /// The source as it was last time.
    pub(super) fn source(&self) -> Option<&'a Source> {
        let here = |source: &Source| {
            source.program == self.said.program.word() && source.place == self.said.place
        };
        self.taken.sources.iter().map(|(source, ..)| source).find(|source| here(source))
    }

    /// What a record said last time. Where this place told nothing of it, another place may have: a home that was moved has
    /// the same records of the same skills, and a copied file has the same bytes.
    pub(super) fn mark(&self, record: &Record, skill: SkillId) -> Option<&'a Mark> {
        if let Some(mark) = self.own.get(&(record.key.as_str(), record.made.as_str())) {
            return Some(mark);
        }
        let others = self.taken.sources.iter().filter(|(source, ..)| {
            source.program == self.said.program.word() && source.place != self.said.place
        });
        let marks = others.flat_map(|(source, marks, _)| {
            let copied = source.digest == self.said.digest;
            marks.iter().filter(move |mark| {
                let same = mark.key == record.key && mark.made == record.made;
                same && (copied || (mark.skill == skill && !mark.made.is_empty()))
            })
        });
        marks.max_by_key(|mark| (mark.uses, mark.views, mark.writes))
    }

    /// Of so many new uses of a skill, those that the other program has not counted as well.
    pub(super) fn uses(&self, skill: SkillId, new: u64) -> u64 {
        let total = |mine| self.uses.get(&(mine, skill)).copied().unwrap_or(0);
        let (mine, others) = (total(true), total(false));
        (mine + new).max(others) - mine.max(others)
    }

    /// The program that may have counted the same calls.
    pub(super) fn other(&self) -> Program {
        match self.said.program {
            Program::Hermes => Program::Progressive,
            Program::Progressive => Program::Hermes,
        }
    }
}
