//! Power headroom (TS 36.321 and TS 38.321, 5.4.6): MCS and bytes of a UE uplink that cannot have
//! its most power in every resource block of the carrier.
//!
//! Power control says what the UE sends in a resource block. In more resource blocks than its
//! largest power suffices for, each has less. So the MCS falls with the number of resource
//! blocks, and from some number on a transport block no longer grows. The cell grants no more
//! than that number.
//!
//! Left out: the reports as control elements of MAC, with their triggers and timers. The cell
//! knows the headroom of each UE from the beginning.

use airpath_base::math;
use airpath_net::Direction;

use super::links::Expected;
use crate::config::CellConfig;
use crate::mac::SLOT_SYMBOLS;
use crate::phy::LAST_CQI;
use crate::rates::{RateTable, Room};

const UP: Direction = Direction::Uplink;

/// MCS and bytes of a UE by number of resource blocks.
#[derive(Clone, Debug)]
pub(super) struct Headroom {
    /// Number of resource blocks that get the most power, at least 1; and in decibels over one.
    full_power: u16,
    full_db: f32,
    /// The largest MCS, from no resource blocks on.
    allowed: Vec<u8>,
    /// Bytes of the largest transport block in at most so many resource blocks.
    bytes: Vec<u32>,
    /// The most resource blocks that bring more than one less.
    most: u16,
    /// The level in steps for which that is.
    step: Option<i32>,
}

/// Steps a decibel in which levels count.
const STEPS: f32 = 8.0;

impl Headroom {
    /// Of a UE with the most power in so many resource blocks, if those are fewer than the
    /// carrier has.
    pub fn of(full_power: f64, carrier: u16) -> Option<Box<Headroom>> {
        let limited = full_power < f64::from(carrier);
        let full_db = 10.0 * math::log10(full_power.max(1.0)) as f32;
        let (allowed, bytes) = (Vec::new(), Vec::new());
        let full_power = full_power.clamp(1.0, f64::from(u16::MAX)) as u16;
        let new = Headroom { full_power, full_db, allowed, bytes, most: 1, step: None };
        limited.then(|| Box::new(new))
    }

    /// Takes another number of resource blocks with the most power. What it holds stays until the next level.
    pub fn set_full_power(&mut self, full_power: f64) {
        let full_db = 10.0 * math::log10(full_power.max(1.0)) as f32;
        if (full_db - self.full_db).abs() * STEPS >= 1.0 {
            self.full_power = full_power.clamp(1.0, f64::from(u16::MAX)) as u16;
            (self.full_db, self.step) = (full_db, None);
        }
    }

    /// Of a link whose power uplink does not suffice for the carrier; of a fixed one for good.
    pub fn of_link(
        cell: &CellConfig,
        expected: &Expected,
        rates: &RateTable,
    ) -> Option<Box<Headroom>> {
        let (carrier, full) = (cell.resource_blocks, f64::from(expected.full_power));
        let mut own = Headroom::of(full, carrier)?;
        if !expected.measured {
            let (format, target) = (cell.format(UP), cell.adaptation.bler_target);
            let mut cqi = LAST_CQI;
            own.fill(carrier, rates, |count| {
                let ratio = expected.sinr * f64::from(carrier) / f64::from(count).max(full);
                cqi = format.cqi_up_to(cqi, ratio, target);
                (cell.adaptation.allowed(format.technology.mcs_for_cqi(cqi)), cqi > 0)
            });
        }
        Some(own)
    }

    /// Follows the level in one resource block in dB. `allowed` has the largest MCS at a level,
    /// and whether it fails seldom enough; `counts_db` decibels of so many resource blocks over one.
    #[inline]
    pub fn follow(
        &mut self,
        level_db: f32,
        (rates, counts_db): (&RateTable, &[f32]),
        allowed: impl Fn(f32) -> (u8, bool),
    ) {
        let step = (level_db * STEPS).floor();
        if self.step != Some(step as i32) {
            self.step = Some(step as i32);
            let full_db = self.full_db;
            let level =
                |count: u16| step / STEPS - (counts_db[usize::from(count)] - full_db).max(0.0);
            self.fill(counts_db.len() as u16 - 1, rates, |count| allowed(level(count)));
        }
    }

    /// Fills in what `allowed` says of each number of resource blocks, from 1 on: the largest
    /// MCS, and whether it fails seldom enough. Resource blocks with the most power are granted
    /// in any case: fewer of them fail as often.
    pub fn fill(
        &mut self,
        carrier: u16,
        rates: &RateTable,
        mut allowed: impl FnMut(u16) -> (u8, bool),
    ) {
        self.allowed.clear();
        self.bytes.clear();
        self.allowed.push(0);
        self.bytes.push(0);
        self.most = 1;
        let mut largest = 0;
        for count in 1..=carrier {
            let (mcs, suits) = allowed(count);
            if !suits && count > self.full_power {
                break;
            }
            let bytes = rates.at(Room::single(UP, SLOT_SYMBOLS), mcs).bytes[usize::from(count)];
            if bytes > largest {
                (largest, self.most) = (bytes, count);
            }
            self.allowed.push(mcs);
            self.bytes.push(largest);
        }
        let len = usize::from(carrier) + 1;
        let least = self.allowed.last().copied().unwrap_or(0);
        self.allowed.resize(len, least);
        self.bytes.resize(len, largest);
    }

    /// The largest MCS in so many resource blocks.
    #[inline]
    pub fn allowed(&self, count: u16) -> u8 {
        self.allowed[usize::from(count).min(self.allowed.len() - 1)]
    }

    /// Bytes by number of resource blocks, from 0.
    #[inline]
    pub fn bytes(&self) -> &[u32] {
        &self.bytes
    }

    /// The most resource blocks that are worth a grant; at least 1.
    #[inline]
    pub fn most(&self) -> u16 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::{Expected, Links, Report};
    use super::super::tables::Tables;
    use super::*;
    use crate::config::Access;
    use crate::index::UeIndex;
    use crate::mac::ResourceBlocks;
    use crate::testing::cell;

    fn table() -> RateTable {
        let mut cell = cell(Access::Instant);
        cell.resource_blocks = 50;
        RateTable::new(&cell)
    }

    #[test]
    fn a_grant_ends_where_it_no_longer_brings_more() {
        let rates = table();
        let mut headroom = Headroom::of(1.0, 50).expect("too little power");
        // MCS 9 in one, 0 in 2 to 20; more than that fails.
        headroom.fill(50, &rates, |count| match count {
            1 => (9, true),
            2..=20 => (0, true),
            _ => (0, false),
        });
        // TS 36.213, table 7.1.7.2.1-1: I_TBS 9 in one is 136 bits, I_TBS 0 in 2 to 6 is 32, 56, 88,
        // 120 and 152, in 20 it is 536.
        let bytes = |bits: u32| bits / 8;
        assert_eq!(headroom.bytes()[..7], [0, 136, 136, 136, 136, 136, 152].map(bytes));
        assert_eq!(headroom.bytes()[20..], vec![536 / 8; 31]);
        assert_eq!(headroom.most(), 20);
        assert_eq!([1, 2, 30].map(|count| headroom.allowed(count)), [9, 0, 0]);
    }

    #[test]
    fn levels_fall_with_resource_blocks() {
        let (rates, counts) = (table(), [0.0, 0.0, 3.01, 4.77, 6.02]);
        let mut headroom = Headroom::of(2.0, 4).expect("too little power");
        let mut seen = std::cell::RefCell::new(Vec::new());
        headroom.follow(10.0, (&rates, &counts), |level| {
            seen.borrow_mut().push((level * 100.0).round() as i32);
            (5, true)
        });
        assert_eq!(*seen.get_mut(), [1000, 1000, 824, 699]);
        // Less than a step further nothing is looked up.
        headroom.follow(10.1, (&rates, &counts), |_| unreachable!("the same step"));
        // With its power in one resource block it has 3.01 dB less in two, and 6.02 dB less in four.
        headroom.set_full_power(1.0);
        seen.get_mut().clear();
        headroom.follow(10.0, (&rates, &counts), |level| {
            seen.borrow_mut().push((level * 100.0).round() as i32);
            (5, true)
        });
        assert_eq!(*seen.get_mut(), [1000, 699, 523, 398]);
    }

    /// A UE of a network has -10 dB in each of 50 resource blocks, and so 3.98 dB in two.
    #[test]
    fn a_measured_link_is_granted_what_its_power_suffices_for() {
        let mut cell = cell(Access::Instant);
        cell.resource_blocks = 50;
        let tables = Tables::of(std::slice::from_ref(&cell)).remove(0);
        let one = Expected {
            number: 0,
            layers: 1,
            sinr: 0.1,
            measured: true,
            full_power: 2.0,
            most_bytes: u32::MAX,
            most_tti_bytes: u32::MAX,
        };
        let (mut links, ue) = (Links::new(&cell, [vec![one], vec![one]], tables), UeIndex::new(0));
        let relation = links.relate(UP, ue, (0, false));
        let mut levels_db = Report::default();
        links.report((UP, ue), relation, (1, &[0.1; 50]), &mut levels_db);
        links.settle(UP, ue, &levels_db);
        links.follow_headroom(ue);
        let (bytes, most) = links.uplink(ue, SLOT_SYMBOLS);
        // The least MCS has 0.15 bits a symbol or more, which by Shannon needs -9.6 dB: 46 of them.
        assert!(most <= 46, "{most} resource blocks");
        // 10 of them have -3 dB, in which QPSK with a fifth of a bit a symbol arrives: I_TBS 0 has
        // 256 bits there (TS 36.213, table 7.1.7.2.1-1).
        assert!(bytes[50] >= 256 / 8, "{} bytes", bytes[50]);
        assert!(
            bytes.windows(2).all(|pair| pair[0] <= pair[1])
                && bytes[50] == bytes[usize::from(most)]
        );
        // A scheme for two is 11 dB better than one for 25.
        let mcs =
            |count| links.scheme((UP, SLOT_SYMBOLS), ue, &ResourceBlocks::range(0, count)).mcs;
        assert!(mcs(2) >= mcs(25) + 6, "{} {}", mcs(2), mcs(25));
    }

    #[test]
    fn who_has_power_enough_needs_none() {
        assert!(Headroom::of(50.0, 50).is_none());
        assert!(Headroom::of(f64::INFINITY, 273).is_none());
        // Out of range: what has the most power remains, 536 bits of I_TBS 0 in 20.
        for (full_power, bits) in [(1.0, 16), (20.9, 536)] {
            let mut headroom = Headroom::of(full_power, 50).expect("too little power");
            headroom.fill(50, &table(), |_| (0, false));
            assert_eq!((headroom.most(), headroom.bytes()[50]), (full_power as u16, bits / 8));
        }
    }
}
