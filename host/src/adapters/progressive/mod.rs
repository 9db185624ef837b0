//! Progressive Skill's files and its way of asking: its snapshot, usage and settings as values, its two questions as
//! requests to policies, and an agent's printed index as lines that a budget policy can choose from.
//!
//! *Invariant*: no rule lives here. Which categories are demoted and which lines are kept is answered by policies; this
//! room says what they are asked, and puts their answers into Progressive Skill's forms.

mod catalog;
mod columns;
mod config;
mod demotion;
mod lines;
mod listing;
mod records;
mod settings;
mod usage;

pub use catalog::{Catalog, CatalogError, read_snapshot};
pub use config::{Config, ConfigProblem, read_config};
pub use demotion::{Demotion, Tools, details_question, relevance_question};
pub use lines::{Listing, Row};
pub use listing::{Kept, budget_question, caps, kept, prices};
pub use records::{RecordsError, read_progressive_records};
pub use settings::{budget_settings, demotion_settings};
pub use usage::read_usage_of_progressive;
