//! What every command that decides starts from: the world, the plan, and the policies. No command belongs here.

use super::{
    Global,
    error::CommandError,
    options::{DecisionArgs, Plan, RootArgs},
    slots::Slots,
    world::World,
};
use crate::system::System;

/// Reads the library and loads the policies, side by side: one waits for the disk while the other unpacks code.
///
/// # Errors
/// Where the config or an option is wrong, a root that was named is not there, or this machine can't run any policy.
pub fn open<'a>(
    system: &'a dyn System,
    global: &Global,
    roots: &RootArgs,
    decision: &DecisionArgs,
) -> Result<(World<'a>, Plan, Slots), CommandError> {
    let mut world = World::unread(system, global, roots)?;
    let mut plan = Plan::new(&world, decision)?;
    let (library, slots) = rayon::join(|| world.read(), || Slots::load(&world, &plan));
    world.hold(library);
    if world.is_sample() {
        // What an agent's settings say is about skills that aren't there.
        plan = Plan::new(&world, decision)?;
    }
    Ok((world, plan, slots?))
}
