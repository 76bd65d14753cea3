//! A split bearer of dual connectivity: one PDCP over RLC of two cells (TS 37.340, 4.2.2).
//!
//! The bearer in the cell of the master node hosts PDCP, with the queues, the counts and the reordering of both
//! directions. The leg in the cell of the secondary node is a bearer of its own without PDCP. It takes packets with
//! their counts, and hands them up to the host.

use airpath_base::{BearerId, Time};
use airpath_net::{Cx, Direction, Event, Packet, RadioEvent, Stage};

use super::{Bearer, receivers};
use crate::config::BearerConfig;
use crate::pdcp::{QueueLimit, Reordering, Sdu};
use crate::rlc::{self, Handed};

impl Bearer {
    /// The bearer hosts PDCP of a split bearer from now on, with duplication downlink and uplink or without. To be done
    /// before anything is sent.
    pub(crate) fn host(&mut self, duplicates: [bool; 2]) {
        for direction in Direction::ALL {
            let own = duplicates[direction as usize];
            self.pdcp.sender_mut(direction).host(own);
            if own {
                self.rlc.keep_news(direction);
            }
        }
        self.duplicates = duplicates.contains(&true);
        self.receivers = Some(receivers(&self.config));
    }

    /// The leg of a split bearer whose host has this configuration, with RLC of its own. `mac` is true if MAC headers
    /// take room in its cell.
    pub(crate) fn leg(
        id: BearerId,
        host: &BearerConfig,
        (rlc, duplicates): (rlc::Config, [bool; 2]),
        mac: bool,
    ) -> Bearer {
        let mut config = *host;
        config.rlc = rlc;
        config.full_buffers = [None; 2];
        let pdcp = &mut config.pdcp;
        (pdcp.discard_timer, pdcp.reordering) = (None, Reordering::AsTheyCome);
        (pdcp.downlink_queue, pdcp.uplink_queue) = (QueueLimit::Unlimited, QueueLimit::Unlimited);
        let mut leg = Bearer::new(id, config, mac);
        for direction in Direction::ALL {
            let own = duplicates[direction as usize];
            leg.pdcp.sender_mut(direction).become_leg(own);
            if own {
                leg.rlc.keep_news(direction);
            }
        }
        leg.leg_up = Some(Vec::new());
        leg
    }

    /// Hands packets of the host's queue to a leg, until they have this many bytes or none waits. The last may exceed
    /// them. Gives their bytes, too.
    pub(crate) fn hand_over(
        &mut self,
        (direction, now): (Direction, Time),
        most: u64,
        cx: &mut Cx<'_>,
    ) -> (Vec<(u64, Packet)>, u64) {
        let [end, _] = self.ends(direction);
        let (mut all, mut bytes) = (Vec::new(), 0);
        let bearer = self.rlc.bearer();
        let sender = self.pdcp.sender_mut(direction);
        let before = sender.waiting();
        while bytes < most {
            let next = cx.at_end(end, |cx| sender.hand_over(now, cx));
            let Some(Sdu { packet, size, count: Some(count), reported, .. }) = next else { break };
            if !reported {
                let waited = now.saturating_since(packet.queued);
                cx.emit(|| Event::Radio(RadioEvent::Left { bearer, direction, waited }));
            }
            bytes += u64::from(size);
            all.push((count, packet));
        }
        if sender.waiting() != before {
            self.rlc.settle(direction, now, self.pdcp.sender(direction));
            self.report_queue(direction, cx);
        }
        (all, bytes)
    }

    /// True if something waits at the host's PDCP that can be handed to a leg.
    pub(crate) fn has_for_leg(&self, direction: Direction) -> bool {
        self.pdcp.sender(direction).has_for_leg()
    }

    /// Takes in a packet of a leg. Gives its bytes.
    pub(crate) fn accept(
        &mut self,
        (direction, now): (Direction, Time),
        (count, packet): (u64, Packet),
        cx: &mut Cx<'_>,
    ) -> u64 {
        let sender = self.pdcp.sender_mut(direction);
        let before = sender.waiting().bytes;
        sender.accept(now, count, packet, cx);
        sender.waiting().bytes - before
    }

    /// Packets that a leg has handed up, with their directions and counts.
    pub(crate) fn take_handed_up(&mut self) -> Vec<Handed> {
        self.leg_up.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// True if a leg has handed packets up.
    pub(crate) fn has_handed_up(&self) -> bool {
        self.leg_up.as_ref().is_some_and(|up| !up.is_empty())
    }

    /// A packet has come by a leg to the host's receiver.
    pub(crate) fn receive_from_leg(
        &mut self,
        (direction, now): (Direction, Time),
        (count, packet): (u64, Packet),
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) {
        let mut handed = vec![(direction, count, packet)];
        self.pass_up(&mut handed, now, cx, out);
    }

    /// The leg is released: takes out the packets of a direction that its receiver does not have. Nothing may be on the
    /// air. Gives those to be sent again, and in unacknowledged mode those that are lost.
    pub(crate) fn take_back(
        &mut self,
        (direction, now): (Direction, Time),
        cx: &mut Cx<'_>,
    ) -> [Vec<(u64, Packet)>; 2] {
        let stage = if self.rlc.is_acknowledged() { Stage::Arq } else { Stage::Radio };
        let mut all = self.rlc.take_back(direction);
        for (_, packet) in &mut all {
            packet.charge(stage, now.max(packet.stages.until()));
        }
        let waiting = self.pdcp.sender_mut(direction).take_back(now, cx);
        if !self.rlc.is_acknowledged() {
            return [waiting, all];
        }
        all.extend(waiting);
        [all, Vec::new()]
    }

    /// Packets that a leg has not delivered are to be sent again, before all others and by their counts.
    pub(crate) fn give_back(
        &mut self,
        direction: Direction,
        packets: Vec<(u64, Packet)>,
        cx: &mut Cx<'_>,
    ) {
        self.pdcp.sender_mut(direction).give_back(packets);
        self.report_queue(direction, cx);
    }
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
