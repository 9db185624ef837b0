//! The same tasks put to a model: the block is its system prompt, the query the user's message, and its answer must be a
//! name of the block. How a model is reached is not known here.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use super::{
    board::{Board, Outcome},
    rank::Rank,
    tasks::Task,
};
use crate::{decision::Form, skill::OneLine};

/// Something that answers: a model behind an endpoint, or a test's.
pub trait Ask: Sync {
    /// Puts one message after a system prompt.
    ///
    /// # Errors
    /// Where no answer comes.
    fn ask(&self, system: &str, user: &str) -> Result<String, AskError>;
}

/// Why no answer came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct AskError {
    /// What went wrong, in one line; no secret is in it.
    pub reason: OneLine,
    /// Whether every other question would fare alike, so that asking on makes no sense.
    pub hopeless: bool,
}

/// What stands behind the block in the system prompt.
pub const INSTRUCTION: &str = "The user's message is a task. Don't do it. Answer with the name of the one skill above that you would open for it, \
     exactly as it is written there and with nothing else; answer `none` if none fits.";

/// Questions that are open at once.
const AT_ONCE: usize = 4;

/// What a model answered to one question, or why it didn't.
pub type Answer = Result<String, AskError>;

/// Answers by block and query. Rules that print the same block share them, so none is paid for twice.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    blocks: Vec<(String, Vec<Answer>)>,
}

impl Answers {
    fn of(&self, block: &str) -> &[Answer] {
        let found = self.blocks.iter().find(|(known, _)| known == block);
        found.map_or(&[], |(_, answers)| answers.as_slice())
    }
}

fn blocks<'a>(boards: &[&'a Board]) -> Vec<&'a str> {
    let mut blocks: Vec<&str> = Vec::new();
    for board in boards {
        if !blocks.contains(&board.block.as_str()) {
            blocks.push(&board.block);
        }
    }
    blocks
}

/// How many requests asking would take, if none has to be repeated.
#[must_use]
pub fn request_count(boards: &[&Board], tasks: &[Task]) -> usize {
    blocks(boards).len() * tasks.len()
}

/// Asks everything, a few questions at a time. The first error that every other question would meet as well ends it: what
/// was not asked by then has that error for an answer. `done` is told how many are answered.
#[must_use]
pub fn ask_all(
    ask: &dyn Ask,
    boards: &[&Board],
    tasks: &[Task],
    done: &(dyn Fn(usize) + Sync),
) -> Answers {
    let blocks = blocks(boards);
    let prompts: Vec<String> =
        blocks.iter().map(|block| format!("{block}\n{INSTRUCTION}")).collect();
    let all = blocks.len() * tasks.len();
    let (next, answered, stop) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        let mut answers = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let block = at / tasks.len().max(1);
            let (Some(prompt), Some(task)) =
                (prompts.get(block), tasks.get(at % tasks.len().max(1)))
            else {
                break;
            };
            let answer = ask.ask(prompt, task.query.as_str());
            if answer.as_ref().is_err_and(|error| error.hopeless) {
                stop.store(true, Ordering::Relaxed);
            }
            answers.push((at, answer));
            done(answered.fetch_add(1, Ordering::Relaxed) + 1);
        }
        answers
    };
    let mut found: HashMap<usize, Answer> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE.min(all)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
    });
    let hopeless = (0..all)
        .filter_map(|at| found.get(&at)?.as_ref().err())
        .find(|error| error.hopeless)
        .cloned();
    let rest = hopeless
        .unwrap_or(AskError { reason: OneLine::new("no answer was kept"), hopeless: false });
    let blocks = blocks
        .iter()
        .enumerate()
        .map(|(block, text)| {
            let answers = (0..tasks.len())
                .map(|task| {
                    found.remove(&(block * tasks.len() + task)).unwrap_or_else(|| Err(rest.clone()))
                })
                .collect();
            ((*text).to_owned(), answers)
        })
        .collect();
    Answers { blocks }
}

/// What came of every task by a model's answers. A name that several printed skills have counts for each in part.
#[must_use]
pub fn by_answers(board: &Board, tasks: &[Task], answers: &Answers) -> Vec<Outcome> {
    let answers = answers.of(&board.block);
    tasks
        .iter()
        .zip(answers)
        .map(|(task, answer)| {
            let Some(row) = board.row_of(task.skill) else { return Outcome::NotOffered };
            match answer {
                Err(error) => Outcome::NotAsked(error.to_string()),
                Ok(said) => {
                    let rows = meant(board, said);
                    if rows.contains(&row) {
                        let rank = Rank { before: 0, sharing: rows.len() };
                        let rival = rows.into_iter().find(|other| *other != row);
                        Outcome::Ranked { rank, rival }
                    } else if board.skills.get(row).is_some_and(|s| s.form == Form::Counted) {
                        Outcome::Counted
                    } else {
                        Outcome::Said(OneLine::capped(said, MOST_SAID).into_string())
                    }
                }
            }
        })
        .collect()
}

/// Unicode scalars of a wrong answer that are kept.
const MOST_SAID: usize = 80;

/// The printed skills that an answer names, by name or by `category/name`. Marks around the name are no part of it;
/// more words than a name are no answer.
fn meant(board: &Board, said: &str) -> Vec<usize> {
    let said = said
        .trim()
        .trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | '*' | '“' | '”' | '.' | ':'))
        .trim();
    let rows = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let printed = board.skills.iter().enumerate().filter(|(_, s)| s.form != Form::Counted);
        printed
            .filter(|(_, s)| fits(&s.name) || fits(&format!("{}/{}", s.category, s.name)))
            .map(|(row, _)| row)
            .collect()
    };
    let exact = rows(&|name| name == said);
    if exact.is_empty() { rows(&|name| name.to_lowercase() == said.to_lowercase()) } else { exact }
}
