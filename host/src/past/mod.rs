//! A curator's rule, tried on the past: day by day it is told what was known then, what it wants is done to a copy, and what
//! happened after that says whether it was right.
//!
//! **Regret.** A retirement is regretted if the skill is wanted within the window after it: somebody opens it, or writes to
//! it, and no maintenance does. It is brought back then, as a person would, and the replay goes on with that. So a
//! retirement is regretted once at most. What is wanted later than that is brought back as well, and counted apart: to carry
//! it through so long a rest would have cost more than to bring it back.
//!
//! **Waste.** A skill that is carried at a time from which on nobody wants it for a whole window is waste: the tokens of its
//! line in the index, for that time, in tokens · days. What is stale is carried with the tokens of its name alone.
//!
//! Both look at the same window, so that they are two sides of one question: is it wanted within the window, or not? Who
//! sees the future has no regret, and no waste but up to the next pass and where the laws make it carry. Nothing is judged
//! whose window isn't over: passes end one window before the history does.
//!
//! **What is not seen.** Laws hold as in a pass that a person asked for. Pins, jobs, adoptions and texts are taken as they are
//! today. What lay in an archive was not seen by anybody, so it was hardly wanted: on a real home regret is rather more than
//! is found. To be stale costs nothing here, though a skill that is shown by its name is found less often. That a skill which
//! failed is better gone, whoever wanted it, is not known here either.
//!
//! *Invariant*: values in, values out. No file, no ledger, no clock; nothing is done to any skill.

mod contender;
mod differ;
mod generate;
mod history;
mod replay;
mod score;
mod soon;
mod svg;

#[cfg(test)]
mod tests;

pub use contender::Contender;
pub use differ::{Difference, Differences, Side};
pub use generate::{Generated, Kind};
pub use history::{Deed, History, Life};
pub use replay::{Look, Terms, replay};
pub use score::{Regret, Score, Totals, dominated};
pub use svg::{Point, svg};
