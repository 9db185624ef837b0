//! Skillkeep's host: it owns a library of skills, asks sandboxed policies what to make of it, and keeps the last word.

#![forbid(unsafe_code)]

pub mod adapters;
pub mod change;
pub mod chat;
pub mod check;
pub mod claims;
pub mod cli;
pub mod config;
pub mod curator;
pub mod decision;
pub mod eval;
pub mod index;
pub mod judge;
pub mod laws;
pub mod ledger;
pub mod library;
pub mod lock;
pub mod past;
pub mod policy;
pub mod record;
pub mod roster;
pub mod scaffold;
pub mod search;
pub mod serve;
pub mod skill;
pub mod system;
pub mod tools;
pub mod trial;
pub mod watch;
pub mod world;
