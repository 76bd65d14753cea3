//! UEs that arrive: how many, when, where, and what they do.

use airpath_base::random::Seed;
use airpath_base::{Duration, NodeId, Time};
use airpath_net::{AppEvent, Event, Probe};
use airpath_scenario::world::{NetworkDrop, World};
use airpath_scenario::{Errors, Scenario};

const HEAD: &str = r#"
duration = "20 s"
[[ue]]
name = "ftp"
arrivals = "2 /s"
distance = { min = "35 m", max = "500 m" }
[[flow]]
name = "file"
kind = "tcp"
direction = "down"
size = "10 kB"
"#;

fn with(text: &str) -> Result<Scenario, Errors> {
    Scenario::parse("s.toml", text, &[])
}

fn valid(text: &str) -> Scenario {
    with(text).unwrap_or_else(|errors| panic!("{}", errors.plain()))
}

/// Times at which the UEs of the first group arrive.
fn arrivals(scenario: &Scenario, seed: u64) -> Vec<f64> {
    let drawn = scenario.with_arrivals(Seed(seed));
    let first = drawn.ues().filter(|ue| ue.group_index == 0);
    first.map(|ue| ue.arrival().expect("an arrival").as_secs_f64()).collect()
}

#[test]
fn gaps_are_exponential_and_so_many_come_in_a_run() {
    let scenario = valid(&HEAD.replace("20 s", "1000 s"));
    let runs: Vec<Vec<f64>> = (0..100).map(|seed| arrivals(&scenario, seed)).collect();
    // A Poisson number of mean 2000: the mean of 100 runs has a standard error of 4.5, their
    // variance is 2000 with one of 283.
    let counts: Vec<f64> = runs.iter().map(|times| times.len() as f64).collect();
    let mean = counts.iter().sum::<f64>() / 100.0;
    let variance = counts.iter().map(|n| (n - mean) * (n - mean)).sum::<f64>() / 99.0;
    assert!((mean - 2_000.0).abs() < 18.0, "{mean}");
    assert!((variance - 2_000.0).abs() < 900.0, "{variance}");
    // Gaps of mean 0.5 s: an exponential one is above its mean in 36.79% of cases.
    let gaps: Vec<f64> = runs.iter().flat_map(|t| t.windows(2).map(|w| w[1] - w[0])).collect();
    let long = gaps.iter().filter(|gap| **gap > 0.5).count() as f64 / gaps.len() as f64;
    assert!((long - 0.367_88).abs() < 0.005, "{long}");
    assert!(runs.iter().flatten().all(|at| (0.0..1000.0).contains(at)));
}

#[test]
fn another_group_or_a_longer_run_moves_no_arrival() {
    let usual = arrivals(&valid(HEAD), 3);
    let more =
        HEAD.replace("[[flow]]", "[[ue]]\nname = \"other\"\ncount = 5\nsnr = \"9 dB\"\n[[flow]]");
    assert_eq!(arrivals(&valid(&more), 3), usual);
    let longer = arrivals(&valid(&HEAD.replace("20 s", "40 s")), 3);
    assert_eq!(longer[..usual.len()], usual);
    assert_ne!(arrivals(&valid(HEAD), 4), usual);
}

/// Times at which flows started and were finished.
#[derive(Default)]
struct Flows(Vec<(Option<Time>, Option<Time>)>);

impl Probe for Flows {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        let Event::App(flow, app) = event else { return };
        if self.0.len() <= flow.index() {
            self.0.resize(flow.index() + 1, (None, None));
        }
        match app {
            AppEvent::Started => self.0[flow.index()].0 = Some(now),
            AppEvent::Finished => self.0[flow.index()].1 = Some(now),
            _ => {}
        }
    }
}

#[test]
fn each_fetches_one_file_from_its_arrival_on() {
    let scenario = valid(&HEAD.replace("size =", "start = \"100 ms\"\nsize ="));
    let mut world = World::build(&scenario, Seed(1)).expect("a world");
    let facts = world.facts.clone();
    assert!(facts.ues.len() > 20, "{}", facts.ues.len());
    assert_eq!((facts.ues[0].name.as_str(), facts.flows[0].name.as_str()), ("ftp-0", "file ftp-0"));
    let mut flows = Flows::default();
    world.engine.run_until(Time::from_millis(20_000), Some(&mut flows)).expect("a run");
    world.engine.audit().expect("books that close");
    let places: Vec<f64> = facts.ues.iter().filter_map(|ue| ue.distance_m).collect();
    assert!(places.windows(2).all(|pair| pair[0] != pair[1]), "each has a place of its own");
    for (ue, (flow, (started, finished))) in facts.ues.iter().zip(facts.flows.iter().zip(&flows.0))
    {
        let due = ue.arrival.expect("an arrival") + Duration::from_millis(100);
        assert_eq!((flow.start, *started), (due, Some(due)));
        let left = finished.is_some_and(|at| at > due && at.since(due) < Duration::from_secs(2));
        assert!(left || due > Time::from_millis(18_000), "{}: {finished:?}", ue.name);
    }
}

#[test]
fn who_has_not_come_or_has_left_costs_the_engine_nothing() {
    let wakes = |rate: &str, duration: &str| {
        let text = HEAD.replace("2 /s", rate).replace("20 s", duration);
        let mut world = World::build(&valid(&text), Seed(1)).expect("a world");
        let end = Time::from_millis(20_000);
        let mut wakes = 0;
        while let Some(at) = world.engine.next_wake().filter(|at| *at < end) {
            world.engine.run_until(at, None).expect("a run");
            wakes += 1;
        }
        (world.facts.ues.len(), wakes)
    };
    // Those who come after 20 s change nothing before.
    let (few, until) = wakes("2 /s", "20 s");
    let (many, beyond) = wakes("2 /s", "2000 s");
    assert!(many > 50 * few, "{few} {many}");
    assert_eq!(until, beyond);
}

#[test]
fn in_a_network_each_is_dropped_at_random() {
    let text = HEAD.replace("distance = { min = \"35 m\", max = \"500 m\" }\n", "")
        + "[network]\nsites = 1\nwrap_around = false\n[cell]\nbandwidth = \"10 MHz\"\n";
    let scenario = valid(&text);
    let drop = |seed| NetworkDrop::new(&scenario, Seed(seed)).expect("a drop").expect("a network");
    let (a, b) = (drop(1), drop(2));
    assert_eq!(a.ues.len(), scenario.with_arrivals(Seed(1)).ues().count());
    let place = |drop: &NetworkDrop, n: usize| (drop.ues[n].ue.at.x, drop.ues[n].ue.at.y);
    assert!(place(&a, 0) != place(&a, 1) && place(&a, 0) != place(&b, 0));
}

#[test]
fn a_run_in_which_nobody_comes_is_a_run() {
    let scenario = valid(&HEAD.replace("2 /s", "1 /h"));
    let mut world = World::build(&scenario, Seed(1)).expect("a world");
    assert_eq!((world.facts.ues.len(), world.facts.flows.len()), (0, 0));
    world.engine.run_until(Time::from_millis(20_000), None).expect("a run");
}

#[test]
fn mistakes_point_at_their_line_and_say_what_is_allowed() {
    let cases = [
        ("arrivals = \"2 /s\"", "arrivals = \"600 /s\"", "makes up to 12667 UEs", 5),
        ("arrivals = \"2 /s\"", "arrivals = \"2 /s\"\ncount = 3", "is beside count", 5),
        ("arrivals = \"2 /s\"", "arrivals = \"0 /s\"", "is zero", 5),
        ("arrivals = \"2 /s\"", "arrivals = 2", "has no unit", 5),
        ("arrivals = \"2 /s\"", "arrivals = \"2 Hz\"", "/s, /min, /h", 5),
        ("size =", "only = \"0\"\nsize =", "picks from UEs that arrive", 11),
    ];
    for (from, to, says, line) in cases {
        let text = with(&HEAD.replace(from, to)).expect_err("a mistake").plain();
        assert!(text.contains(says), "{to}\n{text}");
        assert!(text.contains(&format!("s.toml:{line}")), "{line}: {text}");
    }
}
