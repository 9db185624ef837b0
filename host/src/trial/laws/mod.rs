//! What a good rule keeps, on made-up snapshots: searched for a counterexample, which is then made as small as it gets.
//!
//! These laws are about rules; those of the room `laws` are about plans, and stand guard whatever a rule does.

mod each;
mod lives;
mod writes;

use std::collections::BTreeMap;

use skillkeep_policy::{
    facts::Value,
    testkit::cases::{self, Case, Question, Reply},
};

use super::{
    Sandboxed, Sheet,
    sample::{Dice, Known, Sample, shrink},
    writes::{case, draw},
};
use crate::decision::Slot;
pub use each::LAWS;

/// How hard a counterexample is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Snapshots a law.
    pub snapshots: usize,
    /// The most skills in one of them.
    pub skills: usize,
    /// Skills in the largest library that is asked about.
    pub largest: usize,
    /// What the snapshots are drawn from.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { snapshots: 100, skills: 40, largest: 100_000, seed: 1 }
    }
}

/// One law.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub says: &'static str,
    /// The slots that it is for.
    pub slots: &'static [Slot],
    /// Facts of which the policy must ask for one, else the law says nothing of it; none where it always does.
    pub asks: &'static [&'static str],
    check: Check,
}

#[derive(Clone, Copy, Debug)]
enum Check {
    /// On snapshots of any kind.
    Each(fn(&Trial<'_>, &Sample) -> Result<(), String>),
    /// On libraries of these sizes.
    Sizes(fn(&Effort) -> Vec<usize>),
    /// On writes.
    Write(fn(&Trial<'_>, &Question) -> Result<(), String>),
}

/// A policy on trial, with what makes snapshots it can answer.
pub(super) struct Trial<'a> {
    pub(super) policy: &'a Sandboxed<'a>,
    known: Known,
    /// Writes that cases tell, for a policy that is asked about no table.
    writes: Vec<Case>,
}

/// What became of a law.
#[derive(Clone, Debug)]
pub struct LawRun {
    /// The law.
    pub law: Law,
    /// How it came out.
    pub verdict: Verdict,
}

/// How a law came out.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Kept on so many snapshots, of which the policy answered all but so many.
    Kept {
        /// Snapshots.
        snapshots: usize,
        /// Of them, those that it refused or failed at: they try nothing.
        unanswered: usize,
    },
    /// It says nothing of this policy, for a reason.
    Silent(String),
    /// Broken.
    Broken(Box<Broken>),
}

impl Verdict {
    /// Of a law that nothing broke. Where the policy answered nothing, nothing was tried either.
    fn of(asked: usize, answered: usize) -> Verdict {
        if answered == 0 {
            return Verdict::Silent(format!("it answered none of the {asked}"));
        }
        Verdict::Kept { snapshots: asked, unanswered: asked - answered }
    }
}

/// A counterexample.
#[derive(Clone, Debug)]
pub struct Broken {
    /// What was found and what was expected.
    pub what: String,
    /// The snapshot as a file of a case, where one can be told by rows.
    pub case: Option<String>,
}

/// Looks for a counterexample to each law.
#[must_use]
pub fn run_laws(policy: &Sandboxed<'_>, sheets: &[Sheet], effort: &Effort) -> Vec<LawRun> {
    let trial = Trial::new(policy, sheets);
    let of_slot = LAWS.iter().filter(|law| law.slots.contains(&policy.slot));
    of_slot.map(|law| LawRun { law: *law, verdict: trial.run(law, effort) }).collect()
}

impl<'a> Trial<'a> {
    fn new(policy: &'a Sandboxed<'a>, sheets: &[Sheet]) -> Trial<'a> {
        let files = sheets.iter().filter_map(|sheet| cases::parse(&sheet.name, &sheet.text).ok());
        let writes: Vec<Case> = files.flat_map(|file| file.cases).collect();
        let mut known: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for case in &writes {
            for (key, value) in case.own_facts() {
                known.entry(key).or_default().push(value);
            }
        }
        Trial { policy, known, writes }
    }

    fn run(&self, law: &Law, effort: &Effort) -> Verdict {
        let asks = &self.policy.subject.asks;
        if !law.asks.is_empty() && !asks.iter().any(|key| law.asks.contains(&key.as_str())) {
            return Verdict::Silent(format!("it asks for none of {}", law.asks.join(", ")));
        }
        if self.policy.slot == Slot::Provenance {
            return self.writes(law, effort);
        }
        match law.check {
            Check::Each(check) => self.search(law, check, effort),
            Check::Sizes(sizes) => self.sizes(law, &sizes(effort), effort),
            Check::Write(_) => Verdict::Silent("it is about writes".to_owned()),
        }
    }

    fn search(
        &self,
        law: &Law,
        check: fn(&Trial<'_>, &Sample) -> Result<(), String>,
        effort: &Effort,
    ) -> Verdict {
        let mut answered = 0;
        for number in 0..effort.snapshots {
            let mut dice = Dice::new(effort.seed ^ (number as u64) << 20);
            // Small ones first: they are read more easily, and most mistakes show in them.
            let skills = 1 + number * effort.skills / effort.snapshots.max(1);
            let sample = Sample::draw(&mut dice, skills, &self.known);
            if check(self, &sample).is_err() {
                let smallest = shrink(sample, 400, &mut |it| check(self, it).is_err());
                let what = check(self, &smallest).err().unwrap_or_default();
                return Verdict::Broken(Box::new(self.broken(law, what, &smallest)));
            }
            answered += usize::from(each::is_answered(self, &sample));
        }
        Verdict::of(effort.snapshots, answered)
    }

    fn sizes(&self, law: &Law, sizes: &[usize], effort: &Effort) -> Verdict {
        let mut answered = 0;
        for skills in sizes {
            let sample = Sample::draw(&mut Dice::new(effort.seed), *skills, &self.known);
            let reply = self.reply(&sample);
            answered += usize::from(!is_refusal(&reply));
            if let Reply::Failed(fault) = reply {
                let what = format!(
                    "with {skills} {} {fault}",
                    if *skills == 1 { "skill" } else { "skills" }
                );
                // A table of thousands of rows says nothing that its size doesn't.
                let case = (*skills <= 2).then(|| self.case(law, &what, &sample));
                return Verdict::Broken(Box::new(Broken { what, case }));
            }
        }
        Verdict::of(sizes.len(), answered)
    }

    /// A policy that judges writes is asked about those of its cases, and about made-up ones.
    fn writes(&self, law: &Law, effort: &Effort) -> Verdict {
        let (slot, subject) = (self.policy.sdk_slot(), &self.policy.subject);
        let of_cases = self.writes.iter().flat_map(|case| {
            let place = format!("{}:{}: ", case.path, case.line);
            case.questions(slot, subject).into_iter().map(move |it| (place.clone(), it))
        });
        let made_up = (0..effort.snapshots).map(|number| {
            let mut dice = Dice::new(effort.seed ^ (number as u64) << 20);
            (String::new(), draw(&mut dice, &subject.asks, &self.known))
        });
        let (mut asked, mut answered) = (0, 0);
        for (place, question) in of_cases.chain(made_up) {
            let kept = match law.check {
                Check::Write(check) => check(self, &question),
                _ => each::write(self, law.name, &question),
            };
            if let Err(what) = kept {
                let (title, note) =
                    (format!("Broken: {}", law.name), format!("This is broken: {what}."));
                let case = case(&title, law.says, &note, &question).filter(|_| place.is_empty());
                return Verdict::Broken(Box::new(Broken { what: place + &what, case }));
            }
            asked += 1;
            answered += usize::from(each::is_write_answered(self, &question));
        }
        Verdict::of(asked, answered)
    }

    pub(super) fn reply(&self, sample: &Sample) -> Reply {
        let library = sample.library();
        let policy = self.policy;
        policy.ask(&policy.subject.question(policy.sdk_slot(), &library, Vec::new()))
    }

    fn broken(&self, law: &Law, what: String, sample: &Sample) -> Broken {
        let case = self.case(law, &what, sample);
        Broken { what, case: Some(case) }
    }

    fn case(&self, law: &Law, what: &str, sample: &Sample) -> String {
        let title = format!("Broken: {}", law.name);
        let note = format!("This is broken: {what}.");
        let mut sample = sample.clone();
        if self.policy.slot != Slot::Budget {
            (sample.limit, sample.fixed) = (u32::MAX, 0);
            sample.context.remove("cost-rest");
        }
        cases::write(&title, law.says, &note, &sample.library(), &[])
    }
}

fn is_refusal(reply: &Reply) -> bool {
    matches!(
        reply,
        Reply::Demotion(Err(_))
            | Reply::Budget(Err(_))
            | Reply::Curator(Err(_))
            | Reply::Provenance(Err(_))
    )
}
