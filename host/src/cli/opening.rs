//! What every command that decides starts from: the world, the plan, the policies, and what the home knows. No command
//! belongs here.

use super::{
    options::{AgentArgs, DecisionArgs, Plan},
    slots::Slots,
};
use crate::{
    system::System,
    world::{Where, World, error::CommandError, kept::Kept},
};

/// What a command that decides starts from.
pub struct Opening<'a> {
    /// The world.
    pub world: World<'a>,
    /// The plan, with what the home knows of the library.
    pub plan: Plan,
    /// The policies.
    pub slots: Slots,
    /// What the home knows.
    pub kept: Kept,
}

/// Reads the library, loads the policies and asks the ledger, side by side: one waits for the disk while another unpacks
/// code.
///
/// # Errors
/// Where the config or an option is wrong, a root that was named is not there, or this machine can't run any policy.
pub fn open<'a>(
    system: &'a dyn System,
    place: &Where<'_>,
    decision: &DecisionArgs,
    agent: &AgentArgs,
) -> Result<Opening<'a>, CommandError> {
    let mut world = World::unread(system, place)?;
    let mut plan = Plan::of(&world, decision, agent)?;
    let (library, (slots, kept)) = rayon::join(
        || world.read(),
        || rayon::join(|| Slots::load(&world, &plan), || Kept::read(system, &world.home)),
    );
    world.hold(library);
    if world.is_sample() {
        // What an agent's settings say is about skills that aren't there.
        plan = Plan::of(&world, decision, agent)?;
    } else {
        let recalled = world.recall(&kept, &plan.wishes, &mut plan.inputs);
        plan.findings.extend(recalled.findings);
        plan.warnings.extend(recalled.warnings);
    }
    Ok(Opening { world, plan, slots: slots?, kept })
}
