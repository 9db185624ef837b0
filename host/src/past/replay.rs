//! One rule from the first pass to the last.

use std::collections::BTreeMap;

use super::{Contender, Deed, History, Life, Regret, Score, soon::Soon};
use crate::{
    config::Combine,
    curator::{Asked, Plan, Subject, make},
    decision::Reasoned,
    laws::Bounds,
    skill::{Instant, SkillId, State},
};

/// Seconds of a day.
pub(super) const DAY: i64 = 86_400;

/// How a replay goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Days after a retirement in which it may be regretted, from 1.
    pub window: u32,
    /// Days from one pass to the next, from 1.
    pub every: u32,
    /// How several policies become one.
    pub combine: Combine,
    /// Whether a stale skill is carried with the tokens of its name; else it is only counted, and costs nothing.
    pub stale_is_named: bool,
}

impl Terms {
    pub(super) fn window(&self) -> i64 {
        i64::from(self.window.max(1)) * DAY
    }

    /// When the last pass may be: what comes after it is known for a whole window.
    #[must_use]
    pub fn last(&self, history: &History) -> Instant {
        Instant(history.until.0.saturating_sub(self.window()))
    }

    /// How many passes there are.
    #[must_use]
    pub fn passes(&self, history: &History) -> i64 {
        let every = i64::from(self.every.max(1)) * DAY;
        let span = self.last(history).since(history.from).max(0);
        span / every + i64::from(span % every > 0)
    }
}

/// What somebody who watches a replay is shown of each pass.
pub struct Look<'a> {
    /// When it is.
    pub now: Instant,
    /// The skills that are looked at, as they were known then.
    pub subjects: &'a [Subject],
    /// What is done.
    pub plan: &'a Plan,
}

/// Where a skill is.
#[derive(Clone, Debug)]
enum Place {
    /// Not known yet.
    Ahead,
    /// In the library.
    Here,
    /// Retired, with when, by whom and why.
    Away(Box<(Subject, Instant, String, Reasoned)>),
}

/// What is known of one skill beside its subject.
struct Track {
    place: Place,
    /// Since when it is carried at this price; nothing is reckoned before the first pass.
    since: Instant,
    /// Tokens that it costs now.
    price: u32,
}

struct Replay<'h> {
    history: &'h History,
    terms: Terms,
    soon: Vec<Soon>,
    tracks: Vec<Track>,
    /// Skills of the library, and which each is: side by side.
    subjects: Vec<Subject>,
    skills: Vec<usize>,
    /// Where in the two lists above a skill is.
    seats: Vec<usize>,
    by_id: BTreeMap<SkillId, usize>,
    score: Score,
}

/// Tries a contender on a history. `watch` is shown each pass before it is carried out.
#[must_use]
pub fn replay(
    history: &History,
    terms: Terms,
    contender: &Contender<'_>,
    watch: &mut dyn FnMut(&Look<'_>),
) -> Score {
    let mut replay = Replay::new(history, terms);
    let every = i64::from(terms.every.max(1)) * DAY;
    let last = terms.last(history);
    let mut deeds = history.deeds.iter().peekable();
    // Those who enter, by when they do, the last first.
    let mut entering: Vec<usize> = (0..history.lives.len()).collect();
    entering.sort_by_key(|skill| std::cmp::Reverse(history.lives.get(*skill).map(|it| it.enters)));
    let (mut now, mut before) = (history.from, None);
    while now < last {
        replay.go_on(now, &mut deeds, &mut entering);
        replay.pass(now, before, contender, watch);
        before = Some(now);
        now = Instant(now.0.saturating_add(every));
    }
    // Skills that come in between are carried as well; after the last moment that is judged nothing is reckoned.
    replay.go_on(last, &mut deeds, &mut entering);
    replay.close(last);
    for deed in deeds {
        replay.happens(deed);
    }
    replay.score
}

type Deeds<'h> = std::iter::Peekable<std::slice::Iter<'h, Deed>>;

impl<'h> Replay<'h> {
    fn new(history: &'h History, terms: Terms) -> Replay<'h> {
        let count = history.lives.len();
        let track = || Track { place: Place::Ahead, since: history.from, price: 0 };
        Replay {
            history,
            terms,
            soon: Soon::of(history, terms.window()),
            tracks: (0..count).map(|_| track()).collect(),
            subjects: Vec::with_capacity(count),
            skills: Vec::with_capacity(count),
            seats: vec![0; count],
            by_id: (0..).zip(&history.lives).map(|(at, life)| (life.subject.id, at)).collect(),
            score: Score::default(),
        }
    }

    /// All that happened up to a time.
    fn go_on(&mut self, now: Instant, deeds: &mut Deeds<'h>, entering: &mut Vec<usize>) {
        let enters = |skill: usize| self.history.lives.get(skill).map(|life| life.enters);
        let mut new = Vec::new();
        while let Some(skill) = entering.pop_if(|skill| enters(*skill) <= Some(now)) {
            new.push(skill);
        }
        for skill in new {
            if let Some(life) = self.history.lives.get(skill) {
                let since = life.enters.max(self.history.from);
                self.enter(skill, life.subject.clone(), since);
            }
        }
        while let Some(deed) = deeds.next_if(|deed| deed.at <= now) {
            self.happens(deed);
        }
    }

    fn happens(&mut self, deed: &Deed) {
        let Some(track) = self.tracks.get_mut(deed.skill) else { return };
        match &mut track.place {
            Place::Ahead => {}
            Place::Here => {
                let seat = self.seats.get(deed.skill).copied();
                if let Some(subject) = seat.and_then(|seat| self.subjects.get_mut(seat)) {
                    deed.count(subject);
                }
            }
            Place::Away(_) if deed.is_want() => self.comes_back(deed),
            Place::Away(away) => deed.count(&mut away.0),
        }
    }

    /// Somebody wants what was retired, and brings it back.
    fn comes_back(&mut self, deed: &Deed) {
        let Some(track) = self.tracks.get_mut(deed.skill) else { return };
        let Place::Away(away) = std::mem::replace(&mut track.place, Place::Here) else { return };
        let (mut subject, retired, by, reason) = *away;
        if deed.at.since(retired) <= self.terms.window() {
            self.score.totals.regretted += 1;
            let (name, wanted) = (subject.name.clone(), deed.at);
            self.score.regrets.push(Regret { name, retired, wanted, by, reason });
        } else {
            self.score.totals.late += 1;
        }
        subject.restored = Some(deed.at);
        subject.standing.state = State::Active;
        deed.count(&mut subject);
        self.enter(deed.skill, subject, deed.at);
    }

    fn enter(&mut self, skill: usize, subject: Subject, since: Instant) {
        let price = self.history.lives.get(skill).map_or(0, |life| life.line);
        if let Some(track) = self.tracks.get_mut(skill) {
            *track = Track { place: Place::Here, since, price };
        }
        if let Some(seat) = self.seats.get_mut(skill) {
            *seat = self.subjects.len();
        }
        self.subjects.push(subject);
        self.skills.push(skill);
    }

    fn pass(
        &mut self,
        now: Instant,
        before: Option<Instant>,
        contender: &Contender<'_>,
        watch: &mut dyn FnMut(&Look<'_>),
    ) {
        for subject in &mut self.subjects {
            let news = [Some(subject.created), subject.adopted, subject.restored];
            let since =
                |before: Instant| news.iter().flatten().any(|it| *it > before && *it <= now);
            subject.standing.fresh = before.is_some_and(since);
        }
        let soon: Vec<&Soon> = self.skills.iter().filter_map(|at| self.soon.get(*at)).collect();
        let heard = contender.hear(&self.subjects, &soon, now);
        let terms = (Asked::Person, Bounds::ASKED);
        let plan = make(&self.subjects, &heard, self.terms.combine, terms, now);
        watch(&Look { now, subjects: &self.subjects, plan: &plan });
        self.score.totals.passes += 1;
        if let Some((who, why)) = plan.failed() {
            self.score.totals.failed += 1;
            self.score.failure.get_or_insert_with(|| (who.to_owned(), why.to_owned()));
        }
        self.carry_out(&plan, now);
    }

    fn carry_out(&mut self, plan: &Plan, now: Instant) {
        let mut retires = false;
        for row in &plan.rows {
            let totals = &mut self.score.totals;
            totals.held += u32::from(row.wanted == State::Archived && row.law.is_some());
            let (Some(to), Some(&skill)) = (row.to, self.by_id.get(&row.id)) else { continue };
            let seat = self.seats.get(skill).copied().unwrap_or(usize::MAX);
            let (Some(life), Some(subject)) =
                (self.history.lives.get(skill), self.subjects.get_mut(seat))
            else {
                continue;
            };
            let price = life.price(to, &self.terms);
            subject.standing.state = to;
            match to {
                State::Archived => totals.retired += 1,
                State::Stale => totals.stale += 1,
                _ => totals.reactivated += 1,
            }
            if to == State::Archived {
                retires = true;
                let by = row.by.join("+");
                let away = (subject.clone(), now, by, row.reason.clone());
                self.reckon(skill, now, price);
                if let Some(track) = self.tracks.get_mut(skill) {
                    track.place = Place::Away(Box::new(away));
                }
            } else {
                self.reckon(skill, now, price);
            }
        }
        if retires {
            self.close_ranks();
        }
    }

    /// Takes those out of the lists who are retired.
    fn close_ranks(&mut self) {
        let skills = std::mem::take(&mut self.skills);
        let subjects = std::mem::take(&mut self.subjects);
        for (skill, subject) in skills.into_iter().zip(subjects) {
            if subject.standing.state == State::Archived {
                continue;
            }
            if let Some(seat) = self.seats.get_mut(skill) {
                *seat = self.subjects.len();
            }
            self.subjects.push(subject);
            self.skills.push(skill);
        }
    }

    /// Reckons what a skill has cost up to a time, and what it costs from then on.
    fn reckon(&mut self, skill: usize, now: Instant, price: u32) {
        let (Some(track), Some(soon)) = (self.tracks.get_mut(skill), self.soon.get(skill)) else {
            return;
        };
        let seconds = now.since(track.since).max(0);
        let wasted = seconds - soon.between(track.since, now).min(seconds);
        let cost = |seconds: i64| u64::from(track.price).saturating_mul(seconds.unsigned_abs());
        let totals = &mut self.score.totals;
        totals.carried = totals.carried.saturating_add(cost(seconds));
        totals.wasted = totals.wasted.saturating_add(cost(wasted));
        track.since = track.since.max(now);
        track.price = price;
    }

    /// Reckons what all have cost up to the last moment that is judged.
    fn close(&mut self, last: Instant) {
        for skill in self.skills.clone() {
            self.reckon(skill, last, 0);
        }
    }
}

impl Life {
    /// What it costs to carry it in a state.
    #[must_use]
    pub fn price(&self, state: State, terms: &Terms) -> u32 {
        match state {
            State::Active => self.line,
            State::Stale if terms.stale_is_named => self.name,
            _ => 0,
        }
    }
}
