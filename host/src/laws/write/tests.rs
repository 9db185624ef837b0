//! The laws over writes: every write there is, under every answer, and under answers that no honest policy gives.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use proptest::prelude::*;

use super::*;
use crate::decision::Reason;

fn declared() -> BTreeMap<OneLine, OneLine> {
    [(OneLine::new("since"), OneLine::new("since {0}"))].into()
}

fn answer(verdict: Verdict<OneLine>, code: &str) -> WriteAnswer {
    let why = Reason { code: OneLine::new(code), args: vec![OneLine::new("then")] };
    WriteAnswer { verdict, why }
}

/// Every write, as far as a law looks at one.
fn every_write() -> Vec<WriteRequest> {
    let mut all = Vec::new();
    for actor in Actor::ALL {
        for action in Action::ALL {
            for origin in [None].into_iter().chain(Origin::ALL.iter().copied().map(Some)) {
                for flags in 0..16_u8 {
                    let mut write = WriteRequest::plain(*actor, *action, origin);
                    write.pinned = flags & 1 != 0;
                    write.referenced = flags & 2 != 0;
                    write.retire_bundled = flags & 4 != 0;
                    write.root = if flags & 8 == 0 { Care::Owned } else { Care::ReadOnly };
                    all.push(write);
                }
            }
        }
    }
    all
}

/// Every verdict that says an origin of ours.
fn every_verdict() -> Vec<Verdict<Origin>> {
    let of = |make: fn(Origin) -> Verdict<Origin>| Origin::ALL.iter().copied().map(make);
    of(Verdict::Allow).chain(of(Verdict::Stage)).chain([Verdict::Deny]).collect()
}

/// What holds of an answer to a write, if it counts at all.
fn held(verdict: Verdict<Origin>, write: &WriteRequest) -> Option<(Verdict<Origin>, Option<Law>)> {
    let words = match verdict {
        Verdict::Allow(origin) => Verdict::Allow(OneLine::new(origin.word())),
        Verdict::Stage(origin) => Verdict::Stage(OneLine::new(origin.word())),
        Verdict::Deny => Verdict::Deny,
    };
    let (read, _) = approve_write(&answer(words, "since"), &declared(), write).ok()?;
    assert_eq!(read, verdict);
    let (held, bite) = hold_write(read, &OneLine::new("a rule"), write);
    Some((held.into_inner(), bite.map(|bite| bite.law)))
}

fn everything(mut see: impl FnMut(&WriteRequest, Verdict<Origin>, Verdict<Origin>, Option<Law>)) {
    let mut seen = 0;
    for write in every_write() {
        for verdict in every_verdict() {
            if let Some((held, law)) = held(verdict, &write) {
                see(&write, verdict, held, law);
                seen += 1;
            }
        }
    }
    assert!(seen > 30_000, "{seen}");
}

fn is_done(verdict: Verdict<Origin>) -> bool {
    matches!(verdict, Verdict::Allow(_))
}

#[test]
fn declared_and_pinned_and_referenced() {
    everything(|write, _, held, _| {
        if write.action != Action::Retire {
            return;
        }
        let curated = matches!(write.origin, Some(Origin::Review | Origin::Adopted))
            || write.origin == Some(Origin::Bundled) && write.retire_bundled;
        if write.pinned || write.referenced || (write.actor == Actor::Curator && !curated) {
            assert_eq!(held, Verdict::Deny, "{write:?}");
        }
        if matches!(write.actor, Actor::Review | Actor::Job) && !curated {
            assert!(!is_done(held), "{write:?}");
        }
    });
}

#[test]
fn caller() {
    everything(|write, _, held, _| {
        if write.action == Action::Restore && write.actor != Actor::Person {
            assert!(!is_done(held), "{write:?}");
        }
        if write.actor == Actor::Outside {
            assert_eq!(held, Verdict::Deny, "{write:?}");
        }
    });
}

#[test]
fn owned() {
    everything(|write, _, held, _| {
        if write.root == Care::ReadOnly {
            assert_eq!(held, Verdict::Deny, "{write:?}");
        }
    });
}

#[test]
fn no_answer_makes_a_pass_the_owner_of_what_was_somebody_elses() {
    let retirable = |origin: Option<Origin>| {
        matches!(origin, Some(Origin::Review | Origin::Adopted | Origin::Bundled))
    };
    everything(|write, _, held, _| {
        let Some(origin) = held.origin() else { return };
        if retirable(Some(*origin)) && write.origin != Some(*origin) {
            let maker = match write.actor {
                Actor::Review | Actor::Curator => Some(Origin::Review),
                Actor::Sync => Some(Origin::Bundled),
                _ => None,
            };
            assert!(write.origin.is_none() && write.action == Action::Create, "{write:?}");
            assert_eq!(Some(*origin), maker, "{write:?}");
        }
    });
}

#[test]
fn a_law_lowers_and_says_so_and_nothing_else_changes() {
    everything(|_, proposed, held, law| {
        assert!(held.strictness() >= proposed.strictness());
        assert_eq!(law.is_some(), held != proposed);
        if let (Some(before), Some(after)) = (proposed.origin(), held.origin()) {
            assert_eq!(before, after);
        }
    });
}

#[test]
fn an_answer_that_makes_no_sense_is_thrown_away_with_its_law() {
    let edit = WriteRequest::plain(Actor::Foreground, Action::Edit, Some(Origin::Person));
    let allow = |word: &str| Verdict::Allow(OneLine::new(word));
    for (verdict, code, law, message) in [
        (
            allow("person"),
            "why-not",
            Law::Reasoned,
            "it gives the reason `why-not`, which `describe` doesn't declare",
        ),
        (
            allow("user"),
            "since",
            Law::Declared,
            "it gives the result the origin `user`, expected one of `unknown`, `person`, `foreground`, `review`, `bundled`, `installed`, `adopted`",
        ),
        (
            Verdict::Stage(OneLine::new("adopted")),
            "since",
            Law::Declared,
            "it gives the result the origin `adopted`, which only its maker or a person declares",
        ),
        (
            allow("review"),
            "since",
            Law::Declared,
            "it gives the result the origin `review`, which only its maker or a person declares",
        ),
    ] {
        let breach = approve_write(&answer(verdict, code), &declared(), &edit).unwrap_err();
        assert_eq!((breach.law(), breach.to_string().as_str()), (law, message));
    }
    let (verdict, reason) =
        approve_write(&answer(allow("person"), "since"), &declared(), &edit).unwrap();
    assert_eq!((verdict, reason.text.as_str()), (Verdict::Allow(Origin::Person), "since then"));
}

proptest! {
    /// Whatever word a policy says, what is read is an origin of ours that it may give, or nothing.
    #[test]
    fn one_line(word in "\\PC{0,12}|unknown|review|adopted|Person|person ", number in 0_usize..64) {
        let writes = every_write();
        let write = &writes[number * 7 % writes.len()];
        let said = OneLine::new(&word);
        match approve_write(&answer(Verdict::Stage(said.clone()), "since"), &declared(), write) {
            Ok((verdict, _)) => prop_assert_eq!(verdict.origin().unwrap().word(), said.as_str()),
            Err(breach) => prop_assert_eq!(breach.law(), Law::Declared),
        }
    }
}
