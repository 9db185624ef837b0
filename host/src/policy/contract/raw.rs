//! Questions and answers of the SDK's test kit, as they cross the contract: nothing is capped and nothing is judged here.
//! Only a trial of a policy by itself asks this way; an index asks with data of `decision`.

use skillkeep_policy::{
    bindings::slots::{
        budget as sdk_budget, curator as sdk_curator, demotion as sdk_demotion,
        provenance as sdk_provenance,
    },
    facts as sdk,
    slots::{Detail, Form},
    testkit::cases::{Question, Reply},
};

use super::{
    super::{engine::Engine, limits::Limits},
    Prepared, Used,
    bindings::exports::skillkeep::policy::{budget, curator, demotion, provenance},
    run_measured, wit,
};
use crate::policy::Fault;

/// Asks a policy a question of the test kit.
pub(in crate::policy) fn ask(
    engine: &Engine,
    prepared: &Prepared,
    question: Question,
    limits: Limits,
) -> (Result<Reply, Fault>, Used) {
    match question {
        Question::Demotion(request) => {
            let request = demotion::Request {
                context: context(request.context),
                settings: entries(request.settings),
                skills: table(request.skills),
                categories: table(request.categories),
            };
            run_measured(engine, prepared, limits, |store, instance| {
                let indices = demotion::GuestIndices::new(&prepared.0)?;
                let answer =
                    indices.load(&mut *store, instance)?.call_decide(&mut *store, &request)?;
                Ok(Reply::Demotion(answer.map(demoted).map_err(refusal)))
            })
        }
        Question::Budget(request) => {
            let request = budget::Request {
                context: context(request.context),
                settings: entries(request.settings),
                limit: request.limit,
                fixed: request.fixed,
                skills: table(request.skills),
                categories: table(request.categories),
            };
            run_measured(engine, prepared, limits, |store, instance| {
                let indices = budget::GuestIndices::new(&prepared.0)?;
                let answer =
                    indices.load(&mut *store, instance)?.call_decide(&mut *store, &request)?;
                Ok(Reply::Budget(answer.map(budgeted).map_err(refusal)))
            })
        }
        Question::Curator(request) => {
            let request = curator::Request {
                context: context(request.context),
                settings: entries(request.settings),
                skills: table(request.skills),
            };
            run_measured(engine, prepared, limits, |store, instance| {
                let indices = curator::GuestIndices::new(&prepared.0)?;
                let answer =
                    indices.load(&mut *store, instance)?.call_decide(&mut *store, &request)?;
                Ok(Reply::Curator(answer.map(curated).map_err(refusal)))
            })
        }
        Question::Provenance(request) => {
            let request = provenance::Request {
                context: context(request.context),
                settings: entries(request.settings),
                write: entries(request.write),
                content: request.content,
            };
            run_measured(engine, prepared, limits, |store, instance| {
                let indices = provenance::GuestIndices::new(&prepared.0)?;
                let answer =
                    indices.load(&mut *store, instance)?.call_decide(&mut *store, &request)?;
                Ok(Reply::Provenance(answer.map(judged).map_err(refusal)))
            })
        }
    }
}

fn demoted(answer: demotion::Answer) -> sdk_demotion::Answer {
    let proposals = answer.proposals.into_iter().map(|it| sdk_demotion::Proposal {
        category: it.category,
        detail: match it.detail {
            demotion::Detail::Full => Detail::Full,
            demotion::Detail::Names => Detail::Names,
            demotion::Detail::Count => Detail::Count,
        },
        why: it.why,
    });
    sdk_demotion::Answer { proposals: proposals.collect(), reasons: reasons(answer.reasons) }
}

fn budgeted(answer: budget::Answer) -> sdk_budget::Answer {
    let proposals = answer.proposals.into_iter().map(|it| sdk_budget::Proposal {
        skill: it.skill,
        form: match it.form {
            budget::Form::Full => Form::Full,
            budget::Form::Short => Form::Short,
            budget::Form::Name => Form::Name,
            budget::Form::Counted => Form::Counted,
        },
        why: it.why,
    });
    let proposals = proposals.collect();
    sdk_budget::Answer { proposals, cut: answer.cut, reasons: reasons(answer.reasons) }
}

fn curated(answer: curator::Answer) -> sdk_curator::Answer {
    let proposals = answer.proposals.into_iter().map(|it| sdk_curator::Proposal {
        skill: it.skill,
        verdict: match it.verdict {
            curator::Verdict::Keep => sdk_curator::Verdict::Keep,
            curator::Verdict::Activate => sdk_curator::Verdict::Activate,
            curator::Verdict::MarkStale => sdk_curator::Verdict::MarkStale,
            curator::Verdict::Archive => sdk_curator::Verdict::Archive,
        },
        why: it.why,
    });
    let notices = answer.notices.into_iter().map(|it| sdk_curator::Notice {
        skill: it.skill,
        kind: it.kind,
        why: it.why,
    });
    sdk_curator::Answer {
        proposals: proposals.collect(),
        notices: notices.collect(),
        reasons: reasons(answer.reasons),
    }
}

fn judged(answer: provenance::Answer) -> sdk_provenance::Answer {
    sdk_provenance::Answer {
        verdict: match answer.verdict {
            provenance::Verdict::Allow(origin) => sdk_provenance::Verdict::Allow(origin),
            provenance::Verdict::Stage(origin) => sdk_provenance::Verdict::Stage(origin),
            provenance::Verdict::Deny => sdk_provenance::Verdict::Deny,
        },
        why: reason(answer.why),
    }
}

fn refusal(refusal: wit::Refusal) -> sdk::RawRefusal {
    match refusal {
        wit::Refusal::BadSetting(entry) => sdk::RawRefusal::BadSetting(sdk::Entry {
            key: entry.key,
            value: match entry.value {
                wit::Value::Boolean(value) => sdk::Value::Boolean(value),
                wit::Value::Integer(value) => sdk::Value::Integer(value),
                wit::Value::Real(value) => sdk::Value::Real(value),
                wit::Value::Text(value) => sdk::Value::Text(value),
                wit::Value::Texts(value) => sdk::Value::Texts(value),
            },
        }),
        wit::Refusal::MissingFact(key) => sdk::RawRefusal::MissingFact(key),
        wit::Refusal::Other(why) => sdk::RawRefusal::Other(reason(why)),
    }
}

fn reasons(list: Vec<wit::Reason>) -> Vec<sdk::RawReason> {
    list.into_iter().map(reason).collect()
}

fn reason(reason: wit::Reason) -> sdk::RawReason {
    sdk::RawReason { code: reason.code, args: reason.args }
}

fn context(context: sdk::RawContext) -> wit::Context {
    wit::Context { now: context.now, seed: context.seed, facts: entries(context.facts) }
}

fn entries(list: Vec<sdk::Entry>) -> Vec<wit::Entry> {
    let entry = |entry: sdk::Entry| wit::Entry {
        key: entry.key,
        value: match entry.value {
            sdk::Value::Boolean(value) => wit::Value::Boolean(value),
            sdk::Value::Integer(value) => wit::Value::Integer(value),
            sdk::Value::Real(value) => wit::Value::Real(value),
            sdk::Value::Text(value) => wit::Value::Text(value),
            sdk::Value::Texts(value) => wit::Value::Texts(value),
        },
    };
    list.into_iter().map(entry).collect()
}

fn table(table: sdk::RawTable) -> wit::Table {
    let column = |column: sdk::RawColumn| wit::Column {
        key: column.key,
        rows: column.rows,
        values: match column.values {
            sdk::Values::Booleans(values) => wit::Values::Booleans(values),
            sdk::Values::Integers(values) => wit::Values::Integers(values),
            sdk::Values::Reals(values) => wit::Values::Reals(values),
            sdk::Values::Texts(values) => wit::Values::Texts(values),
        },
    };
    wit::Table { len: table.len, columns: table.columns.into_iter().map(column).collect() }
}
