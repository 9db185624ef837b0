//! `skillkeep policy rollback`

use std::{collections::BTreeSet, process::ExitCode};

use clap::Args;
use serde_json::json;

use super::{
    build::of_slot,
    change::{Begun, ChangeArgs, Proposal, begin, conclude, load_all, told_pin},
};
use crate::{
    cli::{Global, output::Output},
    decision::Slot,
    lock::{NoWayBack, Pin, SlotSet},
    policy::Loaded,
    skill::OneLine,
    world::{
        World,
        error::{CommandError, Kind},
        gate::Gate,
        swap::{Kept, Swap, Wanted, back, pin_of},
    },
};

/// Arguments of `policy rollback`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each change of policies makes a set, with a number. Without a slot the set before the one in force comes back whole, settings of \
the slots too; a second time goes one further back, and --to goes to any, forward too. With a slot, that slot comes back as it \
was before what it is now, and the others stay; a second time goes further.

What was pinned is kept in the home: it comes back though its file is another one by now, or gone. The settings name the kept \
copy then.

What was written into skillkeep.toml by hand since the set in force is taken back first, and so is a change that was cut off.

Example: skillkeep policy rollback budget")]
pub struct RollbackArgs {
    /// Go back in this slot alone
    #[arg(value_name = "SLOT", conflicts_with = "to")]
    slot: Option<String>,

    /// Go to the set of this number
    #[arg(long, value_name = "SET")]
    to: Option<u64>,

    #[command(flatten)]
    change: ChangeArgs,
}

/// Brings back the policies of an earlier set.
pub fn rollback(
    world: &World<'_>,
    global: &Global,
    args: &RollbackArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let slot = args.slot.as_deref().map(of_slot).transpose()?;
    let number = args.to.map(|number| number.to_string());
    let mut command = vec!["rollback"];
    command.extend(slot.map(Slot::word));
    if let Some(number) = &number {
        command.extend(["--to", number]);
    }
    let begun = begin(world, &args.change, &command, out)?;
    let (sets, to) = aimed(world, &begun, slot, args.to)?;
    let (mut wanted, mut kept, mut about) = (Vec::new(), Vec::new(), Vec::new());
    for set in sets {
        let (one, bytes, lines) = restored(world, &begun, &set, slot.is_some(), out)?;
        wanted.push(one);
        kept.extend(bytes);
        about.extend(lines);
    }
    let slots: BTreeSet<Slot> = wanted.iter().map(|it| it.slot).collect();
    if let Some(set) = to.and_then(|to| begun.now.lock.set(to)) {
        let did = OneLine::capped(&set.did, 200);
        about.insert(0, format!("as in set {}, of {}: {did}", set.number, set.at));
    }
    let disk = begun.disk();
    let swap = Swap::of(world.system, begun.now, begun.order, &wanted, to)?.keeping(kept);
    load_all(world, &swap, &slots)?;
    let proposal = Proposal { swap, slots, about, facts: json!([]) };
    conclude(world, global, &args.change, disk, &proposal, out)
}

/// What is to come back: slots as they were, and the number of the set, where it is a whole one.
fn aimed(
    world: &World<'_>,
    begun: &Begun<'_>,
    slot: Option<Slot>,
    to: Option<u64>,
) -> Result<(Vec<SlotSet>, Option<u64>), CommandError> {
    let none = |why: NoWayBack| {
        CommandError::new(Kind::Finding, why.to_string()).hint("skillkeep policy list")
    };
    let lock = &begun.now.lock;
    let now = begun.now.sets(world.system);
    let said = |sets: &[SlotSet], slot: Slot| {
        sets.iter().find(|set| set.slot == slot).cloned().unwrap_or_else(|| SlotSet::empty(slot, 0))
    };
    // What the settings say by now may be somebody's own work, or half of a change: before that comes the set in force.
    let current = lock.current().map(|set| set.slots.clone()).unwrap_or_default();
    let is_as_set = |slot: Slot| said(&now, slot).says_as(&said(&current, slot));
    if let Some(slot) = slot {
        let set = match is_as_set(slot) || lock.current().is_none() {
            true => lock.way_back_in(slot).map_err(none)?,
            false => said(&current, slot),
        };
        return Ok((vec![set], None));
    }
    let as_set = lock.unfinished.is_none() && Slot::ALL.into_iter().all(is_as_set);
    let target = match (to, lock.current()) {
        (None, Some(current)) if !as_set => current,
        _ => lock.way_back(to).map_err(none)?,
    };
    let slots = Slot::ALL.into_iter().map(|slot| said(&target.slots, slot));
    let sets = slots.filter(|set| !set.says_as(&said(&now, set.slot))).collect();
    Ok((sets, Some(target.number)))
}

/// A slot as it was, with its pins, the bytes to keep, and what to say of it.
fn restored(
    world: &World<'_>,
    begun: &Begun<'_>,
    set: &SlotSet,
    alone: bool,
    out: &mut Output<'_>,
) -> Result<(Wanted, Vec<Kept>, Vec<String>), CommandError> {
    let slot = set.slot;
    let gate = Gate::of(world.system, &begun.now.config, Ok(begun.now.lock.clone()), false);
    let engine = crate::world::policies::engine(world)?;
    // Limits are the slot's, whoever decides in it: no set brings its own.
    let within = crate::world::policies::allowance(&begun.now.config, slot);
    let (mut names, mut pins, mut kept, mut lines) =
        (Vec::new(), Vec::<Pin>::new(), Vec::new(), Vec::new());
    for used in &set.used {
        let Some(sha256) = &used.sha256 else {
            names.push(used.name.clone());
            continue;
        };
        let back = back(world.system, begun.home(), &used.name, sha256)?;
        if back.name != used.name {
            let name = OneLine::new(&used.name);
            out.note(&format!("`{name}` is another one by now, or gone: its kept copy comes back"));
        }
        let signed = gate.signature(&back.path, &back.kept.bytes)?;
        let source = crate::policy::Source::File(back.path.clone());
        let loaded =
            Loaded::load_within(&engine, source, &back.kept.bytes, Some(slot), &[], within)
                .map_err(|error| CommandError::in_slot(error, slot))?;
        let old = begun.now.lock.pin(slot, |name| name == back.name);
        let pin = match old.filter(|old| old.sha256 == *sha256) {
            Some(old) => old.clone(),
            None => pin_of(slot, &back.name, &loaded, &signed, &begun.order),
        };
        lines.push(told_pin(&pin));
        names.push(back.name);
        pins.push(pin);
        kept.push(back.kept);
    }
    let config = crate::config::SlotConfig {
        use_: (!names.is_empty()).then_some(names),
        combine: set.combine,
        settings: set.settings.clone(),
        limits: within,
    };
    let since = if alone { set.since } else { 0 };
    Ok((Wanted { slot, config, pins, since }, kept, lines))
}
