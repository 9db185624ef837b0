//! Does the right skill get found? Tasks, a ranker over what a rule leaves visible, and what comes of it.
//!
//! **Tasks.** A task is a query and the skill that it should lead to. A user's own come from a file. Others are drawn from
//! the library, and the difficulty is to ask for nothing that the index itself says: whoever shows most would win by
//! recognising its own words. So queries come from bodies alone (what stands under "when to use", headings, sentences),
//! which no rule shows any part of, and the following are left out, whatever a rule shows:
//!
//! - what shares four words in a row, or all of its words in their order, with the skill's whole line;
//! - what holds the skill's whole name, if that has two words or more: a text speaks of itself as nobody asks for it;
//! - what another skill's body says in the same words, and what has no two words that are rare among the bodies: no
//!   ranker could tell whose they are.
//!
//! Descriptions are left whole, rather than half of each being held out as queries: every rule is judged on the very
//! texts and prices that it has in earnest. Which queries are taken depends on the seed, the skill and the query, on no
//! rule and on no neighbour. What remains unfair is said: words of bodies are nearer to the words of descriptions than
//! users' words are, so long forms gain; and skills with short bodies give few tasks.
//!
//! **Ranking.** BM25 over exactly what each rule leaves visible: a line's name and text, or the name alone; a counted
//! skill can't be found. Equal scores share their ranks evenly, so that no order of names helps anybody. A skill that has
//! no word in common with the query isn't found, however few others have. A lexical ranker stands in for a model: it
//! knows no synonyms. With `--model` a model answers instead.
//!
//! *Invariant*: values in, values out. No file, no clock, no network: bodies come as text, and a model is something that
//! can be [asked](Ask). Which form a skill has is never decided here, the plain rules to compare with aside.

mod bm25;
mod board;
mod draw;
mod model;
mod passages;
mod rank;
mod rules;
mod svg;
mod table;
mod tasks;
mod words;

#[cfg(test)]
mod tests;

pub use bm25::{B, Bm25, K1};
pub use board::{Board, Miss, Outcome, Scores, Shown, Why, by_words, missed};
pub use draw::{Drawn, Source, draw};
pub use model::{Answer, Answers, Ask, AskError, INSTRUCTION, ask_all, by_answers, request_count};
pub use passages::{Kind, Passage, passages};
pub use rank::Rank;
pub use rules::{everything, names};
pub use svg::{escape, svg};
pub use table::{Row, percent, table};
pub use tasks::{Origin, Task, TaskError, Written, read_tasks};
pub use words::{all_words, words};
