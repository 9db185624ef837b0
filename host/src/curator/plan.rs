//! From opinions to a plan: what would become of each skill, why, and which law held it. A plan is data with an id; a preview
//! prints it, a pass carries it out, a report quotes it.

use serde::{Deserialize, Serialize};

use super::{
    ask::Heard,
    combine::{Verdict, combine},
    facts::Subject,
    prune,
};
use crate::{
    config::Combine,
    decision::Reasoned,
    laws::{Bounds, Law, Opinion, Ruling, Standing, Wish, hold_fates},
    ledger::Digest,
    skill::{Instant, OneLine, SkillId, State},
};

/// How the name of a pruning's plan begins.
pub const PRUNING: &str = "prune-";

/// Who asked for a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// A person, who sees the plan and says yes to it.
    Person,
    /// Nobody: it was due.
    Schedule,
}

/// A policy that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Its name and version, or the name that it was given.
    pub title: String,
    /// Where it is from.
    pub source: String,
    /// SHA-256 of its component, where it loaded.
    pub digest: Option<String>,
    /// Why it gave no answer that counts, where it did not: then nothing is changed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed: Option<String>,
}

/// What a skill has to be when the plan is carried out; else it is left, and the report says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// What tells the state of its file from any other.
    pub file: String,
    /// The newest time at which something was done with it.
    pub active: Instant,
}

/// One row of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The skill.
    pub id: SkillId,
    /// Its name.
    pub name: String,
    /// Its root.
    pub root: String,
    /// Its folder below the root.
    pub folder: String,
    /// What it is.
    pub from: State,
    /// What it will be; nothing where it stays.
    pub to: Option<State>,
    /// What the policies want it to be.
    pub wanted: State,
    /// The law that made something else of that.
    pub law: Option<Law>,
    /// The jobs that name it, where that is the law.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub jobs: Vec<String>,
    /// The policy that voted to keep it, and why, where that is why it stays.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kept: Option<(String, Reasoned)>,
    /// The policies that want it.
    pub by: Vec<String>,
    /// Why, in the words of the first of them.
    pub reason: Reasoned,
    /// What has to hold for it to be done.
    pub expected: Expected,
}

/// Something that a policy wants a person to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noticed {
    /// The skill.
    pub id: SkillId,
    /// Its name.
    pub name: String,
    /// What kind of thing it is, in the policy's word.
    pub kind: OneLine,
    /// The policy.
    pub by: String,
    /// Why.
    pub reason: Reasoned,
}

/// What a pass would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The time that it was decided for.
    pub made: Instant,
    /// Who asked for it.
    pub asked: Asked,
    /// Whether a person said that what jobs name may be retired as well.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub despite_jobs: bool,
    /// How several opinions became one.
    pub combine: Combine,
    /// Who was asked.
    pub policies: Vec<Policy>,
    /// How many skills were looked at.
    pub looked: usize,
    /// How many of them a pass may touch at all.
    pub candidates: usize,
    /// Every skill that something is wanted of: those that are retired first, then by folder.
    pub rows: Vec<Planned>,
    /// What a person should look at.
    pub notices: Vec<Noticed>,
}

impl Plan {
    /// Its name: the same plan has the same one. That of a pruning says so, since a pruning is no pass that others wait for.
    #[must_use]
    pub fn id(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        let id: String = Digest::of(&text).to_string().chars().take(12).collect();
        if self.policies.iter().any(|it| it.source == prune::SOURCE) {
            format!("{PRUNING}{id}")
        } else {
            id
        }
    }

    /// Rows that change something, to that state.
    pub fn to(&self, state: State) -> impl Iterator<Item = &Planned> {
        self.rows.iter().filter(move |row| row.to == Some(state))
    }

    /// Rows of which something else was made than was wanted, or nothing.
    pub fn held(&self) -> impl Iterator<Item = &Planned> {
        self.rows.iter().filter(|row| row.law.is_some() || row.kept.is_some())
    }

    /// Whether it changes anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| row.to.is_none())
    }

    /// The first policy that gave no answer that counts, and why.
    #[must_use]
    pub fn failed(&self) -> Option<(&str, &str)> {
        self.policies.iter().find_map(|it| Some((it.title.as_str(), it.failed.as_deref()?)))
    }
}

/// Makes a plan of what was heard. Where a policy gave no answer that counts, it changes nothing.
#[must_use]
pub fn make(
    subjects: &[Subject],
    heard: &Heard,
    combine_by: Combine,
    (asked, bounds): (Asked, Bounds),
    now: Instant,
) -> Plan {
    let policies = heard.notes.iter().map(|note| Policy {
        title: note.policy.clone(),
        source: note.source.clone(),
        digest: note.digest.clone(),
        failed: note.fallback.as_ref().map(ToString::to_string),
    });
    let opinions: Vec<_> = heard.opinions.iter().map(Option::as_ref).collect();
    make_of(subjects, (policies.collect(), &opinions), combine_by, (asked, bounds), now)
}

/// The same of policies and their opinions, one each, whoever heard them.
#[must_use]
pub fn make_of(
    subjects: &[Subject],
    (policies, opinions): (Vec<Policy>, &[Option<&Opinion>]),
    combine_by: Combine,
    (asked, bounds): (Asked, Bounds),
    now: Instant,
) -> Plan {
    let titles: Vec<String> = policies.iter().map(|it| it.title.clone()).collect();
    let mut plan = Plan {
        made: now,
        asked,
        despite_jobs: false,
        combine: combine_by,
        policies,
        looked: subjects.len(),
        candidates: subjects.iter().filter(|it| it.in_care()).count(),
        rows: Vec::new(),
        notices: Vec::new(),
    };
    let opinions: Option<Vec<_>> = opinions.iter().copied().collect();
    let Some(opinions) = opinions else { return plan };
    let told = |who: usize, why: u32| {
        let reason = opinions.get(who).and_then(|it| it.reason(why)).cloned();
        Some((titles.get(who).cloned().unwrap_or_default(), reason?))
    };
    let mut verdicts = combine(&opinions, subjects.len(), combine_by);
    // Of those that would be retired the ones come first that nobody used for longest.
    verdicts.sort_by_key(|it| subjects.get(it.row as usize).map(|it| (it.active(), it.id)));
    let (vetoed, free): (Vec<Verdict>, Vec<Verdict>) =
        verdicts.into_iter().partition(|it| it.vetoed.is_some());
    let wishes: Vec<Wish> = free.iter().map(|it| Wish { row: it.row, to: it.to }).collect();
    let standings: Vec<Standing> = subjects.iter().map(|it| it.standing).collect();
    let rulings = hold_fates(&wishes, &standings, bounds).into_inner();
    let mut verdict_of: Vec<Option<&Verdict>> = vec![None; subjects.len()];
    for verdict in free.iter().chain(&vetoed) {
        if let Some(place) = verdict_of.get_mut(verdict.row as usize) {
            *place = Some(verdict);
        }
    }
    let kept = vetoed.iter().map(|it| Ruling {
        wish: Wish { row: it.row, to: it.to },
        to: None,
        law: None,
    });
    for ruling in rulings.into_iter().chain(kept) {
        let row = ruling.wish.row as usize;
        let (Some(subject), Some(Some(verdict))) = (subjects.get(row), verdict_of.get(row)) else {
            continue;
        };
        let Some((_, reason)) = verdict.by.first().and_then(|(who, why)| told(*who, *why)) else {
            continue;
        };
        let by = verdict.by.iter().filter_map(|(who, why)| Some(told(*who, *why)?.0)).collect();
        plan.rows.push(Planned {
            id: subject.id,
            name: subject.name.clone(),
            root: subject.root.clone(),
            folder: subject.folder.clone(),
            from: subject.standing.state,
            to: ruling.to,
            wanted: ruling.wish.to,
            law: ruling.law,
            jobs: match ruling.law {
                Some(Law::Referenced) => subject.jobs.clone(),
                _ => Vec::new(),
            },
            kept: verdict.vetoed.and_then(|(who, why)| told(who, why)),
            by,
            reason,
            expected: Expected { file: subject.file.clone(), active: subject.active() },
        });
    }
    plan.rows.sort_by(|a, b| {
        let order = |it: &Planned| (it.to != Some(State::Archived), it.to != Some(State::Stale));
        order(a).cmp(&order(b)).then_with(|| (&a.root, &a.folder).cmp(&(&b.root, &b.folder)))
    });
    for (who, opinion) in opinions.iter().enumerate() {
        for (row, kind, why) in &opinion.notices {
            let (Some(subject), Some((by, reason))) =
                (subjects.get(*row as usize), told(who, *why))
            else {
                continue;
            };
            let kind = kind.clone();
            plan.notices.push(Noticed {
                id: subject.id,
                name: subject.name.clone(),
                kind,
                by,
                reason,
            });
        }
    }
    plan
}
