//! `o200k_base`: a text in pieces, and pieces in the tokens of the vocabulary. It must give what the reference gives, to the token.
//!
//! Libraries that do the same hold 45 to 80 MB for it, for they answer more than how many; this takes a twentieth.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    hash::BuildHasher,
    io::{self, Read},
    sync::LazyLock,
};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use regex::Regex;

/// The tokens in the order of their ranks, each behind its length in a byte; packed by zstd.
const PACKED: &[u8] = include_bytes!("o200k.tokens.zst");

/// Tokens in it.
pub(super) const TOKENS: usize = 199_998;

/// Pieces, the first that fits: words with what is before and behind them, numbers of three digits, what is neither with the ends of
/// lines behind it, ends of lines, and white space. That one leaves its last character to a word that follows, which a regular
/// expression without a look ahead can't say.
const PIECES: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+",
);

static O200K: LazyLock<Option<O200k>> = LazyLock::new(O200k::load);

/// How many tokens a text has.
pub(super) fn count(text: &str) -> usize {
    match &*O200K {
        Some(tokens) => tokens.pieces(text).map(|piece| tokens.count(piece.as_bytes())).sum(),
        // A part of the program that a test reads can't be damaged; and no text has more tokens than bytes.
        None => text.len(),
    }
}

struct O200k {
    pieces: Regex,
    /// The bytes of all tokens, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// Ranks by the bytes of their token.
    ranks: HashTable<u32>,
    hasher: FixedState,
}

impl O200k {
    fn load() -> Option<O200k> {
        let (bytes, ends) = unpack().ok()?;
        let ranks = HashTable::with_capacity(ends.len());
        let pieces = Regex::new(PIECES).ok()?;
        let mut tokens = O200k { pieces, bytes, ends, ranks, hasher: FixedState::default() };
        for rank in (0..).take(tokens.ends.len()) {
            let hash = tokens.hasher.hash_one(tokens.token(rank));
            let O200k { bytes, ends, ranks, hasher, .. } = &mut tokens;
            ranks.insert_unique(hash, rank, |rank| hasher.hash_one(token(bytes, ends, *rank)));
        }
        Some(tokens)
    }

    fn token(&self, rank: u32) -> &[u8] {
        token(&self.bytes, &self.ends, rank)
    }

    fn rank(&self, bytes: &[u8]) -> Option<u32> {
        let same = |rank: &u32| self.token(*rank) == bytes;
        self.ranks.find(self.hasher.hash_one(bytes), same).copied()
    }

    fn pieces<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let piece = self.pieces.find_at(text, at)?.as_str();
            let rest = text.get(at..)?.get(piece.len()..)?;
            // White space before a word: its last character is the word's.
            let spared = piece.chars().next_back().filter(|last| {
                last.is_whitespace() && !matches!(last, '\r' | '\n') && !rest.is_empty()
            });
            let kept = piece.len() - spared.map_or(0, char::len_utf8);
            let piece = piece.get(..kept).filter(|kept| !kept.is_empty()).unwrap_or(piece);
            at += piece.len();
            Some(piece)
        })
    }

    /// How many tokens are left of a piece when of all neighbours those with the lowest rank have been joined, the first of several,
    /// until no two make a token.
    fn count(&self, piece: &[u8]) -> usize {
        if self.rank(piece).is_some() {
            return 1;
        }
        let mut parts = Parts::of(self, piece);
        while parts.join_first() {}
        parts.left
    }
}

/// The parts of a piece, each known by where it begins.
struct Parts<'a> {
    tokens: &'a O200k,
    piece: &'a [u8],
    /// Where the next part begins and the one before; by where a part begins.
    next: Vec<usize>,
    before: Vec<usize>,
    /// What might be joined: rank, where the two begin, and how long they are together.
    waiting: BinaryHeap<Reverse<(u32, usize, usize)>>,
    left: usize,
}

impl<'a> Parts<'a> {
    fn of(tokens: &'a O200k, piece: &'a [u8]) -> Parts<'a> {
        let len = piece.len();
        let mut parts = Parts {
            tokens,
            piece,
            next: (1..=len).collect(),
            before: (0..len).map(|at| at.saturating_sub(1)).collect(),
            waiting: BinaryHeap::with_capacity(len),
            left: len,
        };
        for at in 0..len {
            parts.offer(at);
        }
        parts
    }

    fn next(&self, at: usize) -> usize {
        self.next.get(at).copied().unwrap_or(self.piece.len())
    }

    /// Has the part that begins here joined with the next one when it is their turn, if the two make a token.
    fn offer(&mut self, at: usize) {
        let middle = self.next(at);
        let end = self.next(middle);
        if middle < self.piece.len()
            && let Some(rank) = self.piece.get(at..end).and_then(|both| self.tokens.rank(both))
        {
            self.waiting.push(Reverse((rank, at, end - at)));
        }
    }

    fn join_first(&mut self) -> bool {
        let Some(Reverse((_, at, len))) = self.waiting.pop() else { return false };
        let middle = self.next(at);
        let end = self.next(middle);
        // One of the two was joined with another meanwhile. A part that is gone has no next one.
        if middle == at || middle == self.piece.len() || end - at != len {
            return true;
        }
        let set = |all: &mut Vec<usize>, place: usize, to: usize| {
            if let Some(it) = all.get_mut(place) {
                *it = to;
            }
        };
        set(&mut self.next, at, end);
        set(&mut self.next, middle, middle);
        set(&mut self.before, end, at);
        self.left -= 1;
        self.offer(at);
        if at > 0 {
            let before = self.before.get(at).copied().unwrap_or(0);
            self.offer(before);
        }
        true
    }
}

fn token<'a>(bytes: &'a [u8], ends: &[u32], rank: u32) -> &'a [u8] {
    let end = |rank: u32| ends.get(rank as usize).map_or(0, |end| *end as usize);
    let begin = rank.checked_sub(1).map_or(0, end);
    bytes.get(begin..end(rank)).unwrap_or_default()
}

/// The bytes of all tokens, and where each ends.
pub(super) fn unpack() -> io::Result<(Vec<u8>, Vec<u32>)> {
    let mut from = io::BufReader::new(zstd::stream::read::Decoder::new(PACKED)?);
    let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(TOKENS));
    let mut len = [0];
    while from.read(&mut len)? == 1 {
        let [len] = len;
        let took = from.by_ref().take(u64::from(len)).read_to_end(&mut bytes)?;
        if took < usize::from(len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        ends.push(u32::try_from(bytes.len()).map_err(io::Error::other)?);
    }
    Ok((bytes, ends))
}
