//! What was cut off, gone on with: each change is finished, or taken back where that can't be.

use super::{
    ChangeError,
    apply::{Apply, Fresh, There, look},
    keeper::Keeper,
    place::STAGING,
    together::{Run, forward_all},
};
use crate::ledger::{ChangeId, ChangeRecord, NewChange, Step, Verb};

/// What became of changes that were cut off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// They were finished.
    pub finished: Vec<ChangeId>,
    /// They were taken back; and the paths that somebody else changed meanwhile, which are as they are.
    pub taken_back: Vec<(ChangeId, Vec<String>)>,
}

impl Keeper<'_> {
    /// Finishes or takes back what was cut off. Each change does so first.
    ///
    /// # Errors
    /// Where neither can be done now.
    pub fn recover(&self) -> Result<Recovered, ChangeError> {
        let lock = self.take("recover")?;
        let recovered = self.recover_held();
        drop(lock);
        recovered
    }

    pub(super) fn recover_held(&self) -> Result<Recovered, ChangeError> {
        let mut recovered = Recovered::default();
        let mut unfinished = self.ledger.unfinished(self.root)?;
        if unfinished.len() > 1 {
            // They were begun as one, and are gone on with as one; what stops is looked at alone.
            let mut together = Vec::new();
            for record in &unfinished {
                let special = matches!(record.change.verb, Verb::Outside | Verb::Purge);
                if !special && self.has_way_on(&record.change.steps)? {
                    together.push((record.id, record.change.clone()));
                }
            }
            let finished = self.go_on_all(&together)?;
            unfinished.retain(|record| !finished.contains(&record.id));
            recovered.finished = finished;
        }
        for record in unfinished {
            let id = record.id;
            match self.go_on(&record) {
                Ok(None) => recovered.finished.push(id),
                Ok(Some(left)) => recovered.taken_back.push((id, left)),
                Err(why) => return Err(ChangeError::Unfinished { id, why: Box::new(why) }),
            }
        }
        // What finished changes left behind, and those that were cut off while they were taken back.
        if self.spot.held(STAGING)?.is_some() {
            for entry in self.spot.entries(STAGING)? {
                self.spot.clear(&format!("{STAGING}/{}", entry.name))?;
            }
        }
        Ok(recovered)
    }

    /// Finishes a change that was cut off, or else takes it back and says what could not be.
    fn go_on(&self, record: &ChangeRecord) -> Result<Option<Vec<String>>, ChangeError> {
        let (fresh, steps) = (Fresh::new(), record.change.steps.as_slice());
        // Older programs opened a change for what others did. It is neither done nor taken back by us, and the next scan
        // finds it again.
        if record.change.verb == Verb::Outside {
            self.ledger.abandon(record.id)?;
            return Ok(Some(Vec::new()));
        }
        let mut apply = self.apply(record.id, &fresh);
        self.spot.clear(&apply.staging())?;
        let purges = record.change.verb == Verb::Purge;
        if purges || self.has_way_on(steps)? {
            match apply.forward(steps) {
                Ok(()) => {
                    self.end(record.id, &record.change)?;
                    return Ok(None);
                }
                // What is erased in part can't be taken back.
                Err(stopped) if purges => return Err(stopped),
                Err(_) => {}
            }
        }
        let left = apply.backward(steps)?;
        self.ledger.abandon(record.id)?;
        Ok(Some(left))
    }

    /// Whether nobody else's work is in the way of these steps.
    fn has_way_on(&self, steps: &[Step]) -> Result<bool, ChangeError> {
        for step in steps {
            if matches!(look(self.spot, step)?, There::Else(_)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Goes on with changes that were cut off, side by side. Gives back which of them are finished; the others are as they are.
    pub(super) fn go_on_all(
        &self,
        cut_off: &[(ChangeId, NewChange)],
    ) -> Result<Vec<ChangeId>, ChangeError> {
        let fresh = Fresh::new();
        let mut runs = Vec::new();
        for (id, change) in cut_off {
            let apply: Apply<'_> = self.apply(*id, &fresh);
            self.spot.clear(&apply.staging())?;
            runs.push(Run { apply, steps: &change.steps, failed: None });
        }
        forward_all(&mut runs);
        let done = cut_off.iter().zip(&runs).filter(|(_, run)| run.failed.is_none());
        let done: Vec<_> = done.map(|(it, _)| it.clone()).collect();
        for ((id, _), ended) in done.iter().zip(self.end_all(&done)) {
            ended.map_err(|why| ChangeError::Unfinished { id: *id, why: Box::new(why) })?;
        }
        Ok(done.into_iter().map(|(id, _)| id).collect())
    }
}
