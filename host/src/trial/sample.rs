//! Made-up snapshots, as rows that can be taken away one by one: drawn from a seed, so that a run can be repeated.

use std::collections::BTreeMap;

use skillkeep_policy::{facts::Value, testkit::Library};

/// A small generator of numbers: the same from the same seed, on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        // Steele, Lea and Flood's SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below another, which is not 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// Yes in so many of a hundred times.
    pub(crate) fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }

    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(usize::try_from(self.below(list.len() as u64)).unwrap_or(0))
    }
}

pub(super) type Facts = BTreeMap<String, Value>;

/// A snapshot that was made up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample {
    pub(super) seed: u64,
    pub(super) limit: u32,
    pub(super) fixed: u32,
    pub(super) context: Facts,
    /// Name and facts.
    pub(super) categories: Vec<(String, Facts)>,
    /// Category by place, name, facts.
    pub(super) skills: Vec<(usize, String, Facts)>,
}

/// The time of all samples.
pub(super) const NOW: i64 = 1_780_000_000;
const DAY: u64 = 86_400;

/// Facts that keep a skill from being retired.
pub(super) const GUARDS: &[&str] = &["pinned", "protected", "referenced", "cron-referenced"];

/// What is known of facts that the dictionary doesn't have: values that cases give them.
pub(super) type Known = BTreeMap<String, Vec<Value>>;

impl Sample {
    /// A sample of so many skills.
    pub(super) fn draw(dice: &mut Dice, skills: usize, known: &Known) -> Sample {
        let count = 1 + dice.below((skills as u64 / 8).clamp(1, 60));
        let mut sample = Sample { seed: dice.next() >> 1, ..Sample::default() };
        for number in 0..count {
            sample.categories.push(category(dice, number));
        }
        for number in 0..skills {
            let place = usize::try_from(dice.below(count)).unwrap_or(0);
            sample.skills.push((place, format!("skill-{number}"), skill(dice, known)));
        }
        // A category without skills is never sent.
        sample.drop_empty();
        sample.context = context(dice, known);
        sample.fixed = u32::try_from(dice.below(60)).unwrap_or(0);
        let dear = skills as u64 * 70 + 100;
        sample.limit = u32::try_from(dice.below(dear)).unwrap_or(u32::MAX);
        sample
    }

    /// Drops categories that no skill is in.
    pub(super) fn drop_empty(&mut self) {
        let mut place = 0;
        while place < self.categories.len() {
            if self.skills.iter().any(|(category, ..)| *category == place) {
                place += 1;
            } else {
                self.categories.remove(place);
                for (category, ..) in &mut self.skills {
                    if *category > place {
                        *category -= 1;
                    }
                }
            }
        }
    }

    /// The library that the test kit makes questions of.
    pub(super) fn library(&self) -> Library {
        let mut library = Library::new().now(NOW).seed(self.seed);
        library = library.limit(self.limit).fixed(self.fixed);
        for (key, value) in &self.context {
            library = library.fact(key.clone(), value.clone());
        }
        for (name, facts) in &self.categories {
            library = library.category(name, |category| {
                facts.iter().fold(category, |it, (key, value)| it.fact(key.clone(), value.clone()))
            });
        }
        for (category, name, facts) in &self.skills {
            let category = self.categories.get(*category).map_or("", |(name, _)| name.as_str());
            library = library.skill(category, name, |skill| {
                facts.iter().fold(skill, |it, (key, value)| it.fact(key.clone(), value.clone()))
            });
        }
        library
    }
}

fn integer(value: u64) -> Value {
    Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

fn category(dice: &mut Dice, number: u64) -> (String, Facts) {
    const TOPS: [&str; 8] =
        ["devops", "research", "writing", "media", "data", "hermes", "github", "general"];
    let top = dice.pick(&TOPS).copied().unwrap_or("general");
    let mut facts = Facts::new();
    let costs = [("cost-header", 14), ("cost-names", 12), ("cost-count", 12)];
    for (key, most) in costs {
        facts.insert(key.to_owned(), integer(1 + dice.below(most)));
    }
    for (key, share) in [("user-detail", 15), ("previous-detail", 40)] {
        if dice.percent(share) {
            facts.insert(key.to_owned(), integer(dice.below(3)));
        }
    }
    (format!("{top}/c{number}"), facts)
}

fn skill(dice: &mut Dice, known: &Known) -> Facts {
    let mut facts = Facts::new();
    if dice.percent(60) {
        facts.insert("uses".to_owned(), integer(dice.below(40)));
        let ago = dice.below(500 * DAY);
        facts.insert("last-used".to_owned(), Value::Integer(NOW - i64::try_from(ago).unwrap_or(0)));
    }
    let name = 2 + dice.below(8);
    let short = name + 4 + dice.below(30);
    let full = if dice.percent(20) { short } else { short + dice.below(60) };
    facts.insert("cost-full".to_owned(), integer(full));
    facts.insert("cost-short".to_owned(), integer(short));
    facts.insert("cost-name".to_owned(), integer(name));
    for guard in GUARDS {
        if dice.percent(8) {
            facts.insert((*guard).to_owned(), Value::Boolean(true));
        }
    }
    if dice.percent(25) {
        facts.insert("form-cap".to_owned(), integer(dice.below(4)));
    }
    if dice.percent(40) {
        facts.insert("previous-form".to_owned(), integer(dice.below(4)));
    }
    if dice.percent(90) {
        const WORDS: [&str; 6] = ["Use when", "mends", "the build", "a page", "réseau", "報告書"];
        let count = 1 + dice.below(12);
        let words: Vec<&str> = (0..count).filter_map(|_| dice.pick(&WORDS).copied()).collect();
        facts.insert("description".to_owned(), Value::Text(words.join(" ")));
    }
    for (key, values) in known {
        if let Some(value) = dice.pick(values).filter(|it| !matches!(it, Value::Texts(_))) {
            facts.insert(key.clone(), value.clone());
        }
    }
    // Drawn apart, so that what other slots are told stays what it was.
    life(&mut Dice::new(dice.0 ^ 0x6c69_6665), &mut facts);
    facts
}

/// What a curator is told beside use.
fn life(dice: &mut Dice, facts: &mut Facts) {
    const ORIGINS: [&str; 7] =
        ["unknown", "person", "foreground", "review", "bundled", "installed", "adopted"];
    let text = |word: &str| Value::Text(word.to_owned());
    let mut tell = |key: &str, value: Value| facts.insert(key.to_owned(), value);
    tell("state", text(if dice.percent(30) { "stale" } else { "active" }));
    tell("origin", text(dice.pick(&ORIGINS).copied().unwrap_or("review")));
    tell("candidate", Value::Boolean(dice.percent(85)));
    let ago = |dice: &mut Dice, days: u64| {
        Value::Integer(NOW - i64::try_from(dice.below(days * DAY)).unwrap_or(0))
    };
    tell("created", ago(dice, 600));
    for (key, share) in [
        ("adopted", 20),
        ("restored", 15),
        ("last-viewed", 40),
        ("last-written", 40),
        ("last-success", 30),
        ("last-failure", 30),
        ("negative-checked", 15),
    ] {
        if dice.percent(share) {
            tell(key, ago(dice, 500));
        }
    }
    for (key, share, most) in [
        ("views", 60, 60),
        ("writes", 40, 12),
        ("successes", 40, 12),
        ("failures", 40, 16),
        ("corrected", 25, 8),
    ] {
        if dice.percent(share) {
            tell(key, integer(dice.below(most)));
        }
    }
    if dice.percent(25) {
        let claims = 1 + dice.below(4);
        tell("negative-claims", integer(claims));
        tell("negative-evidence", integer(dice.below(claims + 1)));
        tell("negative-claim", text("The tool doesn't work here."));
        if dice.percent(30) {
            let days = i64::try_from(dice.below(200)).unwrap_or(0) - 100;
            tell("negative-expiry", Value::Integer(NOW + days * 86_400));
        }
    }
}

fn context(dice: &mut Dice, known: &Known) -> Facts {
    let mut facts = Facts::new();
    let mut list = |facts: &mut Facts, key: &str, words: &[&str]| {
        if dice.percent(70) {
            let count = dice.below(4);
            let drawn = (0..count).filter_map(|_| dice.pick(words)).map(|word| (*word).to_owned());
            let mut drawn: Vec<String> = drawn.collect();
            drawn.sort();
            drawn.dedup();
            facts.insert(key.to_owned(), Value::Texts(drawn));
        }
    };
    list(&mut facts, "toolsets", &["terminal", "web", "file", "browser", "mystery"]);
    list(&mut facts, "tools", &["process", "web_search", "skill_view", "patch"]);
    facts.insert("cost-rest".to_owned(), integer(1 + dice.below(24)));
    facts.insert("unit".to_owned(), Value::Text("tokens".to_owned()));
    facts.insert("platform".to_owned(), Value::Text("linux".to_owned()));
    for (key, values) in known {
        if let Some(value) = dice.pick(values) {
            facts.insert(key.clone(), value.clone());
        }
    }
    facts
}

/// A smaller sample that still fails, found by taking away whatever isn't needed. `fails` is asked at most so many times.
pub(super) fn shrink(
    sample: Sample,
    most: usize,
    fails: &mut dyn FnMut(&Sample) -> bool,
) -> Sample {
    let mut best = sample;
    let mut asked = 0;
    let mut chunk = best.skills.len().div_ceil(2).max(1);
    let mut try_it = |candidate: Sample, best: &mut Sample| {
        asked += 1;
        let smaller = asked <= most && candidate != *best && fails(&candidate);
        if smaller {
            *best = candidate;
        }
        smaller
    };
    loop {
        let mut progress = false;
        let mut at = 0;
        while at < best.skills.len() {
            let mut candidate = best.clone();
            let end = (at + chunk).min(candidate.skills.len());
            candidate.skills.drain(at..end);
            candidate.drop_empty();
            if try_it(candidate, &mut best) {
                progress = true;
            } else {
                at = end;
            }
        }
        if chunk > 1 {
            chunk = chunk.div_ceil(2);
        } else if !progress {
            break;
        }
    }
    for simpler in [|it: &mut Sample| it.seed = 0, |it: &mut Sample| it.fixed = 0] {
        let mut candidate = best.clone();
        simpler(&mut candidate);
        try_it(candidate, &mut best);
    }
    while best.limit > 0 {
        let mut candidate = best.clone();
        candidate.limit /= 2;
        if !try_it(candidate, &mut best) {
            break;
        }
    }
    drop_facts(&mut best, &mut try_it);
    round_times(&mut best, &mut try_it);
    best
}

/// Whole days are read more easily.
fn round_times(best: &mut Sample, try_it: Try<'_>) {
    for place in 0..best.skills.len() {
        let mut candidate = best.clone();
        if let Some((.., facts)) = candidate.skills.get_mut(place)
            && let Some(Value::Integer(then)) = facts.get_mut("last-used")
        {
            *then = NOW - (NOW - *then) / 86_400 * 86_400;
        }
        try_it(candidate, best);
    }
}

type Try<'a> = &'a mut dyn FnMut(Sample, &mut Sample) -> bool;

fn drop_facts(best: &mut Sample, try_it: Try<'_>) {
    for key in best.context.keys().cloned().collect::<Vec<_>>() {
        // Without it the cost of a block is not known.
        if key != "cost-rest" {
            let mut candidate = best.clone();
            candidate.context.remove(&key);
            try_it(candidate, best);
        }
    }
    for place in 0..best.skills.len() {
        let keys =
            best.skills.get(place).map(|(.., facts)| facts.keys().cloned().collect::<Vec<_>>());
        for key in keys.unwrap_or_default() {
            let mut candidate = best.clone();
            if let Some((.., facts)) = candidate.skills.get_mut(place) {
                facts.remove(&key);
            }
            try_it(candidate, best);
        }
    }
    for place in 0..best.categories.len() {
        let keys =
            best.categories.get(place).map(|(_, facts)| facts.keys().cloned().collect::<Vec<_>>());
        for key in keys.unwrap_or_default() {
            let mut candidate = best.clone();
            if let Some((_, facts)) = candidate.categories.get_mut(place) {
                facts.remove(&key);
            }
            try_it(candidate, best);
        }
    }
}
