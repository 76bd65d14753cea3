use airpath_base::random::Seed;
use airpath_scenario::Scenario;
use airpath_scenario::world::World;

use super::*;

const TWO: &str = r#"
duration = "10 s"
radio = "none"
[path.sgi]
rate = "5 Mbit/s"
[[ue]]
name = "a"
count = 2
[[flow]]
name = "down"
kind = "tcp"
direction = "down"
start = "1 s"
stop = "4 s"
dscp = 10
mark_feedback = false
[[flow]]
name = "up"
kind = "tcp"
direction = "up"
size = "1 MB"
ue = "a"
only = "1"
[output]
warm_up = "2 s"
"#;

fn world() -> (Halves, Facts) {
    let scenario = Scenario::parse("test.toml", TWO, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    let halves = Halves::new(&scenario, false).expect("flows");
    let world = World::build(&halves.scenario, Seed(1)).expect("a world");
    (halves, world.facts)
}

#[test]
fn each_end_is_told_what_the_simulated_one_does() {
    let (halves, facts) = world();
    let server = Ipv4Addr::new(10, 46, 0, 1);
    let [far, near] = orders(&halves, &facts.flows[1], server);
    assert_eq!((far.sends, far.opens, near.sends, near.opens), (true, false, false, true));
    assert_eq!(far.local, near.remote);
    assert_eq!((*far.local.ip(), *near.local.ip()), (server, Ipv4Addr::new(10, 45, 0, 3)));
    assert_eq!((far.dscp, near.dscp), (10, 0));
    assert_eq!((near.start, near.stop), (1_000_000_000, Some(4_000_000_000)));
    assert_eq!((near.end, near.counts_from), (10_000_000_000, 2_000_000_000));
    assert_eq!((&far.controller[..], far.mss, far.bytes), ("cubic", 1460, None));
    let [far, near] = orders(&halves, &facts.flows[2], server);
    assert_eq!((far.sends, near.sends, near.bytes), (false, true, Some(1_000_000)));
    assert_eq!(ues(&halves, &facts).len(), 2);
}

#[test]
fn goodput_is_over_the_time_that_a_flow_was_active() {
    let (halves, facts) = world();
    let report = |counted, last, finish| Report { counted, last, finish, ..Report::default() };
    // From the end of the warm-up to the last delivery behind the stop, 2 s to 5 s.
    let stopped = report(1_500_000, Some(5_000_000_000), None);
    assert_eq!(goodput(&halves, &facts.flows[0], &stopped), Some(4e6));
    // To the planned stop.
    let early = report(1_000_000, Some(3_000_000_000), None);
    assert_eq!(goodput(&halves, &facts.flows[0], &early), Some(4e6));
    // To its completion.
    let complete = report(500_000, Some(3_000_000_000), Some(3_000_000_000));
    assert_eq!(goodput(&halves, &facts.flows[2], &complete), Some(4e6));
    // To the end of the run.
    assert_eq!(goodput(&halves, &facts.flows[2], &report(1_000_000, None, None)), Some(1e6));
}

#[test]
fn what_a_program_did_not_report_is_an_error() {
    let mut nothing = memory().expect("memory");
    assert!(report(&mut nothing).expect_err("nothing").contains("without a word"));
    let mut broken = memory().expect("memory");
    let text = serde_json::to_string(&crate::transfer::failed("no route")).expect("JSON");
    std::io::Write::write_all(&mut broken, text.as_bytes()).expect("memory");
    assert_eq!(report(&mut broken), Err("no route".to_owned()));
}
