//! What the home knows of skills, as an index takes it.

use crate::{
    decision::Form,
    skill::{Choice, Gate, SkillId, UsageRecord},
};

/// What the home knows of one skill of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Who it is.
    pub id: SkillId,
    /// How it was used, and whether a person pinned it.
    pub usage: UsageRecord,
    /// Whether it is kept out until a person accepts what somebody else did to it.
    pub held: bool,
    /// Whether it was archived, and somebody else put it back.
    pub put_back: bool,
    /// What the user wants of it.
    pub choice: Choice,
    /// The most telling form that it may have for being stale; nothing where it is not.
    pub stale: Option<Form>,
    /// Its form in the index before.
    pub previous: Option<Form>,
}

impl Kept {
    /// Whether nothing that is known of it keeps it out of an index.
    #[must_use]
    pub fn lets_through(&self) -> bool {
        !self.held && !self.put_back && Gate::of_choice(self.choice).is_none()
    }
}
