//! Options that several commands share, and the plan that they become.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;

use super::{Global, output::Output};
use crate::{
    adapters::{PreviousError, UsageError, read_previous, read_usage},
    config::{Config, from_home, parse_now},
    decision::{Allowance, Detail, Form, Slot, Unit, Value},
    index::{AGENTS, Agent, Inputs, Style, TooSmall},
    policy::{Assignment, Builtin, parameters_hint},
    skill::{Actor, Choice, Gates, OneLine, Usage, nearest},
    system::System,
    world::{
        Where, World,
        asking::Wishes,
        error::{CommandError, Kind},
        policies::{config_allowances, config_settings},
        store::Why,
    },
};

/// Which skills.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct RootArgs {
    /// Read skills from this folder only; may be given several times, the first has precedence
    #[arg(long = "root", value_name = "FOLDER")]
    pub roots: Vec<PathBuf>,
}

impl Global {
    /// Where a command looks.
    pub fn at<'a>(&'a self, roots: &'a RootArgs) -> Where<'a> {
        Where { home: self.home.as_deref(), roots: &roots.roots, for_agents: false }
    }
}

/// Why something is changed.
#[derive(Clone, Debug, Default, Args)]
pub struct ReasonArgs {
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    /// The session that it is done in
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,

    /// Count as another actor than the one that calls: foreground, review, curator, job or sync. A person may be any of
    /// them, and nobody else is more than what the call came with
    #[arg(long = "as", value_name = "ACTOR", value_parser = ["person", "foreground", "review", "curator", "job", "sync"], hide_possible_values = true)]
    pub acting_as: Option<String>,
}

impl From<&ReasonArgs> for Why {
    fn from(args: &ReasonArgs) -> Why {
        Why {
            reason: args.reason.clone(),
            session: args.session.clone(),
            acting_as: args.acting_as.as_deref().and_then(Actor::from_word),
        }
    }
}

/// What an index is decided by.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct DecisionArgs {
    /// The session's toolsets, such as terminal,web; without it nothing is known of them
    #[arg(long, value_name = "A,B")]
    pub toolsets: Option<String>,

    /// The session's tools; without it nothing is known of them
    #[arg(long, value_name = "A,B")]
    pub tools: Option<String>,

    /// The platform that skills are shown on [default: this machine's]
    #[arg(long, value_name = "NAME")]
    pub platform: Option<String>,

    /// What the whole block may cost [default: 2000 tokens or 5440 chars]
    #[arg(long, value_name = "N")]
    pub limit: Option<u32>,

    /// What the limit counts: tokens (o200k), chars (Unicode scalars) or bytes [default: tokens]
    #[arg(long, value_name = "UNIT", value_parser = ["tokens", "chars", "bytes"], hide_possible_values = true)]
    pub unit: Option<String>,

    /// Categories to show by name only; CATEGORY=count shows how many there are
    #[arg(long, value_name = "CATEGORY,…")]
    pub compact: Option<String>,

    /// How skills were used: a usage file of Hermes or of Progressive Skill
    #[arg(long, value_name = "FILE")]
    pub usage: Option<PathBuf>,

    /// The index of the session before, as JSON, so that this one doesn't flap
    #[arg(long, value_name = "FILE")]
    pub previous: Option<PathBuf>,

    /// Names the session: the same one explores the same skills, and in a home it goes on as it began [default: the day]
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,

    /// The agent that reads it: what was chosen for it counts, and its last index
    #[arg(long = "agent", value_name = "WORD", value_parser = agent_word)]
    pub reader: Option<String>,

    /// Decide as at this time: RFC 3339 or seconds since 1970
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,

    /// Let this component or built-in policy decide in a slot
    #[arg(long = "policy", value_name = "SLOT=FILE|NAME")]
    pub policies: Vec<String>,

    /// Load components that skillkeep.toml names though nobody said yes to them, or that changed since: for their authors
    #[arg(long)]
    pub dev: bool,

    /// Set a parameter of the policy in a slot
    #[arg(long = "set", value_name = "SLOT.KEY=VALUE")]
    pub settings: Vec<String>,
}

impl DecisionArgs {
    /// What is wished for. A file that can't be read is found wanting, and done without.
    ///
    /// # Errors
    /// Where an option makes no sense.
    fn wishes(
        &self,
        system: &dyn System,
        findings: &mut Vec<CommandError>,
    ) -> Result<Wishes, CommandError> {
        let set = |text: &String| list(text).into_iter().collect::<BTreeSet<String>>();
        let compact = list(self.compact.as_deref().unwrap_or(""));
        let mut or_without = |error| findings.push(error);
        Ok(Wishes {
            now: self.now.as_deref().map(parse_now).transpose()?,
            session: self.session.clone(),
            reader: self.reader.clone(),
            toolsets: self.toolsets.as_ref().map(set),
            tools: self.tools.as_ref().map(set),
            platform: self.platform.clone(),
            unit: self.unit.as_deref().and_then(Unit::from_word),
            limit: self.limit,
            compact: compact.iter().map(|part| compact_part(part)).collect::<Result<_, _>>()?,
            usage: self
                .usage
                .as_deref()
                .map(|file| usage(system, file).map_err(&mut or_without).unwrap_or_default()),
            previous: self
                .previous
                .as_deref()
                .map(|file| previous(system, file).map_err(&mut or_without).unwrap_or_default()),
        })
    }
}

/// Whose index is made.
#[derive(Clone, Debug, Default, Args)]
pub struct AgentArgs {
    /// As this agent has it, by the agent's own rule: claude-code, codex, openclaw, hermes or progressive
    #[arg(long = "as", value_name = "AGENT", value_parser = AGENTS.each_ref().map(|agent| agent.word), hide_possible_values = true, conflicts_with_all = ["policies", "unit", "reader"])]
    pub agent: Option<String>,

    /// Tokens of the model's context window, for an agent whose limit is a share of it; 0 is an unknown one for codex [default: 200000 for claude-code, 272000 for codex]
    #[arg(long, value_name = "TOKENS", requires = "agent")]
    pub window: Option<u32>,
}

/// What the options and the config come to: the inputs of an index, and who decides it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What was asked for.
    pub wishes: Wishes,
    /// The inputs.
    pub inputs: Inputs,
    /// The unit of the limit.
    pub unit: Unit,
    /// Policies that are named, by slot: a file or a name.
    pub policies: BTreeMap<Slot, Vec<String>>,
    /// Slots whose policy was named for this one run.
    pub given: BTreeSet<Slot>,
    /// Whether components are loaded that nobody said yes to.
    pub dev: bool,
    /// Settings, by slot.
    pub settings: BTreeMap<Slot, Vec<Assignment>>,
    /// How much of the usual limits the policies of a slot may use.
    pub allowances: BTreeMap<Slot, Allowance>,
    /// What could not be used and is done without: a usage file that isn't there yet is no reason to print no block.
    pub findings: Vec<CommandError>,
    /// What was done as it was asked for, and may have been meant otherwise.
    pub warnings: Vec<CommandError>,
}

/// The largest usage file or earlier index that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

impl Plan {
    /// The plan that the options come to: an agent's, if one is named, or our own.
    ///
    /// # Errors
    /// As [`Plan::new`] and [`Plan::of_agent`].
    pub fn of(
        world: &World<'_>,
        args: &DecisionArgs,
        agent: &AgentArgs,
    ) -> Result<Plan, CommandError> {
        match agent.agent.as_deref().and_then(Agent::named) {
            Some(named) => Plan::of_agent(world, args, named, agent.window),
            None => Plan::new(world, args),
        }
    }

    /// Who decides in a slot, as they are named, or the slot's own.
    #[must_use]
    pub fn names(&self, slot: Slot) -> Vec<String> {
        let own = || Builtin::of_slot(slot).map(|builtin| builtin.name.to_owned());
        self.policies.get(&slot).cloned().unwrap_or_else(|| own().into_iter().collect())
    }

    /// How much of the usual limits the policies of a slot may use.
    #[must_use]
    pub fn allowance(&self, slot: Slot) -> Allowance {
        self.allowances.get(&slot).copied().unwrap_or_default()
    }

    /// The limit, where there is one: an agent's rule may have its own and know of no other.
    #[must_use]
    pub fn limit(&self) -> Option<u32> {
        (self.inputs.agent.is_none() || self.inputs.limit != u32::MAX).then_some(self.inputs.limit)
    }

    /// What the user wants of a skill of the library, where this index asks for it.
    #[must_use]
    pub fn choice(&self, row: usize) -> Choice {
        let kept = self.inputs.kept.get(row).and_then(Option::as_ref);
        kept.filter(|_| self.inputs.agent.is_none()).map_or(Choice::Auto, |kept| kept.choice)
    }

    /// Says what is done without.
    pub fn announce(&self, out: &mut Output<'_>) {
        for finding in self.warnings.iter().chain(&self.findings) {
            out.warn(&finding.message);
            for hint in &finding.hints {
                out.hint(hint);
            }
        }
    }

    /// The exit status of a command that printed its result: 1 where something was done without, or a policy failed.
    #[must_use]
    pub fn exit_code(&self, fell_back: bool) -> ExitCode {
        ExitCode::from(u8::from(fell_back || !self.findings.is_empty()))
    }

    /// Puts options over config over defaults.
    ///
    /// # Errors
    /// Where an option makes no sense or a file can't be read.
    pub fn new(world: &World<'_>, args: &DecisionArgs) -> Result<Plan, CommandError> {
        let system = world.system;
        let mut policies = configured(system, &world.config);
        let mut settings = config_settings(&world.config);
        let mut given = BTreeSet::new();
        for text in &args.policies {
            let (slot, name) = slot_and(text, '=', "--policy budget=FILE.wasm")?;
            asked(slot)?;
            // The first that is named takes the place of the settings' own, and the others come beside it.
            let names = policies.entry(slot).or_default();
            if given.insert(slot) || slot == Slot::Budget {
                names.clear();
            }
            names.push(name.to_owned());
        }
        for text in &args.settings {
            let (slot, assignment) = slot_and(text, '.', "--set budget.decay-days=14")?;
            asked(slot)?;
            let assignment = assignment_of(assignment, "--set", &in_charge(slot, &policies))?;
            settings.entry(slot).or_default().push(assignment);
        }
        let warnings = platform(args.platform.as_deref())?.into_iter().collect();
        let mut findings = Vec::new();
        let wishes = args.wishes(system, &mut findings)?;
        let (inputs, unit) = world.inputs(&wishes);
        Ok(Plan {
            wishes,
            inputs,
            unit,
            policies,
            given,
            dev: args.dev,
            settings,
            allowances: config_allowances(&world.config),
            findings,
            warnings,
        })
    }

    /// The plan of an agent's own index: its rule and its limits, whatever the config says of ours.
    ///
    /// # Errors
    /// As [`Plan::new`], and where the agent's rule knows nothing of a window.
    pub fn of_agent(
        world: &World<'_>,
        args: &DecisionArgs,
        agent: &'static Agent,
        window: Option<u32>,
    ) -> Result<Plan, CommandError> {
        let its = |slot: Slot| match (slot, agent.demotion) {
            (Slot::Demotion, Some((name, _))) => name,
            _ => agent.budget,
        };
        let mut typed = Vec::new();
        for text in &args.settings {
            let (slot, assignment) = slot_and(text, '.', "--set budget.window=100000")?;
            typed.push((slot, assignment_of(assignment, "--set", its(slot))?));
        }
        let mut plan = Plan::new(world, args)?;
        let given = |slot: Slot, key: &str, value: &str, from: &str| {
            assignment_of(&format!("{key}={value}"), from, its(slot))
                .map(|assignment| (slot, assignment))
        };
        let mut settings: BTreeMap<Slot, Vec<Assignment>> = BTreeMap::new();
        let mut own = Vec::new();
        for (key, value) in agent.demotion.map_or(&[][..], |(_, settings)| settings) {
            own.push(given(Slot::Demotion, key, value, "--as")?);
        }
        if let Some(window) = window {
            if !agent.has_window {
                let message = format!("the limits of {} depend on no window", agent.title);
                let hint = "`--limit` sets one, in the unit of the agent's rule";
                return Err(CommandError::new(Kind::Usage, message).hint(hint));
            }
            own.push(given(Slot::Budget, "window", &window.to_string(), "--window")?);
        }
        for (slot, assignment) in own.into_iter().chain(typed) {
            settings.entry(slot).or_default().push(assignment);
        }
        // Categories that Hermes shows by name are its own; another agent knows of those that the user names here.
        if !agent.gates.contains(&"disabled") {
            plan.inputs.compact.clear();
            for part in list(args.compact.as_deref().unwrap_or("")) {
                let (category, detail) = compact_part(&part)?;
                plan.inputs.compact.insert(category, detail);
            }
        }
        let named = agent.demotion.map(|(name, _)| (Slot::Demotion, name));
        plan.policies = named
            .into_iter()
            .chain([(Slot::Budget, agent.budget)])
            .map(|(slot, name)| (slot, vec![name.to_owned()]))
            .collect();
        plan.settings = settings;
        plan.unit = agent.unit;
        plan.inputs.limit = args.limit.or(agent.limit).unwrap_or(u32::MAX);
        plan.inputs.layout = Style(agent.layout);
        plan.inputs.agent = Some(agent);
        Ok(plan)
    }
}

/// The policies of an index that the settings name, by slot: a file's path or a name. Several may.
#[must_use]
pub fn configured(system: &dyn System, config: &Config) -> BTreeMap<Slot, Vec<String>> {
    let used = |slot: Slot| config.slots.get(slot.word())?.use_.as_ref();
    let named = |slot: Slot| {
        let names = used(slot)?.iter().map(|name| from_home(system, &config.home, name));
        Some((slot, names.collect::<Vec<_>>())).filter(|(_, names)| !names.is_empty())
    };
    Slot::ALL.into_iter().filter_map(named).collect()
}

/// An agent's word: short, of lower-case letters, digits and hyphens.
pub fn agent_word(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=40).contains(&text.len()) && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("expected up to 40 lower-case letters, digits and hyphens, such as claude-code"
            .to_owned())
    }
}

/// Whether an index asks a slot. An option for another one would change nothing, and that is said.
fn asked(slot: Slot) -> Result<(), CommandError> {
    if matches!(slot, Slot::Demotion | Slot::Budget) {
        return Ok(());
    }
    Err(CommandError::new(Kind::Usage, format!("nobody asks the slot `{slot}` yet"))
        .hint("an index asks `demotion` and `budget`"))
}

/// Names between commas, trimmed, without empty ones.
pub fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// What decides in a slot, as it is named: a policy that was given, or the slot's own.
#[must_use]
pub fn in_charge(slot: Slot, policies: &BTreeMap<Slot, Vec<String>>) -> String {
    let own = || Builtin::of_slot(slot).map_or("NAME", |builtin| builtin.name).to_owned();
    policies.get(&slot).and_then(|names| names.first().cloned()).unwrap_or_else(own)
}

/// `KEY=VALUE` of a setting of that policy, without its slot.
pub fn assignment_of(text: &str, from: &str, policy: &str) -> Result<Assignment, CommandError> {
    let (key, value) =
        text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
            CommandError::new(Kind::Usage, format!("found `{text}`, expected KEY=VALUE"))
                .hint(parameters_hint(policy))
        })?;
    Ok(Assignment {
        key: key.trim().to_owned(),
        value: Value::Text(value.trim().to_owned()),
        untyped: true,
        from: from.to_owned(),
    })
}

/// A category, with `=count` or `=names` behind it or nothing.
pub fn compact_part(part: &str) -> Result<(String, Detail), CommandError> {
    match part.split_once('=') {
        None => Ok((part.to_owned(), Detail::Names)),
        Some((category, word)) => match Detail::from_word(word) {
            Some(detail) => Ok((category.to_owned(), detail)),
            None => Err(CommandError::new(
                Kind::Usage,
                format!(
                    "found `{part}`, expected CATEGORY, CATEGORY=names, CATEGORY=count or CATEGORY=full"
                ),
            )),
        },
    }
}

/// A slot, and what stands behind the sign.
///
/// # Errors
/// Where no slot is named, or nothing for it.
pub fn slot_and<'a>(
    text: &'a str,
    sign: char,
    example: &str,
) -> Result<(Slot, &'a str), CommandError> {
    text.split_once(sign)
        .and_then(|(slot, rest)| {
            Some((Slot::from_word(slot.trim())?, rest)).filter(|(_, rest)| !rest.is_empty())
        })
        .ok_or_else(|| {
            let slots = Slot::ALL.map(Slot::word).join(", ");
            CommandError::new(
                Kind::Usage,
                format!("found `{text}`, expected a slot ({slots}), `{sign}` and what to use"),
            )
            .hint(format!("for example `{example}`"))
        })
}

/// What to say of a platform that somebody named. One that no skill names may be meant; a blank is a slip.
fn platform(named: Option<&str>) -> Result<Option<CommandError>, CommandError> {
    let Some(named) = named else { return Ok(None) };
    let all = || format!("platforms are {}", Gates::platforms().join(", "));
    if named.trim().is_empty() {
        let message = "`--platform` is empty, and a platform was expected";
        return Err(CommandError::new(Kind::Usage, message).hint(all()));
    }
    Ok((!Gates::knows_platform(named)).then(|| {
        let message = format!(
            "no platform is known as `{}`: skills that are for some only are not for it",
            OneLine::capped(named, 40)
        );
        let near = nearest(named, Gates::platforms().iter().copied());
        let hint = near.map_or_else(all, |near| format!("did you mean `{near}`?"));
        CommandError::new(Kind::Usage, message).hint(hint)
    }))
}

fn usage(system: &dyn System, file: &Path) -> Result<Usage, CommandError> {
    Ok(read_usage(&read(system, file, "usage file")?, &file.display().to_string())?)
}

fn previous(system: &dyn System, file: &Path) -> Result<BTreeMap<String, Form>, CommandError> {
    let previous = read_previous(&read(system, file, "previous index")?)?;
    Ok(previous
        .forms
        .into_iter()
        .filter_map(|(name, form)| Some((name, Form::from_number(form)?)))
        .collect())
}

/// The bytes of a file that the user named.
///
/// # Errors
/// Where it can't be read, with what it was to be.
pub fn read(system: &dyn System, file: &Path, what: &str) -> Result<Vec<u8>, CommandError> {
    system.read(file, MOST_BYTES).map_err(|error| {
        CommandError::new(
            Kind::Usage,
            format!("can't read the {what} `{}`: {error}", file.display()),
        )
    })
}

impl From<UsageError> for CommandError {
    fn from(error: UsageError) -> CommandError {
        CommandError::new(Kind::Usage, error.to_string()).hint(error.hint())
    }
}

impl From<PreviousError> for CommandError {
    fn from(error: PreviousError) -> CommandError {
        CommandError::new(Kind::Usage, error.to_string())
            .hint("`--previous` takes what `skillkeep index --format json` printed")
    }
}

impl From<TooSmall> for CommandError {
    fn from(error: TooSmall) -> CommandError {
        CommandError::new(Kind::Usage, error.to_string())
            .hint(format!("`--limit {}` is the least that prints anything", error.least))
    }
}
