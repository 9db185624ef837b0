//! What the file says of the curator: when a pass may run, and what it may touch.

use super::{
    ConfigError,
    table::{Placed, Reader},
};
use crate::decision::Form;
use toml::de::DeValue;

const CURATOR: [&str; 11] = [
    "enabled",
    "interval-hours",
    "min-idle-hours",
    "retire-bundled",
    "protected",
    "jobs",
    "blast-radius",
    "stale",
    "snapshots",
    "reports",
    "automatic",
];

/// How often a pass runs, where nothing else is said: Hermes's week.
const INTERVAL_HOURS: u32 = 168;
/// How long nothing may have been done before one runs: Hermes's two hours.
const MIN_IDLE_HOURS: u32 = 2;
/// How many skills one automatic pass retires at most.
const BLAST_RADIUS: u32 = 50;
/// How many snapshots are kept: Hermes's five.
const SNAPSHOTS: u32 = 5;
/// How many reports are kept: a year's at the usual interval.
const REPORTS: u32 = 52;

/// What the file says of passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CuratorConfig {
    /// Whether there are any.
    pub enabled: bool,
    /// Whether they begin by themselves, once a person saw a plan that retires and said yes.
    pub automatic: bool,
    /// Hours from one to the next, from 1.
    pub interval_hours: u32,
    /// Hours for which nothing was done with skills before one begins by itself; 0 for no matter.
    pub min_idle_hours: u32,
    /// Whether skills may be retired that came with an agent.
    pub retire_bundled: bool,
    /// Names of skills that are never retired: law `built-in`.
    pub protected: Vec<String>,
    /// Names of skills that jobs of other programs load, in any spelling: law `referenced`.
    pub jobs: Vec<String>,
    /// How many skills an automatic pass retires at most, from 1.
    pub blast_radius: u32,
    /// What a stale skill has in the index.
    pub stale: StaleForm,
    /// How many snapshots are kept, from 1.
    pub snapshots: u32,
    /// How many reports are kept, from 1.
    pub reports: u32,
}

/// What a stale skill has in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StaleForm {
    /// Whatever the budget leaves it, after those that are active.
    #[default]
    Lower,
    /// Its name at most.
    Name,
    /// No more than a place in a count.
    Count,
}

impl StaleForm {
    /// The most telling form that it allows.
    #[must_use]
    pub fn cap(self) -> Form {
        match self {
            StaleForm::Lower => Form::Full,
            StaleForm::Name => Form::Name,
            StaleForm::Count => Form::Counted,
        }
    }
}

impl Default for CuratorConfig {
    fn default() -> CuratorConfig {
        CuratorConfig {
            enabled: true,
            automatic: true,
            interval_hours: INTERVAL_HOURS,
            min_idle_hours: MIN_IDLE_HOURS,
            retire_bundled: false,
            protected: Vec::new(),
            jobs: Vec::new(),
            blast_radius: BLAST_RADIUS,
            stale: StaleForm::Lower,
            snapshots: SNAPSHOTS,
            reports: REPORTS,
        }
    }
}

pub(super) fn curator(
    reader: &mut Reader<'_>,
    value: &Placed<'_>,
) -> Result<CuratorConfig, ConfigError> {
    let mut curator = CuratorConfig::default();
    for (key, value) in reader.table("curator", value, "a table")? {
        let at = |key: &str| format!("curator.{key}");
        match key.get_ref().as_ref() {
            word @ "enabled" => curator.enabled = truth(reader, &at(word), value)?,
            word @ "automatic" => curator.automatic = truth(reader, &at(word), value)?,
            word @ "retire-bundled" => curator.retire_bundled = truth(reader, &at(word), value)?,
            word @ "interval-hours" => curator.interval_hours = reader.count(&at(word), value)?,
            word @ "min-idle-hours" => {
                curator.min_idle_hours =
                    if value.get_ref().as_integer().is_some_and(|it| it.as_str() == "0") {
                        0
                    } else {
                        reader.count(&at(word), value)?
                    }
            }
            word @ "blast-radius" => curator.blast_radius = reader.count(&at(word), value)?,
            word @ "snapshots" => curator.snapshots = reader.count(&at(word), value)?,
            word @ "reports" => curator.reports = reader.count(&at(word), value)?,
            word @ "protected" => curator.protected = reader.texts(&at(word), value)?,
            word @ "jobs" => curator.jobs = reader.texts(&at(word), value)?,
            word @ "stale" => {
                curator.stale = match value.get_ref().as_str() {
                    Some("lower") => StaleForm::Lower,
                    Some("name") => StaleForm::Name,
                    Some("count") => StaleForm::Count,
                    _ => return Err(reader.wrong(&at(word), value, "`lower`, `name` or `count`")),
                }
            }
            _ => reader.unknown("curator", key, &CURATOR),
        }
    }
    Ok(curator)
}

fn truth(reader: &Reader<'_>, key: &str, value: &Placed<'_>) -> Result<bool, ConfigError> {
    match value.get_ref() {
        DeValue::Boolean(is) => Ok(*is),
        _ => Err(reader.wrong(key, value, "`true` or `false`")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::path::{Path, PathBuf};

    use super::{CuratorConfig, StaleForm};
    use crate::config::file::read;

    #[test]
    fn what_is_not_said_is_as_by_default_and_what_is_wrong_is_told_with_its_line() {
        let of = |text: &str| read(Path::new("k"), text, |path| PathBuf::from(path));
        assert_eq!(of("").unwrap().curator, CuratorConfig::default());
        let given = of(
            "[curator]\nenabled = false\nmin-idle-hours = 0\nstale = 'count'\njobs = 'nightly'\n",
        );
        let expected = CuratorConfig {
            enabled: false,
            min_idle_hours: 0,
            stale: StaleForm::Count,
            jobs: vec!["nightly".to_owned()],
            ..CuratorConfig::default()
        };
        assert_eq!(given.unwrap().curator, expected);
        for (text, expected) in [
            (
                "enabled = 'yes'",
                "line 2: `curator.enabled` is the text `yes`, and `true` or `false` was expected",
            ),
            ("interval-hours = 0", "line 2: `curator.interval-hours` is `0`"),
            ("min-idle-hours = -1", "line 2: `curator.min-idle-hours` is `-1`"),
            ("blast-radius = 0", "line 2: `curator.blast-radius` is `0`"),
            ("snapshots = 0", "line 2: `curator.snapshots` is `0`"),
            ("stale = 'hide'", "`lower`, `name` or `count` was expected"),
            ("protected = [1]", "a list of texts"),
        ] {
            let found = of(&format!("[curator]\n{text}\n")).unwrap_err().to_string();
            assert!(found.contains(expected), "{text} gave {found}");
        }
        let warned = of("[curator]\nintervall-hours = 1\n").unwrap().warnings;
        assert_eq!(warned.first().unwrap().near, Some("interval-hours"));
    }
}
