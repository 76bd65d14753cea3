//! A stack of a user's behind a flow of a scenario.

use airpath_base::{Duration, Time};
use airpath_scenario::Scenario;
use airpath_scenario::stacks::{
    Content, Datagram, Ecn, Endpoint, Outcome, Report, Stack, Transmit, interned,
};
use airpath_scenario::world::{OwnParts, StackFlow};
use airpath_sim::{RunFailure, RunOptions, run};

/// Ten datagrams of 1000 B, one each 20 ms, from the source to the sink. The sink ends the flow.
#[derive(Default)]
struct Ticks {
    /// Other end, at the source.
    sink: Option<Endpoint>,
    sent: u32,
    next: Option<Time>,
    got: u64,
    reports: Vec<Report>,
}

impl Stack for Ticks {
    fn begin(&mut self, now: Time) {
        self.next = Some(now).filter(|_| self.sink.is_some());
    }

    fn stop(&mut self, _: Time) {
        self.next = None;
    }

    fn receive(&mut self, _: Time, datagram: Datagram<'_>) {
        let bytes = datagram.payload.len() as u64;
        self.got += bytes;
        self.reports.push(Report::Delivered { bytes });
        if self.got == 10_000 {
            self.reports.push(Report::Ended(Outcome::Finished));
        }
    }

    fn wake(&mut self, _: Time) {}

    fn transmit(&mut self, now: Time) -> Option<Transmit> {
        let next = self.next.filter(|next| *next <= now)?;
        self.sent += 1;
        self.next = Some(next + Duration::from_millis(20)).filter(|_| self.sent < 10);
        let (ecn, remote, payload) = (Ecn::NotEct, self.sink?, vec![0; 1_000]);
        Some(Transmit { ecn, remote, payload, content: Content::Other })
    }

    fn timeout(&mut self) -> Option<Time> {
        self.next
    }

    fn report(&mut self) -> Option<Report> {
        self.reports.pop()
    }
}

const WIRE: &str = r#"
duration = "1 s"
radio = "none"
[path.sgi]
rate = "8 Mbit/s"
delay = "10 ms"
[[flow]]
name = "own"
kind = "quic"
direction = "down"
start = "100 ms"
[[flow]]
name = "usual"
kind = "quic"
direction = "up"
size = "10 kB"
"#;

type Made = Result<Option<[Box<dyn Stack>; 2]>, String>;

fn with(make: &dyn Fn(&StackFlow<'_>) -> Made) -> Result<airpath_sim::Outcome, RunFailure> {
    let scenario = Scenario::parse("own.toml", WIRE, &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let own = OwnParts { stacks: Some(make), ..OwnParts::default() };
    run(&scenario, RunOptions { own, ..RunOptions::default() })
}

#[test]
fn both_ends_of_a_flow_are_the_users() {
    let make = |flow: &StackFlow<'_>| -> Made {
        if flow.flow != "own" {
            assert!(flow.is_upload && flow.size == Some(10_000));
            return Ok(None);
        }
        assert!(!flow.is_upload && flow.source.port != flow.sink.port);
        let source = Ticks { sink: Some(flow.sink), ..Ticks::default() };
        Ok(Some([Box::new(source), Box::<Ticks>::default()]))
    };
    let flows = with(&make).expect("a run").summary.flows;
    assert_eq!((flows[0].delivered_bytes, flows[1].delivered_bytes), (10_000, 10_000));
    // The first leaves at 100 ms, the last 180 ms later. 1028 B take 1.028 ms at 8 Mbit/s, and the wire 10 ms.
    assert_eq!(flows[0].finish_s, Some(0.291_028));
    assert!(flows[1].quic.as_ref().is_some_and(|quic| quic.connections == 1));
}

#[test]
fn a_stack_that_cannot_be_made_ends_the_run_with_its_reason() {
    let failed = with(&|_| Err("no keys".to_owned())).err().expect("a failure");
    assert!(failed.to_string().contains("own: no keys"), "{failed}");
}

#[test]
fn a_reason_that_is_made_at_run_time_is_kept_once() {
    let [one, other] = [1, 1].map(|n| interned(format!("reason {n}")));
    assert!(std::ptr::eq(one, other) && one == "reason 1");
}
