//! A circuit breaker as a value: calls and the time go in, and whether the next call may go on comes out.

use std::time::Duration;

use super::Rules;

/// The breaker of one policy. Times are nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Breaker {
    state: State,
    /// The last calls that the policy itself ended, the newest in the lowest bit; set where it was a fault.
    faults: u64,
    /// The last calls, the newest in the lowest bit; set where the clock ended it. Such a call says nothing of faults, and is
    /// not among those that the faults are counted in.
    stalls: u64,
    /// How often it was opened again by a probe since it was last closed.
    again: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Open {
        since: i128,
        after: After,
    },
    /// The cool-down is over; `probing` says whether the one call is under way.
    HalfOpen {
        since: i128,
        after: After,
        probing: bool,
    },
}

/// What there was too much of when a breaker opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The policy did what no policy may.
    Faults,
    /// The clock ended its calls.
    Stalls,
}

impl After {
    /// The word for people and records.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            After::Faults => "faults",
            After::Stalls => "stalls",
        }
    }
}

/// Where a breaker stands, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Closed,
    Open { since: i128, until: i128, after: After },
    HalfOpen { since: i128, after: After },
}

/// Whether a call may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// As any other.
    Go,
    /// As the one call that says whether the breaker closes.
    Probe,
    /// No. It was opened then, after too many of these, and may be tried after that.
    No { since: i128, until: i128, after: After },
}

impl Breaker {
    pub(super) fn new() -> Breaker {
        Breaker { state: State::Closed, faults: 0, stalls: 0, again: 0 }
    }

    /// Asks for a call.
    pub(super) fn ask(&mut self, now: i128, rules: &Rules) -> Pass {
        match self.state {
            State::Closed => Pass::Go,
            State::Open { since, after } => {
                // A clock that was set back begins the wait anew; else it might last for years.
                let since = since.min(now);
                let until = since.saturating_add(self.wait(rules));
                if now < until {
                    self.state = State::Open { since, after };
                    return Pass::No { since, until, after };
                }
                self.state = State::HalfOpen { since: now, after, probing: true };
                Pass::Probe
            }
            State::HalfOpen { since, after, probing: true } => {
                Pass::No { since, until: now, after }
            }
            State::HalfOpen { since, after, probing: false } => {
                self.state = State::HalfOpen { since, after, probing: true };
                Pass::Probe
            }
        }
    }

    /// A call went well. One that began before the breaker opened says nothing about it now.
    pub(super) fn good(&mut self, probe: bool, rules: &Rules) {
        match self.state {
            State::Closed => {
                self.faults = remembered(self.faults, false, rules);
                self.stalls = remembered(self.stalls, false, rules);
            }
            State::HalfOpen { .. } if probe => *self = Breaker::new(),
            State::Open { .. } | State::HalfOpen { .. } => {}
        }
    }

    /// A call was a fault. Whether that opened it.
    pub(super) fn fault(&mut self, probe: bool, now: i128, rules: &Rules) -> bool {
        if self.state == State::Closed {
            self.faults = remembered(self.faults, true, rules);
            self.stalls = remembered(self.stalls, false, rules);
        }
        let too_many = self.faults.count_ones() >= rules.faults.clamp(1, 64);
        self.failed(probe, now, too_many, After::Faults)
    }

    /// The clock ended a call. Whether that opened it.
    pub(super) fn stall(&mut self, probe: bool, now: i128, rules: &Rules) -> bool {
        if self.state == State::Closed {
            self.stalls = remembered(self.stalls, true, rules);
        }
        let too_many = self.stalls.count_ones() >= rules.stalls.clamp(1, 64);
        self.failed(probe, now, too_many, After::Stalls)
    }

    /// Opens it where there were too many, or where this was the one call that should have closed it.
    fn failed(&mut self, probe: bool, now: i128, too_many: bool, after: After) -> bool {
        match self.state {
            State::Closed if too_many => {
                *self = Breaker { state: State::Open { since: now, after }, ..Breaker::new() };
                true
            }
            State::HalfOpen { .. } if probe => {
                self.state = State::Open { since: now, after };
                self.again = self.again.saturating_add(1);
                true
            }
            State::Closed | State::Open { .. } | State::HalfOpen { .. } => false,
        }
    }

    /// A call ended and says nothing: the next one probes instead.
    pub(super) fn nothing(&mut self, probe: bool) {
        if let (true, State::HalfOpen { since, after, .. }) = (probe, self.state) {
            self.state = State::HalfOpen { since, after, probing: false };
        }
    }

    /// Where it stands.
    pub(super) fn seen(&self, now: i128, rules: &Rules) -> Seen {
        match self.state {
            State::Closed => Seen::Closed,
            State::Open { since, after } => {
                let until = since.min(now).saturating_add(self.wait(rules));
                Seen::Open { since, until, after }
            }
            State::HalfOpen { since, after, .. } => Seen::HalfOpen { since, after },
        }
    }

    fn wait(&self, rules: &Rules) -> i128 {
        let doubled =
            rules.cool_down.saturating_mul(1_u32.checked_shl(self.again).unwrap_or(u32::MAX));
        nanos(doubled.min(rules.longest_cool_down.max(rules.cool_down)))
    }
}

/// The last calls and one more.
fn remembered(calls: u64, bad: bool, rules: &Rules) -> u64 {
    let window = rules.window.max(rules.faults).max(rules.stalls).clamp(1, 64);
    ((calls << 1) | u64::from(bad)) & (u64::MAX >> (64 - window))
}

/// A duration as nanoseconds.
pub(super) fn nanos(duration: Duration) -> i128 {
    i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::{After, Breaker, Pass, Rules, Seen, nanos};
    use std::time::Duration;

    const SECOND: i128 = 1_000_000_000;

    fn rules() -> Rules {
        Rules { faults: 2, stalls: 3, window: 4, ..Rules::default() }
    }

    /// What comes of a script: `g` good, `f` fault, `s` stall, `n` nothing, a digit so many tens of seconds. A call that may not go on
    /// is left out and printed as `-`; a probe is printed as a capital.
    fn run(script: &str) -> (String, Breaker) {
        let (mut breaker, mut now, mut out) = (Breaker::new(), 0, String::new());
        for step in script.chars() {
            if let Some(tens) = step.to_digit(10) {
                now += i128::from(tens) * 10 * SECOND;
                continue;
            }
            let pass = breaker.ask(now, &rules());
            let probe = pass == Pass::Probe;
            if matches!(pass, Pass::No { .. }) {
                out.push('-');
                continue;
            }
            out.push(if probe { step.to_ascii_uppercase() } else { step });
            match step {
                'g' => breaker.good(probe, &rules()),
                'f' => drop(breaker.fault(probe, now, &rules())),
                's' => drop(breaker.stall(probe, now, &rules())),
                _ => breaker.nothing(probe),
            }
        }
        (out, breaker)
    }

    #[test]
    fn a_breaker_opens_waits_probes_and_closes() {
        for (script, wanted) in [
            ("fggggfgg", "fggggfgg"),
            ("fggf", "fggf"),
            ("fggfg", "fggf-"),
            ("ffffff", "ff----"),
            ("ff2g", "ff-"),
            ("ff3g", "ffG"),
            ("ff3gff", "ffGff"),
            ("ff3gffg", "ffGff-"),
            ("ff3fg", "ffF-"),
            ("ff3f5g", "ffF-"),
            ("ff3f6g", "ffFG"),
            ("ff3f6f9g", "ffFF-"),
            ("ff3f6f99g", "ffFFG"),
            ("ff3n", "ffN"),
            ("ff3nng", "ffNNG"),
            ("ff3nf", "ffNF"),
            ("nnnn", "nnnn"),
            ("fnnnnnf", "fnnnnnf"),
            ("fnnnnnfg", "fnnnnnf-"),
        ] {
            assert_eq!(run(script).0, wanted, "{script}");
        }
    }

    #[test]
    fn stalls_open_it_by_a_count_of_their_own() {
        for (script, wanted) in [
            ("ssss", "sss-"),
            ("sgssg", "sgss-"),
            ("sggssg", "sggssg"),
            ("snnssg", "snnss-"),
            // They are no faults, and dilute none; a fault is no stall.
            ("fssf", "fssf"),
            ("fssfg", "fssf-"),
            ("fsssg", "fsss-"),
            ("sfsg", "sfsg"),
            ("sss2g", "sss-"),
            ("sss3gss", "sssGss"),
            // Whatever opened it, a probe that stalls leaves it open for longer: the next one would wait in vain too.
            ("sss3s5g", "sssS-"),
            ("sss3s6g", "sssSG"),
            ("ff3s5g", "ffS-"),
            ("sss3f6s9g", "sssFS-"),
            ("sss3nss", "sssNS-"),
        ] {
            assert_eq!(run(script).0, wanted, "{script}");
        }
        for (script, after) in [("ff", After::Faults), ("sss", After::Stalls)] {
            let (_, mut breaker) = run(script);
            let wanted = Pass::No { since: 0, until: 30 * SECOND, after };
            assert_eq!(breaker.ask(0, &rules()), wanted);
            assert_eq!(
                breaker.seen(0, &rules()),
                Seen::Open { since: 0, until: 30 * SECOND, after }
            );
        }
    }

    #[test]
    fn while_one_call_probes_no_other_goes_on() {
        let (_, mut breaker) = run("ff");
        let rules = rules();
        assert_eq!(breaker.ask(30 * SECOND, &rules), Pass::Probe);
        assert!(matches!(breaker.ask(30 * SECOND, &rules), Pass::No { .. }));
        // One that began before it opened is no probe.
        breaker.good(false, &rules);
        assert!(!breaker.fault(false, 31 * SECOND, &rules));
        assert_eq!(
            breaker.seen(31 * SECOND, &rules),
            Seen::HalfOpen { since: 30 * SECOND, after: After::Faults }
        );
        breaker.good(true, &rules);
        assert_eq!(breaker.ask(31 * SECOND, &rules), Pass::Go);
    }

    #[test]
    fn a_clock_that_was_set_back_ends_no_wait_and_prolongs_it_once() {
        let (_, mut breaker) = run("9999ff");
        let rules = rules();
        assert!(matches!(breaker.ask(0, &rules), Pass::No { since: 0, .. }));
        assert_eq!(breaker.ask(30 * SECOND, &rules), Pass::Probe);
    }

    #[test]
    fn a_wait_doubles_up_to_the_longest() {
        let rules = rules();
        let mut breaker = Breaker::new();
        let mut now = 0;
        assert!(!breaker.fault(false, now, &rules));
        assert!(breaker.fault(false, now, &rules));
        let mut waits = Vec::new();
        for _ in 0..40 {
            let Pass::No { since, until, .. } = breaker.ask(now, &rules) else {
                panic!("it is open")
            };
            waits.push((until - since) / SECOND);
            now = until;
            assert_eq!(breaker.ask(now, &rules), Pass::Probe);
            assert!(breaker.fault(true, now, &rules));
        }
        assert_eq!(waits[..7], [30, 60, 120, 240, 480, 600, 600]);
        assert_eq!(waits[39], 600);
    }

    #[test]
    fn rules_of_nothing_and_of_too_much_are_held_to_what_can_be() {
        let none = Rules { faults: 0, window: 0, cool_down: Duration::ZERO, ..Rules::default() };
        let mut breaker = Breaker::new();
        assert!(breaker.fault(false, 7, &none));
        assert_eq!(breaker.ask(7, &none), Pass::Probe);
        let many = Rules { faults: 1_000, window: 1_000, ..Rules::default() };
        let mut breaker = Breaker::new();
        let opened = (0..64).filter(|_| breaker.fault(false, 0, &many)).count();
        assert_eq!(opened, 1);
        assert_eq!(nanos(Duration::MAX), Duration::MAX.as_nanos() as i128);
    }
}
