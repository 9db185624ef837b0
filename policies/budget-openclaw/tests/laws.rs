//! What holds for every library, however odd.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[macro_use]
#[path = "../../cutting_laws.rs"]
mod cutting_laws;

cutting_laws!(budget_openclaw::OpenClaw);
order_changes_nothing!(budget_openclaw::OpenClaw);
