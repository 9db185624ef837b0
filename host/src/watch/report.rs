//! What a running host tells of its policies: who decides, what is otherwise on the disk, and what went wrong.

use serde::Serialize;

use crate::{
    decision::Slot,
    roster::{Mark, Problem, Standing, Trial},
    skill::{Instant, OneLine},
};

/// The name and version of this record.
pub const SCHEMA: &str = "skillkeep.serving/1";
/// Lines of a trial that are told.
const TRIAL_LINES: usize = 5;

/// Everything, as one record.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The process.
    pub pid: u32,
    /// Since when it runs.
    pub started: Instant,
    /// The current generation's number.
    pub generation: u64,
    /// Since when that decides.
    pub since: Instant,
    /// How it came about: `begun`, `swapped` or `restored`.
    pub cause: &'static str,
    /// How changes are noticed.
    pub watching: Watched,
    /// What is wrong with the settings or the lock, where what was read last before holds.
    pub trouble: Option<Trouble>,
    /// Each slot.
    pub slots: Vec<SlotReport>,
    /// What was decided otherwise in the last trial, in a few lines.
    pub trial: Option<TrialReport>,
    /// What failed on probation here and may not become active.
    pub quarantine: Vec<Mark>,
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Watched {
    /// `watching` where the system tells of changes, `looking` where they are found by looking alone, `by hand` where nobody
    /// looks without being asked to.
    pub how: &'static str,
    /// Milliseconds between two looks that nobody asked for.
    pub every_ms: Option<u64>,
    /// Folders that are watched.
    pub folders: usize,
    /// Why not all is watched.
    pub warning: Option<String>,
    /// What to do about that.
    pub hint: Option<String>,
}

impl Default for Watched {
    fn default() -> Watched {
        Watched { how: "by hand", every_ms: None, folders: 0, warning: None, hint: None }
    }
}

/// Something that is wrong, since when, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Trouble {
    /// Since when.
    pub at: Instant,
    /// What.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// One slot.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SlotReport {
    /// The slot.
    pub slot: Slot,
    /// The generation in which its policies came.
    pub generation: u64,
    /// Since when they decide.
    pub since: Instant,
    /// Who decides; nobody where the slot falls back.
    pub active: Vec<Standing>,
    /// What the settings name, and what there is to it.
    pub named: Vec<NamedReport>,
    /// Since when other policies for it are loaded and tried.
    pub under_way: Option<Instant>,
    /// The last candidate that failed.
    pub last_error: Option<Problem>,
}

/// A policy that the settings name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NamedReport {
    /// As they name it.
    pub name: String,
    /// What there is to it.
    pub state: NamedState,
    /// SHA-256 of what is on the disk, where it was read.
    pub digest: Option<String>,
    /// What is wrong.
    pub message: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// What there is to a policy that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedState {
    /// It decides.
    Used,
    /// It decides though nobody said yes to it.
    UsedWithoutAYes,
    /// Its file is not there; what decided before still does.
    Missing,
    /// Its file is another one than was said yes to; what decided before still does.
    DiffersOnDisk,
    /// It may not be loaded, for another reason.
    Withheld,
    /// It can't be read, did not load, or failed when it was tried.
    Failed,
    /// It is not yet tried, or waits for another policy of its slot.
    Waiting,
}

impl NamedState {
    /// The word for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            NamedState::Used => "used",
            NamedState::UsedWithoutAYes => "used without a yes",
            NamedState::Missing => "missing",
            NamedState::DiffersOnDisk => "differs on disk",
            NamedState::Withheld => "withheld",
            NamedState::Failed => "failed",
            NamedState::Waiting => "waiting",
        }
    }
}

/// A trial in a few lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrialReport {
    /// When it was.
    pub at: Instant,
    /// Decisions that were compared.
    pub asked: usize,
    /// How many differ.
    pub changed: usize,
    /// The first of them.
    pub lines: Vec<OneLine>,
}

impl TrialReport {
    pub(super) fn of(trial: &Trial) -> TrialReport {
        let said = |choice: &Option<String>| choice.clone().unwrap_or_else(|| "nothing".to_owned());
        let flips = trial.flips.iter().map(|flip| {
            let (from, to) = (said(&flip.from), said(&flip.to));
            OneLine::capped(&format!("{}: {}: {from} → {to}", flip.slot, flip.about), 200)
        });
        let fallbacks = trial
            .fallbacks
            .iter()
            .map(|(slot, why)| OneLine::capped(&format!("{slot} falls back: {why}"), 200));
        TrialReport {
            at: trial.at,
            asked: trial.asked,
            changed: trial.changed,
            lines: fallbacks.chain(flips).take(TRIAL_LINES).collect(),
        }
    }
}
