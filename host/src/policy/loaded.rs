//! A policy that passed every step of loading, and how it is asked.

use std::{path::PathBuf, time::Duration};

use skillkeep_policy::testkit::cases::{Question, Reply};

use super::{
    artefact::{Artefact, Passport},
    builtin::Builtin,
    compile::{compile, failed},
    contract::{self, Finished, Interface, Prepared, Used},
    engine::Engine,
    error::{Fault, LoadError, Outcome},
    info::Info,
    inspect::{self, Code, Inspection},
    limits::{Limits, MAX_ROWS},
    settings::{self, Assignment, SettingProblem},
    threads::on_policy_thread,
};
use crate::{
    decision::{
        Allowance, Answer, BudgetRequest, Budgeted, Curated, CuratorRequest, DemotionRequest,
        Detail, FACTS, ProvenanceRequest, Reasoned, Refusal, Settings, Slot, WriteAnswer,
    },
    skill::OneLine,
};

/// Where a component comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Part of the program, by its name.
    Builtin(&'static str),
    /// A file.
    File(PathBuf),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Builtin(name) => write!(f, "builtin:{name}"),
            Source::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Source {
    /// What a command takes to name it.
    #[must_use]
    pub fn named(&self) -> String {
        match self {
            Source::Builtin(name) => (*name).to_owned(),
            Source::File(path) => path.display().to_string(),
        }
    }
}

/// A policy that can be asked.
#[derive(Clone)]
pub struct Loaded {
    /// Where it comes from.
    pub source: Source,
    /// What its bytes say.
    pub inspection: Inspection,
    /// What it says of itself.
    pub info: Info,
    /// Its settings, each declared parameter with a value.
    pub settings: Settings,
    /// Settings that were given and change nothing.
    pub warnings: Vec<SettingProblem>,
    /// How much of the usual limits it may use.
    pub allowance: Allowance,
    prepared: Prepared,
}

/// One question and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<T> {
    /// How it came out.
    pub outcome: Outcome<T>,
    /// Fuel that it took.
    pub fuel: u64,
    /// Fuel that it might have taken.
    pub fuel_limit: u64,
    /// Rows that it was asked about.
    pub rows: usize,
    /// Time that it took, instance and copying included.
    pub elapsed: Duration,
}

/// A question of the test kit and what became of it.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What it gave back, or what it did that no policy may.
    pub reply: Result<Reply, Fault>,
    /// What that took.
    pub used: Used,
    /// What it might have taken.
    pub limits: Limits,
    /// Time that it took, instance and copying included.
    pub elapsed: Duration,
}

impl Loaded {
    /// Takes a component through all steps of loading. `wanted` is the slot that it was given for; `given` are the
    /// settings from config and command line.
    ///
    /// # Errors
    /// The first step that fails, with what was found and what was expected.
    pub fn load(
        engine: &Engine,
        source: Source,
        bytes: &[u8],
        wanted: Option<Slot>,
        given: &[Assignment],
    ) -> Result<Loaded, LoadError> {
        Loaded::load_within(engine, source, bytes, wanted, given, Allowance::default())
    }

    /// The same with other limits than the usual ones. Wider ones hold while it is loaded, too; narrower ones only when it
    /// decides, since what it says of itself is asked once and by figures that every component can keep.
    ///
    /// # Errors
    /// As [`Loaded::load`].
    pub fn load_within(
        engine: &Engine,
        source: Source,
        bytes: &[u8],
        wanted: Option<Slot>,
        given: &[Assignment],
        allowance: Allowance,
    ) -> Result<Loaded, LoadError> {
        let limits = Limits::of_description().within(allowance.at_least_usual());
        let trusted = matches!(source, Source::Builtin(_));
        let digest = match Builtin::of_bytes(bytes) {
            Some(builtin) => builtin.digest.to_owned(),
            None => inspect::digest(bytes),
        };
        let artefact = Artefact::of(engine, bytes, &digest);
        let kept = artefact.as_ref().and_then(Artefact::whole);
        let whole = kept.is_some();
        // What was proved within wider limits is not proved within these.
        let passport = kept.flatten().filter(|passport| passport.limits == limits);
        let code = if trusted { Code::Trusted } else { Code::Checked };
        let inspection = match &passport {
            Some(passport) => passport.inspection.clone(),
            None => inspect::read(bytes, digest, code)?,
        };
        inspection.admit()?;
        if let Some(wanted) = wanted.filter(|wanted| !inspection.slots.contains(wanted)) {
            return Err(LoadError::OtherSlot { wanted, found: inspection.slots });
        }
        let (component, artefact) = compile(engine, bytes, artefact, whole, trusted)?;
        let prepared = contract::prepare(engine, &component).map_err(|error| failed(&error))?;
        let named = source.named();
        let (info, known) = match passport {
            Some(Passport { info, takes, .. }) => (info, Some(takes)),
            None => (on_thread(|| introduce(engine, &prepared, &inspection.slots, limits))?, None),
        };
        let wrong = |problems| LoadError::Settings { policy: named.clone(), problems };
        let (settings, warnings) = settings::resolve(&info, given).map_err(wrong)?;
        if known.as_ref() != Some(&settings) {
            let refused = on_thread(|| refused(engine, &prepared, &settings, given, limits))?;
            if !refused.is_empty() {
                return Err(wrong(refused));
            }
        }
        if let (None, Some(artefact)) = (known, artefact) {
            artefact.remember(Some(Passport {
                inspection: inspection.clone(),
                info: info.clone(),
                takes: settings.clone(),
                limits,
            }));
        }
        Ok(Loaded { source, inspection, info, settings, warnings, allowance, prepared })
    }

    /// The name that the policy gives itself, and its version.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} {}", self.info.name, self.info.version)
    }

    /// Asks how much of each category may be shown.
    #[must_use]
    pub fn demotion(&self, engine: &Engine, request: DemotionRequest) -> Call<Answer<Detail>> {
        let rows = request.skills.len as usize + request.categories.len as usize;
        self.ask(Slot::Demotion, rows, |limits| {
            contract::demotion(engine, &self.prepared, request, &self.settings, limits)
        })
    }

    /// Asks which form each line takes.
    #[must_use]
    pub fn budget(&self, engine: &Engine, request: BudgetRequest) -> Call<Budgeted> {
        let rows = request.skills.len as usize + request.categories.len as usize;
        self.ask(Slot::Budget, rows, |limits| {
            contract::budget(engine, &self.prepared, request, &self.settings, limits)
        })
    }

    /// Asks what becomes of skills.
    #[must_use]
    pub fn curator(&self, engine: &Engine, request: CuratorRequest) -> Call<Curated> {
        let rows = request.skills.len as usize;
        self.ask(Slot::Curator, rows, |limits| {
            contract::curator(engine, &self.prepared, request, &self.settings, limits)
        })
    }

    /// Asks whether a write may be done, and whose the result is. The text to be written counts as a row a KiB.
    #[must_use]
    pub fn provenance(&self, engine: &Engine, request: ProvenanceRequest) -> Call<WriteAnswer> {
        let rows = Limits::rows_of_content(request.content.len());
        self.ask(Slot::Provenance, rows, |limits| {
            contract::provenance(engine, &self.prepared, request, &self.settings, limits)
        })
    }

    /// Asks a question of the test kit, as a trial of the policy by itself does. The limits are those of a decision.
    #[must_use]
    pub fn answer(&self, engine: &Engine, slot: Slot, rows: usize, question: Question) -> Tried {
        let limits = Limits::of_decision(slot, rows).within(self.allowance);
        let started = std::time::Instant::now();
        let (reply, used) =
            on_policy_thread(|| contract::ask(engine, &self.prepared, question, limits))
                .unwrap_or_else(|error| (Err(host_fault(&error)), Used::default()));
        Tried { reply, used, limits, elapsed: started.elapsed() }
    }

    /// What the policy's `check-settings` says of these settings: the keys that it refuses.
    ///
    /// # Errors
    /// What it does that no policy may.
    pub fn refused_settings(
        &self,
        engine: &Engine,
        settings: &Settings,
    ) -> Result<Vec<OneLine>, Fault> {
        let limits = Limits::of_description().within(self.allowance.at_least_usual());
        let check = || contract::check_settings(engine, &self.prepared, settings, limits).0;
        let problems = on_policy_thread(check).map_err(|error| host_fault(&error))??;
        Ok(problems.into_iter().map(|(key, _)| key).collect())
    }

    fn ask<T: Send>(
        &self,
        slot: Slot,
        rows: usize,
        question: impl FnOnce(Limits) -> Finished<Result<T, Refusal>> + Send,
    ) -> Call<T> {
        let limits = Limits::of_decision(slot, rows).within(self.allowance);
        let started = std::time::Instant::now();
        let (result, fuel) = if rows > MAX_ROWS {
            let message = format!("{rows} rows, and a policy is asked about {MAX_ROWS} at most");
            (Err(Fault::Host(OneLine::new(&message))), 0)
        } else {
            on_policy_thread(|| question(limits))
                .unwrap_or_else(|error| (Err(host_fault(&error)), 0))
        };
        let outcome = match result {
            Ok(Ok(answer)) => Outcome::Answer(answer),
            Ok(Err(refusal)) => Outcome::Refused(self.refusal(refusal)),
            Err(fault) => Outcome::Faulted(fault),
        };
        Call { outcome, fuel, fuel_limit: limits.fuel, rows, elapsed: started.elapsed() }
    }

    fn refusal(&self, refusal: Refusal) -> Reasoned {
        match refusal {
            Refusal::BadSetting { key, value } => Reasoned {
                code: OneLine::new("bad-setting"),
                text: OneLine::capped(&format!("it can't work with `{key}` = `{value}`"), 400),
            },
            Refusal::MissingFact(key) => Reasoned {
                code: OneLine::new("missing-fact"),
                text: OneLine::capped(
                    &format!("it can't decide without `{key}`, which is not known here"),
                    400,
                ),
            },
            Refusal::Other(reason) => {
                let text = match self.info.reasons.get(&reason.code) {
                    Some(template) => reason.fill(template),
                    None => OneLine::capped(
                        &format!("for a reason that it does not declare, `{}`", reason.code),
                        200,
                    ),
                };
                Reasoned { code: reason.code, text }
            }
        }
    }
}

/// A step that runs the component.
fn on_thread<T: Send>(step: impl FnOnce() -> Result<T, LoadError> + Send) -> Result<T, LoadError> {
    on_policy_thread(step).map_err(|error| LoadError::Machine { reason: error.to_string() })?
}

/// Whether it can be instantiated and has the contract's types, and what it says of itself.
fn introduce(
    engine: &Engine,
    prepared: &Prepared,
    slots: &[Slot],
    limits: Limits,
) -> Result<Info, LoadError> {
    contract::instantiate(engine, prepared, limits)
        .0
        .map_err(|fault| by_whom(fault, LoadError::Instantiate))?;
    let interfaces = slots.iter().map(|slot| match slot {
        Slot::Demotion => (Interface::Demotion, "demotion"),
        Slot::Budget => (Interface::Budget, "budget"),
        Slot::Curator => (Interface::Curator, "curator"),
        Slot::Provenance => (Interface::Provenance, "provenance"),
    });
    for (interface, name) in std::iter::once((Interface::Policy, "policy")).chain(interfaces) {
        contract::check_types(engine, prepared, interface, limits).0.map_err(
            |fault| match fault {
                Fault::Invalid(reason) => {
                    LoadError::OtherTypes { interface: name.to_owned(), reason }
                }
                other => by_whom(other, LoadError::Instantiate),
            },
        )?;
    }
    let info = contract::describe(engine, prepared, limits)
        .0
        .map_err(|fault| by_whom(fault, LoadError::Describe))?;
    settings::check_info(&info).map_err(|reason| LoadError::BadInfo { reason })?;
    let unknown: Vec<String> = info
        .needs
        .iter()
        .filter(|key| {
            !FACTS
                .iter()
                .any(|f| f.key == key.as_str() && slots.iter().any(|s| f.slots.contains(s)))
        })
        .filter(|_| slots.iter().any(|slot| FACTS.iter().any(|f| f.slots.contains(slot))))
        .map(|key| key.as_str().to_owned())
        .collect();
    if !unknown.is_empty() {
        return Err(LoadError::NeedsUnknown { keys: unknown });
    }
    Ok(info)
}

/// What the policy itself has against these settings.
fn refused(
    engine: &Engine,
    prepared: &Prepared,
    settings: &Settings,
    given: &[Assignment],
    limits: Limits,
) -> Result<Vec<SettingProblem>, LoadError> {
    let refused = contract::check_settings(engine, prepared, settings, limits)
        .0
        .map_err(|fault| by_whom(fault, LoadError::CheckSettings))?;
    let problems = refused.into_iter().map(|(key, message)| {
        let key = key.as_str().to_owned();
        let given = given.iter().rfind(|it| it.key == key);
        let given = given.map(|it| (it.from.clone(), it.value.to_string()));
        SettingProblem::Refused { key, given, message }
    });
    Ok(problems.collect())
}

/// The machine's fault is not laid at the policy's door.
fn by_whom(fault: Fault, of_policy: fn(Fault) -> LoadError) -> LoadError {
    match fault {
        Fault::Host(reason) => LoadError::Machine { reason: reason.to_string() },
        fault => of_policy(fault),
    }
}

fn host_fault(error: &std::io::Error) -> Fault {
    Fault::Host(OneLine::new(&error.to_string()))
}
