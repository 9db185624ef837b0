//! Recorded passes of a home, decided again.

use super::Recorded;
use crate::{
    curator::{CLAIMS, OUTCOMES, PRUNING, Plan, Seat, hear, make},
    ledger::{Ledger, Pass},
    policy::Loaded,
    record::{Answered, PassRecord, RecordError},
    skill::Instant,
    world::{
        error::CommandError,
        pass::{PassFile, PassRecords},
    },
};

/// A pass, and its record or why it has none.
pub type RecordedPass = (Pass, Result<PassFile, String>);

impl Recorded<'_> {
    /// Passes from a time on whose reports are kept, the oldest first. A pruning asked no policy and is none of them.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn passes(
        &self,
        ledger: &Ledger,
        since: Option<Instant>,
    ) -> Result<Vec<RecordedPass>, CommandError> {
        let records = PassRecords::new(self.disk, &self.home);
        let mut found = Vec::new();
        for pass in ledger.passes(usize::MAX)?.into_iter().rev() {
            if pass.plan.starts_with(PRUNING) || since.is_some_and(|since| pass.begun < since) {
                continue;
            }
            match records.of(&pass) {
                Ok(None) => {}
                Ok(Some(file)) => found.push((pass, Ok(file))),
                Err(error) => found.push((pass, Err(said(&error)))),
            }
        }
        Ok(found)
    }

    /// What a pass was decided from.
    ///
    /// # Errors
    /// Why it can't be read, in words.
    pub fn open_pass(&self, (_, file): &RecordedPass) -> Result<PassRecord, String> {
        let file = file.as_ref().map_err(Clone::clone)?;
        PassRecords::new(self.disk, &self.home).read(file).map_err(|error| said(&error))
    }

    /// What the policies of a pass answer to its questions now.
    ///
    /// # Errors
    /// Whose bytes are not there any more, in words.
    pub fn ask_again(&mut self, record: &PassRecord) -> Result<Vec<Answered>, String> {
        let mut loaded: Vec<Loaded> = Vec::with_capacity(record.seats.len());
        for seat in &record.seats {
            let gone = || format!("`{}` is no policy", seat.slot.policy);
            loaded.push(self.policy(&seat.slot)?.ok_or_else(gone)?);
        }
        let seats: Vec<Seat<'_>> = loaded.iter().map(Seat::Policy).collect();
        let heard =
            hear(&self.engine, &seats, record.subjects.len(), |asked| record.question(asked));
        let failed = heard.notes.iter().map(|note| note.fallback.as_ref().map(ToString::to_string));
        let answers = heard.opinions.into_iter().zip(failed);
        Ok(answers.map(|(opinion, failed)| Answered { opinion, failed }).collect())
    }

    /// The plan that other policies would have made of a pass, under the laws as they held then.
    ///
    /// # Errors
    /// What they ask for that was not looked up then, in words.
    pub fn plan_again(
        &self,
        record: &PassRecord,
        policies: &[Loaded],
        combine: crate::config::Combine,
    ) -> Result<Plan, String> {
        let looked = [(CLAIMS, record.told.claims), (OUTCOMES, record.told.outcomes)];
        for policy in policies {
            let untold = looked.iter().filter(|(_, told)| !told).flat_map(|(keys, _)| *keys);
            if let Some(key) = untold.into_iter().find(|key| policy.info.asks_for(key)) {
                let title = policy.title();
                return Err(format!("`{key}` was not looked up then, which `{title}` asks for"));
            }
        }
        let seats: Vec<Seat<'_>> = policies.iter().map(Seat::Policy).collect();
        let heard =
            hear(&self.engine, &seats, record.subjects.len(), |asked| record.question(asked));
        Ok(make(&record.subjects, &heard, combine, (record.asked, record.bounds), record.now))
    }
}

/// What is wrong with a record. Which pass it is of is said elsewhere.
fn said(error: &RecordError) -> String {
    match error {
        RecordError::Gone(_) => "no record of it is kept".to_owned(),
        error => error.to_string(),
    }
}
