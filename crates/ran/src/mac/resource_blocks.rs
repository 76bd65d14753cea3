//! Sets of resource blocks, and what a transport block is sent in.

use crate::phy::tables::MAX_RESOURCE_BLOCKS;

const WORD: u16 = 64;
const WORDS: usize = (MAX_RESOURCE_BLOCKS as usize).div_ceil(WORD as usize);

/// A set of the resource blocks of a carrier, by their numbers, 0 to 272.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ResourceBlocks {
    words: [u64; WORDS],
}

impl ResourceBlocks {
    /// No resource block.
    pub const EMPTY: ResourceBlocks = ResourceBlocks { words: [0; WORDS] };

    /// `count` resource blocks from `first` on; those above 272 are left out.
    pub fn range(first: u16, count: u16) -> ResourceBlocks {
        let end = first.saturating_add(count).min(MAX_RESOURCE_BLOCKS);
        let mut set = ResourceBlocks::EMPTY;
        for (word, n) in set.words.iter_mut().zip(0..) {
            let (from, to) = (n * WORD, (n + 1) * WORD);
            let (low, high) = (first.clamp(from, to) - from, end.clamp(from, to) - from);
            if low < high {
                *word = (u64::MAX >> (WORD - (high - low))) << low;
            }
        }
        set
    }

    /// Number of resource blocks.
    pub fn count(&self) -> u16 {
        self.words.iter().map(|word| word.count_ones() as u16).sum()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().fold(0, |all, word| all | word) == 0
    }

    /// True if a resource block is in it.
    pub fn contains(&self, n: u16) -> bool {
        n < MAX_RESOURCE_BLOCKS && self.words[usize::from(n / WORD)] & 1 << (n % WORD) != 0
    }

    /// Adds a resource block; one above 272 is left out.
    #[inline]
    pub fn insert(&mut self, n: u16) {
        if n < MAX_RESOURCE_BLOCKS {
            self.words[usize::from(n / WORD)] |= 1 << (n % WORD);
        }
    }

    /// True if all of `other` are in it.
    pub fn contains_all(&self, other: &ResourceBlocks) -> bool {
        other.without(self).is_empty()
    }

    /// Those of both.
    #[must_use]
    pub fn with(&self, other: &ResourceBlocks) -> ResourceBlocks {
        self.combined(other, |one, other| one | other)
    }

    /// Those that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &ResourceBlocks) -> ResourceBlocks {
        self.combined(other, |one, other| one & !other)
    }

    /// Those that are in `other` too.
    #[must_use]
    pub fn common(&self, other: &ResourceBlocks) -> ResourceBlocks {
        self.combined(other, |one, other| one & other)
    }

    fn combined(&self, other: &ResourceBlocks, f: impl Fn(u64, u64) -> u64) -> ResourceBlocks {
        ResourceBlocks { words: std::array::from_fn(|n| f(self.words[n], other.words[n])) }
    }

    /// The numbers in it, in their order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + use<> {
        let words = self.words;
        (0..WORDS).flat_map(move |n| {
            let mut word = words[n];
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as u16;
                word &= word.wrapping_sub(1);
                (bit < WORD).then_some(n as u16 * WORD + bit)
            })
        })
    }

    /// Those that lie side by side: the first of each run and the one behind its last.
    #[inline]
    pub fn runs(&self) -> impl Iterator<Item = (u16, u16)> + use<> {
        let (words, mut n, mut left) = (self.words, 0, self.words[0]);
        std::iter::from_fn(move || {
            while left == 0 {
                n += 1;
                left = *words.get(n)?;
            }
            let from = n as u16 * WORD + left.trailing_zeros() as u16;
            // A carry goes through the run, and out of a word that it fills to its end.
            let mut carried = left.overflowing_add(left & left.wrapping_neg());
            while carried.1 && n + 1 < WORDS {
                n += 1;
                left = words[n];
                carried = left.overflowing_add(1);
            }
            let to =
                n as u16 * WORD + if carried.1 { WORD } else { carried.0.trailing_zeros() as u16 };
            left &= carried.0;
            Some((from, to))
        })
    }

    /// Eights of the carrier with some of them, as bits.
    pub fn eights(&self) -> u64 {
        self.words.iter().rev().fold(0, |eights, word| {
            let any = (word | word >> 4) & 0x0f0f_0f0f_0f0f_0f0f;
            let any = (any | any >> 2) & 0x0303_0303_0303_0303;
            let any = (any | any >> 1) & 0x0101_0101_0101_0101;
            // The lowest bits of the bytes come together in the highest byte.
            eights << 8 | any.wrapping_mul(0x0102_0408_1020_4080) >> 56
        })
    }

    /// The first `count` of them; all, if there are no more.
    #[must_use]
    pub fn lowest(&self, count: u16) -> ResourceBlocks {
        let mut set = ResourceBlocks::EMPTY;
        let mut left = u32::from(count);
        for (word, all) in set.words.iter_mut().zip(self.words) {
            *word = all;
            while word.count_ones() > left {
                // The highest goes.
                *word &= !(1 << (63 - word.leading_zeros()));
            }
            left -= word.count_ones();
        }
        set
    }

    /// The first `count` of them that lie side by side, if there are so many.
    pub fn contiguous(&self, count: u16) -> Option<ResourceBlocks> {
        let (mut first, mut length) = (0, 0);
        for n in self.iter() {
            if length == 0 || n != first + length {
                (first, length) = (n, 0);
            }
            length += 1;
            if length == count {
                return Some(ResourceBlocks::range(first, count));
            }
        }
        (count == 0).then_some(ResourceBlocks::EMPTY)
    }

    /// Those of whole groups of `group` of a carrier of `carrier` resource blocks, the last
    /// of which may be smaller.
    #[must_use]
    pub fn whole_groups(&self, group: u16, carrier: u16) -> ResourceBlocks {
        let mut whole = ResourceBlocks::EMPTY;
        for first in (0..carrier).step_by(usize::from(group.max(1))) {
            let members = ResourceBlocks::range(first, group.min(carrier - first));
            if self.contains_all(&members) {
                whole = whole.with(&members);
            }
        }
        whole
    }

    /// At least `count` of them, in whole groups of `group` blocks, the first ones. The smaller
    /// last group is used only if it makes the number exact or nothing else is left. None if there
    /// are not so many.
    pub fn groups(&self, count: u16, group: u16, carrier: u16) -> Option<ResourceBlocks> {
        let group = group.max(1);
        let whole = self.whole_groups(group, carrier);
        let last = ResourceBlocks::range(carrier - carrier % group, carrier % group);
        let last = whole.common(&last);
        let full = whole.without(&last);
        let rest = count % group;
        let exact = rest > 0 && rest == last.count() && full.count() >= count - rest;
        let taken = match exact {
            true => full.lowest(count - rest).with(&last),
            false => full.lowest(count.next_multiple_of(group)),
        };
        let taken = if taken.count() < count { taken.with(&last) } else { taken };
        (taken.count() >= count).then_some(taken)
    }
}

impl std::fmt::Debug for ResourceBlocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Symbols of a slot or subframe with the normal cyclic prefix (TS 36.211, table 6.2.3-1,
/// two slots of seven; TS 38.211, table 4.3.2-1).
pub const SLOT_SYMBOLS: u8 = 14;

/// Allocation of a transport block: resource blocks and symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceAllocation {
    /// Resource blocks.
    pub blocks: ResourceBlocks,
    /// Its first symbol in the TTI.
    pub first_symbol: u8,
    /// Number of its symbols.
    pub symbols: u8,
    /// Layers of spatial multiplexing.
    pub layers: u8,
}

impl ResourceAllocation {
    /// These resource blocks over the whole of a TTI, in one layer.
    pub const fn whole_tti(blocks: ResourceBlocks) -> ResourceAllocation {
        ResourceAllocation::first_symbols(blocks, SLOT_SYMBOLS)
    }

    /// These resource blocks in the first symbols of a TTI, in one layer.
    pub const fn first_symbols(blocks: ResourceBlocks, symbols: u8) -> ResourceAllocation {
        ResourceAllocation { blocks, first_symbol: 0, symbols, layers: 1 }
    }

    /// This allocation in so many layers.
    #[must_use]
    pub const fn layered(self, layers: u8) -> ResourceAllocation {
        ResourceAllocation { layers, ..self }
    }

    /// These resource blocks in the last symbols of a TTI, in one layer.
    pub const fn last_symbols(blocks: ResourceBlocks, symbols: u8) -> ResourceAllocation {
        let first_symbol = SLOT_SYMBOLS.saturating_sub(symbols);
        ResourceAllocation { first_symbol, ..ResourceAllocation::first_symbols(blocks, symbols) }
    }
}

#[cfg(test)]
#[path = "resource_blocks_tests.rs"]
mod tests;
