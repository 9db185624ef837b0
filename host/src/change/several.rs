//! Many skills put away, brought back, or changes taken back, in one go: what a pass of the curator decides on.
//!
//! Each skill is held to the same laws and judged like one alone. What is shared are the lock, two commits, and the syncs.

use std::collections::BTreeMap;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    ChangeError,
    archive::Archived,
    folders::is_skill,
    group::{Bound, Group, Member, Verify},
    keeper::{By, Done, Keeper, Target},
    place::{above, is_in},
    seen::Seen,
    stage::{Ready, Whole},
    taken::Foreseen,
    wanted::Wanted,
};
use crate::{
    decision::Successor,
    ledger::{ChangeId, Digest, Leave, NewChange},
};

/// How many skills are a good number for one call: the root's lock is held for a fraction of a second, and the commits and
/// syncs are shared by enough.
pub const CHUNK: usize = 200;

/// A skill that is to be put away with others.
#[derive(Clone, Debug)]
pub struct Retire<'a> {
    /// Which one.
    pub target: Target<'a>,
    /// Why this one, in the actor's words; it is what `log` and the archive tell.
    pub reason: String,
    /// The hash of all that was in its folder when that was decided ([`Tree::digest`](super::Tree::digest)). Where it is
    /// given and another one is found, the skill stays.
    pub tree: Option<Digest>,
    /// What takes its place, if something was named; rules may ask for it.
    pub successor: Option<Successor>,
}

impl Keeper<'_> {
    /// Puts skills away, in one go; the results are in the order of what was asked. One that a law forbids, that is refused,
    /// has to wait or can't be moved is left out with its error, and stops none of the others. A crash leaves each of them
    /// whole, at its old place or in the archive, and whoever comes next finishes.
    ///
    /// The lock is held meanwhile, so ask for [`CHUNK`] at a time.
    ///
    /// # Errors
    /// Where somebody else holds the root, or what was cut off can't be gone on with. Nothing is done then.
    pub fn archive_all(
        &self,
        all: &[Retire<'_>],
        by: &By,
    ) -> Result<Vec<Result<Done, ChangeError>>, ChangeError> {
        let lock = self.lock("archive")?;
        let mut chosen = Chosen::default();
        let spot = self.spot;
        // Reading what is to go takes longest, and no law is asked for it.
        let read = |it: &Retire<'_>| {
            let folder = it.target.folder;
            is_skill(spot, folder, "archived").map(|()| Seen::read(spot, folder))
        };
        let seen: Vec<_> = all.par_iter().map(read).collect();
        for (it, seen) in all.iter().zip(seen) {
            let folder = it.target.folder;
            let ready = chosen.claim(folder).and_then(|()| self.retiring(it, seen, by));
            chosen.take(folder, ready);
        }
        if chosen.any() {
            self.archive_folder()?;
        }
        let done = chosen.make(self);
        drop(lock);
        Ok(done)
    }

    /// `seen` is what lies in its folder, where that is a skill's.
    fn retiring<'m>(
        &self,
        it: &Retire<'_>,
        seen: Result<Result<Seen, ChangeError>, ChangeError>,
        by: &By,
    ) -> Result<Member<'m>, ChangeError> {
        let Target { folder, .. } = it.target;
        let by = By { reason: it.reason.clone(), ..by.clone() };
        self.may_archive(folder, &by)?;
        let seen = seen?;
        self.is_unpinned(it.target)?;
        let seen = seen?;
        let tree = seen.tree.digest();
        if it.tree.is_some_and(|decided| decided != tree) {
            let found = "its files were changed since that was decided".to_owned();
            return Err(ChangeError::InTheWay { path: folder.to_owned(), found });
        }
        let (ready, _) = self.put_away_as(it.target, folder, &by, seen)?;
        let foreseen = Foreseen { successor: it.successor, ..Foreseen::default() };
        let wanted = |_: &mut super::Fresh| Wanted::Archive { tree };
        let (ready, leave) = self.allowed(ready, &by, foreseen, wanted)?;
        Ok(self.member(ready, &by, leave))
    }

    /// Brings archived skills back to where they were, in one go; the results are in the order of what was asked. One that
    /// can't be brought back is left out with its error, and stops none of the others.
    ///
    /// # Errors
    /// Where somebody else holds the root, or what was cut off can't be gone on with. Nothing is done then.
    pub fn restore_all(
        &self,
        all: &[Archived],
        by: &By,
    ) -> Result<Vec<Result<Done, ChangeError>>, ChangeError> {
        let lock = self.lock("restore")?;
        let mut chosen = Chosen::default();
        let spot = self.spot;
        let seen: Vec<_> = all.par_iter().map(|it| Seen::read(spot, &it.folder())).collect();
        for (it, seen) in all.iter().zip(seen) {
            let folder = it.sidecar.folder.as_str();
            let ready = chosen.claim(folder).and_then(|()| {
                let (ready, tree) = self.ready_to_restore_as(it, None, || seen)?;
                let (packet, to) = (it.packet.clone(), ready.folder.clone());
                let wanted = |_: &mut super::Fresh| Wanted::Restore { packet, to, tree };
                let (ready, leave) = self.allowed(ready, by, Foreseen::default(), wanted)?;
                Ok(self.member(ready, by, leave))
            });
            chosen.take(folder, ready);
        }
        let done = chosen.make(self);
        drop(lock);
        Ok(done)
    }

    /// Takes changes back, all of them or none, in one go; each is a change of its own. They are given in the order in which
    /// they were made.
    ///
    /// # Errors
    /// As [`Keeper::undo`], for any of them. Nothing is changed then.
    pub fn undo_all(&self, ids: &[ChangeId], by: &By) -> Result<Vec<Done>, ChangeError> {
        by.person("undo")?;
        let lock = self.lock("undo")?;
        let mut group = Group::new(Bound::All);
        for id in ids.iter().rev() {
            let (record, change, fresh) = self.undoing(*id, by, Leave::default())?;
            let verify: Verify<'_> = Box::new(|_| Ok(()));
            drop(record);
            group.add(self, Member { change, fresh, kept: false, verify, notes: Vec::new() });
        }
        let done = all_or_why(group.make(|_| Ok(())));
        drop(lock);
        done
    }

    /// A write that may be made, as one among others.
    pub(super) fn member<'m>(&self, ready: Ready, by: &By, leave: Leave) -> Member<'m> {
        let Ready { skill, verb, steps, fresh, whole, notes, .. } = ready;
        let change = NewChange { leave, ..self.change(skill, verb, by, steps) };
        let verify: Verify<'m> = match whole {
            Some(Whole { to, seen, .. }) => Box::new(move |spot| seen.is_in(spot, &to)),
            None => Box::new(|_| Ok(())),
        };
        Member { change, fresh, kept: false, verify, notes }
    }
}

/// The changes of a group that is made whole, or why it isn't: the first that stopped says so in full.
pub(super) fn all_or_why(
    results: Vec<Result<Done, ChangeError>>,
) -> Result<Vec<Done>, ChangeError> {
    let mut why: Option<ChangeError> = None;
    let mut done = Vec::new();
    for result in results {
        match result {
            Ok(it) => done.push(it),
            // One that is only begun matters most: it is gone on with. Then the one that all the others stopped for.
            Err(error @ ChangeError::Unfinished { .. }) => why = Some(error),
            Err(error) => match &why {
                Some(ChangeError::WithOthers(_)) | None => why = Some(error),
                Some(_) => {}
            },
        }
    }
    why.map_or(Ok(done), Err)
}

/// What was asked, in its order: what is to be made, and what is left out and why.
#[derive(Default)]
struct Chosen<'m> {
    all: Vec<Result<Member<'m>, ChangeError>>,
    /// The folders in small letters, each as it was asked.
    folders: BTreeMap<String, String>,
}

impl<'m> Chosen<'m> {
    /// No two may be about one folder, or one about what lies in the other's.
    fn claim(&self, folder: &str) -> Result<(), ChangeError> {
        let small = folder.to_lowercase();
        let around = above(&small).chain([small.as_str()]);
        let within = self.folders.range(format!("{small}/")..).next();
        let within = within.filter(|(other, _)| is_in(other, &small)).map(|(_, other)| other);
        match around.filter_map(|it| self.folders.get(it)).next().or(within) {
            None => Ok(()),
            Some(other) => {
                let found = format!("`{other}` is about the same folder, and comes first");
                Err(ChangeError::InTheWay { path: folder.to_owned(), found })
            }
        }
    }

    fn take(&mut self, folder: &str, ready: Result<Member<'m>, ChangeError>) {
        if ready.is_ok() {
            self.folders.insert(folder.to_lowercase(), folder.to_owned());
        }
        self.all.push(ready);
    }

    fn any(&self) -> bool {
        !self.folders.is_empty()
    }

    fn make<'k>(self, keeper: &'k Keeper<'_>) -> Vec<Result<Done, ChangeError>>
    where
        'm: 'k,
    {
        let mut group = Group::new(Bound::Each);
        let mut left_out = Vec::new();
        for it in self.all {
            match it {
                Ok(member) => {
                    group.add(keeper, member);
                    left_out.push(None);
                }
                Err(why) => left_out.push(Some(why)),
            }
        }
        let mut made = group.make(|_| Ok(())).into_iter();
        let none = || Err(ChangeError::WithOthers("it was not begun".to_owned()));
        let each =
            |why: Option<ChangeError>| why.map_or_else(|| made.next().unwrap_or_else(none), Err);
        left_out.into_iter().map(each).collect()
    }
}
