//! When a skill is wanted soon: at which times somebody is going to want it within the window.

use super::{Deed, History};
use crate::skill::Instant;

/// The times at which one skill is wanted soon: spans that don't meet, each with what those before it come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Soon(Vec<Span>);

/// From `begins` on, up to `ends` and not with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    begins: i64,
    ends: i64,
    /// Seconds of all spans before it.
    before: i64,
}

impl Soon {
    /// Of every skill of a history.
    pub(super) fn of(history: &History, window: i64) -> Vec<Soon> {
        let mut all = vec![Soon::default(); history.lives.len()];
        for deed in history.deeds.iter().filter(|deed| deed.is_want()) {
            if let Some(soon) = all.get_mut(deed.skill) {
                soon.wanted(deed, window);
            }
        }
        all
    }

    /// One more time at which it is wanted, none before the last.
    fn wanted(&mut self, deed: &Deed, window: i64) {
        let ends = deed.at.0;
        let begins = ends.saturating_sub(window);
        let before = match self.0.last_mut() {
            Some(last) if begins <= last.ends => {
                last.ends = last.ends.max(ends);
                return;
            }
            last => last.map_or(0, |last| last.before + last.ends - last.begins),
        };
        self.0.push(Span { begins, ends, before });
    }

    /// Whether it is wanted after a time, and not more than a window after it.
    pub(super) fn is(&self, at: Instant) -> bool {
        let next = self.0.partition_point(|span| span.ends <= at.0);
        self.0.get(next).is_some_and(|span| span.begins <= at.0)
    }

    /// How many seconds from one time to a later one it is wanted soon.
    pub(super) fn between(&self, from: Instant, to: Instant) -> i64 {
        (self.until(to) - self.until(from)).max(0)
    }

    fn until(&self, at: Instant) -> i64 {
        let begun = self.0.partition_point(|span| span.begins < at.0);
        let Some(span) = begun.checked_sub(1).and_then(|last| self.0.get(last)) else { return 0 };
        span.before + at.0.min(span.ends) - span.begins
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Soon;
    use crate::{ledger::Kind, past::Deed, skill::Instant};

    fn soon(wants: &[i64], window: i64) -> Soon {
        let mut soon = Soon::default();
        for at in wants {
            let (at, kind) = (Instant(*at), Kind::Use);
            soon.wanted(&Deed { at, skill: 0, kind, weight: 1, upkeep: false }, window);
        }
        soon
    }

    proptest! {
        #[test]
        fn it_is_what_counting_second_by_second_says(
            mut wants in prop::collection::vec(0i64..200, 0..12),
            window in 1i64..40,
            from in -50i64..250,
            length in 0i64..200,
        ) {
            wants.sort_unstable();
            let soon = soon(&wants, window);
            let is = |at: i64| wants.iter().any(|want| *want > at && *want <= at + window);
            for at in -50..250 {
                prop_assert_eq!(soon.is(Instant(at)), is(at), "at {}", at);
            }
            let counted = (from..from + length).filter(|at| is(*at)).count();
            let between = soon.between(Instant(from), Instant(from + length));
            prop_assert_eq!(between, i64::try_from(counted).unwrap_or(-1));
        }
    }
}
