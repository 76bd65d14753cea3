//! Handovers step by step: packets of the books, by RLC mode and with and without forwarding.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId, Duration, Port, Time, UeId};
use airpath_net::testing::{Bench, Drops};
use airpath_net::{DropCause, Held, Node, Packet, Stage};

use super::Ran;
use crate::config::{HandoverSetup, RanConfig};
use crate::handover::HandoverConfig;
use crate::pdcp::Reordering;
use crate::rlc::{Mode, nr};
use crate::testing::{asking, in_tunnel, one_ue, packet};

const UE: UeId = UeId(0);
const AT: u64 = 200;
/// Duration of a handover in milliseconds.
const LASTS: u64 = 30;

/// RLC modes, with and without acknowledgements.
fn modes() -> [(Mode, bool); 4] {
    let (um, am) = (one_ue(7, asking(), 1.0), one_ue(9, asking(), 1.0));
    let [Mode::Um(um), Mode::Am(am)] = [um, am].map(|config| config.bearers[0].rlc.mode) else {
        unreachable!("QCI 7 is unacknowledged, QCI 9 is not")
    };
    let nr_um = nr::um::Config::default();
    [
        (Mode::Um(um), false),
        (Mode::Am(am), true),
        (Mode::NrUm(nr_um), false),
        (Mode::NrAm(am, nr::SnLength::Twelve), true),
    ]
}

/// Two cells that are alike, the UE in the first and another in the second.
fn two_cells(mode: Mode) -> RanConfig {
    let mut network = one_ue(9, asking(), 0.6);
    network.bearers[0].rlc.mode = mode;
    // A long backlog is no reason to give packets up.
    network.bearers[0].pdcp.reordering = Reordering::InOrder(None);
    network.cells.push(network.cells[0].clone());
    let (mut ue, mut bearer) = (network.ues[0].clone(), network.bearers[0]);
    ue.cell = CellId(1);
    ue.bearers = vec![BearerId(1)];
    (bearer.ue, bearer.teid) = (UeId(1), 8);
    network.ues.push(ue);
    network.bearers.push(bearer);
    // Fixed links have no measurements: the tests begin and end handovers themselves.
    network.handover = Some(mobility());
    network
}

fn mobility() -> HandoverSetup {
    HandoverSetup {
        handover: HandoverConfig::lte(),
        random_access: true,
        forwarding: Some(Duration::from_millis(5)),
        reselection_hysteresis: 4.0,
        reselection_time: Duration::from_secs(1),
    }
}

/// A network and all that has left it.
struct Lab {
    ran: Ran,
    bench: Bench,
    drops: Drops,
    left: BTreeMap<Port, Vec<(Time, Packet)>>,
}

impl Lab {
    fn new(mode: Mode) -> Lab {
        let ran = Ran::new(two_cells(mode), Seed(3)).expect("a network");
        Lab { ran, bench: Bench::new(), drops: Drops::default(), left: BTreeMap::new() }
    }

    fn run(&mut self, end: u64) {
        let end = Time::from_millis(end);
        while let Some(due) = self.ran.next_wake().filter(|due| *due <= end) {
            self.ran.wake(due, &mut self.bench.cx_watched(due, &mut self.drops));
            self.collect(due);
        }
    }

    fn collect(&mut self, now: Time) {
        for (port, packet) in self.bench.sent() {
            self.left.entry(port).or_default().push((now, packet));
        }
        assert_eq!(self.ran.audit(), Ok(()));
    }

    /// Packets of rising sizes from a time on, one each 2 ms and direction.
    fn feed(&mut self, from: u64, count: u64) {
        for n in 0..count {
            self.run(from + 2 * n);
            let (now, size) = (Time::from_millis(from + 2 * n), 100 + (from / 2 + n) as u32);
            let down = in_tunnel(now, size, 7);
            self.ran.receive(
                now,
                Ran::CORE,
                down,
                &mut self.bench.cx_watched(now, &mut self.drops),
            );
            let up = packet(now, size);
            self.ran.receive(
                now,
                Ran::ue(UE),
                up,
                &mut self.bench.cx_watched(now, &mut self.drops),
            );
        }
    }

    fn begin(&mut self, at: u64) {
        let now = Time::from_millis(at);
        self.ran.begin_handover(now, UE, &mut self.bench.cx_watched(now, &mut self.drops));
        self.collect(now);
    }

    fn complete(&mut self, at: u64, target: u16, forwarding: bool) {
        let now = Time::from_millis(at);
        let cx = &mut self.bench.cx_watched(now, &mut self.drops);
        self.ran.move_ue(now, (UE, CellId(target)), (Stage::Handover, forwarding), cx);
        self.collect(now);
    }

    fn sizes(&self, port: Port) -> Vec<u32> {
        let of = |(_, packet): &(Time, Packet)| packet.size;
        self.left.get(&port).map_or(Vec::new(), |left| left.iter().map(of).collect())
    }
}

/// A handover while packets wait, and the packets that follow it.
fn handed_over(mode: Mode, forwarding: bool) -> (Lab, Held) {
    let mut lab = Lab::new(mode);
    lab.feed(0, AT / 2);
    lab.run(AT);
    lab.begin(AT);
    lab.feed(AT, LASTS / 2);
    lab.run(AT + LASTS);
    let waiting = lab.ran.held();
    lab.complete(AT + LASTS, 1, forwarding);
    lab.feed(AT + LASTS, 50);
    lab.run(30_000);
    assert_eq!(lab.ran.held(), Held::default());
    (lab, waiting)
}

#[test]
fn acknowledged_mode_loses_nothing_with_forwarding() {
    for (mode, _) in modes().into_iter().filter(|(_, acknowledged)| *acknowledged) {
        let (lab, waiting) = handed_over(mode, true);
        assert!(waiting.packets > 40, "{waiting:?}");
        let all: Vec<u32> = (0..(AT + LASTS) as u32 / 2 + 50).map(|n| 100 + n).collect();
        assert_eq!(lab.drops.0, []);
        assert_eq!(lab.sizes(Ran::ue(UE)), all, "downlink, in order");
        assert_eq!(lab.sizes(Ran::CORE), all, "uplink, in order");
    }
}

#[test]
fn the_downlink_of_the_source_cell_is_lost_without_forwarding() {
    for (mode, _) in modes() {
        let (lab, _) = handed_over(mode, false);
        let lost = lab.drops.0.iter().filter(|cause| **cause == DropCause::Handover).count();
        let (down, up) = (lab.sizes(Ran::ue(UE)), lab.sizes(Ran::CORE));
        let sent = (AT + LASTS) as usize / 2 + 50;
        assert_eq!(lab.drops.0.len() + down.len() + up.len(), 2 * sent, "the books");
        assert!(lost > 10, "{lost} lost");
        // Those that came to the source cell during the handover are lost, those after its end are not.
        let during = 100 + AT as u32 / 2..100 + (AT + LASTS) as u32 / 2;
        assert!(!down.iter().any(|size| during.contains(size)));
        let after: Vec<u32> = (during.end..during.end + 50).collect();
        assert_eq!(down[down.len() - 50..], after);
    }
}

#[test]
fn unacknowledged_mode_loses_no_more_with_forwarding_than_what_rlc_had() {
    for (mode, _) in modes().into_iter().filter(|(_, acknowledged)| !*acknowledged) {
        let (lab, waiting) = handed_over(mode, true);
        let lost = lab.drops.0.iter().filter(|cause| **cause == DropCause::Handover).count();
        // On the air and partly sent, in either direction: HARQ has 8 processes.
        assert!(lost <= 2 * 8 * 3 && (lost as u64) < waiting.packets / 2, "{lost} {waiting:?}");
        let during = 100 + AT as u32 / 2..100 + (AT + LASTS) as u32 / 2;
        let arrived = lab.sizes(Ran::ue(UE));
        assert_eq!(arrived.iter().filter(|size| during.contains(size)).count(), LASTS as usize / 2);
    }
}

#[test]
fn packets_wait_in_the_stage_of_handovers() {
    for (mode, _) in modes() {
        let (lab, _) = handed_over(mode, true);
        let down = &lab.left[&Ran::ue(UE)];
        let all = down.iter().map(|(_, packet)| packet);
        for packet in all {
            let (born, spent) = (packet.born(), packet.stages.spent(Stage::Handover));
            let (begin, end) = (Time::from_millis(AT), Time::from_millis(AT + LASTS));
            let whole = Duration::from_millis(LASTS);
            match born {
                born if born >= end => assert_eq!(spent, Duration::ZERO),
                born if born >= begin => assert_eq!(spent, end - born),
                _ => assert!(spent == Duration::ZERO || spent == whole, "{spent}"),
            }
        }
        let waited = |(_, packet): &&(Time, Packet)| {
            packet.stages.spent(Stage::Handover) == Duration::from_millis(LASTS)
        };
        assert!(down.iter().filter(waited).count() > 10);
    }
}

#[test]
fn a_ue_comes_and_goes() {
    for (mode, acknowledged) in modes() {
        let mut lab = Lab::new(mode);
        for n in 0..20 {
            lab.feed(100 * n, 30);
            lab.begin(100 * n + 61);
            lab.run(100 * n + 63 + n);
            lab.complete(100 * n + 63 + n, (n % 2 == 0).into(), true);
            lab.run(100 * n + 99);
        }
        lab.run(60_000);
        assert_eq!(lab.ran.held(), Held::default());
        let lost = lab.drops.0.len();
        assert!(!acknowledged || lost == 0, "{:?}", lab.drops);
        assert_eq!(lost + lab.sizes(Ran::ue(UE)).len() + lab.sizes(Ran::CORE).len(), 2 * 600);
    }
}
