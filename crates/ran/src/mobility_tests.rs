//! Gains of UEs that move, by hand.

use airpath_base::random::Seed;
use airpath_base::{CellId, Dbm};
use airpath_channel::antenna::{Antenna, Element};
use airpath_channel::fading::{Library, LibraryConfig, Profile};
use airpath_channel::layout::{Area, Site};
use airpath_channel::moving::SightRule;
use airpath_channel::penetration::Buildings;
use airpath_channel::route::{Leg, Route};
use airpath_channel::{
    Averaging, Environment, Heights, Layout, NetworkConfig, Point, Surroundings, Users,
};

use super::*;
use crate::network::{Network, NetworkLinks};
use crate::phy::PowerControl;

/// Two sites of a cell each without direction, 250 m apart.
fn links(carrier_hz: f64) -> MovingLinks {
    let site = |x| Site { at: Point { x, y: 0.0 }, azimuths_deg: vec![0.0] };
    let config = NetworkConfig {
        layout: Layout::given(vec![site(0.0), site(250.0)], Area::Disc { radius_m: 500.0 })
            .expect("two sites"),
        environment: Environment::Uma,
        carrier_hz,
        base_m: 25.0,
        antenna: Antenna { element: Element::Isotropic, ..Antenna::SINGLE },
        averaging: Averaging::Straight,
        users: Users {
            indoors: 0.0,
            in_cars: 0.0,
            heights: Heights::Fixed(1.5),
            buildings: Buildings::Mixed,
            least_m: 35.0,
        },
    };
    let network = airpath_channel::Network::new(config, Seed(3)).expect("a network");
    MovingLinks::new(network, SightRule::default(), Seed(3))
}

fn carrier(carrier_hz: f64, factor: f64, route: &Arc<Route>) -> MovingCarrier {
    let links = links(carrier_hz);
    let at = route.at(Time::ZERO).at;
    let library = LibraryConfig::new(Profile::Flat, Duration::ZERO, 0.0);
    let library = library.on(6, 0, airpath_channel::precoding::Precoding::SinglePort);
    let library = Arc::new(Library::new(&library, Seed(4)).expect("a library"));
    let ue = |number| NetworkUe {
        number,
        cell: CellId(0),
        gains: vec![0.5, 0.25],
        gains_up: None,
        library: 0,
        travelled: None,
        receivers: 1,
        direction: (0.0, 90.0),
    };
    let ues = vec![ue(0), ue(1)];
    let network = Network::new(NetworkLinks {
        power: vec![Dbm(40.0); 2],
        resource_blocks: 6,
        noise: [Dbm(-120.0); 2],
        power_control: PowerControl::Fractional { most: Dbm(23.0), target: Dbm(-90.0), share: 1.0 },
        interferers: 1,
        precoded: false,
        panel: None,
        libraries: vec![[library.clone(), library]],
        ues: ues.clone(),
    });
    let placed = links.network().place(1, at, Surroundings::Outdoors, None).expect("a UE");
    MovingCarrier {
        channel: Arc::new(MovingNetwork::new(network)),
        tracks: vec![Track::new(placed, Arc::clone(route))],
        links,
        factor,
        ues,
    }
}

/// UE 1 of two, from 100 m of the first site to 150 m within 6 s at 30 km/h, then at rest.
fn mobility() -> Mobility {
    let at = |x| Point { x, y: 0.0 };
    let leg = |millis, x, velocity| Leg {
        from: Time::from_millis(millis),
        motion: Motion { at: at(x), velocity: at(velocity) },
    };
    let route = Arc::new(Route::new(vec![leg(0, 100.0, 25.0 / 3.0), leg(6_000, 150.0, 0.0)]));
    // Cells of the second carrier are stronger by 2 dB.
    let carriers = vec![carrier(1e9, 1.0, &route), carrier(2e9, 1.584_893, &route)];
    let period = Duration::from_millis(10);
    Mobility::new(MobilityConfig { period, positions: None, ues: vec![UeId(1)], carriers })
}

#[test]
fn gains_of_each_carrier_follow() {
    let (mut mobility, mut gains, mut moves) = (mobility(), Vec::new(), 0);
    while mobility.next() < Time::from_millis(8_000) {
        let now = mobility.next();
        moves += mobility.act(now).len();
        let [low, high] = [0, 1].map(|carrier| mobility.gains(UeId(1), carrier).to_vec());
        for (low, high) in low.iter().zip(&high) {
            // Within the breakpoint at 1 GHz, 4 x 24 x 0.5 x 1e9 / 3e8 = 160 m, twice the frequency costs 6.0206 dB (TR
            // 38.901, table 7.4.1-1).
            let more = 10.0 * airpath_base::math::log10(low / high);
            assert!((more - 4.0206).abs() < 1e-4, "{now}: {more} dB");
        }
        gains.push(low);
        // The UE at rest keeps its gains.
        assert_eq!(mobility.gains(UeId(0), 0), [0.5, 0.25]);
    }
    // At 0, 10 ms and so on up to 6 s.
    assert_eq!((gains.len(), moves), (800, 601));
    assert!(gains[600..].iter().all(|one| *one == gains[600]) && gains[0] != gains[600]);
    // Power control makes up for all of the loss: -90 dBm in a resource block at the cell.
    let channel = &mobility.config.carriers[0].channel;
    let power = channel.power(UeId(1), CellId(0), airpath_base::Direction::Uplink, 1);
    let received = f64::from(power) * gains[600][0];
    assert!((received / 1e-9 - 1.0).abs() < 1e-5, "{received} mW");
}
