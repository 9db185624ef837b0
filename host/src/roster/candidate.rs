//! Policies that may take over a slot: loaded, tried, and not yet active.

use std::sync::{Arc, Weak};

use super::{Answers, Came, Cause, Generation, Member, Rejected, Roster, Trial, Why, watch::Watch};
use crate::decision::Slot;

/// What would decide in a slot, or in several. It disturbs nobody who decides now, and dropping it is the end of it.
#[must_use = "a candidate decides nothing before it is activated"]
pub struct Candidate<'a> {
    pub(super) roster: &'a Roster,
    /// In their order, each once.
    pub(super) slots: Vec<Slot>,
    pub(super) members: Vec<Arc<Member>>,
    pub(super) trial: Option<Trial>,
}

impl<'a> Candidate<'a> {
    /// The slots that it is for, in their order.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Both as one, so that they are tried together and become active in one step. Where both are for a slot, it is the
    /// other's. What was tried before is tried anew, since another set is another question.
    pub fn and(mut self, other: Candidate<'a>) -> Candidate<'a> {
        self.members.retain(|member| !other.slots.contains(&member.slot()));
        self.members.extend(other.members);
        self.slots.extend(other.slots);
        self.slots.sort_unstable();
        self.slots.dedup();
        Candidate { trial: None, ..self }
    }

    /// Whether it is what is active already, so that there is nothing to try.
    #[must_use]
    pub fn is_active(&self) -> bool {
        let now = self.roster.current();
        let active = now.members.iter().filter(|it| self.slots.contains(&it.slot()));
        let mut members: Vec<&Arc<Member>> = self.members.iter().collect();
        members.sort_by_key(|member| member.slot());
        active.map(Arc::as_ptr).eq(members.into_iter().map(Arc::as_ptr))
    }

    /// Its policies.
    #[must_use]
    pub fn members(&self) -> &[Arc<Member>] {
        &self.members
    }

    /// What it decides otherwise, where it was tried.
    #[must_use]
    pub fn trial(&self) -> Option<&Trial> {
        self.trial.as_ref()
    }

    /// Asks who is active and the candidate the same, and keeps what differs. `questions` brings the questions: it is called
    /// with a generation twice, first with the active policies, then with the candidate in its slots. Both are copies whose calls
    /// count for nothing, so that a trial costs nobody trust.
    ///
    /// # Errors
    /// Where the candidate does what no policy may, the clock ends one of its calls, or `questions` fails.
    pub fn try_out<E: std::fmt::Display>(
        mut self,
        mut questions: impl FnMut(&Arc<Generation>) -> Result<Answers, E>,
    ) -> Result<Self, Rejected> {
        let now = self.roster.current();
        let mut with: Vec<Arc<Member>> = now
            .members
            .iter()
            .filter(|it| !self.slots.contains(&it.slot()))
            .map(Arc::clone)
            .collect();
        with.extend(self.members.iter().map(Arc::clone));
        let [before, after] = [self.apart(&now, &now.members), self.apart(&now, &with)];
        let unasked = |error: E| Why::Questions(error.to_string());
        let answers = questions(&before)
            .and_then(|before| Ok((before, questions(&after)?)))
            .map_err(|error| self.reject(unasked(error), None))?;
        for member in after.members.iter().filter(|it| self.slots.contains(&it.slot())) {
            if let Some(why) = self.failing(member) {
                return Err(self.reject(why, Some(member)));
            }
        }
        let at = self.roster.desk.now();
        self.trial = Some(Trial::compare(at, now.number, &answers.0, &answers.1));
        Ok(self)
    }

    /// Makes it active, at once and for all calls that begin from here on. Calls under way end with who they began with. Its
    /// policies that are new are on probation now. Where it is what is active already, nothing happens, and the generation stays
    /// the same.
    ///
    /// # Errors
    /// Where one of its policies came into quarantine since it was loaded.
    pub fn activate(self) -> Result<Arc<Generation>, Rejected> {
        self.roster.desk.activate(self.slots, self.members, self.trial)
    }

    /// A generation of these members whose calls count nowhere.
    fn apart(&self, now: &Generation, members: &[Arc<Member>]) -> Arc<Generation> {
        let watch = || self.roster.desk.watch(Weak::new(), true);
        let mut members: Vec<Arc<Member>> =
            members.iter().map(|member| Arc::new(member.under(watch()))).collect();
        members.sort_by_key(|member| member.slot());
        Arc::new(Generation {
            number: now.number,
            since: now.since,
            cause: Cause::Swapped(self.slots.clone()),
            engine: now.engine.clone(),
            members,
            trial: None,
        })
    }

    /// What a member did in a trial that speaks against it.
    fn failing(&self, member: &Member) -> Option<Why> {
        match member.watch.worst()? {
            Came::Faulted(text) => Some(Why::Faulted(text)),
            Came::Stalled(text) | Came::Unknown(text) => Some(Why::Stalled(text)),
            Came::Answered | Came::Refused => None,
        }
    }

    fn reject(&self, why: Why, member: Option<&Member>) -> Rejected {
        let first = member.or_else(|| self.members.first().map(AsRef::as_ref));
        let name = first.map_or_else(String::new, |it| it.name().to_owned());
        let digest = first.and_then(Member::digest).map(str::to_owned);
        let slot = first.map(|it| it.slot()).or_else(|| self.slots.first().copied());
        self.roster.desk.turn_down(slot.unwrap_or(Slot::Budget), name, digest, why)
    }
}

impl Watch {
    /// The worst that was seen: a fault over a stall over nothing.
    fn worst(&self) -> Option<Came> {
        let fault = self.last_fault().map(|(_, text)| Came::Faulted(text));
        fault.or_else(|| self.last_stall().map(Came::Stalled))
    }
}
