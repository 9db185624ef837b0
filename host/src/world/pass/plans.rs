//! Plans that were shown, kept in the cache so that one of them can be carried out by its name.

use std::path::PathBuf;

use crate::{
    curator::Plan,
    world::{
        World,
        error::{CommandError, Kind},
    },
};

const FOLDER: &str = "plans";
/// The largest plan that is read, in bytes: that of a hundred thousand skills has fifty million.
const MOST: u64 = 256 << 20;

/// Keeps a plan. A cache that can't be written costs only that it can't be named.
pub fn keep_plan(world: &World<'_>, plan: &Plan) -> Option<String> {
    let id = plan.id();
    let bytes = serde_json::to_vec(plan).ok()?;
    let path = world.private_cache()?.join(FOLDER).join(format!("{id}.json"));
    world.system.replace_cache(&path, &bytes).ok()?;
    Some(id)
}

/// A plan that was kept.
///
/// # Errors
/// Where there is none of that name, or it is damaged.
pub fn kept_plan(world: &World<'_>, id: &str) -> Result<Plan, CommandError> {
    let none = || {
        let message = format!("there is no plan `{id}`");
        CommandError::new(Kind::Finding, message).hint("skillkeep curator run --dry-run")
    };
    let plain = !id.is_empty() && id.bytes().all(|it| it.is_ascii_hexdigit());
    let path: Option<PathBuf> = world.cached(FOLDER).filter(|_| plain);
    let path = path.ok_or_else(none)?.join(format!("{id}.json"));
    let bytes = world.system.read(&path, MOST).map_err(|_| none())?;
    let plan: Option<Plan> = serde_json::from_slice(&bytes).ok();
    // What lies there may have been changed: its name is its hash.
    plan.filter(|plan| plan.id() == id).ok_or_else(|| {
        let message = format!("the plan `{id}` is damaged: it is not what its name says");
        CommandError::new(Kind::Finding, message).hint("skillkeep curator run --dry-run")
    })
}
