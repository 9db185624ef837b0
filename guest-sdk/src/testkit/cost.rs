//! What a block costs, counted from the contract's own words and from nothing that a policy computed.

use super::columns::{category_facts, skill_facts};
use super::library::{Facts, Library};
use crate::facts::Value;
use crate::key::{self, Key};
use crate::slots::Form;

/// What the block costs with these forms, one a skill in the order of the library.
///
/// Counted skills are paid for by a line a category, or by one line for all of them, whichever is cheaper.
#[must_use]
pub fn block_cost(library: &Library, forms: &[Form]) -> i64 {
    block_cost_cut(library, forms, None)
}

/// The same where the policy may say how short lines are cut. Each scalar that is cut off saves one: where there is a cut,
/// costs have to be characters.
#[must_use]
pub fn block_cost_cut(library: &Library, forms: &[Form], cut: Option<u32>) -> i64 {
    let (skills, categories) = (skill_facts(library), category_facts(library));
    let mut cost = i64::from(library.fixed);
    for (facts, form) in skills.iter().zip(forms) {
        cost += match form {
            Form::Full => integer(facts, &key::COST_FULL),
            Form::Short => match cut {
                None => integer(facts, &key::COST_SHORT),
                Some(cut) => cost_cut(facts, i64::from(cut)),
            },
            Form::Name => integer(facts, &key::COST_NAME),
            Form::Counted => 0,
        };
    }
    let mut counts = 0;
    for (row, facts) in categories.iter().enumerate() {
        let has = |wanted: &[Form]| {
            library
                .skills
                .iter()
                .zip(forms)
                .any(|(skill, form)| skill.category == row && wanted.contains(form))
        };
        if has(&[Form::Full, Form::Short]) {
            cost += integer(facts, &key::COST_HEADER);
        }
        if has(&[Form::Name]) {
            cost += integer(facts, &key::COST_NAMES);
        }
        if has(&[Form::Counted]) {
            counts += integer(facts, &key::COST_COUNT);
        }
    }
    cost + counts.min(integer(&library.context, &key::COST_REST))
}

fn cost_cut(facts: &Facts, cut: i64) -> i64 {
    let length = match facts.get(key::DESCRIPTION_LENGTH.name) {
        Some(Value::Integer(length)) => *length,
        _ => 0,
    };
    let full = integer(facts, &key::COST_FULL);
    (full - (length - cut).max(0)).max(integer(facts, &key::COST_BARE))
}

fn integer(facts: &Facts, key: &Key) -> i64 {
    match facts.get(key.name) {
        Some(Value::Integer(value)) => *value,
        other => panic!("`{}` is {other:?}, expected an integer", key.name),
    }
}
