use airpath_wire::{SeqNumber, TcpRepr};

use super::{Range, Trace, Traced, Way};
use crate::testing::{Capture, From, seg};
use crate::{Analyser, FlowRecord, Options, Sink};

/// Flows, and the packets of the traced one.
#[derive(Default)]
struct Taken {
    flows: Vec<FlowRecord>,
    traces: Vec<(u64, Trace)>,
}

impl Sink for &mut Taken {
    fn flow(&mut self, flow: &FlowRecord) {
        self.flows.push(flow.clone());
    }

    fn trace(&mut self, trace: &Trace) {
        let number = self.flows.last().expect("its flow").number;
        self.traces.push((number, trace.clone()));
    }
}

fn taken(capture: &[u8], trace: Option<Traced>) -> Taken {
    let mut taken = Taken::default();
    let options = Options { trace, ..Options::default() };
    let mut analyser = Analyser::with_sink(options, &mut taken);
    analyser.read("test", capture).unwrap();
    analyser.finish();
    taken
}

/// Data is lost, reported missing, sent again and acknowledged; the base is near the wrap.
fn lossy() -> Vec<u8> {
    let mut capture = Capture::new();
    capture.port = 80;
    capture.tcp(0, From::Client, &seg(1, 1, 10));
    capture.port = 443;
    capture.handshake();
    capture.tcp(60_000, From::Client, &seg(1, 1, 100));
    capture.tcp(100_000, From::Server, &seg(1, 101, 1000));
    capture.tcp(101_000, From::Server, &seg(1001, 101, 1000));
    capture.tcp(102_000, From::Server, &seg(2001, 101, 1000));
    capture.tcp(150_000, From::Client, &seg(101, 1001, 0));
    let mut missing = seg(101, 1001, 0);
    missing.sack.push(SeqNumber(2001), SeqNumber(3001));
    capture.tcp(152_000, From::Client, &missing);
    capture.tcp(400_000, From::Server, &seg(1001, 101, 1000));
    capture.tcp(450_000, From::Client, &TcpRepr { window: 0, ..seg(101, 3001, 0) });
    capture.bytes()
}

#[test]
fn what_was_sent_acknowledged_and_allowed_is_traced() {
    let capture = lossy();
    let first = taken(&capture, None);
    assert!(first.traces.is_empty());
    let flow = first.flows.iter().find(|flow| flow.server.port == 443).unwrap();
    let second = taken(&capture, Traced::of(flow));
    let [(number, Trace { up, down, packets: None })] = &second.traces[..] else {
        panic!("one trace")
    };
    assert_eq!(*number, flow.number);
    assert_eq!(up.sent.points(), [(0.06, 100.0)]);
    assert_eq!(down.sent.points(), [(0.1, 1000.0), (0.101, 2000.0), (0.102, 3000.0)]);
    assert_eq!(down.again.points(), [(0.4, 2000.0)]);
    assert_eq!(down.acked.points(), [(0.15, 1000.0), (0.152, 1000.0), (0.45, 3000.0)]);
    // Windows of 1000, shifted by two bits; the last one is closed.
    assert_eq!(down.window.points(), [(0.15, 5000.0), (0.152, 5000.0), (0.45, 3000.0)]);
    assert_eq!(down.sacked.as_slice(), [Range { at: 0.152, low: 2000.0, high: 3000.0 }]);
    assert_eq!(down.rtt_ms.points()[0], (0.15, 50.0));
    assert!(down.overtaken.is_empty());
    // The record is that of the first reading, with intervals.
    let again = second.flows.iter().find(|other| other.number == flow.number).unwrap();
    assert!(flow.down.intervals.is_empty() && !again.down.intervals.is_empty());
    assert_eq!((&again.down.causes, &again.verdict), (&flow.down.causes, &flow.verdict));
}

#[test]
fn datagrams_are_added_up() {
    let mut capture = Capture::new();
    for (micros, from, len) in [(0, From::Client, 10), (5_000, From::Server, 30)] {
        capture.udp(micros, from, &vec![0; len]);
        capture.udp(micros + 1_000, from, &vec![0; len]);
    }
    let capture = capture.bytes();
    let flow = &taken(&capture, None).flows[0];
    let taken = taken(&capture, Traced::of(flow));
    let Trace { up, down, .. } = &taken.traces[0].1;
    assert_eq!(up.sent.points(), [(0.0, 10.0), (0.001, 20.0)]);
    assert_eq!(down.sent.points(), [(0.005, 30.0), (0.006, 60.0)]);
    assert_eq!(Way { sent: up.sent.clone(), ..Way::default() }, *up);
}

#[test]
fn flows_are_numbered_as_they_end() {
    let numbers = |capture: &[u8]| -> Vec<u64> {
        taken(capture, None).flows.iter().map(|flow| flow.number).collect()
    };
    assert_eq!(numbers(&lossy()), [1, 2]);
}
