//! What became of a pass, for people and for programs: every skill that was touched or held, by name.

use serde::{Deserialize, Serialize};

use super::plan::{Asked, Noticed, Plan, Planned, Policy};
use crate::{
    laws::Law,
    skill::{Instant, OneLine, State},
};

/// What became of one row of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Became {
    /// It was done.
    Done {
        /// The change that did it, where a folder was moved: `undo` takes it back.
        change: Option<i64>,
    },
    /// It stays as it was, by the plan.
    Held,
    /// It was left: the skill is not what it was when the plan was made, or it can't be moved now.
    Left {
        /// Why.
        why: String,
    },
    /// The pass ended before it.
    NotReached,
}

/// A row of a plan, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happened {
    /// The row.
    #[serde(flatten)]
    pub planned: Planned,
    /// What became of it.
    pub became: Became,
}

/// A pass in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// Skills that were looked at.
    pub looked: usize,
    /// Skills that a pass may touch.
    pub candidates: usize,
    /// Went stale.
    pub marked_stale: usize,
    /// Went to the archive.
    pub archived: usize,
    /// Became active again.
    pub reactivated: usize,
    /// Stayed, by a law or a vote.
    pub held: usize,
    /// Were left, being other than planned.
    pub left: usize,
    /// Were pointed out to a person.
    pub noticed: usize,
}

/// What became of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The form of this.
    pub schema: String,
    /// The pass's number.
    pub pass: i64,
    /// The plan's name.
    pub plan: String,
    /// Who asked for it.
    pub asked: Asked,
    /// When it began.
    pub began: Instant,
    /// When it ended.
    pub ended: Instant,
    /// The snapshot that was made before, where one was.
    pub snapshot: Option<String>,
    /// Who was asked.
    pub policies: Vec<Policy>,
    /// In numbers.
    pub counts: Counts,
    /// Why it ended before its end, where it did.
    pub stopped: Option<String>,
    /// Whether it was cut off: then whoever came next wrote this, of what it is known to have done.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cut_off: bool,
    /// Every row of the plan; of a pass that was cut off those that were begun.
    pub skills: Vec<Happened>,
    /// What a person should look at.
    pub notices: Vec<Noticed>,
}

impl Counts {
    /// What became of a plan, in numbers.
    #[must_use]
    pub fn of(plan: &Plan, skills: &[Happened]) -> Counts {
        let counts = Counts {
            looked: plan.looked,
            candidates: plan.candidates,
            noticed: plan.notices.len(),
            ..Counts::default()
        };
        counts.and(skills)
    }

    /// With these skills counted as well.
    #[must_use]
    pub fn and(mut self, skills: &[Happened]) -> Counts {
        let counts = &mut self;
        for it in skills {
            let place = match (&it.became, it.planned.to) {
                (Became::Done { .. }, Some(State::Archived)) => &mut counts.archived,
                (Became::Done { .. }, Some(State::Stale)) => &mut counts.marked_stale,
                (Became::Done { .. }, _) => &mut counts.reactivated,
                (Became::Held, _) => &mut counts.held,
                (Became::Left { .. } | Became::NotReached, _) => &mut counts.left,
            };
            *place += 1;
            // What went stale because a law held it from more is both.
            if matches!(it.became, Became::Done { .. }) && it.planned.law.is_some() {
                counts.held += 1;
            }
        }
        self
    }
}

/// A pass in one line.
#[must_use]
pub fn summary(counts: &Counts) -> String {
    let parts = [
        (counts.marked_stale, "marked stale"),
        (counts.archived, "archived"),
        (counts.reactivated, "active again"),
    ];
    let mut told: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if told.is_empty() {
        told.push("no changes".to_owned());
    }
    for (count, word) in
        [(counts.held, "held"), (counts.left, "left"), (counts.noticed, "to look at")]
    {
        if count > 0 {
            told.push(format!("{count} {word}"));
        }
    }
    told.join(", ")
}

/// What the policies want of a skill, behind "to".
#[must_use]
pub fn wanted(state: State) -> &'static str {
    match state {
        State::Archived => "be archived",
        State::Stale => "go stale",
        State::Active | State::Gone | State::Purged => "become active again",
    }
}

/// Jobs by their names, for people; among them why it can't be told what jobs name, where that is so.
#[must_use]
pub fn in_a_row(jobs: &[String]) -> String {
    let told = |job: &String| match job.contains('`') {
        true => OneLine::capped(job, 300).into_string(),
        false => format!("`{}`", OneLine::capped(job, 60)),
    };
    jobs.iter().map(told).collect::<Vec<_>>().join(", ")
}

/// What holds a row, in words.
#[must_use]
pub fn why_held(row: &Planned) -> String {
    if let Some((policy, reason)) = &row.kept {
        return format!("{policy} votes to keep it: {}", reason.text);
    }
    match row.law {
        None => String::new(),
        Some(Law::Pinned) => "it is pinned".to_owned(),
        Some(Law::Referenced) => {
            if row.jobs.is_empty() {
                "a job names it".to_owned()
            } else {
                format!("jobs name it: {}", in_a_row(&row.jobs))
            }
        }
        Some(Law::Owned) => "its folder is only read".to_owned(),
        Some(Law::Declared) => "nobody gave it into the curator's care".to_owned(),
        Some(Law::BuiltIn) => "`curator.protected` has its name".to_owned(),
        Some(Law::Fresh) => "it was made, adopted or brought back since the last pass".to_owned(),
        Some(Law::Consent) => "nobody said yes to retiring yet: `skillkeep curator run`".to_owned(),
        Some(Law::BlastRadius) => {
            "more than one pass retires by itself; it waits for the next, or for you".to_owned()
        }
        Some(law) => format!("law `{}`", law.word()),
    }
}

/// A name as Markdown shows it, whatever is in it.
fn code(text: &str) -> String {
    format!("`{}`", OneLine::capped(text, 120).as_str().replace('`', "'"))
}

impl Report {
    /// As people read it.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("# Pass {} of {}\n\n", self.pass, self.began);
        let by = match self.asked {
            Asked::Person => "by hand",
            Asked::Schedule => "by schedule",
        };
        let Counts { looked, candidates, .. } = self.counts;
        text.push_str(&format!("{}.\n\n", summary(&self.counts)));
        text.push_str(&format!(
            "- run {by}, plan `{}`, {} s\n",
            self.plan,
            self.ended.since(self.began)
        ));
        if self.cut_off {
            text.push_str("- what was only planned, or held, is not known any more\n");
        } else {
            text.push_str(&format!(
                "- {looked} skills looked at, {candidates} in the curator's care\n"
            ));
        }
        for policy in &self.policies {
            let digest = policy.digest.as_deref().map(|it| it.chars().take(12).collect::<String>());
            let digest = digest.map(|it| format!(" (`{it}`)")).unwrap_or_default();
            text.push_str(&format!("- asked {}{digest}", code(&policy.title)));
            if let Some(why) = &policy.failed {
                text.push_str(&format!(
                    ": gave no answer that counts, so nothing was changed: {why}"
                ));
            }
            text.push('\n');
        }
        match &self.snapshot {
            Some(snapshot) => text.push_str(&format!(
                "- before it, the snapshot `{snapshot}`: `skillkeep curator rollback {snapshot}` goes back to it\n"
            )),
            None => text.push_str("- no folder was moved, so no snapshot was made\n"),
        }
        if let Some(why) = &self.stopped {
            text.push_str(&format!("- it ended early: {why}\n"));
        }
        let done = |to: State| {
            move |it: &&Happened| {
                matches!(it.became, Became::Done { .. }) && it.planned.to == Some(to)
            }
        };
        for (title, state) in [
            ("Archived", State::Archived),
            ("Stale from now on", State::Stale),
            ("Active again", State::Active),
        ] {
            let rows: Vec<&Happened> = self.skills.iter().filter(done(state)).collect();
            text.push_str(&section(title, rows.len()));
            for it in rows {
                let row = &it.planned;
                text.push_str(&format!(
                    "- {} ({}): {}",
                    code(&row.name),
                    code(&row.folder),
                    row.reason.text
                ));
                if row.law.is_some() {
                    text.push_str(&format!(
                        "; it was to {}, and {}",
                        wanted(row.wanted),
                        why_held(row)
                    ));
                }
                if let Became::Done { change: Some(change) } = it.became {
                    text.push_str(&format!("; `skillkeep undo {change}` brings it back"));
                }
                text.push('\n');
            }
        }
        let held: Vec<&Happened> =
            self.skills.iter().filter(|it| it.became == Became::Held).collect();
        text.push_str(&section("Stay as they are", held.len()));
        for it in held {
            let row = &it.planned;
            let wanted = wanted(row.wanted);
            text.push_str(&format!(
                "- {} ({}): was to {wanted} ({}), and {}\n",
                code(&row.name),
                code(&row.folder),
                row.reason.text,
                why_held(row)
            ));
        }
        let left: Vec<(&Planned, String)> = self
            .skills
            .iter()
            .filter_map(|it| match &it.became {
                Became::Left { why } => Some((&it.planned, why.clone())),
                Became::NotReached => Some((&it.planned, "the pass ended before it".to_owned())),
                _ => None,
            })
            .collect();
        text.push_str(&section("Left for another pass", left.len()));
        for (row, why) in left {
            text.push_str(&format!(
                "- {} ({}): {}\n",
                code(&row.name),
                code(&row.folder),
                OneLine::capped(&why, 400)
            ));
        }
        text.push_str(&section("To look at", self.notices.len()));
        for it in &self.notices {
            text.push_str(&format!(
                "- {}: {} ({}, {})\n",
                code(&it.name),
                it.reason.text,
                it.kind,
                it.by
            ));
        }
        text
    }
}

fn section(title: &str, rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\n## {title} ({rows})\n\n") }
}
