//! Folders that people pinned: a file in the root, so that a pin holds for every home that comes to it. A file that can't
//! be read pins everything.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    ChangeError, Fresh,
    keeper::{By, Done, Keeper, Target},
    place::PINS,
};
use crate::{
    ledger::{Blob, Digest, Step, Verb},
    skill::{Actor, Instant, SkillId},
};

/// Who pinned a skill, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// Which skill.
    pub skill: SkillId,
    /// Who.
    pub by: Actor,
    /// When.
    pub at: Instant,
}

/// The pins of a root, by folder.
pub type Pins = BTreeMap<String, Pin>;

impl Keeper<'_> {
    /// The pins of the root.
    ///
    /// # Errors
    /// Where the file can't be read: then nothing is known to be unpinned.
    pub fn pins(&self) -> Result<Pins, ChangeError> {
        let Some((bytes, _)) = self.spot.file(PINS)? else { return Ok(Pins::new()) };
        serde_json::from_slice(&bytes).map_err(|error| ChangeError::Damaged {
            path: self.spot.path(PINS),
            found: error.to_string(),
        })
    }

    /// Law `pinned`.
    pub(super) fn is_unpinned(&self, skill: Target<'_>) -> Result<(), ChangeError> {
        let pinned =
            |(folder, pin): (&String, &Pin)| folder == skill.folder || pin.skill == skill.id;
        if self.pins()?.iter().any(pinned) {
            return Err(ChangeError::Pinned(skill.folder.to_owned()));
        }
        Ok(())
    }

    /// Pins a skill: no rule moves it, and nobody archives it.
    ///
    /// # Errors
    /// Where it is pinned, is no skill, or somebody else than a person asks.
    pub fn pin(&self, skill: Target<'_>, by: &By) -> Result<Done, ChangeError> {
        by.person("pin")?;
        let lock = self.lock("pin")?;
        self.is_skill(skill.folder, "pinned")?;
        let (steps, fresh) = self.turn(skill, Some(by.actor))?;
        let done = self.make(self.change(skill.id, Verb::Pin, by, steps), fresh, |_| Ok(()));
        drop(lock);
        done
    }

    /// Whether [`Keeper::pin`] would pin it, and nothing done.
    ///
    /// # Errors
    /// As there.
    pub fn would_pin(&self, skill: Target<'_>, by: &By) -> Result<(), ChangeError> {
        by.person("pin")?;
        self.is_skill(skill.folder, "pinned")?;
        self.turn(skill, Some(by.actor)).map(drop)
    }

    /// Whether [`Keeper::unpin`] would take a pin away, and nothing done.
    ///
    /// # Errors
    /// As there.
    pub fn would_unpin(&self, skill: Target<'_>, by: &By) -> Result<(), ChangeError> {
        by.person("unpin")?;
        self.turn(skill, None).map(drop)
    }

    /// Writes a pin into the root that a person set while the root was only read, and the ledger alone knew it.
    ///
    /// # Errors
    /// Where it is pinned there, or is no skill.
    pub fn carry_pin(&self, skill: Target<'_>, by: &By) -> Result<Done, ChangeError> {
        let lock = self.lock("pin")?;
        self.is_skill(skill.folder, "pinned")?;
        let (steps, fresh) = self.turn(skill, Some(Actor::Person))?;
        let done = self.make(self.change(skill.id, Verb::Pin, by, steps), fresh, |_| Ok(()));
        drop(lock);
        done
    }

    /// Takes a pin away, of a folder that is gone too.
    ///
    /// # Errors
    /// Where it isn't pinned, or somebody else than a person asks.
    pub fn unpin(&self, skill: Target<'_>, by: &By) -> Result<Done, ChangeError> {
        by.person("unpin")?;
        let lock = self.lock("unpin")?;
        let (steps, fresh) = self.turn(skill, None)?;
        let done = self.make(self.change(skill.id, Verb::Unpin, by, steps), fresh, |_| Ok(()));
        drop(lock);
        done
    }

    /// The step that pins or unpins, whatever else is pinned by now.
    pub(super) fn turn(
        &self,
        skill: Target<'_>,
        by: Option<Actor>,
    ) -> Result<(Vec<Step>, Fresh), ChangeError> {
        let mut pins = self.pins()?;
        let was = pins.len();
        match by {
            Some(by) if !pins.values().any(|pin| pin.skill == skill.id) => {
                pins.insert(skill.folder.to_owned(), Pin { skill: skill.id, by, at: self.now() });
            }
            Some(_) => {}
            None => pins.retain(|folder, pin| folder != skill.folder && pin.skill != skill.id),
        }
        if pins.len() == was {
            return Err(ChangeError::NoChange);
        }
        let mut bytes = serde_json::to_vec_pretty(&pins).unwrap_or_default();
        bytes.push(b'\n');
        let before = self.spot.file(PINS)?.map(|(bytes, mode)| Blob {
            digest: Digest::of(&bytes),
            size: bytes.len() as u64,
            mode,
        });
        let after = Blob { digest: Digest::of(&bytes), size: bytes.len() as u64, mode: 0o644 };
        let step = Step::Put { path: PINS.to_owned(), before, after };
        Ok((vec![step], Fresh::from([(after.digest, bytes)])))
    }
}
