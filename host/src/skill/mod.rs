//! The words of the domain: what a skill is, where it stands, what gates it, how it was used, what is wrong with it.
//!
//! *Invariant*: this room knows no other room, no file system, no clock and no policy. Everything here is a value.

mod diagnostic;
mod facts;
mod gates;
mod id;
mod instant;
mod life;
mod near;
mod one_line;
mod root;
mod usage;

pub use diagnostic::{Diagnostic, Problem};
pub use facts::{Facts, Standing, Tier};
pub use gates::{Gate, Gates, Session};
pub use id::{NoSkillId, SkillId};
pub use instant::Instant;
pub use life::{Actor, Choice, Origin, State};
pub use near::nearest;
pub use one_line::OneLine;
pub use root::Root;
pub use usage::{Usage, UsageRecord};

/// A skill as one scan of the library found it: what its file says, where it is, and whether it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// What the file says.
    pub facts: Facts,
    /// The name that every surface shows and resolves: the header's, or else the folder's.
    pub name: OneLine,
    /// Where it was found.
    pub place: Place,
    /// Folders between the root and the skill, joined by `/`; `general` where there are none and the header names none.
    pub category: OneLine,
    /// Whether it is a candidate for the index, or why not.
    pub standing: Standing,
}

/// Where a skill was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Position in the roots of the scan.
    pub root: usize,
    /// Folder below the root, with `/` between its parts; empty for a skill that is the root itself.
    pub folder: String,
    /// Name of the file in that folder, such as `SKILL.md`; empty where there is none (a dangling link).
    pub file: String,
    /// What the folder or the file really is, where a link led to it.
    pub linked_to: Option<String>,
}

impl Skill {
    /// `category/name`: the form that is unique more often than the name alone.
    #[must_use]
    pub fn qualified(&self) -> String {
        format!("{}/{}", self.category.as_str(), self.name.as_str())
    }

    /// Whether the index may show it, gates aside.
    #[must_use]
    pub fn is_live(&self) -> bool {
        matches!(self.standing, Standing::Live)
    }
}
