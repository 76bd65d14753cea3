use airpath_base::random::Seed;
use airpath_base::{BearerId, BitRate, Db, Duration, FlowId, NodeId, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{AppEvent, Direction, Event, Node, Probe, RadioEvent};

use super::super::tests::{asking, config, in_tunnel};
use crate::Ran;
use crate::air::Link;
use crate::config::{
    Access, Allocation, CellConfig, DownlinkPlacement, FullBuffer, RanConfig, SchedulerConfig,
    Sharing,
};
use crate::phy::McsTable::Qam64;
use crate::phy::tables::block_bytes;
use crate::qci::LogicalChannel;
use crate::rlc;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;
/// Of RLC and MAC in a block downlink: 2 bytes of fixed header (TS 36.322, 6.2.1), 1 of the
/// only subheader (TS 36.321, 6.1.2).
const HEADERS: u64 = 2 + 1;
/// Of a buffer status report: its byte and its subheader.
const REPORT: u64 = 2;

/// Bytes that arrived of each flow, and in blocks of each UE and direction.
#[derive(Default)]
pub(in super::super) struct Arrived {
    pub flows: Vec<u64>,
    blocks: Vec<[u64; 2]>,
    pub started: Vec<Time>,
    /// Time at which the last block was decoded.
    last: Time,
}

impl Arrived {
    pub fn new(ues: usize) -> Arrived {
        let (flows, blocks) = (vec![0; 2 * ues], vec![[0; 2]; ues]);
        Arrived { flows, blocks, ..Arrived::default() }
    }
}

impl Probe for Arrived {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match *event {
            Event::App(flow, AppEvent::Delivered { bytes }) => self.flows[flow.index()] += bytes,
            Event::App(_, AppEvent::Started) => self.started.push(now),
            Event::Radio(RadioEvent::Block { ue, direction, bytes, decoded: true, .. }) => {
                self.blocks[ue.index()][direction as usize] += u64::from(bytes);
                self.last = now;
            }
            _ => {}
        }
    }
}

/// Full buffers of one UE for each of these links (linear SNR downlink and uplink) from the
/// beginning: downlink flows 0, 2, ..., uplink 1, 3, ...
pub(in super::super) fn full(
    links: &[[f64; 2]],
    change: impl FnOnce(&mut CellConfig),
) -> RanConfig {
    let mut network = config(9, asking(), 1.0);
    let cell = &mut network.cells[0];
    (cell.resource_blocks, cell.first_error) = (50, Some(0.0));
    change(cell);
    let (ue, bearer) = (network.ues.remove(0), network.bearers.remove(0));
    for (n, &[downlink, uplink]) in (0u32..).zip(links) {
        let (mut ue, mut bearer) = (ue.clone(), bearer);
        ue.link = Link::fixed(downlink, uplink);
        (ue.bearers, ue.offset) = (vec![BearerId(n)], u64::from(n % 5));
        (bearer.ue, bearer.teid) = (UeId(n), n);
        bearer.full_buffers = [0, 1].map(|way| {
            Some(FullBuffer { flow: FlowId(2 * n + way), start: Time::ZERO, stop: None })
        });
        network.ues.push(ue);
        network.bearers.push(bearer);
    }
    network
}

/// Runs until `end` and gives what arrived between `from` and then.
fn carry(config: RanConfig, from: Time, end: Time) -> Arrived {
    let ues = config.ues.len();
    let mut ran = Ran::new(config, Seed(5)).expect("a network");
    let (mut bench, mut before, mut arrived) = (Bench::new(), Arrived::new(ues), Arrived::new(ues));
    while let Some(due) = ran.next_wake().filter(|&due| due <= end) {
        let probe = if due <= from { &mut before } else { &mut arrived };
        ran.wake(due, &mut bench.cx_watched(due, probe));
    }
    assert_eq!(ran.audit(), Ok(()));
    assert_eq!(ran.held().packets, 0);
    arrived
}

const fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

#[test]
fn one_user_has_the_rate_of_the_tables() {
    // TS 36.213, table 7.1.7.2.1-1: I_TBS 26 (MCS 28 in both directions), 50 resource blocks.
    let block = 36_696 / 8;
    let arrived = carry(full(&[[1e9; 2]], |_| {}), ms(500), ms(1_500));
    assert_eq!(arrived.flows, [block - HEADERS, block - HEADERS - REPORT].map(|b| 1_000 * b));
    // Decided in TTI 0, on the air in TTI 2, received at 3 ms.
    let arrived = carry(full(&[[1e9; 2]], |_| {}), Time::ZERO, ms(1_000));
    assert_eq!(arrived.flows[0], 998 * (block - HEADERS));
    // Up to the code rate that a UE has to decode downlink: MCS 27, I_TBS 25.
    let limited = |cell: &mut CellConfig| cell.adaptation.code_rate_limit = Some(0.93);
    let arrived = carry(full(&[[1e9; 2]], limited), ms(500), ms(1_500));
    assert_eq!(arrived.flows[0], 1_000 * (31_704 / 8 - HEADERS));
}

#[test]
fn the_mode_of_rlc_decides_nothing_but_the_header() {
    for sn in [rlc::um::SnLength::Five, rlc::um::SnLength::Ten] {
        let mut config = full(&[[1e9; 2]], |_| {});
        config.bearers[0].rlc.mode =
            rlc::Mode::Um(rlc::um::Config { sn, ..rlc::um::Config::default() });
        let arrived = carry(config, ms(500), ms(1_500));
        assert_eq!(arrived.flows[0], 1_000 * (36_696 / 8 - 1 - u64::from(sn.header())));
    }
}

#[test]
fn equal_links_share_equally_with_every_scheduler_and_access() {
    let accesses = [
        asking(),
        Access::Instant,
        Access::Reported { period: Duration::from_millis(5) },
        Access::Configured { period: 10, resource_blocks: 5 },
    ];
    for scheduler in [
        SchedulerConfig::ProportionalFair { window: 99.0 },
        SchedulerConfig::RoundRobin { ues_per_slot: None },
    ] {
        for (allocation, access) in [Allocation::ByNeed, Allocation::Whole]
            .into_iter()
            .flat_map(|allocation| accesses.map(|access| (allocation, access)))
        {
            let change = |cell: &mut CellConfig| {
                (cell.scheduler, cell.allocation) = (scheduler, allocation);
                cell.uplink.access = access;
            };
            let arrived = carry(full(&[[300.0; 2], [300.0; 2]], change), ms(1_000), ms(3_000));
            for way in [0, 1] {
                let [one, other] = [arrived.flows[way], arrived.flows[2 + way]];
                // One TTI's worth, of 2000; configured grants are of few resource blocks.
                let difference = one.abs_diff(other) as f64 / one as f64;
                assert!(
                    one > 1_000_000 && difference < 0.01,
                    "{scheduler:?} {access:?} {one} {other}"
                );
            }
        }
    }
}

#[test]
fn what_is_given_up_is_lost_and_what_is_repeated_counts_once() {
    let losses = |transmissions: u8| {
        let change = |cell: &mut CellConfig| {
            (cell.first_error, cell.max_transmissions) = (Some(0.3), transmissions);
        };
        carry(full(&[[1e9; 2]], change), ms(500), ms(10_500)).flows[0] as f64
    };
    let all = 10_000.0 * (36_696.0 / 8.0 - HEADERS as f64);
    // Without HARQ 30% of the blocks are lost; with it they take a TTI more each.
    assert!((losses(1) / all - 0.7).abs() < 0.015);
    assert!((losses(4) / all - 1.0 / 1.3).abs() < 0.015);
}

#[test]
fn it_begins_and_ends_and_the_cell_falls_silent() {
    for access in [asking(), Access::Instant, Access::Reported { period: Duration::from_millis(5) }]
    {
        let mut config = full(&[[1e9; 2]], |cell| cell.uplink.access = access);
        for full in config.bearers[0].full_buffers.iter_mut().flatten() {
            (full.start, full.stop) = (ms(100), Some(ms(200)));
        }
        let mut ran = Ran::new(config, Seed(1)).expect("a network");
        let (mut bench, mut arrived) = (Bench::new(), Arrived::new(1));
        while let Some(due) = ran.next_wake().filter(|&due| due <= ms(10_000)) {
            ran.wake(due, &mut bench.cx_watched(due, &mut arrived));
        }
        assert_eq!(arrived.started, [ms(100); 2]);
        assert_eq!(arrived.flows[0], 100 * (36_696 / 8 - HEADERS));
        // Uplink a request and a grant later; what is granted for nothing ends it.
        let last = arrived.last;
        assert!(arrived.flows[1] > 80 * 4_500 && last < ms(250), "{access:?} {last}");
        assert_eq!(ran.next_wake(), None);
    }
}

#[test]
fn packets_of_the_bearer_go_first() {
    let mut ran = Ran::new(full(&[[1e9; 2]], |_| {}), Seed(1)).expect("a network");
    let mut bench = Bench::new();
    let mut arrived = Arrived::new(1);
    let start = Time::from_nanos(10_300_000);
    while let Some(due) = ran.next_wake().filter(|&due| due <= start) {
        ran.wake(due, &mut bench.cx_watched(due, &mut arrived));
    }
    ran.receive(start, Ran::CORE, in_tunnel(start, 200, 0), &mut bench.cx(start));
    while bench.sent().is_empty() {
        let due = ran.next_wake().expect("a full buffer");
        ran.wake(due, &mut bench.cx_watched(due, &mut arrived));
        assert!(due <= ms(14), "{due}");
    }
    // Times of an empty cell: decided at 11 ms, received at 14. Eleven blocks before were full.
    // In this one a PDU of 200 bytes, 2 of PDCP and 2 of RLC has a subheader of 3.
    let block = 36_696 / 8;
    assert_eq!(arrived.flows[0], 11 * (block - HEADERS) + block - (200 + 2 + 2 + 3) - HEADERS);
}

#[test]
fn logical_channels_of_a_ue_share_as_those_with_packets() {
    let rates = |sharing: Sharing| {
        let mut config = full(&[[1e9; 2]], |cell| cell.sharing = sharing);
        let prioritised = |priority, kbps| LogicalChannel {
            priority,
            prioritised_bit_rate: Some(BitRate::from_kbps(kbps)),
            ..config.bearers[0].channel
        };
        let (first, second) = (prioritised(1, 8), prioritised(2, 800));
        let flow = |n| Some(FullBuffer { flow: FlowId(n), start: Time::ZERO, stop: None });
        let mut other = config.bearers[0];
        (other.teid, other.channel, other.full_buffers) = (1, second, [flow(1), None]);
        (config.bearers[0].channel, config.bearers[0].full_buffers) = (first, [flow(0), None]);
        config.bearers.push(other);
        config.ues[0].bearers.push(BearerId(1));
        carry(config, ms(500), ms(2_500)).flows[..2].to_vec()
    };
    // The more important one has all but the prioritised rate of the other, 100 kB/s of PDUs.
    let [first, second] = rates(Sharing::Priority)[..] else { panic!("two flows") };
    assert!(second == 2_000 * (100 - 2) && first > 2_000 * 4_400, "{first} {second}");
    let [first, second] = rates(Sharing::Equal)[..] else { panic!("two flows") };
    assert!(first.abs_diff(second) < 2_000 * 4 && second > 2_000 * 2_280, "{first} {second}");
}

/// A link at which this MCS is chosen for `resource_blocks`, as a linear SNR.
fn link(direction: Direction, mcs: u8, resource_blocks: u16) -> f64 {
    let cell = &config(9, asking(), 1.0).cells[0];
    let (format, adaptation) = (cell.format(DOWN), cell.adaptation);
    let cqi = |snr: &f64| format.cqi(*snr, adaptation.bler_target);
    let of = |snr: &f64| adaptation.mcs(&format, direction, cqi(snr), resource_blocks);
    let snrs = (-100..400).map(|tenth| Db(f64::from(tenth) / 10.0).linear());
    snrs.into_iter().find(|snr| of(snr) == mcs).expect("a link for the MCS")
}

/// The MCS at which a block of 25 resource blocks uplink has so many bytes.
fn uplink_mcs(bytes: u32) -> u8 {
    (0..=28).find(|&mcs| block_bytes(Qam64, UP, mcs, 25) == bytes).expect("a block of that size")
}

struct Vector {
    scheduler: SchedulerConfig,
    users: usize,
    mcs: u8,
    rates: [f64; 2],
}

/// Rows of the file with a rate, each with the single user's uplink rate at its distance.
fn vectors() -> Vec<(Vector, u32)> {
    let text = include_str!("../../data/ns3_scheduler_vectors.csv");
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let vector = |row: &&Vec<&str>| {
        let scheduler = match row[0] {
            "RR" => SchedulerConfig::RoundRobin { ues_per_slot: None },
            _ => SchedulerConfig::ProportionalFair { window: 99.0 },
        };
        let alone = rows.iter().find(|one| one[0] == row[0] && one[1] == "1" && one[2] == row[2]);
        let alone = number(alone.expect("a row for one user")[5]) / 1_000.0;
        let (users, mcs) = (number(row[1]) as usize, number(row[3]) as u8);
        let rates = [row[4], row[5]].map(number);
        (Vector { scheduler, users, mcs, rates }, alone as u32)
    };
    rows.iter().filter(|row| !row[3].is_empty()).map(|row| vector(&row)).collect()
}

/// ns-3 grants resource block groups of two, of 25 resource blocks 24; round robin gives each
/// user an equal part of them, a group at least. Uplink the parts are of single resource
/// blocks and of three at least. The figures are of whole transport blocks.
#[test]
fn schedulers_give_what_those_of_ns3_give() {
    let all = vectors();
    assert_eq!(all.len(), 29);
    for (vector, alone) in all {
        let Vector { scheduler, users, mcs, rates } = vector;
        let links = [link(DOWN, mcs, 24), link(UP, uplink_mcs(alone), 25)];
        for (way, resource_blocks) in [(0, 24), (1, 25)] {
            let change = |cell: &mut CellConfig| {
                (cell.scheduler, cell.allocation) = (scheduler, Allocation::Whole);
                cell.downlink_placement = DownlinkPlacement::Groups;
                (cell.resource_blocks, cell.uplink.min_resource_blocks) = (resource_blocks, 3);
            };
            let arrived = carry(full(&vec![links; users], change), ms(1_000), ms(3_000));
            for user in arrived.blocks {
                let ratio = user[way] as f64 / 2.0 / rates[way];
                assert!((ratio - 1.0).abs() < 0.003, "{scheduler:?} {users} {mcs} {way} {ratio}");
            }
        }
    }
}

#[test]
fn proportional_fair_gives_unequal_links_like_parts_of_the_time() {
    // Links do not change. So the rate in a group, by which UEs are compared, over the mean rate is
    // equal in the end. The mean rate is a share of the time times the rate in all groups.
    let schemes = [28, 22, 20, 14, 8];
    let links = schemes.map(|mcs| [link(DOWN, mcs, 50); 2]);
    let arrived = carry(full(&links, |_| {}), ms(1_000), ms(11_000));
    let bytes =
        |mcs: u8, resource_blocks| f64::from(block_bytes(Qam64, DOWN, mcs, resource_blocks));
    let parts = schemes.map(|mcs| bytes(mcs, 3) / bytes(mcs, 50));
    for ((mcs, part), blocks) in schemes.into_iter().zip(parts).zip(&arrived.blocks) {
        let expected = part / parts.iter().sum::<f64>();
        let share = blocks[0] as f64 / 10_000.0 / bytes(mcs, 50);
        assert!((share - expected).abs() < 0.001, "{mcs}: {share}, {expected}");
        assert!((share - 0.2).abs() < 0.01, "{mcs}: {share}");
    }
}
