//! What holds for every library, however odd.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[macro_use]
#[path = "../../cutting_laws.rs"]
mod cutting_laws;

cutting_laws!(budget_codex::Codex);
order_changes_nothing!(budget_codex::Codex);
