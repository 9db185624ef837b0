//! `skillkeep policy test`

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde_json::{Value, json};

use super::{
    super::{
        Global,
        output::{Output, columns},
    },
    build::{build_crate, of_slot},
};
use crate::{
    decision::Slot,
    policy::{Assignment, Builtin, Engine, Loaded, Source, Withheld, digest, inspect},
    system::{Kind as FileKind, System},
    trial::{
        CaseRun, Effort, LawRun, Point, SIZES, Sandboxed, Sheet, Verdict, bench, bench_table,
        junit, laws_text, run_laws, run_sheets, sheets_text,
    },
    world::{
        World,
        error::{CommandError, Kind},
        gate::Gate,
        policies::{component, engine},
    },
};

/// The largest file of cases that is read.
const MAX_SHEET: u64 = 4 << 20;

/// Arguments of `policy test`.
#[derive(Debug, Args)]
#[command(after_help = "\
Cases are Markdown: a heading, a table of skills with the columns that matter, settings, and what is expected. They are
taken from the files that are named, from the crate's folder `cases`, or from the component, which carries its own.")]
pub struct TestArgs {
    /// A component's file, a policy that comes with the host, or the folder of a crate, which is built first
    #[arg(default_value = ".")]
    policy: String,

    /// Files of cases, or folders of them, instead of the policy's own
    cases: Vec<PathBuf>,

    /// The slot to try it for, where it decides several
    #[arg(long, value_name = "SLOT")]
    slot: Option<String>,

    /// A setting under which it is tried; a case's own comes before it
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,

    /// Write what the policy answers into its cases
    #[arg(long)]
    bless: bool,

    /// Write the cases' outcomes as JUnit
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Look for snapshots that break what a good rule keeps
    #[arg(long)]
    laws: bool,

    /// With --laws, how many snapshots a law is tried on
    #[arg(long, value_name = "COUNT", default_value_t = Effort::default().snapshots, value_parser = at_least_one, requires = "laws")]
    snapshots: usize,

    /// With --laws, the skills of the largest library
    #[arg(long, value_name = "SKILLS", default_value_t = Effort::default().largest, requires = "laws")]
    largest: usize,

    /// With --laws or --bench, what the snapshots are drawn from
    #[arg(long, value_name = "NUMBER", default_value_t = Effort::default().seed)]
    seed: u64,

    /// With --laws, write the snapshot of each broken law into this folder, as a file of cases
    #[arg(long, value_name = "FOLDER", requires = "laws")]
    save: Option<PathBuf>,

    /// Print time, fuel and memory by the number of skills, beside the slot's default
    #[arg(long)]
    bench: bool,
}

/// What a trial found.
#[derive(Default)]
struct Found {
    cases: Option<Vec<CaseRun>>,
    laws: Option<Vec<LawRun>>,
    bench: Option<Vec<(String, Vec<Point>)>>,
    blessed: usize,
    /// Why nobody decides by it, where it is in quarantine.
    quarantined: Option<Withheld>,
    /// Whether `--bless` would write something.
    to_bless: bool,
}

/// Runs the command.
pub fn test(
    world: &World<'_>,
    global: &Global,
    args: &TestArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (source, bytes, beside) = subject(world, &args.policy, out)?;
    let quarantined = tell_quarantine(world, &args.policy, &bytes, out);
    let engine = engine(world)?;
    let policy = Loaded::load(&engine, source, &bytes, None, &given(&args.settings)?)?;
    for warning in &policy.warnings {
        out.warn(&warning.to_string());
        out.hint(&warning.hint(&policy.source.named()));
    }
    let slot = slot(&policy, args.slot.as_deref())?;
    let sandboxed = Sandboxed::new(&engine, &policy, slot);
    let (sheets, files) = sheets(world.system, args, &bytes, beside.as_deref())?;
    if sheets.is_empty() && !args.laws && !args.bench {
        return Err(CommandError::new(Kind::Finding, format!("`{}` has no cases", args.policy))
            .hint("write some into the crate's folder `cases`, or name their files")
            .hint("`--laws` and `--bench` need none"));
    }
    if args.bless && files.is_empty() {
        return Err(CommandError::new(Kind::Usage, "`--bless` needs the files of the cases")
            .hint("name them: skillkeep policy test FILE.wasm CASES.md --bless"));
    }

    let mut found = Found::default();
    if !sheets.is_empty() {
        let (mut runs, blessed) = run_sheets(&sandboxed, &sheets);
        found.to_bless = !args.bless && !files.is_empty() && blessed.iter().any(Option::is_some);
        if args.bless {
            let mut fresh = sheets.clone();
            for ((sheet, text), path) in fresh.iter_mut().zip(blessed).zip(&files) {
                if let Some(text) = text {
                    write(world.system, path, text.as_bytes())?;
                    sheet.text = text;
                    found.blessed += 1;
                }
            }
            runs = run_sheets(&sandboxed, &fresh).0;
        }
        if let Some(path) = &args.junit {
            write(world.system, path, junit(&policy.title(), &runs).as_bytes())?;
        }
        found.cases = Some(runs);
    }
    if args.laws {
        let effort = Effort {
            snapshots: args.snapshots,
            largest: args.largest,
            seed: args.seed,
            ..Effort::default()
        };
        let laws = run_laws(&sandboxed, &sheets, &effort);
        save(world.system, args, &laws)?;
        found.laws = Some(laws);
    }
    if args.bench {
        found.bench = Some(costs(&engine, &sandboxed, args.seed)?);
    }
    found.quarantined = quarantined;
    print(global, &policy, slot, &found, out)
}

/// Says loudly that a component is in quarantine. It is tried all the same: its author mends it by that, and a trial alone
/// decides nothing.
fn tell_quarantine(
    world: &World<'_>,
    name: &str,
    bytes: &[u8],
    out: &mut Output<'_>,
) -> Option<Withheld> {
    let slot = inspect(bytes).ok()?.slots.first().copied()?;
    let why = Gate::open(world, false).quarantined(slot, name, &digest(bytes))?;
    out.warn(&format!("`{name}`: {why}; it is tried all the same, alone and in its sandbox"));
    out.hint(&why.hint());
    Some(why)
}

/// The component, with the folder of the crate that it is of, where that is known.
fn subject(
    world: &World<'_>,
    name: &str,
    out: &mut Output<'_>,
) -> Result<(Source, Vec<u8>, Option<PathBuf>), CommandError> {
    if name.ends_with(".md") {
        let message =
            format!("found `{name}` where the policy is named, expected a component or a crate");
        return Err(CommandError::new(Kind::Usage, message)
            .hint(format!("for the crate of this folder: skillkeep policy test . {name}")));
    }
    let path = PathBuf::from(name);
    let is_folder = world.system.stat(&path).is_ok_and(|stat| stat.kind == FileKind::Folder);
    if !is_folder {
        let (source, bytes) = component(world.system, name)?;
        return Ok((source, bytes.into_owned(), None));
    }
    let built = build_crate(&path, out)?;
    Ok((Source::File(path.clone()), built.bytes, Some(path)))
}

/// A law that is tried on nothing would be kept by anything.
fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse::<usize>()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| "expected a whole number above 0".to_owned())
}

fn given(settings: &[String]) -> Result<Vec<Assignment>, CommandError> {
    let one = |text: &String| match text.split_once('=') {
        Some((key, value)) => Ok(Assignment {
            key: key.to_owned(),
            value: crate::decision::Value::Text(value.to_owned()),
            untyped: true,
            from: "--set".to_owned(),
        }),
        None => Err(CommandError::new(
            Kind::Usage,
            format!("found `--set {text}`, expected `--set KEY=VALUE`"),
        )),
    };
    settings.iter().map(one).collect()
}

fn slot(policy: &Loaded, named: Option<&str>) -> Result<Slot, CommandError> {
    let has = &policy.inspection.slots;
    let words = || has.iter().map(|slot| format!("`{slot}`")).collect::<Vec<_>>().join(", ");
    match (named, has.as_slice()) {
        (None, [only]) => Ok(*only),
        (None, _) => Err(CommandError::new(Kind::Usage, format!("it decides {}", words()))
            .hint("`--slot SLOT` says which of them is tried")),
        (Some(word), _) => {
            let slot = of_slot(word)?;
            if has.contains(&slot) {
                return Ok(slot);
            }
            Err(CommandError::new(Kind::Usage, format!("it decides {}, not `{slot}`", words())))
        }
    }
}

/// The sheets, with the files that they are from; sections of a component are from none.
fn sheets(
    system: &dyn System,
    args: &TestArgs,
    bytes: &[u8],
    beside: Option<&Path>,
) -> Result<(Vec<Sheet>, Vec<PathBuf>), CommandError> {
    let mut files = Vec::new();
    if args.cases.is_empty() {
        let folder = beside.map(|folder| folder.join(skillkeep_build::CASES));
        let Some(folder) = folder else {
            let carried = skillkeep_build::cases(bytes).into_iter();
            return Ok((
                carried.map(|(name, text)| Sheet::of(name, text.into_bytes())).collect(),
                Vec::new(),
            ));
        };
        if system.stat(&folder).is_ok() {
            markdown(system, &folder, &mut files)?;
        }
    }
    named(system, &args.cases, &mut files)?;
    Ok((read(system, &files)?, files))
}

/// The files of cases that somebody named, or the folders of them.
///
/// # Errors
/// Where one can't be read.
pub(super) fn read_sheets(
    system: &dyn System,
    cases: &[PathBuf],
) -> Result<Vec<Sheet>, CommandError> {
    let mut files = Vec::new();
    named(system, cases, &mut files)?;
    read(system, &files)
}

fn named(
    system: &dyn System,
    cases: &[PathBuf],
    files: &mut Vec<PathBuf>,
) -> Result<(), CommandError> {
    for path in cases {
        match system.stat(path) {
            Ok(stat) if stat.kind == FileKind::Folder => markdown(system, path, files)?,
            _ => files.push(path.clone()),
        }
    }
    Ok(())
}

fn read(system: &dyn System, files: &[PathBuf]) -> Result<Vec<Sheet>, CommandError> {
    let sheet = |path: &PathBuf| {
        let bytes = system.read(path, MAX_SHEET).map_err(|error| cant("read", path, &error))?;
        let name = path.strip_prefix(".").unwrap_or(path).display().to_string();
        Ok(Sheet::of(name, bytes))
    };
    files.iter().map(sheet).collect()
}

fn markdown(
    system: &dyn System,
    folder: &Path,
    files: &mut Vec<PathBuf>,
) -> Result<(), CommandError> {
    let entries = system.list(folder).map_err(|error| cant("list", folder, &error))?;
    let mut names: Vec<String> = entries.into_iter().map(|entry| entry.name).collect();
    names.retain(|name| name.ends_with(".md"));
    names.sort();
    files.extend(names.iter().map(|name| folder.join(name)));
    Ok(())
}

pub(super) fn cant(what: &str, path: &Path, error: &std::io::Error) -> CommandError {
    let kind = if what == "write" { Kind::Fault } else { Kind::Usage };
    CommandError::new(kind, format!("can't {what} `{}`: {error}", path.display()))
}

fn write(system: &dyn System, path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    system.publish(path, bytes).map_err(|error| cant("write", path, &error))
}

fn save(system: &dyn System, args: &TestArgs, laws: &[LawRun]) -> Result<(), CommandError> {
    let Some(folder) = &args.save else { return Ok(()) };
    for run in laws {
        if let Verdict::Broken(broken) = &run.verdict
            && let Some(case) = &broken.case
        {
            write(system, &folder.join(format!("{}.md", run.law.name)), case.as_bytes())?;
        }
    }
    Ok(())
}

/// The policy's costs, and those of the slot's default where it is another.
fn costs(
    engine: &Engine,
    policy: &Sandboxed<'_>,
    seed: u64,
) -> Result<Vec<(String, Vec<Point>)>, CommandError> {
    let mut all = vec![(policy.policy.title(), bench(policy, &SIZES, seed))];
    if let Some(builtin) = Builtin::of_slot(policy.slot) {
        let source = Source::Builtin(builtin.name);
        let default = Loaded::load(engine, source, builtin.bytes, Some(policy.slot), &[])?;
        if default.inspection.digest != policy.policy.inspection.digest {
            let default = Sandboxed::new(engine, &default, policy.slot);
            let title = format!("{} (default)", default.policy.title());
            all.push((title, bench(&default, &SIZES, seed)));
        }
    }
    Ok(all)
}

fn print(
    global: &Global,
    policy: &Loaded,
    slot: Slot,
    found: &Found,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let failed = found.cases.iter().flatten().any(|run| run.failed.is_some());
    let broken = found.laws.iter().flatten().any(|run| matches!(run.verdict, Verdict::Broken(_)));
    let untried = found
        .laws
        .as_ref()
        .is_some_and(|laws| laws.iter().all(|run| matches!(run.verdict, Verdict::Silent(_))));
    let fault = found.bench.iter().flatten().flat_map(|it| &it.1).any(|it| it.fault.is_some());
    if global.json {
        out.json(&record(policy, slot, found))?;
    } else {
        let mut text = format!("{} ({slot})\n", policy.title());
        if let Some(runs) = &found.cases {
            text.push_str(&format!("\n{}", sheets_text(runs)));
        }
        if let Some(laws) = &found.laws {
            text.push_str(&format!("\n{}", laws_text(laws)));
        }
        if let Some(bench) = &found.bench {
            text.push_str(&format!("\n{}", columns(&bench_table(counted_in(slot), bench))));
        }
        out.text(&text)?;
        let trapped = |run: &CaseRun| {
            run.failed.as_ref().is_some_and(|failed| failed.contains("broken: it trapped"))
        };
        if found.cases.iter().flatten().any(trapped) {
            out.hint(
                "`cargo test` in the crate runs the cases natively, and shows a panic's words",
            );
        }
        if found.blessed > 0 {
            out.note(&format!("blessed {} of the files: read what changed", found.blessed));
        } else if failed && found.to_bless {
            out.hint(
                "`--bless` writes what the policy answers into the cases, where that is right",
            );
        }
    }
    if untried {
        out.warn("no law was tried, so none is known to be kept");
        out.hint("write a case in which it answers: snapshots take the facts of its cases");
    }
    Ok(ExitCode::from(u8::from(failed || broken || untried || fault)))
}

/// What a policy's costs grow with.
fn counted_in(slot: Slot) -> &'static str {
    if slot == Slot::Provenance { "writes" } else { "skills" }
}

fn record(policy: &Loaded, slot: Slot, found: &Found) -> Value {
    let cases = found.cases.as_ref().map(|runs| {
        let one = |run: &CaseRun| {
            json!({
                "file": run.file, "line": run.line, "name": run.name,
                "ok": run.failed.is_none(), "difference": run.failed,
            })
        };
        runs.iter().map(one).collect::<Vec<_>>()
    });
    let laws = found.laws.as_ref().map(|runs| {
        let one = |run: &LawRun| {
            let (outcome, snapshots, what, case) = match &run.verdict {
                Verdict::Kept { snapshots, .. } => ("kept", Some(*snapshots), None, None),
                Verdict::Silent(why) => ("silent", None, Some(why.clone()), None),
                Verdict::Broken(broken) => {
                    ("broken", None, Some(broken.what.clone()), broken.case.clone())
                }
            };
            json!({
                "law": run.law.name, "says": run.law.says, "outcome": outcome,
                "snapshots": snapshots, "what": what, "case": case,
            })
        };
        runs.iter().map(one).collect::<Vec<_>>()
    });
    let bench = found.bench.as_ref().map(|columns| {
        let point = |point: &Point| {
            json!({
                counted_in(slot): point.rows, "milliseconds": point.elapsed.as_secs_f64() * 1_000.0,
                "fuel": point.fuel, "fuel-limit": point.fuel_limit,
                "memory": point.memory, "memory-limit": point.memory_limit, "fault": point.fault,
            })
        };
        let one = |(name, points): &(String, Vec<Point>)| {
            json!({ "policy": name, "sizes": points.iter().map(point).collect::<Vec<_>>() })
        };
        columns.iter().map(one).collect::<Vec<_>>()
    });
    json!({
        "schema": "skillkeep.policy-test/1",
        "policy": policy.info.name,
        "version": policy.info.version,
        "slot": slot,
        "digest": policy.inspection.digest,
        "quarantined": found.quarantined.as_ref().map(ToString::to_string),
        "cases": cases,
        "laws": laws,
        "bench": bench,
    })
}
