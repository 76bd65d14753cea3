//! UEs of scenarios on routes.

use airpath_channel::Point;
use airpath_channel::route::{Leg, Motion};

use super::*;

const NETWORK: &str = "duration = \"1 s\"\n[network]\nsites = 7\ncarrier = \"2 GHz\"\n\
                       [[ue]]\nname = \"phone\"\ncount = 8\n";
const FLOW: &str = "[[flow]]\nname = \"f\"\nkind = \"tcp\"\ndirection = \"down\"\n";

fn scenario(text: &str) -> Scenario {
    Scenario::parse("a.toml", text, &[]).unwrap_or_else(|errors| panic!("{}", errors.plain()))
}

fn line(from: Point, kmh: f64) -> Arc<Route> {
    let motion = Motion { at: from, velocity: Point { x: kmh / 3.6, y: 0.0 } };
    Arc::new(Route::new(vec![Leg { from: Time::ZERO, motion }]))
}

/// UE 2 alone moves, from 60 m north of the first site.
fn one() -> Moves {
    let route = line(Point { x: 0.0, y: 60.0 }, 30.0);
    let period = Duration::from_millis(10);
    Moves {
        routes: vec![None, None, Some(route)],
        shadowing: ShadowingRule::default(),
        sight: SightRule::Probability,
        period,
        positions: None,
    }
}

#[test]
fn a_ue_begins_where_its_route_does() {
    let scenario = scenario(&format!("{NETWORK}{FLOW}"));
    let still = NetworkDrop::new(&scenario, Seed(1)).expect("a drop").expect("a network");
    let moved = still.clone().on_routes(one(), Seed(1));
    for (n, (one, other)) in still.ues.iter().zip(&moved.ues).enumerate() {
        let same = one.gains == other.gains && one.cell == other.cell && one.ue == other.ue;
        assert_eq!((same, &one.name), (n != 2, &other.name), "UE {n}");
    }
    let ue = &moved.ues[2];
    assert_eq!((ue.ue.at, ue.ue.number), (Point { x: 0.0, y: 60.0 }, still.ues[2].ue.number));
    assert!(ue.gains.iter().all(|gain| *gain <= ue.gains[ue.cell]));
    let serving = moved.network.cells()[ue.cell];
    let way = moved.network.config().layout.way(serving.site, ue.ue.at);
    assert_eq!(ue.link.way, way);
}

#[test]
fn doppler_shifts_of_libraries_and_routes() {
    let scenario = scenario(&format!("{NETWORK}{FLOW}"));
    let file = scenario.network.as_ref().expect("a network");
    let nominal = |kmh, by_reports| nominal_hz(file, &line(Point::default(), kmh), by_reports);
    // v f / c: 3 km/h at 2 GHz are 5.5594 Hz. 120 km/h are below 64 times that, 3 km/h are not above once.
    for (kmh, by_reports, wanted) in
        [(120.0, false, 5.5594), (120.0, true, 64.0 * 5.5594), (3.0, true, 5.5594)]
    {
        let found = nominal(kmh, by_reports);
        assert!((found / wanted - 1.0).abs() < 1e-4, "{kmh} km/h: {found} Hz");
    }
    let (cycles, shift) =
        travelled(file, &line(Point::default(), 120.0)).at(Time::from_millis(500));
    assert!((shift - 222.376).abs() < 1e-2 && (cycles - 111.188).abs() < 1e-2, "{cycles} {shift}");
    // At rest the scatterers move.
    let (cycles, _) = travelled(file, &line(Point::default(), 0.0)).at(Time::from_millis(500));
    assert!((cycles - 2.7797).abs() < 1e-3, "{cycles}");
}
