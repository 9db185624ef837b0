//! When a pass may begin by itself. Pure: what holds comes in, and what it waits for comes out.

use crate::{config::CuratorConfig, ledger::Standing, skill::Instant};

const HOUR: i64 = 3_600;

/// Where it is known from since when nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdleFrom {
    /// What the ledger was told.
    Ledger,
    /// The files that an agent writes while it works.
    Sessions,
}

/// Since when nothing was done with skills, as far as that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Idle {
    /// The newest activity.
    pub since: Instant,
    /// Where that is known from.
    pub from: IdleFrom,
}

/// What a pass waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "for", rename_all = "kebab-case")]
pub enum Wait {
    /// The settings have none.
    Disabled,
    /// The settings have none begin by itself.
    ByHand,
    /// A person paused them.
    Paused {
        /// Since then.
        since: Instant,
    },
    /// The ledger stands in for one that was lost, and nobody accepted it.
    Unaccepted,
    /// The first one waits an interval.
    First {
        /// Until then.
        until: Instant,
    },
    /// The interval since the last one is not over.
    Interval {
        /// Until then.
        until: Instant,
    },
    /// Somebody is at work.
    Busy {
        /// Until then, if nothing more is done.
        until: Instant,
    },
    /// Nobody can tell whether somebody is at work.
    Unmeasured,
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wait::Disabled => write!(f, "it is off: `curator.enabled = false`"),
            Wait::ByHand => write!(f, "none begins by itself: `curator.automatic = false`"),
            Wait::Paused { since } => write!(f, "it is paused since {since}"),
            Wait::Unaccepted => {
                write!(
                    f,
                    "the ledger was lost and is not accepted yet: `skillkeep scan --accept-ledger`"
                )
            }
            Wait::First { until } => write!(f, "the first pass waits one interval, until {until}"),
            Wait::Interval { until } => write!(f, "the interval since the last one, until {until}"),
            Wait::Busy { until } => {
                write!(f, "somebody is at work; at {until} if nothing more is done")
            }
            Wait::Unmeasured => {
                write!(f, "it is unknown whether somebody is at work: nothing was ever recorded")
            }
        }
    }
}

/// What is known when somebody asks whether a pass is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate<'a> {
    /// The settings.
    pub config: &'a CuratorConfig,
    /// What a person said, and since when the first one waits.
    pub standing: Standing,
    /// When the last pass began that came to its end.
    pub last: Option<Instant>,
    /// Since when nothing was done.
    pub idle: Option<Idle>,
    /// Whether the ledger stands in for one that was lost.
    pub damaged: bool,
    /// The time.
    pub now: Instant,
}

impl Gate<'_> {
    /// All that a pass waits for; none where one is due.
    ///
    /// A last pass in the future, by a clock that was wrong, is none: law `clock`.
    #[must_use]
    pub fn waits(&self) -> Vec<Wait> {
        let Gate { config, standing, now, .. } = self;
        let mut waits = Vec::new();
        if !config.enabled {
            waits.push(Wait::Disabled);
        }
        if !config.automatic {
            waits.push(Wait::ByHand);
        }
        if let Some(since) = standing.paused {
            waits.push(Wait::Paused { since });
        }
        if self.damaged {
            waits.push(Wait::Unaccepted);
        }
        let interval = i64::from(config.interval_hours).saturating_mul(HOUR);
        let past = |at: Option<Instant>| at.filter(|at| *at <= *now);
        let after = |at: Instant, time: i64| Instant(at.0.saturating_add(time));
        match (self.last, past(self.last), past(standing.deferred)) {
            (_, Some(last), _) => {
                let until = after(last, interval);
                if *now < until {
                    waits.push(Wait::Interval { until });
                }
            }
            // One that ended in the future: due.
            (Some(_), None, _) => {}
            (None, None, deferred) => {
                let until = after(deferred.unwrap_or(*now), interval);
                if *now < until {
                    waits.push(Wait::First { until });
                }
            }
        }
        if config.min_idle_hours > 0 {
            let least = i64::from(config.min_idle_hours).saturating_mul(HOUR);
            match self.idle {
                None => waits.push(Wait::Unmeasured),
                Some(idle) => {
                    let until = after(idle.since.min(*now), least);
                    if *now < until {
                        waits.push(Wait::Busy { until });
                    }
                }
            }
        }
        waits
    }

    /// When the next one may begin, as far as time alone decides.
    #[must_use]
    pub fn next(&self) -> Option<Instant> {
        let until = |wait: Wait| match wait {
            Wait::First { until } | Wait::Interval { until } | Wait::Busy { until } => Some(until),
            _ => None,
        };
        self.waits().into_iter().filter_map(until).max()
    }

    /// Whether a time of a pass lies in the future, which is told.
    #[must_use]
    pub fn clock_is_off(&self) -> bool {
        self.last.is_some_and(|last| last > self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::{Gate, HOUR, Idle, IdleFrom, Wait};
    use crate::{config::CuratorConfig, ledger::Standing, skill::Instant};

    const NOW: Instant = Instant(10_000_000);

    fn ago(hours: i64) -> Instant {
        Instant(NOW.0 - hours * HOUR)
    }

    #[test]
    fn a_pass_waits_for_what_it_has_to_and_for_nothing_else() {
        let config = CuratorConfig::default();
        let idle = |hours| Some(Idle { since: ago(hours), from: IdleFrom::Ledger });
        let due = Gate {
            config: &config,
            standing: Standing::default(),
            last: Some(ago(400)),
            idle: idle(5),
            damaged: false,
            now: NOW,
        };
        let off = CuratorConfig { enabled: false, ..config.clone() };
        let by_hand = CuratorConfig { automatic: false, ..config.clone() };
        let never_idle = CuratorConfig { min_idle_hours: 0, ..config.clone() };
        let paused = Standing { paused: Some(ago(1)), ..Standing::default() };
        let deferred = |hours| Standing { deferred: Some(ago(hours)), ..Standing::default() };
        for (what, gate, expected) in [
            ("two intervals ago", due.clone(), vec![]),
            ("off", Gate { config: &off, ..due.clone() }, vec![Wait::Disabled]),
            ("by hand", Gate { config: &by_hand, ..due.clone() }, vec![Wait::ByHand]),
            (
                "paused",
                Gate { standing: paused, ..due.clone() },
                vec![Wait::Paused { since: ago(1) }],
            ),
            ("lost", Gate { damaged: true, ..due.clone() }, vec![Wait::Unaccepted]),
            (
                "yesterday",
                Gate { last: Some(ago(24)), ..due.clone() },
                vec![Wait::Interval { until: ago(24 - 168) }],
            ),
            ("to the second", Gate { last: Some(ago(168)), ..due.clone() }, vec![]),
            ("in the future", Gate { last: Some(ago(-9)), ..due.clone() }, vec![]),
            ("never", Gate { last: None, ..due.clone() }, vec![Wait::First { until: ago(-168) }]),
            (
                "put off",
                Gate { last: None, standing: deferred(100), ..due.clone() },
                vec![Wait::First { until: ago(100 - 168) }],
            ),
            (
                "put off long ago",
                Gate { last: None, standing: deferred(168), ..due.clone() },
                vec![],
            ),
            ("busy", Gate { idle: idle(1), ..due.clone() }, vec![Wait::Busy { until: ago(-1) }]),
            ("unmeasured", Gate { idle: None, ..due.clone() }, vec![Wait::Unmeasured]),
            ("no matter", Gate { idle: None, config: &never_idle, ..due.clone() }, vec![]),
        ] {
            assert_eq!(gate.waits(), expected, "{what}");
        }
        let late = Gate { last: Some(ago(-9)), ..due.clone() };
        assert!(late.clock_is_off() && !due.clock_is_off());
        let both = Gate { last: Some(ago(24)), idle: idle(1), ..due };
        assert_eq!(both.next(), Some(ago(24 - 168)));
    }
}
