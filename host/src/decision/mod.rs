//! Decisions as data: what a policy is told, what it answers, and why.
//!
//! *Invariant*: no logic, no engine, no file. These types are what the host records; the contract's generated types
//! are seen by one module of `policy` only, which turns the ones into the others.

mod allowance;
mod answer;
mod dictionary;
mod fate;
mod prices;
mod slot;
mod snapshot;
mod unit;
mod write;

pub use allowance::{Allowance, Factor, NoFactor, Resource};
pub use answer::{Answer, Budgeted, Detail, Form, Proposal, Reason, Reasoned, Refusal};
pub use dictionary::{FACTS, Fact, Known, Place};
pub use fate::{Curated, CuratorRequest, Fate, Notice};
pub use prices::{CategoryPrice, Prices, SkillPrice, Sum};
pub use slot::Slot;
pub use snapshot::{
    BudgetRequest, Column, Context, DemotionRequest, Settings, Table, Value, ValueType, Values,
};
pub use unit::Unit;
pub use write::{
    Action, By, Care, Judgement, ProvenanceRequest, Successor, Verdict, WriteAnswer, WriteRequest,
};
