//! Networks whose UEs move, against networks at rest and by hand.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{Dbm, Duration};
use airpath_channel::Point;
use airpath_channel::fading::{LibraryConfig, Profile, Travelled};
use airpath_channel::route::{Leg, Motion, Route};

use super::*;
use crate::air::Sent;
use crate::mac::{ResourceAllocation, ResourceBlocks};
use crate::network::NetworkLinks;
use crate::phy::PowerControl;

const BLOCKS: u16 = 10;

fn library() -> Arc<Library> {
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(300), 5.0).of_any_speed();
    let config = config.on(BLOCKS, 0, airpath_channel::precoding::Precoding::SinglePort);
    Arc::new(Library::new(&config, Seed(4)).expect("a library"))
}

/// A way at this speed at 2 GHz.
fn travelled(kmh: f64) -> Arc<Travelled> {
    let motion = Motion { at: Point::default(), velocity: Point { x: kmh / 3.6, y: 0.0 } };
    let route = Route::new(vec![Leg { from: Time::ZERO, motion }]);
    Arc::new(Travelled::new(&route, 3.0, 2e9))
}

/// Three cells with a UE each, the first of which moves.
fn links(gains: [[f64; 3]; 3], kmh: f64, library: &Arc<Library>) -> NetworkLinks {
    let ue = |(cell, gains): (u16, [f64; 3])| NetworkUe {
        number: 70 + u64::from(cell),
        cell: CellId(cell),
        gains: gains.to_vec(),
        gains_up: None,
        library: 0,
        travelled: (cell == 0).then(|| travelled(kmh)),
        receivers: 1,
        direction: (0.0, 90.0),
    };
    NetworkLinks {
        power: vec![Dbm(10.0); 3],
        resource_blocks: BLOCKS,
        noise: [Dbm(-30.0), Dbm(-33.0)],
        power_control: PowerControl::Fractional { most: Dbm(20.0), target: Dbm(5.0), share: 0.5 },
        interferers: 1,
        precoded: false,
        panel: None,
        libraries: vec![[library.clone(), library.clone()]],
        ues: (0..).zip(gains).map(ue).collect(),
    }
}

/// Transmissions of all cells and UEs in TTI 7.
fn air() -> OnAir {
    let mut air = OnAir::new(3, BLOCKS, 8);
    for n in 0..3u16 {
        let blocks = ResourceBlocks::range(0, BLOCKS);
        for direction in Direction::ALL {
            let sent = Sent { ue: UeId(n.into()), blocks, power: 1.0, layers: 1 };
            air.write(CellId(n), direction, 7, sent);
        }
    }
    air
}

fn transmission(ue: u16, direction: Direction) -> Transmission {
    Transmission {
        ue: UeId(ue.into()),
        cell: CellId(ue),
        direction,
        tti: 7,
        start: Time::from_millis(7),
        allocation: ResourceAllocation::whole_tti(ResourceBlocks::range(0, BLOCKS)),
        power: 1.0,
    }
}

fn ratios(channel: &dyn Channel, ue: u16, direction: Direction) -> Vec<f32> {
    let mut sinr = Vec::new();
    channel.sinr(&transmission(ue, direction), &air(), &mut sinr);
    sinr
}

const NEAR: [[f64; 3]; 3] = [[0.1, 0.01, 0.001], [0.02, 0.2, 0.001], [0.001, 0.002, 0.5]];
/// Gains of the first UE elsewhere, with another strongest interferer.
const MOVED: [f64; 3] = [0.03, 0.002, 0.02];

#[test]
fn a_network_after_a_move_is_one_that_begins_there() {
    let library = library();
    let begin = links(NEAR, 30.0, &library);
    let mut ues = begin.ues.clone();
    let moving = MovingNetwork::new(Network::new(begin));
    ues[0].gains = MOVED.to_vec();
    moving.update(&[UeId(0)], &ues);
    moving.update_neighbours(&ues);
    let there = Network::new(links([MOVED, NEAR[1], NEAR[2]], 30.0, &library));
    for ue in 0..3 {
        let id = UeId(ue.into());
        assert_eq!(moving.full_power(id), there.full_power(id));
        for direction in Direction::ALL {
            assert_eq!(ratios(&moving, ue, direction), ratios(&there, ue, direction), "{ue}");
            let cell = CellId(ue);
            assert_eq!(moving.expected_sinr(id, direction), there.expected_sinr(id, direction));
            let power = |channel: &dyn Channel| channel.power(id, cell, direction, 4);
            assert_eq!(power(&moving), power(&there));
        }
    }
    // 1 mW in a resource block are 1/12 mW in an element: -10.79 dBm, and 0.03 of it -26.02 dBm. The ratio is 0.03 over
    // 0.022 and noise of 0.001: 1.154 dB.
    let (rsrp, ratio) = moving.serving(UeId(0), CellId(0));
    assert!((rsrp + 26.0206).abs() < 1e-3 && (ratio - 1.1539).abs() < 1e-3, "{rsrp} {ratio}");
}

/// Gains of the first UE's signal and of its strongest interferer by speed, by hand from the library.
fn expected(library: &Library, kmh: f64) -> [Vec<f32>; 2] {
    let own = Readings::of_slot(library, &travelled(kmh), Time::from_millis(7));
    [0, 1].map(|cell| {
        let link = library.link(70, CellId(cell), Direction::Downlink);
        let mut mean = Vec::new();
        library.mean_matched(link, own, &mut mean).as_flattened().to_vec()
    })
}

#[test]
fn fading_follows_the_way() {
    let library = library();
    for (kmh, count) in [(30.0, 2), (3.0, 1), (350.0, 4)] {
        let network = Network::new(links(NEAR, kmh, &library));
        let start = Time::from_millis(7);
        assert_eq!(Readings::of_slot(&library, &travelled(kmh), start).count(), count);
        let down = ratios(&network, 0, Direction::Downlink);
        let mut noise = Vec::new();
        let own = transmission(0, Direction::Downlink);
        network.disturbance(&own, &air(), &mut noise);
        let mut against = Vec::new();
        network.against(&own, &noise, &mut against);
        let [signal, other] = expected(&library, kmh);
        for n in 0..usize::from(BLOCKS) {
            let wanted = 0.1 * signal[n] / (0.001 + 0.001 + 0.01 * other[n]);
            assert!((down[n] / wanted - 1.0).abs() < 1e-4, "{kmh} km/h: {} {wanted}", down[n]);
            assert!((against[n] / wanted - 1.0).abs() < 1e-4, "{kmh} km/h: {}", against[n]);
        }
    }
    // UEs at rest have what they have without others that move.
    let [slow, fast] = [3.0, 350.0].map(|kmh| Network::new(links(NEAR, kmh, &library)));
    assert_eq!(ratios(&slow, 1, Direction::Downlink), ratios(&fast, 1, Direction::Downlink));
}
