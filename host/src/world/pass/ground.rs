//! What a pass starts from: every skill of the library that the ledger knows, with all that rules and laws look at.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

use super::{Curators, Jobs, jobs, last_pass};
use crate::{
    claims::{self, Claims},
    curator::{CLAIMS, OUTCOMES, Outcomes, Subject, is_declared},
    laws::Standing,
    ledger::{InCare, LastOutcomes, RootId},
    library::{LARGEST_FILE, body},
    skill::{Instant, SkillId},
    system::Stat,
    world::{World, error::CommandError, store::Store},
};

/// What is only found out where somebody asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanting {
    /// What texts say that doesn't work: every text is read.
    pub claims: bool,
    /// When skills last helped and last didn't: every such event is looked at.
    pub outcomes: bool,
}

impl Wanting {
    /// What these policies ask for.
    #[must_use]
    pub fn of(curators: &Curators) -> Wanting {
        Wanting { claims: curators.ask_for(CLAIMS), outcomes: curators.ask_for(OUTCOMES) }
    }
}

/// What a pass starts from.
pub struct Ground {
    /// Skills, by root and folder.
    pub subjects: Vec<Subject>,
    /// Skills of the library that the ledger doesn't know yet: the next scan meets them, and their time begins there.
    pub unmet: usize,
    /// What somebody should know.
    pub notes: Vec<String>,
    /// Roots by their path, as the ledger numbers them.
    pub roots: BTreeMap<String, RootId>,
}

impl Ground {
    /// What there is now. Nothing is written down.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn of(
        world: &World<'_>,
        store: &Store<'_>,
        wanting: Wanting,
        now: Instant,
    ) -> Result<Ground, CommandError> {
        let mut ground =
            Ground { subjects: Vec::new(), unmet: 0, notes: Vec::new(), roots: BTreeMap::new() };
        let jobs = jobs(world, &store.ledger)?;
        if let Some(why) = &jobs.unknown {
            ground
                .notes
                .push(format!("{why}; until that is mended every skill counts as named by a job"));
        }
        let outcomes = match wanting.outcomes {
            true => store.ledger.last_outcomes()?,
            false => BTreeMap::new(),
        };
        let since = match last_pass(&store.ledger)? {
            Some(last) => Some(last.begun),
            None => store.ledger.standing()?.deferred,
        };
        let places = Places::of(world, store, &mut ground)?;
        let mut known: HashMap<(RootId, String), InCare> = store
            .ledger
            .in_care()?
            .into_iter()
            .map(|it| ((it.root, it.folder.clone()), it))
            .collect();
        let judged = Judged { world, jobs: &jobs, outcomes: &outcomes, since, now };
        for own in world.library.own() {
            let Some(place) = places.0.get(own.path) else { continue };
            let Some(it) = known.remove(&(place.id, own.folder.to_owned())) else {
                ground.unmet += 1;
                continue;
            };
            let subject = judged.subject(it, place, own.row);
            ground.subjects.push(match wanting.claims {
                true => Subject { claims: claims(world, own.row, now), ..subject },
                false => subject,
            });
        }
        ground.subjects.sort_by(|a, b| (&a.root, &a.folder).cmp(&(&b.root, &b.folder)));
        Ok(ground)
    }
}

/// A root, as laws look at it.
struct Place {
    id: RootId,
    path: String,
    owned: bool,
    /// Ids that its own file pins; nothing where that can't be read, which pins all.
    pins: Option<BTreeSet<SkillId>>,
}

struct Places<'w>(HashMap<&'w Path, Place>);

impl<'w> Places<'w> {
    fn of(
        world: &'w World<'_>,
        store: &Store<'_>,
        ground: &mut Ground,
    ) -> Result<Places<'w>, CommandError> {
        let mut places = HashMap::new();
        for report in &world.library.roots {
            let Some(path) = report.resolved.as_deref().filter(|_| report.problem.is_none()) else {
                continue;
            };
            let Some(root) = store.ledger.root_at(path)? else { continue };
            let keeper = store.keeper(root.id, path).ok();
            let owned = keeper.is_some();
            let pins = match keeper.map(|keeper| keeper.pins()) {
                None => Some(BTreeSet::new()),
                Some(Ok(pins)) => Some(pins.values().map(|pin| pin.skill).collect()),
                Some(Err(error)) => {
                    ground.notes.push(format!(
                        "{error}; until that is mended every skill there counts as pinned"
                    ));
                    None
                }
            };
            let text = path.display().to_string();
            ground.roots.insert(text.clone(), root.id);
            places.insert(path, Place { id: root.id, path: text, owned, pins });
        }
        Ok(Places(places))
    }
}

/// What is the same for all skills.
struct Judged<'a, 'w> {
    world: &'a World<'w>,
    jobs: &'a Jobs,
    outcomes: &'a BTreeMap<SkillId, LastOutcomes>,
    since: Option<Instant>,
    now: Instant,
}

impl Judged<'_, '_> {
    fn subject(&self, it: InCare, place: &Place, row: usize) -> Subject {
        let config = &self.world.config.curator;
        let skill = self.world.library.skills.get(row);
        let name = skill.map_or(it.name.as_str(), |skill| skill.name.as_str()).to_owned();
        let jobs = self.jobs.of(it.id, &name, &it.folder);
        let last = self.outcomes.get(&it.id).copied().unwrap_or_default();
        let folder_name = it.folder.rsplit('/').next().unwrap_or_default();
        let is_named = |word: &String| *word == name || *word == folder_name || *word == it.folder;
        let declared = is_declared(it.origin, config.retire_bundled);
        let standing = Standing {
            state: it.state,
            owned: place.owned,
            declared,
            built_in: config.protected.iter().any(is_named),
            pinned: it.pinned || place.pins.as_ref().is_none_or(|pins| pins.contains(&it.id)),
            referenced: !jobs.is_empty(),
            fresh: is_fresh(&it, self.since, self.now),
        };
        let stat = self.world.library.looked.get(row).and_then(Option::as_ref);
        Subject {
            id: it.id,
            root: place.path.clone(),
            folder: it.folder,
            name,
            origin: it.origin,
            standing,
            jobs,
            created: it.created,
            adopted: it.adopted,
            restored: it.returned,
            views: it.sums.views,
            uses: it.sums.uses,
            writes: it.sums.writes,
            last_viewed: it.sums.last_view,
            last_used: it.sums.last_use,
            last_written: it.sums.last_write,
            outcomes: Outcomes {
                successes: it.sums.successes,
                failures: it.sums.failures,
                corrected: it.sums.corrected,
                last_success: last.success,
                last_failure: last.failure,
            },
            claims: None,
            file: stat.map(fingerprint).unwrap_or_default(),
        }
    }
}

/// Whether it was made, adopted or brought back since the last pass. Before there was one, whatever was adopted or brought back
/// was, and what was made since somebody first asked for passes.
fn is_fresh(it: &InCare, since: Option<Instant>, now: Instant) -> bool {
    // Law `clock`: a time in the future counts as now.
    let since = since.map(|since| since.min(now));
    let after = |at: Instant| since.is_none_or(|since| at >= since);
    [it.adopted, it.returned].into_iter().flatten().any(after)
        || since.is_some_and(|since| it.created >= since)
}

/// What tells the state of a file from any other, as text.
fn fingerprint(stat: &Stat) -> String {
    let bytes = format!("{stat:?}");
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes.as_bytes()))
}

/// What a skill's text claims not to work. One that can't be read claims nothing.
fn claims(world: &World<'_>, row: usize, now: Instant) -> Option<Claims> {
    let bytes = world.files().read(&world.library.path_of(row)?, LARGEST_FILE).ok()?;
    claims::claims(&String::from_utf8_lossy(body(&bytes)), now)
}
