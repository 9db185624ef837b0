//! Records as bytes: JSON, compressed, named by the hash of the JSON.

use std::{
    io::{self, Read, Write},
    path::Path,
};

use serde::Serialize;

use super::RecordError;
use crate::ledger::Digest;

/// How the names of their files end.
pub const ENDING: &str = ".json.zst";

/// Bytes of a record, compressed and not: those of a hundred thousand skills come to a third of it.
pub const MOST: u64 = 256 << 20;

/// Bytes of JSON that are hashed or packed at a time.
const PIECE: usize = 64 << 10;

/// zstd's level: texts of skills are a fourth of their size at it, and higher ones gain a tenth for several times the time.
const LEVEL: i32 = 3;

/// Packed while it is written: the JSON is several times as large as what it is written from.
pub(super) fn pack(it: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut packed = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
    write_json(it, &mut packed)?;
    packed.finish()
}

/// Packed, with its name. In one go: what is hashed and packed is not so large that it would have to be written twice.
pub(super) fn pack_named(it: &impl Serialize) -> io::Result<(Digest, Vec<u8>)> {
    let bytes = serde_json::to_vec(it)?;
    let packed = zstd::stream::encode_all(bytes.as_slice(), LEVEL)?;
    Ok((Digest::of(&bytes), packed))
}

/// The JSON of what was packed under a name. `path` is where it lies, for who is told.
pub(super) fn unpack(path: &Path, packed: &[u8], name: Digest) -> Result<Vec<u8>, RecordError> {
    let damaged = |found: String| RecordError::Damaged { path: path.to_owned(), found };
    let mut bytes = Vec::new();
    zstd::stream::read::Decoder::new(packed)
        .and_then(|decoder| decoder.take(MOST).read_to_end(&mut bytes))
        .map_err(|error| damaged(error.to_string()))?;
    if Digest::of(&bytes) != name {
        return Err(damaged("it has other bytes than its name says".to_owned()));
    }
    Ok(bytes)
}

/// In pieces of some size: JSON is written by the word.
pub(super) fn write_json(it: &impl Serialize, into: &mut dyn Write) -> io::Result<()> {
    let mut buffered = io::BufWriter::with_capacity(PIECE, into);
    serde_json::to_writer(&mut buffered, it)?;
    buffered.flush()
}
