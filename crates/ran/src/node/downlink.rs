//! Downlink decisions of a TTI: the UEs that are served, and their transport blocks.

use std::sync::Arc;

use airpath_base::{BitRate, Duration, Time};
use airpath_net::Direction;

use super::cell::Cell;
use super::common::Moment;
use super::gaps::in_gap;
use super::links::Offer;
use super::multi_user::knowledge::View;
use super::reports::{Measurements, OnTrial, Receivers};
use super::rrc::sleeps;
use super::steps::Work;
use crate::bearer::Filler;
use crate::block::{AirSlot, Block, Contents, Plan};
use crate::config::{CellConfig, Sharing};
use crate::index::UeIndex;
use crate::mac::{
    Buffers, Candidate, Grant, MeanRates, ResourceAllocation, ResourceBlocks, Scheduler, Slot,
    TrafficClasses, Trials, WaitingClass, reuse,
};
use crate::tti::earlier;
use crate::ue::Ue;

const DOWN: Direction = Direction::Downlink;

impl Cell {
    /// Sends again downlink what failed, if this TTI decides the downlink; gives the resource
    /// blocks that are left.
    #[inline(always)]
    pub fn repeat_downlink(&mut self, at: &mut Moment<'_, '_>) -> ResourceBlocks {
        match self.downlink_tti(at.now) {
            Some(tti) => {
                let all = self.not_recorded(DOWN, tti, self.config.resource_blocks);
                self.send_again(AirSlot { direction: DOWN, tti }, all, at)
            }
            None => ResourceBlocks::EMPTY,
        }
    }

    /// The lowest `count` resource blocks but those that recorded UEs take in a TTI on the air, and uplink the longest
    /// run of these.
    pub fn not_recorded(&self, direction: Direction, tti: u64, count: u16) -> ResourceBlocks {
        let all = ResourceBlocks::range(0, count);
        match &self.config.load {
            None => all,
            Some(load) => load.left(direction, tti, all),
        }
    }

    /// The TTI on the air that is decided downlink now, if that carries data.
    #[inline]
    fn downlink_tti(&mut self, now: Time) -> Option<u64> {
        let decided = self.tti_number(now);
        let tti = self.steps.downlink(decided)?;
        self.takes(AirSlot { direction: DOWN, tti }, decided).then_some(tti)
    }

    pub fn decide_downlink(&mut self, free: ResourceBlocks, at: &mut Moment<'_, '_>) {
        if let Some(tti) = self.downlink_tti(at.now) {
            let mut left = free;
            if !free.is_empty() && !self.backlogged.is_empty() {
                self.choose_downlink(tti, free, at);
                let grants = self.grants.take_list();
                for grant in &grants {
                    left = left.without(&grant.blocks);
                    self.send_new(*grant, tti, at);
                }
                self.grants.return_list(grants);
                self.report_stalls(AirSlot { direction: DOWN, tti }, left.count(), at.cx);
            }
            self.report_free(at.now, tti, left.count());
            self.expose(at.now, tti, left.count());
        }
        if !self.backlogged.is_empty() {
            self.want(Work::Serve(DOWN), at.now);
        }
        self.want_for_failed(DOWN, at.now);
    }

    /// Leaves in `grants` the UEs that are served in TTI `air` on the air.
    fn choose_downlink(&mut self, air: u64, free: ResourceBlocks, at: &mut Moment<'_, '_>) {
        let by_reports = self.ranks_by_reports();
        self.measure_all(DOWN, !by_reports, at);
        self.look_up_waiting(at.now);
        let (tti, symbols) = (self.tti_number(at.now), self.steps.symbols(air, DOWN));
        let mut candidates: Vec<Candidate<'_>> = std::mem::take(&mut self.candidates);
        let start = self.starts_at(AirSlot { direction: DOWN, tti: air });
        let (site, number, sizes) = (self.site(), self.carrier_index(), self.links.sizes());
        let on_air = at.common.air(self.air_index());
        let spans = self.spans(AirSlot { direction: DOWN, tti: air });
        let Cell { config, links, harq, means, steps, ues, grants, stalled, gaps, .. } = self;
        let means = &mut means[DOWN as usize];
        for ue in self.backlogged.iter() {
            if in_gap(gaps, ue, &spans) {
                continue;
            }
            let is_free = |sent| steps.is_free(sent, air);
            if harq[ue.index()].free_downlink(air, self.down_processes, is_free).is_none() {
                stalled.push(ue);
                continue;
            }
            let own = (&ues[ue.index()], ue);
            let (data, offer) = (&self.waiting[ue.index()], links.offer(&sizes, ue, symbols));
            candidates.extend(offer.and_then(|offer| data.offered(offer, own, (start, at.now))));
        }
        self.paired = None;
        grants.begin(self.placement, config.resource_blocks, free, self.control.left(DOWN));
        if !candidates.is_empty() {
            means.pass(tti);
            let on_trial;
            let (group_rates, trials): (&[f32], Option<&dyn Trials>) = match on_air {
                None => (&[], None),
                Some(_) if by_reports => (links.group_rates(), None),
                air => {
                    let receivers = Receivers { cell: site, number, config, steps, ues, gaps, air };
                    let measurements =
                        Measurements { receivers, links, sinrs: &mut self.sinrs, few: true };
                    let data = (DOWN, Some(symbols));
                    on_trial = OnTrial::new(measurements, data, tti, &mut self.ranges);
                    (&[], Some(&on_trial))
                }
            };
            let slot = without_rates(config, tti, (&candidates, means));
            self.down.schedule(&Slot { group_rates, trials, ..slot }, grants);
            if let Some(multi_user) = &mut self.multi_user {
                let view = View { config, steps, ues, links, tti, air, now: at.now, symbols };
                self.paired = multi_user.pair(&slot, grants, &view).map(Arc::new);
            }
            grants.block_rest(&candidates);
            self.control.after(grants.elements(), grants.blocked(), DOWN);
        }
        self.candidates = reuse(candidates);
        self.report_ranges(DOWN, at.cx);
        self.choose_schemes(AirSlot { direction: DOWN, tti: air }, at.now);
    }

    /// Keeps as backlogged the UEs that listen and have data, and looks up what of it is stale.
    fn look_up_waiting(&mut self, now: Time) {
        let Cell { backlogged, config, jobs, rrc, ues, waiting, stale, .. } = self;
        let lead = config.timing.downlink_preparation;
        backlogged.retain(|ue| {
            if sleeps(rrc, jobs, (now, lead), ue) {
                return false;
            }
            let data = &mut waiting[ue.index()];
            if stale.contains(ue) {
                stale.set(ue, false);
                data.look_up(&ues[ue.index()], config.sharing, now);
            }
            debug_assert!(data.is_true(&ues[ue.index()], config.sharing, now));
            data.wanted > 0
        });
    }

    /// Chooses an MCS for each grant of a TTI on the air, and counts its bytes for the mean rate of
    /// its UE.
    pub fn choose_schemes(&mut self, slot: AirSlot, now: Time) {
        let mut grants = self.grants.take_list();
        for grant in &mut grants {
            let paired = self.paired.as_ref().filter(|_| slot.direction == DOWN);
            grant.scheme = match paired.and_then(|paired| paired.scheme(grant.index)) {
                Some(scheme) => scheme,
                None => self.scheme(now, slot, grant.index, &grant.blocks),
            };
            // Blocks beside those of other UEs count by how often they arrive.
            let arrive = paired.filter(|paired| paired.scheme(grant.index).is_some());
            let arrive = arrive.and(self.multi_user.as_ref()).map(|own| own.arrive(grant.index));
            let bytes = f64::from(grant.scheme.all_bytes()) * arrive.unwrap_or(1.0);
            self.means[slot.direction as usize].serve(grant.index, bytes);
        }
        self.grants.return_list(grants);
    }

    /// Makes the block that a UE was granted.
    fn send_new(&mut self, grant: Grant, tti: u64, at: &mut Moment<'_, '_>) {
        let Grant { index: ue, blocks, scheme, .. } = grant;
        let Cell { steps, harq, down_processes, .. } = self;
        let (entities, symbols) = (&harq[ue.index()], steps.symbols(tti, DOWN));
        let is_free = |sent| steps.is_free(sent, tti);
        let free = entities.free_downlink(tti, *down_processes, is_free);
        let Some(process) = free else { return }; // only UEs with one are candidates
        let allocation = ResourceAllocation::first_symbols(blocks, symbols).layered(scheme.layers);
        let slot = AirSlot { direction: DOWN, tti };
        let plan = Plan { ue, slot, process, allocation, scheme };
        if scheme.second.is_some() {
            self.send_two(plan, at);
        } else if let Some(filled) = self.fill(ue, scheme.bytes, at) {
            let missed = self.misses_grant(ue, slot, process, at.common);
            let paired = self.paired.clone().filter(|paired| paired.scheme(ue).is_some());
            self.send_first(Block { missed, paired, ..Block::new(plan, filled) }, at);
            self.sends_to(ue, at);
        }
        self.bearers_used(ue);
    }

    /// A UE has been sent new data.
    pub fn sends_to(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        let air = at.now + self.config.timing.downlink_preparation;
        self.schedules(air, ue, DOWN, at.cx);
    }

    /// Fills a block of so many bytes, if its UE has data.
    pub fn fill(&mut self, ue: UeIndex, bytes: u32, at: &mut Moment<'_, '_>) -> Option<Contents> {
        let (mac_header, sharing) = (self.config.mac_header, self.config.sharing);
        let mut pdus = self.blocks.list();
        let own = &mut self.ues[ue.index()];
        let room = (bytes, 0);
        let filler = Filler::new(&mut own.bearers, &mut pdus, (DOWN, at.now), mac_header, room);
        let filled = filler.fill(&own.by_priority, sharing, at.cx);
        if pdus.is_empty() {
            self.blocks.recycle(pdus);
            return None;
        }
        Some(Contents { pdus, padding: bytes - filled.used })
    }
}

/// A slot without rates by group.
pub(super) fn without_rates<'a>(
    config: &CellConfig,
    tti: u64,
    (candidates, means): (&'a [Candidate<'a>], &'a MeanRates),
) -> Slot<'a> {
    let (tti_length, carrier) = (config.tti.length(), config.resource_blocks);
    Slot { tti, tti_length, carrier, candidates, means, group_rates: &[], trials: None }
}

/// Most resource blocks of a UE in a TTI, with these bytes by number of resource blocks.
fn most_of(ue: &Ue, start: Time, (bytes, most): (&[u32], u16)) -> u16 {
    ue.tti_limit.as_ref().map_or(most, |limit| most.min(limit.most(start, bytes)))
}

/// Data that wait for a UE downlink. They change only where its bearers are used: a slot reads
/// them for each UE, and looks up few anew.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Waiting {
    /// Bytes that a transport block would need to carry all of it.
    wanted: u32,
    /// Least priority value of a logical channel with data; 255 without.
    priority: u8,
    /// Classes of traffic with data.
    traffic: TrafficClasses,
    /// Guaranteed bit rates of the bearers with data, together.
    guaranteed: BitRate,
    /// Begin of the wait of the oldest packet.
    since: Option<Time>,
    /// Time at which the first packet or PDU set with a deadline is late.
    deadline: Option<Time>,
    /// Data of each logical channel with some.
    classes: Vec<WaitingClass>,
}

impl Waiting {
    fn look_up(&mut self, ue: &Ue, sharing: Sharing, now: Time) {
        let mut classes = std::mem::take(&mut self.classes);
        classes.clear();
        *self = Waiting { priority: u8::MAX, classes, ..Waiting::default() };
        for own in &ue.by_priority {
            let bearer = &ue.bearers[own.index()];
            let bytes = bearer.queued(DOWN, now);
            let wanted = match sharing {
                Sharing::Priority => bytes,
                Sharing::Equal => bearer.believed(DOWN, now),
            };
            if wanted == 0 {
                continue;
            }
            // 3 bytes of MAC subheader at most.
            self.wanted = self.wanted.saturating_add(wanted).saturating_add(3);
            let channel = &bearer.config.channel;
            let (priority, traffic) = (channel.priority, channel.traffic_class);
            self.priority = self.priority.min(priority);
            self.traffic = self.traffic.with(TrafficClasses::of(traffic));
            let guaranteed = channel.guaranteed_bit_rate.map_or(0, BitRate::as_bps);
            let together = self.guaranteed.as_bps().saturating_add(guaranteed);
            self.guaranteed = BitRate::from_bps(together);
            let since = bearer.head_of_line(DOWN);
            self.since = earlier(self.since, since);
            if bearer.config.pdcp.sets.is_some() {
                self.deadline = earlier(self.deadline, bearer.deadline(DOWN));
            }
            self.classes.push(WaitingClass {
                group: channel.group,
                priority,
                traffic,
                bytes,
                since,
            });
        }
    }

    /// True if it is as a look-up would have it now.
    fn is_true(&self, ue: &Ue, sharing: Sharing, now: Time) -> bool {
        let mut found = Waiting::default();
        found.look_up(ue, sharing, now);
        *self == found
    }

    /// Candidate of a UE with this data and this offer of its link. None if other carriers have all that its
    /// category allows in the TTI that begins at `start`.
    fn offered<'a>(
        &'a self,
        Offer { bytes, most, layers, control_elements }: Offer<'a>,
        (ue, index): (&Ue, UeIndex),
        (start, now): (Time, Time),
    ) -> Option<Candidate<'a>> {
        let most = most_of(ue, start, (bytes, most));
        let own = self.candidate(ue, index, now);
        (most > 0).then_some(Candidate { bytes, most, layers, control_elements, ..own })
    }

    /// Candidate of a UE with this data. Its link decides the rest: bytes by number of resource blocks, the
    /// most of these, layers, and control channel elements.
    fn candidate(&self, ue: &Ue, index: UeIndex, now: Time) -> Candidate<'_> {
        let waited = self.since.map(|since| now.saturating_since(since));
        Candidate {
            ue: ue.id,
            index,
            wanted: self.wanted,
            head_of_line: waited.unwrap_or(Duration::ZERO),
            remaining: self.deadline.map(|deadline| deadline.saturating_since(now)),
            priority: self.priority,
            traffic: self.traffic,
            guaranteed: self.guaranteed,
            bytes: &[],
            most: 0,
            layers: 1,
            control_elements: 0,
            buffers: Buffers::Downlink { classes: &self.classes, now },
        }
    }
}

#[cfg(test)]
#[path = "classes_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "set_order_tests.rs"]
mod set_order_tests;
