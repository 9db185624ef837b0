//! Asking a policy what becomes of skills.

use super::{
    super::{engine::Engine, limits::Limits},
    Finished, NAME, Prepared, answered,
    bindings::exports::skillkeep::policy::curator as wit_curator,
    context, entries, run, table,
};
use crate::{
    decision::{Curated, CuratorRequest, Fate, Notice, Proposal, Refusal, Settings},
    skill::OneLine,
};

/// Asks a curator policy.
pub(in crate::policy) fn curator(
    engine: &Engine,
    prepared: &Prepared,
    request: CuratorRequest,
    settings: &Settings,
    limits: Limits,
) -> Finished<Result<Curated, Refusal>> {
    let request = wit_curator::Request {
        context: context(request.context),
        settings: entries(settings),
        skills: table(request.skills),
    };
    let (result, fuel) = run(engine, prepared, limits, |store, instance| {
        let guest = wit_curator::GuestIndices::new(&prepared.0)?.load(&mut *store, instance)?;
        guest.call_decide(&mut *store, &request)
    });
    let result = result.map(|answer| {
        let (answer, told) = match answer {
            Ok(answer) => (Ok((answer.proposals, answer.reasons)), answer.notices),
            Err(refusal) => (Err(refusal), Vec::new()),
        };
        let fates = answered(answer, |p| Proposal {
            row: p.skill,
            choice: match p.verdict {
                wit_curator::Verdict::Keep => Fate::Keep,
                wit_curator::Verdict::Activate => Fate::Activate,
                wit_curator::Verdict::MarkStale => Fate::MarkStale,
                wit_curator::Verdict::Archive => Fate::Archive,
            },
            why: p.why,
        })?;
        let notice = |it: wit_curator::Notice| Notice {
            row: it.skill,
            kind: OneLine::capped(&it.kind, NAME),
            why: it.why,
        };
        Ok(Curated { fates, notices: told.into_iter().map(notice).collect() })
    });
    (result, fuel)
}
