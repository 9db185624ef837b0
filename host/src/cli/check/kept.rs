//! `skillkeep check --ledger`: what is kept instead of the skills.

use std::{path::Path, process::ExitCode};

use serde_json::json;

use super::super::{Global, options::RootArgs, output::Output};
use crate::{
    change::{Audit, Flaw, Objects, Snapshots},
    ledger::{Access, Ledger, LedgerError, RootId},
    skill::OneLine,
    system::System,
    world::{
        World, counted,
        error::CommandError,
        store::{LEDGER, Store},
    },
};

/// Looks at all that is kept, and prints what is wrong with it.
pub(super) fn check(
    system: &dyn System,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let world = World::open(system, &global.at(&RootArgs::default()))?;
    let audit = match whole(&world) {
        Some(flaw) => Audit { flaws: vec![flaw], ..Audit::default() },
        None => audit(&world, &Store::open(system, &world, Access::Read, out)?)?,
    };
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.check-ledger/1",
            "skills": audit.skills,
            "changes": audit.changes,
            "objects": audit.objects,
            "archived": audit.archived,
            "pins": audit.pins,
            "snapshots": audit.snapshots,
            "findings": audit.flaws.iter().map(|it| json!({
                "rule": it.rule,
                "severity": severity(it),
                "path": it.path.display().to_string(),
                "cause": it.cause,
                "fix": it.fix,
            })).collect::<Vec<_>>(),
        }))?;
    } else {
        let mut text: String = audit.flaws.iter().map(|it| line(&world, it)).collect();
        text.push_str(&format!(
            "{}, {}, {} kept, {} archived, {}, {}: {}\n",
            counted(audit.skills, "skill"),
            counted(audit.changes, "change"),
            counted(audit.objects, "former text"),
            audit.archived,
            counted(audit.pins, "pin"),
            counted(audit.snapshots, "snapshot"),
            match audit.flaws.len() {
                0 => "nothing to mend".to_owned(),
                many => counted(many, "finding"),
            }
        ));
        out.text(&text)?;
    }
    Ok(ExitCode::from(u8::from(audit.flaws.iter().any(|it| it.grave))))
}

/// What keeps the ledger from being opened at all, where that is what was looked for.
fn whole(world: &World<'_>) -> Option<Flaw> {
    let path = world.home.path.as_deref()?.join(LEDGER);
    let flaw = |cause: String| Flaw {
        rule: "ledger-damaged",
        grave: true,
        path: path.clone(),
        cause,
        fix: "to begin anew from the newest backup: skillkeep scan --rebuild".to_owned(),
    };
    match Ledger::open(&path, Access::Read) {
        Err(LedgerError::Damaged { found, .. }) => Some(flaw(found)),
        Err(error @ LedgerError::Missing { .. }) if has_home(world, &path) => {
            Some(flaw(error.to_string()))
        }
        _ => None,
    }
}

fn has_home(world: &World<'_>, ledger: &Path) -> bool {
    world.system.stat(&ledger.with_file_name(crate::world::store::ID)).is_ok()
}

fn audit(world: &World<'_>, store: &Store<'_>) -> Result<Audit, CommandError> {
    let objects = Objects::new(store.disk, &store.home.path);
    let times = (store.retention, store.disk.now());
    let mut audit = Audit::of(&store.ledger, objects, &store.home.path, times)?;
    if audit.flaws.iter().any(|it| it.rule == "ledger-damaged") {
        return Ok(audit);
    }
    audit.snapshots(&Snapshots::of(store.disk, &store.home))?;
    let roots = world.library.roots.iter().filter_map(|report| report.resolved.as_deref());
    for path in roots.filter(|path| store.owns(path)) {
        let id = store.ledger.root_at(path)?.map_or(RootId(0), |known| known.id);
        audit.root(&store.keeper(id, path)?)?;
    }
    Ok(audit)
}

fn severity(flaw: &Flaw) -> &'static str {
    if flaw.grave { "error" } else { "warning" }
}

fn line(world: &World<'_>, flaw: &Flaw) -> String {
    let (path, severity) = (world.shorten(&flaw.path), severity(flaw));
    let (cause, fix) = (OneLine::new(&flaw.cause), OneLine::new(&flaw.fix));
    format!("{path}: {severity} {}: {cause}\n    fix: {fix}\n", flaw.rule)
}
