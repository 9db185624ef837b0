//! What users chose for skills. It moves no file, so a root that is only read will do, and no lock is taken: the ledger
//! says by itself whether somebody else chose meanwhile.

use super::{
    ChangeError,
    keeper::{By, Done},
};
use crate::{
    ledger::{ChangeId, Leave, Ledger, NewChange, RootId, Step, Verb},
    skill::{Choice, SkillId},
    system::Disk,
};

/// Writes down a user's choice for a skill: for one agent, or for all.
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
    write(disk, ledger, (root, skill, Verb::Set, None), steps, by)
}

/// Takes a change of choices back, in whatever root its skill is. Of another change it knows no way back.
///
/// # Errors
/// Where there is no such change, it was undone or is about files, the choice is another one by now, somebody else than a
/// person asks, or the ledger can't be written.
pub fn unchoose(
    disk: &dyn Disk,
    ledger: &Ledger,
    id: ChangeId,
    by: &By,
) -> Result<Done, ChangeError> {
    by.person("undo")?;
    let record = ledger.change(id)?.ok_or(ChangeError::NoSuchChange(id))?;
    if let Some(other) = record.undone_by {
        return Err(ChangeError::Undone(id, other));
    }
    if !record.change.is_choice() {
        return Err(ChangeError::NoWayBack { id, why: "it is about files".to_owned() });
    }
    let (root, skill) = (record.change.root, record.change.skill);
    let steps: Vec<Step> = record.change.steps.iter().rev().map(Step::inverse).collect();
    for step in &steps {
        if let Step::Choose { agent, before, .. } = step
            && ledger.choice(skill, agent.as_deref())? != *before
        {
            let newer = vec!["the choice is another one by now".to_owned()];
            return Err(ChangeError::NewerWork { id, newer });
        }
    }
    write(disk, ledger, (root, skill, Verb::Undo, Some(id)), steps, by)
}

fn write(
    disk: &dyn Disk,
    ledger: &Ledger,
    (root, skill, verb, undoes): (RootId, SkillId, Verb, Option<ChangeId>),
    steps: Vec<Step>,
    by: &By,
) -> Result<Done, ChangeError> {
    let id = ledger.choose(&NewChange {
        root,
        skill,
        verb,
        actor: by.actor,
        session: by.session.clone(),
        reason: by.reason.clone(),
        undoes,
        at: disk.now(),
        steps: steps.clone(),
        leave: Leave::default(),
    })?;
    Ok(Done { id, skill, steps, diffs: Vec::new(), tolerated: Vec::new(), notes: Vec::new() })
}
