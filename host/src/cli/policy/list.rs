//! `skillkeep policy list`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{
    change::{short, shown_name},
    servers::told_by,
};
use crate::{
    cli::{
        Global,
        output::{Output, columns},
    },
    config::from_home,
    decision::{Allowance, Slot},
    lock::{Lock, Pin},
    policy::{BUILTINS, Engine, LoadError, Loaded, Withheld},
    skill::OneLine,
    watch::running,
    world::{
        World,
        error::CommandError,
        gate::Gate,
        policies::{allowance, config_settings, engine, in_use},
    },
};

/// Arguments of `policy list`.
#[derive(Debug, Args)]
#[command(after_help = "\
What is used is held against what a person said yes to: a file that changed since is not loaded, and what holds instead is said. \
A running server that uses something else is told below. \
Exit status 1 where a policy that is used does not load.")]
pub struct ListArgs {}

/// A policy of a slot: one that is used, or one that could be.
pub(super) struct Row {
    pub(super) slot: Slot,
    /// As the settings name it.
    name: String,
    pub(super) used: bool,
    pub(super) loaded: Result<Loaded, LoadError>,
    /// How much of the usual limits it may use.
    pub(super) within: Allowance,
    /// Why it should not be loaded, where it is for development.
    despite: Option<Withheld>,
    pin: Option<Pin>,
    /// When it came to be used, where that is known.
    since: Option<String>,
}

/// Lists who decides where, and who could.
pub fn list(
    world: &World<'_>,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    for warning in &world.config.warnings {
        out.warn(&warning.to_string());
    }
    let gate = Gate::open(world, false);
    let nothing = Lock::default();
    let lock = gate.lock().unwrap_or(&nothing);
    if let Err(why) = gate.lock() {
        out.warn(&why.to_string());
        out.hint(&why.hint());
    }
    let engine = engine(world)?;
    let mut rows = Vec::new();
    for slot in Slot::ALL {
        let used = in_use(&world.config, slot);
        let plain = |name: &String| name.strip_prefix("builtin:").unwrap_or(name).to_owned();
        for name in &used {
            rows.push(row(world, (&engine, &gate, lock), slot, name, true));
        }
        for builtin in BUILTINS.iter().filter(|builtin| builtin.slot == slot) {
            if !used.iter().any(|name| plain(name) == builtin.name) {
                rows.push(row(world, (&engine, &gate, lock), slot, builtin.name, false));
            }
        }
    }
    let servers = match (world.system.disk(), &world.home.path) {
        (Some(disk), Some(home)) => running(disk, home),
        _ => Vec::new(),
    };
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.policies/1",
            "policies": rows.iter().map(Row::json).collect::<Vec<_>>(),
            "set": lock.current().map(|set| json!({
                "number": set.number, "after": set.after, "at": set.at, "by": set.by, "did": set.did,
            })),
            "sets": lock.sets.iter().map(|set| json!({
                "number": set.number, "after": set.after, "at": set.at, "by": set.by, "did": set.did,
            })).collect::<Vec<_>>(),
            "unfinished": lock.unfinished,
            "quarantined": lock.quarantined,
            "servers": servers,
        }))?;
    } else {
        out.text(&text(&rows, lock))?;
        out.text(&told_by(&servers, &rows))?;
    }
    if let Some(unfinished) = &lock.unfinished {
        out.warn(&format!("a change of policies of {} was cut off", unfinished.at));
        out.hint(&format!("{}; or take it back: skillkeep policy rollback", unfinished.command));
    }
    for row in rows.iter().filter(|row| row.used) {
        if let Some(why) = &row.despite {
            crate::world::judges::tell_despite(row.slot, why, out);
        }
        if let Err(error) = &row.loaded
            && let Some(hint) = error.hint_in(row.slot)
        {
            out.hint(&hint);
        }
    }
    let failed = rows.iter().any(|row| row.used && row.loaded.is_err());
    Ok(ExitCode::from(u8::from(failed || lock.unfinished.is_some() || gate.lock().is_err())))
}

fn row(
    world: &World<'_>,
    (engine, gate, lock): (&Engine, &Gate<'_>, &Lock),
    slot: Slot,
    name: &str,
    used: bool,
) -> Row {
    let given = config_settings(&world.config).remove(&slot).unwrap_or_default();
    let given = if used { given.as_slice() } else { &[] };
    let within = if used { allowance(&world.config, slot) } else { Allowance::default() };
    let mut despite = None;
    let loaded = gate.admit(slot, name).and_then(|it| {
        despite = it.despite;
        Loaded::load_within(engine, it.source, &it.bytes, Some(slot), given, within)
    });
    let file = from_home(world.system, &world.config.home, name);
    let same = |pinned: &str| from_home(world.system, &world.config.home, pinned) == file;
    let pin = lock.pin(slot, same).filter(|_| used).cloned();
    let since = pin.as_ref().map(|pin| pin.at.clone()).or_else(|| {
        let set = lock.current()?.slot(slot)?;
        let is_in_it = used && set.used.iter().any(|used| used.name == name);
        lock.set(set.since).filter(|_| is_in_it).map(|set| set.at.clone())
    });
    Row { slot, name: name.to_owned(), used, loaded, within, despite, pin, since }
}

impl Row {
    fn state(&self) -> String {
        let since = self.since.as_deref().map(day).map(|day| format!(" since {day}"));
        let since = since.unwrap_or_default();
        match (&self.loaded, self.used) {
            (_, false) => "not used".to_owned(),
            (Err(_), true) => "NOT LOADED".to_owned(),
            (Ok(_), true) if self.despite.is_some() => "used, NOT PINNED".to_owned(),
            (Ok(_), true) => match &self.pin {
                Some(pin) => format!("used, pinned{since} ({})", short(&pin.sha256)),
                None => format!("used{since}"),
            },
        }
    }

    fn cells(&self) -> Vec<String> {
        let (title, version, from, what) = match &self.loaded {
            Ok(policy) => (
                policy.info.name.to_string(),
                policy.info.version.to_string(),
                match self.pin {
                    Some(_) => shown_name(&self.name),
                    None => policy.source.to_string(),
                },
                policy.info.summary.to_string(),
            ),
            Err(error) => (
                self.pin.as_ref().map_or_else(String::new, |pin| pin.policy.clone()),
                self.pin.as_ref().map_or_else(String::new, |pin| pin.version.clone()),
                shown_name(&self.name),
                format!("{error}; {}", fallback(self.slot)),
            ),
        };
        vec![self.slot.to_string(), title, version, from, self.state(), what]
    }

    fn json(&self) -> Value {
        let policy = self.loaded.as_ref().ok();
        let error = self.loaded.as_ref().err();
        json!({
            "slot": self.slot,
            "decides": self.used,
            "named": self.name,
            "name": policy.map(|policy| policy.info.name.clone()),
            "version": policy.map(|policy| policy.info.version.clone()),
            "source": policy.map_or_else(|| self.name.clone(), |policy| policy.source.to_string()),
            "digest": policy.map(|policy| policy.inspection.digest.clone()),
            "summary": policy.map(|policy| policy.info.summary.clone()),
            "limits": (!self.within.is_usual()).then_some(self.within),
            "since": self.since,
            "pin": self.pin,
            "despite": self.despite.as_ref().map(|why| json!({ "code": why.code(), "message": why.to_string() })),
            "error": error.map(|error| json!({
                "code": error.code(), "message": error.to_string(), "hint": error.hint_in(self.slot),
            })),
            "fallback": error.map(|_| fallback(self.slot)),
        })
    }
}

/// What holds in a slot whose policy doesn't load.
pub fn fallback(slot: Slot) -> &'static str {
    match slot {
        Slot::Demotion => "everything is shown",
        Slot::Budget => "the host's baseline decides",
        Slot::Curator => "nothing is changed",
        Slot::Provenance => "what a person writes waits, and nobody else writes",
    }
}

/// The day of a time in RFC 3339.
fn day(at: &str) -> &str {
    at.split('T').next().unwrap_or(at)
}

fn text(rows: &[Row], lock: &Lock) -> String {
    let heading = ["SLOT", "POLICY", "VERSION", "FROM", "STATE", "WHAT"];
    let mut lines = vec![heading.map(str::to_owned).to_vec()];
    for slot in Slot::ALL {
        let of_slot: Vec<&Row> = rows.iter().filter(|row| row.slot == slot).collect();
        if of_slot.is_empty() {
            lines.push(vec![slot.to_string(), "none yet".to_owned()]);
        }
        lines.extend(of_slot.into_iter().map(Row::cells));
    }
    let mut text = columns(&lines);
    for slot in Slot::ALL {
        let used = rows.iter().find(|row| row.slot == slot && row.used);
        if let Some(row) = used.filter(|row| !row.within.is_usual()) {
            text.push_str(&format!("\nlimits of `{slot}` are not as usual: {}\n", row.within));
        }
    }
    if let Some(set) = lock.current() {
        let before = set.after.map_or_else(String::new, |it| format!(", after set {it}"));
        text.push_str(&format!(
            "\nset {}{before}, of {} by {}: {}\n",
            set.number,
            day(&set.at),
            OneLine::capped(&set.by, 40),
            OneLine::capped(&set.did, 200)
        ));
    }
    for it in &lock.quarantined {
        text.push_str(&format!(
            "in quarantine since {}: sha256 {}, {}\n",
            day(&it.at),
            it.sha256,
            OneLine::capped(&it.reason, 400)
        ));
    }
    text
}
