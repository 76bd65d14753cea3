//! Free resource blocks downlink, reported at each decision to the queues of bearers that want
//! them. Queues at the UE get no such report: a UE does not know.

use airpath_base::Time;
use airpath_net::Direction;
use airpath_net::queue::{Queue, QueueKind};

use super::cell::Cell;
use crate::duplex::Purpose;
use crate::index::{BearerIndex, UeIndex};

/// Most TTIs of a report; in earlier ones nothing was sent.
const MOST_TTIS: u64 = 1_000;

/// Bearers whose queues get reports, and the end of the last one.
#[derive(Debug, Default)]
pub(super) struct FreeBlocks {
    bearers: Vec<(UeIndex, BearerIndex)>,
    /// The last TTI on the air that has been reported.
    last: u64,
}

impl Cell {
    /// Gives a QoS flow of a bearer a queue of its own in a direction.
    pub fn set_queue(
        &mut self,
        ue: UeIndex,
        bearer: BearerIndex,
        (direction, flow): (Direction, u16),
        queue: QueueKind,
    ) {
        if direction == Direction::Downlink && queue.wants_free_resources() {
            self.free.bearers.push((ue, bearer));
        }
        let bearer = &mut self.ues[ue.index()].bearers[bearer.index()];
        bearer.set_queue(direction, usize::from(flow), queue);
    }

    /// Reports that of the resource blocks in TTI `air` on the air, which is decided now, `free`
    /// will not be used. In TTIs since the last decision none were used.
    pub fn report_free(&mut self, now: Time, air: u64, free: u16) {
        if self.free.bearers.is_empty() || air <= self.free.last {
            return;
        }
        let first = (self.free.last + 1).max(air.saturating_sub(MOST_TTIS));
        let ttis = (first..=air).filter(|tti| self.steps.serves(Purpose::DownlinkData, *tti));
        let carrier = f64::from(self.config.resource_blocks);
        let mut used = carrier - f64::from(free);
        if let Some(load) = &self.config.load {
            // Recorded UEs use slots in which nothing is decided, too.
            let taken = (first..air).map(|tti| load.taken(Direction::Downlink, tti).count());
            used += taken.map(f64::from).sum::<f64>();
        }
        let share = (1.0 - used / (carrier * ttis.count().max(1) as f64)).max(0.0);
        self.free.last = air;
        for (ue, bearer) in &self.free.bearers {
            self.ues[ue.index()].bearers[bearer.index()].set_free_resources(now, share);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use airpath_base::random::Seed;
    use airpath_base::{BearerId, Duration};
    use airpath_net::queue::{DropTail, Queue, Which};
    use airpath_net::testing::Bench;
    use airpath_net::{Cx, Held, Node, Packet};

    use super::super::Ran;
    use super::super::tests::{asking, config, in_tunnel};
    use super::*;
    use crate::config::QosFlow;

    /// Drop-tail that keeps the reports.
    struct Reports(DropTail, Arc<Mutex<Vec<(Time, f64)>>>);

    impl Queue for Reports {
        fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
            self.0.enqueue(now, packet, cx);
        }
        fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
            self.0.dequeue(now, cx)
        }
        fn packets(&self) -> u32 {
            self.0.packets()
        }
        fn bytes(&self) -> u64 {
            self.0.bytes()
        }
        fn held(&self) -> Held {
            self.0.held()
        }
        fn oldest(&self) -> Option<Time> {
            self.0.oldest()
        }
        fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
            self.0.discard(now, limit, cx);
        }
        fn drop_where(&mut self, now: Time, which: Which<'_>, cx: &mut Cx<'_>) {
            self.0.drop_where(now, which, cx);
        }
        fn for_each_waiting(&mut self, visit: &mut dyn FnMut(&mut Packet)) {
            self.0.for_each_waiting(visit);
        }
        fn wants_free_resources(&self) -> bool {
            true
        }
        fn set_free_resources(&mut self, now: Time, share: f64) {
            self.1.lock().expect("one thread").push((now, share));
        }
    }

    #[test]
    fn idle_slots_count_as_free() {
        let mut ran = Ran::new(config(1, asking(), 1e9), Seed(1)).expect("a network");
        let reports = Arc::new(Mutex::new(Vec::new()));
        let queue = Reports(DropTail::default(), Arc::clone(&reports));
        let flow = QosFlow::first(BearerId(0));
        ran.set_queue(flow, Direction::Downlink, QueueKind::Custom(Box::new(queue)));
        let ahead = ran.cells[0].steps.downlink(0).expect("the downlink in each TTI");
        let mut bench = Bench::new();
        for at in [10, 60] {
            let now = Time::from_millis(at);
            while let Some(due) = ran.next_wake().filter(|&due| due < now) {
                ran.wake(due, &mut bench.cx(due));
            }
            for _ in 0..8 {
                ran.receive(now, Ran::CORE, in_tunnel(now, 1_400, 7), &mut bench.cx(now));
            }
        }
        let end = Time::from_millis(62);
        while let Some(due) = ran.next_wake().filter(|&due| due < end) {
            ran.wake(due, &mut bench.cx(due));
        }
        let reports = reports.lock().expect("one thread");
        // All resource blocks of one TTI in so many.
        assert_eq!(reports[0], (Time::from_millis(10), 1.0 - 1.0 / (10 + ahead) as f64));
        assert_eq!(reports[1], (Time::from_millis(11), 0.0));
        let last = reports.iter().rposition(|(at, _)| *at < Time::from_millis(60)).expect("some");
        let idle = Time::from_millis(60).since(reports[last].0).as_millis();
        assert_eq!(reports[last + 1], (Time::from_millis(60), 1.0 - 1.0 / idle as f64));
        assert!(reports[last].1 > 0.0, "the last packet does not fill a TTI");
    }
}
