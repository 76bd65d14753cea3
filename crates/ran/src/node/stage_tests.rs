//! The number of threads decides nothing: links that are fixed, and cells that are few.

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId, Duration, NodeId, Time, UeId};
use airpath_net::queue::{Ramp, RampConfig};
use airpath_net::testing::Bench;
use airpath_net::{Event, Node, Probe};
use airpath_wire::Ecn;
use proptest::prelude::*;

use super::super::Ran;
use super::super::tests::{asking, config, in_tunnel, packet};
use crate::air::Link;
use crate::config::{Access, RanConfig};

const TTI: Duration = Duration::from_millis(1);

/// All events in their order.
#[derive(Default)]
struct Events(Vec<String>);

impl Probe for Events {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        self.0.push(format!("{now} {event:?}"));
    }
}

/// A network that is drawn, and its packets.
#[derive(Clone, Debug)]
struct Drawn {
    /// UEs of each cell, each with its SNR as a factor.
    cells: Vec<Vec<f64>>,
    access: Access,
    /// Share of new blocks that fail, and transmissions of a block.
    error: (Option<f64>, u8),
    /// Milliseconds that a packet may wait.
    discard: Option<u64>,
    /// Milliseconds between arrivals, a UE, and bytes.
    arrivals: Vec<(u64, u32, u32)>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let ues = prop::collection::vec(prop::sample::select(vec![0.3, 1.0, 4.0, 100.0]), 0..4);
    let access = prop::sample::select(vec![
        asking(),
        Access::Configured { period: 10, resource_blocks: 1 },
        Access::Instant,
        Access::Reported { period: TTI * 5 },
    ]);
    let error = prop::sample::select(vec![(None, 4), (Some(0.5), 2), (Some(0.2), 1)]);
    let discard = prop::sample::select(vec![None, Some(20)]);
    let arrivals = prop::collection::vec((0u64..3, 0u32..40, 40u32..1_500), 1..200);
    (prop::collection::vec(ues, 1..10), access, error, discard, arrivals).prop_map(
        |(cells, access, error, discard, arrivals)| Drawn {
            cells,
            access,
            error,
            discard,
            arrivals,
        },
    )
}

/// The network, with so many UEs.
fn network(drawn: &Drawn) -> (RanConfig, u32) {
    let mut network = config(9, drawn.access, 1.0);
    let (mut cell, ue, bearer) =
        (network.cells[0].clone(), network.ues[0].clone(), network.bearers[0]);
    (cell.first_error, cell.max_transmissions) = drawn.error;
    network.cells = vec![cell; drawn.cells.len()];
    network.ues.clear();
    network.bearers.clear();
    let of = |(cell, snrs): (u16, &Vec<f64>)| snrs.iter().map(move |snr| (cell, *snr)).collect();
    let ues: Vec<(u16, f64)> = (0..).zip(&drawn.cells).flat_map::<Vec<_>, _>(of).collect();
    for (n, (cell, snr)) in (0..).zip(ues) {
        let (mut ue, mut bearer) = (ue.clone(), bearer);
        (ue.cell, ue.link, ue.number) = (CellId(cell), Link::fixed(snr, snr), u64::from(n));
        (ue.bearers, ue.offset) = (vec![BearerId(n)], u64::from(n) % 5);
        (bearer.ue, bearer.teid) = (UeId(n), 100 + n);
        bearer.pdcp.discard_timer = drawn.discard.map(Duration::from_millis);
        network.ues.push(ue);
        network.bearers.push(bearer);
    }
    let ues = network.ues.len() as u32;
    (network, ues)
}

/// Events on so many threads, packets that leave, and the books.
fn carried(drawn: &Drawn, threads: usize) -> (Vec<String>, Vec<String>) {
    let (config, ues) = network(drawn);
    let mut ran = Ran::new(config, Seed(3)).expect("a network");
    ran.set_threads(threads);
    if let Some(team) = &mut ran.team {
        team.least_work = 2; // any work of two cells is shared
    }
    for bearer in (0..ues).map(BearerId) {
        let ramp = RampConfig { low: TTI, high: TTI * 30, ..RampConfig::default() };
        ran.set_uplink_marker(bearer, Ramp::new(ramp, Seed(1).stream("marks")));
    }
    let (mut bench, mut events, mut left) = (Bench::new(), Events::default(), Vec::new());
    let mut now = Time::ZERO;
    let last = (5_000, 0, 40);
    for &(gap, ue, size) in drawn.arrivals.iter().chain([&last]) {
        now += Duration::from_millis(gap);
        while let Some(due) = ran.next_wake().filter(|&due| due <= now) {
            ran.wake(due, &mut bench.cx_watched(due, &mut events));
            left.extend(bench.sent().iter().map(|sent| format!("{due} {sent:?}")));
        }
        if ues > 0 {
            let (ue, cx) = (ue % ues, &mut bench.cx_watched(now, &mut events));
            ran.receive(now, Ran::CORE, in_tunnel(now, size, 100 + ue), cx);
            let mut up = packet(now, size);
            up.ecn = Ecn::Ect1;
            ran.receive(now, Ran::ue(UeId(ue)), up, cx);
        }
    }
    assert_eq!(ran.audit(), Ok(()));
    left.push(format!("{:?} {:?}", bench.ledger(), ran.held()));
    (events.0, left)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    #[test]
    fn the_number_of_threads_decides_nothing(drawn in drawn()) {
        let expected = carried(&drawn, 1);
        for threads in [2, 3, 8] {
            prop_assert!(carried(&drawn, threads) == expected, "{threads} threads");
        }
    }
}
