//! What a curator is told of a skill: how it stands, what happened to it, and what came of using it.

use super::{Skill, whole};
use crate::facts::Instant;
use crate::slots::curator::State;

impl<'a> Skill<'a> {
    /// How the skill stands with the passes so far.
    #[inline]
    #[must_use]
    pub fn state(self) -> State {
        match self.tables.skills.state.get(self.row).map(String::as_str) {
            Some("stale") => State::Stale,
            _ => State::Active,
        }
    }

    /// Who made it, as it was declared: `unknown` where nobody said.
    #[inline]
    #[must_use]
    pub fn origin(self) -> &'a str {
        self.tables.skills.origin.get(self.row).map_or("unknown", String::as_str)
    }

    /// Whether the laws could let a pass retire it, were it neither pinned nor named by a job.
    #[inline]
    #[must_use]
    pub fn candidate(self) -> bool {
        self.tables.skills.candidate.get(self.row).copied().unwrap_or(false)
    }

    /// Whether a scheduled job names it.
    #[inline]
    #[must_use]
    pub fn referenced(self) -> bool {
        self.tables.skills.referenced.get(self.row).copied().unwrap_or(false)
    }

    /// Whether a pass could retire it: it is a [`candidate`](Self::candidate), not pinned, and named by no job. A proposal
    /// to retire any other comes to nothing. Ask for `candidate`, `pinned` and `referenced` to use it.
    #[inline]
    #[must_use]
    pub fn is_free(self) -> bool {
        self.candidate() && !self.pinned() && !self.referenced()
    }

    /// When it was made, or first seen where nobody saw it made.
    #[inline]
    #[must_use]
    pub fn created(self) -> Option<Instant> {
        self.tables.skills.created.get(self.row).copied()
    }

    /// When a person gave it into the review's care.
    #[inline]
    #[must_use]
    pub fn adopted(self) -> Option<Instant> {
        self.tables.skills.adopted.get(self.row).copied()
    }

    /// When it last came back from the archive.
    #[inline]
    #[must_use]
    pub fn restored(self) -> Option<Instant> {
        self.tables.skills.restored.get(self.row).copied()
    }

    /// How often it was looked at, the uses among them; nothing where there is no record.
    #[inline]
    #[must_use]
    pub fn views(self) -> Option<u64> {
        self.tables.skills.views.get(self.row).map(|views| whole(Some(views)))
    }

    /// How often it was changed; nothing where there is no record.
    #[inline]
    #[must_use]
    pub fn writes(self) -> Option<u64> {
        self.tables.skills.writes.get(self.row).map(|writes| whole(Some(writes)))
    }

    /// When it was last looked at.
    #[inline]
    #[must_use]
    pub fn last_viewed(self) -> Option<Instant> {
        self.tables.skills.last_viewed.get(self.row).copied()
    }

    /// When it was last changed.
    #[inline]
    #[must_use]
    pub fn last_written(self) -> Option<Instant> {
        self.tables.skills.last_written.get(self.row).copied()
    }

    /// How often it was said that it helped; 0 where nobody said so.
    #[inline]
    #[must_use]
    pub fn successes(self) -> u64 {
        whole(self.tables.skills.successes.get(self.row))
    }

    /// How often it was said that it did not help; 0 where nobody said so.
    #[inline]
    #[must_use]
    pub fn failures(self) -> u64 {
        whole(self.tables.skills.failures.get(self.row))
    }

    /// How often it was changed, or a change of it undone, soon after it was used. Nobody said that it failed: this is
    /// worked out, and weaker than what was said.
    #[inline]
    #[must_use]
    pub fn corrected(self) -> u64 {
        whole(self.tables.skills.corrected.get(self.row))
    }

    /// When it was last said that it helped.
    #[inline]
    #[must_use]
    pub fn last_success(self) -> Option<Instant> {
        self.tables.skills.last_success.get(self.row).copied()
    }

    /// When it was last said that it did not help.
    #[inline]
    #[must_use]
    pub fn last_failure(self) -> Option<Instant> {
        self.tables.skills.last_failure.get(self.row).copied()
    }

    /// How many sentences of its text claim that something doesn't work; 0 where none does.
    #[inline]
    #[must_use]
    pub fn negative_claims(self) -> u64 {
        whole(self.tables.skills.negative_claims.get(self.row))
    }

    /// How many of those give evidence.
    #[inline]
    #[must_use]
    pub fn negative_evidence(self) -> u64 {
        whole(self.tables.skills.negative_evidence.get(self.row))
    }

    /// The newest day that stands with one of them.
    #[inline]
    #[must_use]
    pub fn negative_checked(self) -> Option<Instant> {
        self.tables.skills.negative_checked.get(self.row).copied()
    }

    /// The earliest day until which one of them says that it holds. It may be to come.
    #[inline]
    #[must_use]
    pub fn negative_expiry(self) -> Option<Instant> {
        self.tables.skills.negative_expiry.get(self.row).copied()
    }

    /// The first of them.
    #[inline]
    #[must_use]
    pub fn negative_claim(self) -> Option<&'a str> {
        self.tables.skills.negative_claim.get(self.row).map(String::as_str)
    }
}
