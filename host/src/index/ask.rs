//! Asking one slot: a question to whoever is in charge, the answer under the laws, and the slot's fallback where that fails.
//! What is asked about is prepared elsewhere.

use std::collections::BTreeMap;

use super::{
    baseline::baseline,
    decide::{Fallback, InCharge, SlotNote},
    snapshot::Asked,
};
use crate::{
    decision::{Allowance, BudgetRequest, DemotionRequest, Detail, Form, Prices, Slot},
    laws::{Approved, Bite, Breach, Caps, Choices, Forms, Recut, approve_details, approve_forms},
    policy::{Call, Engine, LoadError, Loaded, Outcome},
    roster::Member,
    skill::OneLine,
};

/// What was decided, how the slot came to it, and the laws that bit.
pub type Settled<T> = (T, SlotNote, Vec<Bite>);

/// Asks how much of each category may be shown. The fallback shows everything that the user lets be shown. The question is
/// made of what the policy asks for.
pub fn ask_details(
    engine: &Engine,
    in_charge: &InCharge<'_>,
    caps: &Caps,
    question: impl FnOnce(Asked<'_>) -> DemotionRequest,
) -> Settled<Choices<Detail>> {
    let shown = || Choices::by_host(caps.user.iter().map(|user| user.unwrap_or(Detail::Full)));
    match in_charge {
        InCharge::Failed { name, error } => {
            (shown(), failed(Slot::Demotion, name, error), Vec::new())
        }
        InCharge::Host { name, .. } => (shown(), unasked(Slot::Demotion, name), Vec::new()),
        InCharge::Policy(policy) => details_by(policy, engine, caps, shown, question),
        InCharge::Seated { member, generation } => watched(
            member,
            *generation,
            |policy| details_by(policy, engine, caps, shown, question),
            shown,
        ),
    }
}

fn details_by(
    policy: &Loaded,
    engine: &Engine,
    caps: &Caps,
    shown: impl FnOnce() -> Choices<Detail>,
    question: impl FnOnce(Asked<'_>) -> DemotionRequest,
) -> Settled<Choices<Detail>> {
    let call = policy.demotion(engine, question(&|key| policy.info.asks_for(key)));
    settle(Slot::Demotion, policy, call, shown, |answer, declared, about| {
        approved(approve_details(answer, declared, caps, about)?)
    })
}

/// Asks which form each line takes. The fallback is the plain baseline, which names rows in the order of `first`. `recut`
/// says what short lines cost that a policy cuts otherwise.
pub fn ask_forms(
    engine: &Engine,
    in_charge: &InCharge<'_>,
    prices: &Prices,
    caps: &[Form],
    recut: Recut<'_>,
    first: impl FnOnce() -> Vec<usize>,
    question: impl FnOnce(Asked<'_>) -> BudgetRequest,
) -> Settled<Forms> {
    let plain = |first: &[usize]| Forms::by_host(baseline(prices, caps, first));
    match in_charge {
        InCharge::Failed { name, error } => {
            (plain(&first()), failed(Slot::Budget, name, error), Vec::new())
        }
        InCharge::Host { name, rule } => {
            let mut note = unasked(Slot::Budget, name);
            let first = first();
            let forms = rule(prices, caps, &first);
            let cost = prices.sum(forms.iter().copied()).least();
            let (answered, len) = (forms.len(), caps.len());
            let breach = if answered != len {
                Breach::RowsMissing { answered, len, first: answered.min(len) }
            } else if cost > prices.limit {
                Breach::OverLimit { cost, limit: prices.limit }
            } else {
                return (Forms::by_host(forms), note, Vec::new());
            };
            note.fallback = Some(Fallback::Breach(breach));
            (plain(&first), note, Vec::new())
        }
        InCharge::Policy(policy) => {
            forms_by(policy, engine, (prices, caps, recut), || plain(&first()), question)
        }
        InCharge::Seated { member, generation } => {
            let first = std::cell::Cell::new(Some(first));
            let plain = || plain(&first.take().map_or_else(Vec::new, |first| first()));
            watched(
                member,
                *generation,
                |policy| forms_by(policy, engine, (prices, caps, recut), plain, question),
                plain,
            )
        }
    }
}

fn forms_by(
    policy: &Loaded,
    engine: &Engine,
    (prices, caps, recut): (&Prices, &[Form], Recut<'_>),
    plain: impl FnOnce() -> Forms,
    question: impl FnOnce(Asked<'_>) -> BudgetRequest,
) -> Settled<Forms> {
    let call = policy.budget(engine, question(&|key| policy.info.asks_for(key)));
    settle(Slot::Budget, policy, call, plain, |answer, declared, about| {
        approved(approve_forms(answer, declared, caps, prices, recut, about)?)
    })
}

/// What the laws let pass, taken out.
fn approved<T>((it, bites): (Approved<T>, Vec<Bite>)) -> Result<(T, Vec<Bite>), Breach> {
    Ok((it.into_inner(), bites))
}

/// Asks a slot whose answer is nothing where its policy gives none that counts.
pub fn ask_or_nothing<A, T>(
    slot: Slot,
    in_charge: &InCharge<'_>,
    call: impl Fn(&Loaded) -> Call<A>,
    approve: impl Fn(&A, &BTreeMap<OneLine, OneLine>) -> Result<(Approved<T>, Vec<Bite>), Breach>,
) -> Settled<Option<T>> {
    let by = |policy: &Loaded| {
        settle(
            slot,
            policy,
            call(policy),
            || None,
            |answer, declared, _| {
                let (it, bites) = approve(answer, declared)?;
                Ok((Some(it.into_inner()), bites))
            },
        )
    };
    match in_charge {
        InCharge::Failed { name, error } => (None, failed(slot, name, error), Vec::new()),
        InCharge::Host { name, .. } => (None, unasked(slot, name), Vec::new()),
        InCharge::Policy(policy) => by(policy),
        InCharge::Seated { member, generation } => watched(member, *generation, by, || None),
    }
}

/// Asks a member if its watch lets it be asked, and tells the watch what became of it; else `fallback` holds.
fn watched<T>(
    member: &Member,
    generation: u64,
    ask: impl FnOnce(&Loaded) -> Settled<T>,
    fallback: impl FnOnce() -> T,
) -> Settled<T> {
    let ticket = match member.admit() {
        Ok(ticket) => ticket,
        Err(held) => {
            let title = member.title();
            let note = SlotNote {
                digest: member.digest().map(str::to_owned),
                fallback: Some(Fallback::from(held)),
                generation: Some(generation),
                ..unasked(member.slot(), &title)
            };
            return (fallback(), note, Vec::new());
        }
    };
    let (settled, mut note, bites) = ask(ticket.policy());
    ticket.came(&Fallback::came(note.fallback.as_ref()));
    note.generation = Some(generation);
    (settled, note, bites)
}

/// From a call to choices: the answer if every law lets it pass, else the fallback, with a note of which it was.
fn settle<A, T>(
    slot: Slot,
    policy: &Loaded,
    call: Call<A>,
    fallback: impl FnOnce() -> T,
    approve: impl FnOnce(&A, &BTreeMap<OneLine, OneLine>, &OneLine) -> Result<(T, Vec<Bite>), Breach>,
) -> Settled<T> {
    let mut note = SlotNote {
        slot,
        policy: policy.title(),
        source: policy.source.to_string(),
        digest: Some(policy.inspection.digest.clone()),
        generation: None,
        fallback: None,
        allowance: policy.allowance,
        fuel: call.fuel,
        fuel_limit: call.fuel_limit,
        rows: call.rows,
        micros: call.elapsed.as_micros(),
    };
    let mut bites = Vec::new();
    let why = match call.outcome {
        Outcome::Answer(answer) => {
            match approve(&answer, &policy.info.reasons, &policy.info.name) {
                Ok((approved, bitten)) => return (approved, note, bitten),
                Err(breach) => {
                    bites.push(Bite {
                        law: breach.law(),
                        about: policy.info.name.clone(),
                        what: OneLine::new(&format!("{breach}; the answer was thrown away")),
                        rows: Vec::new(),
                    });
                    Fallback::Breach(breach)
                }
            }
        }
        Outcome::Refused(reason) => Fallback::Refused(reason),
        Outcome::Faulted(fault) => Fallback::Fault(fault),
    };
    note.fallback = Some(why);
    (fallback(), note, bites)
}

fn failed(slot: Slot, name: &str, error: &LoadError) -> SlotNote {
    SlotNote { fallback: Some(Fallback::Load(error.clone())), ..unasked(slot, name) }
}

fn unasked(slot: Slot, name: &str) -> SlotNote {
    SlotNote {
        slot,
        policy: name.to_owned(),
        source: name.to_owned(),
        digest: None,
        generation: None,
        fallback: None,
        allowance: Allowance::default(),
        fuel: 0,
        fuel_limit: 0,
        rows: 0,
        micros: 0,
    }
}
