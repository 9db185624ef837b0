//! What all commands share that change which policies are used: who may, what is shown before, the question, and the writing.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::ExitCode,
};

use clap::Args;
use serde_json::{Value, json};

use super::effects::{Effects, after};
use crate::{
    change::ChangeError,
    cli::{
        Global,
        consent::ask,
        options::{DecisionArgs, RootArgs},
        output::Output,
    },
    config::Config,
    decision::Slot,
    lock::{KEPT, Lock, Pin},
    policy::Loaded,
    skill::{Actor, OneLine},
    system::Disk,
    world::{
        World,
        caller::caller,
        commit::commit,
        error::{CommandError, Kind},
        policies::{allowance, config_settings, engine, in_use},
        store::{identity, no_home},
        swap::{Now, Order, Swap},
    },
};

/// Options of all commands that change which policies are used.
#[derive(Debug, Args)]
pub struct ChangeArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The session's toolsets that the index is tried for, such as terminal,web [default: unknown]
    #[arg(long, value_name = "A,B")]
    toolsets: Option<String>,

    /// The session's tools that the index is tried for [default: unknown]
    #[arg(long, value_name = "A,B")]
    tools: Option<String>,

    /// Don't ask
    #[arg(long)]
    pub yes: bool,

    /// Show what would be decided otherwise, and change nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// Who changes something, and what there is.
pub struct Begun<'a> {
    disk: Option<&'a dyn Disk>,
    /// The settings and the lock.
    pub now: Now,
    /// Who, when, and by what command.
    pub order: Order,
}

/// A change that passed all that can be tried before it is made.
pub struct Proposal {
    /// What would be.
    pub swap: Swap,
    /// The slots that are changed.
    pub slots: BTreeSet<Slot>,
    /// What is known of those components that are new here, a line each.
    pub about: Vec<String>,
    /// The same for programs.
    pub facts: Value,
}

/// Begins: only a person goes further than a dry run.
///
/// # Errors
/// Where somebody else does, nobody made a home yet, or settings or lock can't be read.
pub fn begin<'a>(
    world: &World<'a>,
    args: &ChangeArgs,
    command: &[&str],
    out: &mut Output<'_>,
) -> Result<Begun<'a>, CommandError> {
    let disk = world.system.disk();
    let home = disk.and_then(|disk| identity(disk, &world.home));
    let by = match (disk, home) {
        (Some(disk), Some(home)) => caller(disk, &home.path),
        _ if args.dry_run => Actor::Foreground,
        _ => return Err(no_home()),
    };
    if by != Actor::Person && !args.dry_run {
        let verb = "choose which policies are used";
        return Err(ChangeError::PersonOnly { verb, actor: by }.into());
    }
    for warning in &world.config.warnings {
        out.warn(&warning.to_string());
    }
    let now = Now::read(world)?;
    if let Some(unfinished) = &now.lock.unfinished {
        out.warn(&format!("a change of policies of {} was cut off", unfinished.at));
        out.hint(&unfinished.command);
    }
    let words = ["skillkeep", "policy"].iter().chain(command).map(|word| quoted(word));
    let command = words.collect::<Vec<_>>().join(" ");
    let order = Order { command, at: world.system.now().to_string(), by: by.word().to_owned() };
    Ok(Begun { disk, now, order })
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-=:,+@~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Loads all that would be used in slots, as it would be: what doesn't load is no choice.
///
/// # Errors
/// The first that does not load.
pub fn load_all(
    world: &World<'_>,
    swap: &Swap,
    slots: &BTreeSet<Slot>,
) -> Result<BTreeMap<(Slot, String), Loaded>, CommandError> {
    let (gate, engine) = (after(world, swap), engine(world)?);
    let mut settings = config_settings(&swap.config);
    let mut all = BTreeMap::new();
    for slot in slots {
        let given = settings.remove(slot).unwrap_or_default();
        let within = allowance(&swap.config, *slot);
        for name in in_use(&swap.config, *slot) {
            let it = gate.admit(*slot, &name)?;
            let (source, bytes) = (it.source, &it.bytes);
            let loaded = Loaded::load_within(&engine, source, bytes, Some(*slot), &given, within)
                .map_err(|error| CommandError::in_slot(error, *slot))?;
            all.insert((*slot, name), loaded);
        }
    }
    Ok(all)
}

/// What a pin says, for people.
pub fn told_pin(pin: &Pin) -> String {
    let signed = match &pin.key {
        Some(key) => format!("signed by {key}"),
        None => "not signed".to_owned(),
    };
    format!("{} {}, sha256 {}, {signed}", pin.policy, pin.version, pin.sha256)
}

/// Shows it with what it changes, asks, and writes it.
///
/// # Errors
/// Where it fails on this library, nobody says yes, or it can't be written.
pub fn conclude(
    world: &World<'_>,
    global: &Global,
    args: &ChangeArgs,
    begun: Option<&dyn Disk>,
    proposal: &Proposal,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let Proposal { swap, slots, .. } = proposal;
    if swap.is_nothing() {
        let used: Vec<String> = slots.iter().map(|slot| one_slot(swap, *slot)).collect();
        report(global, proposal, &Value::Null, &[false, args.dry_run], out, |_| {
            format!("nothing changes: {}\n", used.join("; "))
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let decision = DecisionArgs {
        toolsets: args.toolsets.clone(),
        tools: args.tools.clone(),
        ..DecisionArgs::default()
    };
    let effects = Effects::of(world, global, (&args.roots, &decision), swap, slots, out)?;
    let plan = planned(proposal, &effects);
    if args.dry_run {
        report(global, proposal, &effects.json(), &[false, true], out, |_| plan.clone())?;
        return Ok(ExitCode::SUCCESS);
    }
    out.note(plan.trim_end());
    if !args.yes {
        consent(world, swap, out)?;
    }
    let disk = begun.ok_or_else(no_home)?;
    commit(disk, swap)?;
    report(global, proposal, &effects.json(), &[true, false], out, |number| {
        let slots: Vec<String> = slots.iter().map(|slot| one_slot(swap, *slot)).collect();
        format!("set {number}: {}\n", slots.join("; "))
    })?;
    if let Some(before) = swap.lock.current().and_then(|set| set.after) {
        out.hint(&format!("back to set {before}: skillkeep policy rollback"));
    }
    Ok(ExitCode::SUCCESS)
}

fn consent(world: &World<'_>, swap: &Swap, out: &mut Output<'_>) -> Result<(), CommandError> {
    match ask(world.system, "use it from now on?", out) {
        Some(true) => Ok(()),
        Some(false) => Err(CommandError::new(Kind::Finding, "nothing was changed")),
        None => {
            let message = "there is no terminal to ask at whether this is meant";
            let command = &swap.order.command;
            Err(CommandError::new(Kind::Usage, message)
                .hint(format!("{command} --dry-run, and then --yes")))
        }
    }
}

/// What is used in a slot, before and after.
fn one_slot(swap: &Swap, slot: Slot) -> String {
    let before = labels(&swap.now.config, &swap.now.lock, slot);
    let after = labels(&swap.config, &swap.lock, slot);
    match before == after {
        true => format!("{slot}: {after}"),
        false => format!("{slot}: {before} -> {after}"),
    }
}

/// Who is used in a slot, those that are pinned with the beginning of their hash.
fn labels(config: &Config, lock: &Lock, slot: Slot) -> String {
    let label = |name: &String| match lock.pin(slot, |pinned| pinned == name) {
        Some(pin) => format!("{} ({})", shown_name(name), short(&pin.sha256)),
        None => shown_name(name),
    };
    let names: Vec<String> = in_use(config, slot).iter().map(label).collect();
    if names.is_empty() { "nobody".to_owned() } else { names.join(" and ") }
}

/// A policy's name for people: of a kept copy its hash says all.
pub fn shown_name(name: &str) -> String {
    match name.strip_prefix(KEPT) {
        Some(_) => "a kept copy".to_owned(),
        None => OneLine::new(name).to_string(),
    }
}

/// The beginning of a hash.
pub fn short(sha256: &str) -> String {
    sha256.chars().take(12).collect()
}

fn planned(proposal: &Proposal, effects: &Effects) -> String {
    let mut text = String::new();
    for slot in &proposal.slots {
        text.push_str(&format!("{}\n", one_slot(&proposal.swap, *slot)));
        text.push_str(&settings(&proposal.swap, *slot));
    }
    for line in &proposal.about {
        text.push_str(&format!("  {line}\n"));
    }
    text + &effects.text()
}

/// Settings that would be otherwise.
fn settings(swap: &Swap, slot: Slot) -> String {
    let of = |config: &Config| {
        config.slots.get(slot.word()).map(|slot| slot.settings.clone()).unwrap_or_default()
    };
    let (before, after) = (of(&swap.now.config), of(&swap.config));
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let told = |value: Option<&toml::Value>| {
        value.map_or_else(|| "its default".to_owned(), ToString::to_string)
    };
    let mut text = String::new();
    for key in keys {
        let (before, after) = (before.get(key), after.get(key));
        if before != after {
            text.push_str(&format!("  {key}: {} -> {}\n", told(before), told(after)));
        }
    }
    text
}

fn report(
    global: &Global,
    proposal: &Proposal,
    effects: &Value,
    [done, dry_run]: &[bool; 2],
    out: &mut Output<'_>,
    text: impl FnOnce(u64) -> String,
) -> Result<(), CommandError> {
    let Proposal { swap, slots, facts, .. } = proposal;
    if !global.json {
        return out.text(&text(swap.lock.generation));
    }
    out.json(&json!({
        "schema": "skillkeep.policy-change/1",
        "dry-run": dry_run,
        "changed": done,
        "set": swap.lock.generation,
        "after": swap.lock.current().and_then(|set| set.after),
        "slots": slots.iter().map(|slot| json!({
            "slot": slot,
            "before": in_use(&swap.now.config, *slot),
            "after": in_use(&swap.config, *slot),
            "pins": swap.lock.pinned.iter().filter(|pin| pin.slot == *slot).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "components": facts,
        "effects": effects,
    }))
}

impl<'a> Begun<'a> {
    /// Where it is written.
    #[must_use]
    pub fn disk(&self) -> Option<&'a dyn Disk> {
        self.disk
    }

    /// The home.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.now.home
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_command_can_be_typed_again() {
        for (word, expected) in [
            ("/a/b-c.wasm", "/a/b-c.wasm"),
            ("two words", "'two words'"),
            ("it's", "'it'\\''s'"),
            ("", "''"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
