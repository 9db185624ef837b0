//! What the SDK does around a policy: needs, settings, views, reasons.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use skillkeep_policy::curator::{Answer, CuratorPolicy, Request, Verdict};
use skillkeep_policy::key::{Kind, Place};
use skillkeep_policy::policy::{Info, describe};
use skillkeep_policy::settings::Parameter;
use skillkeep_policy::testkit::{Curated, Library, Proposed, Refused, curator, setting};
use skillkeep_policy::{DAY, Key, Policy, Refusal, key};

const HEAT: Key = Key::new("heat", Place::Skills, Kind::Real);

skillkeep_policy::settings! {
    struct Settings {
        /// Days.
        days: i64 = 10 => 1..=100,
    }
}

skillkeep_policy::reasons! {
    enum Reason {
        Idle { days: i64 } = "idle for {0} days",
        Hot { name: String, uses: u64 } = "{0} was used {1} times",
        Empty = "nothing to decide",
    }
}

/// Keeps what is hot, archives what is idle, and refuses an empty library.
struct Probe;

impl Policy for Probe {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "probe";
    const VERSION: &'static str = "0.1.2";
    const SUMMARY: &'static str = "for tests";
    const NEEDS: &'static [Key] = &[key::LAST_USED];
    const WANTS: &'static [Key] = &[key::NAME, key::USES, HEAT];
}

impl CuratorPolicy for Probe {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        if request.skills().len() == 0 {
            return Err(Refusal::Other(Reason::Empty));
        }
        let heat = request.tables().column::<f64>(&HEAT);
        let mut answer = Answer::default();
        for skill in request.skills() {
            if heat.get(skill.row()).is_some_and(|heat| *heat > 0.5) {
                let name = skill.name().to_owned();
                answer.keep(skill, Reason::Hot { name, uses: skill.uses().unwrap_or(0) });
            } else if let Some(last_used) = skill.last_used() {
                let days = (request.now() - last_used) / DAY;
                if days >= settings.days {
                    answer.archive(skill, Reason::Idle { days });
                }
            }
        }
        Ok(answer)
    }
}

/// Reads what it never asked for.
struct Careless;

impl Policy for Careless {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "careless";
    const VERSION: &'static str = "0.1.0";
    const SUMMARY: &'static str = "for tests";
    const NEEDS: &'static [Key] = &[key::LAST_USED];
}

impl CuratorPolicy for Careless {
    fn decide(request: &Request<'_>, _: &Settings) -> Result<Answer<Reason>, Refusal<Reason>> {
        request.skills().filter(|skill| skill.pinned()).for_each(drop);
        Ok(Answer::default())
    }
}

fn library() -> Library {
    Library::new()
        .skill("a", "hot", |skill| skill.used(7, 20 * DAY).fact("heat", 0.9))
        .skill("a", "unknown", |skill| skill)
        .skill("a", "idle", |skill| skill.used(1, 20 * DAY))
        .skill("a", "recent", |skill| skill.used(1, 9 * DAY).fact("heat", 0.1))
}

fn proposed(skill: &str, verdict: Verdict, why: &str) -> Proposed {
    Proposed { skill: skill.to_owned(), verdict, why: why.to_owned() }
}

#[test]
fn a_policy_reads_rows_of_columns_that_know_some_rows_only() {
    let curated = Curated {
        proposals: vec![
            proposed("hot", Verdict::Keep, "hot was used 7 times"),
            proposed("idle", Verdict::Archive, "idle for 20 days"),
        ],
        notices: Vec::new(),
    };
    assert_eq!(curator::<Probe>(&library(), &[]), Ok(curated));
}

#[test]
fn a_setting_reaches_the_policy() {
    let curated = curator::<Probe>(&library(), &[setting("days", 9_i64)]).unwrap();
    let skills: Vec<_> = curated.proposals.iter().map(|it| it.skill.as_str()).collect();
    assert_eq!(skills, ["hot", "idle", "recent"]);
}

#[test]
fn a_bad_setting_a_missing_fact_and_a_policys_own_no_are_refusals() {
    let nothing_known = Library::new().skill("a", "new", |skill| skill);
    for (library, settings, expected) in [
        (library(), vec![setting("days", 0_i64)], Refused::BadSetting("days".to_owned())),
        (library(), vec![setting("day", 1_i64)], Refused::BadSetting("day".to_owned())),
        (nothing_known, Vec::new(), Refused::MissingFact("last-used".to_owned())),
        (Library::new(), Vec::new(), Refused::Other("nothing to decide".to_owned())),
    ] {
        assert_eq!(curator::<Probe>(&library, &settings), Err(expected));
    }
}

#[test]
#[should_panic(expected = "the policy reads `pinned`, which is in neither NEEDS nor WANTS")]
fn reading_what_was_not_asked_for_fails_the_test() {
    drop(curator::<Careless>(&library(), &[]));
}

#[test]
fn a_policy_says_what_it_is() {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let reason = |code: &str, text: &str| (code.to_owned(), text.to_owned());
    let info = Info {
        name: "probe".to_owned(),
        version: "0.1.2".to_owned(),
        summary: "for tests".to_owned(),
        parameters: vec![Parameter {
            key: "days".to_owned(),
            default: 10_i64.into(),
            doc: "Days. (1..=100)".to_owned(),
        }],
        needs: texts(&["last-used"]),
        wants: texts(&["name", "uses", "heat"]),
        reasons: vec![
            reason("idle", "idle for {0} days"),
            reason("hot", "{0} was used {1} times"),
            reason("empty", "nothing to decide"),
        ],
    };
    assert_eq!(describe::<Probe>(), info);
}
