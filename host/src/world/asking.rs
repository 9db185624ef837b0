//! What an index is made from: what somebody wishes, over the settings, over what is usual; and what the home knows.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{World, error::CommandError, kept::Kept};
use crate::{
    decision::{Detail, Unit},
    index::{self, DEFAULT_SHORT, Inputs, Style},
    ledger::{AtHand, Ledger},
    record::{Begun, RecordError, Records},
    skill::{Instant, Session, State, Usage, UsageRecord},
};

/// What somebody wishes of an index; nothing for as the settings have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// The time that is decided for.
    pub now: Option<Instant>,
    /// The session's name: the same one explores the same skills, and in a home it goes on as it began.
    pub session: Option<String>,
    /// The agent that reads it: what was chosen for it counts, and its last index.
    pub reader: Option<String>,
    /// The session's toolsets, where they are known.
    pub toolsets: Option<BTreeSet<String>>,
    /// The session's tools, where they are known.
    pub tools: Option<BTreeSet<String>>,
    /// The platform that skills are shown on.
    pub platform: Option<String>,
    /// What the limit counts.
    pub unit: Option<Unit>,
    /// What the whole block may cost.
    pub limit: Option<u32>,
    /// How much of a category is shown at most.
    pub compact: BTreeMap<String, Detail>,
    /// Use that is counted elsewhere and counts instead.
    pub usage: Option<Usage>,
    /// The forms of the index before, by name, where somebody tells them.
    pub previous: Option<BTreeMap<String, crate::decision::Form>>,
}

/// What was wrong with what the home knows of an index, though it was made.
#[derive(Debug, Default)]
pub struct Recalled {
    /// What could not be used and is done without.
    pub findings: Vec<CommandError>,
    /// What may have been meant otherwise.
    pub warnings: Vec<CommandError>,
}

impl World<'_> {
    /// The session that is wished for, or one on this machine of which nothing more is known.
    #[must_use]
    pub fn session_of(&self, wishes: &Wishes) -> Session {
        let here = self.session();
        Session {
            platform: wishes.platform.clone().unwrap_or(here.platform),
            toolsets: wishes.toolsets.clone(),
            tools: wishes.tools.clone(),
            ..here
        }
    }

    /// What an index is made from, before the home was asked; with the unit of its limit.
    #[must_use]
    pub fn inputs(&self, wishes: &Wishes) -> (Inputs, Unit) {
        let settings = &self.config.index;
        let now = wishes.now.unwrap_or_else(|| self.system.now());
        let unit = wishes.unit.or(settings.unit).unwrap_or_default();
        let mut compact = self.found.compact.clone();
        compact.extend(wishes.compact.clone());
        let inputs = Inputs {
            now,
            seed: seed(wishes.session.as_deref(), now),
            session: self.session_of(wishes),
            usage: wishes.usage.clone().unwrap_or_default(),
            kept: Vec::new(),
            compact,
            previous: wishes.previous.clone().unwrap_or_default(),
            short: settings.short.map_or(DEFAULT_SHORT, |short| short as usize),
            limit: wishes.limit.or(settings.limit).unwrap_or(unit.default_limit()),
            layout: Style::default(),
            agent: None,
            home: self.system.variable("HOME").map(PathBuf::from),
            sample: self.is_sample(),
        };
        (inputs, unit)
    }

    /// Tells the inputs what the home knows of the library: use, pins, choices, and the forms of the agent's last index. A
    /// session that has begun goes on as it began, unless somebody steers what it is decided from.
    #[must_use]
    pub fn recall(&self, kept: &Kept, wishes: &Wishes, inputs: &mut Inputs) -> Recalled {
        let mut recalled = Recalled::default();
        recalled.findings.extend(kept.problem.clone());
        let agent = wishes.reader.as_deref();
        let holds = self.config.writes.holds();
        let stale = self.config.curator.stale.cap();
        let of = |known: &AtHand| index::Kept {
            id: known.id,
            held: known.held && holds,
            put_back: known.put_back.is_some(),
            usage: match wishes.usage {
                // What is counted there counts instead.
                Some(_) => UsageRecord { pinned: known.pinned, ..UsageRecord::default() },
                None => UsageRecord {
                    uses: known.sums.uses,
                    last_used: known.sums.last_use,
                    pinned: known.pinned,
                },
            },
            choice: known.choice(agent),
            stale: (known.state == State::Stale).then_some(stale),
            previous: None,
        };
        let rows = kept.rows(&self.library).into_iter();
        inputs.kept = rows.map(|known| known.map(of)).collect();
        let steered = wishes.now.is_some() || wishes.usage.is_some() || wishes.previous.is_some();
        let (Some(ledger), None) = (&kept.ledger, inputs.agent) else { return recalled };
        let begun = match wishes.session.as_deref().filter(|_| !steered) {
            Some(session) => self.begun(ledger, agent, session).unwrap_or_else(|error| {
                recalled.warnings.push(error.into());
                None
            }),
            None => None,
        };
        match begun {
            Some(begun) => begun.again(inputs),
            None => match ledger.previous_forms(agent.unwrap_or_default()) {
                Ok(forms) => {
                    for known in inputs.kept.iter_mut().flatten() {
                        known.previous = forms.get(&known.id).copied();
                    }
                }
                Err(error) => recalled.findings.push(error.into()),
            },
        }
        recalled
    }

    /// What a session began with, if it has begun.
    fn begun(
        &self,
        ledger: &Ledger,
        agent: Option<&str>,
        session: &str,
    ) -> Result<Option<Arc<Begun>>, RecordError> {
        let (Some(disk), Some(home)) = (self.system.disk(), &self.home.path) else {
            return Ok(None);
        };
        let Some(begun) = ledger.decision_of(agent.unwrap_or_default(), session)? else {
            return Ok(None);
        };
        let known = |name| self.remembered.as_ref()?.sessions.get(name);
        if let Some(begun) = begun.record.and_then(known) {
            return Ok(Some(begun));
        }
        let home = disk.resolve(home).unwrap_or_else(|_| Path::new(home).to_owned());
        let (record, shelf) = Records::new(disk, &home).read(&begun)?;
        Ok(Some(Arc::new(record.begun(&shelf))))
    }
}

/// The same for the same session. Without a name for it, the same for the day: an index that changes by the hour would
/// cost an agent its prompt cache.
fn seed(session: Option<&str>, now: Instant) -> u64 {
    match session {
        Some(id) => xxhash_rust::xxh3::xxh3_64(id.as_bytes()),
        None => xxhash_rust::xxh3::xxh3_64(&now.0.div_euclid(86_400).to_le_bytes()),
    }
}
