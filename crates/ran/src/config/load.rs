//! Resource blocks that a recorded scheduler gave to its UEs.

use airpath_net::Direction;

use crate::mac::ResourceBlocks;

/// Resource blocks of recorded UEs by slot. The recording repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedLoad {
    /// Slots after which the recording begins again.
    period: u64,
    /// Taken resource blocks by slot, downlink and uplink, in the order of slots.
    slots: [Vec<(u64, ResourceBlocks)>; 2],
}

impl RecordedLoad {
    /// A recording of `period` slots, without any taken resource block.
    pub fn new(period: u64) -> RecordedLoad {
        RecordedLoad { period: period.max(1), slots: [Vec::new(), Vec::new()] }
    }

    /// Adds `count` resource blocks from `first` on in a slot below the period.
    pub fn add(&mut self, direction: Direction, slot: u64, (first, count): (u16, u16)) {
        let blocks = ResourceBlocks::range(first, count);
        let own = &mut self.slots[direction as usize];
        match own.binary_search_by_key(&slot, |(slot, _)| *slot) {
            Ok(n) => own[n].1 = own[n].1.with(&blocks),
            Err(n) => own.insert(n, (slot, blocks)),
        }
    }

    /// Slots after which the recording begins again.
    pub fn period(&self) -> u64 {
        self.period
    }

    /// Slots with taken resource blocks in a direction, in their order.
    pub fn slots(&self, direction: Direction) -> &[(u64, ResourceBlocks)] {
        &self.slots[direction as usize]
    }

    /// Mean share of a carrier of so many resource blocks that is taken, over all slots of the recording.
    pub fn share(&self, direction: Direction, carrier: u16) -> f64 {
        let taken: u64 = self.slots(direction).iter().map(|(_, own)| u64::from(own.count())).sum();
        taken as f64 / (self.period as f64 * f64::from(carrier.max(1)))
    }

    /// Resource blocks of `all` that can be granted in a slot on the air. Uplink they are the longest run beside those
    /// that are taken, as a grant has resource blocks side by side.
    pub(crate) fn left(
        &self,
        direction: Direction,
        slot: u64,
        all: ResourceBlocks,
    ) -> ResourceBlocks {
        let free = all.without(&self.taken(direction, slot));
        match direction {
            Direction::Downlink => free,
            Direction::Uplink => {
                // Of equal runs the first one: `max_by_key` gives the last.
                let runs: Vec<(u16, u16)> = free.runs().collect();
                let longest = runs.iter().rev().max_by_key(|(from, to)| to - from);
                longest.map_or(ResourceBlocks::EMPTY, |(from, to)| {
                    ResourceBlocks::range(*from, to - from)
                })
            }
        }
    }

    /// Resource blocks that are taken in a slot on the air.
    pub(crate) fn taken(&self, direction: Direction, slot: u64) -> ResourceBlocks {
        let own = self.slots(direction);
        let found = own.binary_search_by_key(&(slot % self.period), |(slot, _)| *slot);
        found.map_or(ResourceBlocks::EMPTY, |n| own[n].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_slot_add_up_and_the_recording_repeats() {
        let mut load = RecordedLoad::new(20);
        load.add(Direction::Downlink, 7, (10, 5));
        load.add(Direction::Downlink, 3, (0, 50));
        load.add(Direction::Downlink, 7, (12, 8));
        load.add(Direction::Uplink, 4, (0, 1));
        let count = |direction, slot| load.taken(direction, slot).count();
        assert_eq!([7, 27, 3, 8].map(|slot| count(Direction::Downlink, slot)), [10, 10, 50, 0]);
        assert_eq!([4, 44, 7].map(|slot| count(Direction::Uplink, slot)), [1, 1, 0]);
        // 9 of 50 before those that are taken, and 29 behind these.
        load.add(Direction::Uplink, 9, (10, 11));
        let left = |direction| load.left(direction, 9, ResourceBlocks::range(0, 50));
        assert_eq!(left(Direction::Uplink), ResourceBlocks::range(21, 29));
        assert_eq!(left(Direction::Downlink).count(), 50);
        // 60 of 20 slots with 50 each.
        assert_eq!(load.share(Direction::Downlink, 50), 0.06);
    }
}
