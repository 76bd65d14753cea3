//! Runs whose UEs move along routes.

use airpath_base::{NodeId, Time, math};
use airpath_channel::Point;
use airpath_net::{Event, Handover, HandoverCause, Probe, RadioEvent, UePosition};
use airpath_scenario::Scenario;
use airpath_scenario::world::WorldOptions;
use airpath_sim::Course;

const NETWORK: &str =
    "duration = \"400 ms\"\noutput.positions = \"100 ms\"\n[network]\nsites = 7\n";
const FLOWS: &str = r#"
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
    handovers: Vec<Handover>,
    /// Blocks of this UE alone.
    of: Option<u32>,
}

impl Probe for Events {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::Moved(position) => self.positions.push((now, *position)),
            Event::Handover(record) => self.handovers.push((*record).clone()),
            Event::Radio(RadioEvent::Block { ue, .. })
                if self.of.is_none_or(|number| number == ue.0) =>
            {
                self.radio.push(format!("{now} {event:?}"));
            }
            _ => {}
        }
    }
}

/// Speed in km/h, begin and heading in degrees of UE `n`.
fn route(n: u32) -> (f64, Point, f64) {
    let angle = 47.0 * f64::from(n);
    let kmh = [3.0, 30.0, 120.0, 350.0][n as usize % 4];
    (kmh, Point::polar(60.0 + 9.0 * f64::from(n), angle), (3.0 * angle) % 360.0)
}

/// So many UEs with these keys. With `moving`, each but each third has a route, at speeds up to 350 km/h.
fn ues(count: u32, keys: &str, moving: bool) -> String {
    let one = |n: u32| {
        let (kmh, Point { x, y }, heading) = route(n);
        let own = format!(
            "place = {{ x = \"{x} m\", y = \"{y} m\" }}\nroute = {{ kind = \"straight\", speed = \"{kmh} km/h\", \
             heading = \"{heading} deg\" }}\n"
        );
        let own = if moving && !n.is_multiple_of(3) { &own[..] } else { "" };
        format!("[[ue]]\nname = \"phone-{n}\"\n{keys}{own}")
    };
    (0..count).map(one).collect()
}

/// 42 UEs in seven sites.
fn text(moving: bool) -> String {
    format!("{NETWORK}{}{FLOWS}", ues(42, "", moving))
}

fn run(text: &str, threads: usize, of: Option<u32>) -> Events {
    let scenario = Scenario::parse("s.toml", text, &[]).unwrap_or_else(|e| panic!("{}", e.plain()));
    let options = WorldOptions { threads, ..WorldOptions::default() };
    let mut course = Course::begin(&scenario, None, None, options).expect("a course");
    let mut events = Events { of, ..Events::default() };
    let end = Time::ZERO + scenario.duration;
    course.run_until(end, Some(&mut events)).expect("a run without failure");
    events
}

#[test]
fn the_number_of_threads_decides_nothing() {
    let text = format!("{}[[carrier]]\nname = \"high\"\nfrequency = \"3.5 GHz\"\n", text(true));
    let [one, three] = [1, 3].map(|threads| run(&text, threads, None));
    assert!(one.radio.len() > 10_000, "{}", one.radio.len());
    assert!(one.radio == three.radio && one.positions == three.positions);
}

#[test]
fn handovers_do_not_depend_on_the_number_of_threads() {
    let keys = "[network.handover]\npreparation = { kind = \"fixed\", delay = \"20 ms\" }\nerror = \"3 dB\"\n\
                event = { kind = \"a3\", hysteresis = \"0 dB\", time_to_trigger = \"0 ms\" }\n";
    let text =
        text(true).replace("400 ms", "700 ms").replacen("[[ue]]", &format!("{keys}[[ue]]"), 1);
    let [one, three] = [1, 3].map(|threads| run(&text, threads, None));
    assert!(one.handovers.len() > 5, "{}", one.handovers.len());
    assert!(one.radio == three.radio && one.handovers == three.handovers);
}

#[test]
fn conditional_handovers_do_not_depend_on_the_number_of_threads() {
    let keys = "[network.handover]\npreparation = { kind = \"fixed\", delay = \"20 ms\" }\nerror = \"3 dB\"\n\
                event = { kind = \"a3\", hysteresis = \"0 dB\", time_to_trigger = \"0 ms\" }\n\
                conditional.prepare = { kind = \"a3\", offset = \"-6 dB\", time_to_trigger = \"0 ms\" }\n";
    let text =
        text(true).replace("400 ms", "700 ms").replacen("[[ue]]", &format!("{keys}[[ue]]"), 1);
    let [one, three] = [1, 3].map(|threads| run(&text, threads, None));
    let executed = one.handovers.iter().filter(|one| one.conditional.is_some()).count();
    assert!(executed > 5, "{executed}");
    assert!(one.radio == three.radio && one.handovers == three.handovers);
}

#[test]
fn daps_handovers_do_not_depend_on_the_number_of_threads() {
    let keys = "[network.handover]\ndaps = true\npreparation = { kind = \"fixed\", delay = \"20 ms\" }\n\
                error = \"3 dB\"\n\
                event = { kind = \"a3\", hysteresis = \"0 dB\", time_to_trigger = \"0 ms\" }\n";
    let text =
        text(true).replace("400 ms", "700 ms").replacen("[[ue]]", &format!("{keys}[[ue]]"), 1);
    let [one, three] = [1, 3].map(|threads| run(&text, threads, None));
    let kept = one.handovers.iter().filter(|one| one.daps.is_some()).count();
    assert!(kept > 5, "{kept}");
    assert!(one.radio == three.radio && one.handovers == three.handovers);
}

#[test]
fn resumes_in_other_cells_do_not_depend_on_the_number_of_threads() {
    let keys = "[cell]\ntechnology = \"nr\"\nbandwidth = \"20 MHz\"\n\
                [cell.rrc]\nstart = \"connected\"\nrelease_after = \"20 ms\"\npaging_cycle = \"320 ms\"\n\
                inactive = { resume = { kind = \"normal\", mean = \"20 ms\", deviation = \"3 ms\" } }\n\
                [network.handover]\nerror = \"3 dB\"\nreselection_hysteresis = \"0 dB\"\n\
                reselection_time = \"0 ms\"\n";
    let flows = "[[flow]]\nname = \"push\"\nkind = \"rtp\"\ndirection = \"down\"\n\
                 [flow.rtp]\npayload = \"500 B\"\ninterval = \"250 ms\"\n";
    let text = format!("{NETWORK}{keys}{}{flows}", ues(42, "", true)).replace("400 ms", "1500 ms");
    let [one, three] = [1, 3].map(|threads| run(&text, threads, None));
    let resumes = |one: &&Handover| one.cause == HandoverCause::Resume;
    let resumed: Vec<&Handover> = one.handovers.iter().filter(resumes).collect();
    assert!(resumed.len() > 10, "{}", resumed.len());
    assert!(resumed.iter().all(|one| one.source != one.target && one.lost == 0));
    assert!(resumed.iter().map(|one| one.forwarded).sum::<u64>() > 5);
    assert!(one.radio == three.radio && one.handovers == three.handovers);
}

#[test]
fn positions_are_those_of_the_routes() {
    let events = run(&text(true), 1, None);
    let times: Vec<u64> =
        events.positions.iter().map(|(at, _)| at.as_nanos() / 1_000_000).collect();
    // 28 of 42 UEs move.
    let expected: Vec<u64> = [0, 100, 200, 300].into_iter().flat_map(|at| [at; 28]).collect();
    assert_eq!(times[..4 * 28], expected);
    for (now, position) in &events.positions {
        let (kmh, from, heading) = route(position.ue.0);
        let (gone, turned) = (kmh / 3.6 * now.as_nanos() as f64 * 1e-9, heading.to_radians());
        let x = from.x + gone * math::cos(turned);
        let y = from.y + gone * math::sin(turned);
        let [found_x, found_y] = position.at_m;
        assert!((found_x - x).abs() < 1e-6 && (found_y - y).abs() < 1e-6, "{position:?}");
        assert!((position.speed - kmh / 3.6).abs() < 1e-9);
        assert!((-160.0..-30.0).contains(&position.rsrp_dbm), "{position:?}");
    }
}

#[test]
fn a_ue_at_rest_has_the_bytes_that_it_has_among_others_at_rest() {
    // The UE that moves has no data, so it disturbs nobody.
    let flows = FLOWS.replace("kind = \"full-buffer\"", "kind = \"full-buffer\"\nue = \"phone\"");
    let phones = format!("{NETWORK}[[ue]]\nname = \"phone\"\ncount = 2\n[[ue]]\nname = \"car\"\n");
    let route = "route = { kind = \"straight\", speed = \"120 km/h\" }\n";
    for of in [0, 1] {
        let still = run(&format!("{phones}{flows}"), 1, Some(of)).radio;
        let beside = run(&format!("{phones}{route}{flows}"), 1, Some(of)).radio;
        assert!(still.len() > 100 && still == beside);
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
        let ues = ues(12, &format!("receivers = {receivers}\n"), true);
        let text = format!(
            "duration = \"100 ms\"\n[cell]\n{cell}[network]\nsites = 1\n{network}{ues}{FLOWS}"
        );
        let [one, three] = [1, 3].map(|threads| run(&text, threads, None));
        assert!(one.radio.len() > 100 && one.radio == three.radio, "{network}");
    }
}
