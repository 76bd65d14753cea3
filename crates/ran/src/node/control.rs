//! The downlink control channel of a cell: one budget of elements for the decisions of a TTI.
//!
//! Assignments downlink and grants uplink that are decided in the same TTI share its elements.
//! Retransmissions downlink go first: they need an assignment each, and they free a process. Then
//! the direction goes first that found too few elements last. So neither starves
//! the other: where both want more than there is, they alternate; where one wants little, it
//! waits a TTI at most. Retransmissions uplink are not adaptive with synchronous HARQ: PHICH asks
//! for them (TS 36.213, 8.0). With asynchronous HARQ they need a grant each.
//!
//! A UE misses a grant with the probability of its elements at the SINR that the cell knows.
//!
//! - Downlink it sends no feedback then, and the cell sends the block again.
//! - Uplink it sends nothing. The cell notices when it receives nothing, and grants again.
//! - The timers of DRX and RRC run as if the UE had received the grant.
//!
//! Data that are decided together are not always on the air together: a grant may be prepared longer
//! than an assignment. With frequency division duplex the budget is that of the TTI of decision.
//! With time division duplex not every TTI of decision has a slot for grants. There the budget is
//! that of the slot on the air: the first decision for it has the elements.

use airpath_base::UeId;
use airpath_net::{Cx, Direction, Event, RadioEvent};

use super::cell::Cell;
use super::common::{Common, Moment};
use super::secondary::of_carrier;
use crate::block::{AirSlot, draw};
use crate::config::Control;
use crate::index::UeIndex;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// The control channel in the present TTI.
#[derive(Debug)]
pub(super) struct ControlChannel {
    config: Control,
    /// TTI whose elements assignments and grants take that are decided now, by direction.
    slots: [u64; 2],
    /// Elements that are taken in these and later ones.
    taken: Vec<(u64, u16)>,
    /// Elements that were taken now.
    used: u16,
    /// UEs that had data and resource blocks, but no elements.
    blocked: Vec<(UeId, Direction)>,
    /// The direction that goes first.
    first: Direction,
}

impl ControlChannel {
    pub fn new(config: Control) -> ControlChannel {
        let (slots, used, first) = ([0; 2], 0, DOWN);
        ControlChannel { config, slots, taken: Vec::new(), used, blocked: Vec::new(), first }
    }

    /// A TTI begins, in which elements of these are taken downlink and uplink. Gives the
    /// directions in their order.
    #[inline]
    pub fn begin(&mut self, slots: [u64; 2]) -> [Direction; 2] {
        self.slots = slots;
        self.used = 0;
        let first = slots[0].min(slots[1]);
        self.taken.retain(|(slot, _)| *slot >= first);
        match self.first {
            Direction::Downlink => [DOWN, UP],
            Direction::Uplink => [UP, DOWN],
        }
    }

    /// Elements that are left for a direction; none without a limit.
    #[inline]
    pub fn left(&self, direction: Direction) -> Option<u16> {
        let own = self.slots[direction as usize];
        let taken = self.taken.iter().find(|(slot, _)| *slot == own).map_or(0, |(_, n)| *n);
        self.config.elements().map(|all| all.saturating_sub(taken))
    }

    /// True if there are elements for a UE; if not, it is blocked.
    #[inline]
    pub fn has(&mut self, elements: u8, ue: UeId, direction: Direction) -> bool {
        let left = self.left(direction);
        let there = left.is_none_or(|left| u16::from(elements) <= left);
        if !there {
            self.after(left, &[ue], direction);
        }
        there
    }

    /// Takes elements that are there.
    #[inline]
    pub fn take(&mut self, elements: u16, direction: Direction) {
        if elements == 0 || self.config.elements().is_none() {
            return;
        }
        self.used += elements;
        let own = self.slots[direction as usize];
        match self.taken.iter_mut().find(|(slot, _)| *slot == own) {
            Some((_, taken)) => *taken += elements,
            None => self.taken.push((own, elements)),
        }
    }

    /// A scheduler has done: elements that it left, and UEs without a grant for want of elements.
    pub fn after(&mut self, left: Option<u16>, blocked: &[UeId], direction: Direction) {
        let before = self.left(direction).zip(left);
        self.take(before.map_or(0, |(before, left)| before.saturating_sub(left)), direction);
        if blocked.is_empty() {
            return;
        }
        self.first = direction;
        let again = self.blocked.len();
        for blocked in blocked.iter().map(|ue| (*ue, direction)) {
            if !self.blocked[..again].contains(&blocked) {
                self.blocked.push(blocked);
            }
        }
    }
}

impl Cell {
    /// True if a UE misses the grant of a transmission.
    #[inline]
    pub fn misses_grant(
        &self,
        ue: UeIndex,
        AirSlot { direction, tti }: AirSlot,
        process: u16,
        common: &Common,
    ) -> bool {
        let chance = f64::from(self.links.grant_missed(ue));
        let number = self.ues[ue.index()].config.number;
        let key = || of_carrier(self.air_index() as u64, draw(number, direction, process, tti));
        chance > 0.0 && common.missed.uniform(key()) < chance
    }

    /// True if a block was not received because its UE missed the grant. No feedback comes, or
    /// no signal: for the cell the attempt has failed, and it brought nothing.
    #[inline]
    pub fn was_missed(&mut self, key: u32, at: &mut Moment<'_, '_>) -> bool {
        let block = self.blocks.get_mut(key);
        if !block.missed {
            return false;
        }
        block.first_decoding.get_or_insert(at.now);
        let (ue, direction) = (block.ue, block.direction);
        // The resource blocks of two codewords count once.
        let own = f32::from(block.resource_blocks()) * block.sharing().1;
        let resource_blocks = if block.first_layer == 0 { own.round() as u16 } else { 0 };
        let (cell, ue) = (self.id, self.ues[ue.index()].id);
        at.cx.emit(|| Event::Radio(RadioEvent::Missed { cell, ue, direction, resource_blocks }));
        if direction == DOWN {
            self.report_shares(key, at.cx);
        }
        true
    }

    /// The TTI has been decided: reports what it took of the control channel.
    #[inline]
    pub fn end_control(&mut self, cx: &mut Cx<'_>) {
        let ControlChannel { config, used, blocked, .. } = &mut self.control;
        let Some(elements) = config.elements() else { return };
        let (cell, used, count) = (self.id, *used, blocked.len() as u16);
        if used > 0 || count > 0 {
            let blocked = count;
            cx.emit(|| Event::Radio(RadioEvent::Control { cell, used, elements, blocked }));
        }
        for (ue, direction) in blocked.drain(..) {
            cx.emit(|| Event::Radio(RadioEvent::Blocked { cell, ue, direction }));
        }
    }
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;
