//! The contract's edge: the only module that sees the generated types. Data goes in by move, answers come out as
//! plain data with every text made one line and capped.

use std::collections::BTreeMap;

use wasmtime::{
    Store, Trap,
    component::{Component, Instance, InstancePre, Linker},
};

use self::bindings::{
    exports::skillkeep::policy::{
        budget as wit_budget, demotion as wit_demotion, policy as wit_policy,
    },
    skillkeep::policy::facts as wit,
};
use super::{
    engine::{Engine, Refused, Sandbox},
    error::Fault,
    info::{Info, Parameter},
    limits::Limits,
    room,
};
use crate::{
    decision::{
        Answer, BudgetRequest, Budgeted, Column, Context, DemotionRequest, Detail, Form, Proposal,
        Reason, Refusal, Settings, Table, Value, Values,
    },
    skill::OneLine,
};

mod bindings {
    #![allow(missing_docs, reason = "generated from the WIT, which carries the docs")]
    wasmtime::component::bindgen!({
        path: "../wit/policy-0.1",
        // No component exports all of it. One world for all slots gives one set of types; each interface is looked up
        // by itself.
        inline: "
            package skillkeep:host;
            world every-slot {
                export skillkeep:policy/policy@0.1.0;
                export skillkeep:policy/demotion@0.1.0;
                export skillkeep:policy/budget@0.1.0;
                export skillkeep:policy/curator@0.1.0;
                export skillkeep:policy/provenance@0.1.0;
            }
        ",
        world: "skillkeep:host/every-slot",
    });
}

/// Longest text of each kind that is kept, in Unicode scalars.
const NAME: usize = 64;
const LINE: usize = 400;
/// Most arguments of a reason that are kept.
const ARGS: usize = 16;
/// Most declared parameters, facts or reasons that are kept; more is a fault.
const DECLARED: usize = 500;

/// A component that is ready to be instantiated.
#[derive(Clone)]
pub(super) struct Prepared(InstancePre<Sandbox>);

/// Prepares a component. It imports nothing, so the linker is empty.
pub(super) fn prepare(engine: &Engine, component: &Component) -> Result<Prepared, wasmtime::Error> {
    Linker::new(engine.wasmtime()).instantiate_pre(component).map(Prepared)
}

mod curator;
mod provenance;
mod raw;

pub(super) use curator::curator;
pub(super) use provenance::provenance;
pub(super) use raw::ask;

/// What a call used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Units of fuel.
    pub fuel: u64,
    /// Bytes of linear memory.
    pub memory: usize,
}

/// A finished call: its result, and the fuel that it took.
pub(super) type Finished<T> = (Result<T, Fault>, u64);

/// Instantiates the component and lets `call` use the instance, within `limits`.
fn run<T>(
    engine: &Engine,
    prepared: &Prepared,
    limits: Limits,
    call: impl FnOnce(&mut Store<Sandbox>, &Instance) -> wasmtime::Result<T>,
) -> Finished<T> {
    let (result, used) = run_measured(engine, prepared, limits, call);
    (result, used.fuel)
}

/// The same, saying all that it used.
fn run_measured<T>(
    engine: &Engine,
    prepared: &Prepared,
    limits: Limits,
    call: impl FnOnce(&mut Store<Sandbox>, &Instance) -> wasmtime::Result<T>,
) -> (Result<T, Fault>, Used) {
    let mut store = match engine.store(limits) {
        Ok(store) => store,
        Err(error) => {
            let fault = Fault::Invalid(OneLine::capped(&format!("{error:#}"), LINE));
            return (Err(fault), Used::default());
        }
    };
    let result = match prepared.0.instantiate(&mut store) {
        Ok(instance) => call(&mut store, &instance).map_err(|error| fault(&error, &store, limits)),
        // Before the first call nothing was returned: what is no trap is a count of parts that the limiter refused.
        Err(error) => Err(match fault(&error, &store, limits) {
            Fault::Invalid(reason) => Fault::Parts(reason),
            other => other,
        }),
    };
    let left = store.get_fuel().unwrap_or(0);
    (result, Used { fuel: limits.fuel.saturating_sub(left), memory: store.data().memory() })
}

/// Instantiates once and does nothing: whether the code before the first call behaves.
pub(super) fn instantiate(engine: &Engine, prepared: &Prepared, limits: Limits) -> Finished<()> {
    run(engine, prepared, limits, |_, _| Ok(()))
}

/// Checks that the exports of an interface have the contract's types, without calling them.
pub(super) fn check_types(
    engine: &Engine,
    prepared: &Prepared,
    interface: Interface,
    limits: Limits,
) -> Finished<()> {
    run(engine, prepared, limits, |store, instance| {
        match interface {
            Interface::Policy => {
                wit_policy::GuestIndices::new(&prepared.0)?.load(&mut *store, instance)?;
            }
            Interface::Demotion => {
                wit_demotion::GuestIndices::new(&prepared.0)?.load(&mut *store, instance)?;
            }
            Interface::Budget => {
                wit_budget::GuestIndices::new(&prepared.0)?.load(&mut *store, instance)?;
            }
            Interface::Curator => {
                bindings::exports::skillkeep::policy::curator::GuestIndices::new(&prepared.0)?
                    .load(&mut *store, instance)?;
            }
            Interface::Provenance => {
                bindings::exports::skillkeep::policy::provenance::GuestIndices::new(&prepared.0)?
                    .load(&mut *store, instance)?;
            }
        }
        Ok(())
    })
}

/// The interfaces of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interface {
    /// `describe` and `check-settings`
    Policy,
    /// A slot's `decide`.
    Demotion,
    /// A slot's `decide`.
    Budget,
    /// A slot's `decide`.
    Curator,
    /// A slot's `decide`.
    Provenance,
}

/// Asks a policy what it is.
pub(super) fn describe(engine: &Engine, prepared: &Prepared, limits: Limits) -> Finished<Info> {
    let (result, fuel) = run(engine, prepared, limits, |store, instance| {
        let guest = wit_policy::GuestIndices::new(&prepared.0)?.load(&mut *store, instance)?;
        guest.call_describe(&mut *store)
    });
    (result.and_then(info), fuel)
}

/// Asks a policy what is wrong with its settings: key and message, none if nothing is.
pub(super) fn check_settings(
    engine: &Engine,
    prepared: &Prepared,
    settings: &Settings,
    limits: Limits,
) -> Finished<Vec<(OneLine, OneLine)>> {
    let (result, fuel) = run(engine, prepared, limits, |store, instance| {
        let guest = wit_policy::GuestIndices::new(&prepared.0)?.load(&mut *store, instance)?;
        guest.call_check_settings(&mut *store, &entries(settings))
    });
    let problems = result.map(|answer| match answer {
        Ok(()) => Vec::new(),
        Err(problems) => problems
            .iter()
            .take(DECLARED)
            .map(|p| (OneLine::capped(&p.key, NAME), OneLine::capped(&p.message, LINE)))
            .collect(),
    });
    (problems, fuel)
}

/// Asks a demotion policy.
pub(super) fn demotion(
    engine: &Engine,
    prepared: &Prepared,
    request: DemotionRequest,
    settings: &Settings,
    limits: Limits,
) -> Finished<Result<Answer<Detail>, Refusal>> {
    let request = wit_demotion::Request {
        context: context(request.context),
        settings: entries(settings),
        skills: table(request.skills),
        categories: table(request.categories),
    };
    let (result, fuel) = run(engine, prepared, limits, |store, instance| {
        let guest = wit_demotion::GuestIndices::new(&prepared.0)?.load(&mut *store, instance)?;
        guest.call_decide(&mut *store, &request)
    });
    let result = result.map(|answer| {
        answered(answer.map(|answer| (answer.proposals, answer.reasons)), |p| Proposal {
            row: p.category,
            choice: match p.detail {
                wit_demotion::Detail::Full => Detail::Full,
                wit_demotion::Detail::Names => Detail::Names,
                wit_demotion::Detail::Count => Detail::Count,
            },
            why: p.why,
        })
    });
    (result, fuel)
}

/// Asks a budget policy.
pub(super) fn budget(
    engine: &Engine,
    prepared: &Prepared,
    request: BudgetRequest,
    settings: &Settings,
    limits: Limits,
) -> Finished<Result<Budgeted, Refusal>> {
    let request = wit_budget::Request {
        context: context(request.context),
        settings: entries(settings),
        limit: request.limit,
        fixed: request.fixed,
        skills: table(request.skills),
        categories: table(request.categories),
    };
    let (result, fuel) = run(engine, prepared, limits, |store, instance| {
        let guest = wit_budget::GuestIndices::new(&prepared.0)?.load(&mut *store, instance)?;
        guest.call_decide(&mut *store, &request)
    });
    let result = result.map(|answer| {
        let cut = answer.as_ref().ok().and_then(|answer| answer.cut);
        let forms =
            answered(answer.map(|answer| (answer.proposals, answer.reasons)), |p| Proposal {
                row: p.skill,
                choice: match p.form {
                    wit_budget::Form::Full => Form::Full,
                    wit_budget::Form::Short => Form::Short,
                    wit_budget::Form::Name => Form::Name,
                    wit_budget::Form::Counted => Form::Counted,
                },
                why: p.why,
            })?;
        Ok(Budgeted { forms, cut })
    });
    (result, fuel)
}

/// A policy's answer, or its no, as data of the host.
fn answered<P, T>(
    answer: Result<(Vec<P>, Vec<wit::Reason>), wit::Refusal>,
    proposal: impl Fn(P) -> Proposal<T>,
) -> Result<Answer<T>, Refusal> {
    let (proposals, reasons) = answer.map_err(refusal)?;
    Ok(Answer {
        proposals: proposals.into_iter().map(proposal).collect(),
        reasons: reasons.iter().map(reason).collect(),
    })
}

/// What ended a call. Everything that a guest can do wrong is told apart by type; only what is left is told by text.
fn fault(error: &wasmtime::Error, store: &Store<Sandbox>, limits: Limits) -> Fault {
    match store.data().refused() {
        Some(Refused::Memory(asked)) => return Fault::Memory { asked, limit: limits.memory },
        Some(Refused::Table(asked)) => return Fault::Table { asked, limit: limits.table_elements },
        Some(Refused::ByTheMachine) => {
            return Fault::Host(OneLine::capped(&format!("{error:#}"), LINE));
        }
        None => {}
    }
    if let Some(shortage) = room::shortage(error) {
        return Fault::Host(OneLine::capped(&shortage, LINE));
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => Fault::Fuel { limit: limits.fuel },
        Some(Trap::Interrupt) => {
            Fault::Deadline { limit: super::limits::TICK.as_millis() as u64 * limits.ticks }
        }
        Some(Trap::StackOverflow) => Fault::Stack { limit: super::limits::WASM_STACK },
        Some(trap) => {
            let text = trap.to_string();
            Fault::Trap(OneLine::capped(text.strip_prefix("wasm trap: ").unwrap_or(&text), LINE))
        }
        None => {
            let text = format!("{error:#}");
            // wasmtime keeps this error's type to itself.
            if text.contains("too much data is being copied") {
                Fault::Copied { limit: limits.copied }
            } else {
                Fault::Invalid(OneLine::capped(&text, LINE))
            }
        }
    }
}

fn info(info: wit_policy::Info) -> Result<Info, Fault> {
    let declared =
        info.parameters.len().max(info.needs.len()).max(info.wants.len()).max(info.reasons.len());
    if declared > DECLARED {
        return Err(Fault::Invalid(OneLine::new(&format!(
            "`describe` lists {declared} things of one kind; at most {DECLARED} are taken"
        ))));
    }
    Ok(Info {
        name: OneLine::capped(&info.name, NAME),
        version: OneLine::capped(&info.version, NAME),
        summary: OneLine::capped(&info.summary, LINE),
        parameters: info
            .parameters
            .into_iter()
            .map(|p| Parameter {
                key: OneLine::capped(&p.key, NAME),
                default: value(p.default),
                doc: OneLine::capped(&p.doc, LINE),
            })
            .collect(),
        needs: info.needs.iter().map(|key| OneLine::capped(key, NAME)).collect(),
        wants: info.wants.iter().map(|key| OneLine::capped(key, NAME)).collect(),
        reasons: info
            .reasons
            .iter()
            .map(|(code, template)| (OneLine::capped(code, NAME), OneLine::capped(template, LINE)))
            .collect::<BTreeMap<_, _>>(),
    })
}

fn value(value: wit::Value) -> Value {
    match value {
        wit::Value::Boolean(value) => Value::Boolean(value),
        wit::Value::Integer(value) => Value::Integer(value),
        wit::Value::Real(value) => Value::Real(value),
        wit::Value::Text(text) => Value::Text(OneLine::capped(&text, LINE).as_str().to_owned()),
        wit::Value::Texts(texts) => Value::Texts(
            texts.iter().map(|t| OneLine::capped(t, LINE).as_str().to_owned()).collect(),
        ),
    }
}

fn to_wit(value: Value) -> wit::Value {
    match value {
        Value::Boolean(value) => wit::Value::Boolean(value),
        Value::Integer(value) => wit::Value::Integer(value),
        Value::Real(value) => wit::Value::Real(value),
        Value::Text(text) => wit::Value::Text(text),
        Value::Texts(texts) => wit::Value::Texts(texts),
    }
}

fn reason(reason: &wit::Reason) -> Reason {
    Reason {
        code: OneLine::capped(&reason.code, NAME),
        args: reason.args.iter().take(ARGS).map(|arg| OneLine::capped(arg, NAME * 2)).collect(),
    }
}

fn refusal(refusal: wit::Refusal) -> Refusal {
    match refusal {
        wit::Refusal::BadSetting(entry) => Refusal::BadSetting {
            key: OneLine::capped(&entry.key, NAME),
            value: value(entry.value),
        },
        wit::Refusal::MissingFact(key) => Refusal::MissingFact(OneLine::capped(&key, NAME)),
        wit::Refusal::Other(why) => Refusal::Other(reason(&why)),
    }
}

fn entries(settings: &Settings) -> Vec<wit::Entry> {
    settings
        .iter()
        .map(|(key, value)| wit::Entry { key: key.clone(), value: to_wit(value.clone()) })
        .collect()
}

fn context(context: Context) -> wit::Context {
    wit::Context {
        now: context.now.0,
        seed: context.seed,
        facts: context
            .facts
            .into_iter()
            .map(|(key, value)| wit::Entry { key: key.to_owned(), value: to_wit(value) })
            .collect(),
    }
}

fn table(table: Table) -> wit::Table {
    wit::Table { len: table.len, columns: table.columns.into_iter().map(column).collect() }
}

fn column(column: Column) -> wit::Column {
    wit::Column {
        key: column.key.to_owned(),
        rows: column.rows,
        values: match column.values {
            Values::Booleans(values) => wit::Values::Booleans(values),
            Values::Integers(values) => wit::Values::Integers(values),
            Values::Reals(values) => wit::Values::Reals(values),
            Values::Texts(values) => wit::Values::Texts(values),
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::policy::{
        limits::{ROOMY_STACK, THREAD_STACK, WASM_STACK},
        threads::{begin_roomy_thread, on_policy_thread},
    };

    /// What becomes of code that runs when it is instantiated, under other limits than the usual ones.
    fn start(body: &str, change: impl FnOnce(&mut Limits)) -> Result<(), Fault> {
        let engine = Engine::new(None, None).unwrap();
        let bytes = wat::parse_str(format!(
            "(component (core module $m (memory 1) (func $start {body}) (start $start))
                (core instance (instantiate $m)))"
        ));
        let component = Component::from_binary(engine.wasmtime(), &bytes.unwrap()).unwrap();
        let mut limits = Limits::of_description();
        change(&mut limits);
        instantiate(&engine, &prepare(&engine, &component).unwrap(), limits).0
    }

    #[test]
    fn the_clock_ends_what_fuel_does_not() {
        let ended = start("(loop $again (br $again))", |limits| {
            limits.fuel = u64::MAX;
            limits.ticks = 3;
        });
        assert_eq!(ended, Err(Fault::Deadline { limit: 30 }));
    }

    #[test]
    fn endless_recursion_is_a_fault_on_a_thread_that_is_half_full_already() {
        fn at(it: &[u8]) -> usize {
            it.as_ptr().addr()
        }
        fn deep(top: usize, work: &mut dyn FnMut()) {
            let room = std::hint::black_box([0_u8; 4096]);
            if top.abs_diff(at(&room)) < ROOMY_STACK - THREAD_STACK {
                deep(top, work);
            } else {
                work();
            }
            std::hint::black_box(&room);
        }
        let full = || {
            let mut ended = None;
            let mut work = || {
                let recurse = || start("(call $start)", |limits| limits.fuel = u64::MAX);
                ended = Some(on_policy_thread(recurse).unwrap());
            };
            deep(at(&std::hint::black_box([0_u8; 1])), &mut work);
            assert_eq!(ended, Some(Err(Fault::Stack { limit: WASM_STACK })));
        };
        begin_roomy_thread("roomy", full).unwrap().join().unwrap();
    }

    #[test]
    fn a_limit_of_nothing_is_no_freedom() {
        assert_eq!(start("", |limits| limits.fuel = 0), Err(Fault::Fuel { limit: 0 }));
        let a_page = Err(Fault::Memory { asked: 65_536, limit: 0 });
        assert_eq!(start("", |limits| limits.memory = 0), a_page);
        let ended = start("(loop $again (br $again))", |limits| {
            limits.fuel = u64::MAX;
            limits.ticks = 0;
        });
        assert_eq!(ended, Err(Fault::Deadline { limit: 0 }));
        assert_eq!(start("", |_| {}), Ok(()));
    }
}
