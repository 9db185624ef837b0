//! `skillkeep pending`: writes that wait for a person, and what others did without asking. The list is here.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    Global, concerns, known,
    options::RootArgs,
    output::{Output, columns},
};
use crate::{
    change::{Proposal, Standing, diff::FileDiff},
    ledger::{Pending, RootId, TakenWrite, Verb},
    skill::OneLine,
    system::System,
    world::{
        World, counted,
        error::CommandError,
        noting::Noted,
        store::{self, Store},
    },
};

mod decide;
mod show;

/// Writes that wait for a person.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct PendingArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// List those too that were decided on or put out, the newest hundred
    #[arg(long)]
    all: bool,

    #[command(subcommand)]
    command: Option<PendingCommand>,
}

#[derive(Debug, Subcommand)]
enum PendingCommand {
    /// Show what a write would change, beside what is there now
    Diff(show::DiffArgs),
    /// Do what waits, exactly as it was shown
    Approve(decide::ApproveArgs),
    /// Turn down what waits; what others did without asking is taken back
    Reject(decide::RejectArgs),
}

/// How many of those that were decided on are listed.
const NEWEST: usize = 100;

/// Lists what waits, or does what a command below it says.
pub fn pending(
    system: &dyn System,
    global: &Global,
    args: &PendingArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    match &args.command {
        None => list(system, global, args, out),
        Some(PendingCommand::Diff(args)) => show::diff(system, global, args, out),
        Some(PendingCommand::Approve(args)) => decide::approve(system, global, args, out),
        Some(PendingCommand::Reject(args)) => decide::reject(system, global, args, out),
    }
}

fn list(
    system: &dyn System,
    global: &Global,
    args: &PendingArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (world, store, noted) = store::look(system, &global.at(&args.roots), out)?;
    let mut all = Vec::new();
    for pending in store.ledger.waiting(None)? {
        all.push(Waits::of(pending, &world, &store, &noted)?);
    }
    let ended = if args.all { store.ledger.decided_on(NEWEST)? } else { Vec::new() };
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.pending/1",
            "pending": all.iter().map(Waits::json).collect::<Vec<_>>(),
            "decided": ended.iter().map(ended_json).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    concerns::tell(&store.ledger, system.now(), out)?;
    if all.is_empty() {
        out.note("nothing waits for you");
    }
    let mut groups: BTreeMap<(&str, &str), Vec<&Waits>> = BTreeMap::new();
    for one in &all {
        groups.entry((&one.name, &one.place)).or_default().push(one);
    }
    for ((name, place), group) in &groups {
        out.text(&format!("{name}  {place}\n"))?;
        let now = store.disk.now();
        let rows: Vec<Vec<String>> = group
            .iter()
            .map(|it| {
                let asked = &it.pending.asked;
                vec![
                    format!("  {}", it.pending.id),
                    asked.verb.word().to_owned(),
                    asked.actor.word().to_owned(),
                    known::age(now, asked.at),
                    it.told(),
                    OneLine::capped(&asked.reason, 80).into_string(),
                ]
            })
            .collect();
        out.text(&columns(&rows))?;
    }
    if !ended.is_empty() {
        out.text(if all.is_empty() { "decided on\n" } else { "\ndecided on\n" })?;
        out.text(&columns(&ended.iter().map(ended_row).collect::<Vec<_>>()))?;
    }
    if let Some(first) = all.first() {
        out.hint(&format!("skillkeep pending diff {}", first.pending.id));
    }
    Ok(ExitCode::SUCCESS)
}

fn ended_row(it: &Pending) -> Vec<String> {
    let by = it.ended_by.map_or("nobody", |by| by.word());
    vec![
        format!("  {}", it.id),
        it.asked.verb.word().to_owned(),
        it.asked.actor.word().to_owned(),
        OneLine::new(&it.asked.folder).into_string(),
        format!("{} by {by}", it.state.word()),
        it.change.map_or_else(String::new, |change| format!("change {}", change.0)),
        OneLine::capped(&it.note, 80).into_string(),
    ]
}

fn ended_json(it: &Pending) -> Value {
    json!({
        "id": it.id,
        "skill": it.asked.skill,
        "folder": it.asked.folder,
        "verb": it.asked.verb,
        "actor": it.asked.actor,
        "session": it.asked.session,
        "reason": it.asked.reason,
        "at": it.asked.at.to_string(),
        "state": it.state,
        "ended": it.ended.map(|at| at.to_string()),
        "ended-by": it.ended_by,
        "note": it.note,
        "change": it.change,
    })
}

/// A write that waits, as it is shown.
struct Waits {
    pending: Pending,
    /// The skill's name, or the one that it is to have.
    name: String,
    /// Its folder, for people.
    place: String,
    /// Beside what is there now, or why that can't be told.
    proposal: Result<Proposal, String>,
    /// Where it waited before.
    taken: Option<TakenWrite>,
}

/// The path of a root, where it is one of those that were searched.
fn root_of(noted: &Noted, root: RootId) -> Option<&PathBuf> {
    noted.roots.iter().flatten().find(|(id, _)| *id == root).map(|(_, path)| path)
}

impl Waits {
    fn of(
        pending: Pending,
        world: &World<'_>,
        store: &Store<'_>,
        noted: &Noted,
    ) -> Result<Waits, CommandError> {
        let asked = &pending.asked;
        let known = store.ledger.skill(asked.skill)?.filter(|_| asked.verb != Verb::Create);
        let folder = known.as_ref().map_or(&asked.folder, |skill| &skill.folder);
        let last = folder.rsplit('/').next().unwrap_or(folder);
        let name = known.as_ref().map_or(last, |skill| &skill.name);
        let root = root_of(noted, asked.root);
        let look = |path| -> Result<Proposal, CommandError> {
            Ok(store.keeper(asked.root, path)?.proposal(&pending, &world.library)?)
        };
        let proposal = match root {
            Some(path) => look(path).map_err(|error| error.message),
            None => Err("its root is none of those that are here".to_owned()),
        };
        let at = root.map_or(Path::new("?"), PathBuf::as_path).join(folder);
        let name = OneLine::new(name).into_string();
        let taken = store.ledger.taken_write(pending.id)?;
        Ok(Waits { name, place: world.shorten(&at), proposal, pending, taken })
    }

    /// Why it can't be done, if it can't.
    fn stale(&self) -> Option<&str> {
        match &self.proposal {
            Ok(Proposal { standing: Standing::Stale(why), .. }) | Err(why) => Some(why),
            Ok(_) => None,
        }
    }

    fn is_rebased(&self) -> bool {
        matches!(&self.proposal, Ok(Proposal { standing: Standing::Rebased, .. }))
    }

    /// What it does, in a few words.
    fn gist(&self) -> String {
        let diffs = self.proposal.as_ref().map_or(&[][..], |it| it.diffs.as_slice());
        let (added, removed) = diffs.iter().filter_map(FileDiff::lines).fold((0, 0), |sum, it| {
            let (sum, it): ((usize, usize), (usize, usize)) = (sum, it);
            (sum.0 + it.0, sum.1 + it.1)
        });
        let asked = &self.pending.asked;
        let files = || match diffs {
            [one] => {
                let below = one.path.strip_prefix(&asked.folder).unwrap_or(&one.path);
                format!("`{}`", OneLine::new(below.trim_start_matches('/')))
            }
            diffs => counted(diffs.len(), "file"),
        };
        match asked.verb {
            Verb::Archive => "goes to the archive as it is".to_owned(),
            Verb::Restore => "comes back from the archive".to_owned(),
            Verb::Create => format!("a new skill: {}, +{added}", counted(diffs.len(), "file")),
            Verb::Outside => format!("somebody else's: {} +{added} -{removed}", files()),
            _ => format!("{} +{added} -{removed}", files()),
        }
    }

    /// Whether what lay there at an import counts as what its writer had read.
    fn has_base_of_import(&self) -> bool {
        self.taken.is_some() && self.pending.asked.verb != Verb::Create
    }

    /// What it does, and how that fits.
    fn told(&self) -> String {
        match self.stale() {
            Some(why) => format!("STALE: {}", OneLine::capped(why, 120)),
            None if self.is_rebased() => format!("{}, on a newer text", self.gist()),
            None if self.has_base_of_import() => format!("{}, base taken at import", self.gist()),
            None => self.gist(),
        }
    }

    fn json(&self) -> Value {
        let asked = &self.pending.asked;
        json!({
            "id": self.pending.id,
            "skill": asked.skill,
            "name": self.name,
            "folder": asked.folder,
            "verb": asked.verb,
            "actor": asked.actor,
            "session": asked.session,
            "reason": asked.reason,
            "at": asked.at.to_string(),
            "why": asked.why,
            "by": asked.judge,
            "origin": asked.origin,
            "change": self.pending.change,
            "gist": self.gist(),
            "stale": self.stale(),
            "rebased": self.is_rebased(),
            "taken-over": self.taken.as_ref().map(|it| json!({
                "program": it.record.program,
                "place": it.record.place,
                "file": it.record.file,
                "at": it.record.at,
                "base": self.has_base_of_import().then_some("import"),
            })),
            "hash": self.proposal.as_ref().ok().and_then(|it| it.shown),
        })
    }
}
