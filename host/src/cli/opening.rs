//! What every command that decides starts from: the world, the plan, and the policies. No command belongs here.

use super::{
    Global,
    error::CommandError,
    options::{AgentArgs, DecisionArgs, Plan, RootArgs},
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
    agent: &AgentArgs,
) -> Result<(World<'a>, Plan, Slots), CommandError> {
    let mut world = World::unread(system, global, roots)?;
    let mut plan = Plan::of(&world, decision, agent)?;
    let (library, slots) = rayon::join(|| world.read(), || Slots::load(&world, &plan));
    world.hold(library);
    if world.is_sample() {
        // What an agent's settings say is about skills that aren't there.
        plan = Plan::of(&world, decision, agent)?;
    }
    Ok((world, plan, slots?))
}
