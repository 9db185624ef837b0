//! The rule: how strong the memory of each skill is, and what that comes to. Nothing is archived that was not stale before.

use crate::settings::{Reason, Settings};
use crate::strength::{Practice, as_one_use, of_one_use, strength};
use skillkeep_policy::curator::{Answer, Request, State};
use skillkeep_policy::{DAY, Instant, Skill};

/// Decides. What is nobody's to retire is passed over, but for one thing: what is stale and strong becomes active, whoever's it
/// is by now. A pin or a job is for the host's laws to hold, which say so of each skill.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let mut answer = Answer::default();
    for skill in request.skills() {
        let memory = Memory::of(skill, request.now(), settings);
        let forgotten = memory.idle >= settings.forget_after_days * DAY;
        let goes = |days| memory.is_weak(days) || forgotten;
        match skill.state() {
            State::Stale if !goes(settings.active_within_days) => {
                let allowed = settings.active_within_days;
                answer.activate(skill, Reason::Strong { as_weak_as: memory.days(), allowed });
            }
            _ if !skill.candidate() => {}
            State::Stale if goes(settings.archive_after_days) => {
                answer.archive(skill, memory.why(settings.archive_after_days, settings));
            }
            State::Active if goes(settings.stale_after_days) => {
                answer.mark_stale(skill, memory.why(settings.stale_after_days, settings));
            }
            State::Active | State::Stale => {}
        }
    }
    answer
}

/// What is left of a skill's use.
struct Memory {
    strength: f64,
    /// Seconds since the last sign of life.
    idle: Instant,
    uses: u64,
}

impl Memory {
    fn of(skill: Skill<'_>, now: Instant, settings: &Settings) -> Self {
        let created = skill.created().unwrap_or(now);
        let signs =
            [skill.last_used(), skill.last_viewed(), skill.last_written(), skill.restored()];
        let last = signs.into_iter().flatten().max().unwrap_or(created);
        let idle = now.saturating_sub(last).max(0);
        let uses = skill.uses().unwrap_or(0);
        // Whoever uses a skill looks at it. Coming back from the archive is a sign of life like a use.
        let looks = skill.views().unwrap_or(0).saturating_sub(uses);
        let others = looks.saturating_add(skill.writes().unwrap_or(0));
        let returns = if skill.restored().is_some() { 1.0 } else { 0.0 };
        let practice = Practice {
            uses: real(uses) + settings.look_weight * real(others) + returns,
            since_last: seconds(idle),
            life: seconds(now.saturating_sub(created)),
        };
        Self { strength: strength(practice), idle, uses }
    }

    /// Whether it is as weak as one use so many days ago.
    fn is_weak(&self, days: i64) -> bool {
        self.strength <= of_one_use(seconds(days * DAY))
    }

    /// How many days ago one use would be as weak. The last bits of a whole number of days may be missing.
    fn days(&self) -> i64 {
        #[allow(clippy::cast_possible_truncation, reason = "never more than the age of a skill")]
        let days = (as_one_use(self.strength) / 86_400.0 + 1e-6) as i64;
        days
    }

    fn why(&self, allowed: i64, settings: &Settings) -> Reason {
        let idle = self.idle / DAY;
        if self.is_weak(allowed) {
            return Reason::Weak { as_weak_as: self.days(), allowed, uses: self.uses, last: idle };
        }
        Reason::Forgotten { days: idle, allowed: settings.forget_after_days }
    }
}

fn real(count: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a count of uses is far below 2^53")]
    let real = count as f64;
    real
}

fn seconds(span: i64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a span of seconds is far below 2^53")]
    let seconds = span.max(0) as f64;
    seconds
}
