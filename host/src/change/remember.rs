//! What an owned root itself remembers of its skills, for a ledger that doesn't: who lies in its archive, and who is
//! pinned.

use super::{
    ChangeError,
    keeper::Keeper,
    place::{last, parent},
};
use crate::{
    ledger::{NewSkill, Origin, Remembered},
    skill::State,
};

impl Keeper<'_> {
    /// What the root remembers. `names` says name and category of the skill that is in a folder now. A file of pins that
    /// can't be read remembers nothing.
    ///
    /// # Errors
    /// Where the archive or the pins can't be looked at.
    pub fn remembered(
        &self,
        names: &dyn Fn(&str) -> Option<(String, String)>,
    ) -> Result<Remembered, ChangeError> {
        let skill = |id, folder: &str, state, created| {
            let (name, category) = names(folder).unwrap_or_else(|| {
                let category = Some(parent(folder)).filter(|it| !it.is_empty());
                (last(folder).to_owned(), category.unwrap_or("general").to_owned())
            });
            NewSkill {
                id,
                root: self.root,
                folder: folder.to_owned(),
                name,
                category,
                state,
                origin: Origin::Unknown,
                created,
            }
        };
        let archived = self.archived()?.into_iter().map(|archived| {
            let it = archived.sidecar;
            let text = it.tree.files.iter().find(|(path, _)| super::effect::makes_skill(path));
            (skill(it.id, &it.folder, State::Archived, it.at), text.map(|(_, blob)| blob.digest))
        });
        let archived = archived.collect();
        let pins = match self.pins() {
            Err(ChangeError::Damaged { .. }) => Default::default(),
            pins => pins?,
        };
        let pinned = pins.iter().map(|(folder, pin)| {
            let state = if names(folder).is_some() { State::Active } else { State::Gone };
            skill(pin.skill, folder, state, pin.at)
        });
        Ok(Remembered { archived, pinned: pinned.collect() })
    }
}
