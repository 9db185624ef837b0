//! A skill given into the curator's care. No file is moved for it: it is a declaration, made under the root's lock, with an
//! undo.

use super::{
    ChangeError,
    keeper::{By, Done, Keeper, Target},
};
use crate::{
    ledger::{Leave, NewChange, Origin, Verb},
    skill::SkillId,
};

impl Keeper<'_> {
    /// Declares a skill adopted: passes may let it go stale and retire it from then on. What is known of its use stays, so its
    /// time is not begun anew.
    ///
    /// # Errors
    /// Where it is in care already, came with an agent or was installed, is no skill, somebody else than a person asks, or
    /// the ledger can't be written.
    pub fn adopt(&self, skill: Target<'_>, by: &By) -> Result<Done, ChangeError> {
        by.person("adopt")?;
        let lock = self.lock("adopt")?;
        self.is_skill(skill.folder, "adopted")?;
        self.may_be_adopted(skill.id, skill.folder)?;
        let leave = Leave { origin: Some(Origin::Adopted), ..Leave::default() };
        let change = NewChange { leave, ..self.change(skill.id, Verb::Adopt, by, Vec::new()) };
        let id = self.ledger.adopt(&change)?;
        drop(lock);
        Ok(Done::of(id, change))
    }

    fn may_be_adopted(&self, id: SkillId, folder: &str) -> Result<(), ChangeError> {
        let origin = self.ledger.skill(id)?.map(|skill| skill.origin).unwrap_or_default();
        let why = match origin {
            Origin::Unknown | Origin::Person | Origin::Foreground => return Ok(()),
            Origin::Review | Origin::Adopted => return Err(ChangeError::NoChange),
            Origin::Bundled => "it came with an agent",
            Origin::Installed => "it was installed from elsewhere",
        };
        let folder = folder.to_owned();
        Err(ChangeError::NoSkillFolder { folder, done: "adopted", why: why.to_owned() })
    }
}
