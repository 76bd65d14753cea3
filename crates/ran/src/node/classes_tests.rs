//! Classes of traffic that a scheduler sees of a UE with several bearers.

use std::sync::{Arc, Mutex};

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId};
use airpath_net::Node;
use airpath_net::testing::Bench;

use super::super::tests::{asking, config, in_tunnel};
use super::*;
use crate::Ran;
use crate::config::CellConfig;
use crate::mac::{Grants, TrafficClass};

/// A TTI, the classes that wait, how long the second and all have waited, and what is
/// guaranteed, in kbit/s.
type Seen = (u64, TrafficClasses, Option<Duration>, Option<Duration>, u64);

/// Serves all, and notes the TTI.
struct Notes(Arc<Mutex<Vec<Seen>>>);

fn class(number: u8) -> TrafficClasses {
    TrafficClasses::of(TrafficClass::new(number).expect("a class"))
}

impl Scheduler for Notes {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let candidate = &slot.candidates[0];
        let [second, all] = [class(1), TrafficClasses::ALL].map(|of| candidate.waited(of));
        let guaranteed = candidate.guaranteed.as_bps() / 1_000;
        let seen = (slot.tti, candidate.traffic, second, all, guaranteed);
        self.0.lock().expect("one thread").push(seen);
        if slot.tti >= 20 {
            grants.give(candidate, grants.free());
        }
    }
}

#[test]
fn the_oldest_packet_of_a_class() {
    // QCI 1 has a guaranteed rate, here 64 kbit/s; the second bearer is of QCI 9.
    let mut config = config(1, asking(), 1e9);
    let second = crate::qci::characteristics(9).expect("a QCI").bearer(None);
    let mut other = config.bearers[0];
    (other.teid, other.channel, other.rlc, other.pdcp) =
        (8, second.channel, second.rlc, second.pdcp);
    other.channel.traffic_class = TrafficClass::new(1).expect("a class");
    config.bearers.push(other);
    config.ues[0].bearers.push(BearerId(1));
    let notes = Arc::new(Mutex::new(Vec::new()));
    let make =
        |_: CellId, _: &CellConfig| -> Box<dyn Scheduler> { Box::new(Notes(Arc::clone(&notes))) };
    let mut ran = Ran::with_scheduler(config, Seed(1), &make).expect("a network");
    let mut bench = Bench::new();
    // A packet of each bearer at 3 ms and at 7 ms, and again later, when those have gone.
    for (at, teid) in [(3, 7), (7, 8), (50, 8)] {
        let now = Time::from_millis(at);
        while let Some(due) = ran.next_wake().filter(|&due| due < now) {
            ran.wake(due, &mut bench.cx(due));
        }
        ran.receive(now, Ran::CORE, in_tunnel(now, 50, teid), &mut bench.cx(now));
    }
    let end = Time::from_millis(60);
    while let Some(due) = ran.next_wake().filter(|&due| due < end) {
        ran.wake(due, &mut bench.cx(due));
    }
    let seen = notes.lock().expect("one thread").clone();
    let at = |tti: u64| *seen.iter().find(|(of, ..)| *of == tti).expect("a candidate");
    let ms = |n| Some(Duration::from_millis(n));
    assert_eq!(at(6), (6, class(0), None, ms(3), 64));
    assert_eq!(at(9), (9, class(0).with(class(1)), ms(2), ms(6), 64));
    assert_eq!(at(50), (50, class(1), ms(0), ms(0), 0));
}
