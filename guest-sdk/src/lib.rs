//! Write a policy for Skillkeep: a small rule that decides something about a library of skills, run in a sandbox.
//!
//! A policy is a pure function of its request: no clock, no file, no randomness. It says what facts it needs, reads them as
//! rows, and answers with proposals, each with a reason. The host decides what becomes of them.
//!
//! There are four kinds, one a slot: [`DemotionPolicy`] (how much detail may each category show?), [`BudgetPolicy`] (which
//! form does each skill's line take?), [`CuratorPolicy`] (what is kept, goes stale, is archived?) and [`ProvenancePolicy`]
//! (may this actor write this?). Each also implements [`Policy`], which says what the policy is.
//!
//! # A whole policy
//!
//! It archives what nobody used for some time:
//!
//! ```
//! use skillkeep_policy::curator::{Answer, CuratorPolicy, Request};
//! use skillkeep_policy::{Key, Policy, Refusal, key};
//!
//! skillkeep_policy::settings! {
//!     pub struct Settings {
//!         /// Days without use after which a skill is archived.
//!         pub unused_days: i64 = 90 => 1..=3650,
//!     }
//! }
//!
//! skillkeep_policy::reasons! {
//!     pub enum Reason { Unused { days: i64 } = "unused for {0} days" }
//! }
//!
//! pub struct ArchiveUnused;
//!
//! impl Policy for ArchiveUnused {
//!     type Settings = Settings;
//!     type Reason = Reason;
//!     const NAME: &'static str = "archive-unused";
//!     const VERSION: &'static str = "1.0.0";
//!     const SUMMARY: &'static str = "archives what nobody used for some time";
//!     const NEEDS: &'static [Key] = &[key::LAST_USED];
//! }
//!
//! impl CuratorPolicy for ArchiveUnused {
//!     fn decide(request: &Request<'_>, settings: &Settings) -> Result<Answer<Reason>, Refusal<Reason>> {
//!         let mut answer = Answer::default();
//!         for skill in request.skills() {
//!             let Some(last_used) = skill.last_used() else { continue };
//!             let days = request.days_since(last_used) as i64;
//!             if days >= settings.unused_days {
//!                 answer.archive(skill, Reason::Unused { days });
//!             }
//!         }
//!         Ok(answer)
//!     }
//! }
//!
//! skillkeep_policy::export_curator!(ArchiveUnused);
//!
//! // Its test runs the same code natively, without a sandbox:
//! use skillkeep_policy::DAY;
//! use skillkeep_policy::testkit::{Library, curator};
//!
//! let library = Library::new()
//!     .skill("devops", "docker", |skill| skill.used(3, 2 * DAY))
//!     .skill("devops", "vagrant", |skill| skill.used(9, 400 * DAY))
//!     .skill("devops", "brand-new", |skill| skill);
//! let curated = curator::<ArchiveUnused>(&library, &[]).unwrap();
//! let archived: Vec<_> = curated.proposals.iter().map(|it| (it.skill.as_str(), it.why.as_str())).collect();
//! assert_eq!(archived, [("vagrant", "unused for 400 days")]);
//! ```
//!
//! # Testing and building it
//!
//! `skillkeep policy new` makes a crate like this one, with [cases in Markdown](testkit::cases) that `cargo test` and
//! `skillkeep policy test` run; `skillkeep policy build` makes it a component. The component imports nothing that it could call.
//!
//! # What a fact may be
//!
//! A fact that every row has is a plain value (`skill.pinned()`); one that may be unknown is an `Option` (`skill.uses()`).
//! What is in neither [`NEEDS`](Policy::NEEDS) nor [`WANTS`](Policy::WANTS) is not sent: reading it is a mistake, which debug
//! builds, and so tests, report. Where a needed fact is missing, the SDK refuses before `decide` is called.
//!
//! Use `BTreeMap`, not `HashMap`, wherever an order reaches the answer: a decision must be the same when it is made again.

pub mod bindings;
pub mod column;
pub mod context;
pub mod decay;
pub mod export;
pub mod facts;
pub mod key;
pub mod policy;
pub mod reason;
pub mod rows;
pub mod settings;
pub mod slots;
#[cfg(not(target_arch = "wasm32"))]
pub mod testkit;

pub use column::{Cell, Column};
pub use decay::Decay;
pub use facts::{DAY, Instant};
pub use key::Key;
pub use policy::{Policy, Refusal};
pub use reason::Reasons;
pub use rows::{Category, Skill, detail, form};
pub use settings::{Keyed, NoSettings, Problem, Settings};
pub use slots::budget::BudgetPolicy;
pub use slots::curator::CuratorPolicy;
pub use slots::demotion::DemotionPolicy;
pub use slots::provenance::ProvenancePolicy;
pub use slots::{Detail, Form, budget, curator, demotion, provenance};
