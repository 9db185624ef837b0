//! Users' choices for skills. They move nothing, and are changes nevertheless: with a history and a way back.

use super::{
    ChangeError,
    keeper::{By, Done},
};
use crate::{
    ledger::{After, Ledger, NewChange, RootId, Step, Verb},
    skill::{Choice, SkillId},
    system::Disk,
};

/// Writes down a user's choice for a skill. It moves nothing, so a root that is only read will do.
///
/// # Errors
/// Where it is that already, somebody else than a person asks, or the ledger can't be written.
pub fn choose(
    disk: &dyn Disk,
    ledger: &Ledger,
    root: RootId,
    skill: SkillId,
    agent: Option<&str>,
    choice: Choice,
    by: &By,
) -> Result<Done, ChangeError> {
    by.person("set")?;
    let before = ledger.choice(skill, agent)?;
    if before == choice {
        return Err(ChangeError::NoChange);
    }
    let steps = vec![Step::Choose { agent: agent.map(str::to_owned), before, after: choice }];
    let id = ledger.begin(&NewChange {
        root,
        skill,
        verb: Verb::Set,
        actor: by.actor,
        session: by.session.clone(),
        reason: by.reason.clone(),
        undoes: None,
        at: disk.now(),
        steps: steps.clone(),
    })?;
    ledger.finish(id, &After::default())?;
    let notes = Vec::new();
    Ok(Done { id, skill, steps, diffs: Vec::new(), tolerated: Vec::new(), notes })
}
