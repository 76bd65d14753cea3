//! What a cell tells the queues of its bearers of the resource blocks that it had free downlink,
//! at each decision. Queues at the UE are not told: a UE does not know.

use airpath_base::{BearerId, Time};
use airpath_net::Direction;
use airpath_net::queue::{Queue, QueueKind};

use super::Ran;
use crate::duplex::Purpose;

/// TTIs that are looked at; in those before nothing was sent.
const MOST_TTIS: u64 = 1_000;

/// Who is told, and up to when.
#[derive(Debug, Default)]
pub(super) struct FreeBlocks {
    bearers: Vec<BearerId>,
    /// The last TTI on the air that they have been told of.
    told: u64,
}

impl FreeBlocks {
    /// Notes a bearer if its queue is to be told.
    pub fn add(&mut self, bearer: BearerId, direction: Direction, queue: &QueueKind) {
        if direction == Direction::Downlink && queue.wants_free_resources() {
            self.bearers.push(bearer);
        }
    }
}

impl Ran {
    /// Of the resource blocks in TTI `air` on the air, which is decided now, `free` will not be
    /// used. In those since the last decision none were.
    pub(super) fn tell_free(&mut self, c: usize, now: Time, air: u64, free: u16) {
        let cell = &mut self.cells[c];
        if cell.free.bearers.is_empty() || air <= cell.free.told {
            return;
        }
        let first = (cell.free.told + 1).max(air.saturating_sub(MOST_TTIS));
        let ttis = (first..=air).filter(|tti| cell.steps.serves(Purpose::DownlinkData, *tti));
        let carrier = f64::from(cell.config.resource_blocks);
        let share = 1.0 - (carrier - f64::from(free)) / (carrier * ttis.count().max(1) as f64);
        cell.free.told = air;
        for bearer in &cell.free.bearers {
            self.bearers[bearer.index()].set_free_resources(now, share);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use airpath_base::Duration;
    use airpath_base::random::Seed;
    use airpath_net::queue::{DropTail, Queue};
    use airpath_net::testing::Bench;
    use airpath_net::{Cx, Held, Node, Packet};

    use super::super::tests::{asking, config, in_tunnel};
    use super::*;
    use crate::config::QosFlow;

    /// Drop-tail that keeps what it is told.
    struct Told(DropTail, Arc<Mutex<Vec<(Time, f64)>>>);

    impl Queue for Told {
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
        let told = Arc::new(Mutex::new(Vec::new()));
        let queue = Told(DropTail::default(), Arc::clone(&told));
        let place = (BearerId(0), Direction::Downlink);
        let (bearer, direction) = place;
        let flow = QosFlow::first(bearer);
        ran.set_queue(flow, direction, QueueKind::Custom(Box::new(queue)));
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
        let told = told.lock().expect("one thread");
        // All resource blocks of one TTI in so many.
        assert_eq!(told[0], (Time::from_millis(10), 1.0 - 1.0 / (10 + ahead) as f64));
        assert_eq!(told[1], (Time::from_millis(11), 0.0));
        let last = told.iter().rposition(|(at, _)| *at < Time::from_millis(60)).expect("some");
        let idle = Time::from_millis(60).since(told[last].0).as_millis();
        assert_eq!(told[last + 1], (Time::from_millis(60), 1.0 - 1.0 / idle as f64));
        assert!(told[last].1 > 0.0, "the last packet does not fill a TTI");
    }
}
