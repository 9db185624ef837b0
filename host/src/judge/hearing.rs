//! One write before the judges: each is asked, its answer read under the laws, and what comes of all held under them again.

use super::{
    combine::{combine, fallback},
    question::question,
    seat::{Judge, Seat, Who},
};
use crate::{
    decision::{By, Judgement, Reasoned, Slot, WriteRequest},
    index::Fallback,
    laws::{Bite, approve_write, hold_write},
    policy::{Engine, Loaded, Outcome},
    skill::OneLine,
};

/// What one policy had to say.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// Its title, or, where it did not load, the name that it was given.
    pub policy: OneLine,
    /// Its component's SHA-256 in hex, where it loaded.
    pub digest: Option<String>,
    /// What it answered, or what holds since it did not.
    pub judgement: Judgement,
    /// Why it gave no answer that counts, where it did not.
    pub fallback: Option<Fallback>,
    /// Fuel that it took.
    pub fuel: u64,
    /// Fuel that it might have taken.
    pub fuel_limit: u64,
    /// Microseconds that it took, instance and copying included.
    pub micros: u128,
}

/// A judgement and how it came about.
#[derive(Clone, Debug)]
pub struct Hearing {
    /// What holds.
    pub judgement: Judgement,
    /// What the policies' answers came to, before the laws held them.
    pub proposed: Judgement,
    /// Each policy's.
    pub opinions: Vec<Opinion>,
    /// Laws that bit.
    pub bites: Vec<Bite>,
    /// The number of the generation whose policies judged, where they are of one.
    pub generation: Option<u64>,
}

impl Judge {
    /// What holds for a write.
    #[must_use]
    pub fn judge(&self, request: &WriteRequest) -> Judgement {
        self.hear(request).judgement
    }

    /// The same, with how it came about.
    #[must_use]
    pub fn hear(&self, request: &WriteRequest) -> Hearing {
        let (mut opinions, mut bites) = (Vec::with_capacity(self.seats.len()), Vec::new());
        for seat in &self.seats {
            let opinion = seat.ask(&self.engine, request);
            if let Some(Fallback::Breach(breach)) = &opinion.fallback {
                bites.push(Bite {
                    law: breach.law(),
                    about: opinion.policy.clone(),
                    what: OneLine::new(&format!("{breach}; the answer was thrown away")),
                    rows: Vec::new(),
                });
            }
            opinions.push(opinion);
        }
        let answers: Vec<Judgement> = opinions.iter().map(|it| it.judgement.clone()).collect();
        let proposed = combine(request, &answers);
        let about = OneLine::new(&proposed.by.to_string());
        let (held, bite) = hold_write(proposed.verdict, &about, request);
        let judgement = match &bite {
            None => Judgement { verdict: held.into_inner(), ..proposed.clone() },
            Some(Bite { law, what, .. }) => Judgement {
                verdict: held.into_inner(),
                reason: Reasoned { code: OneLine::new(law.word()), text: what.clone() },
                by: By::Law(OneLine::new(law.word())),
            },
        };
        bites.extend(bite);
        Hearing { judgement, proposed, opinions, bites, generation: self.generation }
    }
}

impl Seat {
    fn ask(&self, engine: &Engine, request: &WriteRequest) -> Opinion {
        let ticket = match &self.who {
            Who::Own(loaded) => match loaded.as_ref() {
                Ok(policy) => return by_policy(policy, engine, request),
                Err(error) => {
                    let why = format!("`{}` does not load: {error}", self.name);
                    return self.unasked(None, request, &why, Fallback::Load(error.clone()));
                }
            },
            Who::Member(member) => member.admit().map_err(|held| (member, held)),
        };
        match ticket {
            Ok(ticket) => {
                let opinion = by_policy(ticket.policy(), engine, request);
                ticket.came(&Fallback::came(opinion.fallback.as_ref()));
                opinion
            }
            Err((member, held)) => {
                let why = match Fallback::from(held) {
                    Fallback::Load(error) => {
                        (format!("`{}` does not load: {error}", self.name), Fallback::Load(error))
                    }
                    why => (format!("`{}` is not asked: {why}", self.name), why),
                };
                self.unasked(member.digest(), request, &why.0, why.1)
            }
        }
    }

    /// What holds of a policy that was not asked.
    fn unasked(
        &self,
        digest: Option<&str>,
        request: &WriteRequest,
        words: &str,
        why: Fallback,
    ) -> Opinion {
        Opinion {
            policy: OneLine::new(&self.name),
            digest: digest.map(str::to_owned),
            judgement: fallback(request, words),
            fallback: Some(why),
            fuel: 0,
            fuel_limit: 0,
            micros: 0,
        }
    }
}

fn by_policy(policy: &Loaded, engine: &Engine, request: &WriteRequest) -> Opinion {
    let title = OneLine::new(&policy.title());
    let call = policy.provenance(engine, question(request, &|key| policy.info.asks_for(key)));
    let answered = match call.outcome {
        Outcome::Answer(answer) => {
            approve_write(&answer, &policy.info.reasons, request).map_err(Fallback::Breach)
        }
        Outcome::Refused(reason) => Err(Fallback::Refused(reason)),
        Outcome::Faulted(fault) => Err(Fallback::Fault(fault)),
    };
    let (judgement, why) = match answered {
        Ok((verdict, reason)) => {
            (Judgement { verdict, reason, by: By::Policy(title.clone()) }, None)
        }
        Err(why) => {
            let hint = why.hint(Slot::Provenance).map_or_else(String::new, |it| format!("; {it}"));
            let words = format!("{title} gave no answer that counts: {why}{hint}");
            (fallback(request, &words), Some(why))
        }
    };
    Opinion {
        policy: title,
        digest: Some(policy.inspection.digest.clone()),
        judgement,
        fallback: why,
        fuel: call.fuel,
        fuel_limit: call.fuel_limit,
        micros: call.elapsed.as_micros(),
    }
}
