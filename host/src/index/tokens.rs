//! Counting tokens, once for each text: counts are kept in a file, so that a warm run loads no tokenizer.

mod o200k;

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use foldhash::HashMap;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::meter::Meter;
use crate::{decision::Unit, system::System};

/// Says that the bytes after it are counts of `o200k_base`, in this form.
const MAGIC: &[u8; 8] = b"SKtok001";
const PAIR: usize = 12;
/// More counts than this are cut down to those that were used, when the file is written.
const MOST_KEPT: usize = 400_000;
const MOST_BYTES: u64 = 64 << 20;

/// Counts tokens of `o200k_base`, by a memory of counts and the tokenizer behind it.
pub struct TokenMeter {
    file: Option<PathBuf>,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    /// Counts by the hash of their text, each with whether it was asked for of late.
    counts: HashMap<u64, (u32, bool)>,
    /// Whether some were not known, so that the file is out of date.
    learned: bool,
}

impl Memory {
    fn get(&mut self, hash: u64) -> Option<u32> {
        let (count, used) = self.counts.get_mut(&hash)?;
        *used = true;
        Some(*count)
    }

    /// Where there are more than so many, only those stay that were asked for since this was last done.
    fn cut(&mut self, most: usize) {
        if self.counts.len() > most {
            self.counts.retain(|_, (_, used)| std::mem::take(used));
        }
    }
}

impl TokenMeter {
    /// A meter that remembers counts in a file. A file that is missing, foreign or damaged is the same as an empty one.
    #[must_use]
    pub fn open(system: &dyn System, file: Option<&Path>) -> TokenMeter {
        let counts = file
            .and_then(|file| system.read(file, MOST_BYTES).ok())
            .and_then(|bytes| decode(&bytes))
            .unwrap_or_default();
        TokenMeter {
            file: file.map(Path::to_owned),
            memory: Mutex::new(Memory { counts, ..Memory::default() }),
        }
    }

    /// Whether every count so far came from the file.
    #[must_use]
    pub fn was_warm(&self) -> bool {
        !self.memory().learned
    }

    /// Writes what was learned. Of two processes that write, the last wins: the other's counts are counted again.
    ///
    /// # Errors
    /// Where the file can't be written; nothing but time is lost by that.
    pub fn save(&self, system: &dyn System) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let bytes = {
            let mut memory = self.memory();
            if !std::mem::take(&mut memory.learned) {
                return Ok(());
            }
            memory.cut(MOST_KEPT);
            encode(memory.counts.iter().map(|(hash, (count, _))| (*hash, *count)))
        };
        // Nobody who counts waits for the disk.
        system.replace_cache(file, &bytes).inspect_err(|_| self.memory().learned = true)
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Meter for TokenMeter {
    fn unit(&self) -> Unit {
        Unit::Tokens
    }

    fn count_all(&self, texts: &[&str]) -> Vec<u32> {
        let hashes: Vec<u64> = texts.iter().map(|text| xxh3_64(text.as_bytes())).collect();
        let known: Vec<Option<u32>> = {
            let mut memory = self.memory();
            hashes.iter().map(|hash| memory.get(*hash)).collect()
        };
        if known.iter().all(Option::is_some) {
            return known.into_iter().flatten().collect();
        }
        // Counted while nobody holds the memory: who waits for a thread of the pool may be given other texts to count.
        let count = |(text, known): (&&str, Option<u32>)| {
            known.unwrap_or_else(|| u32::try_from(o200k::count(text)).unwrap_or(u32::MAX))
        };
        let counts: Vec<u32> = texts.par_iter().zip(known).map(count).collect();
        let mut memory = self.memory();
        memory.learned = true;
        memory.counts.extend(hashes.into_iter().zip(counts.iter().map(|count| (*count, true))));
        counts
    }
}

fn encode(counts: impl Iterator<Item = (u64, u32)>) -> Vec<u8> {
    let mut pairs: Vec<(u64, u32)> = counts.collect();
    pairs.sort_unstable();
    let mut body = Vec::with_capacity(pairs.len() * PAIR);
    for (hash, count) in pairs {
        body.extend_from_slice(&hash.to_le_bytes());
        body.extend_from_slice(&count.to_le_bytes());
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&xxh3_64(&body).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

fn decode(bytes: &[u8]) -> Option<HashMap<u64, (u32, bool)>> {
    let (sum, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    if xxh3_64(body) != u64::from_le_bytes(*sum) || body.len() % PAIR != 0 {
        return None;
    }
    body.chunks_exact(PAIR)
        .map(|pair| {
            let (hash, count) = pair.split_first_chunk::<8>()?;
            let (count, _) = count.split_first_chunk::<4>()?;
            Some((u64::from_le_bytes(*hash), (u32::from_le_bytes(*count), false)))
        })
        .collect()
}

#[cfg(test)]
mod tests;
