use airpath_base::{BitRate, FlowId};
use airpath_wire::Endpoint;
use std::net::Ipv4Addr;

use super::*;
use crate::tests::{run, run_paused};
use crate::{Behaviour, RequestConfig};
use airpath_transport::control::ControllerName;
use airpath_transport::testing::Log;

const SECOND: Duration = Duration::from_secs(1);
const FOREVER: Time = Time::from_millis(50_000_000);

fn fixed(size: f64) -> SizeLaw {
    let shape = SizeShape::Normal;
    SizeLaw { shape, mean: size, deviation: 0.0, min: 1.0, max: 1e9 }
}

fn usual(next: NextPage, count: u64) -> WebConfig {
    let shape = SizeShape::Lognormal;
    let object = SizeLaw { shape, mean: 7758.0, deviation: 126_168.0, min: 50.0, max: 2e6 };
    let index = SizeLaw { mean: 10_710.0, deviation: 25_032.0, min: 100.0, ..object };
    let objects = ObjectCount { location: 15.0, shape: 3.1, max: 1_000, subtract_location: None };
    WebConfig { index, object, objects, next, count: Some(count) }
}

fn read(mean: Duration) -> NextPage {
    let reading = Reading { mean, max: SECOND * 7, beyond: Beyond::Clamp };
    NextPage::Read { reading, sessions: None }
}

fn config() -> RequestConfig {
    let end = |n, port| Endpoint::new(Ipv4Addr::new(10, 0, 0, n), port);
    let base = RequestConfig::new(FlowId(0), end(2, 50_000), end(1, 80));
    RequestConfig { connections: 6, ..base }
}

fn user(config: WebConfig) -> Behaviour {
    Behaviour::Web(Web::new(config, WebDraws::new(Seed(5), "user")))
}

fn fetch(web: WebConfig, rate: Option<BitRate>, loss: f64, end: Time) -> Log {
    run(config(), user(web), rate, loss, end).0
}

#[test]
fn objects_are_asked_for_when_the_index_has_come_over_six_connections() {
    let objects = ObjectCount { location: 8.0, shape: 1e6, max: 8, subtract_location: None };
    let web =
        WebConfig { index: fixed(500.0), object: fixed(300.0), objects, ..usual(read(SECOND), 1) };
    let log = fetch(web, None, 0.0, FOREVER);
    let ms = |at: Time| at.as_nanos() / 1_000_000;
    let exchanges: Vec<_> =
        log.exchanges.iter().map(|e| (ms(e.asked), ms(e.done.unwrap()), e.connection)).collect();
    // One round trip is for the handshake and one for the index. Objects on the open connection
    // take one more, those on others two, and two of the eight wait for the first.
    let expected = [
        (0, 40, 0),
        (40, 60, 0),
        (60, 80, 0),
        (40, 80, 1),
        (40, 80, 2),
        (40, 80, 3),
        (40, 80, 4),
        (40, 80, 5),
        (80, 100, 0),
    ];
    let mut sorted = expected;
    sorted.sort_by_key(|(asked, done, connection)| (*done, *asked, *connection));
    let mut found = exchanges.clone();
    found.sort_by_key(|(asked, done, connection)| (*done, *asked, *connection));
    assert_eq!(found, sorted);
    let [page] = log.pages[..] else { panic!("{:?}", log.pages) };
    assert_eq!((page.number, page.objects, page.bytes), (0, 8, 500 + 8 * 300));
    assert_eq!((page.asked, page.done), (Time::ZERO, Some(Time::from_millis(100))));
}

#[test]
fn a_page_without_objects_is_done_with_its_index() {
    let objects = ObjectCount { location: 8.0, shape: 1e6, max: 8, subtract_location: Some(true) };
    let web = WebConfig { index: fixed(500.0), objects, ..usual(read(SECOND), 3) };
    let log = fetch(web, None, 0.0, FOREVER);
    let pages: Vec<_> =
        log.pages.iter().map(|page| (page.number, page.objects, page.bytes)).collect();
    assert_eq!(pages, [(0, 0, 500), (1, 0, 500), (2, 0, 500)]);
    assert!(log.pages.iter().all(|page| page.done.is_some()));
}

#[test]
fn a_page_is_the_same_whatever_the_network_did() {
    let web = || usual(read(SECOND * 5), 30);
    let fast = fetch(web(), None, 0.0, FOREVER);
    let slow = fetch(web(), Some(BitRate::from_kbps(900)), 0.02, FOREVER);
    let mut other = config();
    other.tcp.controller = ControllerName::NewReno;
    let other = run(other, user(web()), Some(BitRate::from_mbps(3)), 0.0, FOREVER).0;
    let contents = |log: &Log| -> Vec<_> {
        log.pages.iter().map(|page| (page.number, page.objects, page.bytes)).collect()
    };
    assert_eq!(contents(&fast).len(), 30);
    assert_eq!(contents(&fast), contents(&slow));
    assert_eq!(contents(&fast), contents(&other));
    let reading = |log: &Log| -> Vec<Duration> {
        let pairs = log.pages.windows(2);
        pairs.map(|pair| pair[1].asked.saturating_since(pair[0].done.unwrap())).collect()
    };
    assert_eq!(reading(&fast), reading(&slow));
    let delay = |log: &Log| log.pages[0].done.unwrap();
    assert!(delay(&fast) < delay(&other) && delay(&other) < delay(&slow));
    // Another user reads other pages.
    let neighbour = Web::new(web(), WebDraws::new(Seed(5), "neighbour"));
    let neighbour = run(config(), Behaviour::Web(neighbour), None, 0.0, FOREVER).0;
    assert_ne!(contents(&fast), contents(&neighbour));
}

#[test]
fn what_a_page_has_is_the_sum_of_its_responses() {
    let log = fetch(usual(read(SECOND), 20), None, 0.0, FOREVER);
    let responses: u64 = log.exchanges.iter().map(|exchange| exchange.response).sum();
    let pages: u64 = log.pages.iter().map(|page| page.bytes).sum();
    let requests: u64 = log.pages.iter().map(|page| 1 + u64::from(page.objects)).sum();
    assert_eq!((log.pages.len(), pages, log.delivered[0]), (20, responses, responses));
    assert_eq!(requests, log.exchanges.len() as u64);
}

#[test]
fn a_page_that_is_under_way_at_the_end_is_not_done() {
    let log =
        fetch(usual(read(SECOND), 9), Some(BitRate::from_kbps(40)), 0.0, Time::from_millis(9_000));
    let [page] = log.pages[..] else { panic!("{:?}", log.pages) };
    assert_eq!((page.number, page.asked, page.done), (0, Time::ZERO, None));
}

#[test]
fn pages_by_the_clock_come_however_slow_the_network_is() {
    let next = NextPage::Poisson(SECOND * 2);
    let fast = fetch(usual(next, 400), None, 0.0, FOREVER);
    let slow = fetch(usual(next, 400), Some(BitRate::from_kbps(400)), 0.0, FOREVER);
    let asked = |log: &Log| -> Vec<_> {
        let mut asked: Vec<_> = log.pages.iter().map(|page| (page.number, page.asked)).collect();
        asked.sort_unstable();
        asked
    };
    assert_eq!(asked(&fast), asked(&slow));
    // The mean of 400 gaps has a standard error of 0.1 s.
    let mean = asked(&fast)[399].1.as_secs_f64() / 400.0;
    assert!((mean - 2.0).abs() < 0.4, "{mean}");
    // Offered 770 kbit/s: pages wait for those before, and still go in their order.
    let done: Vec<_> = slow.pages.iter().map(|page| page.number).collect();
    let delay = |log: &Log| {
        let delays = log.pages.iter().map(|p| p.done.unwrap().saturating_since(p.asked));
        delays.map(Duration::as_secs_f64).sum::<f64>()
    };
    assert_eq!(done.len(), 400);
    assert!(delay(&slow) > 10.0 * delay(&fast));
}

#[test]
fn a_session_has_some_pages_and_then_there_is_a_pause() {
    let reading = Reading { mean: SECOND, max: SECOND * 7, beyond: Beyond::Clamp };
    let sessions = Some(Sessions { pages: 4.0, pause: SECOND * 1000 });
    let next = NextPage::Read { reading, sessions };
    let log = fetch(usual(next, 2_000), None, 0.0, Time::from_millis(5_000_000_000));
    assert_eq!(log.pages.len(), 2_000);
    let away = |pair: &[PageLoad]| pair[1].asked.saturating_since(pair[0].done.unwrap());
    let away: Vec<f64> = log.pages.windows(2).map(|pair| away(pair).as_secs_f64()).collect();
    let pauses: Vec<f64> = away.into_iter().filter(|away| *away > 7.0).collect();
    let share = pauses.len() as f64 / 1_999.0;
    // A quarter of the pages, but for pauses below 7 s; four standard errors of each.
    assert!((share - 0.25).abs() < 0.04, "{share}");
    let mean = pauses.iter().sum::<f64>() / pauses.len() as f64;
    assert!((mean - 1_000.0).abs() < 200.0, "{mean}");
}

#[test]
fn pages_that_fall_due_in_a_pause_are_one() {
    let asked = |next, changes: &[(u64, bool)]| {
        let web = usual(next, 200);
        let (log, _) = run_paused(config(), user(web), (None, 0.0), changes, FOREVER);
        assert!(log.pages.len() == 200 && log.pages.iter().all(|page| page.done.is_some()));
        log.pages.iter().map(|page| page.asked).collect::<Vec<Time>>()
    };
    let (from, to) = (Time::from_millis(20_000), Time::from_millis(60_000));
    for next in [NextPage::Poisson(SECOND), read(SECOND)] {
        let changes = [(20, false), (60, true)];
        let (paused, whole) = (asked(next, &changes), asked(next, &[]));
        assert!(whole.iter().filter(|at| (from..to).contains(at)).count() > 15);
        let late = paused.iter().filter(|at| (from..to).contains(at)).count();
        let next = paused.iter().filter(|at| **at == to).count();
        assert_eq!((late, next), (0, 1));
        // Before it, nothing is different.
        let before = |all: &[Time]| all.iter().copied().filter(|at| *at < from).collect::<Vec<_>>();
        assert_eq!(before(&paused), before(&whole));
    }
}
