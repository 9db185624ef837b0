//! What passes did to a skill, what one would do with it now, and what holds it.

use serde_json::{Value as Json, json};

use crate::{
    cli::curated,
    curator::{Asked, Planned, Subject, in_a_row, wanted, why_held},
    ledger::{Access, AtHand, Moved},
    skill::{Instant, State},
    world::{
        Tell, World,
        error::CommandError,
        kept::Kept,
        pass::{Curators, plan},
        store::Store,
    },
};

/// What the curator has to do with one skill.
pub struct Curated {
    since: Option<String>,
    last: Option<Moved>,
    put_back: Option<String>,
    outside: Option<&'static str>,
    spared: Option<String>,
    planned: Option<Planned>,
}

/// What is known of a row of the library; nothing where no home knows it.
///
/// # Errors
/// Where the ledger can't be read, or this machine can't run any policy.
pub fn of(
    world: &World<'_>,
    kept: &Kept,
    row: usize,
    now: Instant,
    out: &mut dyn Tell,
) -> Result<Option<Curated>, CommandError> {
    let known: Option<&AtHand> = kept.rows(&world.library).get(row).copied().flatten();
    let (Some(known), Some(ledger)) = (known, &kept.ledger) else { return Ok(None) };
    let store = Store::open(world.system, world, Access::Read, out)?;
    let curators = Curators::load(world, out)?;
    let (plan, ground) = plan(world, &store, &curators, (Asked::Schedule, now), out)?;
    let subject = ground.subjects.iter().find(|it| it.id == known.id);
    let put_back = match known.put_back {
        Some(archived) => Some(curated::put_back(ledger, archived)?),
        None => None,
    };
    Ok(Some(Curated {
        since: curated::since(ledger, known.id, known.state)?,
        last: ledger.transitions(known.id, 1)?.into_iter().next(),
        put_back,
        outside: subject.and_then(|it| it.outside()).map(|why| why.why()),
        spared: subject.and_then(spared),
        planned: plan.rows.into_iter().find(|it| it.id == known.id),
    }))
}

impl Curated {
    /// Its rows, as name and value.
    pub fn rows(&self, row: &mut dyn FnMut(&str, String)) {
        if let Some(since) = &self.since {
            row("state", since.clone());
        }
        if let Some(put_back) = &self.put_back {
            row("archive", put_back.clone());
        }
        row("curator", self.words());
    }

    /// What a pass that begins by itself would do with it now.
    fn words(&self) -> String {
        let Some(it) = &self.planned else {
            return match self.outside {
                Some(why) => format!("no pass touches it: {why}"),
                None => {
                    let spared = self.spared.as_ref();
                    let spared = spared.map_or(String::new(), |why| format!("; {why}"));
                    format!("a pass would leave it as it is{spared}")
                }
            };
        };
        let to = |state: State| match state {
            State::Archived => "put it into the archive",
            State::Stale => "let it go stale",
            _ => "make it active again",
        };
        let held = why_held(it);
        let why = it.reason.text.as_str();
        match (it.to, held.is_empty()) {
            (Some(state), true) => format!("a pass would {}: {why}", to(state)),
            (Some(state), false) => format!(
                "a pass would {}: {why}; it was to {}, and {held}",
                to(state),
                wanted(it.wanted)
            ),
            (None, _) => {
                format!(
                    "a pass would leave it: it was to {} ({why}), and {held}",
                    wanted(it.wanted)
                )
            }
        }
    }

    /// The same for programs.
    pub fn json(&self) -> Json {
        json!({
            "last": self.last.as_ref().map(curated::as_json),
            "put-back": self.put_back,
            "why-not": self.outside,
            "wanted": self.planned.as_ref().map(|it| it.wanted),
            "to": self.planned.as_ref().and_then(|it| it.to),
            "why": self.planned.as_ref().map(|it| it.reason.text.clone()),
            "held": self.planned.as_ref().map(why_held).filter(|held| !held.is_empty()),
            "words": self.words(),
        })
    }
}

/// What no pass goes past, whatever a policy wants.
fn spared(it: &Subject) -> Option<String> {
    match (it.standing.pinned, it.jobs.is_empty()) {
        (true, _) => Some("it is pinned".to_owned()),
        (false, false) => Some(format!("jobs name it: {}", in_a_row(&it.jobs))),
        (false, true) => None,
    }
}
