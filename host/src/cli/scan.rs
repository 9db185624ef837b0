//! `skillkeep scan`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{Global, options::RootArgs, output::Output, staged::put_out};
use crate::{
    change::{ChangeError, LIMITS},
    ledger::{Damage, LedgerError, PendingId, Step},
    skill::{Actor, OneLine},
    system::System,
    world::{
        counted,
        error::CommandError,
        noting::{Others, Scanned},
        store::{self, Store},
    },
};

/// Take note of what is in the roots, and of what was changed there by others.
#[derive(Debug, Args)]
pub struct ScanArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Say that the ledger is accepted as it is now, after one was lost; a person's alone
    #[arg(long)]
    accept_ledger: bool,

    /// Look at all of the ledger first and mend it; one that is damaged is set aside, and begins anew from its newest backup
    #[arg(long)]
    rebuild: bool,
}

/// Notes what is there.
pub fn scan(
    system: &dyn System,
    global: &Global,
    args: &ScanArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (mut world, mut store) = store::begin(system, &global.at(&args.roots), out)?;
    if args.accept_ledger && store.actor != Actor::Person {
        let (verb, actor) = ("accept a ledger", store.actor);
        return Err(ChangeError::PersonOnly { verb, actor }.into());
    }
    if args.rebuild {
        store = store.replaced(&world, Damage::Anything, out)?;
        store.ledger.renew()?;
    }
    let mut scanned = match store.scan(&mut world) {
        Err(ChangeError::Ledger(LedgerError::Damaged { .. })) => {
            store = store.replaced(&world, Damage::File, out)?;
            store.scan(&mut world)?
        }
        scanned => scanned?,
    };
    store.keep_up(&world, out);
    let accepted = args.accept_ledger && accept(&store)?;
    let old = store.ledger.put_out(store.disk.now(), LIMITS)?;
    put_out(&old, out);
    // The first look at a skill keeps it as it is and is news to nobody, unless it waits.
    scanned.changes.retain(|it| it.waits || it.done.steps.iter().any(differs));
    for (name, why) in &scanned.problems {
        out.warn(&format!("`{name}` is not kept as it is: {why}"));
    }
    if global.json {
        out.json(&as_json(&scanned, accepted, &old))?;
    } else {
        tell(&scanned, accepted, out)?;
    }
    Ok(ExitCode::from(u8::from(!scanned.problems.is_empty())))
}

fn tell(scanned: &Scanned, accepted: bool, out: &mut Output<'_>) -> Result<(), CommandError> {
    let Scanned { noted, changes, .. } = scanned;
    let matched = &noted.settled.matched;
    let skills = counted(noted.settled.ids.len(), "skill");
    let (new, moved, gone) = (noted.newcomers(), matched.moved.len(), matched.gone.len());
    out.text(&format!("{skills}: {new} new, {moved} moved, {gone} gone\n"))?;
    for Others { name, done, waits } in changes {
        let name = OneLine::new(name);
        let what = if done.steps.iter().any(differs) { "changed" } else { "made" };
        let waits = if *waits { ", and waits for you" } else { "" };
        out.text(&format!("change {}: `{name}` was {what} by somebody else{waits}\n", done.id.0))?;
    }
    if accepted {
        out.text("the ledger is accepted as it is\n")?;
    }
    if changes.iter().any(|it| it.waits) {
        out.hint("skillkeep pending");
    } else if let Some(first) = changes.first() {
        out.hint(&format!("skillkeep diff {}", first.done.id.0));
    }
    Ok(())
}

fn as_json(scanned: &Scanned, accepted: bool, old: &[PendingId]) -> Value {
    let Scanned { noted, changes, problems } = scanned;
    json!({
        "schema": "skillkeep.scan/1",
        "skills": noted.settled.ids.len(),
        "new": noted.newcomers(),
        "moved": noted.settled.matched.moved.len(),
        "gone": noted.settled.matched.gone.len(),
        "outside": changes.iter().map(|it| json!({
            "change": it.done.id.0, "skill": it.done.skill, "name": it.name, "waits": it.waits,
        })).collect::<Vec<_>>(),
        "put-out": old,
        "accepted": accepted,
        "problems": problems.iter().map(|(name, why)| json!({
            "name": name, "cause": why.to_string(),
        })).collect::<Vec<_>>(),
    })
}

/// A person says that the ledger is as good as it gets. Whether there was anything to say.
fn accept(store: &Store<'_>) -> Result<bool, CommandError> {
    if store.ledger.damaged_since()?.is_none() {
        return Ok(false);
    }
    store.ledger.resolve_damage()?;
    Ok(true)
}

/// Whether a step is more than a first look at a file.
fn differs(step: &Step) -> bool {
    !matches!(step, Step::Put { before: Some(before), after, .. } if before == after)
}
