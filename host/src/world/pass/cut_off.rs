//! A pass that was cut off, ended by whoever comes next: what it began is finished or taken back, and its report is written from
//! what the ledger knows of it.

use std::time::Duration;

use super::{carry, reports, snapshots};
use crate::{
    curator::{Asked, Became, Counts, Expected, Happened, Planned, Report},
    decision::Reasoned,
    ledger::{Pass, PassPhase, RootId, RootRecord},
    skill::{Actor, Instant, OneLine, SkillId, State},
    world::{Tell, World, error::CommandError, store::Store},
};

/// Ends a pass that is open, where nobody is at it.
///
/// # Errors
/// Where the ledger can't be read or written.
pub(super) fn end_if_nobody_is_at_it(
    home: (&World<'_>, &Store<'_>),
    out: &mut dyn Tell,
) -> Result<(), CommandError> {
    if open(home.1)?.is_none() {
        return Ok(());
    }
    let Ok(claim) = carry::claim(home.1, Duration::ZERO) else { return Ok(()) };
    end_open(home, out)?;
    drop(claim);
    Ok(())
}

/// Ends the pass that is open. For who has the claim, and so knows that nobody is at it.
///
/// # Errors
/// As above.
pub(super) fn end_open(
    (world, store): (&World<'_>, &Store<'_>),
    out: &mut dyn Tell,
) -> Result<(), CommandError> {
    let Some(pass) = open(store)? else { return Ok(()) };
    // It was cut off behind its report: nothing of it is missing but its end.
    if let Some((folder, report)) = reports::of(store, pass.id) {
        return reports::end_as(store, &report, Some(&folder), out);
    }
    let owned = snapshots::owned_roots(store)?;
    for keeper in snapshots::keepers(store, &owned)? {
        // Somebody is at the root, or a change can't be gone on with: what became of the pass can't be told yet.
        if let Err(why) = keeper.recover() {
            out.problem(&CommandError::from(why));
            return Ok(());
        }
    }
    let roots = store.ledger.roots()?;
    let report = Known { store, roots, pass: &pass }.report()?;
    let folder = reports::end((world, store), &report, out)?;
    out.warn(&format!("pass {} of {} was cut off", pass.id.0, pass.begun));
    if let Some(folder) = folder {
        let path = store.home.path.join(folder).join(reports::MARKDOWN);
        out.hint(&format!("what it did: {}", world.shorten(&path)));
    }
    Ok(())
}

/// A pass is begun where none is open any more, so it can only be the newest.
fn open(store: &Store<'_>) -> Result<Option<Pass>, CommandError> {
    let newest = store.ledger.passes(1)?.into_iter().next();
    Ok(newest.filter(|it| it.phase == PassPhase::Open))
}

/// What is known of a pass.
struct Known<'a> {
    store: &'a Store<'a>,
    roots: Vec<RootRecord>,
    pass: &'a Pass,
}

impl Known<'_> {
    fn report(&self) -> Result<Report, CommandError> {
        let pass = self.pass;
        let (mut skills, mut ended) = (Vec::new(), pass.begun);
        for it in self.store.ledger.retired_in(pass.id)? {
            let (by, text) = carry::reasoned(&it.why);
            let was = self.store.ledger.transitions(it.skill, 1)?;
            let from = was.first().map_or(State::Active, |it| it.transition.state);
            let row = Row { id: it.skill, from, to: State::Archived, by, code: "", text };
            let became = match it.done {
                true => Became::Done { change: Some(it.change.0) },
                false => Became::Left { why: "it was begun, and taken back".to_owned() },
            };
            skills.extend(self.happened(&row, became)?);
            ended = ended.max(it.at);
        }
        for it in self.store.ledger.transitions_of(pass.id)? {
            let done = &it.transition;
            let (by, code, text) = (&done.by, &done.code, &done.why);
            let row = Row { id: done.skill, from: done.was, to: done.state, by, code, text };
            skills.extend(self.happened(&row, Became::Done { change: None })?);
            ended = ended.max(it.at);
        }
        Ok(self.told(skills, ended))
    }

    fn told(&self, skills: Vec<Happened>, ended: Instant) -> Report {
        let pass = self.pass;
        Report {
            schema: "skillkeep.pass/1".to_owned(),
            pass: pass.id.0,
            plan: pass.plan.clone(),
            asked: if pass.actor == Actor::Person { Asked::Person } else { Asked::Schedule },
            began: pass.begun,
            ended,
            snapshot: pass.snapshot.clone(),
            policies: Vec::new(),
            counts: Counts::default().and(&skills),
            stopped: Some("it was cut off".to_owned()),
            cut_off: true,
            skills,
            notices: Vec::new(),
        }
    }

    /// A row; nothing for a skill that was erased since.
    fn happened(&self, row: &Row<'_>, became: Became) -> Result<Option<Happened>, CommandError> {
        let Some(skill) = self.store.ledger.skill(row.id)? else { return Ok(None) };
        let planned = Planned {
            id: row.id,
            name: skill.name,
            root: self.root(skill.root),
            folder: skill.folder,
            from: row.from,
            to: Some(row.to),
            wanted: row.to,
            law: None,
            jobs: Vec::new(),
            kept: None,
            by: vec![row.by.to_owned()],
            reason: Reasoned { code: OneLine::new(row.code), text: OneLine::new(row.text) },
            expected: Expected { file: String::new(), active: self.pass.begun },
        };
        Ok(Some(Happened { planned, became }))
    }

    fn root(&self, id: RootId) -> String {
        let root = self.roots.iter().find(|it| it.id == id);
        root.map_or_else(String::new, |it| it.root.path.display().to_string())
    }
}

/// What became of one skill, and why.
struct Row<'a> {
    id: SkillId,
    from: State,
    to: State,
    by: &'a str,
    code: &'a str,
    text: &'a str,
}
