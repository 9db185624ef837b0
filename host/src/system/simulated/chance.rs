//! Chance that can be had again: the same seed draws the same numbers, everywhere.

use super::inodes::{Body, Node};

/// Numbers drawn from a seed (the generator is SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of so many; 0 where there are none.
    pub(super) fn one_of(&mut self, many: usize) -> usize {
        let drawn = self.draw().checked_rem(many as u64).unwrap_or(0);
        usize::try_from(drawn).unwrap_or(0)
    }

    /// Whether something happens that happens so many times of four.
    pub(super) fn happens(&mut self, of_four: usize) -> bool {
        self.one_of(4) < of_four
    }

    /// Leaves of a node what a loss of power may leave of it: of permissions the old or the new, of bytes the old, the
    /// new, a beginning of the new, or the new with a hole of zeros.
    pub(super) fn leave(&mut self, node: &mut Node) {
        if node.mode != node.safe_mode && self.happens(2) {
            node.mode = node.safe_mode;
        }
        let Body::File { now, safe } = &mut node.body else { return };
        if now == safe {
            return;
        }
        match self.one_of(4) {
            0 => now.clone_from(safe),
            1 => {}
            2 => now.truncate(self.one_of(now.len())),
            _ => {
                let from = self.one_of(now.len());
                let length = 1 + self.one_of(now.len());
                now.iter_mut().skip(from).take(length).for_each(|byte| *byte = 0);
            }
        }
    }
}
