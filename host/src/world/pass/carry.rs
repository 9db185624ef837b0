//! Carrying a plan out: under the claim, in bounded steps, each of which looks again at what it is about to touch.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    time::Duration,
};

use super::{Ground, Wanting, cut_off, reports, snapshots};
use crate::{
    change::{By, CHUNK, Retire, Target},
    curator::{Asked, Became, Counts, Happened, Plan, Planned, Report, Subject, why_held},
    laws::{Bounds, Wish, hold_fates},
    ledger::{PassId, RootId, Transition},
    record::PassRecord,
    skill::{Actor, SkillId, State},
    system::{At, Lock},
    world::{
        Tell, World,
        error::{CommandError, Kind},
        store::Store,
    },
};

/// The file that is locked for as long as a pass is made.
pub(super) const CLAIM: &str = "curator.lock";
/// How long the claim is waited for. Another pass takes seconds, and whoever comes second has nothing left to do.
const WAIT: Duration = Duration::from_millis(200);

/// What came of a pass.
pub struct Carried {
    /// What is written down of it.
    pub report: Report,
    /// The report's folder below the home; nothing where it could not be written.
    pub folder: Option<String>,
}

/// Carries a plan out. Each row is looked at again first: what is not as it was when the plan was made is left, and said.
/// A law that bites by now holds, whatever the plan says. What the plan was decided from is kept with the pass's report; a
/// record that can't be written is told, and stops nothing.
///
/// # Errors
/// Where another pass is being made, the ledger can't be written, or no snapshot could be made: then nothing was changed.
pub fn carry_out(
    world: &World<'_>,
    store: &Store<'_>,
    (plan, record): (&Plan, Option<&PassRecord>),
    out: &mut dyn Tell,
) -> Result<Carried, CommandError> {
    let claim = claim(store, WAIT)?;
    cut_off::end_open((world, store), out)?;
    let began = store.disk.now();
    let actor = match plan.asked {
        Asked::Person => Actor::Person,
        Asked::Schedule => Actor::Curator,
    };
    let name = record.map_or_else(|| plan.id(), |record| record.plan.clone());
    let id = store.ledger.begin_pass(actor, &name, began)?;
    if let Some(record) = record
        && let Err(error) = reports::records(store).begin(id, record)
    {
        out.warn(&format!("the record of pass {} is not kept: {error}", id.0));
    }
    let mut pass = Pass { world, store, plan, name, id, snapshot: None, became: HashMap::new() };
    let stopped = match pass.go() {
        Ok(stopped) => stopped,
        Err(why) => Some(why.message.clone()),
    };
    let carried = pass.end(began, stopped, out)?;
    drop(claim);
    Ok(carried)
}

/// The claim of the one pass that is made at a time. It goes away with whoever holds it, however that ends.
pub(super) fn claim(store: &Store<'_>, wait: Duration) -> Result<Box<dyn Lock>, CommandError> {
    let at = At { top: &store.home.path, below: CLAIM };
    store.disk.lock(at, "curator", wait).map_err(|error| {
        let message = format!("another pass is being made ({error})");
        CommandError::new(Kind::Finding, message).hint("skillkeep curator status")
    })
}

struct Pass<'a, 'w> {
    world: &'a World<'w>,
    store: &'a Store<'w>,
    plan: &'a Plan,
    /// The plan's.
    name: String,
    id: PassId,
    snapshot: Option<String>,
    became: HashMap<SkillId, Became>,
}

impl Pass<'_, '_> {
    /// Why it ended before its end, if it did.
    fn go(&mut self) -> Result<Option<String>, CommandError> {
        let now = self.store.disk.now();
        let ground = Ground::of(self.world, self.store, Wanting::default(), now)?;
        let by_id: BTreeMap<SkillId, &Subject> =
            ground.subjects.iter().map(|it| (it.id, it)).collect();
        let (mut moves, mut retires) = (Vec::new(), Vec::new());
        for row in &self.plan.rows {
            let Some(to) = row.to else {
                self.became.insert(row.id, Became::Held);
                continue;
            };
            let now = by_id.get(&row.id).copied();
            match drifted(row, to, now, self.plan.despite_jobs) {
                Some(why) => {
                    self.became.insert(row.id, Became::Left { why });
                }
                None if to == State::Archived => retires.push(row),
                None => moves.push(row),
            }
        }
        if !retires.is_empty() {
            self.snapshot()?;
        }
        self.transit(&moves)?;
        self.retire(&retires, &ground.roots)
    }

    /// Law `snapshot-first`: one that can't be made ends the pass before anything is changed.
    fn snapshot(&mut self) -> Result<(), CommandError> {
        let by = By {
            actor: Actor::Curator,
            session: Some(self.id.session()),
            reason: format!("before pass {}", self.id.0),
        };
        let snapshot = snapshots::snapshot(self.world, self.store, &by).map_err(|why| {
            let message = format!("no snapshot could be made, so nothing is changed: {why}");
            CommandError { message, ..why }
        })?;
        self.store.ledger.snapshot_of(self.id, &snapshot.id)?;
        self.snapshot = Some(snapshot.id);
        Ok(())
    }

    /// Moves skills between active and stale, all at once.
    fn transit(&mut self, rows: &[&Planned]) -> Result<(), CommandError> {
        let transition = |row: &&Planned| Transition {
            skill: row.id,
            was: row.from,
            state: row.to.unwrap_or(row.from),
            by: row.by.first().cloned().unwrap_or_default(),
            code: row.reason.code.to_string(),
            why: row.reason.text.to_string(),
        };
        let transitions: Vec<Transition> = rows.iter().map(transition).collect();
        if transitions.is_empty() {
            return Ok(());
        }
        let moved = self.store.ledger.transit(self.id, self.store.disk.now(), &transitions)?;
        for row in rows {
            self.became
                .insert(row.id, Became::Left { why: "its state is another one by now".to_owned() });
        }
        for id in moved {
            self.became.insert(id, Became::Done { change: None });
        }
        Ok(())
    }

    /// Retires skills, step by step: between two steps others get their turn, and a pause is seen.
    fn retire(
        &mut self,
        rows: &[&Planned],
        roots: &BTreeMap<String, RootId>,
    ) -> Result<Option<String>, CommandError> {
        for step in rows.chunks(CHUNK) {
            if self.plan.asked == Asked::Schedule && self.store.ledger.standing()?.paused.is_some()
            {
                return Ok(Some("it was paused".to_owned()));
            }
            let mut by_root: BTreeMap<&str, Vec<&Planned>> = BTreeMap::new();
            for row in step {
                by_root.entry(&row.root).or_default().push(row);
            }
            for (root, rows) in by_root {
                self.retire_in(root, &rows, roots)?;
            }
        }
        Ok(None)
    }

    /// Retires skills of one root, in one go.
    fn retire_in(
        &mut self,
        root: &str,
        rows: &[&Planned],
        roots: &BTreeMap<String, RootId>,
    ) -> Result<(), CommandError> {
        let Some(id) = roots.get(root) else { return Ok(()) };
        let path = PathBuf::from(root);
        let keeper = self.store.keeper(*id, &path)?;
        let keeper = keeper
            .retiring_bundled(self.world.config.curator.retire_bundled)
            .despite_jobs(self.plan.despite_jobs);
        let by =
            By { actor: Actor::Curator, session: Some(self.id.session()), reason: String::new() };
        let all: Vec<Retire<'_>> = rows
            .iter()
            .map(|row| Retire {
                target: Target { id: row.id, folder: &row.folder },
                reason: reason(row),
                tree: None,
                successor: None,
            })
            .collect();
        for (row, done) in rows.iter().zip(keeper.archive_all(&all, &by)?) {
            let became = match done {
                Ok(done) => Became::Done { change: Some(done.id.0) },
                Err(why) => Became::Left { why: why.to_string() },
            };
            self.became.insert(row.id, became);
        }
        Ok(())
    }

    fn end(
        mut self,
        began: crate::skill::Instant,
        stopped: Option<String>,
        out: &mut dyn Tell,
    ) -> Result<Carried, CommandError> {
        let ended = self.store.disk.now();
        let skills: Vec<Happened> = self
            .plan
            .rows
            .iter()
            .map(|row| Happened {
                planned: row.clone(),
                became: self.became.remove(&row.id).unwrap_or(Became::NotReached),
            })
            .collect();
        let counts = Counts::of(self.plan, &skills);
        let report = Report {
            schema: "skillkeep.pass/1".to_owned(),
            pass: self.id.0,
            plan: self.name,
            asked: self.plan.asked,
            began,
            ended,
            snapshot: self.snapshot,
            policies: self.plan.policies.clone(),
            counts,
            stopped,
            cut_off: false,
            skills,
            notices: self.plan.notices.clone(),
        };
        let folder = reports::end((self.world, self.store), &report, out)?;
        Ok(Carried { report, folder })
    }
}

/// Why the policy wants it, for the log.
fn reason(row: &Planned) -> String {
    let by = row.by.first().map_or("", String::as_str);
    format!("{by}: {}", row.reason.text)
}

/// The policy and its reason, of what stands in the log.
pub(super) fn reasoned(logged: &str) -> (&str, &str) {
    logged.split_once(": ").unwrap_or(("", logged))
}

/// Why a row is not done, where the skill is not what it was when the plan was made, or a law holds it by now.
fn drifted(row: &Planned, to: State, now: Option<&Subject>, despite_jobs: bool) -> Option<String> {
    let Some(now) = now else { return Some("it is not in the library any more".to_owned()) };
    if now.standing.state != row.from {
        return Some(format!("it is {} by now", now.standing.state.word()));
    }
    if now.root != row.root || now.folder != row.folder {
        return Some(format!("it lies in `{}` by now", now.folder));
    }
    if now.file != row.expected.file {
        return Some("its file was changed since the plan was made".to_owned());
    }
    if to != State::Active && now.active() > row.expected.active {
        return Some(format!("it was used since the plan was made, at {}", now.active()));
    }
    let wish = Wish { row: 0, to };
    let standing = now.standing.despite_jobs(despite_jobs);
    let ruling = hold_fates(&[wish], &[standing], Bounds::ASKED);
    let ruling = ruling.into_inner().into_iter().next()?;
    let law = ruling.law?;
    let held = Planned { law: Some(law), jobs: now.jobs.clone(), kept: None, ..row.clone() };
    Some(why_held(&held))
}
