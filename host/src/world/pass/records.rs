//! Records of passes: each beside its report, and gone with it. A file is named by its hash. It is written when the pass begins,
//! before anything is changed, and moved to its report at the end, so that a pass that was cut off has one too.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::reports::FOLDER;
use crate::{
    ledger::{Digest, Pass, PassId},
    record::{ENDING, MOST, PassRecord, RecordError},
    skill::SkillId,
    system::{At, Disk, Entry, Kind},
};

/// A pass's record, as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassFile {
    /// Where it lies, below the home.
    pub(super) below: String,
    /// Its name.
    pub name: Digest,
}

/// The records of a home's passes.
#[derive(Clone, Copy)]
pub struct PassRecords<'a> {
    disk: &'a dyn Disk,
    home: &'a Path,
}

impl<'a> PassRecords<'a> {
    /// Those of the home at this path, without links in it.
    #[must_use]
    pub fn new(disk: &'a dyn Disk, home: &'a Path) -> PassRecords<'a> {
        PassRecords { disk, home }
    }

    /// Writes the record of a pass that begins. Durable on return.
    pub(super) fn begin(&self, pass: PassId, record: &PassRecord) -> Result<(), RecordError> {
        let (name, packed) = self.told("packing", FOLDER, record.packed())?;
        let made = self.disk.make_folder(self.at(FOLDER), 0o700);
        match made {
            Err(there) if there.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                self.told("making", FOLDER, made)?;
                self.told("making", FOLDER, self.disk.sync_folder(self.at("")))?;
            }
        }
        let below = format!("{FOLDER}/{}{name}{ENDING}", begun(pass));
        self.told("writing", &below, self.disk.write_new(self.at(&below), &packed, 0o600))?;
        self.told("writing", &below, self.disk.sync_folder(self.at(FOLDER)))
    }

    /// Moves the record of a pass to its report, where it has one that isn't there yet.
    pub(super) fn end(&self, pass: PassId, report: &str) -> Result<(), RecordError> {
        let beginning = begun(pass);
        for Entry { name, .. } in self.entries(FOLDER)? {
            let Some(file) = name.strip_prefix(&beginning) else { continue };
            let (from, to) = (format!("{FOLDER}/{name}"), format!("{report}/{file}"));
            self.told("moving", &to, self.disk.replace_with(self.at(&from), self.at(&to)))?;
            self.told("moving", &to, self.disk.sync_folder(self.at(report)))?;
            self.told("moving", &to, self.disk.sync_folder(self.at(FOLDER)))?;
        }
        Ok(())
    }

    /// The record beside a pass's report; nothing where the report is gone.
    ///
    /// # Errors
    /// Where the report is there, and the record is not.
    pub fn of(&self, pass: &Pass) -> Result<Option<PassFile>, RecordError> {
        let Some(report) = &pass.report else { return Ok(None) };
        if self.disk.held(self.at(report)).is_err() {
            return Ok(None);
        }
        let file = self.in_folder(report)?.into_iter().next();
        file.map(Some).ok_or_else(|| RecordError::Gone(self.home.join(report)))
    }

    /// What a record says.
    ///
    /// # Errors
    /// Where it is gone, damaged or of another form.
    pub fn read(&self, file: &PassFile) -> Result<PassRecord, RecordError> {
        let path = self.path(file);
        match self.disk.bytes(self.at(&file.below), MOST) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Err(RecordError::Gone(path)),
            bytes => {
                let packed = self.told("reading", &file.below, bytes)?;
                PassRecord::unpacked(&path, &packed, file.name)
            }
        }
    }

    /// Records that are about a skill, and those that can't be read.
    ///
    /// # Errors
    /// Where the folder can't be listed.
    pub fn holding(&self, skill: SkillId) -> Result<Vec<PassFile>, RecordError> {
        let mut holding = self.in_folder(FOLDER)?;
        for entry in self.entries(FOLDER)? {
            if entry.kind == Kind::Folder {
                holding.extend(self.in_folder(&format!("{FOLDER}/{}", entry.name))?);
            }
        }
        holding.retain(|file| match self.read(file) {
            Ok(record) => record.is_about(skill),
            Err(RecordError::Gone(_)) => false,
            Err(_) => true,
        });
        Ok(holding)
    }

    /// Erases records, for the sake of what stands in them. Their passes say that they are gone.
    ///
    /// # Errors
    /// Where one is there and can't be removed.
    pub fn erase(&self, files: &[PassFile]) -> Result<(), RecordError> {
        for file in files {
            match self.disk.remove_file(self.at(&file.below)) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                removed => self.told("erasing", &file.below, removed)?,
            }
            let folder = file.below.rsplit_once('/').map_or("", |(folder, _)| folder);
            self.told("erasing", &file.below, self.disk.sync_folder(self.at(folder)))?;
        }
        Ok(())
    }

    /// Records in a folder below the home.
    pub(super) fn in_folder(&self, folder: &str) -> Result<Vec<PassFile>, RecordError> {
        let file = |entry: Entry| {
            let hash = entry.name.strip_suffix(ENDING)?.rsplit('-').next()?;
            let below = format!("{folder}/{}", entry.name);
            Some(PassFile { name: Digest::from_hex(hash)?, below })
        };
        Ok(self.entries(folder)?.into_iter().filter_map(file).collect())
    }

    fn entries(&self, folder: &str) -> Result<Vec<Entry>, RecordError> {
        match self.disk.entries(self.at(folder)) {
            Err(none) if none.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            entries => self.told("listing", folder, entries),
        }
    }

    fn path(&self, file: &PassFile) -> PathBuf {
        self.home.join(&file.below)
    }

    fn at<'b>(&'b self, below: &'b str) -> At<'b> {
        At { top: self.home, below }
    }

    fn told<T>(
        &self,
        doing: &'static str,
        below: &str,
        result: io::Result<T>,
    ) -> Result<T, RecordError> {
        result.map_err(|source| RecordError::Io { doing, path: self.home.join(below), source })
    }
}

/// How the name of a record begins whose pass has no report yet.
fn begun(pass: PassId) -> String {
    format!(".pass-{}-", pass.0)
}
