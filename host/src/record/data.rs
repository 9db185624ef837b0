//! What was decided, by whom, and from which facts.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use super::Shelf;
use crate::{
    decision::{Allowance, Detail, Form, Reasoned, Slot, Unit},
    index::{Frame, Inputs, Made, SlotNote},
    laws::{Bite, Choices, Cut},
    ledger::Digest,
    skill::{Choice, Instant, SkillId},
};

/// One decision. Rows are those of its shelf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Record {
    /// `skillkeep.decision/1`.
    pub schema: String,
    /// The shelf that it is about.
    pub shelf: Digest,
    /// The session that it was made for.
    pub session: String,
    /// The agent, by its word; empty for none in particular.
    pub agent: String,
    /// The time of the decision.
    pub now: Instant,
    /// The session's seed, as sixteen hexadecimal digits.
    pub seed: String,
    /// What the limit counts.
    pub unit: Unit,
    /// The limit.
    pub limit: u32,
    /// Longest short form that the request had, in Unicode scalars.
    pub short: u32,
    /// How it was laid out.
    pub layout: String,
    /// What held in the session.
    pub facts: Facts,
    /// Categories that the user wanted less of.
    pub compact: BTreeMap<String, Detail>,
    /// Who decided.
    pub slots: Vec<SlotRecord>,
    /// How skills had been used, those of which anything was known.
    pub usage: Vec<Used>,
    /// What the user had chosen of single skills.
    pub choices: BTreeMap<u32, Choice>,
    /// The most telling form that a skill might have for being stale, of those that were.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stale: BTreeMap<u32, Form>,
    /// Forms of the index before.
    pub previous: BTreeMap<u32, Form>,
    /// What each skill costs in full, short and by name.
    pub costs: Vec<[u32; 3]>,
    /// The most telling form allowed, a skill.
    pub caps: Vec<Form>,
    /// What each category may show.
    pub details: Rows<Detail>,
    /// The form of each skill.
    pub forms: Rows<Form>,
    /// Where short lines were cut, if a policy said so.
    pub cut: Option<Cut>,
    /// How much the block said about itself.
    pub frame: Frame,
    /// What the block cost.
    pub cost: u64,
    /// Laws that bit.
    pub laws: Vec<Bite>,
}

/// What held in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Facts {
    /// The platform.
    pub platform: String,
    /// Environments.
    pub environments: BTreeSet<String>,
    /// Toolsets, if anybody said.
    pub toolsets: Option<BTreeSet<String>>,
    /// Tools, if anybody said.
    pub tools: Option<BTreeSet<String>>,
    /// Names and folders that the user turned off.
    pub disabled: BTreeSet<String>,
}

/// How one slot decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SlotRecord {
    /// The slot.
    pub slot: Slot,
    /// The policy's name and version.
    pub policy: String,
    /// Where it came from.
    pub source: String,
    /// SHA-256 of the component, where it was read.
    pub digest: Option<String>,
    /// Settings that were given, as `KEY=VALUE`; the others were the policy's own.
    pub settings: Vec<String>,
    /// How much of the usual limits it might have used, where that was other than usual. Whoever asks it this again, to see
    /// whether it says the same, asks it within these.
    #[serde(default, skip_serializing_if = "Allowance::is_usual")]
    pub limits: Allowance,
    /// Why the slot's fallback decided instead, if it did.
    pub fallback: Option<String>,
    /// Fuel that it took.
    pub fuel: u64,
    /// Fuel that it might have taken.
    pub fuel_limit: u64,
}

/// How one skill had been used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Used {
    /// Its row.
    pub row: u32,
    /// How often it was opened for a task.
    pub uses: u64,
    /// When it was last; as recorded, so possibly in the future.
    pub last: Option<Instant>,
    /// Whether a person had pinned it.
    pub pinned: bool,
}

/// What was decided of rows, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Rows<T> {
    /// What held, a row.
    pub chosen: Vec<T>,
    /// What the policy had proposed, where something else was made of it.
    pub proposed: BTreeMap<u32, T>,
    /// The reason of each row, by its place in `reasons`.
    pub why: Vec<Option<u32>>,
    /// Reasons.
    pub reasons: Vec<Option<Reasoned>>,
}

impl<T: Copy> Rows<T> {
    pub(super) fn of(choices: &Choices<T>) -> Rows<T> {
        let proposed =
            (0..).zip(&choices.rows).filter_map(|(row, choice)| Some((row, choice.proposed?)));
        Rows {
            chosen: choices.rows.iter().map(|choice| choice.choice).collect(),
            proposed: proposed.collect(),
            why: choices.rows.iter().map(|choice| choice.reason).collect(),
            reasons: choices.reasons.clone(),
        }
    }

    /// The policy's reason for a row.
    #[must_use]
    pub fn reason(&self, row: usize) -> Option<&Reasoned> {
        let at = self.why.get(row).copied().flatten()?;
        self.reasons.get(at as usize)?.as_ref()
    }
}

/// What a session began with: its time, and the use and the forms of each skill that the home knew.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Begun {
    now: Instant,
    /// As the skills were printed: they seldom come in another order the next time.
    skills: Vec<BegunSkill>,
}

/// What a session began with of one skill. Servers remember many: it is held small.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BegunSkill {
    id: SkillId,
    used: Option<(u64, Option<Instant>)>,
    stale: Option<Form>,
    previous: Option<Form>,
}

impl Begun {
    /// Decides as the session began: at its time, with the use and the previous forms that it was decided from. What the
    /// user chose and pinned since then counts at once.
    pub fn again(&self, inputs: &mut Inputs) {
        inputs.now = self.now;
        let (mut next, mut places) = (0, None);
        for kept in inputs.kept.iter_mut().flatten() {
            let is_next = self.skills.get(next).is_some_and(|it| it.id == kept.id);
            let place = match is_next {
                true => Some(next),
                false => places.get_or_insert_with(|| self.places()).get(&kept.id).copied(),
            };
            let skill = place.and_then(|place| self.skills.get(place));
            next = place.map_or(next, |place| place + 1);
            if let Some((uses, last)) = skill.and_then(|it| it.used) {
                kept.usage.uses = uses;
                kept.usage.last_used = last;
            }
            kept.stale = skill.and_then(|it| it.stale);
            kept.previous = skill.and_then(|it| it.previous);
        }
    }

    /// How many skills it is about.
    #[must_use]
    pub fn len(&self) -> usize {
        self.skills.len()
    }

    /// Whether it is about none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// One about so many skills that were never used.
    #[cfg(test)]
    #[must_use]
    pub fn of_unused(skills: usize) -> Begun {
        let skill =
            BegunSkill { id: SkillId::from_random(1), used: None, stale: None, previous: None };
        Begun { now: Instant(0), skills: vec![skill; skills] }
    }

    fn places(&self) -> HashMap<SkillId, usize> {
        (0..).zip(&self.skills).map(|(place, skill)| (skill.id, place)).collect()
    }
}

/// Whose decision it is and what it was counted in: what an index doesn't know of itself.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The session.
    pub session: &'a str,
    /// The agent, by its word; empty for none in particular.
    pub agent: &'a str,
    /// What the limit counts.
    pub unit: Unit,
    /// Settings that were given, by slot, as `KEY=VALUE`.
    pub settings: &'a BTreeMap<Slot, Vec<String>>,
}

impl Record {
    /// The record of an index whose shelf has this name.
    #[must_use]
    pub fn of(about: &About<'_>, inputs: &Inputs, made: &Made, shelf: Digest) -> Record {
        let (decided, entries) = (&made.decided, &made.candidates.entries);
        let rows = || (0_u32..).zip(entries);
        let used = rows().filter_map(|(row, entry)| {
            let usage = entry.usage?;
            let last = usage.raw_last_used.or(usage.last_used);
            Some(Used { row, uses: usage.uses, last, pinned: usage.pinned })
        });
        let choices = rows().filter(|(_, entry)| entry.choice != Choice::Auto);
        let session = &inputs.session;
        let given = |slot| about.settings.get(&slot).cloned().unwrap_or_default();
        Record {
            schema: "skillkeep.decision/1".to_owned(),
            shelf,
            session: about.session.to_owned(),
            agent: about.agent.to_owned(),
            now: inputs.now,
            seed: format!("{:016x}", inputs.seed),
            unit: about.unit,
            limit: inputs.limit,
            short: u32::try_from(inputs.short).unwrap_or(u32::MAX),
            layout: inputs.layout.word().to_owned(),
            facts: Facts {
                platform: session.platform.clone(),
                environments: session.environments.clone(),
                toolsets: session.toolsets.clone(),
                tools: session.tools.clone(),
                disabled: session.disabled.clone(),
            },
            compact: inputs.compact.clone(),
            slots: decided
                .notes
                .iter()
                .map(|note| SlotRecord::of(note, given(note.slot)))
                .collect(),
            usage: used.collect(),
            choices: choices.map(|(row, entry)| (row, entry.choice)).collect(),
            stale: rows().filter_map(|(row, entry)| Some((row, entry.stale?))).collect(),
            previous: rows().filter_map(|(row, entry)| Some((row, entry.previous?))).collect(),
            costs: decided.prices.skills.iter().map(|it| [it.full, it.short, it.name]).collect(),
            caps: decided.caps.clone(),
            details: Rows::of(&decided.details),
            forms: Rows::of(&decided.forms),
            cut: decided.cut,
            frame: decided.fit.frame,
            cost: decided.block.cost,
            laws: decided.bites.clone(),
        }
    }

    /// What its session began with.
    #[must_use]
    pub fn begun(&self, shelf: &Shelf) -> Begun {
        let mut used = self.usage.iter().peekable();
        let of = |(row, id): (u32, Option<SkillId>)| {
            // Both are in the order of the rows.
            while used.next_if(|it| it.row < row).is_some() {}
            let used = used.next_if(|it| it.row == row).map(|it| (it.uses, it.last));
            let forms = |of: &BTreeMap<u32, Form>| of.get(&row).copied();
            let (stale, previous) = (forms(&self.stale), forms(&self.previous));
            Some(BegunSkill { id: id?, used, stale, previous })
        };
        let rows = (0..).zip(shelf.skills.iter().map(|skill| skill.id));
        Begun { now: self.now, skills: rows.filter_map(of).collect() }
    }

    /// The form of each skill that the home knew.
    #[must_use]
    pub fn known_forms(&self, shelf: &Shelf) -> BTreeMap<SkillId, Form> {
        let rows = shelf.skills.iter().zip(&self.forms.chosen);
        rows.filter_map(|(skill, form)| Some((skill.id?, *form))).collect()
    }
}

impl SlotRecord {
    /// What a note says, with the settings that were given.
    pub(super) fn of(note: &SlotNote, settings: Vec<String>) -> SlotRecord {
        SlotRecord {
            slot: note.slot,
            policy: note.policy.clone(),
            source: note.source.clone(),
            digest: note.digest.clone(),
            settings,
            limits: note.allowance,
            fallback: note.fallback.as_ref().map(ToString::to_string),
            fuel: note.fuel,
            fuel_limit: note.fuel_limit,
        }
    }
}
