//! The rule: how long a skill has been idle, and what that comes to.

use crate::settings::{Reason, Settings};
use skillkeep_policy::curator::{Answer, Request, State};
use skillkeep_policy::{DAY, Instant, Skill};

/// Decides. What is nobody's to retire is passed over, but for one thing: what is stale and was used becomes active, whoever's
/// it is by now. A pin or a job is for the host's laws to hold, which say so of each skill.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let mut answer = Answer::default();
    let (stale, archive) = (settings.stale_after_days, settings.archive_after_days);
    for skill in request.skills() {
        let (sign, then) = last_sign(skill, request.now());
        let idle = request.now().saturating_sub(then);
        let days = idle / DAY;
        let (too_long, for_stale) = (idle >= archive * DAY, idle >= stale * DAY);
        match skill.state() {
            State::Stale if !for_stale => {
                answer.activate(skill, Reason::Again { days, allowed: stale });
            }
            _ if !skill.candidate() => {}
            State::Stale if too_long => answer.archive(skill, sign.why(days, archive)),
            State::Active if too_long && skill.adopted().is_some() => {
                answer.mark_stale(skill, Reason::AdoptedIdle { days, allowed: archive });
            }
            State::Active if too_long && !settings.straight => {
                answer.mark_stale(skill, Reason::Idle { days, allowed: archive });
            }
            State::Active if too_long => answer.archive(skill, sign.why(days, archive)),
            State::Active if for_stale => answer.mark_stale(skill, sign.why(days, stale)),
            State::Active | State::Stale => {}
        }
    }
    answer
}

/// What a skill was last seen alive by.
#[derive(Clone, Copy, Debug)]
enum Sign {
    Used,
    LookedAt,
    Changed,
    Restored,
    Made,
}

/// The newest of the signs, of equal ones the one that says most; when it was made only where there is no other, so that
/// a skill which was used before it was seen is judged by its use.
fn last_sign(skill: Skill<'_>, now: Instant) -> (Sign, Instant) {
    let signs = [
        (Sign::Used, skill.last_used()),
        (Sign::LookedAt, skill.last_viewed()),
        (Sign::Changed, skill.last_written()),
        (Sign::Restored, skill.restored()),
    ];
    let known = signs.into_iter().filter_map(|(sign, then)| Some((sign, then?)));
    let newest = known.reduce(|best, sign| if sign.1 > best.1 { sign } else { best });
    newest.unwrap_or((Sign::Made, skill.created().unwrap_or(now)))
}

impl Sign {
    const fn why(self, days: i64, allowed: i64) -> Reason {
        match self {
            Self::Used => Reason::Unused { days, allowed },
            Self::LookedAt => Reason::NotLookedAt { days, allowed },
            Self::Changed => Reason::NotChanged { days, allowed },
            Self::Restored => Reason::NotUsedSinceRestored { days, allowed },
            Self::Made => Reason::NeverUsed { days, allowed },
        }
    }
}
