//! What a pass was decided from, and what came of it.

use std::{collections::BTreeMap, io, path::Path};

use serde::{Deserialize, Serialize};

use super::{
    RecordError, SlotRecord,
    packed::{pack_named, unpack},
};
use crate::{
    config::Combine,
    curator::{Asked, Heard, Plan, Planned, Policy, Subject, make, make_of, question},
    decision::CuratorRequest,
    laws::{Bounds, Law, Opinion},
    ledger::Digest,
    skill::{Instant, SkillId, State},
};

/// The form of a record that is written and read.
pub const FORM: &str = "skillkeep.pass-record/1";

/// One pass: what its policies were asked, what they answered, what the laws held that by, and the plan that came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PassRecord {
    /// Its form.
    pub schema: String,
    /// The name of the plan that was carried out.
    pub plan: String,
    /// Who asked for it.
    pub asked: Asked,
    /// What held for the pass as a whole: consent, and how many skills it retired at most.
    pub bounds: Bounds,
    /// How several opinions became one.
    pub combine: Combine,
    /// The time that it was decided for.
    pub now: Instant,
    /// What policies draw from.
    pub seed: u64,
    /// Facts that were looked up because somebody asked for them.
    pub told: Told,
    /// Who was asked, and what they said.
    pub seats: Vec<SeatRecord>,
    /// The skills that it looked at, with all that policies may ask and laws look at.
    pub subjects: Vec<Subject>,
    /// What the plan has of each skill of which something was wanted.
    pub rows: Vec<Ruled>,
}

/// Facts that a pass looks up only where a policy asks for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// What texts say that doesn't work.
    pub claims: bool,
    /// When skills last helped and last didn't.
    pub outcomes: bool,
}

/// One policy in its seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatRecord {
    /// Who it was, with what settings and limits.
    pub slot: SlotRecord,
    /// What it answered; nothing where that didn't count.
    pub answer: Option<Opinion>,
}

/// A row of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruled {
    /// The skill.
    pub id: SkillId,
    /// What the policies wanted it to be.
    pub wanted: State,
    /// What it was to be; nothing where it stayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<State>,
    /// The law that made something else of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<Law>,
}

/// What somebody answers to the questions of a pass: an opinion, or why there is none that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The opinion.
    pub opinion: Option<Opinion>,
    /// Why there is none.
    pub failed: Option<String>,
}

impl PassRecord {
    /// The plan that comes of what was heard, and its record. `settings` are those of the slot, as `KEY=VALUE`.
    #[must_use]
    pub fn of(
        (subjects, told): (Vec<Subject>, Told),
        (heard, settings): (Heard, &[String]),
        combine: Combine,
        (asked, bounds): (Asked, Bounds),
        (now, seed): (Instant, u64),
    ) -> (Plan, PassRecord) {
        let plan = make(&subjects, &heard, combine, (asked, bounds), now);
        let seats = heard.notes.iter().zip(heard.opinions).map(|(note, answer)| {
            let slot = SlotRecord::of(note, settings.to_vec());
            SeatRecord { slot, answer }
        });
        let record = PassRecord {
            schema: FORM.to_owned(),
            plan: plan.id(),
            asked,
            bounds,
            combine,
            now,
            seed,
            told,
            seats: seats.collect(),
            subjects,
            rows: plan.rows.iter().map(Ruled::of).collect(),
        };
        (plan, record)
    }

    /// The plan that comes of what was answered.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let answers = self.seats.iter().map(|it| (it.answer.as_ref(), it.slot.fallback.clone()));
        self.plan_by(answers)
    }

    /// The plan that would come of other answers of its policies.
    #[must_use]
    pub fn plan_of(&self, answers: &[Answered]) -> Plan {
        self.plan_by(answers.iter().map(|it| (it.opinion.as_ref(), it.failed.clone())))
    }

    fn plan_by<'a>(
        &self,
        answers: impl Iterator<Item = (Option<&'a Opinion>, Option<String>)>,
    ) -> Plan {
        let (mut policies, mut opinions) = (Vec::new(), Vec::new());
        for (seat, (opinion, failed)) in self.seats.iter().zip(answers) {
            let SlotRecord { policy, source, digest, .. } = seat.slot.clone();
            policies.push(Policy { title: policy, source, digest, failed });
            opinions.push(opinion);
        }
        let terms = (self.asked, self.bounds);
        make_of(&self.subjects, (policies, &opinions), self.combine, terms, self.now)
    }

    /// The question to somebody who asks for these facts.
    #[must_use]
    pub fn question(&self, asked: &dyn Fn(&str) -> bool) -> CuratorRequest {
        question(&self.subjects, self.now, self.seed, asked)
    }

    /// What of a record is another where its policies answer so, and of which skills their plan has something else; nothing
    /// where all is the same, bit for bit.
    #[must_use]
    pub fn differs(&self, answers: &[Answered]) -> (Vec<String>, Vec<String>) {
        let same = |seat: &SeatRecord, it: &Answered| {
            seat.answer == it.opinion && seat.slot.fallback == it.failed
        };
        let others = self.seats.iter().zip(answers).filter(|(seat, it)| !same(seat, it));
        let mut what: Vec<String> =
            others.map(|(seat, _)| format!("the answer of `{}`", seat.slot.policy)).collect();
        let plan = self.plan_of(answers);
        if plan.id() != self.plan {
            what.push("the plan".to_owned());
        }
        let rows = |rows: Vec<Ruled>| -> BTreeMap<SkillId, Ruled> {
            rows.into_iter().map(|it| (it.id, it)).collect()
        };
        let (ours, theirs) =
            (rows(self.rows.clone()), rows(plan.rows.iter().map(Ruled::of).collect()));
        let moved = self.subjects.iter().filter(|it| ours.get(&it.id) != theirs.get(&it.id));
        (what, moved.map(|it| it.name.clone()).collect())
    }

    /// Whether it is about a skill.
    #[must_use]
    pub fn is_about(&self, skill: SkillId) -> bool {
        self.subjects.iter().any(|it| it.id == skill)
    }

    /// Its name, and its bytes as they are kept.
    ///
    /// # Errors
    /// None that is known of: what it holds can be written as JSON.
    pub fn packed(&self) -> io::Result<(Digest, Vec<u8>)> {
        pack_named(self)
    }

    /// A record by its name and its bytes. `path` is where they lie, for who is told.
    ///
    /// # Errors
    /// Where the bytes are others than the name says, or the record has another form.
    pub fn unpacked(path: &Path, packed: &[u8], name: Digest) -> Result<PassRecord, RecordError> {
        let bytes = unpack(path, packed, name)?;
        let damaged = |error: serde_json::Error| RecordError::Damaged {
            path: path.to_owned(),
            found: error.to_string(),
        };
        // Another form has other fields: first which it is.
        let Form { schema } = serde_json::from_slice(&bytes).map_err(damaged)?;
        if schema != FORM {
            return Err(RecordError::Form { found: schema, expected: FORM });
        }
        serde_json::from_slice(&bytes).map_err(damaged)
    }
}

#[derive(Deserialize)]
struct Form {
    schema: String,
}

impl Ruled {
    fn of(row: &Planned) -> Ruled {
        Ruled { id: row.id, wanted: row.wanted, to: row.to, law: row.law }
    }
}

#[cfg(test)]
mod tests;
