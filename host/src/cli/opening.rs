//! What every command that decides starts from: the world, the plan, the policies, and what the home knows. No command
//! belongs here.

use std::path::Path;

use super::{
    options::{AgentArgs, DecisionArgs, Plan},
    slots::Slots,
};
use crate::{
    index,
    ledger::AtHand,
    record::{RecordError, Records},
    skill::UsageRecord,
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
        remember(&world, &kept, decision, &mut plan);
    }
    Ok(Opening { world, plan, slots: slots?, kept })
}

/// Tells the plan what the home knows of the library: use, pins, choices, and the forms of the agent's last index. A
/// session that has begun goes on as it began.
fn remember(world: &World<'_>, kept: &Kept, args: &DecisionArgs, plan: &mut Plan) {
    if let Some(problem) = &kept.problem {
        plan.findings.push(problem.clone());
    }
    let agent = args.reader.as_deref();
    let previous = match &kept.ledger {
        Some(ledger) if plan.inputs.agent.is_none() => {
            ledger.previous_forms(agent.unwrap_or_default()).unwrap_or_else(|error| {
                plan.findings.push(error.into());
                Default::default()
            })
        }
        _ => Default::default(),
    };
    let holds = world.config.writes.holds();
    let of = |known: &AtHand| index::Kept {
        id: known.id,
        held: known.held && holds,
        usage: match args.usage {
            // What is counted there counts instead.
            Some(_) => UsageRecord { pinned: known.pinned, ..UsageRecord::default() },
            None => UsageRecord {
                uses: known.sums.uses,
                last_used: known.sums.last_use,
                pinned: known.pinned,
            },
        },
        choice: known.choice(agent),
        previous: previous.get(&known.id).copied(),
    };
    let rows = kept.rows(&world.library).into_iter();
    plan.inputs.kept = rows.map(|known| known.map(of)).collect();
    let steered = args.now.is_some() || args.usage.is_some() || args.previous.is_some();
    if let Some(session) = args.session.as_deref().filter(|_| !steered)
        && plan.inputs.agent.is_none()
        && let Err(error) = go_on(world, kept, agent, session, plan)
    {
        plan.warnings.push(CommandError::from(error));
    }
}

/// Goes on with a session, if it has begun.
fn go_on(
    world: &World<'_>,
    kept: &Kept,
    agent: Option<&str>,
    session: &str,
    plan: &mut Plan,
) -> Result<(), RecordError> {
    let (Some(ledger), Some(disk), Some(home)) =
        (&kept.ledger, world.system.disk(), &world.home.path)
    else {
        return Ok(());
    };
    let Some(begun) = ledger.decision_of(agent.unwrap_or_default(), session)? else {
        return Ok(());
    };
    let home = disk.resolve(home).unwrap_or_else(|_| Path::new(home).to_owned());
    let (record, shelf) = Records::new(disk, &home).read(&begun)?;
    record.begin_again(&shelf, &mut plan.inputs);
    Ok(())
}
