//! Skills that are in no root: those in the archive, as what lies beside them and the ledger say, and those that are gone.
//! No lock is taken and nothing is written.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::{Value as Json, json};

use super::{ListArgs, USE, cell, use_of};
use crate::{
    change::{Archived, Keeper},
    cli::{
        Global, known,
        output::{Output, columns},
    },
    ledger::{AtHand, Ledger, RootRecord},
    skill::{Choice, Instant, OneLine, SkillId, State},
    world::{World, counted, error::CommandError, kept::Kept, naming::is_in, store::identity},
};

/// A skill that is in no root.
#[derive(Clone)]
pub struct Away {
    /// What tells its archived copy from every other one; nothing of what lies in no archive of ours.
    pub copy: Option<String>,
    /// Its name.
    pub name: OneLine,
    category: OneLine,
    /// Its root's label.
    pub root: OneLine,
    /// Where it was, below the root.
    pub folder: String,
    /// In the ledger; an archive from before it has only what lies beside the skill.
    known: Option<AtHand>,
    /// Its id.
    pub id: SkillId,
    /// Since when.
    pub since: Instant,
    /// Why it was put away; empty where nobody said.
    pub reason: OneLine,
    size: u64,
}

/// Prints them.
pub fn list(
    world: &World<'_>,
    kept: &Kept,
    global: &Global,
    args: &ListArgs,
    out: &mut Output<'_>,
) -> Result<(), CommandError> {
    let Some(ledger) = &kept.ledger else { return Ok(()) };
    let (filters, sort) = (&args.filters, args.sort.unwrap_or_default());
    let mut all = if filters.archived { archived(world, ledger)? } else { gone(ledger)? };
    let wanted = args.category.as_deref();
    all.retain(|it| wanted.is_none_or(|wanted| is_in(it.category.as_str(), wanted)));
    all.retain(|it| filters.take(it.known.as_ref()));
    let created = sort.created(kept)?;
    all.sort_by_cached_key(|it| {
        let key = sort.key(&it.name, &it.category, it.size, it.known.as_ref(), &created);
        (key, it.category.clone(), it.name.clone(), it.id)
    });
    if args.reverse {
        all.reverse();
    }
    if global.json {
        let listed = ledger.exposures()?;
        let standing = if filters.archived { "archived" } else { "gone" };
        out.json(&json!({
            "schema": "skillkeep.list/1",
            "skills": all.iter().map(|it| as_json(it, standing, &listed)).collect::<Vec<_>>(),
        }))?;
        return Ok(());
    }
    let since = if filters.archived { "ARCHIVED" } else { "SEEN" };
    let head = [&["NAME", "CATEGORY", "ROOT", since][..], &USE, &["REASON"]].concat();
    let now = world.system.now();
    let mut lines = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    for it in &all {
        let left = [cell(&it.name), cell(&it.category), it.root.to_string()];
        let since = known::age(now, it.since);
        let reason = if it.reason.is_empty() { "-" } else { it.reason.as_str() };
        let cells = left.into_iter().chain([since]).chain(use_of(it.known.as_ref(), now));
        lines.push(cells.chain([reason.to_owned()]).collect());
    }
    out.text(&columns(&lines))?;
    let count = counted(all.len(), "skill");
    if filters.archived {
        out.note(&format!("{count} in the archive"));
        if let Some(first) = all.first() {
            out.hint(&format!("to bring one back: skillkeep restore {}", first.name));
        }
    } else {
        out.note(&format!("{count} gone; what is known of them counts nowhere"));
    }
    Ok(())
}

fn as_json(it: &Away, standing: &str, listed: &BTreeMap<SkillId, u64>) -> Json {
    let mut record = json!({
        "name": it.name,
        "category": it.category,
        "standing": standing,
        "root": it.root,
        "folder": it.folder,
        "since": it.since.to_string(),
        "reason": it.reason,
    });
    known::describe(it.known.as_ref(), &mut record);
    if let Json::Object(record) = &mut record {
        record.insert("id".to_owned(), json!(it.id));
    }
    known::listed(Some(it.id), listed, &mut record);
    record
}

/// What the ledger has in the archive, with what lies beside each; then what only lies there, further copies of one skill too.
///
/// # Errors
/// Where the ledger or an archive can't be read.
pub fn archived(world: &World<'_>, ledger: &Ledger) -> Result<Vec<Away>, CommandError> {
    let mut found: Vec<(OneLine, Archived)> = Vec::new();
    let roots = ledger.roots()?;
    if let Some(disk) = world.system.disk()
        && let Some(home) = identity(disk, &world.home)
    {
        for root in &roots {
            // Another home's archive is that home's to list.
            let opened = Keeper::open(disk, ledger, &home, root.id, &root.root.path);
            if let Ok(keeper) = opened {
                let label = root.root.label.clone();
                found.extend(keeper.archived()?.into_iter().map(|it| (label.clone(), it)));
            }
        }
    }
    let mut all = of_state(ledger, &roots, State::Archived)?;
    // Newest first: of several copies of a skill the one that comes back by its name is told first.
    let mut told: BTreeSet<SkillId> = BTreeSet::new();
    for (root, archived) in found {
        let copy = archived.copy().to_owned();
        let it = archived.sidecar;
        let above = it.folder.rsplit_once('/').map_or("general", |(above, _)| above);
        let lies = Away {
            copy: Some(copy),
            name: OneLine::new(&it.name),
            category: OneLine::new(above),
            root,
            known: None,
            id: it.id,
            since: it.at,
            reason: OneLine::new(&it.reason),
            size: size(&it.tree),
            folder: it.folder,
        };
        let newest = told.insert(it.id);
        match all.iter_mut().find(|known| known.id == it.id) {
            Some(known) if newest => {
                let Away { copy, since, reason, size, folder, .. } = lies;
                *known = Away { copy, since, reason, size, folder, ..known.clone() };
            }
            Some(known) => {
                let lies = Away { known: known.known.clone(), ..lies };
                all.push(lies);
            }
            None => all.push(lies),
        }
    }
    Ok(all)
}

/// Bytes of a skill's text.
fn size(tree: &crate::change::Tree) -> u64 {
    let text = tree.files.iter().find(|(path, _)| path.eq_ignore_ascii_case("SKILL.md"));
    text.map_or(0, |(_, blob)| blob.size)
}

fn gone(ledger: &Ledger) -> Result<Vec<Away>, CommandError> {
    of_state(ledger, &ledger.roots()?, State::Gone)
}

fn of_state(
    ledger: &Ledger,
    roots: &[RootRecord],
    state: State,
) -> Result<Vec<Away>, CommandError> {
    let mut choices: BTreeMap<SkillId, BTreeMap<Option<String>, Choice>> = BTreeMap::new();
    for (id, agent, choice) in ledger.choices()? {
        choices.entry(id).or_default().insert(agent, choice);
    }
    let mut all = Vec::new();
    for skill in ledger.skills()?.into_iter().filter(|skill| skill.state == state) {
        let root = roots.iter().find(|root| root.id == skill.root).map(|root| &root.root);
        let known = AtHand {
            id: skill.id,
            root: root.map_or_else(|| Path::new("").into(), |root| root.path.as_path().into()),
            folder: skill.folder.clone(),
            state: skill.state,
            pinned: skill.pinned,
            held: false,
            put_back: None,
            origin: skill.origin,
            sums: ledger.sums(skill.id)?,
            choices: choices.remove(&skill.id).unwrap_or_default(),
        };
        all.push(Away {
            copy: None,
            name: OneLine::new(&skill.name),
            category: OneLine::new(&skill.category),
            root: root.map_or_else(|| OneLine::new(""), |root| root.label.clone()),
            known: Some(known),
            id: skill.id,
            since: skill.archived_at.unwrap_or(skill.seen),
            reason: OneLine::new(""),
            size: 0,
            folder: skill.folder,
        });
    }
    Ok(all)
}
