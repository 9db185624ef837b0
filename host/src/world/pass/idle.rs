//! Since when nobody was at work, as far as that can be measured: by what the ledger was told, and by the files that agents
//! write while they work.

use std::path::PathBuf;

use crate::{
    config::HermesHome,
    curator::{Idle, IdleFrom},
    ledger::Ledger,
    skill::Instant,
    world::{World, error::CommandError},
};

/// Files that agents write with every turn of a session, below the user's own folder.
const WRITTEN: [&str; 4] =
    [".claude/history.jsonl", ".codex/history.jsonl", ".codex/sessions", ".claude/projects"];
/// And below a Hermes home: its sessions are rows of a database.
const OF_HERMES: [&str; 3] = ["state.db", "state.db-wal", "sessions"];

/// Since when nothing was done. Nothing where nobody can tell, which is not the same as for ever.
///
/// # Errors
/// Where the ledger can't be read.
pub fn idle(world: &World<'_>, ledger: &Ledger) -> Result<Option<Idle>, CommandError> {
    let recorded = ledger.last_activity()?;
    let recorded = recorded.map(|since| Idle { since, from: IdleFrom::Ledger });
    let sessions = files(world).into_iter().filter_map(|path| {
        let nanos = world.system.stat(&path).ok()?.mtime;
        i64::try_from(nanos.div_euclid(1_000_000_000)).ok().map(Instant)
    });
    let sessions = sessions.max().map(|since| Idle { since, from: IdleFrom::Sessions });
    Ok([recorded, sessions].into_iter().flatten().max_by_key(|it| it.since))
}

/// Where agents write that have a root among those that are read.
fn files(world: &World<'_>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let user = world.system.variable("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let reads =
        |folder: &std::path::Path| world.found.roots.iter().any(|it| it.path.starts_with(folder));
    if let Some(user) = user {
        for file in WRITTEN {
            let agent = file.split('/').next().unwrap_or_default();
            if reads(&user.join(agent)) {
                files.push(user.join(file));
            }
        }
    }
    if let Some(home) = HermesHome::find(world.system, None) {
        for home in home.others.iter().chain([&home.path, &home.named]) {
            if reads(home) {
                files.extend(OF_HERMES.map(|file| home.join(file)));
            }
        }
    }
    files
}
