//! The files that Progressive Skill's command line names, as values. A file that can't be used is done without, and said.

use std::{io, path::Path};

use super::SourceArgs;
use crate::{
    adapters::progressive::{
        Catalog, Config, ConfigProblem, Tools, read_config, read_snapshot,
        read_usage_of_progressive,
    },
    cli::{options::list, output::Output},
    config::parse_now,
    laws::not_after,
    library::scan,
    skill::{Instant, OneLine, Root, Usage},
    system::System,
    world::{
        counted,
        error::{CommandError, Kind},
    },
};

/// The largest file that is read, in bytes.
pub const MOST_BYTES: u64 = 64 << 20;

/// Where usage is looked for if nobody says.
const USAGE: &str = "usage.json";

/// What both commands are asked about.
pub struct Inputs {
    /// The time of the decision.
    pub now: Instant,
    /// Categories and skills.
    pub catalog: Catalog,
    /// How skills were used, none of them in the future.
    pub usage: Usage,
    /// The settings.
    pub config: Config,
    /// Where they come from, for messages.
    pub settings_from: String,
    /// The session.
    pub tools: Tools,
    /// What could not be used and is done without.
    pub findings: Vec<CommandError>,
    notes: Vec<String>,
}

impl Inputs {
    /// Reads what the arguments name.
    ///
    /// # Errors
    /// Where a setting or the time makes no sense.
    pub fn read(system: &dyn System, args: &SourceArgs) -> Result<Inputs, CommandError> {
        let now = match &args.now {
            Some(text) => parse_now(text)?,
            None => system.now(),
        };
        let names = |text: &Option<String>| list(text.as_deref().unwrap_or(""));
        let mut inputs = Inputs {
            now,
            catalog: Catalog::default(),
            usage: Usage::default(),
            config: Config::default(),
            settings_from: "Progressive Skill's defaults".to_owned(),
            tools: Tools { toolsets: names(&args.toolsets), tools: names(&args.tools) },
            findings: Vec::new(),
            notes: Vec::new(),
        };
        inputs.read_config(system, args.yaml.as_deref())?;
        inputs.read_catalog(system, args.snapshot.as_deref(), args.skills_dir.as_deref());
        inputs.read_usage(system, args.usage.as_deref());
        Ok(inputs)
    }

    /// Says what was done without, and what was odd.
    pub fn announce(&self, out: &mut Output<'_>) {
        for finding in &self.findings {
            out.warn(&finding.message);
            for hint in &finding.hints {
                out.hint(hint);
            }
        }
        for note in &self.notes {
            out.note(note);
        }
    }

    fn read_config(
        &mut self,
        system: &dyn System,
        file: Option<&Path>,
    ) -> Result<(), CommandError> {
        let Some(file) = file else { return Ok(()) };
        self.settings_from = file.display().to_string();
        let without = "the defaults hold";
        match system.read(file, MOST_BYTES).map(|bytes| read_config(&bytes)) {
            Ok(Ok(config)) => self.config = config,
            Ok(Err(problem @ ConfigProblem::Value { .. })) => {
                let message = format!("the settings in `{}`: {problem}", file.display());
                return Err(CommandError::new(Kind::Usage, message).hint(problem.hint()));
            }
            Ok(Err(problem)) => {
                self.done_without("settings", file, &problem, without, &problem.hint());
            }
            Err(error) => {
                let hint = "leave `--yaml` out for the defaults";
                self.done_without("settings", file, &error, without, hint);
            }
        }
        Ok(())
    }

    /// The snapshot, and the folder of skills where there is none.
    fn read_catalog(
        &mut self,
        system: &dyn System,
        snapshot: Option<&Path>,
        folder: Option<&Path>,
    ) {
        let hint = "Hermes writes it when it builds a prompt; `--skills-dir FOLDER` reads the skills themselves";
        let without = if folder.is_some() { "the folder is read" } else { "no category is known" };
        if let Some(file) = snapshot {
            match system.read(file, MOST_BYTES) {
                // Before its first prompt Hermes has no snapshot, and then the folder is what was meant.
                Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_some() => {}
                Err(error) => self.done_without("snapshot", file, &error, without, hint),
                Ok(bytes) => match read_snapshot(&bytes) {
                    Err(error) => self.done_without("snapshot", file, &error, without, hint),
                    Ok(catalog) => {
                        self.skipped("snapshot", &catalog.odd);
                        self.catalog = catalog;
                        return;
                    }
                },
            }
        }
        let Some(folder) = folder else { return };
        let label = OneLine::new("skills");
        let library =
            scan(system, &[Root { path: folder.to_owned(), label, category: None }], None);
        for report in &library.roots {
            if let Some(problem) = &report.problem {
                let message = format!("the skills in `{}`: {}", folder.display(), problem.cause);
                self.findings
                    .push(CommandError::new(Kind::Finding, message).hint(problem.fix.to_string()));
            }
        }
        for skill in &library.skills {
            self.catalog.add(Some(skill.name.as_str()), skill.category.as_str());
        }
    }

    fn read_usage(&mut self, system: &dyn System, file: Option<&Path>) {
        let file = match file {
            Some(file) => file,
            None if system.stat(Path::new(USAGE)).is_ok() => Path::new(USAGE),
            None => return,
        };
        let hint =
            "give {\"NAME\": {\"count\": 3, \"last_used\": 1786622400}}, or leave `--usage` out";
        let without = "no use is known";
        let source = file.display().to_string();
        match system.read(file, MOST_BYTES).map(|bytes| read_usage_of_progressive(&bytes, &source))
        {
            Err(error) => self.done_without("usage file", file, &error, without, hint),
            Ok(Err(error)) => self.done_without("usage file", file, &error, without, hint),
            Ok(Ok(mut usage)) => {
                let mut late = 0;
                for record in usage.records.values_mut() {
                    let Some(time) = &mut record.last_used else { continue };
                    let (then, was_late) = not_after(self.now, *time);
                    *time = then;
                    late += usize::from(was_late);
                }
                if late > 0 {
                    self.notes.push(format!(
                        "law `clock` (usage): {late} last used in the future; that counts as now"
                    ));
                }
                self.skipped("usage", &usage.skipped);
                self.usage = usage;
            }
        }
    }

    fn done_without(
        &mut self,
        what: &str,
        file: &Path,
        why: &dyn std::fmt::Display,
        without: &str,
        hint: &str,
    ) {
        let message = format!("can't read the {what} `{}`: {why}; {without}", file.display());
        self.findings.push(CommandError::new(Kind::Finding, message).hint(hint));
    }

    fn skipped(&mut self, what: &str, entries: &[String]) {
        const SHOWN: usize = 3;
        if entries.is_empty() {
            return;
        }
        let (first, more) = (entries.iter().take(SHOWN), entries.len() > SHOWN);
        self.notes.push(format!(
            "{what}: {} skipped: {}{}",
            counted(entries.len(), "entry"),
            first.cloned().collect::<Vec<_>>().join("; "),
            if more { "; …" } else { "" }
        ));
    }
}
