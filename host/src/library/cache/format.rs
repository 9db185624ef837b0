//! The cache's file: a head, a sorted table of path hashes, and the entries. It is read where it lies: an entry is
//! decoded when it is asked for, and by whoever asks, so that many threads share the work.
//!
//! Numbers are little-endian. The head's hash covers everything behind it, so that a cut or a flipped bit is seen
//! before anything is believed.

use rayon::slice::ParallelSliceMut as _;
use xxhash_rust::xxh3::xxh3_64;

use super::Payload;
use crate::{library::parse::PARSER_VERSION, system::Stat};

const MAGIC: &[u8; 8] = b"skillkee";

/// Changes with the layout, and with every type that a payload is made of.
const FORMAT_VERSION: u32 = 1;

const HEAD: usize = 32;
const ROW: usize = 16;

/// Bytes in front of an entry's path: the path's length, whether it is believed, and the identity.
const FRONT: usize = 4 + 1 + IDENTITY;

const IDENTITY: usize = 5 * 8;

/// What tells one state of a file from another: device, inode, size and both times, as bytes, so that two are compared
/// at once and nothing is decoded in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity([u8; IDENTITY]);

impl Identity {
    /// The identity of a file in this state.
    #[must_use]
    pub fn of(stat: &Stat) -> Identity {
        // Nanoseconds fit until the year 2262; a time beyond is still told from any other nearby.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "wrapping keeps near times apart"
        )]
        let wrap = |nanos: i128| nanos as u64;
        let parts = [stat.device, stat.inode, stat.size, wrap(stat.mtime), wrap(stat.ctime)];
        let mut bytes = [0; IDENTITY];
        for (to, part) in bytes.chunks_exact_mut(8).zip(parts) {
            to.copy_from_slice(&part.to_le_bytes());
        }
        Identity(bytes)
    }

    /// The same as bytes, to be kept.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// An entry to be written.
pub(super) struct Entry {
    hash: u64,
    path_len: usize,
    bytes: Vec<u8>,
}

impl Entry {
    /// Encodes an entry; one that can't be encoded is not kept.
    pub(super) fn new(
        path: &[u8],
        identity: Identity,
        trusted: bool,
        payload: &Payload,
    ) -> Option<Entry> {
        let mut bytes = Vec::with_capacity(512);
        bytes.extend_from_slice(&u32::try_from(path.len()).ok()?.to_le_bytes());
        bytes.push(u8::from(trusted));
        bytes.extend_from_slice(&identity.0);
        bytes.extend_from_slice(path);
        let bytes = postcard::to_extend(payload, bytes).ok()?;
        Some(Entry { hash: xxh3_64(path), path_len: path.len(), bytes })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn key(&self) -> (u64, &[u8]) {
        (self.hash, self.bytes.get(FRONT..FRONT + self.path_len).unwrap_or_default())
    }
}

/// An entry as it lies in the file.
pub(super) struct Stored<'s> {
    pub(super) path: &'s [u8],
    pub(super) identity: Identity,
    pub(super) trusted: bool,
    pub(super) bytes: &'s [u8],
    hash: u64,
    payload: &'s [u8],
}

impl<'s> Stored<'s> {
    fn read(hash: u64, bytes: &'s [u8]) -> Option<Stored<'s>> {
        let (front, rest) = bytes.split_at_checked(FRONT)?;
        let (path, payload) = rest.split_at_checked(number32(front, 0) as usize)?;
        let identity = Identity(front.get(5..)?.try_into().ok()?);
        let trusted = front.get(4) == Some(&1);
        Some(Stored { path, identity, trusted, bytes, hash, payload })
    }

    /// What is kept of the file.
    pub(super) fn payload(&self) -> Option<Payload> {
        postcard::from_bytes(self.payload).ok()
    }
}

/// Why a file is no cache of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// Another program's, or another version's.
    Foreign,
    /// Cut off or changed.
    Truncated,
}

/// A cache file in memory.
#[derive(Default)]
pub(super) struct Store {
    bytes: Vec<u8>,
    count: usize,
}

impl Store {
    /// Checks a file's bytes.
    pub(super) fn read(bytes: Vec<u8>) -> Result<Store, Damage> {
        let ours = bytes.get(..MAGIC.len().min(bytes.len())).unwrap_or_default();
        if !MAGIC.starts_with(ours) {
            return Err(Damage::Foreign);
        }
        let head = bytes.get(..HEAD).ok_or(Damage::Truncated)?;
        if (number32(head, 8), number32(head, 12)) != (FORMAT_VERSION, PARSER_VERSION) {
            return Err(Damage::Foreign);
        }
        let (hash, count) = (number64(head, 16), number64(head, 24));
        let rest = bytes.get(HEAD..).unwrap_or_default();
        let count = usize::try_from(count).ok().filter(|count| *count <= rest.len() / ROW);
        let count = count.ok_or(Damage::Truncated)?;
        if checksum(count, rest) != hash {
            return Err(Damage::Truncated);
        }
        Ok(Store { bytes, count })
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The entry of a path, and its number.
    pub(super) fn find(&self, path: &[u8]) -> Option<(usize, Stored<'_>)> {
        let hash = xxh3_64(path);
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.row(middle)?.0 < hash {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // Two paths may share a hash; the path itself decides.
        while let Some((found, entry)) = (low < self.count).then(|| self.row(low)).flatten() {
            if found != hash {
                return None;
            }
            if let Some(stored) = Stored::read(hash, entry).filter(|stored| stored.path == path) {
                return Some((low, stored));
            }
            low += 1;
        }
        None
    }

    /// All entries, in the order of the file.
    pub(super) fn entries(&self) -> impl Iterator<Item = Stored<'_>> {
        (0..self.count).filter_map(|number| {
            let (hash, entry) = self.row(number)?;
            Stored::read(hash, entry)
        })
    }

    fn row(&self, number: usize) -> Option<(u64, &[u8])> {
        let start = HEAD + number * ROW;
        let row = self.bytes.get(start..start + ROW)?;
        let from = number32(row, 8) as usize;
        let entry = self.bytes.get(from..from.checked_add(number32(row, 12) as usize)?)?;
        Some((number64(row, 0), entry))
    }
}

/// Entries in the order of the file; of two for one path the later one stays.
pub(super) fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.reverse();
    entries.par_sort_by(|a, b| a.key().cmp(&b.key()));
    entries.dedup_by(|a, b| a.key() == b.key());
    entries
}

/// Where a sorted list has an entry for the path of a stored one.
pub(super) fn position(sorted: &[Entry], stored: &Stored<'_>) -> Option<usize> {
    sorted.binary_search_by(|entry| entry.key().cmp(&(stored.hash, stored.path))).ok()
}

/// The bytes of a file with these entries. What does not fit into 4 GiB is left out.
pub(super) fn write(kept: &[Stored<'_>], learned: &[Entry]) -> Vec<u8> {
    let mut all: Vec<(u64, &[u8], &[u8])> = Vec::with_capacity(kept.len() + learned.len());
    all.extend(kept.iter().map(|stored| (stored.hash, stored.path, stored.bytes)));
    all.extend(learned.iter().map(|entry| (entry.key().0, entry.key().1, entry.bytes())));
    // Both parts are sorted, which this sort takes as it is.
    all.sort_by_key(|(hash, path, _)| (*hash, *path));
    let table = HEAD + all.len() * ROW;
    let size = all.iter().fold(table, |size, (.., bytes)| size.saturating_add(bytes.len()));
    let mut file = Vec::with_capacity(size);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    file.extend_from_slice(&PARSER_VERSION.to_le_bytes());
    let behind = file.len();
    file.resize(HEAD, 0);
    let (mut at, mut count) = (table, 0_usize);
    for (hash, _, bytes) in &all {
        let (Ok(from), Ok(len)) = (u32::try_from(at), u32::try_from(bytes.len())) else { break };
        file.extend_from_slice(&hash.to_le_bytes());
        file.extend_from_slice(&from.to_le_bytes());
        file.extend_from_slice(&len.to_le_bytes());
        at += bytes.len();
        count += 1;
    }
    file.resize(table, 0);
    for (.., bytes) in all.iter().take(count) {
        file.extend_from_slice(bytes);
    }
    let sum = checksum(count, file.get(HEAD..).unwrap_or_default());
    let numbers = [sum.to_le_bytes(), (count as u64).to_le_bytes()].concat();
    if let Some(place) = file.get_mut(behind..HEAD) {
        place.copy_from_slice(&numbers);
    }
    file
}

/// The hash of everything that is believed: the number of entries, and what follows the head.
fn checksum(count: usize, rest: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(rest, count as u64)
}

fn number32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn number64(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
}
