//! Ratios of receivers of a network, computed by hand.

use airpath_base::random::Seed;
use airpath_base::{Duration, Time};
use airpath_channel::fading::{LibraryConfig, Profile};

use super::*;
use crate::air::Sent;
use crate::mac::ResourceAllocation;

const BLOCKS: u16 = 10;

/// Two cells and a far one, a UE in each; noise 0.001 mW in a resource block, cells send 1 mW
/// in each.
fn make(interferers: usize) -> Network {
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(300), 5.0);
    let config = config.on(BLOCKS, 0, airpath_channel::precoding::Precoding::SinglePort);
    let library = Arc::new(Library::new(&config, Seed(4)).expect("a library"));
    let ue = |cell: u16, gains: [f64; 3]| NetworkUe {
        number: 70 + u64::from(cell),
        cell: CellId(cell),
        gains: gains.to_vec(),
        gains_up: None,
        library: 0,
        travelled: None,
        receivers: 1,
        direction: (0.0, 90.0),
    };
    Network::new(NetworkLinks {
        power: vec![Dbm(10.0); 3],
        resource_blocks: BLOCKS,
        noise: [Dbm(-30.0), Dbm(-33.010_3)],
        power_control: PowerControl::Fractional { most: Dbm(20.0), target: Dbm(5.0), share: 0.5 },
        interferers,
        precoded: false,
        panel: None,
        libraries: vec![[library.clone(), library]],
        ues: vec![ue(0, [0.1, 0.01, 0.001]), ue(1, [0.02, 0.2, 0.001]), ue(2, [0.001, 0.002, 0.5])],
    })
}

fn heard(network: &Network, direction: Direction, air: &OnAir, tti: u64) -> Vec<f32> {
    let allocation = ResourceAllocation::whole_tti(ResourceBlocks::range(0, BLOCKS));
    let transmission = Transmission {
        ue: UeId(0),
        cell: CellId(0),
        direction,
        tti,
        start: Time::from_millis(tti),
        allocation,
        power: network.power(UeId(0), CellId(0), direction, BLOCKS),
    };
    let mut sinr = Vec::new();
    network.sinr(&transmission, air, &mut sinr);
    sinr
}

fn sent(ue: u32, first: u16, count: u16, power: f32) -> Sent {
    Sent { ue: UeId(ue), blocks: ResourceBlocks::range(first, count), power, layers: 1 }
}

fn fading(network: &Network, direction: Direction, ue: u64, cell: u16) -> Vec<f32> {
    let library = &network.libraries[0][0];
    let link = library.link(ue, CellId(cell), direction);
    library.unmatched(link, library.step(Time::from_millis(7))).as_flattened().to_vec()
}

fn close(got: f32, expected: f32) -> bool {
    (got / expected - 1.0).abs() < 1e-5
}

#[test]
fn downlink_by_hand() {
    let network = make(1);
    let mut air = OnAir::new(3, BLOCKS, 8);
    let down = Direction::Downlink;
    air.write(CellId(1), down, 7, sent(1, 0, 4, 1.0));
    air.write(CellId(2), down, 7, sent(2, 2, 5, 1.0));
    air.write(CellId(0), down, 7, sent(0, 0, BLOCKS, 1.0));
    let got = heard(&network, down, &air, 7);
    let [own, other] = [0, 1].map(|cell| fading(&network, Direction::Downlink, 70, cell));
    for n in 0..usize::from(BLOCKS) {
        // The far cell without fading.
        let near = if n < 4 { 0.01 * other[n] } else { 0.0 };
        let far = if (2..7).contains(&n) { 0.001 } else { 0.0 };
        assert!(close(got[n], 0.1 * own[n] / (0.001 + near + far)), "{n}");
    }
    // Both one by one.
    let all = heard(&make(2), down, &air, 7);
    assert!(close(all[0], 0.1 * own[0] / (0.001 + 0.01 * other[0])));
}

#[test]
fn a_silent_neighbour_is_not_heard_in_that_tti() {
    let network = make(2);
    let (mut air, down) = (OnAir::new(3, BLOCKS, 8), Direction::Downlink);
    air.write(CellId(1), down, 7, sent(1, 0, BLOCKS, 1.0));
    let alone = heard(&network, down, &OnAir::new(3, BLOCKS, 8), 7);
    let own = fading(&network, Direction::Downlink, 70, 0);
    assert!(own.iter().zip(&alone).all(|(own, got)| close(*got, 100.0 * own)));
    assert!(heard(&network, down, &air, 7).iter().zip(&alone).all(|(now, alone)| now < alone));
    assert_eq!(heard(&network, down, &air, 6), heard(&network, down, &OnAir::new(3, BLOCKS, 8), 6));
}

#[test]
fn uplink_by_hand() {
    let network = make(1);
    // 5 + 0.5 x 10 dB = 10 dBm in a block; 10 times that is there, as many have it.
    let up = Direction::Uplink;
    assert!(close(network.power(UeId(0), CellId(0), up, 1), 10.0));
    assert!(close(network.power(UeId(0), CellId(0), up, BLOCKS), 10.0));
    // 5 + 0.5 x 6.9897 = 8.495 dBm; 20 in 20 blocks.
    assert!(close(network.power(UeId(1), CellId(1), up, 20), 5.0));
    let mut air = OnAir::new(3, BLOCKS, 8);
    air.write(CellId(1), up, 7, sent(1, 2, 3, 7.0));
    air.write(CellId(2), up, 7, sent(2, 4, 2, 9.0));
    let got = heard(&network, up, &air, 7);
    let (own, other) =
        (fading(&network, Direction::Uplink, 70, 0), fading(&network, Direction::Uplink, 71, 0));
    for n in 0..usize::from(BLOCKS) {
        // The near UE one by one, the far one without fading.
        let near = if (2..5).contains(&n) { 7.0 * 0.02 * other[n] } else { 0.0 };
        let far = if (4..6).contains(&n) { 9.0 * 0.001 } else { 0.0 };
        assert!(close(got[n], 10.0 * 0.1 * own[n] / (0.0005 + near + far)), "{n}");
    }
}

#[test]
fn only_what_was_allocated() {
    let network = make(2);
    let air = OnAir::new(3, BLOCKS, 8);
    let all = heard(&network, Direction::Downlink, &air, 7);
    let blocks = ResourceBlocks::range(2, 2).with(&ResourceBlocks::range(7, 1));
    let transmission = Transmission {
        ue: UeId(0),
        cell: CellId(0),
        direction: Direction::Downlink,
        tti: 7,
        start: Time::from_millis(7),
        allocation: ResourceAllocation::whole_tti(blocks),
        power: 1.0,
    };
    let mut some = Vec::new();
    network.sinr(&transmission, &air, &mut some);
    assert_eq!(some, [all[2], all[3], all[7]]);
}

#[test]
fn expected_ratios_by_hand() {
    let network = make(2);
    // 0.1 over 0.001 + 0.011; uplink 10 x 0.1 over 0.0005.
    let expected = |direction| network.expected_sinr(UeId(0), direction);
    assert!((expected(Direction::Downlink) - 0.1 / 0.012).abs() < 1e-6);
    assert!((expected(Direction::Uplink) / 2_000.0 - 1.0).abs() < 1e-5);
    assert!(close(network.full_power(UeId(0)), 10.0));
}

/// 7 sites of three cells, UMa at 700 MHz and 500 m, ten UEs a cell.
fn urban(interferers: usize) -> (Network, Vec<CellId>) {
    use airpath_channel as channel;
    let users = channel::Users {
        indoors: 0.8,
        in_cars: 0.0,
        heights: channel::Heights::Floors,
        buildings: channel::penetration::Buildings::Mixed,
        least_m: 35.0,
    };
    let config = channel::NetworkConfig {
        layout: channel::Layout::hexagonal(7, 500.0, true).expect("a layout"),
        environment: channel::Environment::Uma,
        carrier_hz: 0.7e9,
        base_m: 25.0,
        antenna: channel::antenna::Antenna::SINGLE,
        averaging: channel::Averaging::Straight,
        users,
    };
    let dropped = channel::Network::new(config, Seed(2)).expect("a network");
    let library = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(300), 5.0);
    let library = Arc::new(Library::new(&library, Seed(2)).expect("a library"));
    let mut ues = Vec::new();
    for number in 0..210 {
        let mut gains = Vec::new();
        dropped.gains(&dropped.drop(number), &mut gains);
        let best = channel::Association::strongest(&gains).expect("a cell");
        ues.push(NetworkUe {
            number,
            cell: CellId(best.cell as u16),
            gains,
            gains_up: None,
            library: 0,
            travelled: None,
            receivers: 1,
            direction: (0.0, 90.0),
        });
    }
    let cells = ues.iter().map(|ue| ue.cell).collect();
    let network = Network::new(NetworkLinks {
        power: vec![Dbm(46.0); 21],
        resource_blocks: 50,
        noise: [Dbm(-112.4), Dbm(-116.4)],
        power_control: PowerControl::Full { most: Dbm(23.0) },
        interferers,
        precoded: false,
        panel: None,
        libraries: vec![[library.clone(), library]],
        ues,
    });
    (network, cells)
}

/// Deciles in dB of what UEs hear in resource blocks while cells send in most of them.
fn deciles(interferers: usize) -> Vec<f64> {
    let (network, cells) = urban(interferers);
    let mut heard = Vec::new();
    for tti in 0..20 {
        let mut air = OnAir::new(21, 50, 4);
        for cell in 0..21_u16 {
            let count = 10 + (7 * cell + 13 * tti as u16) % 41;
            let blocks = ResourceBlocks::range(0, count);
            let power = network.power(UeId(0), CellId(cell), Direction::Downlink, count);
            let sent = Sent { ue: UeId(0), blocks, power, layers: 1 };
            air.write(CellId(cell), Direction::Downlink, tti, sent);
        }
        for (ue, cell) in (0..).map(UeId).zip(&cells) {
            let transmission = Transmission {
                ue,
                cell: *cell,
                direction: Direction::Downlink,
                tti,
                start: Time::from_millis(37 * tti),
                allocation: ResourceAllocation::whole_tti(ResourceBlocks::range(0, 50)),
                power: network.power(ue, *cell, Direction::Downlink, 50),
            };
            network.sinr(&transmission, &air, &mut heard);
        }
    }
    heard.sort_by(f32::total_cmp);
    let at = |tenth: usize| heard[heard.len() * tenth / 10];
    (1..10).map(|tenth| 10.0 * airpath_base::math::log10(f64::from(at(tenth)))).collect()
}

#[test]
fn twelve_interferers_one_by_one_are_as_good_as_all() {
    let (twelve, all) = (deciles(12), deciles(20));
    let apart = twelve.iter().zip(&all).map(|(one, other)| (one - other).abs());
    let farthest = apart.fold(0.0, f64::max);
    assert!(farthest < 0.1, "{twelve:?} {all:?}");
    // With fewer it would show.
    let two = deciles(1);
    assert!(two.iter().zip(&all).any(|(one, other)| (one - other).abs() > 0.1), "{two:?}");
}
