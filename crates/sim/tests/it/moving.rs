//! Runs whose UEs move along routes.

use std::sync::Arc;

use airpath_base::{Duration, NodeId, Time, math};
use airpath_channel::Point;
use airpath_channel::route::{Leg, Motion, Route};
use airpath_net::{Event, Probe, RadioEvent, UePosition};
use airpath_scenario::Scenario;
use airpath_scenario::world::{Moves, WorldOptions};
use airpath_sim::Course;

const TEXT: &str = r#"
duration = "400 ms"
[network]
sites = 7
[[ue]]
name = "phone"
count = 42
[[flow]]
name = "down"
kind = "full-buffer"
direction = "down"
[[flow]]
name = "up"
kind = "full-buffer"
direction = "up"
"#;

/// Events of the radio as texts, and positions.
#[derive(Default)]
struct Events {
    radio: Vec<String>,
    positions: Vec<(Time, UePosition)>,
    /// Blocks of this UE alone.
    of: Option<u32>,
}

impl Probe for Events {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::Moved(position) => self.positions.push((now, *position)),
            Event::Radio(RadioEvent::Block { ue, .. })
                if self.of.is_none_or(|number| number == ue.0) =>
            {
                self.radio.push(format!("{now} {event:?}"));
            }
            _ => {}
        }
    }
}

/// A straight route from a point, with a speed in km/h in the direction of this azimuth.
fn line(from: Point, kmh: f64, azimuth_deg: f64) -> Arc<Route> {
    let motion = Motion { at: from, velocity: Point::polar(kmh / 3.6, azimuth_deg) };
    Arc::new(Route::new(vec![Leg { from: Time::ZERO, motion }]))
}

/// Each UE but each third on a route, at speeds up to 350 km/h.
fn routes(count: u32) -> Moves {
    let route = |n: u32| {
        let angle = 47.0 * f64::from(n);
        let kmh = [3.0, 30.0, 120.0, 350.0][n as usize % 4];
        let from = Point::polar(60.0 + 9.0 * f64::from(n), angle);
        (!n.is_multiple_of(3)).then(|| line(from, kmh, 3.0 * angle))
    };
    Moves {
        routes: (0..count).map(route).collect(),
        positions: Some(Duration::from_millis(100)),
        ..Moves::default()
    }
}

fn run(text: &str, moves: Moves, threads: usize, of: Option<u32>) -> Events {
    let scenario = Scenario::parse("s.toml", text, &[]).unwrap_or_else(|e| panic!("{}", e.plain()));
    let options = WorldOptions { moves, threads, ..WorldOptions::default() };
    let mut course = Course::begin(&scenario, None, None, options).expect("a course");
    let mut events = Events { of, ..Events::default() };
    let end = Time::ZERO + scenario.duration;
    course.run_until(end, Some(&mut events)).expect("a run without failure");
    events
}

#[test]
fn the_number_of_threads_decides_nothing() {
    let carrier = "[[carrier]]\nname = \"high\"\nfrequency = \"3.5 GHz\"\n";
    let text = format!("{TEXT}{carrier}");
    let one = run(&text, routes(42), 1, None);
    let three = run(&text, routes(42), 3, None);
    assert!(one.radio.len() > 10_000, "{}", one.radio.len());
    assert!(one.radio == three.radio && one.positions == three.positions);
    // Motion counts at all.
    assert!(one.radio != run(&text, Moves::default(), 1, None).radio);
}

#[test]
fn positions_are_those_of_the_routes() {
    let events = run(TEXT, routes(42), 1, None);
    let times: Vec<u64> =
        events.positions.iter().map(|(at, _)| at.as_nanos() / 1_000_000).collect();
    // 28 of 42 UEs move.
    let expected: Vec<u64> = [0, 100, 200, 300].into_iter().flat_map(|at| [at; 28]).collect();
    assert_eq!(times[..4 * 28], expected);
    for (now, position) in &events.positions {
        let n = f64::from(position.ue.0);
        let kmh = [3.0, 30.0, 120.0, 350.0][position.ue.0 as usize % 4];
        let gone = kmh / 3.6 * now.as_nanos() as f64 * 1e-9;
        let (angle, turned) = ((47.0 * n).to_radians(), (141.0 * n).to_radians());
        let from = 60.0 + 9.0 * n;
        let x = from * math::cos(angle) + gone * math::cos(turned);
        let y = from * math::sin(angle) + gone * math::sin(turned);
        let [found_x, found_y] = position.at_m;
        assert!((found_x - x).abs() < 1e-6 && (found_y - y).abs() < 1e-6, "{position:?}");
        assert!((position.speed - kmh / 3.6).abs() < 1e-9);
        assert!((-160.0..-30.0).contains(&position.rsrp_dbm), "{position:?}");
    }
}

#[test]
fn a_ue_at_rest_has_the_bytes_that_it_has_among_others_at_rest() {
    // The UE that moves has no data, so it disturbs nobody.
    let text = TEXT.replace("count = 42", "count = 2\n[[ue]]\nname = \"car\"");
    let text = text.replace("kind = \"full-buffer\"", "kind = \"full-buffer\"\nue = \"phone\"");
    let moves = Moves {
        routes: vec![None, None, Some(line(Point { x: 80.0, y: 20.0 }, 120.0, 90.0))],
        ..Moves::default()
    };
    for of in [0, 1] {
        let still = run(&text, Moves::default(), 1, Some(of)).radio;
        assert!(still.len() > 100 && still == run(&text, moves.clone(), 1, Some(of)).radio);
    }
}

#[test]
fn any_antennas_can_move() {
    let nr = "technology = \"nr\"\nnumerology = 0\nbandwidth = \"10 MHz\"\n";
    let tdd = "duplex = \"tdd\"\ntdd_pattern = \"DDDDU\"\n";
    let srs = "mu_mimo = { kind = \"srs\", period = \"5 ms\", delay = \"1 ms\" }\n";
    let own = [
        // Closed loop with two layers and reports of a panel.
        (format!("{nr}layers = 2\n"), "precoding = { ports = 16, columns = 4, rows = 2 }\n", 2),
        // Layers to several UEs, by sounding and by reports.
        (format!("{nr}{tdd}{srs}"), "precoding.codebook = \"type-1\"\n", 1),
        (format!("{nr}{tdd}mu_mimo = \"reports\"\n"), "precoding.codebook = \"type-1\"\n", 1),
        // Precoders of what disturbs.
        (String::new(), "precoding.ports = 2\ninterference = \"precoded\"\n", 2),
        (String::new(), "precoding = { ports = 2, scheme = \"transmit-diversity\" }\n", 1),
    ];
    for (cell, network, receivers) in own {
        let text = TEXT
            .replace(
                "[network]\nsites = 7\n",
                &format!("[cell]\n{cell}[network]\nsites = 1\n{network}"),
            )
            .replace("count = 42", &format!("count = 12\nreceivers = {receivers}"))
            .replace("400 ms", "100 ms");
        let [one, three] = [1, 3].map(|threads| run(&text, routes(12), threads, None));
        assert!(one.radio.len() > 100 && one.radio == three.radio, "{network}");
    }
}

#[test]
fn a_carrier_with_uplink_beside_a_route_is_refused() {
    let carrier = "[[carrier]]\nname = \"high\"\nfrequency = \"806 MHz\"\nuplink = true\n";
    let text = format!("{TEXT}{carrier}");
    let scenario =
        Scenario::parse("s.toml", &text, &[]).unwrap_or_else(|e| panic!("{}", e.plain()));
    let options = WorldOptions { moves: routes(42), ..WorldOptions::default() };
    let failure = Course::begin(&scenario, None, None, options).err().expect("a failure");
    let text = failure.to_string();
    assert!(text.contains("carrier.uplink") && text.contains("ue.route"), "{text}");
}
