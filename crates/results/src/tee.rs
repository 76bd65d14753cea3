//! Several probes on one run.

use airpath_base::{NodeId, Time};
use airpath_net::{Event, Probe};

/// Passes each event to all of its probes, in order.
#[derive(Default)]
pub struct Tee<'a>(Vec<&'a mut dyn Probe>);

impl<'a> Tee<'a> {
    /// A tee to nobody.
    pub fn new() -> Tee<'a> {
        Tee::default()
    }

    /// Adds a listener behind those there.
    #[must_use]
    pub fn with(mut self, probe: &'a mut dyn Probe) -> Tee<'a> {
        self.0.push(probe);
        self
    }
}

/// Passes each event to two probes that are known: for what a run has in any case, without the
/// calls that a [`Tee`] makes.
pub struct Pair<'a, A, B>(pub &'a mut A, pub &'a mut B);

impl<A: Probe, B: Probe> Probe for Pair<'_, A, B> {
    #[inline]
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        self.0.on(now, node, event);
        self.1.on(now, node, event);
    }

    #[inline]
    fn wants_blocks(&self) -> bool {
        self.0.wants_blocks() || self.1.wants_blocks()
    }
}

impl Probe for Tee<'_> {
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        for probe in &mut self.0 {
            probe.on(now, node, event);
        }
    }

    fn wants_blocks(&self) -> bool {
        self.0.iter().any(|probe| probe.wants_blocks())
    }
}

#[cfg(test)]
mod tests {
    use airpath_net::QueueEvent;

    use super::*;

    #[derive(Default)]
    struct Heard(Vec<(Time, NodeId)>);

    impl Probe for Heard {
        fn on(&mut self, now: Time, node: NodeId, _: &Event<'_>) {
            self.0.push((now, node));
        }
    }

    /// Asks for blocks, if so.
    struct Asks(bool);

    impl Probe for Asks {
        fn on(&mut self, _: Time, _: NodeId, _: &Event<'_>) {}

        fn wants_blocks(&self) -> bool {
            self.0
        }
    }

    #[test]
    fn one_that_asks_for_blocks_is_enough() {
        for asking in [[false, false], [true, false], [false, true]] {
            let (mut a, mut b) = (Asks(asking[0]), Asks(asking[1]));
            let any = asking.contains(&true);
            assert_eq!(Pair(&mut a, &mut b).wants_blocks(), any);
            assert_eq!(Tee::new().with(&mut a).with(&mut b).wants_blocks(), any);
        }
    }

    #[test]
    fn all_hear_all() {
        let (mut a, mut b) = (Heard::default(), Heard::default());
        let mut tee = Tee::new().with(&mut a).with(&mut b);
        let event = Event::Queue(QueueEvent::Occupancy { packets: 1, bytes: 2 });
        tee.on(Time::from_millis(3), NodeId(4), &event);
        drop(tee);
        assert_eq!(a.0, [(Time::from_millis(3), NodeId(4))]);
        assert_eq!(a.0, b.0);
        Pair(&mut a, &mut b).on(Time::from_millis(5), NodeId(6), &event);
        assert_eq!((a.0.len(), a.0[1]), (2, (Time::from_millis(5), NodeId(6))));
        assert_eq!(a.0, b.0);
    }
}
