//! A snapshot as one file that any machine can unpack: the same snapshot gives the same bytes, whoever writes it and when.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Read, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, GzBuilder, read::GzDecoder};
use tar::{Archive, Builder, EntryType, Header};

use super::{
    between::is_link,
    manifest::{Manifest, RootState},
    store::{Snapshot, Snapshots},
};
use crate::{
    change::{ChangeError, place::join},
    ledger::Digest,
};

/// A file that a snapshot was written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Where.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its SHA-256.
    pub digest: Digest,
    /// Files and links of skills in it.
    pub files: usize,
}

/// What the two files at its top are called.
const HEAD: &str = "snapshot.json";
const LIST: &str = "manifest.json";

/// What a file of the archive is to be: permissions, and the hash of its bytes, or of what a link holds.
type Inside = BTreeMap<String, (u32, Digest)>;

impl Snapshots<'_> {
    /// Writes a snapshot to a file, a `tar` packed by `gzip`, where nothing may be yet; and reads it again. Each root is a folder in it, and
    /// beside them are what the snapshot says of itself and its list. The file is made in memory: it takes as much as its size,
    /// and is seen at its place when it is whole.
    ///
    /// # Errors
    /// Where something is there, bytes of the snapshot are lost, or it can't be written or isn't what was written.
    pub fn export(&self, of: &Snapshot, to: &Path) -> Result<Exported, ChangeError> {
        let manifest = self.manifest(of)?;
        // What was done after it is no part of it, and may come later.
        let head = Snapshot { rollback: None, ..of.clone() };
        let (bytes, inside) = self.packed(&head, &manifest)?;
        let disk = self.spot.disk;
        let io = |doing: &'static str| {
            let path = to.to_owned();
            move |source| ChangeError::Io { doing, path, source }
        };
        disk.create(to, &bytes).map_err(io("writing"))?;
        let read = disk.read(to, bytes.len() as u64 + 1).map_err(io("reading"))?;
        let damaged =
            |found: &str| ChangeError::Damaged { path: to.to_owned(), found: found.to_owned() };
        if read != bytes {
            return Err(damaged("what was read again is not what was written"));
        }
        if unpacked(&read).map_err(io("reading"))? != inside {
            return Err(damaged("it doesn't hold what the snapshot does"));
        }
        let files = manifest.skills().map(|(_, skill)| skill.tree.files.len()).sum();
        Ok(Exported {
            path: to.to_owned(),
            bytes: bytes.len() as u64,
            digest: Digest::of(&bytes),
            files,
        })
    }
}

impl Snapshots<'_> {
    /// The bytes of the file, and what is in it.
    fn packed(
        &self,
        head: &Snapshot,
        manifest: &Manifest,
    ) -> Result<(Vec<u8>, Inside), ChangeError> {
        // No name, no time and no system in the frame: they would differ from machine to machine.
        let gzip = GzBuilder::new().mtime(0).operating_system(255);
        let mut pack = Pack {
            tar: Builder::new(gzip.write(Vec::new(), Compression::default())),
            inside: Inside::new(),
            at: u64::try_from(head.at.0).unwrap_or(0),
        };
        let mut text = serde_json::to_vec_pretty(head).unwrap_or_default();
        text.push(b'\n');
        pack.file(HEAD, 0o644, &text)?;
        pack.file(LIST, 0o644, &manifest.to_bytes())?;
        let mut names = BTreeSet::from([HEAD.to_owned(), LIST.to_owned()]);
        for root in &manifest.roots {
            let name = name_of(root, &mut names);
            pack.folder(&name, 0o755)?;
            self.root(root, &name, &mut pack)?;
        }
        pack.end()
    }

    fn root(&self, root: &RootState, name: &str, pack: &mut Pack) -> Result<(), ChangeError> {
        let mut made: BTreeSet<&str> = BTreeSet::new();
        for skill in &root.skills {
            for above in crate::change::place::above(&skill.folder) {
                if made.insert(above) {
                    pack.folder(&join(name, above), 0o755)?;
                }
            }
            let at = join(name, &skill.folder);
            pack.folder(&at, skill.tree.mode)?;
            for (path, mode) in &skill.tree.folders {
                pack.folder(&join(&at, path), *mode)?;
            }
            for (path, blob) in &skill.tree.files {
                let path = join(&at, path);
                let bytes = self.objects.bytes(&blob.digest)?;
                if is_link(blob) {
                    pack.link(&path, &bytes)?;
                } else {
                    pack.file(&path, blob.mode, &bytes)?;
                }
            }
        }
        Ok(())
    }
}

/// A root's folder in the file: its own name, and a number where another one has it.
fn name_of(root: &RootState, names: &mut BTreeSet<String>) -> String {
    let first = crate::change::place::last(&root.path).to_owned();
    let first = if first.is_empty() { "root".to_owned() } else { first };
    let mut name = first.clone();
    let mut number = 2;
    while !names.insert(name.clone()) {
        name = format!("{first}-{number}");
        number += 1;
    }
    name
}

/// The file while it is made.
struct Pack {
    tar: Builder<flate2::write::GzEncoder<Vec<u8>>>,
    inside: Inside,
    /// Seconds since 1970, the time of everything in it.
    at: u64,
}

impl Pack {
    fn header(&self, kind: EntryType, mode: u32, size: u64) -> Header {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode & 0o7777);
        header.set_size(size);
        header.set_mtime(self.at);
        header.set_uid(0);
        header.set_gid(0);
        header
    }

    fn folder(&mut self, path: &str, mode: u32) -> Result<(), ChangeError> {
        let mut header = self.header(EntryType::Directory, mode, 0);
        let put = self.tar.append_data(&mut header, format!("{path}/"), &[][..]);
        packing(path, put)
    }

    fn file(&mut self, path: &str, mode: u32, bytes: &[u8]) -> Result<(), ChangeError> {
        let mut header = self.header(EntryType::Regular, mode, bytes.len() as u64);
        self.inside.insert(path.to_owned(), (mode & 0o7777, Digest::of(bytes)));
        let put = self.tar.append_data(&mut header, path, bytes);
        packing(path, put)
    }

    fn link(&mut self, path: &str, target: &[u8]) -> Result<(), ChangeError> {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

        let mut header = self.header(EntryType::Symlink, 0o777, 0);
        self.inside.insert(path.to_owned(), (0o777, Digest::of(target)));
        let put = self.tar.append_link(&mut header, path, OsStr::from_bytes(target));
        packing(path, put)
    }

    fn end(self) -> Result<(Vec<u8>, Inside), ChangeError> {
        let ended = self.tar.into_inner().and_then(|gzip| gzip.finish()).and_then(|mut bytes| {
            bytes.flush()?;
            Ok(bytes)
        });
        let bytes = ended.map_err(|source| ChangeError::Io {
            doing: "packing",
            path: PathBuf::from("snapshot"),
            source,
        })?;
        Ok((bytes, self.inside))
    }
}

fn packing(path: &str, put: std::io::Result<()>) -> Result<(), ChangeError> {
    put.map_err(|source| ChangeError::Io { doing: "packing", path: PathBuf::from(path), source })
}

/// What is in such a file.
fn unpacked(bytes: &[u8]) -> std::io::Result<Inside> {
    use std::os::unix::ffi::OsStrExt;

    let mut archive = Archive::new(GzDecoder::new(bytes));
    let mut inside = Inside::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.to_string_lossy().into_owned();
        let mode = entry.header().mode()?;
        match entry.header().entry_type() {
            EntryType::Directory => {}
            EntryType::Symlink => {
                let target = entry.link_name()?.unwrap_or_default();
                inside.insert(path, (mode, Digest::of(target.as_os_str().as_bytes())));
            }
            _ => {
                let mut text = Vec::new();
                entry.read_to_end(&mut text)?;
                inside.insert(path, (mode, Digest::of(&text)));
            }
        }
    }
    Ok(inside)
}
