//! The history of a home's skills, as its ledger has it.

use std::collections::{BTreeMap, HashMap};

use super::{
    World,
    pass::{Jobs, jobs},
};
use crate::{
    config::CuratorConfig,
    curator::{Subject, is_declared},
    decision::Unit,
    index::{Named, Style},
    laws::Standing,
    ledger::{InCare, Ledger, LedgerError, RootRecord, SkillRecord},
    past::{Deed, History, Life},
    skill::{Actor, Instant, SkillId, State},
};

/// A home's history, and what of it a pass may touch.
#[derive(Clone, Debug)]
pub struct Lived {
    /// The history.
    pub history: History,
    /// Skills in the curator's care.
    pub in_care: usize,
}

/// What happened in a home up to now. Skills that are gone from it or erased are left out: nobody knows since when they were.
/// `all` takes every skill for one in the curator's care, to see what a rule would make of them.
///
/// # Errors
/// Where the ledger can't be read.
pub fn lived(
    world: &World<'_>,
    ledger: &Ledger,
    all: bool,
    now: Instant,
) -> Result<Lived, LedgerError> {
    let roots = ledger.roots()?;
    let about = About {
        roots: roots.iter().map(|root| (root.id, root)).collect(),
        adopted: ledger.in_care()?.into_iter().map(|it| (it.id, it)).collect(),
        jobs: jobs(world, ledger)?,
        config: &world.config.curator,
        all,
    };
    let mut skills = ledger.skills()?;
    skills.retain(|it| matches!(it.state, State::Active | State::Stale | State::Archived));
    let prices = prices(world, &about, &skills);
    let mut places = BTreeMap::new();
    let mut lives = Vec::with_capacity(skills.len());
    for (skill, (line, name)) in skills.into_iter().zip(prices) {
        places.insert(skill.id, lives.len());
        let enters = skill.created.min(now);
        lives.push(Life { subject: about.subject(skill), line, name, enters });
    }
    let in_care = lives.iter().filter(|life| life.subject.in_care()).count();
    let deeds = ledger.happenings()?.into_iter().filter_map(|it| {
        let upkeep = matches!(it.actor, Actor::Review | Actor::Curator | Actor::Sync);
        let skill = *places.get(&it.skill)?;
        Some(Deed { at: it.at, skill, kind: it.kind, weight: it.weight, upkeep })
    });
    let deeds = deeds.collect();
    Ok(Lived { history: History::new("home", lives, deeds, None, now), in_care })
}

/// What holds today, and is taken to have held all the time.
struct About<'a> {
    roots: HashMap<crate::ledger::RootId, &'a RootRecord>,
    adopted: BTreeMap<SkillId, InCare>,
    jobs: Jobs,
    config: &'a CuratorConfig,
    all: bool,
}

impl About<'_> {
    fn subject(&self, it: SkillRecord) -> Subject {
        let root = self.roots.get(&it.root).map(|root| &root.root);
        let last = it.folder.rsplit('/').next().unwrap_or_default();
        let listed =
            |names: &[String]| names.iter().any(|name| *name == it.name || name.as_str() == last);
        let declared = is_declared(it.origin, self.config.retire_bundled);
        let standing = Standing {
            state: State::Active,
            owned: self.all || root.is_some_and(|root| root.owned),
            declared: self.all || declared,
            built_in: listed(&self.config.protected),
            pinned: it.pinned,
            referenced: !self.jobs.of(it.id, &it.name, &it.folder).is_empty(),
            fresh: false,
        };
        let root = root.map(|root| root.path.display().to_string()).unwrap_or_default();
        Subject {
            origin: it.origin,
            standing,
            adopted: self.adopted.get(&it.id).and_then(|it| it.adopted),
            folder: it.folder,
            ..Subject::plain(it.id, &root, &it.name, it.created)
        }
    }
}

/// What each skill's whole line costs and what its name does, in tokens. Of what isn't in the library there is no text by
/// now: its line costs as much as the others do on average.
fn prices(world: &World<'_>, about: &About<'_>, skills: &[SkillRecord]) -> Vec<(u32, u32)> {
    let style = Style::default();
    let rows: HashMap<(&str, std::path::PathBuf), usize> = world
        .library
        .own()
        .into_iter()
        .map(|own| ((own.folder, own.path.to_owned()), own.row))
        .collect();
    let mut texts = Vec::with_capacity(skills.len() * 2);
    let mut is_known = Vec::with_capacity(skills.len());
    for skill in skills {
        let path = about.roots.get(&skill.root).map(|root| root.root.path.clone());
        let row = path.and_then(|path| rows.get(&(skill.folder.as_str(), path)));
        let found = row.and_then(|row| world.library.skills.get(*row));
        let facts = found.map(|found| &found.facts);
        let text = facts.and_then(|it| it.description.as_ref().or(it.opening.as_ref()));
        let named = Named { name: &skill.name, location: "" };
        is_known.push(found.is_some());
        texts.push(style.line(named, text.map_or("", |text| text.as_str())));
        texts.push(style.name(named));
    }
    let meter = world.meter(Unit::Tokens);
    let costs = meter.get().count_all(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    meter.save(world.system);
    let mut prices: Vec<(u32, u32)> = costs
        .chunks(2)
        .map(|both| match both {
            [line, name] => (*line, *name),
            _ => (0, 0),
        })
        .collect();
    let known = prices.iter().zip(&is_known).filter(|(_, known)| **known);
    let (sum, count) = known
        .fold((0_u64, 0_u64), |(sum, count), ((line, _), _)| (sum + u64::from(*line), count + 1));
    let mean = u32::try_from(sum / count.max(1)).unwrap_or(u32::MAX);
    for (price, known) in prices.iter_mut().zip(is_known) {
        if !known {
            price.0 = price.0.max(mean);
        }
    }
    prices
}
