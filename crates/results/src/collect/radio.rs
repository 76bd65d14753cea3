//! Counters of the radio.

use airpath_base::{CellId, Time};
use airpath_net::{Direction, RadioEvent};

use super::radio_link::RadioLinkCounts;
use super::range::RangeCounts;
use super::rrc::RrcCounts;
use crate::{Decibels, Occupancy};

/// Transmissions of a transport block that have counters of their own.
const ATTEMPTS: usize = 8;

/// Counters of a cell, by [`Direction`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellCounts {
    /// Transport blocks, downlink and uplink.
    pub blocks: [BlockCounts; 2],
    /// Its downlink control channel.
    pub control: ControlCounts,
}

/// Counters of a downlink control channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlCounts {
    /// Control channel elements of all grants.
    pub used: u64,
    /// Elements of a TTI, the most that were seen.
    pub elements: u16,
    /// The last decision, and the elements of its grants.
    last: (Time, u16),
}

impl ControlCounts {
    pub(super) fn add(&mut self, now: Time, (used, elements): (u16, u16)) {
        self.used += u64::from(used);
        self.elements = self.elements.max(elements);
        self.last = (now, used);
    }

    /// Counting begins.
    pub(super) fn begin(&mut self) {
        self.used = 0;
    }

    /// A run has ended: a decision at its end is of an interval behind it.
    pub(super) fn end(&mut self, end: Time) {
        let (at, used) = self.last;
        if at == end {
            self.used = self.used.saturating_sub(u64::from(used));
            self.last.1 = 0;
        }
    }
}

/// Counters of a UE, by [`Direction`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UeCounts {
    /// Transport blocks, downlink and uplink.
    pub blocks: [BlockCounts; 2],
    /// Scheduling requests sent.
    pub scheduling_requests: u64,
    /// Failures of the radio link.
    pub radio_link: RadioLinkCounts,
    /// Time out of range, downlink and uplink.
    pub range: [RangeCounts; 2],
    /// Radio states, for UEs with RRC only.
    pub rrc: Option<Box<RrcCounts>>,
}

/// Counters of a bearer, by [`Direction`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RadioQueues {
    /// Its shares of the resource blocks of all transmissions, downlink and uplink.
    pub resource_blocks: [f64; 2],
    /// Those of them in further carriers, by the carriers' cells.
    pub in_carriers: Vec<(CellId, [f64; 2])>,
    /// SDUs at PDCP and RLC, downlink and uplink.
    pub queue: [Occupancy; 2],
    /// Times that RLC AM sent a PDU or a part again.
    pub rlc_retransmissions: [u64; 2],
    /// Bytes that RLC AM sent again.
    pub rlc_retransmitted_bytes: [u64; 2],
}

/// Transport blocks by how they fared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockCount {
    /// Decoded.
    pub decoded: u64,
    /// Not decoded.
    pub failed: u64,
}

/// Counters of resource blocks that are sent to several UEs at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SharedBlocks {
    /// True if any had several UEs.
    any: bool,
    /// Resource blocks, each counted for each UE, and times the layers of the UE.
    ues: f64,
    layers: f64,
    /// Resource blocks.
    all: f64,
    /// Part of a resource block that is not counted as a whole one yet.
    rest: f64,
}

impl SharedBlocks {
    /// Adds a transmission in so many resource blocks, whose share of them this is. Gives the whole resource blocks that
    /// have come together.
    fn add(&mut self, resource_blocks: u16, (layers, share): (u8, f32)) -> u64 {
        let blocks = f64::from(resource_blocks);
        self.any |= share < 1.0;
        self.ues += blocks;
        self.layers += blocks * f64::from(layers);
        self.all += blocks * f64::from(share);
        self.rest += blocks * f64::from(share);
        let whole = self.rest.floor();
        self.rest -= whole;
        whole as u64
    }

    /// Mean number of UEs in a resource block, where some had several.
    pub fn mean_ues(&self) -> Option<f64> {
        self.any.then(|| self.ues / self.all)
    }

    /// Mean number of layers in a resource block, of all UEs together, where some had several UEs.
    pub fn mean_layers(&self) -> Option<f64> {
        self.any.then(|| self.layers / self.all)
    }
}

/// Counters of transport blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockCounts {
    /// Transmissions by attempt, the first at 0; later than the eighth count
    /// with it.
    pub attempts: [BlockCount; ATTEMPTS],
    /// Resource blocks of all transmissions, and those that were set aside in vain. One with several UEs counts for
    /// each by its share.
    pub resource_blocks: u64,
    /// Bytes of decoded blocks.
    pub bytes: u64,
    /// Bytes of decoded blocks that carried nothing.
    pub padding: u64,
    /// Bytes of new blocks, decoded or not.
    pub granted: u64,
    /// Times that a UE lacked control channel elements in a TTI.
    pub blocked: u64,
    /// Times that a UE lacked a HARQ process in a TTI.
    pub stalled: u64,
    /// Transmissions of which a UE missed the grant.
    pub missed: u64,
    /// Transmissions whose grants were taken back.
    pub cancelled: u64,
    /// Effective SINR of all transmissions.
    pub sinr: Decibels,
    /// Transmissions of one to four layers.
    pub layers: [u64; 4],
    /// Layers in resource blocks that were sent to several UEs at once.
    pub shared: SharedBlocks,
    mcs: u64,
    sinr_db: f64,
}

impl CellCounts {
    pub(super) fn block(&mut self, event: &RadioEvent) {
        if let RadioEvent::Block { direction, .. } = event {
            self.blocks[*direction as usize].add(event);
        }
    }
}

impl RadioQueues {
    /// Resource blocks in a further carrier.
    pub(super) fn in_carrier(&mut self, cell: CellId) -> &mut [f64; 2] {
        let known = self.in_carriers.iter().position(|(own, _)| *own == cell);
        let n = known.unwrap_or_else(|| {
            self.in_carriers.push((cell, [0.0; 2]));
            self.in_carriers.len() - 1
        });
        &mut self.in_carriers[n].1
    }

    pub(super) fn retransmitted(&mut self, direction: Direction, bytes: u32) {
        self.rlc_retransmissions[direction as usize] += 1;
        self.rlc_retransmitted_bytes[direction as usize] += u64::from(bytes);
    }
}

impl BlockCounts {
    #[inline]
    pub(super) fn add(&mut self, event: &RadioEvent) {
        let &RadioEvent::Block {
            resource_blocks,
            first_layer,
            mcs,
            layers,
            bytes,
            attempt,
            sinr_db,
            decoded,
            padding,
            share,
            ..
        } = event
        else {
            return;
        };
        let count = &mut self.attempts[usize::from(attempt).min(ATTEMPTS - 1)];
        // Two codewords are one transmission in the same resource blocks.
        if first_layer == 0 {
            self.resource_blocks += self.shared.add(resource_blocks, (layers, share));
            self.layers[usize::from(layers.clamp(1, 4)) - 1] += 1;
        }
        self.mcs += u64::from(mcs);
        self.sinr_db += f64::from(sinr_db);
        if attempt == 0 {
            self.granted += u64::from(bytes);
        }
        self.sinr.add(sinr_db);
        if decoded {
            count.decoded += 1;
            self.bytes += u64::from(bytes);
            self.padding += u64::from(padding);
        } else {
            count.failed += 1;
        }
    }

    /// A transmission of which the UE missed the grant took its resource blocks in vain.
    pub(super) fn missed(&mut self, resource_blocks: u16) {
        self.missed += 1;
        self.resource_blocks += u64::from(resource_blocks);
    }

    /// All transmissions, repeated ones too.
    pub fn transmissions(&self) -> u64 {
        self.attempts.iter().map(|a| a.decoded + a.failed).sum()
    }

    /// Share of TTIs in which a UE lacked a HARQ process, of these and those with a transmission.
    pub fn stalled_share(&self) -> Option<f64> {
        let all = self.stalled + self.layers.iter().sum::<u64>();
        (self.stalled > 0).then(|| self.stalled as f64 / all as f64)
    }

    /// Mean modulation and coding scheme over all transmissions.
    pub fn mean_mcs(&self) -> Option<f64> {
        self.mean(self.mcs as f64)
    }

    /// Shares of transmissions with one layer, two and so on, where some have several.
    pub fn layer_shares(&self) -> Option<Vec<f64>> {
        let most = self.layers.iter().rposition(|count| *count > 0).filter(|most| *most > 0)?;
        let all: u64 = self.layers.iter().sum();
        Some(self.layers[..=most].iter().map(|count| *count as f64 / all as f64).collect())
    }

    /// Mean effective SINR in dB over all transmissions.
    pub fn mean_sinr_db(&self) -> Option<f64> {
        self.mean(self.sinr_db).filter(|sinr| sinr.is_finite())
    }

    /// Share of transmissions that failed, by attempt, up to the last attempt
    /// that was made; none for an attempt never made.
    pub fn bler(&self) -> Vec<Option<f64>> {
        let made = |a: &BlockCount| a.decoded + a.failed;
        let last = self.attempts.iter().rposition(|a| made(a) > 0).map_or(0, |n| n + 1);
        let rate = |a: &BlockCount| (made(a) > 0).then(|| a.failed as f64 / made(a) as f64);
        self.attempts[..last].iter().map(rate).collect()
    }

    /// Bits of decoded blocks, without padding.
    pub fn delivered_bits(&self) -> u64 {
        self.bytes.saturating_sub(self.padding) * 8
    }

    /// Bits delivered for each resource block used.
    pub fn bits_per_resource_block(&self) -> Option<f64> {
        let used = self.resource_blocks;
        (used > 0).then(|| self.delivered_bits() as f64 / used as f64)
    }

    /// Resource blocks used for each bit delivered.
    pub fn resource_blocks_per_bit(&self) -> Option<f64> {
        let bits = self.delivered_bits();
        (bits > 0).then(|| self.resource_blocks as f64 / bits as f64)
    }

    pub(super) fn mcs_sum(&self) -> u64 {
        self.mcs
    }

    pub(super) fn sinr_db_sum(&self) -> f64 {
        self.sinr_db
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        let n = self.transmissions();
        (n > 0).then(|| sum / n as f64)
    }
}
