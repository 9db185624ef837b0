//! Asking a policy about a write.

use super::{
    super::{engine::Engine, limits::Limits},
    Finished, LINE, Prepared,
    bindings::exports::skillkeep::policy::provenance as wit_provenance,
    context, entries, reason, refusal, run, to_wit, wit,
};
use crate::{
    decision::{ProvenanceRequest, Refusal, Settings, Verdict, WriteAnswer},
    skill::OneLine,
};

/// Asks a provenance policy.
pub(in crate::policy) fn provenance(
    engine: &Engine,
    prepared: &Prepared,
    request: ProvenanceRequest,
    settings: &Settings,
    limits: Limits,
) -> Finished<Result<WriteAnswer, Refusal>> {
    let fact = |(key, value): (&str, _)| wit::Entry { key: key.to_owned(), value: to_wit(value) };
    let request = wit_provenance::Request {
        context: context(request.context),
        settings: entries(settings),
        write: request.write.into_iter().map(fact).collect(),
        content: request.content,
    };
    let (result, fuel) = run(engine, prepared, limits, |store, instance| {
        let guest = wit_provenance::GuestIndices::new(&prepared.0)?.load(&mut *store, instance)?;
        guest.call_decide(&mut *store, &request)
    });
    let origin = |word: &str| OneLine::capped(word, LINE);
    let result = result.map(|answer| match answer {
        Ok(answer) => Ok(WriteAnswer {
            verdict: match &answer.verdict {
                wit_provenance::Verdict::Allow(word) => Verdict::Allow(origin(word)),
                wit_provenance::Verdict::Stage(word) => Verdict::Stage(origin(word)),
                wit_provenance::Verdict::Deny => Verdict::Deny,
            },
            why: reason(&answer.why),
        }),
        Err(no) => Err(refusal(no)),
    });
    (result, fuel)
}
