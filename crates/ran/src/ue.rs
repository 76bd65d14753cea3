//! A UE of a cell: its bearers at both ends, its link, and the state of its uplink grants.

use std::sync::Arc;

use airpath_base::{CellId, Time, UeId};
use airpath_net::Direction;

use crate::RadioLinkConfig;
use crate::air::{Channel, Link};
use crate::bearer::Bearer;
use crate::bsr::{self, BytesByGroup, GROUPS, Reported};
use crate::config::{Access, BearerConfig, CellConfig, QosFlow, Sharing, UeCarrier, UeConfig};
use crate::index::{BearerIndex, FlowIndex, UeIndex};
use crate::mac::ResourceAllocation;
use crate::power::SharedPower;
use crate::tti_limit::TtiLimit;

/// Bit of the number of a UE's leg.
const LEG: u64 = 1 << 63;

/// A UE with its bearers. Both ends of a bearer belong to it, so that a UE can go from cell to cell
/// with all that its bearers hold.
pub(crate) struct Ue {
    pub id: UeId,
    pub config: UeConfig,
    /// Its bearers; the first is the default bearer.
    pub bearers: Vec<Bearer>,
    /// Its bearers, the most important logical channel first; in the order of their set-up where
    /// all count the same.
    pub by_priority: Vec<BearerIndex>,
    /// QoS flows that its filters choose, by their numbers in the filters.
    flows: Vec<FlowIndex>,
    /// Expected signal to interference and noise ratios downlink and uplink, as factors. The uplink
    /// of a fixed link counts in as many resource blocks as get the most power.
    pub expected: [f64; 2],
    /// Number of resource blocks uplink that get the most power.
    pub full_power: f64,
    /// Standard of its buffer status reports.
    pub reports: bsr::Standard,
    pub uplink: UplinkGrantState,
    /// Its power over carriers, if it sends on several and power is limited.
    pub power: Option<Box<SharedPower>>,
    /// Bytes downlink in a TTI over its carriers, if they are limited.
    pub tti_limit: Option<TtiLimit>,
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
    /// The last TTI on the air for which it was granted a new block.
    pub last_granted: Option<u64>,
    /// Bytes of its configured grants of this period behind the newest report; none with one a period.
    pub ahead: u32,
    /// TTIs whose configured grants the UE has indicated as unused: the first, and the one behind the last.
    pub unused: (u64, u64),
    /// Reports that it has made in blocks of several carriers.
    pub reports: u32,
    /// Number of the newest of them that the cell has.
    pub newest_report: u32,
    /// Time at which the first of its data is late, by the last delay status report; none if that block had none.
    pub deadline: Option<Time>,
}

impl Ue {
    /// A UE with its bearers, nothing sent yet.
    pub fn new(id: UeId, mut config: UeConfig, cell: &CellConfig, all: &[BearerConfig]) -> Ue {
        config.tune(cell);
        let expected = match &config.link {
            Link::Fixed { downlink, uplink, .. } => [*downlink, *uplink],
            Link::Network(channel) => {
                Direction::ALL.map(|direction| channel.expected_sinr(id, direction))
            }
        };
        let bearer = |bearer: &airpath_base::BearerId| {
            let mut new = Bearer::new(*bearer, all[bearer.index()], cell.mac_header);
            new.cell = config.cell;
            new
        };
        let bearers: Vec<Bearer> = config.bearers.iter().map(bearer).collect();
        let mut by_priority: Vec<BearerIndex> = BearerIndex::all(bearers.len()).collect();
        if cell.sharing == Sharing::Priority {
            by_priority.sort_by_key(|own| bearers[own.index()].config.channel.priority);
        }
        let is_nr = bearers.iter().any(Bearer::is_nr);
        let full_power = match &config.link {
            Link::Fixed { full_power, .. } => *full_power,
            Link::Network(channel) => channel.full_power(id).into(),
        };
        let first = BearerIndex::all(bearers.len()).map(|bearer| FlowIndex { bearer, number: 0 });
        let others = config.flows.iter().filter_map(|(_, flow)| flow_of(&config, *flow));
        Ue {
            flows: first.chain(others).collect(),
            id,
            bearers,
            by_priority,
            expected,
            full_power,
            reports: bsr::Standard::of(is_nr),
            uplink: UplinkGrantState::default(),
            power: None,
            tti_limit: config.most_bytes_of_carriers.map(TtiLimit::new),
            config,
        }
    }

    /// Room in a cell for a UE that another cell serves: it has no bearers.
    pub fn absent(id: UeId, config: &UeConfig, cell: &CellConfig) -> Ue {
        let (bearers, flows) = (Vec::new(), Vec::new());
        Ue::new(id, UeConfig { bearers, flows, ..config.clone() }, cell, &[])
    }

    /// The leg of a UE in a cell beside its anchor: with the bearers of the leg, and without limits of LTE's categories.
    pub fn leg(
        anchor: &Ue,
        (id, cell): (CellId, &CellConfig),
        radio_link: RadioLinkConfig,
        bearers: Vec<Bearer>,
    ) -> Ue {
        let period = match cell.uplink.access {
            Access::SchedulingRequest { period, .. } | Access::Configured { period, .. } => period,
            Access::Instant | Access::Reported { .. } => 1,
        };
        let config = UeConfig {
            cell: id,
            // Block errors of the leg are drawn by another number.
            number: anchor.config.number | LEG,
            offset: anchor.config.offset % period.max(1),
            most_bytes: u32::MAX,
            most_tti_bytes: u32::MAX,
            most_bytes_of_carriers: None,
            carriers: Vec::new(),
            rrc: None,
            radio_link,
            ..anchor.config.clone()
        };
        let mut leg = Ue::absent(anchor.id, &config, cell);
        leg.by_priority = BearerIndex::all(bearers.len()).collect();
        leg.by_priority.sort_by_key(|own| bearers[own.index()].config.channel.priority);
        leg.reports = bsr::Standard::of(true);
        leg.bearers = bearers;
        leg
    }

    /// True if another cell serves it.
    pub fn is_absent(&self) -> bool {
        self.bearers.is_empty()
    }

    /// Its link in the carrier of its cell with this number; 0 is the cell itself.
    pub fn carrier(&self, number: usize) -> UeCarrier {
        match number.checked_sub(1) {
            None => UeCarrier { full_power: self.full_power, ..UeCarrier::ALIKE },
            Some(n) => {
                let mut own = self.config.carriers.get(n).cloned().unwrap_or(UeCarrier::ALIKE);
                if let Some(channel) = &own.channel {
                    own.full_power = channel.full_power(self.id).into();
                }
                own
            }
        }
    }

    /// The channel of the carrier with this number, in a network.
    #[inline]
    pub fn channel(&self, carrier: usize) -> Option<&dyn Channel> {
        match (carrier.checked_sub(1), &self.config.link) {
            (None, Link::Network(channel)) => Some(channel.as_ref()),
            (None, Link::Fixed { .. }) => None,
            (Some(n), _) => self.config.carriers.get(n)?.channel.as_deref(),
        }
    }

    /// The ratio of a fixed link in each of so many resource blocks, as a factor. Uplink, `full_power`
    /// resource blocks of the carrier get the most power.
    #[inline]
    pub fn ratio(&self, full_power: f64, direction: Direction, resource_blocks: u16) -> f64 {
        let most = self.expected[direction as usize];
        let count = f64::from(resource_blocks);
        match direction {
            Direction::Uplink if count > full_power => most * full_power / count,
            _ => most,
        }
    }

    /// The ratio of each layer of an allocation on a fixed link. Layers share the power and do not
    /// disturb each other: the channel of such a link has equal singular values.
    #[inline]
    pub fn layer_ratio(
        &self,
        full_power: f64,
        direction: Direction,
        allocation: &ResourceAllocation,
    ) -> f64 {
        let ratio = self.ratio(full_power, direction, allocation.blocks.count());
        ratio / f64::from(allocation.layers)
    }

    /// The QoS flow that its filters choose for an uplink packet (TS 23.401, 4.7.2.2); without a
    /// filter that fits, the default bearer.
    pub fn classify(&self, packet: &airpath_net::Packet) -> FlowIndex {
        let tos = packet.dscp << 2 | packet.ecn.bits();
        let chosen = self.config.tft.classify(&packet.tuple, tos, Direction::Uplink);
        chosen.and_then(|n| self.flows.get(n)).copied().unwrap_or(self.flows[0])
    }

    /// Bytes that wait for it or in it, as its reports count them.
    #[inline(always)]
    pub fn queued(&self, direction: Direction, now: Time) -> u32 {
        let bytes = self.bearers.iter().map(|bearer| bearer.queued(direction, now));
        bytes.fold(0, u32::saturating_add)
    }

    /// Bytes that wait in it by group of logical channels, and the group of the most important
    /// channel that has some.
    pub fn buffers(&self, now: Time) -> (BytesByGroup, usize) {
        let (mut bytes, mut first) = ([0u32; GROUPS], None);
        for own in &self.by_priority {
            let bearer = &self.bearers[own.index()];
            let queued = bearer.queued(Direction::Uplink, now);
            let group = self.reports.group(bearer.config.channel.group);
            bytes[group] = bytes[group].saturating_add(queued);
            if queued > 0 {
                first.get_or_insert(group);
            }
        }
        (bytes, first.unwrap_or(0))
    }
}

impl UeConfig {
    /// Its link is on the carrier of a cell from now on.
    pub(crate) fn tune(&mut self, cell: &CellConfig) {
        let carrier = cell.frequency.map(|own| usize::from(own.carrier));
        if let Some(channel) = carrier.and_then(|carrier| self.frequencies.get(carrier)) {
            self.link = Link::Network(Arc::clone(channel));
        }
    }
}

/// A QoS flow by the index of its bearer in its UE; none if the UE has no such bearer.
pub(crate) fn flow_of(ue: &UeConfig, flow: QosFlow) -> Option<FlowIndex> {
    let bearer = ue.bearers.iter().position(|bearer| *bearer == flow.bearer)?;
    Some(FlowIndex { bearer: BearerIndex::new(bearer), number: flow.number })
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

    pub fn set(&mut self, ue: UeIndex, member: bool) {
        let (word, bit) = (&mut self.words[ue.index() / 64], 1 << (ue.index() % 64));
        match member {
            true => *word |= bit,
            false => *word &= !bit,
        }
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    pub fn contains(&self, ue: UeIndex) -> bool {
        self.words[ue.index() / 64] & 1 << (ue.index() % 64) != 0
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = UeIndex> {
        self.words.iter().zip(0..).flat_map(|(&word, n)| members(word, n * 64))
    }

    /// Calls `visit` for each, and keeps those for which it gives true.
    pub fn retain(&mut self, mut visit: impl FnMut(UeIndex) -> bool) {
        for (word, n) in self.words.iter_mut().zip(0..) {
            for ue in members(*word, n * 64) {
                if !visit(ue) {
                    *word &= !(1 << (ue.index() % 64));
                }
            }
        }
    }
}

/// The bits of a word, as the indices from `first` on.
fn members(mut word: u64, first: usize) -> impl Iterator<Item = UeIndex> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(UeIndex::new(first + bit))
    })
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
                set.set(UeIndex::new(n), member);
                match member {
                    true => expected.insert(n),
                    false => expected.remove(&n),
                };
            }
            prop_assert_eq!(set.is_empty(), expected.is_empty());
            prop_assert!((0..150).all(|n| set.contains(UeIndex::new(n)) == expected.contains(&n)));
            prop_assert!(set.iter().map(UeIndex::index).eq(expected.iter().copied()));
            let mut visited = Vec::new();
            set.retain(|ue| {
                visited.push(ue.index());
                ue.index() % kept == 0
            });
            prop_assert!(visited.iter().eq(expected.iter()));
            expected.retain(|n| n % kept == 0);
            prop_assert!(set.iter().map(UeIndex::index).eq(expected.iter().copied()));
        }
    }
}
