//! The packet delay budget of a bearer.
//!
//! It is about the time between the UE and the gateway's side of the Internet (TS 23.501,
//! 5.7.3.4: the N6 termination point; TS 23.203, 6.1.7.2: the PCEF). Downlink that is from arrival
//! at the gateway to arrival at the UE. Uplink it begins as the UE hands the packet to the network,
//! and ends as the gateway lets it out.

use airpath_base::{Duration, Time};
use airpath_net::{Direction, Packet, Stage};

/// Packets of one leg of a flow by a bearer's delay budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetCounts {
    /// Packets that needed no longer.
    pub within: u64,
    /// Packets that needed longer, or were dropped in between.
    pub outside: u64,
    budget: Duration,
    direction: Direction,
}

impl BudgetCounts {
    pub(super) fn new(budget: Duration, direction: Direction) -> BudgetCounts {
        BudgetCounts { within: 0, outside: 0, budget, direction }
    }

    /// A packet ended at `now`, received or dropped.
    pub(super) fn ended(&mut self, now: Time, packet: &Packet, received: bool) {
        let entered = || packet.born() + packet.stages.spent(Stage::Sender);
        let span = match (self.direction, packet.at_gateway()) {
            (Direction::Downlink, Some(at)) if received => Some(now.saturating_since(at)),
            // Dropped before it came into the bearer.
            (Direction::Downlink, None) => return,
            (Direction::Uplink, Some(at)) => Some(at.saturating_since(entered())),
            (Direction::Downlink, Some(_)) | (Direction::Uplink, None) => None,
        };
        match span.is_some_and(|span| span <= self.budget) {
            true => self.within += 1,
            false => self.outside += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::FlowId;
    use airpath_net::Leg;
    use airpath_wire::{Endpoint, Protocol, Tuple};

    use super::*;

    fn ms(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    /// A packet that was born at 100 ms, waited 5 ms in the sender, and passed the gateway then.
    fn packet(at_gateway: Option<u64>) -> Packet {
        let end = |port| Endpoint::new([10, 0, 0, 1], port);
        let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
        let mut packet = Packet::new(FlowId(0), Leg::Data, 100, tuple, ms(100));
        packet.charge(Stage::Sender, ms(105));
        at_gateway.map(ms).into_iter().for_each(|at| packet.pass_gateway(at));
        packet
    }

    fn judged(direction: Direction, ended: &[(u64, Option<u64>, bool)]) -> (u64, u64) {
        let mut counts = BudgetCounts::new(Duration::from_millis(20), direction);
        for (now, at_gateway, received) in ended {
            counts.ended(ms(*now), &packet(*at_gateway), *received);
        }
        (counts.within, counts.outside)
    }

    #[test]
    fn downlink_it_is_from_the_gateway_to_the_ue() {
        // 20 and 21 ms behind the gateway; dropped behind it, and before it.
        let ended = [
            (150, Some(130), true),
            (151, Some(130), true),
            (135, Some(130), false),
            (120, None, false),
        ];
        assert_eq!(judged(Direction::Downlink, &ended), (1, 2));
    }

    #[test]
    fn uplink_it_is_from_the_ue_to_the_gateway() {
        // 20 and 21 ms, wherever it went then; dropped before it, and behind it.
        let ended = [
            (300, Some(125), true),
            (300, Some(126), true),
            (110, None, false),
            (130, Some(120), false),
        ];
        assert_eq!(judged(Direction::Uplink, &ended), (2, 2));
    }
}
