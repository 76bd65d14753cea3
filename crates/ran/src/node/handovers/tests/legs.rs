//! Dual connectivity: split bearers, and addition, change and release of the leg.

use airpath_net::LegOutcome;

use super::frequencies::on_carriers;
use super::*;
use crate::RadioLinkConfig;
use crate::config::{DualConnectivity, HarqConfig, PrimaryPath, SplitBearer};
use crate::handover::{AccessConfig, ProcedureConfig};
use crate::phy::Technology;
use crate::phy::nr::Nr;
use crate::rlc::{self, Mode, am, nr, um};

mod copies;
mod drives;

const CORE: Port = Ran::CORE;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn event(event: MeasurementEvent) -> EventConfig {
    EventConfig { event, hysteresis: 1.0, time_to_trigger: Duration::ZERO, ..EventConfig::A3 }
}

/// The first `anchors` of a network's cells, and legs on a carrier behind them. B1 at -100 dBm, A2 at -110 dBm.
fn dual(
    (ues, anchors, legs): (u32, u16, u16),
    change: impl Fn(&mut DualConnectivity),
) -> (RanConfig, Arc<Scripted>) {
    let (mut config, channel) =
        on_carriers(network((ues, anchors + legs), 9, exact()), &[anchors, legs]);
    for cell in &mut config.cells[usize::from(anchors)..] {
        cell.technology = [Technology::Nr(Nr::DEFAULT); 2];
        cell.harq = HarqConfig::NR;
    }
    let split = |n| SplitBearer {
        bearer: BearerId(n),
        rlc: rlc::Config {
            mode: Mode::NrAm(am::Config::default(), nr::SnLength::Eighteen),
            header: rlc::HeaderModel::Standard,
        },
        primary: PrimaryPath::Anchor,
        threshold: Some(20_000),
        duplicates: [false; 2],
    };
    let mut setup = DualConnectivity {
        carrier: 1,
        measurement: config.handover.as_ref().expect("handover").handover.measurement,
        addition: event(MeasurementEvent::A4 { threshold: -100.0 }),
        change: Some(event(MeasurementEvent::A3 { offset: 0.0 })),
        release: Some(event(MeasurementEvent::A2 { threshold: -110.0 })),
        procedure: ProcedureConfig {
            preparation: Delay::Fixed(ms(30)),
            rrc_processing: DualConnectivity::RRC_PROCESSING,
            ..ProcedureConfig::NR
        },
        access: Some(AccessConfig::NR),
        radio_link: RadioLinkConfig::NR,
        transport: ms(5),
        status_period: ms(5),
        bearers: (0..ues).map(split).collect(),
    };
    change(&mut setup);
    config.dual = Some(setup);
    (config, channel)
}

/// A UE with an anchor at -80 dBm and a leg of this level, at 1 s.
fn with_leg(level: f64, change: impl Fn(&mut DualConnectivity)) -> Lab {
    let (config, channel) = dual((1, 1, 1), change);
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, level]);
    lab.run(1_000);
    lab
}

impl Lab {
    /// So many packets of a UE at once in a direction, each a byte larger than the one before from 100 bytes on.
    fn burst(&mut self, (ue, at): (u32, u64), direction: Direction, sizes: Range<u32>) {
        self.run(at);
        let now = Time::from_millis(at);
        for size in sizes {
            let cx = &mut self.bench.cx_watched(now, &mut self.seen);
            match direction {
                Direction::Downlink => {
                    self.ran.receive(now, CORE, in_tunnel(now, size, 7 + ue), cx);
                }
                Direction::Uplink => {
                    self.ran.receive(now, Ran::ue(UeId(ue)), packet(now, size), cx);
                }
            }
            self.sent += 1;
        }
    }

    fn outcomes(&self) -> Vec<LegOutcome> {
        self.seen.legs.iter().map(|change| change.outcome).collect()
    }
}

#[test]
fn each_step_of_an_addition_has_its_time() {
    let (config, channel) = dual((1, 1, 1), |_| {});
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, -105.0]);
    lab.feed(0, 0, 1_000);
    assert!(lab.seen.legs.is_empty());
    lab.channel.set(0, &[-80.0, -90.0]);
    lab.feed(0, 1_000, 2_000);
    let [added] = &lab.seen.legs.clone()[..] else { panic!("{:?}", lab.seen.legs) };
    assert_eq!((added.outcome, added.anchor), (LegOutcome::Added, CellId(0)));
    assert_eq!((added.source, added.target), (None, Some(CellId(1))));
    // A sample each 200 ms, 30 ms of preparation, two TTIs before the message and one with it.
    assert!((0.0..=200.0).contains(&millis(Some(Time::from_millis(1_000)), added.report)));
    assert_eq!(millis(added.report, added.command_sent), 30.0);
    assert_eq!(millis(added.command_sent, added.command_received), 3.0);
    // TS 36.331, 11.2: 20 ms.
    assert_eq!(millis(added.command_received, added.access), 20.0);
    // At most 10 ms to the occasion; 1 ms preamble, 1 ms to the response, 1.5 ms, and 0.5 ms for message 3.
    let access = millis(added.access, added.completed);
    assert!((4.0..14.0).contains(&access), "{access}");
    assert_eq!((added.preambles, added.completed), (1, Some(added.at)));
    lab.run(4_000);
    let all: Vec<u32> = (100..600).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(CORE)), (all.clone(), all));
    assert!(lab.seen.blocks[&CellId(1)] > 100, "{:?}", lab.seen.blocks);
}

#[test]
fn a_release_moves_the_split_bearer_s_packets_in_order() {
    for direction in Direction::ALL {
        let mut lab = with_leg(-80.0, |dual| dual.bearers[0].threshold = Some(0));
        assert_eq!(lab.outcomes(), [LegOutcome::Added]);
        // More than both links carry until the release, which is 200 ms away at most.
        lab.burst((0, 1_000), direction, 100..1_500);
        lab.channel.set(0, &[-80.0, -112.0]);
        lab.run(5_000);
        assert_eq!(lab.outcomes(), [LegOutcome::Added, LegOutcome::Released]);
        let recovered = lab.seen.legs[1].recovered;
        assert!(recovered[direction as usize] > 5, "{recovered:?}");
        assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
        let port = if direction == Direction::Uplink { CORE } else { Ran::ue(UeId(0)) };
        assert_eq!(lab.sizes(port), (100..1_500).collect::<Vec<u32>>());
    }
}

#[test]
fn below_the_threshold_uplink_data_take_the_primary_path() {
    for primary in [PrimaryPath::Anchor, PrimaryPath::Leg] {
        let mut lab = with_leg(-80.0, |dual| dual.bearers[0].primary = primary);
        let blocks =
            |lab: &Lab| [0, 1].map(|n| lab.seen.blocks.get(&CellId(n)).copied().unwrap_or(0));
        let before = blocks(&lab);
        for n in 0..20 {
            lab.burst((0, 1_000 + 20 * n), Direction::Uplink, 100..110);
        }
        lab.run(2_000);
        let small = blocks(&lab);
        let [anchor, leg] = [0, 1].map(|n| small[n] - before[n]);
        match primary {
            PrimaryPath::Anchor => assert!(leg == 0 && anchor >= 20, "{anchor} {leg}"),
            PrimaryPath::Leg => assert!(anchor == 0 && leg >= 20, "{anchor} {leg}"),
        }
        // 20 kB are the threshold.
        lab.burst((0, 2_000), Direction::Uplink, 1_000..1_100);
        lab.run(3_000);
        let large = blocks(&lab);
        assert!((0..2).all(|n| large[n] > small[n] + 10), "{small:?} {large:?}");
        lab.check_books();
        assert_eq!(lab.ran.held(), Held::default());
    }
}

#[test]
fn a_leg_whose_link_fails_leaves_the_anchor() {
    let mut lab = with_leg(-80.0, |dual| dual.release = None);
    lab.feed(0, 1_000, 2_000);
    lab.channel.set(0, &[-80.0, -140.0]);
    lab.feed(0, 2_000, 6_000);
    assert_eq!(lab.outcomes(), [LegOutcome::Added, LegOutcome::LinkFailed]);
    // Qout counts 200 ms, and T310 is 1 s (TS 38.133, 8.1; TS 38.331, 9.2.3).
    let failed = millis(Some(Time::from_millis(2_000)), Some(lab.seen.legs[1].at));
    assert!((1_000.0..1_250.0).contains(&failed), "{failed}");
    assert!(lab.seen.handovers.is_empty());
    lab.run(8_000);
    let all: Vec<u32> = (100..1_350).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(CORE)), (all.clone(), all));
    assert_eq!((lab.ran.held(), lab.seen.drops.len()), (Held::default(), 0));
}

#[test]
fn a_handover_of_the_anchor_releases_the_leg() {
    let (config, channel) = dual((1, 2, 1), |_| {});
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, -90.0, -80.0]);
    lab.feed(0, 0, 1_000);
    lab.channel.set(0, &[-84.0, -80.0, -80.0]);
    lab.feed(0, 1_000, 3_000);
    let [added, left, again] = &lab.seen.legs[..] else { panic!("{:?}", lab.seen.legs) };
    let outcomes = [added.outcome, left.outcome, again.outcome];
    assert_eq!(outcomes, [LegOutcome::Added, LegOutcome::AnchorLeft, LegOutcome::Added]);
    assert_eq!([added.anchor, left.anchor, again.anchor], [0, 0, 1].map(CellId));
    let [record] = &lab.seen.handovers[..] else { panic!("{:?}", lab.seen.handovers) };
    assert_eq!(record.command_received, Some(left.at));
    lab.run(5_000);
    let all: Vec<u32> = (100..850).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(CORE)), (all.clone(), all));
}

#[test]
fn another_cell_of_nr_becomes_the_leg_by_a3() {
    let (config, channel) = dual((1, 1, 2), |_| {});
    let mut lab = Lab::of(config, channel);
    lab.channel.set(0, &[-80.0, -80.0, -95.0]);
    lab.feed(0, 0, 1_000);
    lab.channel.set(0, &[-80.0, -85.0, -80.0]);
    lab.feed(0, 1_000, 3_000);
    let [_, changed] = &lab.seen.legs[..] else { panic!("{:?}", lab.seen.legs) };
    assert_eq!(changed.outcome, LegOutcome::Changed);
    assert_eq!((changed.source, changed.target), (Some(CellId(1)), Some(CellId(2))));
    assert_eq!(millis(changed.report, changed.command_sent), 30.0);
    lab.run(5_000);
    let all: Vec<u32> = (100..850).collect();
    assert_eq!((lab.sizes(Ran::ue(UeId(0))), lab.sizes(CORE)), (all.clone(), all));
}

#[test]
fn a_leg_that_is_out_of_reach_uplink_ends_with_t304() {
    let change = |dual: &mut DualConnectivity| {
        let access = AccessConfig { max_power: Dbm(-60.0), ..AccessConfig::NR };
        dual.access = Some(access);
    };
    let lab = with_leg(-80.0, change);
    assert!(lab.seen.legs.is_empty());
    let mut lab = lab;
    lab.run(2_000);
    // T304 is 1 s, and another attempt begins.
    let [ended] = &lab.seen.legs[..] else { panic!("{:?}", lab.seen.legs) };
    assert_eq!((ended.outcome, ended.completed), (LegOutcome::T304Expired, None));
    assert_eq!(millis(ended.command_received, Some(ended.at)), 1_000.0);
}

#[test]
fn the_number_of_threads_decides_nothing() {
    let carried = |threads: usize| {
        let (mut config, channel) = dual((4, 2, 2), |dual| dual.bearers[0].threshold = Some(0));
        (config.ues[2].cell, config.ues[3].cell) = (CellId(1), CellId(1));
        let mut lab = Lab::of(config, channel);
        lab.ran.set_threads(threads);
        let levels = [-80.0, -90.0, -85.0, -95.0];
        for ue in 0..4 {
            let turned = if ue < 2 { levels } else { [-90.0, -80.0, -95.0, -85.0] };
            lab.channel.set(ue, &turned);
        }
        for n in 0..20 {
            lab.burst((n % 4, 300 + 20 * u64::from(n)), Direction::Downlink, 100..200);
            lab.burst((n % 4, 300 + 20 * u64::from(n)), Direction::Uplink, 100..200);
        }
        lab.channel.set(1, &[-90.0, -80.0, -112.0, -112.0]);
        lab.run(3_000);
        lab.check_books();
        assert!(lab.seen.legs.len() >= 4);
        (lab.times, lab.seen.legs, lab.seen.slots)
    };
    let (alone, three) = (carried(1), carried(3));
    assert!(alone == three);
}

/// A change of a configuration.
type Change = fn(&mut RanConfig);

#[test]
fn what_is_not_supported_is_refused() {
    let refused = |change: Change| {
        let (mut config, _) = dual((1, 2, 1), |_| {});
        change(&mut config);
        Ran::new(config, Seed(9)).err().map(|error| error.to_string()).unwrap_or_default()
    };
    fn own(config: &mut RanConfig) -> &mut DualConnectivity {
        config.dual.as_mut().expect("dual connectivity")
    }
    assert_eq!(refused(|_| {}), "");
    let all: [(Change, &str); 8] = [
        (|config| config.handover = None, "its UEs need handover"),
        (
            |config| config.handover.as_mut().expect("handover").handover.daps = true,
            "handover with DAPS or by condition is not supported beside it",
        ),
        (
            |config| own(config).carrier = 0,
            "the carrier of its legs is not the last one behind those of anchors",
        ),
        (
            |config| config.cells[2].technology = config.cells[0].technology,
            "an anchor is a cell of LTE, and a leg one of NR",
        ),
        (|config| config.ues[0].cell = CellId(2), "a UE has a leg without an anchor"),
        (
            |config| own(config).bearers[0].rlc = config.bearers[0].rlc,
            "a split bearer needs RLC in acknowledged mode or duplication, in the leg that of NR",
        ),
        (
            |config| {
                let split = own(config).bearers[0];
                own(config).bearers.push(split);
            },
            "a bearer is split twice",
        ),
        (
            |config| own(config).status_period = Duration::ZERO,
            "period of delivery statuses must be 1 ms to 1 s",
        ),
    ];
    for (change, reason) in all {
        assert_eq!(refused(change), format!("dual connectivity: {reason}"));
    }
}
