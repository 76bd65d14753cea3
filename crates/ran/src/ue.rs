//! A UE: what it sees of the radio, and the state of its uplink grants.

use airpath_base::{BearerId, Time, UeId};
use airpath_net::Direction;

use crate::air::Link;
use crate::bsr::{self, Reported};
use crate::config::{BearerConfig, CellConfig, Sharing, UeConfig};

/// A UE.
#[derive(Debug)]
pub(crate) struct Ue {
    pub config: UeConfig,
    /// Its bearers, the most important logical channel first; in the order of their
    /// set-up where all count the same.
    pub by_priority: Vec<BearerId>,
    /// Expected signal to interference and noise ratios downlink and uplink, as factors. The uplink
    /// of a fixed link counts in as many resource blocks as get the most power.
    pub expected: [f64; 2],
    /// Number of resource blocks uplink that get the most power, of a fixed link.
    pub full_power: f64,
    /// Standard of its buffer status reports.
    pub reports: bsr::Standard,
    pub uplink: UplinkGrantState,
}

/// Uplink grants of a UE: what it waits for, and what the cell knows of its buffers.
#[derive(Debug, Default)]
pub(crate) struct UplinkGrantState {
    /// Time of its last report, if reports need no grant.
    pub last_report: Option<Time>,
    /// A scheduling request is pending: it waits for its opportunity.
    pub sr_pending: bool,
    /// Expiry of retxBSR-Timer.
    pub retx_bsr: Option<Time>,
    /// The cell has received a scheduling request, and no grant has reached the UE since.
    pub requested: bool,
    /// Nothing has been granted since data found the buffers empty.
    pub awaits_grant: bool,
    /// Reported buffer, less what has been granted since.
    pub reported: Reported,
    /// Bytes of grants that the UE has not used yet.
    pub granted: u32,
}

/// A factor in decibels, as reports have it.
pub(crate) fn decibels(snr: f64) -> f32 {
    (10.0 * airpath_base::math::log10(snr)) as f32
}

/// A set of the UEs of a cell, by their indices in it, in the order of which it is iterated.
/// Iteration costs little if few of many are in it.
#[derive(Debug, Default)]
pub(crate) struct UeSet {
    words: Vec<u64>,
}

impl UeSet {
    pub fn new(ues: usize) -> UeSet {
        UeSet { words: vec![0; ues.div_ceil(64)] }
    }

    pub fn set(&mut self, place: usize, member: bool) {
        let (word, bit) = (&mut self.words[place / 64], 1 << (place % 64));
        match member {
            true => *word |= bit,
            false => *word &= !bit,
        }
    }

    pub fn contains(&self, place: usize) -> bool {
        self.words[place / 64] & 1 << (place % 64) != 0
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().zip(0..).flat_map(|(&word, n)| members(word, n * 64))
    }

    /// Calls `visit` for each, and keeps those for which it says so.
    pub fn retain(&mut self, mut visit: impl FnMut(usize) -> bool) {
        for (word, n) in self.words.iter_mut().zip(0..) {
            for place in members(*word, n * 64) {
                if !visit(place) {
                    *word &= !(1 << (place % 64));
                }
            }
        }
    }
}

/// The bits of a word, as the indices from `first` on.
fn members(mut word: u64, first: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(first + bit)
    })
}

impl Ue {
    /// The ratio of a fixed link in each of so many resource blocks, as a factor.
    #[inline]
    pub fn ratio(&self, direction: Direction, resource_blocks: u16) -> f64 {
        let most = self.expected[direction as usize];
        let count = f64::from(resource_blocks);
        match direction {
            Direction::Uplink if count > self.full_power => most * self.full_power / count,
            _ => most,
        }
    }

    pub fn new(id: UeId, config: UeConfig, cell: &CellConfig, bearers: &[BearerConfig]) -> Ue {
        let expected = match &config.link {
            Link::Fixed { downlink, uplink, .. } => [*downlink, *uplink],
            Link::Network(channel) => [Direction::Downlink, Direction::Uplink]
                .map(|direction| channel.expected_sinr(id, direction)),
        };
        let mut by_priority = config.bearers.clone();
        if cell.sharing == Sharing::Priority {
            by_priority.sort_by_key(|id| bearers[id.index()].channel.priority);
        }
        let is_nr = config.bearers.iter().any(|id| bearers[id.index()].rlc.mode.is_nr());
        let reports = bsr::Standard::of(is_nr);
        let full_power = match &config.link {
            Link::Fixed { full_power, .. } => *full_power,
            Link::Network(_) => f64::INFINITY,
        };
        Ue {
            by_priority,
            expected,
            full_power,
            reports,
            uplink: UplinkGrantState::default(),
            config,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_set_of_ues_is_a_set(
            changes in prop::collection::vec((0usize..150, any::<bool>()), 0..300),
            kept in 1usize..7,
        ) {
            let (mut set, mut expected) = (UeSet::new(150), BTreeSet::new());
            for (n, member) in changes {
                set.set(n, member);
                match member {
                    true => expected.insert(n),
                    false => expected.remove(&n),
                };
            }
            prop_assert_eq!(set.is_empty(), expected.is_empty());
            prop_assert!((0..150).all(|place| set.contains(place) == expected.contains(&place)));
            prop_assert!(set.iter().eq(expected.iter().copied()));
            let mut visited = Vec::new();
            set.retain(|place| {
                visited.push(place);
                place % kept == 0
            });
            prop_assert!(visited.iter().eq(expected.iter()));
            expected.retain(|place| place % kept == 0);
            prop_assert!(set.iter().eq(expected.iter().copied()));
        }
    }
}
