//! The plan, and how it is made.

use std::collections::{BTreeMap, BTreeSet};

use super::{references::forms, totals::Before};
use crate::{
    adapters::said::{Count, Left, Record, Said},
    ledger::{Event, Kind, Mark, Origin, PutAway, Reference, RootId, Source, Taken, Takeover},
    skill::{Actor, Instant, SkillId, State},
};

/// A skill that a name may mean, as it is known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its id.
    pub id: SkillId,
    /// Its root, as the ledger numbers it.
    pub root: RootId,
    /// Its name for people: the folder, which tells it from others of its name.
    pub folder: String,
    /// Who made it.
    pub origin: Origin,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Active, stale, or archived.
    pub state: State,
    /// Since when it is known.
    pub since: Instant,
    /// Whether its root is owned, so that a pin lies there.
    pub owned: bool,
}

/// A skill in the other program's archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InArchive {
    /// Who it is and where it lies.
    pub away: PutAway,
    /// Whether that is known already.
    pub known: bool,
}

/// What a plan is made of.
pub struct Inputs<'a> {
    /// What the program says.
    pub said: &'a Said,
    /// What was taken over before.
    pub taken: &'a Taken,
    /// Skills in its archive.
    pub archive: &'a [InArchive],
    /// Whom a name means: by the one resolver, among the skills that the program sees; then in its archive.
    pub named: &'a dyn Fn(&str) -> Vec<Standing>,
    /// Folders of its skills, in every form that a job may write them in.
    pub tops: &'a [String],
    /// The real time.
    pub now: Instant,
}

/// What is taken over, and what isn't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What is written into the ledger, in one transaction.
    pub takeover: Takeover,
    /// Skills that are pinned in roots that this home owns: there a pin lies in the root.
    pub pins_in_roots: Vec<SkillId>,
    /// How the skills that it is about are called, for people.
    pub names: BTreeMap<SkillId, String>,
    /// Records and names that mean no skill, or several. They are counted nowhere.
    pub orphans: Vec<Left>,
    /// What was not taken over, and why.
    pub left: Vec<Left>,
    /// Whether there is anything to write at all.
    pub is_news: bool,
}

/// Makes the plan.
#[must_use]
pub fn plan(inputs: &Inputs<'_>) -> Plan {
    let said = inputs.said;
    let before = Before::new(said, inputs.taken);
    let source = Source {
        program: said.program.word().to_owned(),
        place: said.place.clone(),
        digest: said.digest,
        last: inputs.now,
        kept: serde_json::Value::Object(said.kept.clone()).to_string(),
    };
    let takeover = Takeover {
        source,
        planned_on: inputs.taken.runs,
        put_away: Vec::new(),
        events: Vec::new(),
        origins: Vec::new(),
        pins: Vec::new(),
        states: Vec::new(),
        since: Vec::new(),
        references: None,
        marks: Vec::new(),
    };
    let plan = Plan {
        takeover,
        pins_in_roots: Vec::new(),
        names: BTreeMap::new(),
        orphans: Vec::new(),
        left: said.left.clone(),
        is_news: false,
    };
    let mut making = Making { inputs, before, plan, claims: BTreeMap::new() };
    making.put_away();
    making.records();
    making.claims();
    making.references();
    making.done()
}

struct Making<'a> {
    inputs: &'a Inputs<'a>,
    before: Before<'a>,
    plan: Plan,
    /// What is said of who made each skill, by its folder.
    claims: BTreeMap<(String, SkillId), (Standing, Origins)>,
}

/// Who made a skill, each with the file that says it.
type Origins = BTreeSet<(Origin, String)>;

impl Making<'_> {
    fn left(&mut self, at: impl AsRef<str>, why: impl AsRef<str>) {
        let file = self.inputs.said.records_file;
        self.plan.left.push(Left::new(file, at, why));
    }

    /// The one skill that any of these forms means; an orphan otherwise.
    fn one(&mut self, file: &str, key: &str, forms: &[&str]) -> Option<Standing> {
        let mut found = Vec::new();
        for form in forms {
            found = (self.inputs.named)(form);
            if !found.is_empty() {
                break;
            }
        }
        if let [_] = found.as_slice() {
            let one = found.pop()?;
            self.plan.names.insert(one.id, one.folder.clone());
            return Some(one);
        }
        let why = if found.is_empty() {
            "no skill is called so".to_owned()
        } else {
            let folders: Vec<String> = found.iter().map(|it| format!("`{}`", it.folder)).collect();
            format!("{} skills are called so: {}", found.len(), folders.join(", "))
        };
        self.plan.orphans.push(Left::new(file, key, why));
        None
    }

    fn put_away(&mut self) {
        for it in self.inputs.archive.iter().filter(|it| !it.known) {
            self.plan.names.insert(it.away.id, it.away.found.folder.clone());
            self.plan.takeover.put_away.push(it.away.clone());
        }
    }

    fn records(&mut self) {
        let said = self.inputs.said;
        let mut about: BTreeMap<SkillId, Vec<(&Record, Standing)>> = BTreeMap::new();
        let mut order = Vec::new();
        for record in &said.records {
            if let Some(skill) = self.one(said.records_file, &record.key, &[&record.key]) {
                order.push(skill.id);
                about.entry(skill.id).or_default().push((record, skill));
            }
        }
        // All records of a skill together, in the order of the file.
        for id in order {
            let records = about.remove(&id).unwrap_or_default();
            let new = |(record, _): &(&Record, Standing)| -> u64 {
                let known = self.before.mark(record, id).map_or(0, |mark| mark.uses);
                u64::from(record.uses.count.saturating_sub(known))
            };
            let mut uses = self.before.uses(id, records.iter().map(new).sum());
            for (record, skill) in &records {
                self.counts(record, skill, &mut uses);
                self.standing(record, skill);
            }
        }
    }

    /// The counts of one record, as far as they are new. `uses` are those that the other program has not counted as well.
    fn counts(&mut self, record: &Record, skill: &Standing, uses: &mut u64) {
        let mark = self.before.mark(record, skill.id).cloned();
        let known = mark.as_ref().map_or((0, 0, 0), |mark| (mark.views, mark.uses, mark.writes));
        // Only uses are counted by both programs.
        let mut all = u64::MAX;
        let views = self.count(record, skill, (Kind::View, record.views, known.0), &mut all);
        let used = self.count(record, skill, (Kind::Use, record.uses, known.1), uses);
        let writes = self.count(record, skill, (Kind::Write, record.writes, known.2), &mut all);
        let before = mark.map_or(State::Active, |mark| mark.state);
        self.plan.takeover.marks.push(Mark {
            key: record.key.clone(),
            made: record.made.clone(),
            skill: skill.id,
            views,
            uses: used,
            writes,
            pinned: record.pinned,
            state: record.state.unwrap_or(before),
        });
    }

    /// One count: what is new of it, and at most so many, as an event. Gives back how many count as taken over.
    fn count(
        &mut self,
        record: &Record,
        skill: &Standing,
        (kind, count, known): (Kind, Count, u32),
        most: &mut u64,
    ) -> u32 {
        let at = format!("{}: {}", record.key, words(kind));
        if count.count < known {
            let why = format!("found {}, and {known} were taken over before", count.count);
            self.left(&at, why);
        }
        let told = count.count.saturating_sub(known);
        let Some(last) = time(count, record) else {
            if told > 0 {
                let why = format!("{} without any time, so when is not known", count.count);
                self.left(&at, why);
            }
            return known;
        };
        let new = told.min(u32::try_from(*most).unwrap_or(u32::MAX));
        *most -= u64::from(new);
        if new < told {
            let other = self.before.other().name();
            self.left(&at, format!("{} were taken over from {other} already", told - new));
        }
        if new > 0 {
            if last > self.inputs.now {
                let why =
                    format!("the last one lies in the future, at {last}; it is kept as it is");
                self.left(&at, why);
            }
            self.plan.takeover.events.push(Event {
                skill: skill.id,
                at: last,
                kind,
                actor: Actor::Foreground,
                weight: new,
                session: None,
                note: Some(format!("counted by {}", self.inputs.said.program.name())),
            });
        }
        known.max(count.count)
    }

    /// Pin, state, age and mark of one record.
    fn standing(&mut self, record: &Record, skill: &Standing) {
        let mark = self.before.mark(record, skill.id);
        let (was_pinned, was) =
            mark.map_or((false, State::Active), |mark| (mark.pinned, mark.state));
        let (id, archived) = (skill.id, skill.state == State::Archived);
        let anew = record.pinned && !was_pinned && !skill.pinned;
        match (anew, archived, skill.owned) {
            (true, true, _) => {
                self.left(
                    &record.key,
                    "it is pinned there, and lies in the archive; a restore doesn't pin it",
                );
            }
            (true, false, true) => self.plan.pins_in_roots.push(id),
            (true, false, false) => self.plan.takeover.pins.push(id),
            (false, ..) => {}
        }
        if was_pinned && !record.pinned && skill.pinned {
            self.left(&record.key, "it is no longer pinned there, and stays pinned here");
        }
        match (record.state, skill.state) {
            (Some(State::Stale), State::Active) if was != State::Stale => {
                self.plan.takeover.states.push((id, State::Stale));
            }
            (Some(State::Active), State::Stale) if was == State::Stale => {
                self.plan.takeover.states.push((id, State::Active));
            }
            (Some(State::Archived), State::Active | State::Stale) => {
                let why = format!(
                    "it is archived by its record, and lies in its place; it stays {}",
                    skill.state.word()
                );
                self.left(&record.key, why);
            }
            _ => {}
        }
        if let Some(archived) = record.archived
            && let Some(away) = self.plan.takeover.put_away.iter_mut().find(|it| it.id == id)
        {
            away.since = archived;
        }
        match record.since {
            Some(since) if since > self.inputs.now => {
                let why = format!("it begins in the future, at {since}; it is not taken");
                self.left(&record.key, why);
            }
            Some(since) if since < skill.since => self.plan.takeover.since.push((id, since)),
            _ => {}
        }
        if let Some(origin) = record.origin {
            self.claim(skill.clone(), origin, self.inputs.said.records_file);
        }
    }

    fn claim(&mut self, skill: Standing, origin: Origin, file: &str) {
        let place = (skill.folder.clone(), skill.id);
        let entry = self.claims.entry(place).or_insert_with(|| (skill, BTreeSet::new()));
        entry.1.insert((origin, file.to_owned()));
    }

    /// Who made skills. What is declared here stays, and lists that contradict each other say nothing.
    fn claims(&mut self) {
        for claim in &self.inputs.said.claims {
            let folder = claim.folder.as_deref();
            let forms: Vec<&str> = folder.into_iter().chain([claim.key.as_str()]).collect();
            if let Some(skill) = self.one(claim.file, &claim.key, &forms) {
                self.claim(skill, claim.origin, claim.file);
            }
        }
        for ((_, id), (skill, claims)) in std::mem::take(&mut self.claims) {
            let origins: BTreeSet<Origin> = claims.iter().map(|(origin, _)| *origin).collect();
            let mut all = origins.into_iter();
            let (Some(origin), others) = (all.next(), all.next()) else { continue };
            let words = || {
                let word =
                    |(origin, file): &(Origin, String)| format!("`{}` by `{file}`", origin.word());
                claims.iter().map(word).collect::<Vec<_>>().join(", ")
            };
            if others.is_some() {
                let why = format!("{}: it stays `{}`", words(), skill.origin.word());
                self.left(&skill.folder, why);
            } else if skill.origin == Origin::Unknown {
                self.plan.takeover.origins.push((id, origin));
            } else if skill.origin != origin {
                self.left(
                    &skill.folder,
                    format!("{}, and `{}` here", words(), skill.origin.word()),
                );
            }
        }
    }

    fn references(&mut self) {
        let Some(jobs) = &self.inputs.said.jobs else { return };
        let mut references = Vec::new();
        for it in jobs {
            let forms = forms(&it.spelling, self.inputs.tops);
            let found =
                forms.iter().map(|form| (self.inputs.named)(form)).find(|it| !it.is_empty());
            let reference =
                |skill| Reference { job: it.job.clone(), spelling: it.spelling.clone(), skill };
            let found = found.unwrap_or_default();
            for skill in &found {
                self.plan.names.insert(skill.id, skill.folder.clone());
                references.push(reference(Some(skill.id)));
            }
            if found.is_empty() {
                references.push(reference(None));
            }
        }
        self.plan.takeover.references = Some(references);
    }

    fn done(mut self) -> Plan {
        let source = self.before.source();
        let here = self.inputs.taken.sources.iter().find(|(it, ..)| Some(it) == source);
        let it = &mut self.plan.takeover;
        // What is the same as last time need not be written again.
        let known = here.map_or(&[][..], |(_, marks, _)| marks.as_slice());
        let known: BTreeMap<(&str, &str), &Mark> =
            known.iter().map(|mark| ((mark.key.as_str(), mark.made.as_str()), mark)).collect();
        it.marks.retain(|mark| known.get(&(mark.key.as_str(), mark.made.as_str())) != Some(&mark));
        let told = here.map_or(&[][..], |(.., references)| references.as_slice());
        it.references = it.references.take().filter(|new| new.as_slice() != told);
        let same_kept =
            source.map_or(self.inputs.said.kept.is_empty(), |source| source.kept == it.source.kept);
        self.plan.is_news = !same_kept
            || !self.plan.pins_in_roots.is_empty()
            || it.references.is_some()
            || !it.marks.is_empty()
            || !it.put_away.is_empty()
            || !it.events.is_empty()
            || !it.origins.is_empty()
            || !it.pins.is_empty()
            || !it.states.is_empty()
            || !it.since.is_empty();
        self.plan.left.dedup();
        self.plan
    }
}

/// When the last one was: by its own time, else not before the record was begun.
fn time(count: Count, record: &Record) -> Option<Instant> {
    count.last.or(record.since)
}

/// What a count is of, for people.
fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::View => "views",
        Kind::Use => "uses",
        _ => "writes",
    }
}
