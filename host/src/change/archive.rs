//! Skills put away and brought back. Nothing is copied or deleted: the folder is moved as it is, and what lies beside it
//! says all that is needed to bring it back without a ledger.

use std::cmp::Reverse;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

use super::{
    ChangeError, Fresh,
    keeper::{By, Done, Keeper, Target},
    names::SKILL_FILE,
    place::{ARCHIVE, join, last, packet, parent},
    seen::Seen,
    stage::{Ready, Whole},
    tree::Tree,
    wanted::Wanted,
};
use crate::{
    decision::Judgement,
    ledger::{Blob, Digest, Leave, Step, Verb},
    skill::{Actor, Instant, SkillId},
    system::Entry,
};

/// What lies beside an archived skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidecar {
    /// Which skill it is.
    pub id: SkillId,
    /// Its folder's name.
    pub name: String,
    /// Its folder below the root, where it is brought back to.
    pub folder: String,
    /// Why it was put away.
    pub reason: String,
    /// By whom.
    pub actor: Actor,
    /// When.
    pub at: Instant,
    /// Hash of all its paths, permissions and contents.
    pub digest: Digest,
    /// All of them.
    pub tree: Tree,
}

/// An archived skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// The folder that holds it, below the root. It tells one archiving of a skill from another.
    pub packet: String,
    /// What lies beside it.
    pub sidecar: Sidecar,
}

impl Archived {
    /// Where the skill's folder is.
    #[must_use]
    pub fn folder(&self) -> String {
        join(&self.packet, &self.sidecar.name)
    }

    /// What tells this copy from every other one, another copy of the same skill too: its packet's own name.
    #[must_use]
    pub fn copy(&self) -> &str {
        last(&self.packet)
    }

    /// Whether a word means it: the copy's own id, the skill's id, its name, its former folder, or its name with its category.
    /// What lies beside the skill says all of these, so no ledger is asked.
    #[must_use]
    pub fn is_called(&self, word: &str) -> bool {
        let Sidecar { id, name, folder, .. } = &self.sidecar;
        // A skill at the top of its root is listed under `general`.
        let general = || !folder.contains('/') && word.strip_prefix("general/") == Some(name);
        word == self.copy() || word == name || word == folder || word == id.to_string() || general()
    }
}

pub(super) fn sidecar_of(packet: &str) -> String {
    format!("{packet}.json")
}

/// Bytes of what lies beside a skill up to which the step that makes it has them itself: a file less to be made, named and
/// synced for each of a thousand skills. That of a skill with very many files is an object.
const LONGEST: usize = 16 << 10;

fn beside(path: String, text: String, fresh: &mut Fresh) -> Step {
    if text.len() <= LONGEST {
        return Step::PutText { path, text, mode: SIDECAR };
    }
    let after = Blob::of(text.as_bytes(), SIDECAR);
    fresh.insert(after.digest, text.into_bytes());
    Step::Put { path, before: None, after }
}

/// Its permissions.
const SIDECAR: u32 = 0o600;

impl Keeper<'_> {
    /// What is archived, newest first. A sidecar that can't be read is passed over; its folder stays where it is.
    ///
    /// # Errors
    /// Where the archive can't be listed.
    pub fn archived(&self) -> Result<Vec<Archived>, ChangeError> {
        if self.spot.held(ARCHIVE)?.is_none() {
            return Ok(Vec::new());
        }
        let spot = self.spot;
        let read = |entry: &Entry| -> Option<Result<Archived, ChangeError>> {
            let stem = entry.name.strip_suffix(".json")?;
            match spot.file(&join(ARCHIVE, &entry.name)) {
                Ok(read) => {
                    let sidecar = serde_json::from_slice::<Sidecar>(&read?.0).ok()?;
                    Some(Ok(Archived { packet: join(ARCHIVE, stem), sidecar }))
                }
                Err(why) => Some(Err(why)),
            }
        };
        let all: Result<Vec<_>, _> = spot.entries(ARCHIVE)?.par_iter().filter_map(read).collect();
        let mut found = all?;
        found.sort_by(|a, b| b.sidecar.at.cmp(&a.sidecar.at).then_with(|| b.packet.cmp(&a.packet)));
        if found.windows(2).any(|two| matches!(two, [a, b] if a.sidecar.at == b.sidecar.at)) {
            // Times are seconds, and changes are numbered.
            let newest = self.ledger.newest()?;
            let by_change =
                |it: &Archived| Reverse((it.sidecar.at, newest.get(&it.sidecar.id).copied()));
            found.sort_by_key(by_change);
        }
        Ok(found)
    }

    /// Puts a skill away. Laws `pinned` and `no-loss`: what is pinned stays, and the move is verified. Where the ledger stands
    /// in for one that was lost, only a person does: whatever spoke against it may be lost too.
    ///
    /// # Errors
    /// Where it is pinned, is no skill's own folder, the ledger is not accepted, it is refused or has to wait, or it can't be
    /// moved.
    pub fn archive(&self, skill: Target<'_>, by: &By) -> Result<Done, ChangeError> {
        self.may_archive(skill.folder, by)?;
        let lock = self.lock("archive")?;
        let (ready, tree) = self.ready_to_archive(skill, by)?;
        let done = self.go(ready, by, |_| Wanted::Archive { tree });
        drop(lock);
        done
    }

    /// What would be said of putting a skill away, and nothing done.
    ///
    /// # Errors
    /// As [`Keeper::archive`], but for what is refused or has to wait: that is in the judgement.
    pub fn would_archive(&self, skill: Target<'_>, by: &By) -> Result<Judgement, ChangeError> {
        self.may_archive(skill.folder, by)?;
        let (ready, _) = self.ready_to_archive(skill, by)?;
        self.judgement(&ready, by)
    }

    /// What would be said of bringing a skill back to its old place, and nothing done.
    ///
    /// # Errors
    /// As [`Keeper::restore`], but for what is refused or has to wait: that is in the judgement.
    pub fn would_restore(&self, archived: &Archived, by: &By) -> Result<Judgement, ChangeError> {
        let (ready, _) = self.ready_to_restore(archived, None)?;
        self.judgement(&ready, by)
    }

    /// Whether the ledger is one that others than a person may archive by.
    pub(super) fn may_archive(&self, folder: &str, by: &By) -> Result<(), ChangeError> {
        match self.ledger.damaged_since()? {
            Some(since) if by.actor != Actor::Person => {
                Err(ChangeError::Unaccepted { folder: folder.to_owned(), since })
            }
            _ => Ok(()),
        }
    }

    /// A skill as it would be put away, and the hash of all that is in its folder.
    pub(super) fn ready_to_archive(
        &self,
        skill: Target<'_>,
        by: &By,
    ) -> Result<(Ready, Digest), ChangeError> {
        self.is_skill(skill.folder, "archived")?;
        self.is_unpinned(skill)?;
        let (ready, archived) = self.ready_to_put_away(skill, skill.folder, by)?;
        Ok((ready, archived.sidecar.digest))
    }

    /// Moves a skill's folder into the archive, under the lock, without asking anybody. `back` is the folder that a restore
    /// brings it to.
    pub(super) fn put_away(
        &self,
        skill: Target<'_>,
        back: &str,
        by: &By,
    ) -> Result<(Done, Archived), ChangeError> {
        let (ready, archived) = self.ready_to_put_away(skill, back, by)?;
        Ok((self.carry_out(ready, by, Leave::default())?, archived))
    }

    fn ready_to_put_away(
        &self,
        skill: Target<'_>,
        back: &str,
        by: &By,
    ) -> Result<(Ready, Archived), ChangeError> {
        let seen = Seen::read(self.spot, skill.folder)?;
        self.put_away_as(skill, back, by, seen)
    }

    /// The same, where its folder was read already.
    pub(super) fn put_away_as(
        &self,
        skill: Target<'_>,
        back: &str,
        by: &By,
        seen: Seen,
    ) -> Result<(Ready, Archived), ChangeError> {
        let Target { id, folder } = skill;
        let tree = seen.tree.clone();
        let nested = |(path, _): &&(String, Blob)| {
            path.contains('/')
                && last(path).eq_ignore_ascii_case(SKILL_FILE)
                && !crate::library::is_support(path.split('/').next().unwrap_or_default())
        };
        if let Some((path, _)) = tree.files.iter().find(nested) {
            let why = format!("it holds another skill, `{}`", parent(path));
            let folder = folder.to_owned();
            return Err(ChangeError::NoSkillFolder { folder, done: "archived", why });
        }
        let packet = self.new_packet(id)?;
        let digest = tree.digest();
        let sidecar = Sidecar {
            id,
            name: last(back).to_owned(),
            folder: back.to_owned(),
            reason: by.reason.clone(),
            actor: by.actor,
            at: self.now(),
            digest,
            tree,
        };
        let text = serde_json::to_string_pretty(&sidecar).unwrap_or_default();
        let to = join(&packet, &sidecar.name);
        let mut fresh = Fresh::new();
        // What lies beside it is there before it comes.
        let steps = vec![
            Step::MakeFolder { path: packet.clone(), mode: 0o700 },
            beside(sidecar_of(&packet), text, &mut fresh),
            Step::Move { from: folder.to_owned(), to: to.clone() },
        ];
        let ready = Ready {
            skill: id,
            verb: Verb::Archive,
            folder: folder.to_owned(),
            steps,
            fresh,
            read: false,
            whole: Some(Whole { to, seen, digest }),
            tolerated: Vec::new(),
            notes: Vec::new(),
        };
        Ok((ready, Archived { packet, sidecar }))
    }

    /// Brings an archived skill back to where it was, or to another folder of the root. That is a person's to decide: what
    /// others ask waits.
    ///
    /// # Errors
    /// Where something is there already, it is not archived, it is refused or has to wait, or it can't be moved.
    pub fn restore(
        &self,
        archived: &Archived,
        to: Option<&str>,
        by: &By,
    ) -> Result<Done, ChangeError> {
        let lock = self.lock("restore")?;
        let (ready, tree) = self.ready_to_restore(archived, to)?;
        let to = ready.folder.clone();
        let wanted = |_: &mut Fresh| Wanted::Restore { packet: archived.packet.clone(), to, tree };
        let done = self.go(ready, by, wanted);
        drop(lock);
        done
    }

    /// An archived skill as it would be brought back, and the hash of all that is in its folder.
    pub(super) fn ready_to_restore(
        &self,
        archived: &Archived,
        to: Option<&str>,
    ) -> Result<(Ready, Digest), ChangeError> {
        self.ready_to_restore_as(archived, to, || Seen::read(self.spot, &archived.folder()))
    }

    /// The same, where somebody else reads its folder.
    pub(super) fn ready_to_restore_as(
        &self,
        archived: &Archived,
        to: Option<&str>,
        seen: impl FnOnce() -> Result<Seen, ChangeError>,
    ) -> Result<(Ready, Digest), ChangeError> {
        let (packet, sidecar) = (&archived.packet, &archived.sidecar);
        let from = archived.folder();
        let beside = sidecar_of(packet);
        let held = self.spot.held(&from)?;
        let (Some(_), Some((bytes, mode))) = (held, self.spot.file(&beside)?) else {
            return Err(ChangeError::NotArchived(sidecar.id));
        };
        let to = to.unwrap_or(&sidecar.folder);
        if to.split('/').any(|part| part.is_empty() || part.starts_with('.')) {
            let why = "it is no folder for skills".to_owned();
            return Err(ChangeError::NoSkillFolder { folder: to.to_owned(), done: "made", why });
        }
        self.is_free(to)?;
        let seen = seen()?;
        let found = seen.tree.digest();
        let mut steps = Vec::new();
        self.missing_folders(parent(to), &mut steps)?;
        steps.push(Step::Move { from, to: to.to_owned() });
        steps.push(match String::from_utf8(bytes) {
            Ok(text) if text.len() <= LONGEST => Step::RemoveText { path: beside, text, mode },
            Ok(text) => Step::Remove { path: beside, before: Blob::of(text.as_bytes(), mode) },
            Err(odd) => Step::Remove { path: beside, before: Blob::of(odd.as_bytes(), mode) },
        });
        let packet_mode = self.spot.held(packet)?.map_or(0o700, |held| held.mode);
        steps.push(Step::RemoveFolder { path: packet.clone(), mode: packet_mode });
        let mut ready = Ready {
            skill: sidecar.id,
            verb: Verb::Restore,
            folder: to.to_owned(),
            steps,
            fresh: Fresh::new(),
            read: false,
            whole: Some(Whole { to: to.to_owned(), seen, digest: found }),
            tolerated: Vec::new(),
            notes: Vec::new(),
        };
        if found != sidecar.digest {
            ready.notes.push(
                "it was changed while it was archived; it came back as it was there".to_owned(),
            );
        }
        Ok((ready, found))
    }

    /// A place in the archive that is free.
    fn new_packet(&self, skill: SkillId) -> Result<String, ChangeError> {
        let first = packet(skill, self.now());
        let mut packet = first.clone();
        for number in 2.. {
            if self.spot.held(&packet)?.is_none() && self.spot.held(&sidecar_of(&packet))?.is_none()
            {
                break;
            }
            packet = format!("{first}-{number}");
        }
        Ok(packet)
    }
}
