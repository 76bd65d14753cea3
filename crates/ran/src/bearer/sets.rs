//! PDU sets of a bearer: losses that its ends learn of, and what they drop then.
//!
//! The end that sends learns of what its PDCP or its queues drop. The cell learns, too, of what HARQ and RLC lose on the
//! air in both directions. It drops the rest of such a set downlink at its PDCP, and uplink before the core. Both ends learn
//! of what a failed link or a handover loses.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::{Cx, Direction, DropCause, Packet};

use super::Bearer;
use crate::pdcp::{Deadlines, SetKey};
use crate::tti::earlier;

/// Most uplink sets that the cell knows to be lost on the air.
const MOST: usize = 64;

/// Uplink sets that the cell knows to be lost on the air, the oldest first.
#[derive(Debug, Default)]
pub(super) struct LostUp(VecDeque<SetKey>);

/// Keeps uplink packets of lost sets from the core.
pub(super) struct Sieve {
    lost: Option<Box<LostUp>>,
    useless: Vec<Packet>,
}

impl Sieve {
    /// The packet, if it is not useless.
    pub fn pass(&mut self, direction: Direction, packet: Packet) -> Option<Packet> {
        let Some(lost) = self.lost.as_ref().filter(|_| direction == Direction::Uplink) else {
            return Some(packet);
        };
        match SetKey::of(&packet).is_some_and(|key| lost.0.contains(&key)) {
            false => Some(packet),
            true => {
                self.useless.push(packet);
                None
            }
        }
    }
}

impl Bearer {
    /// True if losses of packets take their sets along.
    pub(super) fn heeds_sets(&self) -> bool {
        self.config.pdcp.sets.is_some_and(|own| own.integrated)
    }

    /// Begins to note the sets of which packets are dropped, if the bearer heeds them; true if it does.
    pub(super) fn begin_sets(&self, cx: &mut Cx<'_>) -> bool {
        let heeds = self.heeds_sets();
        if heeds {
            cx.note_sets(true);
        }
        heeds
    }

    /// Drops the rest of the sets of which packets have been dropped since [`begin_sets`](Bearer::begin_sets).
    pub(super) fn end_sets(&mut self, now: Time, cx: &mut Cx<'_>) {
        loop {
            let noted = cx.noted_sets();
            if noted.is_empty() {
                return cx.note_sets(false);
            }
            for (tuple, number, cause) in noted {
                let key = SetKey(tuple, number);
                use DropCause::{Handover, LinkFailure, Reordering, RlcLoss};
                let on_air = matches!(cause, RlcLoss | Reordering);
                let by_both = matches!(cause, Handover | LinkFailure);
                let lose = |sender: &mut crate::pdcp::Transmitter, cx: &mut Cx<'_>| {
                    sender.lose_set(now, key, cx);
                };
                self.change(Direction::Downlink, now, cx, lose);
                if !on_air {
                    self.change(Direction::Uplink, now, cx, lose);
                }
                if on_air || by_both {
                    self.lost_up.get_or_insert_default().add(key);
                }
            }
        }
    }

    /// A sieve for what is handed up.
    pub(super) fn sieve(&mut self) -> Sieve {
        Sieve { lost: self.lost_up.take(), useless: Vec::new() }
    }

    /// Drops what a sieve has kept from the core.
    pub(super) fn end_sieve(&mut self, sieve: Sieve, cx: &mut Cx<'_>) {
        self.lost_up = sieve.lost;
        let [_, cell] = self.ends(Direction::Uplink);
        for packet in sieve.useless {
            cx.at_end(cell, |cx| cx.drop(packet, DropCause::PduSet));
        }
    }

    /// Time at which the oldest packet or set in a direction is late. None if nothing waits, or if the cell looks at no
    /// deadlines of this bearer.
    pub(crate) fn deadline(&self, direction: Direction) -> Option<Time> {
        self.late_at(direction, self.config.pdcp.sets?.deadlines?)
    }

    /// Time at which the oldest data in the UE are late, if less is left than the threshold of delay status reports.
    pub(crate) fn delay_critical(&self, now: Time) -> Option<Time> {
        let own = self.config.pdcp.sets?;
        let threshold = own.delay_status?;
        let unit = if own.discard { Deadlines::OfSets } else { Deadlines::OfPackets };
        let late = self.late_at(Direction::Uplink, unit)?;
        (late.saturating_since(now) < threshold).then_some(late)
    }

    /// True if packets of a downlink PDU set have not come to the cell yet.
    pub(crate) fn expects_more(&self) -> bool {
        self.pdcp.sender(Direction::Downlink).expects_more()
    }

    fn late_at(&self, direction: Direction, unit: Deadlines) -> Option<Time> {
        let own = self.config.pdcp.sets?;
        let sender = self.pdcp.sender(direction);
        let since = match unit {
            Deadlines::OfPackets => self.head_of_line(direction),
            Deadlines::OfSets => {
                let partly_sent = self.rlc.oldest(direction);
                let of_set = partly_sent.and(sender.pulled_since());
                earlier(earlier(partly_sent, of_set), sender.oldest_set())
            }
        };
        since.map(|since| since.saturating_add(own.delay_budget))
    }
}

impl LostUp {
    fn add(&mut self, key: SetKey) {
        if !self.0.contains(&key) {
            self.0.push_back(key);
        }
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
#[path = "sets_tests.rs"]
mod tests;
