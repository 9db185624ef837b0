//! The rule: which skills fail, and what that comes to.

use crate::bound::upper;
use crate::settings::{Reason, Settings};
use skillkeep_policy::curator::{Answer, Request, State};
use skillkeep_policy::{DAY, Skill};

/// The kind of the notice.
const FAILING: &str = "failing";

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let mut answer = Answer::default();
    for skill in request.skills() {
        let known = Known::of(skill, settings);
        if known.all <= 0.0 {
            continue;
        }
        if changed_since(skill) || !known.fails(settings) {
            if let Some(why) = awake(skill, request, settings) {
                answer.activate(skill, why);
            }
        } else if known.failures == 0 {
            answer.notice(skill, FAILING, Reason::OftenCorrected { corrected: known.corrected });
        } else if !skill.is_free() {
            answer.notice(skill, FAILING, known.kept());
        } else if known.uses >= many(settings) {
            answer.notice(skill, FAILING, known.in_use());
        } else if skill.state() == State::Stale {
            answer.archive(skill, known.failing());
        } else {
            answer.mark_stale(skill, known.failing());
        }
    }
    answer
}

/// What failed was another text: the one that is there has not failed yet.
fn changed_since(skill: Skill<'_>) -> bool {
    matches!((skill.last_failure(), skill.last_written()), (Some(failed), Some(written)) if written > failed)
}

/// Why a stale skill becomes active, if it does: it helped lately and last, or was changed lately, after it failed. A pin
/// leaves it as it is.
fn awake(skill: Skill<'_>, request: &Request<'_>, settings: &Settings) -> Option<Reason> {
    if skill.state() != State::Stale || skill.pinned() {
        return None;
    }
    let failed = skill.last_failure();
    let recent = |then: Option<i64>| {
        let then = then.filter(|then| failed.is_none_or(|failed| *then > failed))?;
        let age = request.now().saturating_sub(then);
        (age < settings.recent_days * DAY).then_some(age / DAY)
    };
    let changed = || failed.and_then(|_| recent(skill.last_written()));
    recent(skill.last_success())
        .map(|days| Reason::Helped { days })
        .or_else(|| changed().map(|days| Reason::Changed { days }))
}

fn many(settings: &Settings) -> u64 {
    settings.many_uses.unsigned_abs()
}

/// What is known of how a skill does.
struct Known {
    helped: u64,
    failures: u64,
    corrected: u64,
    uses: u64,
    /// All outcomes, with corrections at their weight.
    all: f64,
    /// The most that it can be expected to help, as a part of 1.
    most: f64,
}

impl Known {
    fn of(skill: Skill<'_>, settings: &Settings) -> Self {
        let (helped, failures, corrected) =
            (skill.successes(), skill.failures(), skill.corrected());
        let all = real(helped) + real(failures) + settings.corrected_weight * real(corrected);
        // Whoever told an outcome had used it, also where no use was counted.
        let uses = skill.uses().unwrap_or(0).max(helped.saturating_add(failures));
        let most = upper(real(helped), all, settings.confidence);
        Self { helped, failures, corrected, uses, all, most }
    }

    fn fails(&self, settings: &Settings) -> bool {
        self.all >= settings.min_outcomes && self.most < settings.threshold
    }

    const fn said(&self) -> u64 {
        self.helped.saturating_add(self.failures)
    }

    /// Of a hundred uses, rounded up: it is said to be the most.
    fn most_of_hundred(&self) -> i64 {
        #[allow(clippy::cast_possible_truncation, reason = "a part of 1, of a hundred")]
        let most = (self.most * 100.0).ceil() as i64;
        most
    }

    fn failing(&self) -> Reason {
        let (helped, said, corrected) = (self.helped, self.said(), self.corrected);
        Reason::Failing { helped, said, corrected, most: self.most_of_hundred() }
    }

    fn kept(&self) -> Reason {
        let (helped, said, corrected) = (self.helped, self.said(), self.corrected);
        Reason::FailingKept { helped, said, corrected, most: self.most_of_hundred() }
    }

    fn in_use(&self) -> Reason {
        let (helped, said, corrected) = (self.helped, self.said(), self.corrected);
        let most = self.most_of_hundred();
        Reason::FailingInUse { helped, said, corrected, most, uses: self.uses }
    }
}

fn real(count: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a count of outcomes is far below 2^53")]
    let real = count as f64;
    real
}
