//! Routes of UEs: their keys, positions and faults.

use airpath_base::random::Seed;
use airpath_base::{Duration, Time};
use airpath_channel::Point;
use airpath_channel::route::Route;
use airpath_scenario::world::{NetworkDrop, routes};
use airpath_scenario::{Scenario, StreetSight, Surroundings};

/// A single site in a disc, or what `network` makes of it, and UEs.
fn read(network: &str, ues: &str) -> Result<Scenario, String> {
    let text = format!(
        "duration = \"60 s\"\n[cell]\nbandwidth = \"10 MHz\"\n[network]\n{network}\n\
         {ues}\n[[flow]]\nname = \"full\"\nkind = \"full-buffer\"\ndirection = \"down\"\n"
    );
    let files = |name: &str| {
        match name {
        "one.csv" => Ok("time,x,y\n0,50,0\n60,50,100\n".to_owned()),
        "two.csv" => Ok("ue,time,x,y\n0,0,50,0\n1,0,60,0\n".to_owned()),
        "origin.gpx" => Ok("<gpx><trk><trkseg>\
             <trkpt lat=\"50\" lon=\"8\"><time>2024-05-01T10:00:00Z</time></trkpt>\
             <trkpt lat=\"50.001\" lon=\"8\"><time>2024-05-01T10:00:10Z</time></trkpt></trkseg></trk></gpx>"
            .to_owned()),
        "near.csv" => Ok("time,x,y\n0,50,2\n50,-50,2\n".to_owned()),
        _ => Err(format!("there is no {name}")),
    }
    };
    Scenario::parse_with("s.toml", &text, &[], &files).map_err(|errors| errors.plain())
}

const SINGLE: &str = "environment = \"umi\"\nlayout = \"single\"";
const WRAPPED: &str = "environment = \"umi\"\nsites = 7";
const STREETS: &str = "environment = \"umi\"\nlayout = \"single\"\nstreets = {}";

fn group(keys: &str) -> String {
    format!("[[ue]]\nname = \"car\"\n{keys}\n")
}

fn valid(network: &str, ues: &str) -> Scenario {
    read(network, ues).unwrap_or_else(|error| panic!("{error}"))
}

/// Routes of all UEs.
fn made(scenario: &Scenario, seed: u64) -> Vec<Option<Route>> {
    let drop = NetworkDrop::new(scenario, Seed(seed)).expect("a drop").expect("a network");
    routes(&scenario.with_arrivals(Seed(seed)), &drop.network, Seed(seed)).expect("routes")
}

fn at(route: Option<&Route>, seconds: f64) -> Point {
    route.expect("a route").at(Time::ZERO + Duration::from_secs_f64(seconds)).at
}

fn apart(a: Point, b: Point) -> f64 {
    (a - b).length()
}

#[test]
fn a_train_keeps_its_spacing() {
    let keys = |spacing: &str| {
        group(&format!(
            "count = 3\nplace = {{ x = \"0 m\", y = \"100 m\" }}\nroute = {{ kind = \"straight\", \
             speed = \"360 km/h\", heading = \"90 deg\"{spacing} }}"
        ))
        .replace("360", "180")
    };
    // 180 km/h are 50 m/s. UEs are 25 m or half a second behind each other.
    for spacing in [", spacing = \"25 m\"", ", spacing = \"500 ms\""] {
        let all = made(&valid(WRAPPED, &keys(spacing)), 1);
        for (n, route) in (0..).zip(&all) {
            for time in [0.0, 2.0, 60.0] {
                let expected = Point { x: 0.0, y: 100.0 + 50.0 * time - 25.0 * f64::from(n) };
                assert!(apart(at(route.as_ref(), time), expected) < 1e-4, "{n} {time}");
            }
        }
    }
    // Without a heading each has its own, and with a spacing that of the first.
    let drawn = |spacing| keys(spacing).replace("heading = \"90 deg\"", "kind = \"straight\"");
    let drawn = |spacing| drawn(spacing).replacen("kind = \"straight\", ", "", 1);
    let own = made(&valid(WRAPPED, &drawn("")), 1);
    assert!(apart(at(own[0].as_ref(), 2.0), at(own[1].as_ref(), 2.0)) > 1.0);
    let train = made(&valid(WRAPPED, &drawn(", spacing = \"0 s\"")), 1);
    assert_eq!(train[0], train[2]);
}

#[test]
fn one_more_ue_moves_nobody() {
    let kinds = [
        ("streets", STREETS, "speed = \"60 km/h\""),
        ("straight", WRAPPED, "speed = { min = \"30 km/h\", max = \"50 km/h\" }"),
        (
            "random-waypoint",
            SINGLE,
            "speed = { min = \"1 km/h\", max = \"5 km/h\" }, pause = \"1 s\"",
        ),
    ];
    for (kind, network, options) in kinds {
        let keys = |count: u32, before: &str| {
            let own = format!("count = {count}\nroute = {{ kind = \"{kind}\", {options} }}");
            let before = if before.is_empty() { "" } else { "[[ue]]\nname = \"other\"\n" };
            valid(network, &format!("{before}{}", group(&own)))
        };
        let (two, three) = (made(&keys(2, ""), 5), made(&keys(3, "other"), 5));
        assert!(three[0].is_none() && two[0].is_some());
        assert_eq!(two[..], three[1..3], "{kind}");
        assert!(two[0] != two[1] && two[0] != made(&keys(2, ""), 6)[0], "{kind}");
    }
}

#[test]
fn begins_of_routes() {
    // The drop without a route has the begin of a straight line; streets have their own.
    let line = "count = 2\nroute = { kind = \"straight\", speed = \"30 km/h\" }";
    let scenario = valid(WRAPPED, &group(line));
    let drop = NetworkDrop::new(&valid(WRAPPED, &group("count = 2")), Seed(1)).expect("a drop");
    for (route, ue) in made(&scenario, 1).iter().zip(drop.expect("a network").ues) {
        assert_eq!(at(route.as_ref(), 0.0), ue.ue.at);
    }
    let cars = "count = 200\nroute = { kind = \"streets\", speed = \"60 km/h\" }";
    let grid = airpath_channel::streets::Streets::default();
    for route in made(&valid(STREETS, &group(cars)), 1) {
        assert!([0.0, 7.0, 60.0].iter().all(|&time| grid.has(at(route.as_ref(), time))));
    }
    // UEs that arrive begin as they do: 30 km/h are 8.33 m/s.
    let arrive = "arrivals = \"12 /min\"\nroute = { kind = \"straight\", speed = \"30 km/h\" }";
    let scenario = valid(WRAPPED, &group(arrive));
    let drawn = scenario.with_arrivals(Seed(1));
    let times: Vec<f64> =
        drawn.ues().map(|ue| ue.arrival().expect("an arrival").as_secs_f64()).collect();
    assert!(times.len() > 3);
    for (route, time) in made(&scenario, 1).iter().zip(times) {
        let gone = |seconds| apart(at(route.as_ref(), 0.0), at(route.as_ref(), seconds));
        assert!(gone(time) < 1e-6 && (gone(time + 6.0) - 50.0).abs() < 1e-5);
    }
}

#[test]
fn surroundings_on_a_route() {
    let on = |keys: &str| valid(SINGLE, &group(keys)).ue[0].surroundings_on_route();
    let route = "route = { kind = \"random-waypoint\", speed = \"3 km/h\" }";
    assert_eq!(on(""), None);
    assert_eq!(on(route), Some(Surroundings::Outdoors));
    assert_eq!(on(&format!("inside = \"car\"\n{route}")), Some(Surroundings::Car));
    let within = "place = { x = \"90 m\", y = \"0 m\", inside = \"building\" }";
    assert_eq!(on(&format!("{within}\n{route}")), Some(Surroundings::Building));
}

#[test]
fn points_by_speed_and_time() {
    // 10 m/s for 100 m, 20 m/s for 100 m, and then until 40 s.
    let keys = "count = 2\nroute = { kind = \"waypoints\", speed = \"10 m/s\", spacing = \"5 s\", point = [\n\
                { x = \"50 m\", y = \"0 m\" },\n{ x = \"50 m\", y = \"100 m\" },\n\
                { x = \"50 m\", y = \"200 m\", speed = \"20 m/s\" },\n\
                { x = \"150 m\", y = \"200 m\", time = \"40 s\" },\n] }";
    let all = made(&valid(SINGLE, &group(keys)), 1);
    let expected =
        [(5.0, 50.0, 50.0), (12.5, 50.0, 150.0), (27.5, 100.0, 200.0), (60.0, 150.0, 200.0)];
    for (time, x, y) in expected {
        assert!(apart(at(all[0].as_ref(), time), Point { x, y }) < 1e-5, "{time}");
        assert!(apart(at(all[1].as_ref(), time + 5.0), Point { x, y }) < 1e-5, "{time}");
    }
    assert_eq!(at(all[1].as_ref(), 4.0), Point { x: 50.0, y: 0.0 });
}

#[test]
fn files_serve_a_group_and_count_for_the_digest() {
    let keys =
        |file: &str| group(&format!("count = 2\nroute = {{ kind = \"file\", file = \"{file}\" }}"));
    let one = valid(SINGLE, &keys("one.csv"));
    let all = made(&one, 1);
    assert!(
        all[0] == all[1] && apart(at(all[0].as_ref(), 30.0), Point { x: 50.0, y: 50.0 }) < 1e-6
    );
    let two = valid(SINGLE, &keys("two.csv"));
    assert_eq!(at(made(&two, 1)[1].as_ref(), 9.0), Point { x: 60.0, y: 0.0 });
    assert_ne!(one.digest(), two.digest());
}

#[test]
fn defaults_of_streets_and_samples() {
    let network = |keys| valid(keys, &group("")).network.expect("a network");
    let usual = network(STREETS);
    assert_eq!(usual.streets.as_ref().map(|own| own.line_of_sight), Some(StreetSight::Buildings));
    assert_eq!(usual.sample(), Duration::from_millis(10));
    let own =
        network("environment = \"umi\"\nlayout = \"single\"\nmobility = { sample = \"200 ms\" }");
    assert_eq!(own.sample(), Duration::from_millis(200));
    assert!(own.streets.is_none());
    // A scenario as it is written has no key that its file lacks.
    let json = valid(SINGLE, &group("")).to_json().to_string();
    assert!(
        ["\"streets\"", "\"mobility\"", "\"route\"", "\"inside\""]
            .iter()
            .all(|key| !json.contains(key))
    );
    let car = group("route = { kind = \"streets\", speed = \"9 km/h\" }");
    let text = written(&valid(STREETS, &car));
    let again = Scenario::parse("again.toml", &text, &[]).expect("a scenario");
    assert_eq!(written(&again), text);
}

/// A scenario with its defaults as a file.
fn written(scenario: &Scenario) -> String {
    airpath_scenario::toml(scenario.to_json().as_object().expect("a table"))
}

/// A network, keys of the UE, and what the error says.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        SINGLE,
        "speed = \"3 km/h\"\nroute = { kind = \"random-waypoint\", speed = \"3 km/h\" }",
        "`ue.car.speed` is beside `ue.car.route`",
    ),
    (
        SINGLE,
        "distance = \"99 m\"\nroute = { kind = \"random-waypoint\", speed = \"3 km/h\" }",
        "`ue.car.distance` is beside `ue.car.route`",
    ),
    (SINGLE, "inside = \"car\"", "`ue.car.inside` is for UEs on a route"),
    (SINGLE, "route = { kind = \"train\" }", "cannot be \"train\""),
    (
        SINGLE,
        "route = { kind = \"straight\", speed = \"351 km/h\" }",
        "`ue.car.route.speed` is 351 km/h (allowed: 0.1 km/h to 350 km/h)",
    ),
    (
        SINGLE,
        "route = { kind = \"random-waypoint\", speed = { min = \"5 km/h\", max = \"3 km/h\" } }",
        "`ue.car.route.speed.max` is less than min",
    ),
    (
        SINGLE,
        "route = { kind = \"straight\", speed = \"3 km/h\" }",
        "whose edges are not joined (give ue.place and a heading",
    ),
    (
        "sites = 3\nwrap_around = false",
        "place = { x = \"90 m\", y = \"0 m\" }\nroute = { kind = \"straight\", speed = \"3 km/h\" }",
        "whose edges are not joined",
    ),
    // From (100, 0) at 10 m/s to the east the edge at 500 m comes after 40 s.
    (
        SINGLE,
        "place = { x = \"100 m\", y = \"0 m\" }\nroute = { kind = \"straight\", speed = \"10 m/s\", heading = \"0 deg\" }",
        "leaves the area of the network at 40.0 s, near x = 499",
    ),
    (
        SINGLE,
        "route = { kind = \"streets\", speed = \"60 km/h\" }",
        "`ue.car.route` needs streets, and there are none (add network.streets",
    ),
    (
        STREETS,
        "place = { x = \"50 m\", y = \"30 m\" }\nroute = { kind = \"streets\", speed = \"60 km/h\" }",
        "the nearest is x = 50 m, y = 0 m",
    ),
    (
        "environment = \"umi\"\nlayout = \"single\"\nradius = \"400 m\"\nstreets = {}",
        "route = { kind = \"streets\", speed = \"60 km/h\" }",
        "`network.streets` reaches to x = 433 m, y = 250 m",
    ),
    (
        "environment = \"umi\"\nlayout = \"single\"\nstreets = { blocks = [0, 2] }",
        "",
        "`network.streets.blocks` is [0, 2]",
    ),
    (
        "environment = \"umi\"\nlayout = \"single\"\nstreets = { blocks = [2] }",
        "",
        "`network.streets.blocks` has 1 values",
    ),
    (
        "environment = \"umi\"\nlayout = \"single\"\nstreets = { block = [\"20 m\", \"250 m\"] }",
        "",
        "`network.streets.block` is [20 m, 250 m]",
    ),
    (
        "environment = \"umi\"\nlayout = \"single\"\nmobility = { sample = \"2 s\" }",
        "",
        "`network.mobility.sample` is too large",
    ),
    (
        SINGLE,
        "place = { x = \"501 m\", y = \"0 m\" }\nroute = { kind = \"random-waypoint\", speed = \"3 km/h\" }",
        "`ue.car.place` is outside the network's area",
    ),
    (
        SINGLE,
        "place = { x = \"90 m\", y = \"0 m\" }\nroute = { kind = \"file\", file = \"one.csv\" }",
        "`ue.car.place` is beside a route with points",
    ),
    (
        SINGLE,
        "place = { x = \"90 m\", y = \"0 m\", inside = \"car\" }\ninside = \"car\"\nroute = { kind = \"random-waypoint\", speed = \"3 km/h\" }",
        "`ue.car.inside` is beside place.inside",
    ),
    (
        "environment = \"inh-open\"",
        "inside = \"car\"\nroute = { kind = \"random-waypoint\", speed = \"3 km/h\" }",
        "cannot be so in an office",
    ),
    (
        SINGLE,
        "count = 2\nroute = { kind = \"random-waypoint\", speed = \"3 km/h\", spacing = \"3 m\" }",
        "`ue.car.route.spacing` is a length, and the speed of the route changes",
    ),
    (
        SINGLE,
        "count = 2\nroute = { kind = \"random-waypoint\", speed = \"3 km/h\", spacing = \"3\" }",
        "`ue.car.route.spacing` cannot be \"3\"",
    ),
    (
        SINGLE,
        "arrivals = \"1 /s\"\nroute = { kind = \"random-waypoint\", speed = \"3 km/h\", spacing = \"3 s\" }",
        "`ue.car.route.spacing` is beside `ue.car.arrivals`",
    ),
    (
        SINGLE,
        "route = { kind = \"file\", file = \"none.csv\" }",
        "`ue.car.route.file` cannot be read: there is no none.csv",
    ),
    (
        SINGLE,
        "count = 3\nroute = { kind = \"file\", file = \"two.csv\" }",
        "`ue.car.route.file` has no positions of UE 2",
    ),
    (
        SINGLE,
        "route = { kind = \"file\", file = \"one.csv\", origin = { latitude = 1.0, longitude = 2.0 } }",
        "`ue.car.route.origin` is for GPX",
    ),
    // From (50, 2) at 2 m/s the distance is 10 m at x = 9.80 m, after 20.1 s.
    (
        SINGLE,
        "route = { kind = \"file\", file = \"near.csv\" }",
        "m from site 0 at 20.1 s: at least 10 m are allowed",
    ),
    (
        SINGLE,
        "route = { kind = \"file\", file = \"origin.gpx\" }",
        "route.origin = { latitude = …, longitude = … }",
    ),
    (
        "layout = \"single\"\nstreets = { blocks = [4000000000, 2] }",
        "route = { kind = \"streets\", speed = \"60 km/h\" }",
        "`network.streets.blocks` is [4000000000, 2]",
    ),
    (
        "streets = {}",
        "",
        "`network.streets` is a grid with an end in a network whose edges are joined",
    ),
    (SINGLE, "route = { kind = \"waypoints\", point = [] }", "`ue.car.route.point` has no points"),
];

#[test]
fn the_ends_of_the_range_of_speeds_are_allowed() {
    let units = [("0.1 km/h", 0.1 / 3.6), ("350 km/h", 350.0 / 3.6), ("97.2222 m/s", 97.2222)];
    for (speed, metres) in units {
        let line = format!("route = {{ kind = \"straight\", speed = \"{speed}\" }}");
        let route = made(&valid(WRAPPED, &group(&line)), 1).remove(0);
        let gone = apart(at(route.as_ref(), 0.0), at(route.as_ref(), 60.0));
        assert!((gone - 60.0 * metres).abs() < 1e-6, "{speed}: {gone}");
    }
    let slow = group("route = { kind = \"straight\", speed = \"0 km/h\" }");
    let error = read(WRAPPED, &slow).expect_err("a fault");
    assert_eq!(error.matches("is 0 km/h (allowed: 0.1 km/h to").count(), 1, "{error}");
}

#[test]
fn faults_name_the_key_and_the_mend() {
    for (network, ue, says) in FAULTS {
        let error = read(network, &group(ue)).expect_err("a fault");
        assert!(error.contains(says), "{ue}\n{error}");
        assert_eq!(error.matches("s.toml:").count(), 1, "{error}");
    }
}

#[test]
fn faults_of_points_name_both() {
    let keys = |points: &str| {
        group(&format!("route = {{ kind = \"waypoints\", point = [\n{points}\n] }}"))
    };
    let cases = [
        (
            "{ x = \"50 m\", y = \"0 m\" },\n{ x = \"60 m\", y = \"0 m\" }",
            "has neither a time nor a speed",
            11,
        ),
        (
            "{ x = \"50 m\", y = \"0 m\", time = \"2 s\" },\n{ x = \"60 m\", y = \"0 m\", time = \"1 s\" }",
            "point 2 has no later time than point 1",
            11,
        ),
        (
            "{ x = \"50 m\", y = \"0 m\" },\n{ x = \"148 m\", y = \"0 m\", time = \"1 s\" }",
            "from point 1 to point 2 its speed is 353 km/h",
            11,
        ),
        (
            "{ x = \"50 m\", y = \"0 m\" },\n{ x = \"60 m\", y = \"0 m\", time = \"1 s\", speed = \"9 km/h\" }",
            "is beside time",
            11,
        ),
        (
            "{ x = \"50 m\", y = \"0 m\" },\n{ x = \"560 m\", y = \"0 m\", time = \"51 s\" }",
            "leaves the area of the network at 45.0 s",
            9,
        ),
        (
            "{ x = \"50 m\", y = \"0 m\" },\n{ x = \"-50 m\", y = \"0 m\", time = \"10 s\" }",
            "from site 0 at 4.0 s: at least 10 m",
            9,
        ),
    ];
    for (points, says, line) in cases {
        let error = read(SINGLE, &keys(points)).expect_err("a fault");
        assert_eq!(error.matches("s.toml:").count(), 1, "{error}");
        assert!(
            error.contains(says) && error.contains(&format!("s.toml:{line}")),
            "{points}\n{error}"
        );
    }
}

#[test]
fn a_route_needs_a_network() {
    let keys = "snr = \"20 dB\"\nroute = { kind = \"streets\", speed = \"60 km/h\" }";
    let text = format!("duration = \"1 s\"\n{}", group(keys));
    let error = Scenario::parse("s.toml", &text, &[]).expect_err("a fault").plain();
    assert!(
        error.contains("`ue.car.route` needs a network, and there is none (add [network]"),
        "{error}"
    );
}
