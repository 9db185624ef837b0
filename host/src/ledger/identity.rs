//! Which skill a folder is: what a scan found is matched with what is known, by evidence and never by name alone.
//!
//! A pure function. Evidence is tried from the strongest to the weakest; at each step a pair counts only where neither has
//! another partner, and whoever has several is decided by nothing weaker: two candidates are none. So the order of rows is
//! irrelevant, no skill gets two folders and no folder two skills.

use std::collections::{BTreeMap, BTreeSet};

use super::{Digest, RootId};
use crate::skill::SkillId;

/// A skill's place in a library.
pub type Spot = (RootId, String);

/// A skill's folder, as a scan found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// In which root.
    pub root: RootId,
    /// The folder below it, with `/` between its parts.
    pub folder: String,
    /// The name that surfaces show.
    pub name: String,
    /// Its category.
    pub category: String,
    /// Device of the folder.
    pub device: u64,
    /// Inode of the folder. The file's own changes with every editor that writes beside and renames.
    pub inode: u64,
    /// SHA-256 of its SKILL.md; nothing where that can't be read.
    pub digest: Option<Digest>,
    /// What its text is like, for telling an edit from another text.
    pub sketch: Option<Sketch>,
}

/// What is known of a skill for finding it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its id.
    pub id: SkillId,
    /// Whether it was in its place at the last scan; otherwise it is gone or in the archive.
    pub in_place: bool,
    /// In which root.
    pub root: RootId,
    /// The folder below it as last seen.
    pub folder: String,
    /// Its name as last seen.
    pub name: String,
    /// Device and inode of the folder as last seen.
    pub inode: Option<(u64, u64)>,
    /// SHA-256 of its SKILL.md as last seen.
    pub digest: Option<Digest>,
    /// What its text was like.
    pub sketch: Option<Sketch>,
}

/// What a text is like: the lowest hashes of its runs of three words, by sixteen functions. Of two texts as many are
/// equal, in the mean, as the texts have runs in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sketch(pub [u32; 16]);

impl Sketch {
    /// Of this text.
    #[must_use]
    pub fn of(text: &str) -> Sketch {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut lowest = [u32::MAX; 16];
        for run in words.windows(words.len().clamp(1, 3)) {
            let run = run.join(" ");
            for (seed, lowest) in (0_u64..).zip(&mut lowest) {
                let hash = xxhash_rust::xxh3::xxh3_64_with_seed(run.as_bytes(), seed);
                *lowest = (*lowest).min(u32::try_from(hash >> 32).unwrap_or(u32::MAX));
            }
        }
        Sketch(lowest)
    }

    /// Whether one text may be an edit of the other: some two fifths of their runs are the same.
    #[must_use]
    pub fn is_near(&self, other: &Sketch) -> bool {
        self.0.iter().zip(&other.0).filter(|(one, other)| one == other).count() >= 6
    }
}

/// What became of everything. Positions are those of the scan's rows; all lists are in the order of ids or positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// Folders of skills that are known: which skill each is.
    pub same: BTreeMap<usize, SkillId>,
    /// Folders of skills that are not known.
    pub new: Vec<usize>,
    /// Skills that lie elsewhere than before: from where.
    pub moved: BTreeMap<SkillId, Spot>,
    /// Skills whose SKILL.md is another one: from which digest to which.
    pub changed: BTreeMap<SkillId, (Digest, Digest)>,
    /// Skills that were in their place and are in none.
    pub gone: BTreeSet<SkillId>,
    /// Skills that were gone or in the archive, and are there again with the same content.
    pub back: BTreeSet<SkillId>,
}

/// Matches a scan with what is known. `roots` are those that were looked at to their ends: of the others nothing is said,
/// and no skill is taken from them. Of two rows in one folder the first counts, and the other is new.
#[must_use]
pub fn match_up(known: &[Known], found: &[Found], roots: &BTreeSet<RootId>) -> Matched {
    let mut pairs = Pairs::new(known, found, roots);
    let at_home = |k: &Known, f: &Found| (k.root, &k.folder) == (f.root, &f.folder);
    let same_text = |k: &Known, f: &Found| k.digest.is_some() && k.digest == f.digest;
    let same_folder = |k: &Known, f: &Found| k.inode == Some((f.device, f.inode));
    let near = |k: &Known, f: &Found| match (&k.sketch, &f.sketch) {
        (Some(one), Some(other)) => one.is_near(other),
        _ => false,
    };
    // In its old place, and nobody else's content came there.
    pairs.take(&|k, f| k.in_place && at_home(k, f) && (same_text(k, f) || same_folder(k, f)));
    // Elsewhere. A file system gives inodes of deleted folders out again, at once: alone they are no evidence.
    pairs.take(&|k, f| {
        k.in_place && same_folder(k, f) && (same_text(k, f) || near(k, f) || k.name == f.name)
    });
    // In its old place, edited by a program that made the folder anew.
    pairs.take(&|k, f| k.in_place && at_home(k, f) && near(k, f));
    pairs.take(&|k, f| k.in_place && same_text(k, f));
    // Back from nowhere: only with what it had.
    pairs.take(&|k, f| !k.in_place && at_home(k, f) && same_text(k, f));
    pairs.take(&|k, f| !k.in_place && same_text(k, f));
    // Nothing is known of the texts: it never left its place, and says the same name.
    pairs.take(&|k, f| {
        k.in_place
            && at_home(k, f)
            && k.name == f.name
            && (k.sketch.is_none() || f.sketch.is_none())
    });
    pairs.matched(roots)
}

struct Pairs<'a> {
    known: &'a [Known],
    found: &'a [Found],
    /// By position in `known` and in `found`; those that are decided, or can't be, are out.
    free_known: BTreeSet<usize>,
    free_found: BTreeSet<usize>,
    same: BTreeMap<usize, usize>,
}

impl<'a> Pairs<'a> {
    fn new(known: &'a [Known], found: &'a [Found], roots: &BTreeSet<RootId>) -> Pairs<'a> {
        let mut spots = BTreeSet::new();
        let free_found = found
            .iter()
            .enumerate()
            .filter(|(_, found)| spots.insert((found.root, &found.folder)))
            .map(|(at, _)| at)
            .collect();
        let free_known = known
            .iter()
            .enumerate()
            .filter(|(_, known)| !known.in_place || roots.contains(&known.root))
            .map(|(at, _)| at)
            .collect();
        Pairs { known, found, free_known, free_found, same: BTreeMap::new() }
    }

    fn take(&mut self, fits: &dyn Fn(&Known, &Found) -> bool) {
        let candidates = self.candidates(fits);
        let mut of_found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut of_known: BTreeMap<usize, usize> = BTreeMap::new();
        for (known, found) in candidates {
            of_found.entry(found).or_default().push(known);
            *of_known.entry(known).or_default() += 1;
        }
        for (found, partners) in &of_found {
            self.free_found.remove(found);
            if let [known] = partners.as_slice()
                && of_known.get(known) == Some(&1)
            {
                self.same.insert(*found, *known);
            }
        }
        for known in of_known.keys() {
            self.free_known.remove(known);
        }
    }

    /// All pairs that fit. Whoever fits has the place, the folder's inode or the text in common, so that only those are
    /// looked at, and the work doesn't grow with the square of the library.
    fn candidates(&self, fits: &dyn Fn(&Known, &Found) -> bool) -> BTreeSet<(usize, usize)> {
        let mut by_place: BTreeMap<(RootId, &str), Vec<usize>> = BTreeMap::new();
        let mut by_inode: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
        let mut by_text: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
        for at in &self.free_found {
            let Some(found) = self.found.get(*at) else { continue };
            by_place.entry((found.root, &found.folder)).or_default().push(*at);
            by_inode.entry((found.device, found.inode)).or_default().push(*at);
            if let Some(digest) = found.digest {
                by_text.entry(digest).or_default().push(*at);
            }
        }
        let mut pairs = BTreeSet::new();
        for at in &self.free_known {
            let Some(known) = self.known.get(*at) else { continue };
            let near = [
                by_place.get(&(known.root, known.folder.as_str())),
                known.inode.and_then(|inode| by_inode.get(&inode)),
                known.digest.and_then(|digest| by_text.get(&digest)),
            ];
            for other in near.into_iter().flatten().flatten() {
                if self.found.get(*other).is_some_and(|found| fits(known, found)) {
                    pairs.insert((*at, *other));
                }
            }
        }
        pairs
    }

    fn matched(self, roots: &BTreeSet<RootId>) -> Matched {
        let mut matched = Matched::default();
        let mut placed = BTreeSet::new();
        for (at, found) in self.found.iter().enumerate() {
            let Some(known) = self.same.get(&at).and_then(|known| self.known.get(*known)) else {
                matched.new.push(at);
                continue;
            };
            placed.insert(known.id);
            matched.same.insert(at, known.id);
            if (known.root, &known.folder) != (found.root, &found.folder) {
                matched.moved.insert(known.id, (known.root, known.folder.clone()));
            }
            if let (Some(before), Some(after)) = (known.digest, found.digest)
                && before != after
            {
                matched.changed.insert(known.id, (before, after));
            }
            if !known.in_place {
                matched.back.insert(known.id);
            }
        }
        let here = self.known.iter().filter(|it| it.in_place && roots.contains(&it.root));
        matched.gone = here.map(|known| known.id).filter(|id| !placed.contains(id)).collect();
        matched
    }
}

#[cfg(test)]
mod tests;
