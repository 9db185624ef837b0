//! What another program keeps beside skills: an archive of its own, from which a skill is taken into ours, and files of state,
//! which are written when somebody goes back to that program. Law `owned` holds for both.

use std::{path::Path, time::Duration};

use super::{
    ChangeError, Home,
    archive::Archived,
    keeper::{By, Keeper, Target, owner},
    place::{is_in, join, parent},
    spot::Spot,
};
use crate::system::{Disk, Lock};

/// Where Hermes puts skills away, below the root.
pub(super) const ARCHIVE: &str = ".archive";

/// How long another program's lock is waited for: it holds it for one small write.
const WAIT: Duration = Duration::from_secs(10);

/// Whether a folder lies in another program's archive, and not in ours.
#[must_use]
pub fn is_put_away_elsewhere(folder: &str) -> bool {
    folder != ARCHIVE && is_in(folder, ARCHIVE)
}

/// Where a skill of that archive came from, as far as its folder tells: the category is lost, and of several copies all but
/// the first end in fourteen digits of a time.
pub(super) fn former(folder: &str) -> &str {
    let below = folder.strip_prefix(ARCHIVE).unwrap_or(folder).trim_start_matches('/');
    let digits = |time: &str| time.len() == 14 && time.bytes().all(|byte| byte.is_ascii_digit());
    match below.rsplit_once('-') {
        Some((name, time)) if digits(time) && !name.is_empty() => name,
        _ => below,
    }
}

impl Keeper<'_> {
    /// Takes a skill from another program's archive into ours, from where it can be brought back.
    ///
    /// # Errors
    /// Where it lies in no such archive, is no skill's own folder, somebody else than a person asks, or it can't be moved.
    pub fn take_from_elsewhere(&self, skill: Target<'_>, by: &By) -> Result<Archived, ChangeError> {
        by.person("restore")?;
        let lock = self.lock("restore")?;
        if !is_put_away_elsewhere(skill.folder) {
            return Err(ChangeError::NotArchived(skill.id));
        }
        self.is_skill(skill.folder, "restored")?;
        let (_, archived) = self.put_away(skill, former(skill.folder), by)?;
        drop(lock);
        Ok(archived)
    }
}

/// Another program's folder, held by its own lock while files of state are written there.
pub struct Held<'a> {
    spot: Spot<'a>,
    _lock: Box<dyn Lock>,
}

impl<'a> Held<'a> {
    /// Law `owned`: a folder that skills are read from (`is_root`) must be this home's, and another home's is nobody else's.
    ///
    /// # Errors
    /// Where it isn't.
    pub fn may_be_held(
        disk: &dyn Disk,
        folder: &Path,
        home: &Home,
        is_root: bool,
    ) -> Result<(), ChangeError> {
        match owner(Spot { disk, top: folder })? {
            Some(owner) if owner.id != home.id => {
                Err(ChangeError::OwnedElsewhere { root: folder.to_owned(), owner: owner.path })
            }
            None if is_root => Err(ChangeError::NotOwned(folder.to_owned())),
            _ => Ok(()),
        }
    }

    /// Holds a folder below another one, which is made where it isn't there. `lock` is the program's own lock file in it.
    ///
    /// # Errors
    /// Where the other program doesn't let go, or it can't be written.
    pub fn hold(
        disk: &'a dyn Disk,
        top: &'a Path,
        folder: &str,
        lock: &str,
    ) -> Result<Held<'a>, ChangeError> {
        let spot = Spot { disk, top };
        spot.lasting_folder(folder)?;
        let file = join(folder, lock);
        let holder = format!("process {}", std::process::id());
        match disk.lock(spot.at(&file), &holder, WAIT) {
            Err(held) if held.kind() == std::io::ErrorKind::WouldBlock => Err(ChangeError::Held {
                place: spot.path(folder),
                holder: "another program".to_owned(),
                seconds: WAIT.as_secs(),
            }),
            taken => Ok(Held { _lock: spot.told("locking", &file, taken)?, spot }),
        }
    }

    /// Puts a file in its place, whole and durable. One that is there keeps its permissions.
    ///
    /// # Errors
    /// Where it can't be written; the old one is then as it was.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<(), ChangeError> {
        let mode = self.spot.file(path)?.map_or(0o644, |(_, mode)| mode);
        let fresh = format!("{path}.{:016x}.tmp", self.spot.disk.random());
        let at = self.spot.at(&fresh);
        self.spot.told("writing", &fresh, self.spot.disk.write_new(at, bytes, mode))?;
        let named = self.spot.disk.replace_with(at, self.spot.at(path));
        if let Err(error) = self.spot.told("writing", path, named) {
            self.spot.clear(&fresh).unwrap_or_default();
            return Err(error);
        }
        self.spot.sync(parent(path))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::path::Path;

    use super::{Held, former, is_put_away_elsewhere};
    use crate::system::{Failure, Fault, Seen, SimulatedDisk};

    const FILE: &str = "skills/.usage.json";

    fn put(disk: &SimulatedDisk) -> bool {
        let held = Held::hold(disk, Path::new("/h"), "skills", ".usage.json.lock");
        held.and_then(|held| held.put(FILE, b"new, and longer")).is_ok()
    }

    fn disk() -> SimulatedDisk {
        let disk = SimulatedDisk::new(3);
        disk.put_folder("/h/skills", 0o755);
        disk.put_file("/h/skills/.usage.json", "old", 0o640);
        disk
    }

    #[test]
    fn whatever_fails_a_file_of_state_is_the_old_one_or_the_new_one() {
        let whole = disk();
        whole.forget_operations();
        assert!(put(&whole));
        let operations = whole.operations();
        assert!(operations.len() > 3, "{operations:?}");
        let faults = [Fault::CrashBefore, Fault::CrashAfter].into_iter();
        let faults: Vec<Fault> = faults.chain(Failure::ALL.map(Fault::Fail)).collect();
        for (at, operation) in (1..).zip(&operations) {
            for (seed, fault) in (0..).zip(&faults) {
                let disk = disk();
                disk.forget_operations();
                disk.fault(at, *fault);
                let done = put(&disk);
                let disk = if disk.has_crashed() { disk.after_crash(seed) } else { disk };
                let found = disk.tree("/h").remove(FILE);
                let file = |bytes: &[u8]| Some(Seen::File(0o640, bytes.to_vec()));
                let new = found == file(b"new, and longer");
                let told = format!("{fault:?} at {at} `{operation}`: {found:?}");
                assert!(new || (!done && found == file(b"old")), "{told}");
            }
        }
    }

    #[test]
    fn a_folder_of_the_other_archive_tells_where_it_came_from() {
        for (folder, away, to) in [
            (".archive/x", true, "x"),
            (".archive/x-20260813120000", true, "x"),
            (".archive/ops/x", true, "ops/x"),
            (".archive/x-2026", true, "x-2026"),
            (".archive/-20260813120000", true, "-20260813120000"),
            (".archive", false, ""),
            (".archived/x", false, ""),
            ("x", false, ""),
        ] {
            assert_eq!(is_put_away_elsewhere(folder), away, "{folder}");
            if away {
                assert_eq!(former(folder), to, "{folder}");
            }
        }
    }
}
