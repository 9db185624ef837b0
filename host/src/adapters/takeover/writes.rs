//! Which of the writes that wait in another program are taken into our queue. Each is looked at in the order in which they
//! were asked for; nothing that waits here makes room for them.

use std::collections::{BTreeMap, BTreeSet};

use super::Standing;
use crate::{
    adapters::{
        hermes::{PendingAct, PendingWrite},
        said::Left,
    },
    ledger::{Digest, Limits, Pending, PendingId, RootId, TakenWrite, Verb},
    skill::{Instant, OneLine, SkillId, State},
};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// A write as it lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingThere {
    /// Its file, below the other program's home.
    pub file: String,
    /// Of the file's bytes.
    pub digest: Digest,
    /// What it says.
    pub write: PendingWrite,
}

impl WaitingThere {
    /// That it stays there, and why.
    #[must_use]
    pub fn left(&self, why: impl AsRef<str>) -> Left {
        Left::new(&self.file, format!("{} {}", self.write.action, self.write.skill), why)
    }
}

/// What a write is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A folder below a root, that is to be made.
    New(RootId, String),
    /// A skill.
    There(Standing),
}

impl Place {
    /// The root that it lies in, as the ledger numbers it.
    #[must_use]
    pub fn root(&self) -> RootId {
        match self {
            Place::New(root, _) => *root,
            Place::There(skill) => skill.root,
        }
    }

    /// Its folder below the root.
    #[must_use]
    pub fn folder(&self) -> &str {
        match self {
            Place::New(_, folder) => folder,
            Place::There(skill) => &skill.folder,
        }
    }
}

/// A write that is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeWrite {
    /// As it lies there.
    pub there: WaitingThere,
    /// What it is about.
    pub place: Place,
    /// Since when it waits; not in the future.
    pub at: Instant,
    /// What a person should know of it.
    pub notes: Vec<OneLine>,
}

/// What is known of the writes of a home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WritePlan {
    /// Those that are taken.
    pub taken: Vec<TakeWrite>,
    /// Those that were taken before, and as what.
    pub known: Vec<(WaitingThere, PendingId)>,
    /// Those that stay where they are, and why.
    pub left: Vec<Left>,
}

/// Says what would be written down of a write, or why its writer would be refused.
pub type Check<'a> = dyn Fn(&TakeWrite) -> Result<String, String> + 'a;

/// What the plan is made of.
pub struct WriteInputs<'a> {
    /// What waits there.
    pub there: &'a [WaitingThere],
    /// What was taken before.
    pub known: &'a [TakenWrite],
    /// What waits here.
    pub waiting: &'a [Pending],
    /// How many may.
    pub limits: Limits,
    /// Whom a name means.
    pub named: &'a dyn Fn(&str) -> Vec<Standing>,
    /// The root that new skills are made in.
    pub root: RootId,
    /// The real time.
    pub now: Instant,
    /// Whether it could be done here.
    pub check: &'a Check<'a>,
}

/// Makes the plan.
#[must_use]
pub fn plan_writes(inputs: &WriteInputs<'_>) -> WritePlan {
    let mut there: Vec<&WaitingThere> = inputs.there.iter().collect();
    there.sort_by_key(|it| (it.write.at.unwrap_or(inputs.now), it.file.as_str()));
    let mut planning = Planning::new(inputs);
    for it in there {
        if let Err(why) = planning.one(it) {
            planning.plan.left.push(it.left(why));
        }
    }
    planning.plan
}

/// What writes are counted by: a skill, or the folder of one that is to be made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    New(RootId, String),
    There(SkillId),
}

struct Planning<'a> {
    inputs: &'a WriteInputs<'a>,
    known: BTreeMap<Digest, PendingId>,
    counts: BTreeMap<Key, usize>,
    in_all: usize,
    /// What waits, each with its actor's word.
    same: BTreeSet<(Key, &'static str, String)>,
    plan: WritePlan,
}

impl<'a> Planning<'a> {
    fn new(inputs: &'a WriteInputs<'a>) -> Planning<'a> {
        let known = inputs.known.iter().map(|it| (it.record.digest, it.pending)).collect();
        let plan = WritePlan::default();
        let (counts, same) = (BTreeMap::new(), BTreeSet::new());
        let mut planning = Planning { inputs, known, counts, in_all: 0, same, plan };
        for it in inputs.waiting.iter().filter(|it| it.asked.verb != Verb::Outside) {
            let key = match it.asked.verb {
                Verb::Create => Key::New(it.asked.root, it.asked.folder.clone()),
                _ => Key::There(it.asked.skill),
            };
            planning.count(key, it.asked.actor.word(), it.asked.wanted.clone());
        }
        planning
    }

    fn count(&mut self, key: Key, actor: &'static str, wanted: String) {
        *self.counts.entry(key.clone()).or_default() += 1;
        self.in_all += 1;
        self.same.insert((key, actor, wanted));
    }

    fn one(&mut self, there: &WaitingThere) -> Result<(), String> {
        if let Some(pending) = self.known.get(&there.digest) {
            self.plan.known.push((there.clone(), *pending));
            return Ok(());
        }
        let twice = |it: &&TakeWrite| it.there.digest == there.digest;
        if let Some(first) = self.plan.taken.iter().find(twice) {
            return Err(format!("it is the same as `{}`", first.there.file));
        }
        let (at, notes) = self.time(there)?;
        let place = self.place(&there.write)?;
        let take = TakeWrite { there: there.clone(), place, at, notes };
        let wanted = (self.inputs.check)(&take)?;
        let key = match &take.place {
            Place::New(root, folder) => Key::New(*root, folder.clone()),
            Place::There(skill) => Key::There(skill.id),
        };
        let actor = there.write.actor.word();
        if !self.same.contains(&(key.clone(), actor, wanted.clone())) {
            let of_skill = self.counts.get(&key).copied().unwrap_or(0);
            self.inputs.limits.room(of_skill, self.in_all).map_err(|full| full.to_string())?;
            self.count(key, actor, wanted);
        }
        self.plan.taken.push(take);
        Ok(())
    }

    /// Since when it waits. What waited there for longer than anything waits here would be put out at once.
    fn time(&self, there: &WaitingThere) -> Result<(Instant, Vec<OneLine>), String> {
        let (now, days) = (self.inputs.now, self.inputs.limits.days);
        let at = there.write.at.unwrap_or(now);
        let mut notes = there.write.notes.clone();
        if at > now {
            notes.push(OneLine::new("its time lies in the future; it counts as of now"));
        }
        if at.0 < now.0.saturating_sub(i64::from(days).saturating_mul(DAY)) {
            return Err(format!(
                "it waits since {at}, and nothing waits here for more than {days} days"
            ));
        }
        Ok((at.min(now), notes))
    }

    /// Hermes goes by the names of folders; what else a name means is not guessed.
    fn place(&self, write: &PendingWrite) -> Result<Place, String> {
        if let PendingAct::Create { category, .. } = &write.act {
            let folder = match category {
                Some(category) => format!("{category}/{}", write.skill),
                None => write.skill.clone(),
            };
            return Ok(Place::New(self.inputs.root, folder));
        }
        let mut found = (self.inputs.named)(&write.skill);
        let name = || OneLine::capped(&write.skill, 80);
        let one = match (found.pop(), found.len()) {
            (Some(one), 0) => one,
            (None, _) => return Err("no skill is called so".to_owned()),
            (Some(_), more) => return Err(format!("{} skills are called so", more + 1)),
        };
        let last = one.folder.rsplit('/').next().unwrap_or(&one.folder);
        if one.state == State::Archived {
            return Err(format!("`{}` lies in the archive", name()));
        }
        if last != write.skill && one.folder != write.skill {
            return Err(format!(
                "`{}` is called so here, and its folder is another one",
                one.folder
            ));
        }
        Ok(Place::There(one))
    }
}

#[cfg(test)]
mod tests;
