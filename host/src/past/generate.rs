//! Histories that are made up: use by stated distributions, drawn from a seed. The same seed gives the same history on every
//! machine, so no function is used here whose last bit a machine may choose.
//!
//! What all of them have in common: a year goes before the first pass, and of ten skills seven were made in it, on any of its
//! days alike; the others are made while passes run. A line costs 20 to 60 tokens, a name 4. Somebody who opens a skill uses
//! it nine times of ten, and only looks at it else. Of ten uses three are told how they went, and one of fifty is followed by
//! a change. Nine skills of ten help nine times of ten, the tenth twice. All are in the curator's care, none is pinned.

use crate::{
    curator::Subject,
    ledger::Kind as DeedKind,
    skill::{Instant, SkillId},
    trial::Dice,
};

use super::{Deed, History, Life, replay::DAY};

/// Midnight of the first day of 2024.
const BEGIN: i64 = 1_704_067_200;
/// Days before the first pass.
const BEFORE: i64 = 365;
/// Skills for each time that one is opened on a day, over all the library: 20 a day among a thousand.
const SKILLS_A_USE: f64 = 50.0;
/// Times on a day at which a skill may be opened.
const TIMES: u32 = 4;
/// Mean days for which a skill is of interest, where interest drifts.
const INTEREST: u64 = 120;
/// Days of a season.
const SEASON: i64 = 30;
/// Days of a year of seasons.
const YEAR: i64 = 365;
/// Mean days of a burst.
const BURST: u64 = 10;
/// The shortest pause between bursts, in days, and the longest.
const PAUSE: (f64, i64) = (14.0, 730);

/// How skills are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Steadily, each by its rank: the second half as often as the first, the third a third as often.
    Zipf,
    /// By rank as well, for as long as somebody is interested: each day one skill of 120 is never used again.
    Drift,
    /// One month each year, a skill's own; then about every third day.
    Seasons,
    /// In bursts of 10 days on average, daily; then a pause: of 14 days at least, half of them longer than 28, a fourth
    /// longer than 56 and so on (Pareto's law with the exponent 1), up to two years.
    Bursts,
    /// Each skill by one of the four, drawn.
    Mixed,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [Kind::Zipf, Kind::Drift, Kind::Seasons, Kind::Bursts, Kind::Mixed];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Zipf => "zipf",
            Kind::Drift => "drift",
            Kind::Seasons => "seasons",
            Kind::Bursts => "bursts",
            Kind::Mixed => "mixed",
        }
    }

    /// What a word means; nothing for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// What is to be made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// How skills are used.
    pub kind: Kind,
    /// How many there are.
    pub skills: u32,
    /// Days on which there are passes.
    pub days: u32,
    /// Days that are known after the last pass: those of the window.
    pub after: u32,
    /// What it is drawn from.
    pub seed: u64,
}

impl Generated {
    /// Draws it.
    #[must_use]
    pub fn history(&self) -> History {
        let mut dice = Dice::new(self.seed);
        let passes = i64::from(self.days);
        let until = BEFORE + passes + i64::from(self.after);
        let (mut lives, mut deeds) = (Vec::new(), Vec::new());
        let ranks: f64 = (1..=self.skills).map(|rank| 1.0 / f64::from(rank)).sum();
        let a_day = f64::from(self.skills) / SKILLS_A_USE;
        for number in 0..self.skills {
            // Each skill has dice of its own, so that one more skill changes none of the others.
            let mut dice = Dice::new(dice.next());
            let made = if dice.percent(70) {
                below(&mut dice, BEFORE)
            } else {
                BEFORE + below(&mut dice, passes.max(1))
            };
            let rate = a_day / ranks / f64::from(number + 1);
            let habit = Habit::draw(self.kind, rate, &mut dice);
            let helps = if dice.percent(90) { 90 } else { 20 };
            let line = 20 + u32::try_from(dice.below(41)).unwrap_or(0);
            lives.push(life(number, Instant(BEGIN + made * DAY), line));
            let mut user = User { dice, habit, helps, skill: lives.len() - 1 };
            for day in made..until {
                user.live(day, day == made, &mut deeds);
            }
        }
        let at = |day: i64| Instant(BEGIN + day * DAY);
        History::new(self.kind.word(), lives, deeds, Some(at(BEFORE)), at(until))
    }
}

fn below(dice: &mut Dice, end: i64) -> i64 {
    i64::try_from(dice.below(end.unsigned_abs())).unwrap_or(0)
}

fn life(number: u32, created: Instant, line: u32) -> Life {
    let id = SkillId::from_random(u64::from(number) + 1);
    let subject = Subject::plain(id, "/made-up", &format!("skill-{number}"), created);
    Life { subject, line, name: 4, enters: created }
}

/// How one skill is used.
enum Habit {
    /// So often a day on average, and each day with this chance (of so many days, one) for the last time.
    Steady { rate: f64, ends: Option<u64> },
    /// From this day of each year on.
    Season { first: i64 },
    /// In bursts; the day on which the next one begins, where it is pausing.
    Bursts { pause_until: Option<i64> },
    /// Never again.
    Over,
}

impl Habit {
    fn draw(kind: Kind, rate: f64, dice: &mut Dice) -> Habit {
        match kind {
            Kind::Zipf => Habit::Steady { rate, ends: None },
            Kind::Drift => Habit::Steady { rate, ends: Some(INTEREST) },
            Kind::Seasons => Habit::Season { first: below(dice, YEAR) },
            Kind::Bursts => Habit::Bursts { pause_until: None },
            Kind::Mixed => {
                let plain = [Kind::Zipf, Kind::Drift, Kind::Seasons, Kind::Bursts];
                let kind = dice.pick(&plain).copied().unwrap_or(Kind::Zipf);
                Habit::draw(kind, rate, dice)
            }
        }
    }

    /// How often it is opened on a day, on average. What ends or begins does so with the day.
    fn rate(&mut self, day: i64, is_first: bool, dice: &mut Dice) -> f64 {
        match self {
            Habit::Steady { rate, ends } => {
                let rate = *rate;
                if ends.is_some_and(|ends| dice.below(ends) == 0) {
                    *self = Habit::Over;
                }
                rate
            }
            Habit::Season { first } => {
                let into = (day - *first).rem_euclid(YEAR);
                if into < SEASON { 1.0 / 3.0 } else { 0.0 }
            }
            Habit::Bursts { pause_until } => {
                if pause_until.is_some_and(|until| day < until) && !is_first {
                    return 0.0;
                }
                *pause_until = None;
                if dice.below(BURST) == 0 {
                    *pause_until = Some(day.saturating_add(pause(dice)));
                }
                1.0
            }
            Habit::Over => 0.0,
        }
    }
}

/// Days of a pause: the shortest, divided by a part of 1 that is drawn.
fn pause(dice: &mut Dice) -> i64 {
    let (shortest, longest) = PAUSE;
    let part = f64::from(u32::try_from(dice.below(1 << 32)).unwrap_or(0)) + 1.0;
    let days = shortest / (part / 4_294_967_296.0);
    #[allow(clippy::cast_possible_truncation, reason = "more than the longest is the longest")]
    let days = days as i64;
    days.min(longest)
}

/// Whoever uses one skill.
struct User {
    dice: Dice,
    habit: Habit,
    /// Of a hundred uses so many help.
    helps: u64,
    skill: usize,
}

impl User {
    fn live(&mut self, day: i64, is_first: bool, deeds: &mut Vec<Deed>) {
        let rate = self.habit.rate(day, is_first, &mut self.dice);
        if rate <= 0.0 {
            return;
        }
        // Of 2^32 draws so many open it.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a part of 2^32, and never below 0"
        )]
        let chance = (rate / f64::from(TIMES) * 4_294_967_296.0) as u64;
        for time in 0..TIMES {
            if self.dice.below(1 << 32) < chance {
                // Between nine and five, two hours apart.
                let at = Instant(BEGIN + day * DAY + (9 + i64::from(time) * 2) * 3_600);
                self.open(at, deeds);
            }
        }
    }

    fn open(&mut self, at: Instant, deeds: &mut Vec<Deed>) {
        let skill = self.skill;
        let mut put = |kind| deeds.push(Deed { at, skill, kind, weight: 1, upkeep: false });
        put(DeedKind::View);
        if !self.dice.percent(90) {
            return;
        }
        put(DeedKind::Use);
        if self.dice.percent(30) {
            let helped = self.dice.percent(self.helps);
            put(if helped { DeedKind::Success } else { DeedKind::Failure });
        }
        if self.dice.percent(2) {
            put(DeedKind::Write);
        }
    }
}
