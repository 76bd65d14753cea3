//! Handovers with a channel whose signals the tests write.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use airpath_base::random::Seed;
use airpath_base::rrc;
use airpath_base::{BearerId, CellId, Db, Dbm, Duration, NodeId, Port, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{
    Direction, DropCause, Event, Handover, HandoverCause, HandoverOutcome, Held, LegChange,
    MobilityProblem, Node, PathEvent, Probe, RadioEvent, SecondaryStay,
};

use crate::air::{Channel, Link, MeanLink, OnAir, Transmission};
use crate::config::{HandoverSetup, RanConfig};
use crate::handover::{
    Delay, Event as MeasurementEvent, EventConfig, HandoverConfig, NeighbourConfig, Offsets,
};
use crate::node::Ran;
use crate::pdcp::Reordering;
use crate::testing::{asking, in_tunnel, one_ue, packet};
use crate::{Promotion, RrcConfig};

mod admission;
mod balancing;
mod conditional;
mod daps;
mod drives;
mod frequencies;
mod legs;
mod resume;
mod secondaries;

/// RSRP of each UE and cell in dBm, and the cell of each UE, on a carrier with some of the cells. Noise is -120 dBm.
#[derive(Debug)]
struct Scripted {
    signals: Arc<Mutex<Signals>>,
    /// Cells of the carrier.
    cells: Range<usize>,
}

#[derive(Debug)]
struct Signals {
    rsrp: Vec<Vec<f64>>,
    serving: Vec<CellId>,
    /// Legs of UEs; empty without dual connectivity.
    legs: Vec<Option<CellId>>,
}

const NOISE: f64 = -120.0;
/// Path loss of an RSRP of 0 dBm.
const REFERENCE: f64 = 15.0;

impl Scripted {
    fn set(&self, ue: u32, rsrp: &[f64]) {
        self.signals.lock().expect("one thread").rsrp[ue as usize] = rsrp.to_vec();
    }

    fn ratio(&self, ue: UeId) -> f64 {
        let signals = self.signals.lock().expect("one thread");
        let (rsrp, own) = (&signals.rsrp[ue.index()], signals.serving[ue.index()].index());
        let leg = signals.legs.get(ue.index()).copied().flatten().map(CellId::index);
        let own = leg.filter(|leg| self.cells.contains(leg)).unwrap_or(own);
        let own = if self.cells.contains(&own) { own } else { self.cells.start };
        let others = self.cells.clone().filter(|n| *n != own).map(|n| Dbm(rsrp[n]).milliwatts());
        Dbm(rsrp[own]).milliwatts() / (others.sum::<f64>() + Dbm(NOISE).milliwatts())
    }
}

impl Channel for Scripted {
    fn expected_sinr(&self, ue: UeId, _: Direction) -> f64 {
        self.ratio(ue)
    }

    fn full_power(&self, _: UeId) -> f32 {
        25.0
    }

    fn power(&self, _: UeId, _: CellId, _: Direction, _: u16) -> f32 {
        1.0
    }

    fn sinr(&self, transmission: &Transmission, _: &OnAir, sinr: &mut Vec<f32>) {
        let ratio = self.ratio(transmission.ue) as f32;
        sinr.extend(transmission.allocation.blocks.iter().map(|_| ratio));
    }

    fn disturbance(&self, transmission: &Transmission, _: &OnAir, power: &mut Vec<f32>) {
        power.extend(transmission.allocation.blocks.iter().map(|_| 1.0));
    }

    fn against(&self, transmission: &Transmission, disturbance: &[f32], sinr: &mut Vec<f32>) {
        let ratio = self.ratio(transmission.ue) as f32;
        sinr.extend(disturbance.iter().map(|_| ratio));
    }

    fn mean_link(&self, ue: UeId, cell: CellId) -> Option<MeanLink> {
        let signals = self.signals.lock().expect("one thread");
        let rsrp = Dbm(signals.rsrp[ue.index()][self.cells.start + cell.index()]);
        let (noise, noise_at_cell) = (Dbm(NOISE), Dbm(-116.0));
        Some(MeanLink { rsrp, path_loss: Db(REFERENCE - rsrp.0), noise, noise_at_cell })
    }

    fn moves(&self, _: UeId) -> bool {
        true
    }
}

/// Handovers, candidates, drops by cause, blocks by cell, and the user plane.
#[derive(Default)]
struct Seen {
    handovers: Vec<Handover>,
    candidates: Vec<(UeId, CellId, bool)>,
    legs: Vec<LegChange>,
    /// Stays in secondary cells, in the order of their ends.
    stays: Vec<SecondaryStay>,
    /// Time and cell of each block received.
    decoded: Vec<(Time, CellId)>,
    drops: Vec<DropCause>,
    /// Copies made, withdrawn and needless.
    copies: [u64; 3],
    blocks: BTreeMap<CellId, u64>,
    /// UE, direction and TTI of each block.
    slots: Vec<(UeId, Direction, u64)>,
    /// UE, begin and end of gaps.
    gaps: Vec<(UeId, Time, Time)>,
    /// TEID, source, target and size of forwarded packets.
    forwarded: Vec<(u32, CellId, CellId, u32)>,
    /// Packets that were forwarded behind the end of a handover.
    behind: u64,
    /// Time, TEID, source and target of switched tunnels, and whether there is an end marker.
    switched: Vec<(Time, u32, CellId, CellId, bool)>,
    /// Time, TEID, source and target of end markers between cells.
    ended: Vec<(Time, u32, CellId, CellId)>,
    /// Times, UEs and cells of rejected connections.
    rejected: Vec<(Time, UeId, CellId)>,
    /// Times, cells and offsets of moves by load, and the loads.
    offsets: Vec<(Time, [CellId; 2], f64, [f64; 2])>,
}

impl Probe for Seen {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::BehindHandover { forwarded: true, .. } => self.behind += 1,
            Event::Path(PathEvent::Forwarded { teid, source, target, packet }) => {
                self.forwarded.push((*teid, *source, *target, packet.size));
            }
            Event::Path(PathEvent::Switched { teid, source, target, marked }) => {
                self.switched.push((now, *teid, *source, *target, *marked));
            }
            Event::Path(PathEvent::ForwardingEnds { teid, source, target }) => {
                self.ended.push((now, *teid, *source, *target));
            }
            Event::Handover(record) => self.handovers.push((*record).clone()),
            Event::Leg(change) => self.legs.push((*change).clone()),
            Event::Secondary(stay) => self.stays.push(**stay),
            Event::OffsetByLoad { cells, offset_db, loads } => {
                self.offsets.push((now, *cells, *offset_db, *loads));
            }
            Event::Candidate { ue, cell, kept } => self.candidates.push((*ue, *cell, *kept)),
            Event::Dropped { cause, .. } => self.drops.push(*cause),
            Event::Radio(RadioEvent::Rejected { ue, cell }) => {
                self.rejected.push((now, *ue, *cell));
            }
            Event::Radio(RadioEvent::Block { cell, ue, direction, slot, .. }) => {
                *self.blocks.entry(*cell).or_default() += 1;
                self.decoded.push((now, *cell));
                self.slots.push((*ue, *direction, *slot));
            }
            Event::Radio(RadioEvent::Copies { made, withdrawn, needless, .. }) => {
                let news = [made, withdrawn, needless].into_iter();
                self.copies.iter_mut().zip(news).for_each(|(sum, own)| *sum += own);
            }
            Event::Radio(RadioEvent::Gap { ue, begin, end, .. }) => {
                self.gaps.push((*ue, *begin, *end));
            }
            _ => {}
        }
    }
}

/// A3 with 1 dB and without time to trigger, exact measurements each 200 ms, a preparation of 50 ms.
fn exact() -> HandoverSetup {
    let mut handover = HandoverConfig::lte();
    handover.measurement.error = 0.0;
    handover.measurement.sample_period = Duration::from_millis(200);
    handover.measurement.filter_coefficient = 0;
    handover.events[0].hysteresis = 1.0;
    handover.events[0].time_to_trigger = Duration::ZERO;
    handover.procedure.preparation = Delay::Fixed(Duration::from_millis(50));
    handover.procedure.path_switch = Delay::Fixed(Duration::from_millis(20));
    HandoverSetup {
        handover,
        random_access: true,
        forwarding: Some(Duration::from_millis(5)),
        reselection_hysteresis: 4.0,
        reselection_time: Duration::from_secs(1),
    }
}

/// So many UEs in the first of so many cells, with acknowledged bearers or others.
fn network(
    (ues, cells): (u32, u16),
    qci: u8,
    mobility: HandoverSetup,
) -> (RanConfig, Arc<Scripted>) {
    let mut config = one_ue(qci, asking(), 1.0);
    config.cells[0].resource_blocks = 25;
    let serving = vec![CellId(0); ues as usize];
    let rsrp = vec![vec![-80.0; usize::from(cells)]; ues as usize];
    let signals = Arc::new(Mutex::new(Signals { rsrp, serving, legs: Vec::new() }));
    let channel = Arc::new(Scripted { signals, cells: 0..usize::from(cells) });
    config.cells = vec![config.cells[0].clone(); usize::from(cells)];
    let (ue, mut bearer) = (config.ues[0].clone(), config.bearers[0]);
    bearer.pdcp.reordering = Reordering::InOrder(None);
    (config.ues, config.bearers) = (Vec::new(), Vec::new());
    for n in 0..ues {
        let mut ue = ue.clone();
        (ue.link, ue.bearers) = (Link::Network(channel.clone()), vec![BearerId(n)]);
        ue.number = u64::from(n);
        (bearer.ue, bearer.teid) = (UeId(n), 7 + n);
        config.ues.push(ue);
        config.bearers.push(bearer);
    }
    config.handover = Some(mobility);
    (config, channel)
}

#[test]
fn a_value_out_of_its_range_is_refused() {
    let mut setup = exact();
    setup.handover.procedure.t304 = Duration::ZERO;
    let error = Ran::new(network((1, 2), 9, setup).0, Seed(9)).err().expect("a refusal");
    assert_eq!(error.to_string(), "handover: T304 must be above 0, to 60 s");
}

/// A network, and all that is known of it.
struct Lab {
    ran: Ran,
    channel: Arc<Scripted>,
    /// Channel of the carrier of secondary cells, if it has signals of its own.
    beside: Option<Arc<Scripted>>,
    bench: Bench,
    seen: Seen,
    sent: u64,
    left: BTreeMap<Port, Vec<u32>>,
    /// Times at which they left.
    times: BTreeMap<Port, Vec<Time>>,
}

impl Lab {
    fn new(size: (u32, u16), qci: u8, mobility: HandoverSetup) -> Lab {
        let (config, channel) = network(size, qci, mobility);
        Lab::of(config, channel)
    }

    fn of(config: RanConfig, channel: Arc<Scripted>) -> Lab {
        let ran = Ran::new(config, Seed(9)).expect("a network");
        let (bench, seen) = (Bench::new(), Seen::default());
        let (left, times) = (BTreeMap::new(), BTreeMap::new());
        Lab { ran, channel, beside: None, bench, seen, sent: 0, left, times }
    }

    fn run(&mut self, end: u64) {
        let end = Time::from_millis(end);
        while let Some(due) = self.ran.next_wake().filter(|due| *due <= end) {
            self.ran.wake(due, &mut self.bench.cx_watched(due, &mut self.seen));
            let serving = self.ran.serving.iter().map(|serving| serving.cell).collect();
            let legs = self.ran.legs.as_ref();
            let ues = 0..self.ran.serving.len() as u32;
            let legs = legs.map(|legs| ues.map(|n| legs.leg(UeId(n))).collect());
            let mut signals = self.channel.signals.lock().expect("one thread");
            (signals.serving, signals.legs) = (serving, legs.unwrap_or_default());
            drop(signals);
            if let Some(beside) = &self.beside {
                let cell = |n| self.ran.secondary_of(UeId(n), 0);
                let serving = &mut beside.signals.lock().expect("one thread").serving;
                let all = (0..).zip(serving.iter_mut());
                all.for_each(|(n, own)| *own = cell(n).unwrap_or(*own));
            }
            for (port, packet) in self.bench.sent() {
                self.left.entry(port).or_default().push(packet.size);
                self.times.entry(port).or_default().push(due);
            }
        }
        assert_eq!(self.ran.audit(), Ok(()));
    }

    /// Ends the run.
    fn end(&mut self) {
        self.ran.finish(Time::ZERO, &mut self.bench.cx_watched(Time::ZERO, &mut self.seen));
    }

    /// Packets to and from a UE, one each 4 ms, each a byte larger than the one before.
    fn feed(&mut self, ue: u32, from: u64, to: u64) {
        for ms in (from..to).step_by(4) {
            self.run(ms);
            let (now, size) = (Time::from_millis(ms), 100 + (self.sent / 2) as u32);
            let cx = &mut self.bench.cx_watched(now, &mut self.seen);
            self.ran.receive(now, Ran::CORE, in_tunnel(now, size, 7 + ue), cx);
            let cx = &mut self.bench.cx_watched(now, &mut self.seen);
            self.ran.receive(now, Ran::ue(UeId(ue)), packet(now, size), cx);
            self.sent += 2;
        }
        self.run(to);
    }

    /// Runs from a time on until 200 ms later, with the next sample; gives a time just behind the sample.
    fn reported(&mut self, from: u64) -> u64 {
        let next = |lab: &Lab| lab.ran.handovers.as_ref().expect("handovers").next_due();
        let at = next(self).since(Time::ZERO).as_nanos().div_ceil(4_000_000) * 4;
        self.feed(0, from, at.max(from));
        at.max(from)
    }

    fn sizes(&self, port: Port) -> Vec<u32> {
        self.left.get(&port).cloned().unwrap_or_default()
    }

    /// All packets are in the books.
    fn check_books(&self) {
        let left: usize = self.left.values().map(Vec::len).sum();
        let ended = left as u64 + self.seen.drops.len() as u64;
        assert_eq!(ended + self.ran.held().packets, self.sent);
    }
}

fn millis(from: Option<Time>, to: Option<Time>) -> f64 {
    (to.expect("a time") - from.expect("a time")).as_millis_f64()
}

#[test]
fn each_step_has_its_time_and_nothing_is_lost() {
    let mut lab = Lab::new((1, 2), 9, exact());
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-83.0, -80.0]);
    lab.feed(0, 400, 1_000);
    let [record] = &lab.seen.handovers.clone()[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.source, record.target), (CellId(0), CellId(1)));
    let end = (record.cause, record.outcome);
    assert_eq!(end, (HandoverCause::A3, HandoverOutcome::Success));
    assert_eq!(record.preambles, 1);
    // A sample each 200 ms.
    assert!((0.0..=200.0).contains(&millis(Some(Time::from_millis(400)), record.report)));
    assert_eq!(millis(record.report, record.command_sent), 50.0);
    // Two TTIs of preparation and one on the air; 15 ms (TS 36.331, 11.2).
    assert_eq!(millis(record.command_sent, record.command_received), 3.0);
    assert_eq!(millis(record.command_received, record.access), 15.0);
    // At most 10 ms to the occasion; 1 + 2 + 1 ms to the response, 5 ms, and 1 ms for message 3.
    let access = millis(record.access, record.completed);
    assert!((10.0..20.0).contains(&access), "{access}");
    assert_eq!(millis(record.completed, record.path_switched), 20.0);
    // 3 dB between the cells, and noise far below them.
    let [before, after] = record.geometry_db.map(|db| db.expect("a ratio"));
    assert!((before + 3.0).abs() < 0.01 && (after - 3.0).abs() < 0.01, "{before} {after}");
    lab.run(5_000);
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    let all: Vec<u32> = (100..350).collect();
    assert_eq!(lab.sizes(Ran::ue(UeId(0))), all);
    assert_eq!(lab.sizes(Ran::CORE), all);
    // The target carries what comes after.
    assert!(lab.seen.blocks[&CellId(0)] > 50 && lab.seen.blocks[&CellId(1)] > 50);
    // 25 to 35 ms without a cell: one packet each 4 ms. Up to three more were on the air, within 12 ms.
    let waited = millis(record.command_received, record.completed) / 4.0;
    let on_air = record.forwarded as f64 - waited;
    assert!((-1.0..=4.0).contains(&on_air), "{record:?}");
    // Packets that the source has, those that come, and those of 20 ms until the path is switched, in order.
    let [from, to] = [record.source, record.target];
    let sizes: Vec<u32> = lab.seen.forwarded.iter().map(|(.., size)| *size).collect();
    let all: Vec<u32> = (sizes[0]..sizes[0] + sizes.len() as u32).collect();
    assert_eq!(sizes, all);
    assert_eq!((sizes.len() as u64, lab.seen.behind), (record.forwarded + 5, 5));
    assert!(lab.seen.forwarded.iter().all(|(teid, a, b, _)| (*teid, *a, *b) == (7, from, to)));
    let at = record.path_switched.expect("a switched path");
    assert_eq!(lab.seen.switched, [(at, 7, from, to, true)]);
    assert_eq!(lab.seen.ended, [(at, 7, from, to)]);
}

#[test]
fn cell_individual_offsets_are_those_of_the_serving_cell() {
    // A3 enters where Mn + Ocn - 1 dB > Mp + Ocp: cells at one level need more than 1 dB.
    let targets = |offsets: [[f64; 3]; 3]| -> Vec<CellId> {
        let mut mobility = exact();
        let by_cell = |cell: [f64; 3]| Offsets { cell: cell.to_vec(), frequency: Vec::new() };
        mobility.handover.offsets = offsets.map(by_cell).to_vec();
        let mut lab = Lab::new((1, 3), 9, mobility);
        lab.run(2_000);
        lab.seen.handovers.iter().map(|record| record.target).collect()
    };
    let none = [0.0; 3];
    assert_eq!(targets([none; 3]), []);
    assert_eq!(targets([[0.0, 1.0, 0.9], none, none]), []);
    assert_eq!(targets([[0.0, 0.9, 1.1], none, none]), [CellId(2)]);
    // Ocp keeps the UE.
    assert_eq!(targets([[0.2, 0.9, 1.1], none, none]), []);
    // From cell 1 on to cell 2 by the offset that cell 1 has for it.
    assert_eq!(targets([[0.0, 1.1, 0.0], [0.0, 0.0, 1.1], none]), [CellId(1), CellId(2)]);
}

/// Exact measurements, with neighbours measured as `own` has it, without hysteresis and time to trigger.
fn beginning(own: NeighbourConfig) -> HandoverSetup {
    let mut mobility = exact();
    mobility.handover.neighbours = own;
    mobility
}

fn serving_event(event: MeasurementEvent) -> Option<EventConfig> {
    let time_to_trigger = Duration::ZERO;
    Some(EventConfig { event, hysteresis: 0.0, time_to_trigger, ..EventConfig::A3 })
}

#[test]
fn neighbours_count_from_a2_on() {
    let begin = serving_event(MeasurementEvent::A2 { threshold: -95.0 });
    let with = NeighbourConfig { begin, ..NeighbourConfig::default() };
    let reports = |own: NeighbourConfig, serving: f64| -> Vec<Time> {
        let mut lab = Lab::new((1, 2), 9, beginning(own));
        lab.channel.set(0, &[-80.0, -90.0]);
        lab.run(400);
        lab.channel.set(0, &[serving, serving + 3.0]);
        lab.run(2_000);
        lab.seen.handovers.iter().filter_map(|record| record.report).collect()
    };
    assert_eq!(reports(with.clone(), -94.9), []);
    // The sample that reports A2; then 3 ms to the UE and 15 ms of processing, and the sample of the next 200 ms.
    let at_once = reports(NeighbourConfig::default(), -95.1);
    assert_eq!(reports(with, -95.1), [at_once[0] + Duration::from_millis(200)]);
}

#[test]
fn a1_ends_what_a2_began() {
    let begin = serving_event(MeasurementEvent::A2 { threshold: -95.0 });
    let targets = |end: Option<EventConfig>| -> Vec<CellId> {
        let own = NeighbourConfig { begin, end, s_measure: None };
        let mut lab = Lab::new((1, 2), 9, beginning(own));
        // A2 alone; then A1 at -85 dBm; then a neighbour that is better.
        for (n, levels) in [[-97.0, -99.0], [-85.0, -99.0], [-85.0, -82.0]].iter().enumerate() {
            lab.channel.set(0, levels);
            lab.run(600 * (n as u64 + 1));
        }
        lab.seen.handovers.iter().map(|record| record.target).collect()
    };
    assert_eq!(targets(None), [CellId(1)]);
    assert_eq!(targets(serving_event(MeasurementEvent::A1 { threshold: -84.9 })), [CellId(1)]);
    assert_eq!(targets(serving_event(MeasurementEvent::A1 { threshold: -85.1 })), []);
}

#[test]
fn s_measure_bounds_the_serving_cell() {
    let targets = |serving: f64| -> Vec<CellId> {
        let own = NeighbourConfig { s_measure: Some(-95.0), ..NeighbourConfig::default() };
        let mut lab = Lab::new((1, 2), 9, beginning(own));
        lab.channel.set(0, &[serving, serving + 3.0]);
        lab.run(2_000);
        lab.seen.handovers.iter().map(|record| record.target).collect()
    };
    assert_eq!((targets(-95.0), targets(-95.1)), (vec![], vec![CellId(1)]));
}

#[test]
fn without_forwarding_the_source_keeps_nothing() {
    let mobility = HandoverSetup { forwarding: None, ..exact() };
    let mut lab = Lab::new((1, 2), 7, mobility);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-81.5, -80.0]);
    lab.feed(0, 400, 1_000);
    lab.run(5_000);
    lab.check_books();
    let lost = lab.seen.drops.iter().filter(|cause| **cause == DropCause::Handover).count();
    // One downlink packet each 4 ms from the command to the switched path: 45 to 55 ms.
    assert!((10..=16).contains(&lost), "{lost}");
    assert_eq!(lost, lab.seen.drops.len());
    let down = lab.sizes(Ran::ue(UeId(0)));
    assert!(down.is_sorted(), "{down:?}");
    // Uplink, UM loses at most what HARQ had on the air.
    let up = lab.sizes(Ran::CORE).len();
    assert!(up >= 246 && down.len() + up == 500 - lost, "{} {up}", down.len());
}

/// A UE that reports at these levels. Before its command the source fades to -30 dB.
fn faded(mobility: HandoverSetup, levels: [f64; 2]) -> Lab {
    let mut lab = Lab::new((1, 2), 9, mobility);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &levels);
    let report = lab.reported(400);
    lab.feed(0, report, report + 20);
    lab.channel.set(0, &[-110.0, -80.0]);
    lab.feed(0, report + 20, 1_500);
    lab.run(8_000);
    lab
}

#[test]
fn a_lost_command_leads_to_reestablishment() {
    let lab = faded(exact(), [-83.0, -80.0]);
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!(record.outcome, HandoverOutcome::CommandLost);
    assert_eq!(record.problem, Some(MobilityProblem::TooLate));
    assert_eq!((record.target, record.command_received), (CellId(1), None));
    assert!(record.failed > record.command_sent && record.completed > record.failed);
    assert_eq!(lab.ran.held(), Held::default());
    lab.check_books();
    // The source has kept all packets since the loss, one each 4 ms, and forwards them to the cell that asks.
    let kept = millis(record.failed, record.completed) / 4.0;
    assert!(record.forwarded as f64 >= kept.floor(), "{record:?} {kept}");
    assert_eq!(lab.seen.forwarded.len() as u64, record.forwarded + lab.seen.behind);
    assert!(lab.seen.forwarded.iter().all(|one| (one.1, one.2) == (CellId(0), CellId(1))));
}

#[test]
fn a_target_that_hears_no_preamble_ends_in_t304() {
    let mut mobility = exact();
    mobility.handover.procedure.t304 = Duration::from_millis(200);
    // No preamble reaches the target.
    mobility.handover.access.max_power = Dbm(-100.0);
    let mut lab = Lab::new((1, 2), 9, mobility);
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 0, 400);
    lab.channel.set(0, &[-83.0, -80.0]);
    let report = lab.reported(400);
    // 50 ms, 3 ms and 200 ms of T304 lie before its failure.
    lab.feed(0, report, report + 160);
    lab.channel.set(0, &[-80.0, -110.0]);
    lab.feed(0, report + 160, 1_500);
    lab.run(5_000);
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!(record.outcome, HandoverOutcome::T304Expired);
    assert_eq!(record.problem, Some(MobilityProblem::TooEarly), "back in the source");
    assert_eq!((record.target, record.reached), (CellId(1), Some(CellId(0))));
    assert_eq!(record.path_switched, None, "the path is still that of the source");
    assert_eq!(millis(record.command_received, record.failed), 200.0);
    // 50 ms + 100 ms + 15 ms (TS 36.133, 6.1.2.1).
    assert_eq!(millis(record.failed, record.completed), 165.0);
    assert!(record.preambles > 1);
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
    assert_eq!((lab.seen.switched.len(), lab.seen.ended.len()), (0, 0));
}

#[test]
fn colliding_preambles_cost_another() {
    let mut mobility = exact();
    // Three preambles for contention, and exact measurements at the same time in both UEs.
    mobility.handover.access.dedicated = false;
    mobility.handover.access.preambles = 3;
    mobility.handover.measurement.sample_period = Duration::from_millis(10);
    let mut lab = Lab::new((12, 2), 9, mobility);
    for ue in 0..12 {
        lab.channel.set(ue, &[-80.0, -90.0]);
    }
    lab.run(300);
    for ue in 0..12 {
        lab.channel.set(ue, &[-83.0, -80.0]);
    }
    lab.run(3_000);
    assert_eq!(lab.seen.handovers.len(), 12);
    let collided = lab.seen.handovers.iter().filter(|record| record.preambles > 1);
    for record in collided.clone() {
        // 48 ms until the timer expires, behind 10 ms of the first preamble.
        assert!(millis(record.access, record.completed) > 58.0, "{record:?}");
    }
    assert!(collided.count() >= 2);
}

#[test]
fn an_idle_ue_goes_to_the_cell_that_ranks_higher() {
    let (mut config, channel) = network((1, 2), 9, exact());
    config.ues[0].rrc = Some(RrcConfig {
        states: rrc::Config { drx: None, ..rrc::Config::MOBISYS_2012 },
        connected: false,
        promotion: Promotion::Fixed(Duration::from_millis(100)),
        draws: Seed(1).stream("promotion"),
        resume: None,
    });
    channel.set(0, &[-95.0, -85.0]);
    let mut lab = Lab::of(config, channel);
    lab.run(3_000);
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!((record.cause, record.target), (HandoverCause::Reselection, CellId(1)));
    lab.feed(0, 3_000, 3_100);
    lab.run(10_000);
    assert_eq!(lab.ran.held(), Held::default());
    assert!(lab.seen.blocks.keys().all(|cell| *cell == CellId(1)));
    // An idle UE has no tunnel that would end.
    let [(_, teid, source, target, marked)] = lab.seen.switched[..] else {
        panic!("{:?}", lab.seen.switched)
    };
    assert_eq!((teid, source, target, marked), (7, CellId(0), CellId(1), false));
    assert_eq!((lab.seen.ended.len(), lab.seen.forwarded.len()), (0, 0));
    assert_eq!(lab.sizes(Ran::ue(UeId(0))), (100..125).collect::<Vec<u32>>());
}
