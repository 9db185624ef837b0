//! Level 0: one block that tells an agent which skills there are, within a limit.
//!
//! *Invariant*: which skill gets which form is a policy's proposal and a law's verdict. This room prepares what they
//! look at (texts, prices, columns) and prints what they decide; it has no opinion of its own but the plain baseline
//! for the day when a policy fails. It opens no file but those that keep its own counts.

mod agents;
mod ask;
mod baseline;
mod categories;
mod decide;
mod differ;
mod entries;
mod kept;
mod layout;
mod lines;
mod make;
mod meter;
mod prices;
mod ready;
mod render;
mod sharers;
mod snapshot;
mod text;
mod tokens;

#[cfg(test)]
mod tests;

pub use agents::{AGENTS, Agent};
pub use ask::{Settled, ask_details, ask_forms, ask_or_nothing};
pub use baseline::baseline;
pub use categories::{CategoryRow, categorised};
pub use decide::{
    Decided, Fallback, HostRule, InCharge, Policies, Request, SlotNote, TooSmall, decide,
};
pub use differ::{Changed, differences};
pub use entries::{Candidates, Circumstances, Entry, EntryUsage, Hidden, gates_of, location};
pub use kept::Kept;
pub use layout::{Frame, Layout, Named, SKILL_TOOLS, Style, TREE, XML};
pub use lines::Lines;
pub use make::{Coverage, DEFAULT_SHORT, Inputs, Made};
pub use meter::{ByteMeter, CharMeter, Meter};
pub use prices::Fit;
pub use ready::Programs;
pub use render::Block;
pub use snapshot::Asked;
pub use text::{TRIGGERS, sentence_end, trigger_start};
pub use tokens::TokenMeter;
