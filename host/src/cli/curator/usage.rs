//! `skillkeep curator usage`

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::{
    cli::{
        Global,
        options::RootArgs,
        output::{Output, columns},
    },
    curator::{Outside, Subject},
    ledger::Access,
    skill::{Instant, OneLine, Origin, State},
    system::System,
    world::{
        World, counted,
        error::CommandError,
        pass::{Ground, Wanting},
        store::Store,
    },
};

/// What is said of a skill that no scan has met.
pub(super) const UNMET: &str = "no scan has met it: skillkeep scan";

/// Say how every skill was used.
#[derive(Debug, Args)]
#[command(
    after_help = "All skills of the roots are listed, whoever keeps them. CARE says whether a pass may touch a skill, and if not, why.\n\nExample: skillkeep curator usage --sort recent"
)]
pub struct UsageArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The order: activity (the most uses, views and writes first), recent (the last active first) or name
    #[arg(long, value_name = "KEY", default_value = "activity", hide_possible_values = true)]
    sort: Sort,

    /// Only skills of this origin: unknown, person, foreground, review, bundled, installed or adopted
    #[arg(long, value_name = "ORIGIN", value_parser = Origin::ALL.iter().map(|it| it.word()).collect::<Vec<_>>(), hide_possible_values = true)]
    origin: Option<String>,
}

/// What skills are ordered by.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Sort {
    /// By how much was done with them
    Activity,
    /// By when something was last done with them
    Recent,
    /// By name
    Name,
}

/// All skills of the roots, as the curator looks at them.
pub(super) struct Seen {
    /// Those that are known.
    pub subjects: Vec<Subject>,
    /// Names of those that no scan has met.
    pub unmet: Vec<String>,
}

/// Looks at all of them; nothing is written down.
///
/// # Errors
/// Where there is no home, or its ledger can't be read.
pub(super) fn seen(
    system: &dyn System,
    global: &Global,
    roots: &RootArgs,
    out: &mut Output<'_>,
) -> Result<Seen, CommandError> {
    let world = World::own(system, &global.at(roots))?;
    world.announce(out);
    let store = Store::open(system, &world, Access::Read, out)?;
    let ground = Ground::of(&world, &store, Wanting::default(), system.now())?;
    for note in &ground.notes {
        out.warn(note);
    }
    let known: BTreeSet<(&str, &str)> =
        ground.subjects.iter().map(|it| (it.root.as_str(), it.folder.as_str())).collect();
    let mut unmet = Vec::new();
    for own in world.library.own() {
        let root = own.path.display().to_string();
        if known.contains(&(root.as_str(), own.folder)) {
            continue;
        }
        let skill = world.library.skills.get(own.row);
        unmet.extend(skill.map(|skill| skill.name.as_str().to_owned()));
    }
    drop(known);
    Ok(Seen { subjects: ground.subjects, unmet })
}

/// The day of a time.
pub(super) fn day(at: Instant) -> String {
    at.to_string().split('T').next().unwrap_or_default().to_owned()
}

/// Lists them.
pub fn usage(
    system: &dyn System,
    global: &Global,
    args: &UsageArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let Seen { mut subjects, mut unmet } = seen(system, global, &args.roots, out)?;
    if let Some(origin) = args.origin.as_deref().and_then(Origin::from_word) {
        subjects.retain(|it| it.origin == origin);
        // Of these nobody said anything yet.
        if origin != Origin::Unknown {
            unmet.clear();
        }
    }
    let all = |it: &Subject| it.uses + it.views + it.writes;
    subjects.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    match args.sort {
        Sort::Activity => subjects.sort_by_key(|it| Reverse(all(it))),
        Sort::Recent => subjects.sort_by_key(|it| Reverse(it.active())),
        Sort::Name => {}
    }
    if global.json {
        out.json(&as_json(&subjects, &unmet))?;
    } else {
        out.text(&text(&subjects, &unmet))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(subjects: &[Subject], unmet: &[String]) -> String {
    let mut text = tallies(subjects, unmet);
    let head =
        ["NAME", "ORIGIN", "STATE", "USES", "VIEWS", "WRITES", "LAST ACTIVE", "PINNED", "CARE"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for it in subjects {
        rows.push(vec![
            OneLine::capped(&it.name, 60).into_string(),
            it.origin.word().to_owned(),
            it.standing.state.word().to_owned(),
            it.uses.to_string(),
            it.views.to_string(),
            it.writes.to_string(),
            day(it.active()),
            if it.standing.pinned { "pinned" } else { "-" }.to_owned(),
            care(it),
        ]);
    }
    for name in unmet {
        let mut row = vec![OneLine::capped(name, 60).into_string()];
        row.extend(["?", "active", "0", "0", "0", "-", "-", UNMET].map(str::to_owned));
        rows.push(row);
    }
    text.push_str(&columns(&rows));
    text
}

/// Whether a pass may touch it, and why not; and what holds it where it may.
fn care(it: &Subject) -> String {
    match it.outside() {
        Some(why) => format!("no: {}", why.why()),
        None if it.standing.referenced => "yes, named by a job".to_owned(),
        None => "yes".to_owned(),
    }
}

fn tallies(subjects: &[Subject], unmet: &[String]) -> String {
    let mut origins: BTreeMap<&str, usize> = BTreeMap::new();
    for it in subjects {
        *origins.entry(it.origin.word()).or_default() += 1;
    }
    let origins: Vec<String> =
        origins.iter().map(|(origin, count)| format!("{count} {origin}")).collect();
    let count = |is: &dyn Fn(&Subject) -> bool| subjects.iter().filter(|it| is(it)).count();
    let mut text = format!(
        "{}: {} in the curator's care, {} stale, {} pinned, {} named by jobs\n",
        counted(subjects.len() + unmet.len(), "skill"),
        count(&Subject::in_care),
        count(&|it| it.standing.state == State::Stale),
        count(&|it| it.standing.pinned),
        count(&|it| it.standing.referenced),
    );
    if !origins.is_empty() {
        text.push_str(&format!("by origin: {}\n", origins.join(", ")));
    }
    text
}

fn as_json(subjects: &[Subject], unmet: &[String]) -> Value {
    let skills: Vec<Value> = subjects
        .iter()
        .map(|it| {
            json!({
                "id": it.id, "name": it.name, "folder": it.folder, "root": it.root,
                "origin": it.origin.word(), "state": it.standing.state,
                "uses": it.uses, "views": it.views, "writes": it.writes,
                "created": it.created, "last-used": it.last_used, "last-active": it.active(),
                "pinned": it.standing.pinned, "jobs": it.jobs,
                "in-care": it.in_care(), "why-not": it.outside().map(Outside::why),
            })
        })
        .collect();
    json!({ "schema": "skillkeep.curator-usage/1", "skills": skills, "unmet": unmet })
}
