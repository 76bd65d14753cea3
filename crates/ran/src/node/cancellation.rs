//! Uplink cancellation (TS 38.213, 11.2A; DCI format 2_4): grants of UEs that pre-empt others.
//!
//! - Such a UE prepares a block faster than others (UE processing capability 2: TS 38.214, 6.4). Its grants may be for TTIs
//!   that have been decided: those from its own k2 on and before the TTIs that are decided now.
//! - In such a TTI it first takes resource blocks that are free. If there are too few, the cell takes grants of other UEs
//!   back, of those with the fewest resource blocks.
//! - The cell indicates that beside the grant. It takes nothing back for which the indication would come too late.
//! - A cancelled UE sends nothing. Its HARQ process keeps the block, which is granted again as one that failed. It counts as
//!   no transmission: neither attempts nor link adaptation change.
//! - Grants of UEs that pre-empt, and recorded load, are never taken back.

use airpath_base::Time;
use airpath_net::{Direction, Event, RadioEvent};

use super::cell::Cell;
use super::common::Moment;
use super::jobs::Job;
use super::rrc::hears_grant;
use super::secondary_uplink::{Amendment, full_power, most_by_power};
use super::uplink::OVERHEAD;
use crate::block::{AirSlot, Block};
use crate::config::Cancellation;
use crate::duplex::Purpose;
use crate::index::UeIndex;
use crate::mac::{Grant, ResourceBlocks};

const UP: Direction = Direction::Uplink;

/// A grant that can be taken back: its UE and its resource blocks.
type Victim = (UeIndex, ResourceBlocks);

impl Cell {
    /// True if grants of a UE cancel those of others.
    fn pre_empts(&self, ue: UeIndex) -> bool {
        self.ues[ue.index()].config.pre_empts
    }

    /// Wants the next decision with early grants, if a UE waits for one.
    pub fn want_early(&mut self, now: Time, own: Cancellation) {
        if !self.reported.iter().any(|ue| self.pre_empts(ue)) {
            return;
        }
        let first = self.config.tti.number_from(now).max(self.undecided);
        let next = (first..=first + self.steps.period())
            .find(|decided| self.early_ttis(*decided, own).next().is_some());
        if let Some(next) = next {
            let due = self.config.tti.start(next);
            self.next = Some(self.next.map_or(due, |next| next.min(due)));
        }
    }

    /// TTIs uplink for which TTI `decided` may give early grants.
    fn early_ttis(&self, decided: u64, own: Cancellation) -> impl Iterator<Item = u64> {
        let later = self.steps.uplink(decided);
        let grant = self.config.tti.start(decided) + self.config.timing.grant_preparation;
        let all = if later.is_empty() { 0..0 } else { decided..later.start };
        all.filter(move |tti| {
            let slot = AirSlot { direction: UP, tti: *tti };
            self.steps.serves(Purpose::UplinkData, *tti)
                && self.steps.by_need(*tti).is_none()
                && self.starts_at(slot) >= grant + own.grant_to_transmission
        })
    }

    /// Early grants of the TTI that is decided now. The UE goes first whose last grant is for the earliest TTI.
    pub fn grant_early(&mut self, own: Cancellation, at: &mut Moment<'_, '_>) {
        let mut waiting: Vec<UeIndex> =
            self.reported.iter().filter(|ue| self.pre_empts(*ue)).collect();
        if waiting.is_empty() {
            return;
        }
        waiting.sort_by_key(|ue| self.ues[ue.index()].uplink.last_granted);
        let decided = self.tti_number(at.now);
        let ttis: Vec<u64> = self.early_ttis(decided, own).collect();
        self.cancelled.retain(|(_, tti)| *tti >= decided);
        for ue in waiting {
            let _ = ttis.iter().any(|tti| self.grant_early_in(ue, *tti, own, at));
        }
    }

    /// Grants a UE TTI `tti`, if it has room there; tells whether it has.
    fn grant_early_in(
        &mut self,
        ue: UeIndex,
        tti: u64,
        own: Cancellation,
        at: &mut Moment<'_, '_>,
    ) -> bool {
        let slot = AirSlot { direction: UP, tti };
        let (start, grant) = (self.starts_at(slot), at.now + self.config.timing.grant_preparation);
        let is_away =
            [start, grant].map(|from| self.gap_end(ue, (from, from + self.config.tti.length())));
        let processes = self.steps.processes(tti, self.up_processes);
        let listens = hears_grant(&self.rrc, &self.config, at.now, ue) && is_away == [None; 2];
        if !listens || self.harq[ue.index()].up.uplink_process(tti, processes).is_none() {
            return false;
        }
        self.measure(UP, ue, at);
        if self.config.uplink.is_sounded(at.now) && !self.links.in_range(UP, ue) {
            return false;
        }
        let Some(count) = self.early_count(ue, tti) else { return false };
        let indicated = grant + self.config.timing.grant_transmission + own.indication;
        let Some((blocks, victims)) = self.early_blocks(tti, count, indicated <= start) else {
            return false;
        };
        let (id, elements) = (self.ues[ue.index()].id, self.links.control_elements(ue));
        if !self.control.has(elements, id, UP) {
            return false;
        }
        self.control.take(elements.into(), UP);
        for (victim, _) in victims {
            self.cancel(victim, tti, at);
        }
        let scheme = self.scheme(at.now, slot, ue, &blocks);
        let timing = &self.config.timing;
        let filling = own.grant_to_transmission - timing.grant_transmission - timing.grant_decoding;
        let grant = Grant { ue: id, index: ue, blocks, scheme };
        self.grant_until(grant, tti, start.saturating_sub(filling), at);
        true
    }

    /// Number of resource blocks for what a UE has reported; none where its power does not suffice for the fewest.
    fn early_count(&self, ue: UeIndex, tti: u64) -> Option<u16> {
        let (config, own) = (&self.config, &self.ues[ue.index()]);
        let full_power = full_power(&self.secondary, own, ue);
        let most = most_by_power(own, (config, full_power), self.span(tti));
        let least = config.uplink.min_resource_blocks.min(config.resource_blocks).max(1);
        let room = self.links.room((UP, self.steps.symbols(tti, UP)), ue);
        let tables = self.links.tables();
        let bytes = &tables.rates.at(room, self.links.allowed(UP, ue)).bytes;
        let wanted = own.uplink.reported.all().saturating_add(OVERHEAD);
        let enough = |count: &u16| bytes.get(usize::from(*count)).is_some_and(|b| *b >= wanted);
        (least <= most).then(|| (least..most).find(enough).unwrap_or(most))
    }

    /// So many resource blocks in TTI `tti` that lie side by side, with the grants to be taken back for them. Those
    /// that are free go first, then those that cost the fewest resource blocks of others. None without enough of them.
    fn early_blocks(
        &self,
        tti: u64,
        count: u16,
        cancels: bool,
    ) -> Option<(ResourceBlocks, Vec<Victim>)> {
        let carrier = self.config.resource_blocks;
        let mut free = self.not_recorded(UP, tti, carrier.saturating_sub(self.reserved_in(tti)));
        let mut usable = free;
        let mut victims = Vec::new();
        for ue in UeIndex::all(self.ues.len()) {
            let Some(blocks) = self.blocks_in(ue, tti) else { continue };
            free = free.without(&blocks);
            match cancels && !self.pre_empts(ue) && self.radio_links.is_up(ue) {
                true => victims.push((ue, blocks)),
                false => usable = usable.without(&blocks),
            }
        }
        if let Some(blocks) = free.contiguous(count) {
            return Some((blocks, Vec::new()));
        }
        let all =
            (0..=carrier.checked_sub(count)?).map(|first| ResourceBlocks::range(first, count));
        let hit = |blocks: &ResourceBlocks| -> Vec<Victim> {
            let hit = victims.iter().filter(|(_, own)| !own.common(blocks).is_empty());
            hit.copied().collect()
        };
        let all =
            all.filter(|blocks| usable.contains_all(blocks)).map(|blocks| (blocks, hit(&blocks)));
        all.min_by_key(|(_, hit)| {
            hit.iter().map(|(_, own)| own.count()).fold(0, u16::saturating_add)
        })
    }

    /// Resource blocks in which a UE sends in TTI `tti`, as far as the cell knows.
    fn blocks_in(&self, ue: UeIndex, tti: u64) -> Option<ResourceBlocks> {
        if self.is_cancelled(ue, tti) {
            return None;
        }
        let up = &self.harq[ue.index()].up;
        let sent = || up.sent_in(tti).map(|key| self.blocks.get(key).allocation.blocks);
        up.grant_for(tti).map(|grant| grant.blocks).or_else(sent)
    }

    fn is_cancelled(&self, ue: UeIndex, tti: u64) -> bool {
        self.cancelled.contains(&(ue, tti))
    }

    /// Takes back what a UE was granted in TTI `tti`. If it has not filled its block yet, it will, and not send it.
    fn cancel(&mut self, ue: UeIndex, tti: u64, at: &mut Moment<'_, '_>) {
        self.cancelled.push((ue, tti));
        self.hold_cancelled(ue, tti, at);
    }

    /// A UE that has filled a block for TTI `tti` keeps it, if its grant has been cancelled.
    pub fn hold_cancelled(&mut self, ue: UeIndex, tti: u64, at: &mut Moment<'_, '_>) {
        let sent = self.harq[ue.index()].up.sent_in(tti).filter(|_| self.is_cancelled(ue, tti));
        let Some(key) = sent else { return };
        let Block { process, .. } = *self.blocks.get(key);
        let resource_blocks = self.blocks.get(key).resource_blocks();
        self.jobs.take_if(|job| matches!(job, Job::Decode { block } if *block == key));
        self.harq[ue.index()].up.wait(process, key);
        let (cell, index, ue) = (self.id, ue, self.ues[ue.index()].id);
        if self.ues[index.index()].channel(self.carrier_index()).is_some() {
            self.amended.push(Amendment { carrier: self.air_index(), tti, ue, power: 0.0 });
        }
        let direction = UP;
        at.cx.emit(|| {
            Event::Radio(RadioEvent::Cancelled { cell, ue, direction, process, resource_blocks })
        });
        self.await_tti(UP, at.now, key);
    }
}

#[cfg(test)]
#[path = "cancellation_tests.rs"]
mod tests;
