//! Counting tokens, once for each text: counts are kept in a file, so that a warm run loads no tokenizer.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

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
    counts: HashMap<u64, u32>,
    /// Texts that were not known, so that the file is out of date.
    learned: Vec<u64>,
    used: HashSet<u64>,
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
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).learned.is_empty()
    }

    /// Writes what was learned. Of two processes that write, the last wins: the other's counts are counted again.
    ///
    /// # Errors
    /// Where the file can't be written; nothing but time is lost by that.
    pub fn save(&self, system: &dyn System) -> std::io::Result<()> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = self.file.as_deref().filter(|_| !memory.learned.is_empty()) else {
            return Ok(());
        };
        if memory.counts.len() > MOST_KEPT {
            let Memory { counts, used, .. } = &mut *memory;
            *counts = used.iter().filter_map(|hash| Some((*hash, *counts.get(hash)?))).collect();
        }
        system.replace_cache(file, &encode(&memory.counts))?;
        memory.learned.clear();
        Ok(())
    }
}

impl Meter for TokenMeter {
    fn unit(&self) -> Unit {
        Unit::Tokens
    }

    fn count_all(&self, texts: &[&str]) -> Vec<u32> {
        let hashes: Vec<u64> = texts.iter().map(|text| xxh3_64(text.as_bytes())).collect();
        let known = || self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<(u64, &str)> = {
            let memory = known();
            let all = hashes.iter().copied().zip(texts.iter().copied());
            all.filter(|(hash, _)| !memory.counts.contains_key(hash)).collect()
        };
        // Counted while nobody holds the memory: who waits for a thread of the pool may be given other texts to count.
        let counted: Vec<(u64, u32)> = missing
            .par_iter()
            .map(|(hash, text)| {
                let count = bpe_openai::o200k_base().count(*text);
                (*hash, u32::try_from(count).unwrap_or(u32::MAX))
            })
            .collect();
        let mut memory = known();
        memory.learned.extend(counted.iter().map(|(hash, _)| *hash));
        memory.counts.extend(counted);
        memory.used.extend(&hashes);
        hashes.iter().map(|hash| memory.counts.get(hash).copied().unwrap_or(u32::MAX)).collect()
    }
}

fn encode(counts: &HashMap<u64, u32>) -> Vec<u8> {
    let mut pairs: Vec<(u64, u32)> = counts.iter().map(|(hash, count)| (*hash, *count)).collect();
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

fn decode(bytes: &[u8]) -> Option<HashMap<u64, u32>> {
    let (sum, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    if xxh3_64(body) != u64::from_le_bytes(*sum) || body.len() % PAIR != 0 {
        return None;
    }
    body.chunks_exact(PAIR)
        .map(|pair| {
            let (hash, count) = pair.split_first_chunk::<8>()?;
            let (count, _) = count.split_first_chunk::<4>()?;
            Some((u64::from_le_bytes(*hash), u32::from_le_bytes(*count)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
    use super::*;
    use crate::{
        index::{AGENTS, Frame, Named, TREE, XML, layout::ToolWords},
        system::MemorySystem,
    };

    #[test]
    fn a_second_meter_knows_every_count_without_a_tokenizer() {
        let system = MemorySystem::default();
        let file = Path::new("/cache/tokens.bin");
        let first = TokenMeter::open(&system, Some(file));
        let counts = first.count_all(&["    - docker: Build images\n", "日本語の説明\n", ""]);
        assert!(!first.was_warm());
        first.save(&system).unwrap();
        let second = TokenMeter::open(&system, Some(file));
        assert_eq!(
            second.count_all(&["日本語の説明\n", "", "    - docker: Build images\n"]),
            [counts[1], counts[2], counts[0]]
        );
        assert!(second.was_warm());
    }

    #[test]
    fn a_file_cut_anywhere_or_from_elsewhere_counts_as_none() {
        let whole = encode(&HashMap::from([(1, 2), (3, 4)]));
        assert_eq!(decode(&whole), Some(HashMap::from([(1, 2), (3, 4)])));
        for length in 0..whole.len() {
            assert_eq!(decode(&whole[..length]), None, "cut at {length}");
        }
        assert_eq!(decode(b"#!/bin/sh\n"), None);
    }

    #[test]
    fn the_sum_of_the_pieces_is_the_whole_in_every_layout() {
        let meter = TokenMeter::open(&MemorySystem::default(), None);
        let of = |name: &'static str| Named { name, location: "/home/me/skills/x/SKILL.md" };
        let layouts = AGENTS.iter().map(|agent| agent.layout).chain([&TREE as _, &XML as _]);
        for layout in layouts {
            let pieces = [
                layout.head(Frame::Prose, &ToolWords::default()),
                layout.header("devops/ci", "Builds (and what breaks them)."),
                layout.line(of("docker-build"), "Build images: multi-stage, cached…"),
                layout.line(of("c++"), "`-O2`, `-g` & friends!"),
                layout.line(of("nothing-said"), ""),
                layout.line(of("mail"), "業務メールを作成します。"),
                // The last name's comma takes the place of the line end that the frame is priced with.
                layout.names("books", "").trim_end().to_owned(),
                layout.name(of("c++")),
                layout.name(of("3d-print")),
                layout.name(of("読書")),
                " z\n".to_owned(),
                layout.count("books", 12, true),
                layout.rest(340, 25),
                layout.tail(Frame::Prose),
            ];
            let sum: u32 = pieces.iter().map(|piece| meter.count(piece)).sum();
            assert_eq!(sum, meter.count(&pieces.concat()), "{}", layout.word());
        }
    }
}
