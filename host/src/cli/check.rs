//! `skillkeep check`

mod kept;
mod print;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::{Global, options::RootArgs, output::Output};
use crate::{
    check::{self, Finding, Options, Rule, Severity, Summary},
    decision::Unit,
    skill::{OneLine, nearest},
    system::{Kind as FileKind, System},
    world::{
        World, counted,
        error::{CommandError, Kind},
    },
};

/// Check skills: what the Agent Skills standard forbids, and what keeps a skill from being found.
#[derive(Debug, Args)]
#[command(
    after_help = "Findings go to standard output. Exit status 1 says that one of them is as grave as `--fail-on`, or graver.\n\nExamples:\n  skillkeep check my-skill --against ~/.claude/skills\n  skillkeep check skills --format github --fail-on warning"
)]
pub struct CheckArgs {
    /// Skills to check: a skill's folder, its SKILL.md, or a folder of skills [default: what is found on this machine]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Compare with the skills of this folder too, without checking them; may be given several times
    #[arg(long, value_name = "FOLDER", requires = "paths")]
    against: Vec<PathBuf>,

    /// Print findings that are this grave or graver
    #[arg(long, value_enum, default_value_t = Level::Warning, value_name = "SEVERITY")]
    min_severity: Level,

    /// End with exit status 1 if a finding is this grave or graver; it is printed then, whatever else is
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "SEVERITY")]
    fail_on: FailOn,

    /// Only these rules, or rules of these kinds
    #[arg(long = "rule", value_name = "RULE|KIND,…", value_delimiter = ',')]
    only: Vec<String>,

    /// Not these rules, nor rules of these kinds
    #[arg(long = "allow", value_name = "RULE|KIND,…", value_delimiter = ',')]
    allowed: Vec<String>,

    /// Characters with which no two descriptions may begin alike
    #[arg(long, value_name = "N", default_value_t = Options::default().opening)]
    opening: usize,

    /// How to print findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Check what is kept instead of skills: the ledger and its backups, former bytes, archives, pins and snapshots
    #[arg(long, conflicts_with_all = ["paths", "against", "only", "allowed", "rules", "min_severity", "fail_on", "format"])]
    ledger: bool,

    /// Print the table of all rules
    #[arg(long, conflicts_with_all = ["paths", "against", "fail_on", "min_severity"])]
    rules: bool,
}

/// How grave a finding must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Errors only.
    Error,
    /// Warnings too.
    Warning,
    /// Everything.
    Note,
}

impl Level {
    fn severity(self) -> Severity {
        match self {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Note => Severity::Note,
        }
    }
}

/// Which findings fail a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Errors.
    Error,
    /// Warnings and errors.
    Warning,
    /// Any finding.
    Note,
    /// None.
    Never,
}

impl FailOn {
    fn severity(self) -> Option<Severity> {
        match self {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Note => Some(Severity::Note),
            FailOn::Never => None,
        }
    }
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// As annotations of GitHub Actions.
    Github,
}

/// What was checked and what came of it.
struct Checked<'w> {
    world: &'w World<'w>,
    /// The working folder, as paths are told relative to it.
    here: Option<PathBuf>,
    /// Findings of the chosen rules, those that are not printed too.
    findings: Vec<Finding>,
    summary: Summary,
    /// The least grave findings that are printed.
    shown: Severity,
}

impl Checked<'_> {
    fn shown(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity >= self.shown)
    }

    fn hidden(&self) -> usize {
        self.findings.len() - self.shown().count()
    }

    /// A path below the working folder as seen from there; none for any other.
    fn relative<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let below = path.strip_prefix(self.here.as_ref()?).ok()?;
        (!below.as_os_str().is_empty()).then_some(below)
    }

    fn name(&self, finding: &Finding) -> Option<String> {
        Some(self.world.library.skills.get(finding.row?)?.qualified())
    }
}

/// Checks, and prints what was found.
pub fn check(
    system: &dyn System,
    global: &Global,
    args: &CheckArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    if args.ledger {
        return kept::check(system, global, out);
    }
    let chosen = chosen(&args.only, &args.allowed)?;
    let format = if global.json { Format::Json } else { args.format };
    if args.rules {
        match format {
            Format::Json => out.json(&json!({
                "schema": "skillkeep.check-rules/1",
                "rules": print::rules_as_json(&chosen),
            }))?,
            Format::Text | Format::Github => out.text(&print::rules(&chosen))?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let paths =
        args.paths.iter().map(|path| folder_of(system, path)).collect::<Result<Vec<_>, _>>()?;
    let against =
        args.against.iter().map(|path| folder_of(system, path)).collect::<Result<Vec<_>, _>>()?;
    let roots = paths.iter().chain(&against).cloned().collect();
    let world = World::open(system, &global.at(&RootArgs { roots }))?;
    world.announce(out);
    let checked_roots = if paths.is_empty() { usize::MAX } else { distinct(system, &paths) };
    let is_checked = |root: usize| root < checked_roots;
    let library = &world.library;
    let skills = library.skills.iter().filter(|skill| is_checked(skill.place.root)).count();
    let meter = world.meter(Unit::Tokens);
    let pages = check::read(world.files(), library, meter.get());
    meter.save(world.system);
    let mut findings = check::check(library, &pages, &Options { opening: args.opening.max(1) });
    findings.retain(|finding| is_checked(finding.root) && chosen.contains(&finding.rule));
    if skills == 0 && findings.is_empty() {
        return Err(nothing(&world));
    }
    let fails = args.fail_on.severity();
    let shown = args.min_severity.severity().min(fails.unwrap_or(Severity::Error));
    let summary = Summary::of(&findings, skills);
    let here = system.working_folder().ok().map(|here| system.resolve(&here).unwrap_or(here));
    let checked = Checked { world: &world, here, findings, summary, shown };
    match format {
        Format::Json => out.json(&print::json(&checked))?,
        Format::Github => {
            out.text(&print::github(&checked))?;
            out.note(&print::summary(&checked.summary));
        }
        Format::Text => {
            out.text(&(print::text(&checked) + &print::summary(&checked.summary) + "\n"))?
        }
    }
    if checked.hidden() > 0 {
        out.hint(&format!(
            "`--min-severity note` prints {} more",
            counted(checked.hidden(), "finding")
        ));
    }
    let failed = fails.is_some_and(|least| checked.findings.iter().any(|f| f.severity >= least));
    Ok(ExitCode::from(u8::from(failed)))
}

/// The table of rules as a Markdown document, which is committed and kept current by a test.
#[must_use]
pub fn rules_reference() -> String {
    print::rules_as_markdown()
}

/// The rules that are asked for.
fn chosen(only: &[String], allowed: &[String]) -> Result<BTreeSet<Rule>, CommandError> {
    let mut chosen: BTreeSet<Rule> = if only.is_empty() {
        Rule::ALL.iter().copied().collect()
    } else {
        only.iter()
            .map(|word| of_word(word))
            .collect::<Result<Vec<_>, _>>()?
            .concat()
            .into_iter()
            .collect()
    };
    for word in allowed {
        for rule in of_word(word)? {
            chosen.remove(&rule);
        }
    }
    Ok(chosen)
}

/// The rules that a word means: the one of that name, or all of that kind.
fn of_word(word: &str) -> Result<Vec<Rule>, CommandError> {
    let word = word.trim();
    if let Some(rule) = Rule::of_id(word) {
        return Ok(vec![rule]);
    }
    let of_kind: Vec<Rule> =
        Rule::ALL.iter().copied().filter(|rule| rule.kind().word() == word).collect();
    if !of_kind.is_empty() {
        return Ok(of_kind);
    }
    let words = Rule::ALL.iter().flat_map(|rule| [rule.id(), rule.kind().word()]);
    let error =
        CommandError::new(Kind::Usage, format!("no rule and no kind of rules is called `{word}`"));
    Err(match nearest(word, words) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`skillkeep check --rules` prints all"),
    })
}

/// The folder that a path means: a SKILL.md stands for the folder that it makes a skill.
fn folder_of(system: &dyn System, path: &Path) -> Result<PathBuf, CommandError> {
    let absolute = system.working_folder().map_or_else(|_| path.to_owned(), |here| here.join(path));
    let shown = OneLine::new(&path.to_string_lossy());
    let wrong = |what: &str| {
        CommandError::new(Kind::Usage, format!("`{shown}` {what}"))
            .hint("name a skill's folder, its SKILL.md, or a folder of skills")
    };
    let stat = system.stat(&absolute).map_err(|_| wrong("can't be found"))?;
    if stat.kind == FileKind::Folder {
        return Ok(path.to_owned());
    }
    let is_skill = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    absolute
        .parent()
        .filter(|_| is_skill)
        .map(Path::to_owned)
        .ok_or_else(|| wrong("is no SKILL.md"))
}

/// How many folders these are: one that is named twice is one root.
fn distinct(system: &dyn System, paths: &[PathBuf]) -> usize {
    let here = system.working_folder().unwrap_or_default();
    let real = |path: &PathBuf| {
        let path = here.join(path);
        system.resolve(&path).unwrap_or(path)
    };
    paths.iter().map(real).collect::<BTreeSet<_>>().len()
}

fn nothing(world: &World<'_>) -> CommandError {
    let roots: Vec<String> = world
        .library
        .roots
        .iter()
        .take(4)
        .map(|report| {
            format!("`{}`", world.shorten(report.resolved.as_ref().unwrap_or(&report.root.path)))
        })
        .collect();
    CommandError::new(Kind::Finding, format!("no skill is in {}", roots.join(", ")))
        .hint("a skill is a folder with a `SKILL.md`; `skillkeep list` shows those of this machine")
}
