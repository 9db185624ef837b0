//! All that is kept, looked at in full: whether the ledger is whole, the former bytes are there and are what their names say,
//! and archives and pins say what the ledger knows. It takes as long as reading all of it, and changes nothing. Of what snapshots
//! need only the sizes are looked at: `curator rollback --verify` reads it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{
    ChangeError,
    archive::{Sidecar, sidecar_of},
    keeper::Keeper,
    names::SKILL_FILE,
    objects::Objects,
    place::{ARCHIVE, PINS, join},
    retention::Retention,
    snapshot::Snapshots,
    spot::Spot,
    tree,
};
use crate::{
    ledger::{ChangeId, Digest, Fault, Ledger, PendingId, backups, is_whole},
    skill::{Instant, SkillId, State},
    system::Kind,
};

/// What mends a ledger that knows less than a root.
const ASK: &str = "to ask the root again: skillkeep scan --rebuild";
/// What mends an archive that says nothing of a skill in it.
const BY_HAND: &str = "move the skill's folder into the root by hand, then: skillkeep scan";

/// Something that is wrong with what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The rule that found it, such as `object-missing`.
    pub rule: &'static str,
    /// Whether something is lost or closed by it.
    pub grave: bool,
    /// The file or folder.
    pub path: PathBuf,
    /// What was found.
    pub cause: String,
    /// What would mend it.
    pub fix: String,
}

/// What was looked at, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audit {
    /// What is wrong, in a fixed order.
    pub flaws: Vec<Flaw>,
    /// Skills that are known.
    pub skills: usize,
    /// Changes that were done.
    pub changes: usize,
    /// Former bytes that are needed.
    pub objects: usize,
    /// Skills in archives.
    pub archived: usize,
    /// Pins.
    pub pins: usize,
    /// Snapshots.
    pub snapshots: usize,
}

/// Who needs the bytes of an object.
enum Need<'a> {
    /// A change, for a file.
    Change(ChangeId, &'a str),
    /// A write that waits.
    Pending(PendingId),
}

impl Need<'_> {
    /// What it comes to that they are missing, or damaged.
    fn missed(&self, how: &str) -> String {
        match self {
            Need::Change(ChangeId(change), path) => format!(
                "what `{path}` held is {how}, so that change {change} can't be shown and taken back"
            ),
            Need::Pending(id) => {
                format!("a text of `{id}` is {how}, so that it can't be shown and done")
            }
        }
    }
}

impl Audit {
    /// Of the ledger with its backups, and of the home's objects.
    ///
    /// # Errors
    /// Where the ledger or an object can't be read at all.
    pub fn of(
        ledger: &Ledger,
        objects: Objects<'_>,
        home: &Path,
        (retention, now): (Retention, Instant),
    ) -> Result<Audit, ChangeError> {
        let mut audit = Audit::default();
        audit.ledger(ledger)?;
        // What is read from a damaged file says nothing.
        if audit.flaws.iter().any(|flaw| flaw.rule == "ledger-damaged") {
            return Ok(audit);
        }
        let skills = ledger.skills()?;
        audit.skills = skills.len();
        let history = ledger.history()?;
        audit.changes = history.len();
        let queue: Vec<_> = ledger.waiting(None)?;
        let mut named: BTreeMap<Digest, Need<'_>> = BTreeMap::new();
        for (record, digest, path) in retention.needed(&history, &skills, now) {
            named.entry(digest).or_insert(Need::Change(record.id, path));
        }
        for (id, digest) in retention.needed_to_decide(&queue, now) {
            named.entry(digest).or_insert(Need::Pending(id));
        }
        audit.objects = named.len();
        for (digest, need) in named {
            match objects.bytes(&digest) {
                Ok(_) => {}
                Err(ChangeError::Lost(_, how)) => {
                    let rule = if how == "missing" { "object-missing" } else { "object-damaged" };
                    let cause = need.missed(how);
                    let fix = "bring it back from a copy of the home, if there is one";
                    audit.flaw(rule, true, home.join(Objects::path(&digest)), cause, fix);
                }
                Err(other) => return Err(other),
            }
        }
        Ok(audit)
    }

    fn ledger(&mut self, ledger: &Ledger) -> Result<(), ChangeError> {
        for fault in ledger.check()? {
            let (rule, fix) = match fault {
                Fault::Sums(_) => {
                    ("ledger-sums", "to compute them again: skillkeep scan --rebuild")
                }
                Fault::NoSkill(_) => ("ledger-orphan", "nothing hangs on it; it can be shown"),
                _ => (
                    "ledger-damaged",
                    "to begin anew from the newest backup: skillkeep scan --rebuild",
                ),
            };
            self.flaw(
                rule,
                rule != "ledger-orphan",
                ledger.path().to_owned(),
                fault.to_string(),
                fix,
            );
        }
        for backup in backups(ledger.path()) {
            if let Err(error) = is_whole(&backup) {
                let fix = "remove it: the next one is made within a day";
                self.flaw("backup-damaged", false, backup, error.to_string(), fix);
            }
        }
        Ok(())
    }

    /// Of the home's snapshots: whether each can be read, and has all its objects with their sizes.
    ///
    /// # Errors
    /// Where they can't be listed.
    pub fn snapshots(&mut self, snapshots: &Snapshots<'_>) -> Result<(), ChangeError> {
        let fix = "it can't be gone back to; make another one: skillkeep curator backup";
        for path in snapshots.unreadable()? {
            let cause = "it says of no snapshot what it is".to_owned();
            self.flaw("snapshot-damaged", true, path, cause, fix);
        }
        let all = snapshots.list()?;
        self.snapshots = all.len();
        for it in all {
            match snapshots.verify(&it, false) {
                Ok(lacks) => {
                    let Some(lack) = lacks.first() else { continue };
                    let cause = match lacks.len() {
                        1 => format!("of `{}` it has no bytes", lack.path),
                        many => format!("of `{}` and {} more it has no bytes", lack.path, many - 1),
                    };
                    let fix = format!(
                        "to look at all its bytes: skillkeep curator rollback --verify {}",
                        it.id
                    );
                    self.flaw("snapshot-lacks", true, snapshots.file_of(&it), cause, &fix);
                }
                Err(why) => {
                    let path = snapshots.file_of(&it);
                    self.flaw("snapshot-damaged", true, path, why.to_string(), fix);
                }
            }
        }
        Ok(())
    }

    /// What an owned root itself keeps: its archive and its pins.
    ///
    /// # Errors
    /// Where they can't be listed.
    pub fn root(&mut self, keeper: &Keeper<'_>) -> Result<(), ChangeError> {
        let known: BTreeMap<SkillId, State> =
            keeper.ledger.skills()?.into_iter().map(|it| (it.id, it.state)).collect();
        self.archive(keeper, &known)?;
        let pins = match keeper.pins() {
            Err(ChangeError::Damaged { path, found }) => {
                let fix = "mend it, or remove it and pin anew; until then everything is pinned";
                self.flaw("pins-damaged", true, path, found, fix);
                return Ok(());
            }
            pins => pins?,
        };
        self.pins += pins.len();
        for (folder, pin) in pins.iter().filter(|(_, pin)| !known.contains_key(&pin.skill)) {
            let cause =
                format!("`{folder}` is pinned as skill `{}`, which is not known", pin.skill);
            self.flaw("pin-unknown", false, keeper.spot.path(PINS), cause, ASK);
        }
        Ok(())
    }

    fn archive(
        &mut self,
        keeper: &Keeper<'_>,
        known: &BTreeMap<SkillId, State>,
    ) -> Result<(), ChangeError> {
        let spot = keeper.spot;
        let entries = match spot.held(ARCHIVE)? {
            Some(_) => spot.entries(ARCHIVE)?,
            None => Vec::new(),
        };
        let mut beside = BTreeSet::new();
        let mut there = BTreeSet::new();
        for entry in &entries {
            let Some(stem) = entry.name.strip_suffix(".json") else { continue };
            let packet = join(ARCHIVE, stem);
            if let Some(sidecar) = self.sidecar(spot, &packet)? {
                self.archived += 1;
                there.insert(sidecar.id);
                if !known.contains_key(&sidecar.id) {
                    let cause =
                        format!("`{}` is skill `{}`, which is not known", sidecar.name, sidecar.id);
                    let path = spot.path(&sidecar_of(&packet));
                    self.flaw("archive-unknown", false, path, cause, ASK);
                }
            }
            beside.insert(packet);
        }
        for entry in entries.iter().filter(|entry| entry.kind == Kind::Folder) {
            let packet = join(ARCHIVE, &entry.name);
            if !beside.contains(&packet) {
                let cause = format!(
                    "nothing beside it says what it was; a skill's folder with `{SKILL_FILE}` may be in it"
                );
                self.flaw("archive-damaged", true, spot.path(&packet), cause, BY_HAND);
            }
        }
        for skill in keeper.ledger.skills()?.into_iter().filter(|it| it.root == keeper.root) {
            if skill.state == State::Archived && !there.contains(&skill.id) {
                let cause = format!("`{}` is known as archived, and doesn't lie here", skill.name);
                self.flaw("archive-missing", true, spot.path(ARCHIVE), cause, ASK);
            }
        }
        Ok(())
    }

    /// What lies beside an archived skill, if it can be read, and whether the skill is there as it says.
    fn sidecar(&mut self, spot: Spot<'_>, packet: &str) -> Result<Option<Sidecar>, ChangeError> {
        let path = sidecar_of(packet);
        let Some((bytes, _)) = spot.file(&path)? else { return Ok(None) };
        let sidecar = match serde_json::from_slice::<Sidecar>(&bytes) {
            Ok(sidecar) => sidecar,
            Err(error) => {
                self.flaw("archive-damaged", true, spot.path(&path), error.to_string(), BY_HAND);
                return Ok(None);
            }
        };
        let folder = join(packet, &sidecar.name);
        match spot.held(&folder)? {
            None => {
                let cause = format!("`{}` lies here no more", sidecar.name);
                let fix = "bring it back from a copy of the root, or remove this file";
                self.flaw("archive-empty", true, spot.path(&path), cause, fix);
            }
            Some(_) if tree::read(spot, &folder)?.digest() != sidecar.digest => {
                let cause = "its files were changed since it was put away".to_owned();
                let fix = "look at them; restoring brings them back as they are";
                self.flaw("archive-changed", false, spot.path(&folder), cause, fix);
            }
            Some(_) => {}
        }
        Ok(Some(sidecar))
    }

    fn flaw(&mut self, rule: &'static str, grave: bool, path: PathBuf, cause: String, fix: &str) {
        self.flaws.push(Flaw { rule, grave, path, cause, fix: fix.to_owned() });
    }
}
