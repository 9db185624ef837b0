//! `skillkeep policy use` and `skillkeep policy add`

use std::{collections::BTreeSet, process::ExitCode};

use clap::Args;
use serde_json::{Value as Json, json};

use super::{
    build::of_slot,
    change::{Begun, ChangeArgs, Proposal, begin, conclude, load_all},
};
use crate::{
    cli::{Global, options::assignment_of, output::Output},
    config::{SlotConfig, from_home, takes_several},
    decision::{Slot, Value},
    policy::{Assignment, Builtin, LoadError, Loaded, Source, Withheld, digest},
    skill::OneLine,
    trial::{Sandboxed, Sheet, run_sheets, sheets_text},
    world::{
        World,
        error::{CommandError, Kind},
        gate::{Gate, MAX_SIGNATURE, Signed, beside},
        policies::{allowance, component, config_settings, engine, in_use},
        swap::{Kept, Swap, Wanted, name_of, pin_of},
    },
};

/// Arguments of `policy use` and `policy add`.
#[derive(Debug, Args)]
#[command(after_help = "\
The component goes through all steps of loading and its own cases, and then decides beside what is used now: you see what \
would be otherwise before you say yes. skillkeep.toml names it then, and policies.lock its hash; a file that changes later is \
not loaded before you say yes again. Its bytes are kept in the home, so that `policy rollback` brings it back.

Only a person says which policies are used. --yes also takes a component out of quarantine.

Example: skillkeep policy use budget policies/mine.wasm --set exploration=0.2")]
pub struct UseArgs {
    /// The slot: demotion, budget, curator or provenance
    #[arg(value_name = "SLOT")]
    slot: String,

    /// A component's file, or the name of a policy that comes with the host
    #[arg(value_name = "FILE|NAME")]
    policy: String,

    /// Set a parameter of it, from now on; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,

    #[command(flatten)]
    change: ChangeArgs,
}

/// How it comes to what is used already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// In its place.
    Instead,
    /// Beside it.
    Beside,
}

/// A component that passed all steps.
struct Candidate {
    name: String,
    loaded: Loaded,
    signed: Signed,
    cases: usize,
    bytes: Vec<u8>,
    signature: Option<Vec<u8>>,
}

/// Puts a policy in charge of a slot, or beside those that are.
pub fn use_policy(
    world: &World<'_>,
    global: &Global,
    args: &UseArgs,
    way: Way,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let slot = of_slot(&args.slot)?;
    if way == Way::Beside && !takes_several(slot) {
        let message = format!("`{slot}` takes one policy, and none beside it");
        let hint = format!("instead of the one that is used: skillkeep policy use {slot} FILE");
        return Err(CommandError::new(Kind::Usage, message).hint(hint));
    }
    let path = match Builtin::named(&args.policy) {
        Some(builtin) => builtin.name.to_owned(),
        None => absolute(world, &args.policy),
    };
    let verb = if way == Way::Instead { "use" } else { "add" };
    let mut command = vec![verb, slot.word(), &path];
    for setting in &args.settings {
        command.extend(["--set", setting]);
    }
    let begun = begin(world, &args.change, &command, out)?;
    let (found, lifted) = candidate(world, &begun, slot, args, out)?;
    let wanted = wanted(&begun, slot, way, args, &found)?;
    let about = about(&found);
    let facts = json!([facts(&found, slot)]);
    let sha256 = found.loaded.inspection.digest.clone();
    let is_file = matches!(found.loaded.source, Source::File(_));
    let kept = is_file.then_some(Kept { bytes: found.bytes, signature: found.signature });
    let disk = begun.disk();
    let mut swap = Swap::of(world.system, begun.now, begun.order, &[wanted], None)?.keeping(kept);
    if lifted {
        swap = swap.lifting(&sha256);
    }
    let slots = BTreeSet::from([slot]);
    load_all(world, &swap, &slots)?;
    let proposal = Proposal { swap, slots, about, facts };
    conclude(world, global, &args.change, disk, &proposal, out)
}

/// A file's path that means the same wherever the command is typed again.
fn absolute(world: &World<'_>, given: &str) -> String {
    let here = world.system.working_folder().unwrap_or_default();
    here.join(given).to_string_lossy().into_owned()
}

/// Takes it through all steps, and says whether it comes out of quarantine.
fn candidate(
    world: &World<'_>,
    begun: &Begun<'_>,
    slot: Slot,
    args: &UseArgs,
    out: &mut Output<'_>,
) -> Result<(Candidate, bool), CommandError> {
    let name = name_of(world.system, begun.home(), &args.policy)?;
    let file = from_home(world.system, begun.home(), &name);
    let (source, bytes) = component(world.system, &file)?;
    let sha256 = digest(&bytes);
    let quarantined = begun.now.lock.quarantined(&sha256);
    if let Some(it) = quarantined {
        if !args.change.yes {
            let (reason, at) = (OneLine::capped(&it.reason, 400), OneLine::capped(&it.at, 40));
            let name = OneLine::new(&file);
            let why = Withheld::Quarantined { slot, name, sha256, reason, at };
            return Err(LoadError::from(why).into());
        }
        out.warn(&format!(
            "`{name}` comes out of quarantine, where it was since {}: {}",
            it.at, it.reason
        ));
    }
    let gate = Gate::of(world.system, &begun.now.config, Ok(begun.now.lock.clone()), false);
    let (signed, signature) = match &source {
        Source::Builtin(_) => (Signed::No, None),
        Source::File(path) => {
            let signed = gate.signature(path, &bytes)?;
            (signed, world.system.read(&beside(path), MAX_SIGNATURE).ok())
        }
    };
    if signed == Signed::Unchecked {
        out.warn(&format!("`{name}` has a signature, and no key to check it with"));
        out.hint("name whom you trust: `keys` under `[policies]` in skillkeep.toml");
    }
    let engine = engine(world)?;
    let within = allowance(&begun.now.config, slot);
    let load = |given: &[Assignment]| {
        Loaded::load_within(&engine, source.clone(), &bytes, Some(slot), given, within)
            .map_err(|error| CommandError::in_slot(error, slot))
    };
    let bare = load(&[])?;
    let cases = own_cases(&bare, &engine, slot, &bytes)?;
    let mut given = config_settings(&begun.now.config).remove(&slot).unwrap_or_default();
    for setting in &args.settings {
        given.push(assignment_of(setting, "--set", &bare.source.named())?);
    }
    let loaded = load(&given)?;
    for warning in &loaded.warnings {
        if warning.is_typed() {
            let error = CommandError::new(Kind::Usage, warning.to_string());
            return Err(error.hint(warning.hint(&loaded.source.named())));
        }
        out.warn(&warning.to_string());
        out.hint(&warning.hint(&loaded.source.named()));
    }
    let candidate = Candidate { name, loaded, signed, cases, bytes: bytes.into_owned(), signature };
    let lifted = begun.now.lock.quarantined(&candidate.loaded.inspection.digest).is_some();
    Ok((candidate, lifted))
}

/// Runs the cases that it carries; how many hold.
fn own_cases(
    bare: &Loaded,
    engine: &crate::policy::Engine,
    slot: Slot,
    bytes: &[u8],
) -> Result<usize, CommandError> {
    let sheets: Vec<Sheet> = skillkeep_build::cases(bytes)
        .into_iter()
        .map(|(name, text)| Sheet { name, text, is_text: true })
        .collect();
    let (runs, _) = run_sheets(&Sandboxed::new(engine, bare, slot), &sheets);
    let failed: Vec<_> = runs.iter().filter(|run| run.failed.is_some()).cloned().collect();
    if failed.is_empty() {
        return Ok(runs.len());
    }
    let message = format!(
        "{} of its own {} cases fail, so it isn't used:\n{}",
        failed.len(),
        runs.len(),
        sheets_text(&failed).trim_end()
    );
    Err(CommandError::new(Kind::Finding, message)
        .hint(format!("skillkeep policy test {}", bare.source.named())))
}

/// What the settings shall say of the slot.
fn wanted(
    begun: &Begun<'_>,
    slot: Slot,
    way: Way,
    args: &UseArgs,
    found: &Candidate,
) -> Result<Wanted, CommandError> {
    let mut config: SlotConfig = begun.now.slot(slot);
    let mut names = match way {
        Way::Instead => Vec::new(),
        Way::Beside => in_use(&begun.now.config, slot),
    };
    let plain = |name: &String| name.strip_prefix("builtin:").unwrap_or(name).to_owned();
    if !names.iter().any(|name| plain(name) == found.name) {
        names.push(found.name.clone());
    }
    config.use_ = Some(names);
    for setting in &args.settings {
        let Assignment { key, .. } = assignment_of(setting, "--set", &found.name)?;
        if let Some(value) = found.loaded.settings.get(&key) {
            config.settings.insert(key, to_toml(value));
        }
    }
    let mut pins = Vec::new();
    if matches!(found.loaded.source, Source::File(_)) {
        let pin = pin_of(slot, &found.name, &found.loaded, &found.signed, &begun.order);
        let old = begun.now.lock.pin(slot, |name| name == pin.name);
        // Who said yes to the same thing before said so then.
        if !old.is_some_and(|old| old.sha256 == pin.sha256 && old.key == pin.key) {
            pins.push(pin);
        }
    }
    Ok(Wanted { slot, config, pins, since: 0 })
}

fn to_toml(value: &Value) -> toml::Value {
    match value {
        Value::Boolean(value) => toml::Value::Boolean(*value),
        Value::Integer(value) => toml::Value::Integer(*value),
        Value::Real(value) => toml::Value::Float(*value),
        Value::Text(value) => toml::Value::String(value.clone()),
        Value::Texts(values) => toml::Value::from(values.clone()),
    }
}

fn about(found: &Candidate) -> Vec<String> {
    let title = found.loaded.title();
    let sha256 = &found.loaded.inspection.digest;
    let what = match (&found.loaded.source, &found.signed) {
        (Source::Builtin(_), _) => format!("{title}, comes with the host"),
        (_, Signed::By(key)) => format!("{title}, sha256 {sha256}, signed by {key}"),
        (_, Signed::Unchecked) => format!("{title}, sha256 {sha256}, signature not checked"),
        (_, Signed::No) => format!("{title}, sha256 {sha256}, not signed"),
    };
    let cases = match found.cases {
        0 => "it carries no cases".to_owned(),
        1 => "its own case holds".to_owned(),
        many => format!("its own {many} cases hold"),
    };
    vec![what, cases]
}

fn facts(found: &Candidate, slot: Slot) -> Json {
    json!({
        "slot": slot,
        "name": found.name,
        "policy": found.loaded.info.name,
        "version": found.loaded.info.version,
        "sha256": found.loaded.inspection.digest,
        "key": match &found.signed { Signed::By(key) => Some(key), _ => None },
        "cases": found.cases,
    })
}
