//! The program from outside: what it prints, what it survives. One harness, so that it links once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![allow(clippy::disallowed_methods, reason = "tests stand outside")]
#![allow(missing_docs, reason = "tests say what they test by their names")]

mod agents;
mod approving;
mod calling;
mod check;
mod cli_reference;
mod contract;
mod corpus;
mod curating;
mod damaged_cache;
mod deciding;
mod eval;
mod guide;
mod hostile;
mod importing;
mod in_force;
mod index;
mod judged;
mod judging;
mod keeping;
mod law_cases;
mod ledger_lost;
mod limits;
mod past;
mod pending_there;
mod policy_alone;
mod progressive;
mod readme;
mod roots;
mod scarce_memory;
mod scenarios;
mod search;
mod serving;
mod sessions;
mod support;
mod surfaces;
mod swapping;
mod transcripts;
mod using;
mod using_policies;
mod watching;
mod writing;
