//! Slots that a cell gives to a direction by need: flexible slots that DCIs assign (TS 38.213,
//! 11.1.1).
//!
//! A direction takes such a slot when it decides it and has something to send, by the cell's
//! knowledge. Where both directions have something they take turns. The slot that is the other's turn
//! is left to it, unless its decision has passed. So the uplink, which is decided earlier, does not
//! starve the downlink.

use airpath_net::Direction;

use super::cell::Cell;
use crate::block::AirSlot;

/// Slots that are taken, and by whom.
#[derive(Debug, Default)]
pub(super) struct Taken(Vec<AirSlot>);

impl Cell {
    /// True if a direction may use a slot that is decided in TTI `decided`. Takes it, if it is given
    /// by need.
    #[inline]
    pub fn takes(&mut self, slot: AirSlot, decided: u64) -> bool {
        match self.steps.by_need(slot.tti) {
            None => true,
            Some(turn) => self.takes_by_need(slot, turn, decided),
        }
    }

    fn takes_by_need(&mut self, slot: AirSlot, turn: Direction, decided: u64) -> bool {
        self.taken.0.retain(|taken| taken.tti >= decided);
        if let Some(taken) = self.taken.0.iter().find(|taken| taken.tti == slot.tti) {
            return taken.direction == slot.direction;
        }
        let AirSlot { direction, tti } = slot;
        let other = match direction {
            Direction::Downlink => Direction::Uplink,
            Direction::Uplink => Direction::Downlink,
        };
        let passed = self.steps.decided(tti, other) < decided;
        let takes = self.wants(direction) && (turn == direction || passed || !self.wants(other));
        if takes {
            self.taken.0.push(slot);
        }
        takes
    }

    /// True if there is something to send in a direction.
    fn wants(&mut self, direction: Direction) -> bool {
        !self.failed[direction as usize].is_empty() || !self.having(direction).is_empty()
    }
}
