//! `skillkeep policy off`

use std::{collections::BTreeSet, process::ExitCode};

use clap::Args;
use serde_json::json;

use super::{
    build::of_slot,
    change::{ChangeArgs, Proposal, begin, conclude, load_all},
};
use crate::{
    cli::{Global, output::Output},
    config::from_home,
    world::{
        World,
        error::{CommandError, Kind},
        swap::{Swap, Wanted, name_of},
    },
};

/// Arguments of `policy off`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without a name the slot goes back to the policy that comes with the host for it, and where none does, to what holds without one. \
Settings of the slot stay.

Example: skillkeep policy off provenance policies/mine.wasm")]
pub struct OffArgs {
    /// The slot: demotion, budget, curator or provenance
    #[arg(value_name = "SLOT")]
    slot: String,

    /// Take out this one of several: its file, or its name
    #[arg(value_name = "FILE|NAME")]
    policy: Option<String>,

    #[command(flatten)]
    change: ChangeArgs,
}

/// Takes a slot's policies out of the settings, or one of them.
pub fn off(
    world: &World<'_>,
    global: &Global,
    args: &OffArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let slot = of_slot(&args.slot)?;
    let mut command = vec!["off", slot.word()];
    command.extend(args.policy.as_deref());
    let begun = begin(world, &args.change, &command, out)?;
    let mut config = begun.now.slot(slot);
    let named = config.use_.clone().unwrap_or_default();
    let left: Vec<String> = match &args.policy {
        None => Vec::new(),
        Some(policy) => {
            let resolved = |name: &str| from_home(world.system, begun.home(), name);
            // As the settings name it, or as somebody types it where they stand; a file that is gone has the first alone.
            let here = name_of(world.system, begun.home(), policy).ok();
            let is_it = |name: &String| {
                let plain = name.strip_prefix("builtin:").unwrap_or(name);
                plain == policy
                    || here.as_deref().is_some_and(|here| resolved(here) == resolved(plain))
            };
            if !named.iter().any(is_it) {
                let message = format!("the settings don't name `{policy}` for `{slot}`");
                let error = CommandError::new(Kind::Finding, message);
                return Err(error.hint("skillkeep policy list"));
            }
            named.iter().filter(|name| !is_it(name)).cloned().collect()
        }
    };
    if left.len() < 2 {
        config.combine = None;
    }
    config.use_ = (!left.is_empty()).then_some(left);
    let wanted = Wanted { slot, config, pins: Vec::new(), since: 0 };
    let disk = begun.disk();
    let swap = Swap::of(world.system, begun.now, begun.order, &[wanted], None)?;
    let slots = BTreeSet::from([slot]);
    load_all(world, &swap, &slots)?;
    let proposal = Proposal { swap, slots, about: Vec::new(), facts: json!([]) };
    conclude(world, global, &args.change, disk, &proposal, out)
}
