//! The control channel of the whole node, by what it reports.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{BearerId, Db, Duration, NodeId, Time, UeId};
use airpath_net::testing::Bench;
use airpath_net::{Direction, Event, Held, Node, Probe, RadioEvent};
use proptest::prelude::*;

use super::super::tests::{asking, config, in_tunnel, packet};
use super::super::{Ran, RanError};
use crate::config::{Access, Control, RanConfig};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;
const TTI: Duration = Duration::from_millis(1);

/// Decisions of a TTI, by its number: transmissions that need a grant, resource blocks downlink,
/// and the report of the control channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Decided {
    assignments: u16,
    grants: u16,
    resource_blocks: u16,
    used: u16,
    elements: u16,
    blocked: u16,
    blocked_ues: [u16; 2],
}

#[derive(Default)]
struct Log(BTreeMap<u64, Decided>);

impl Probe for Log {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        let Event::Radio(event) = event else { return };
        let now = now.as_nanos() / TTI.as_nanos();
        match *event {
            // Decided two TTIs before.
            RadioEvent::Block { direction: DOWN, slot, resource_blocks, .. } => {
                let decided = self.0.entry(slot - 2).or_default();
                decided.assignments += 1;
                decided.resource_blocks += resource_blocks;
            }
            // Granted six TTIs before.
            RadioEvent::Block { direction: UP, slot, attempt: 0, .. } => {
                self.0.entry(slot.saturating_sub(6)).or_default().grants += 1;
            }
            RadioEvent::Control { used, elements, blocked, .. } => {
                let decided = self.0.entry(now).or_default();
                (decided.used, decided.elements, decided.blocked) = (used, elements, blocked);
            }
            RadioEvent::Blocked { direction, .. } => {
                self.0.entry(now).or_default().blocked_ues[direction as usize] += 1;
            }
            _ => {}
        }
    }
}

/// So many UEs in a cell of 100 resource blocks.
fn many(ues: u32, control: Control, access: Access, snr_db: f64) -> RanConfig {
    let mut many = config(9, access, Db(snr_db).linear());
    many.cells[0].control = control;
    many.cells[0].resource_blocks = 100;
    let (ue, bearer) = (many.ues[0].clone(), many.bearers[0]);
    (many.ues, many.bearers) = (Vec::new(), Vec::new());
    for n in 0..ues {
        let mut ue = ue.clone();
        (ue.bearers, ue.offset) = (vec![BearerId(n)], u64::from(n) % 5);
        let mut bearer = bearer;
        (bearer.ue, bearer.teid) = (UeId(n), 100 + n);
        many.ues.push(ue);
        many.bearers.push(bearer);
    }
    many
}

/// A packet downlink for each UE, and one uplink, every so many TTIs.
fn carry(config: RanConfig, packets: u64, every: u64, sizes: [u32; 2]) -> (Log, Bench, Ran) {
    let ues = config.ues.len() as u32;
    let mut ran = Ran::new(config, Seed(5)).expect("a network");
    let (mut bench, mut log) = (Bench::new(), Log::default());
    for n in 0..=packets {
        let now = Time::ZERO + TTI * (every * n);
        let end = if n == packets { now + Duration::from_secs(60) } else { now };
        while let Some(due) = ran.next_wake().filter(|&due| due <= end) {
            ran.wake(due, &mut bench.cx_watched(due, &mut log));
        }
        for ue in (0..ues).filter(|_| n < packets) {
            ran.receive(now, Ran::CORE, in_tunnel(now, sizes[0], 100 + ue), &mut bench.cx(now));
            ran.receive(now, Ran::ue(UeId(ue)), packet(now, sizes[1]), &mut bench.cx(now));
        }
    }
    (log, bench, ran)
}

#[test]
fn small_flows_are_limited_by_the_control_channel_and_not_by_the_shared_one() {
    // 5 dB: two elements a grant (3.65 to 6.66 dB), so at most four UEs in a TTI.
    let limited = |control| carry(many(40, control, asking(), 5.0), 200, 10, [60, 40]).0;
    let decided = |log: &Log| log.0.values().copied().collect::<Vec<_>>();
    let modelled = decided(&limited(Control::Modelled { elements: 8, most: 8, errors: false }));
    let ideal = decided(&limited(Control::Ideal));
    let most = |all: &[Decided]| all.iter().map(|d| d.assignments + d.grants).max();
    assert_eq!(most(&modelled), Some(4));
    assert!(most(&ideal) > Some(8));
    let waiting: Vec<&Decided> = modelled.iter().filter(|d| d.blocked > 0).collect();
    assert!(waiting.len() > 500, "{}", waiting.len());
    // UEs that wait lack elements: resource blocks are left.
    assert!(waiting.iter().all(|d| d.used > 6 && d.resource_blocks < 50));
    assert!(ideal.iter().all(|d| (d.used, d.elements, d.blocked) == (0, 0, 0)));
}

#[test]
fn both_directions_are_served_under_load() {
    let control = Control::Modelled { elements: 8, most: 8, errors: false };
    let (log, ..) = carry(many(40, control, asking(), 5.0), 200, 10, [60, 40]);
    let busy: Vec<Decided> = log.0.range(500..1_500).map(|(_, d)| *d).collect();
    let [down, up] = [|d: &Decided| d.assignments, |d: &Decided| d.grants]
        .map(|of| busy.iter().map(|d| u32::from(of(d))).sum::<u32>());
    // Four grants a TTI, neither direction with less than a quarter of them.
    assert!(down + up > 3_500 && down > 1_000 && up > 1_000, "{down} and {up}");
}

#[test]
fn what_is_reported_is_what_was_granted() {
    let control = Control::Modelled { elements: 11, most: 8, errors: false };
    let (log, ..) = carry(many(9, control, asking(), 30.0), 50, 3, [400, 300]);
    assert!(log.0.len() > 100);
    for (tti, decided) in &log.0 {
        // One element a grant at 30 dB, and nothing fails.
        assert_eq!(decided.used, decided.assignments + decided.grants, "TTI {tti}");
        assert_eq!(decided.elements, 11);
        let blocked: u16 = decided.blocked_ues.iter().sum();
        assert_eq!(decided.blocked, blocked);
    }
}

/// Times at which grants were missed by direction, and the number of transmissions.
#[derive(Default)]
struct Missed {
    at: [Vec<Time>; 2],
    sent: [u32; 2],
}

impl Probe for Missed {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match *event {
            Event::Radio(RadioEvent::Missed { direction, .. }) => {
                self.at[direction as usize].push(now);
            }
            // Retransmissions uplink have no grant.
            Event::Radio(RadioEvent::Block { direction, attempt, .. })
                if direction == DOWN || attempt == 0 =>
            {
                self.sent[direction as usize] += 1;
            }
            _ => {}
        }
    }
}

const EIGHT: Control = Control::Modelled { elements: 41, most: 8, errors: true };

#[test]
fn what_is_missed_is_sent_again_and_nothing_is_lost() {
    // -4 dB with eight elements: 4.9% missed. No errors of blocks but those.
    let mut config = many(1, EIGHT, asking(), -4.0);
    config.cells[0].first_error = Some(0.0);
    let (mut ran, mut bench) = (Ran::new(config, Seed(5)).expect("a network"), Bench::new());
    let mut missed = Missed::default();
    for n in 0..=2_000u64 {
        let now = Time::ZERO + TTI * (20 * n);
        let end = if n == 2_000 { now + Duration::from_secs(60) } else { now };
        while let Some(due) = ran.next_wake().filter(|&due| due <= end) {
            ran.wake(due, &mut bench.cx_watched(due, &mut missed));
        }
        if n < 2_000 {
            ran.receive(now, Ran::CORE, in_tunnel(now, 60, 100), &mut bench.cx(now));
            ran.receive(now, Ran::ue(UeId(0)), packet(now, 40), &mut bench.cx(now));
        }
    }
    assert_eq!(ran.held(), Held::default());
    assert_eq!(bench.ledger().sent.packets, 4_000);
    assert_eq!(ran.audit(), Ok(()));
    for (at, sent) in missed.at.iter().zip(missed.sent) {
        // Three standard deviations of a share of 4.9%.
        let all = at.len() as f64 + f64::from(sent);
        let (share, deviation) = (at.len() as f64 / all, (0.049 * 0.951 / all).sqrt());
        assert!(all > 1_900.0 && (share - 0.049).abs() < 3.0 * deviation, "{share} of {all}");
    }
}

#[test]
fn the_cell_notices_when_feedback_or_data_was_due() {
    // At -6 dB MCS 0 is still in range, and a grant of one element hardly ever gets through.
    let control = Control::Modelled { elements: 1, most: 1, errors: true };
    assert!(crate::phy::grant_missed(Db(-6.0).linear(), 1) > 0.98);
    let (mut ran, mut bench) =
        (Ran::new(many(1, control, asking(), -6.0), Seed(5)).expect("a network"), Bench::new());
    let (start, mut missed) = (Time::from_millis(10), Missed::default());
    ran.receive(start, Ran::CORE, in_tunnel(start, 60, 100), &mut bench.cx(start));
    ran.receive(start, Ran::ue(UeId(0)), packet(start, 40), &mut bench.cx(start));
    while let Some(due) = ran.next_wake().filter(|&due| due < Time::from_millis(60)) {
        ran.wake(due, &mut bench.cx_watched(due, &mut missed));
    }
    let millis =
        |at: &[Time]| -> Vec<u64> { at.iter().map(|at| at.as_nanos() / 1_000_000).collect() };
    // Downlink: decided at 10 ms, on the air from 12 to 13 ms, then each round trip of 8 ms,
    // four times.
    assert_eq!(millis(&missed.at[0])[..4], [13, 21, 29, 37]);
    // Uplink: requested at 10 ms, detected at 12, the grant on the air at 14 and decoded at 16 ms.
    // Nothing is received in the TTI from 18 on, which is noticed at 20 ms: 8 ms later again.
    assert_eq!(millis(&missed.at[1]), [16, 24, 32, 40, 48, 56]);
    assert_eq!(missed.sent, [0, 0]);
}

#[test]
fn a_control_channel_without_elements_is_refused() {
    let empty = many(1, Control::Modelled { elements: 0, most: 8, errors: false }, asking(), 5.0);
    let cell = airpath_base::CellId(0);
    assert_eq!(Ran::new(empty, Seed(1)).err(), Some(RanError::Control(cell)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]
    #[test]
    fn the_budget_is_kept_and_everything_arrives(
        elements in 1u16..20,
        most in prop_oneof![Just(8u8), Just(16)],
        kind in 0..4,
        snr_db in -6.0..20.0,
        errors: bool,
        error in prop_oneof![Just(None), Just(Some(0.3))],
        ues in 1u32..12,
        sizes in (40u32..1_500, 40u32..1_500),
    ) {
        let access = match kind {
            0 => asking(),
            1 => Access::Configured { period: 20, resource_blocks: 3 },
            2 => Access::Instant,
            _ => Access::Reported { period: TTI },
        };
        // With fewer elements a far UE hears nothing, and RLC gives up.
        let elements = if errors { elements.max(8) } else { elements };
        let control = Control::Modelled { elements, most, errors };
        let mut config = many(ues, control, access, snr_db);
        config.cells[0].first_error = error;
        let (log, bench, ran) = carry(config, 10, 5, [sizes.0, sizes.1]);
        for decided in log.0.values() {
            prop_assert!(decided.used <= elements && decided.assignments <= elements);
        }
        prop_assert_eq!(ran.held(), Held::default());
        prop_assert_eq!(bench.ledger().sent.packets, 20 * u64::from(ues));
        prop_assert_eq!(ran.audit(), Ok(()));
    }
}
