//! Reach of a UE: its MCS and rate alone in its cell, by the expected SINR at the beginning.
//!
//! Left out: fading and other users; headers of RLC and MAC; the control channel.

use airpath_base::{BitRate, Db};
use airpath_net::Direction;

use super::cell::Cell;
use crate::duplex::Purpose;
use crate::index::UeIndex;
use crate::mac::{ResourceBlocks, SLOT_SYMBOLS};
use crate::rates::Scheme;

/// MCS and rate that a UE alone in its cell would have in a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// SINR in dB of a layer in each of the resource blocks below. Of a network, downlink over all other
    /// cells and noise, uplink over noise alone.
    pub sinr_db: f64,
    /// Resource blocks of a grant: uplink those that carry most with the UE's power, downlink all,
    /// or as many as the UE's category allows.
    pub resource_blocks: u16,
    /// The modulation and coding scheme. None if the UE is out of range: its CQI is 0 (TS 36.213,
    /// 7.2.3; TS 38.214, 5.2.2.1), and it gets no new data.
    pub mcs: Option<u8>,
    /// Layers: of a network one, as ranks follow from fading.
    pub layers: u8,
    /// Bits of decoded transport blocks a second; 0 out of range. The reach over all carriers has the sum of
    /// theirs, and all else of the primary cell.
    pub rate: BitRate,
}

impl Cell {
    /// The reach of a UE in a direction, with the rates of all carriers.
    pub fn reach(&self, direction: Direction, ue: UeIndex) -> Reach {
        let own = self.reach_in(direction, ue, u16::MAX);
        let others = self.reach_of_secondaries(direction, ue, own.resource_blocks);
        let more: u64 = others.flatten().map(|reach| reach.rate.as_bps()).sum();
        Reach { rate: BitRate::from_bps(own.rate.as_bps() + more), ..own }
    }

    /// The reach of a UE in each carrier, in the order of carriers: downlink and uplink. None uplink where the UE
    /// does not send, or where the carriers before it leave too little power for the smallest grant.
    pub fn reach_by_carrier(&self, ue: UeIndex) -> Vec<[Option<Reach>; 2]> {
        let [down, up] = Direction::ALL.map(|direction| {
            let own = self.reach_in(direction, ue, u16::MAX);
            let others = self.reach_of_secondaries(direction, ue, own.resource_blocks);
            std::iter::once(Some(own)).chain(others).collect::<Vec<_>>()
        });
        down.into_iter().zip(up).map(|(down, up)| [down, up]).collect()
    }

    /// The reach of a UE in this carrier alone, in so many resource blocks at most.
    fn reach_in(&self, direction: Direction, ue: UeIndex, limit: u16) -> Reach {
        let (fewest, most) = self.links.grants(direction, ue);
        let most = most.min(limit);
        let all = (fewest..=most).map(|n| (n, self.bits((direction, SLOT_SYMBOLS), ue, n)));
        let best = all.rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(n, _)| n);
        let in_range = self.links.in_range(direction, ue);
        let resource_blocks = best.filter(|_| in_range).unwrap_or(fewest);
        let scheme = self.scheme_of((direction, SLOT_SYMBOLS), ue, resource_blocks);
        let rate = if in_range { self.rate(direction, ue, resource_blocks) } else { 0.0 };
        Reach {
            sinr_db: f64::from(self.links.level_db(
                direction,
                ue,
                (scheme.layers, resource_blocks),
            )),
            resource_blocks,
            mcs: in_range.then_some(scheme.mcs),
            layers: scheme.layers,
            rate: BitRate::from_bps(rate as u64),
        }
    }

    /// The reach of a UE in each secondary cell, beside so many resource blocks of the primary cell. Uplink each has
    /// the power that those before it leave. None where the UE does not send, or has too little power for the smallest
    /// grant.
    fn reach_of_secondaries(
        &self,
        direction: Direction,
        ue: UeIndex,
        blocks: u16,
    ) -> impl Iterator<Item = Option<Reach>> {
        let mut left = 1.0 - f64::from(blocks) / self.full_power(direction, ue);
        self.secondaries.iter().map(move |cell| {
            if direction == Direction::Uplink && !cell.sends_here(ue) {
                return None;
            }
            let full_power = cell.full_power(direction, ue);
            let limit = (left.max(0.0) * full_power).min(f64::from(u16::MAX)) as u16;
            if limit < cell.links.grants(direction, ue).0.min(cell.config.resource_blocks) {
                return None;
            }
            let reach = cell.reach_in(direction, ue, limit);
            left -= f64::from(reach.resource_blocks) / full_power;
            Some(reach)
        })
    }

    fn scheme_of(&self, slot: (Direction, u8), ue: UeIndex, resource_blocks: u16) -> Scheme {
        self.links.scheme(slot, ue, &ResourceBlocks::range(0, resource_blocks))
    }

    /// Bits a second over the intervals that carry the direction.
    fn rate(&self, direction: Direction, ue: UeIndex, resource_blocks: u16) -> f64 {
        let purpose = match direction {
            Direction::Downlink => Purpose::DownlinkData,
            Direction::Uplink => Purpose::UplinkData,
        };
        let period = self.config.duplex.period();
        let served = (0..period).filter(|tti| self.steps.serves(purpose, *tti));
        let bits = served.map(|tti| {
            let symbols = self.steps.symbols(tti, direction);
            self.bits((direction, symbols), ue, resource_blocks)
        });
        bits.sum::<f64>() / (period as f64 * self.config.tti.length().as_secs_f64())
    }

    /// Mean bits that arrive in an interval of a UE that has all of them, with what HARQ sends
    /// again.
    fn bits(&self, slot: (Direction, u8), ue: UeIndex, resource_blocks: u16) -> f64 {
        let scheme = self.scheme_of(slot, ue, resource_blocks);
        scheme.each().map(|scheme| self.bits_of_block(slot.0, ue, (scheme, resource_blocks))).sum()
    }

    /// Mean bits of one transport block.
    fn bits_of_block(
        &self,
        direction: Direction,
        ue: UeIndex,
        (scheme, resource_blocks): (Scheme, u16),
    ) -> f64 {
        let level = self.links.level_db(direction, ue, (scheme.layers, resource_blocks));
        let sinr = Db(f64::from(level)).linear() as f32;
        let technology = self.config.technology_in(direction);
        let once = technology.information(direction, scheme.mcs, &[sinr]);
        let (mut attempts, mut failed, mut information) = (0.0, 1.0, 0.0);
        for attempt in 0..self.config.max_transmissions {
            attempts += failed;
            let kind = (direction, scheme.mcs);
            information = technology.combined(self.config.combining, kind, [information, once]);
            failed *= match (self.config.first_error, attempt) {
                (None, _) => technology.block_error(scheme.mcs, information, scheme.bytes),
                (Some(share), 0) => share,
                (Some(_), _) => 0.0,
            };
        }
        f64::from(scheme.bytes) * 8.0 * (1.0 - failed) / f64::max(attempts, 1.0)
    }
}

#[cfg(test)]
#[path = "reach_tests.rs"]
mod tests;
