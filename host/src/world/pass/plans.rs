//! Plans that were shown, kept in the cache with what they were decided from, so that one of them can be carried out by its
//! name.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{
    curator::{Asked, Plan},
    ledger::Digest,
    record::{ENDING, MOST, PassRecord},
    skill::SkillId,
    system::At,
    world::{
        World,
        error::{CommandError, Kind},
        store::Store,
    },
};

const FOLDER: &str = "plans";

/// Keeps what a plan comes of. A cache that can't be written costs only that the plan can't be named.
pub fn keep_plan(world: &World<'_>, record: &PassRecord) -> Option<String> {
    let (name, packed) = record.packed().ok()?;
    let folder = world.private_cache()?.join(FOLDER);
    let bytes = [name.to_string().as_bytes(), &packed].concat();
    world.system.replace_cache(&folder.join(file(&record.plan)), &bytes).ok()?;
    Some(record.plan.clone())
}

/// A plan that was kept, and its record, as of who asks for it now.
///
/// # Errors
/// Where there is none of that name, or it is damaged.
pub fn kept_plan(
    world: &World<'_>,
    id: &str,
    asked: Asked,
) -> Result<(Plan, PassRecord), CommandError> {
    let none = || {
        let message = format!("there is no plan `{id}`");
        CommandError::new(Kind::Finding, message).hint("skillkeep curator run --dry-run")
    };
    let plain = !id.is_empty() && id.bytes().all(|it| it.is_ascii_hexdigit());
    let path: Option<PathBuf> = world.cached(FOLDER).filter(|_| plain);
    let path = path.ok_or_else(none)?.join(file(id));
    let bytes = world.system.read(&path, MOST).map_err(|_| none())?;
    let record = record_in(&path, &bytes);
    // What lies there may have been changed: its name is its hash.
    let made = record.map(|record| (record.plan(), record)).filter(|(plan, _)| plan.id() == id);
    let (plan, record) = made.ok_or_else(|| {
        let message = format!("the plan `{id}` is damaged: it is not what its name says");
        CommandError::new(Kind::Finding, message).hint("skillkeep curator run --dry-run")
    })?;
    let plan = Plan { asked, ..plan };
    let record = PassRecord { asked, plan: plan.id(), ..record };
    Ok((plan, record))
}

/// Forgets plans that are about a skill, and those that can't be read, for the sake of what stands in them.
///
/// # Errors
/// Where one is there and can't be removed.
pub fn forget_plans(
    world: &World<'_>,
    store: &Store<'_>,
    skill: SkillId,
) -> Result<(), CommandError> {
    let Some(cache) = &world.home.cache else { return Ok(()) };
    let Ok(top) = store.disk.resolve(cache) else { return Ok(()) };
    for entry in store.disk.entries(At { top: &top, below: FOLDER }).unwrap_or_default() {
        let below = format!("{FOLDER}/{}", entry.name);
        let path = top.join(&below);
        let bytes = world.system.read(&path, MOST).unwrap_or_default();
        if record_in(&path, &bytes).is_some_and(|record| !record.is_about(skill)) {
            continue;
        }
        match store.disk.remove_file(At { top: &top, below: &below }) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let path = world.shorten(&path);
                let message = format!("the plan `{path}` can't be removed: {error}");
                return Err(CommandError::new(Kind::Fault, message));
            }
            _ => {}
        }
    }
    Ok(())
}

fn file(id: &str) -> String {
    format!("{id}{ENDING}")
}

/// The record in a file's bytes, behind its name.
fn record_in(path: &Path, bytes: &[u8]) -> Option<PassRecord> {
    let (name, packed) = bytes.split_first_chunk::<64>()?;
    let name = Digest::from_hex(std::str::from_utf8(name).ok()?)?;
    PassRecord::unpacked(path, packed, name).ok()
}
