//! Drawing tasks from a library's bodies, apart from what its index says. The room's first lines say how and why.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{
    passages::{Kind, Passage, passages},
    tasks::{Origin, Task},
    words::{all_words, words},
};

/// What tasks are drawn from: one visible skill.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its row in the library.
    pub skill: usize,
    /// Its name.
    pub name: String,
    /// Its category and name: what the draw depends on beside the seed.
    pub qualified: String,
    /// All that any rule may show of it.
    pub line: String,
    /// The body of its file.
    pub body: String,
}

/// Tasks, and how many skills gave none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The tasks, in the order of the sources.
    pub tasks: Vec<Task>,
    /// Skills whose bodies hold nothing to ask.
    pub without: usize,
}

/// Words in a row that a query may have in common with its skill's line.
const MOST_SHARED: usize = 3;
/// Telling words that a query has at least, each counted once; fewer are no question.
const LEAST_WORDS: usize = 3;
/// All words of a query at most; more are no question either.
const MOST_WORDS: usize = 30;
/// Rare words that a query has at least.
const LEAST_RARE: usize = 2;
/// A word is rare if at most one body in so many has it.
const RARE: usize = 20;

/// Draws so many tasks a skill, fewer where its body holds no more: what says when to use it and what is a heading, in
/// turn. A sentence is further from what anybody asks for: one is taken, and only where there is nothing else.
#[must_use]
pub fn draw(sources: &[Source], per_skill: usize, seed: u64) -> Drawn {
    let read: Vec<(Vec<Passage>, HashSet<String>)> = sources
        .iter()
        .map(|source| (passages(&source.body), words(&source.body).into_iter().collect()))
        .collect();
    let common = Common::of(&read);
    let mut drawn = Drawn::default();
    for (source, (passages, _)) in sources.iter().zip(&read) {
        let taken = of_one(source, passages, &common, per_skill, seed);
        drawn.without += usize::from(taken.is_empty());
        drawn.tasks.extend(taken);
    }
    drawn
}

/// What several bodies have in common.
struct Common {
    /// In how many bodies each word is.
    bodies: HashMap<String, usize>,
    /// In how many bodies each passage is, by its words.
    passages: HashMap<Vec<String>, usize>,
    rare: usize,
}

impl Common {
    fn of(read: &[(Vec<Passage>, HashSet<String>)]) -> Common {
        let (mut bodies, mut shared) = (HashMap::new(), HashMap::new());
        for (passages, words) in read {
            #[allow(clippy::iter_over_hash_type, reason = "counting, in any order")]
            for word in words {
                *bodies.entry(word.clone()).or_default() += 1;
            }
            let own: HashSet<Vec<String>> =
                passages.iter().map(|passage| all_words(passage.text.as_str())).collect();
            #[allow(clippy::iter_over_hash_type, reason = "counting, in any order")]
            for passage in own {
                *shared.entry(passage).or_default() += 1;
            }
        }
        Common { bodies, passages: shared, rare: (read.len() / RARE).max(1) }
    }

    /// Whether only one body says it, with enough words that few bodies have.
    fn tells(&self, all: &[String], telling: &[String]) -> bool {
        let rare =
            |word: &&String| self.bodies.get(*word).is_some_and(|bodies| *bodies <= self.rare);
        self.passages.get(all).is_some_and(|bodies| *bodies == 1)
            && telling.iter().filter(rare).count() >= LEAST_RARE
    }
}

fn of_one(
    source: &Source,
    passages: &[Passage],
    common: &Common,
    per_skill: usize,
    seed: u64,
) -> Vec<Task> {
    let line = all_words(&source.line);
    let name = all_words(&source.name);
    let mut seen = HashSet::new();
    let mut fit: Vec<(u64, &Passage)> = passages
        .iter()
        .filter(|passage| {
            let all = all_words(passage.text.as_str());
            let mut telling = words(passage.text.as_str());
            telling.sort_unstable();
            telling.dedup();
            all.len() <= MOST_WORDS
                && telling.len() >= LEAST_WORDS
                && !(name.len() > 1 && holds(&all, &name))
                && !gives_away(&all, &line)
                && common.tells(&all, &telling)
                && seen.insert(all)
        })
        .map(|passage| {
            let key = format!("{}\n{}", source.qualified, passage.text);
            (xxh3_64_with_seed(key.as_bytes(), seed), passage)
        })
        .collect();
    fit.sort_by_key(|(order, _)| *order);
    let mut by_kind = Kind::ALL.map(|kind| {
        let of_kind: Vec<&Passage> = fit
            .iter()
            .map(|(_, passage)| *passage)
            .filter(|passage| passage.kind == kind)
            .collect();
        of_kind.into_iter()
    });
    let mut tasks = Vec::new();
    loop {
        let before = tasks.len();
        for passage in by_kind.iter_mut().filter_map(Iterator::next) {
            let filling = passage.kind == Kind::Sentence && !tasks.is_empty();
            if tasks.len() == per_skill {
                return tasks;
            }
            if filling {
                continue;
            }
            tasks.push(Task {
                query: passage.text.clone(),
                skill: source.skill,
                origin: Origin::Body(passage.kind),
            });
        }
        if tasks.len() == before {
            return tasks;
        }
    }
}

/// Whether a query is the line's own text: all of it stands there, or too many of its words in a row do.
fn gives_away(query: &[String], line: &[String]) -> bool {
    let run = query.len().clamp(1, MOST_SHARED + 1);
    query.windows(run).any(|part| holds(line, part))
}

fn holds(all: &[String], part: &[String]) -> bool {
    !part.is_empty() && all.windows(part.len()).any(|window| window == part)
}
