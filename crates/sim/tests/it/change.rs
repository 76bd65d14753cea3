//! Runs in which something changes.

use std::fs;
use std::path::Path;

use airpath_base::{Duration, Time};
use airpath_net::{Event, Packet, Probe};
use airpath_results::RunSummary;
use airpath_scenario::{Scenario, template, world::WorldOptions};
use airpath_sim::{Course, NotChanged, RunOptions, run};

fn scenario(text: &str) -> Scenario {
    Scenario::parse("s.toml", text, &[]).unwrap_or_else(|errors| panic!("{}", errors.plain()))
}

fn changing() -> Scenario {
    scenario(template("changes").expect("a template").text)
}

/// Arrivals of the last byte of each packet of a flow, in microseconds, by the packet's number.
#[derive(Default)]
struct Arrivals(Vec<(u64, u64)>);

impl Probe for Arrivals {
    fn on(&mut self, now: Time, _: airpath_base::NodeId, event: &Event<'_>) {
        if let Event::Consumed(packet) = event {
            let packet: &Packet = packet;
            self.0.push((packet.number, now.as_nanos() / 1_000));
        }
    }
}

/// A kilobyte each millisecond over 8 Mbit/s, which is half of that from 100 ms on for 50 ms.
const WIRE: &str = r#"
duration = "300 ms"
radio = "none"
[path.sgi]
rate = "8 Mbit/s"
delay = "10 ms"
queue = "unlimited"
[[flow]]
name = "stream"
kind = "rtp"
direction = "down"
rtp = { payload = "972 B", interval = "1 ms" }
[[change]]
at = "100 ms"
set = { "path.sgi.rate" = "4 Mbit/s" }
[[change]]
at = "150 ms"
set = { "path.sgi.rate" = "8 Mbit/s" }
"#;

#[test]
fn a_stream_waits_behind_a_link_that_slowed_down() {
    let mut arrivals = Arrivals::default();
    let listener: Option<&mut dyn Probe> = Some(&mut arrivals);
    let outcome = run(&scenario(WIRE), RunOptions { listener, ..RunOptions::default() });
    let summary = outcome.expect("a run").summary;
    let at = |number: u64| arrivals.0.iter().find(|(n, _)| *n == number).map(|(_, at)| *at);
    // 20 + 8 + 972 bytes take 1 ms. The packet of 99 ms has been sent at 100 ms.
    assert_eq!([at(0), at(99)], [Some(11_000), Some(110_000)]);
    // From then on 2 ms each: 25 of them in 50 ms.
    assert_eq!([at(100), at(124)], [Some(112_000), Some(160_000)]);
    // Those behind them wait for 25 that came meanwhile.
    assert_eq!([at(125), at(200)], [Some(161_000), Some(236_000)]);
    let stream = &summary.flows[0];
    assert_eq!((stream.sent_packets, stream.lost_packets), (301, 0));
    // 25 packets that waited 0 to 24 ms, then 25 ms for all others sent.
    let queue = &summary.links[0].queue;
    assert_eq!(queue.max_packets, 25);
    let told: Vec<_> = summary.changes.iter().map(|c| (c.at_s, c.set.join(", "))).collect();
    assert_eq!(
        told,
        [
            (0.1, "path.sgi.rate = 4 Mbit/s".to_owned()),
            (0.15, "path.sgi.rate = 8 Mbit/s".to_owned())
        ]
    );
    // Both directions are alike, and have no rate that would be the link's.
    assert_eq!([0, 1].map(|n| summary.links[n].rate_bps), [None, None]);
}

fn result(scenario: &Scenario, out: &Path) -> RunSummary {
    let options = RunOptions { out: Some(out), ..RunOptions::default() };
    run(scenario, options).expect("a run").summary
}

/// Names and contents of all files.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder");
    let read = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, fs::read(entry.path()).expect("a file"))
    };
    let mut all: Vec<_> = entries.map(|entry| read(entry.expect("an entry"))).collect();
    all.sort_unstable();
    all
}

#[test]
fn the_same_changes_give_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    let scenario = changing();
    let summary = result(&scenario, &one);
    result(&scenario, &two);
    let (one, two) = (files(&one), files(&two));
    assert!(one == two && one.iter().any(|(name, _)| name == "series.parquet"));
    assert_eq!(summary.changes.len(), 6);
    assert_eq!(summary.changes[3].set.len(), 2);
}

/// Bits a second that the download delivered between these seconds.
#[derive(Default)]
struct Rates(Vec<(f64, u64)>);

impl Probe for Rates {
    fn on(&mut self, now: Time, _: airpath_base::NodeId, event: &Event<'_>) {
        if let Event::App(flow, airpath_net::AppEvent::Delivered { bytes }) = event
            && flow.0 == 0
        {
            self.0.push((now.as_secs_f64(), *bytes));
        }
    }
}

impl Rates {
    fn mbps(&self, from: f64, to: f64) -> f64 {
        let within = self.0.iter().filter(|(at, _)| (from..to).contains(at));
        within.map(|(_, bytes)| *bytes as f64).sum::<f64>() * 8e-6 / (to - from)
    }
}

#[test]
fn a_download_follows_the_rate_the_ratio_and_its_pauses() {
    let mut rates = Rates::default();
    let listener: Option<&mut dyn Probe> = Some(&mut rates);
    run(&changing(), RunOptions { listener, ..RunOptions::default() }).expect("a run");
    let [before, slow, after] = [(1.0, 3.0), (4.5, 6.0), (7.0, 8.0)].map(|(a, b)| rates.mbps(a, b));
    assert!((12.0..20.0).contains(&before) && (12.0..20.0).contains(&after), "{before} {after}");
    assert!((4.0..5.0).contains(&slow), "{slow}");
    let [weak, again] = [(8.5, 11.0), (12.0, 13.0)].map(|(a, b)| rates.mbps(a, b));
    assert!(weak < before / 2.0 && again > 12.0, "{weak} {again}");
    let [paused, on] = [(13.3, 14.0), (14.5, 16.0)].map(|(a, b)| rates.mbps(a, b));
    assert!(paused == 0.0 && on > 8.0, "{paused} {on}");
}

#[test]
fn a_course_changes_by_hand_and_by_its_schedule_however_it_goes_on() {
    let text = WIRE.replace("[[change]]\nat = \"150 ms\"", "[[change]]\nat = \"0 s\"");
    let scenario = scenario(&text);
    let begin = || Course::begin(&scenario, None, None, WorldOptions::default()).expect("a course");
    let ms = Time::from_millis;
    let arrivals = |go: &dyn Fn(&mut Course, &mut Arrivals)| {
        let (mut course, mut arrivals) = (begin(), Arrivals::default());
        go(&mut course, &mut arrivals);
        let outcome = course.finish(true, None).expect("an end");
        (arrivals.0, outcome.summary.changes)
    };
    let by_hand = |course: &mut Course, arrivals: &mut Arrivals| {
        let text = "path.sgi.rate = 16 Mbit/s";
        course.change(ms(200), text, Some(arrivals)).expect("a rate");
    };
    let at_once = arrivals(&|course, arrivals| {
        by_hand(course, arrivals);
        course.run_until(ms(300), Some(arrivals)).expect("a run");
    });
    let in_pieces = arrivals(&|course, arrivals| {
        assert_eq!(course.next_change(), Some(Time::ZERO));
        let step = Duration::from_micros(7_300);
        let mut end = Time::ZERO + step;
        while end < ms(200) {
            while !course.run_some(end, 3, Some(arrivals)).expect("a run") {}
            end += step;
        }
        by_hand(course, arrivals);
        assert_eq!(course.next_change(), None);
        while !course.run_some(ms(300), 3, Some(arrivals)).expect("a run") {}
    });
    assert!(at_once == in_pieces);
    let times: Vec<f64> = at_once.1.iter().map(|change| change.at_s).collect();
    assert_eq!(times, [0.0, 0.1, 0.2]);
    assert_eq!(at_once.1[2].set, ["path.sgi.rate = 16 Mbit/s"]);
    // A wrong change leaves the run as it is.
    let mut course = begin();
    let wrong = course.change(ms(5), "path.sgi.rat=3", None).expect_err("no such key");
    assert!(matches!(&wrong, NotChanged::Wrong(_)) && wrong.to_string().contains("did you mean"));
    course.run_until(ms(300), None).expect("a run");
    let summary = course.finish(true, None).expect("an end").summary;
    assert_eq!(summary.changes.len(), 2);
}

#[test]
fn a_schedule_counts_against_what_was_changed_by_hand() {
    let scenario = scenario(&WIRE.replace("\"4 Mbit/s\"", "\"8 Mbit/s\""));
    let mut course =
        Course::begin(&scenario, None, None, WorldOptions::default()).expect("a course");
    let mut arrivals = Arrivals::default();
    let at = Time::from_millis(50);
    course.change(at, "path.sgi.rate=2 Mbit/s", Some(&mut arrivals)).expect("a rate");
    course.run_until(Time::from_millis(300), Some(&mut arrivals)).expect("a run");
    // 50 ms at 4 ms each, then 8 Mbit/s again: 12 and a half of 50, so all are 38 ms late.
    let last = arrivals.0.iter().find(|(number, _)| *number == 200).expect("a packet");
    assert_eq!(last.1, 211_000 + 37_500);
}
