//! Losses and reordering on purpose, to test how endpoints stand them.

use airpath_base::random::Stream;
use airpath_base::{Duration, Port, Time};
use airpath_net::{Cx, DropCause, Held, Node, Packet, Stage};

use crate::delay::DelayLine;

/// Impairments of a wire.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImpairConfig {
    /// Probability with which a packet is lost, 0 to 1.
    pub loss: f64,
    /// Probability with which a packet is held back, 0 to 1.
    pub reorder: f64,
    /// Additional delay of such a packet; packets behind it may overtake.
    pub extra: Duration,
}

/// Loses and holds back packets at random; the others pass in the same instant.
/// What enters at a port leaves at the port of the same number.
#[derive(Debug)]
pub struct Impair {
    config: ImpairConfig,
    losses: Stream,
    reorders: Stream,
    line: DelayLine,
}

impl Impair {
    /// Losses and reordering are drawn from a stream each, one draw a packet, so
    /// that neither moves the other.
    pub fn new(config: ImpairConfig, losses: Stream, reorders: Stream) -> Impair {
        Impair { config, losses, reorders, line: DelayLine::new(config.extra, Stage::Wired) }
    }
}

impl Node for Impair {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        let lost = self.losses.chance(self.config.loss);
        let held_back = self.reorders.chance(self.config.reorder);
        if lost {
            cx.drop(packet, DropCause::RandomLoss);
        } else if held_back {
            self.line.send(now, port, packet, cx);
        } else {
            cx.send(port, packet);
        }
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.line.wake(now, cx);
    }

    fn next_wake(&self) -> Option<Time> {
        self.line.next_wake()
    }

    fn held(&self) -> Held {
        self.line.held()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::{World, draws, packet};

    fn world(loss: f64, reorder: f64, extra: u64) -> World {
        let config = ImpairConfig { loss, reorder, extra: Duration::from_millis(extra) };
        World::new(Impair::new(config, draws("loss"), draws("reorder")))
    }

    fn numbers(mut world: World, count: u64) -> (Vec<u64>, World) {
        for number in 0..count {
            let now = Time::from_millis(number);
            let mut packet = packet(100, now);
            packet.number = number;
            world.inject(now, Port(1), packet);
        }
        let out = world.run(Time::from_millis(count + 1000));
        (out.iter().map(|(.., packet)| packet.number).collect(), world)
    }

    #[test]
    fn nothing_happens_by_default() {
        let (seen, _) = numbers(world(0.0, 0.0, 5), 100);
        assert!(seen.iter().copied().eq(0..100));
    }

    #[test]
    fn a_packet_held_back_is_overtaken() {
        let (seen, _) = numbers(world(0.0, 0.1, 3), 1000);
        let late = seen.windows(2).filter(|pair| pair[0] > pair[1]).count();
        assert_eq!(seen.len(), 1000);
        // About 0.1 * 0.9^2 of the packets come right behind one that overtook them.
        assert!((50..150).contains(&late), "{late}");
    }

    #[test]
    fn reordering_does_not_move_the_losses() {
        let lost = |reorder| {
            let (_, world) = numbers(world(0.1, reorder, 3), 500);
            world.log.drops
        };
        assert_eq!(lost(0.0), lost(0.5));
        assert!(lost(0.0).len() > 20);
    }

    #[test]
    fn the_extra_delay_is_exact_and_booked() {
        let mut world = world(0.0, 1.0, 7);
        world.inject(Time::from_millis(1), Port(0), packet(9, Time::from_millis(1)));
        assert_eq!(world.held(), 1);
        let out = world.run(Time::from_millis(100));
        assert_eq!((out[0].0, out[0].1), (Time::from_millis(8), Port(0)));
        assert_eq!(out[0].2.stages.spent(Stage::Wired), Duration::from_millis(7));
    }

    proptest! {
        #[test]
        fn packets_leave_or_are_lost(loss in 0.0..1.0, reorder in 0.0..1.0, extra in 0u64..9) {
            let (mut seen, world) = numbers(world(loss, reorder, extra), 60);
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len() + world.log.drops.len(), 60);
            prop_assert_eq!(world.held(), 0);
        }
    }
}
