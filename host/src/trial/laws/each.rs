//! The laws one by one: each is a function from a snapshot to what is wrong.

use std::collections::{BTreeMap, BTreeSet};

use skillkeep_policy::{
    Form,
    facts::{Entry, RawColumn, Value, Values},
    testkit::{
        block_cost,
        cases::{Question, Reply, Told},
    },
};

use super::{Check, Effort, Law, Trial, lives, writes};
use crate::{
    decision::Slot,
    skill::OneLine,
    trial::sample::{Dice, Sample},
};

const ALL: &[Slot] = &Slot::ALL;
const TABLES: &[Slot] = &[Slot::Demotion, Slot::Budget, Slot::Curator];
const CURATOR: &[Slot] = &[Slot::Curator];
const PROVENANCE: &[Slot] = &[Slot::Provenance];

/// Every law, in the order in which they are tried.
pub const LAWS: &[Law] = &[
    Law {
        name: "answers",
        says: "it answers within its limits, for rows that it was asked about, each once and, of a budget, all",
        slots: ALL,
        asks: &[],
        check: Check::Each(answers),
    },
    Law {
        name: "reasons",
        says: "its reasons are declared, fill their templates, and are clean lines",
        slots: ALL,
        asks: &[],
        check: Check::Each(reasons),
    },
    Law {
        name: "same-twice",
        says: "it gives the same answer for the same fuel twice",
        slots: ALL,
        asks: &[],
        check: Check::Each(same_twice),
    },
    Law {
        name: "order",
        says: "the order of rows changes no skill's answer",
        slots: TABLES,
        asks: &[],
        check: Check::Each(order),
    },
    Law {
        name: "unknown-facts",
        says: "facts that it did not ask for change nothing",
        slots: ALL,
        asks: &[],
        check: Check::Each(unknown_facts),
    },
    Law {
        name: "within-limit",
        says: "the block costs no more than its limit, unless all is counted already",
        slots: &[Slot::Budget],
        asks: &[],
        check: Check::Each(within_limit),
    },
    Law {
        name: "users-choice",
        says: "what the user asked for a category is not undone",
        slots: &[Slot::Demotion],
        asks: &["user-detail"],
        check: Check::Each(users_choice),
    },
    Law {
        name: "older",
        says: "a skill that rested longer is never kept fresher",
        slots: CURATOR,
        asks: &["last-used"],
        check: Check::Each(lives::older),
    },
    Law {
        name: "settled",
        says: "after what it proposes was done, it proposes nothing more, but to archive what went stale",
        slots: CURATOR,
        asks: &[],
        check: Check::Each(lives::settled),
    },
    Law {
        name: "protected",
        says: "what is protected is not retired",
        slots: CURATOR,
        asks: lives::PROTECTIONS,
        check: Check::Each(lives::protected),
    },
    Law {
        name: "any-size",
        says: "it answers about no skill, about one, and about very many",
        slots: TABLES,
        asks: &[],
        check: Check::Sizes(|effort: &Effort| vec![0, 1, effort.largest]),
    },
    Law {
        name: "ten-times",
        says: "it stays within its limits at ten times the size",
        slots: TABLES,
        asks: &[],
        check: Check::Sizes(|effort: &Effort| vec![effort.largest / 100, effort.largest / 10]),
    },
    Law {
        name: "origins",
        says: "a result has an origin that there is, and no change makes it what a pass may retire",
        slots: PROVENANCE,
        asks: &[],
        check: Check::Write(writes::origins),
    },
    Law {
        name: "person-first",
        says: "nobody is let do more than a person",
        slots: PROVENANCE,
        asks: &["actor"],
        check: Check::Write(writes::person_first),
    },
    Law {
        name: "protections",
        says: "a pin, a job, a folder that is only read, approval or not having read never lets a write through",
        slots: PROVENANCE,
        asks: &["pinned", "referenced", "approval", "read", "root"],
        check: Check::Write(writes::protections),
    },
];

fn told(trial: &Trial<'_>, sample: &Sample) -> Told {
    let (policy, library) = (trial.policy, sample.library());
    let question = policy.subject.question(policy.sdk_slot(), &library, Vec::new());
    policy.subject.told(&library, &question, &policy.ask(&question))
}

fn answers(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    match told(trial, sample) {
        Told::Broken(what) => Err(what),
        Told::Rows(_) | Told::Refused(_) => Ok(()),
    }
}

fn reasons(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    clean(&told(trial, sample))
}

fn clean(told: &Told) -> Result<(), String> {
    let texts: Vec<&String> = match told {
        Told::Rows(rows) => rows.iter().filter_map(|row| row.last()).collect(),
        Told::Refused(text) => vec![text],
        Told::Broken(_) => Vec::new(),
    };
    let unclean = texts.into_iter().find(|text| {
        OneLine::new(text).as_str() != text.as_str()
            || text.contains("{0}")
            || text.trim().is_empty()
    });
    match unclean {
        Some(text) => Err(format!("it gives the reason `{}`", text.escape_debug())),
        None => Ok(()),
    }
}

fn question(trial: &Trial<'_>, sample: &Sample) -> Question {
    let policy = trial.policy;
    policy.subject.question(policy.sdk_slot(), &sample.library(), Vec::new())
}

/// Whether the policy answers with rows that it was asked about: a refusal, a fault or nonsense tries no law.
pub(super) fn is_answered(trial: &Trial<'_>, sample: &Sample) -> bool {
    matches!(told(trial, sample), Told::Rows(_))
}

/// The same of a write.
pub(super) fn is_write_answered(trial: &Trial<'_>, question: &Question) -> bool {
    matches!(told_of_write(trial, question), Told::Rows(_))
}

fn told_of_write(trial: &Trial<'_>, question: &Question) -> Told {
    let policy = trial.policy;
    let library = Sample::default().library();
    policy.subject.told(&library, question, &policy.ask(question))
}

fn same_twice(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    twice(trial, &question(trial, sample))
}

fn twice(trial: &Trial<'_>, question: &Question) -> Result<(), String> {
    let [first, second] = [(); 2].map(|()| trial.policy.measure(question.clone()));
    if first.used.fuel != second.used.fuel {
        return Err(format!("it took {} fuel, and then {}", first.used.fuel, second.used.fuel));
    }
    match (first.reply, second.reply) {
        (Ok(first), Ok(second)) if first != second => {
            Err("its second answer is another".to_owned())
        }
        _ => Ok(()),
    }
}

/// Each skill's answer, by its name.
fn by_name(told: Told) -> BTreeMap<(String, String), BTreeSet<String>> {
    let mut all = BTreeMap::new();
    if let Told::Rows(rows) = told {
        for row in rows {
            if let [name, choice, why] = row.as_slice() {
                let kind =
                    if choice.starts_with("notice ") { choice.clone() } else { String::new() };
                let key = (name.clone(), kind);
                all.entry(key).or_insert_with(BTreeSet::new).insert(format!("{choice} ({why})"));
            }
        }
    }
    all
}

/// Where rows are alike in all that the policy asks for, which of them is which can't be told: such twins are left out.
fn order(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    let asks = &trial.policy.subject.asks;
    let mut sample = sample.clone();
    let mut seen = BTreeSet::new();
    sample.skills.retain(|(_, name, facts)| {
        let told = facts.iter().filter(|(key, _)| asks.contains(*key));
        let mut alike = told.map(|(key, value)| format!("{key}={value:?}")).collect::<Vec<_>>();
        if asks.iter().any(|key| key == "name") {
            alike.push(name.clone());
        }
        seen.insert(alike)
    });
    sample.drop_empty();
    let mut shuffled = sample.clone();
    let mut dice = Dice::new(sample.skills.len() as u64);
    for place in (1..shuffled.skills.len()).rev() {
        let other = usize::try_from(dice.below(place as u64 + 1)).unwrap_or(0);
        shuffled.skills.swap(place, other);
    }
    let (first, second) = (by_name(told(trial, &sample)), by_name(told(trial, &shuffled)));
    for name in first.keys().chain(second.keys()) {
        let answer = |all: &BTreeMap<(String, String), BTreeSet<String>>| match all.get(name) {
            Some(answers) => answers.iter().cloned().collect::<Vec<_>>().join(", "),
            None => "nothing".to_owned(),
        };
        let (before, after) = (answer(&first), answer(&second));
        if before != after {
            return Err(format!("`{}` is {before}, and in another order {after}", name.0));
        }
    }
    Ok(())
}

fn unknown_facts(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    stranger(trial, &question(trial, sample))
}

fn stranger(trial: &Trial<'_>, question: &Question) -> Result<(), String> {
    let mut more = question.clone();
    let entry = || Entry { key: "x-not-asked-for".to_owned(), value: Value::Boolean(true) };
    let column = |len: u32| RawColumn {
        key: "x-not-asked-for".to_owned(),
        rows: None,
        values: Values::Integers((0..i64::from(len)).collect()),
    };
    match &mut more {
        Question::Demotion(request) => {
            request.context.facts.push(entry());
            request.categories.columns.insert(0, column(request.categories.len));
        }
        Question::Budget(request) => {
            request.context.facts.push(entry());
            request.categories.columns.insert(0, column(request.categories.len));
        }
        Question::Curator(request) => request.context.facts.push(entry()),
        Question::Provenance(request) => request.write.push(entry()),
    }
    if let Some(skills) = more.skills_mut() {
        let column = column(skills.len);
        skills.columns.insert(0, column);
    }
    if trial.policy.ask(&more) == trial.policy.ask(question) {
        Ok(())
    } else {
        Err("its answer is another with a column that it did not ask for".to_owned())
    }
}

fn within_limit(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    let Reply::Budget(Ok(answer)) = trial.reply(sample) else { return Ok(()) };
    let mut forms = vec![Form::Counted; sample.skills.len()];
    for proposal in &answer.proposals {
        if let Some(form) = forms.get_mut(proposal.skill as usize) {
            *form = proposal.form;
        }
    }
    let cost = block_cost(&sample.library(), &forms);
    let all_counted = forms.iter().all(|form| *form == Form::Counted);
    if cost <= i64::from(sample.limit) || all_counted {
        return Ok(());
    }
    Err(format!("the block costs {cost}, and the limit is {}", sample.limit))
}

fn users_choice(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    let Reply::Demotion(Ok(answer)) = trial.reply(sample) else { return Ok(()) };
    for proposal in &answer.proposals {
        let Some((name, facts)) = sample.categories.get(proposal.category as usize) else {
            continue;
        };
        if let Some(Value::Integer(asked)) = facts.get("user-detail")
            && *asked != proposal.detail as i64
        {
            return Err(format!("it proposes another detail for `{name}` than the user asked for"));
        }
    }
    Ok(())
}

/// A law on a write: those that are not about tables.
pub(super) fn write(trial: &Trial<'_>, law: &str, question: &Question) -> Result<(), String> {
    let told = told_of_write(trial, question);
    match (law, &told) {
        ("same-twice", _) => twice(trial, question),
        ("unknown-facts", _) => stranger(trial, question),
        ("answers", Told::Broken(what)) => Err(what.clone()),
        ("reasons", _) => clean(&told),
        _ => Ok(()),
    }
}
