//! Order and contents of the calls of a controller.

use airpath_base::BitRate;

use super::*;

/// Calls that a controller got.
#[derive(Default)]
struct Calls {
    starts: Vec<Start>,
    acks: Vec<AckSample>,
    /// Names of all calls but those of ACKs.
    others: Vec<&'static str>,
}

/// A controller with a window of so many bytes, which notes its calls.
struct Notes {
    calls: Arc<Mutex<Calls>>,
    cwnd: Arc<Mutex<u64>>,
}

impl Notes {
    fn note(&self, name: &'static str) {
        self.calls.lock().expect("a lock").others.push(name);
    }
}

impl CongestionControl for Notes {
    fn on_start(&mut self, start: &Start) {
        self.calls.lock().expect("a lock").starts.push(*start);
    }

    fn on_ack(&mut self, sample: &AckSample) {
        self.calls.lock().expect("a lock").acks.push(*sample);
    }

    fn on_loss(&mut self, _: &LossEvent) {
        self.note("loss");
    }

    fn on_congestion(&mut self, _: &LossEvent) {
        self.note("mark");
    }

    fn on_recovered(&mut self, _: Time) {
        self.note("recovered");
    }

    fn on_rto(&mut self, _: &LossEvent) {
        self.note("timeout");
    }

    fn on_spurious(&mut self, _: Time) {}

    fn cwnd(&self) -> u64 {
        *self.cwnd.lock().expect("a lock")
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }
}

/// A connection whose packets have 1000 B.
struct Lab {
    clock: Clock,
    control: Box<dyn Controller>,
    calls: Arc<Mutex<Calls>>,
    cwnd: Arc<Mutex<u64>>,
    in_flight: u64,
}

impl Lab {
    fn new() -> Lab {
        let (clock, calls, cwnd) = (Clock::new(), Arc::default(), Arc::new(Mutex::new(50_000)));
        let notes = (Arc::clone(&calls), Arc::clone(&cwnd));
        let make = move |_: u32| -> Option<Box<dyn CongestionControl>> {
            let (calls, cwnd) = (Arc::clone(&notes.0), Arc::clone(&notes.1));
            Some(Box::new(Notes { calls, cwnd }))
        };
        let feedback = EcnFeedback::Classic;
        let (make, segment) = (Arc::new(make) as MakeControl, 1_452);
        let factory = Arc::new(AdaptedFactory { clock, make, number: 0, segment, feedback });
        let control = factory.build(clock.instant(Time::ZERO), 1_200);
        Lab { clock, control, calls, cwnd, in_flight: 0 }
    }

    fn at(&self, ms: u64) -> Instant {
        self.clock.instant(Time::from_millis(ms))
    }

    fn send(&mut self, ms: u64) {
        self.in_flight += 1_000;
        self.control.on_sent(self.at(ms), 1_000, 0);
        _ = self.control.window();
    }

    /// An ACK at `now` of packets that were sent at these times. A mark or a loss of so many bytes comes with it.
    fn ack(&mut self, now: u64, sent: &[u64], event: Option<(u64, bool, u64)>) {
        // The trait wants an estimator of the RTT, which only a connection can make.
        for sent in sent {
            self.in_flight -= 1_000;
            let (now, sent) = (Time::from_millis(now), Time::from_millis(*sent));
            let state = self.state();
            state.lock().expect("a lock").on_ack(now, sent, 1_000);
        }
        self.control.on_end_acks(self.at(now), self.in_flight, false, None);
        if let Some((sent, persistent, lost)) = event {
            let (now, sent) = (Time::from_millis(now), Time::from_millis(sent));
            self.in_flight -= lost;
            self.state().lock().expect("a lock").on_event(now, sent, persistent, lost);
        }
        _ = self.control.window();
    }

    fn state(&self) -> Arc<Mutex<State>> {
        let own = self.control.clone_box().into_any().downcast::<Adapted>();
        Arc::clone(&own.expect("an adapted controller").state)
    }

    fn others(&self) -> Vec<&'static str> {
        self.calls.lock().expect("a lock").others.clone()
    }
}

#[test]
fn the_first_ack_starts_with_its_rtt() {
    let mut lab = Lab::new();
    // Ten packets of 1200 B (RFC 9002, 7.2).
    assert_eq!((lab.control.window(), lab.control.initial_window()), (12_000, 12_000));
    lab.send(5);
    lab.ack(35, &[5], None);
    let calls = lab.calls.lock().expect("a lock");
    let start = calls.starts[0];
    assert_eq!((start.segment, start.initial_window), (1_452, 12_000));
    assert_eq!(start.rtt, Some(Duration::from_millis(30)));
    assert_eq!((calls.starts.len(), calls.acks.len()), (1, 1));
    drop(calls);
    assert_eq!(lab.control.window(), 50_000);
}

#[test]
fn a_steady_flow_has_its_rate_and_rtt() {
    let mut lab = Lab::new();
    // 1000 B each millisecond, acknowledged two at a time after 10 ms: 8 Mbit/s.
    for ms in 0..60 {
        if ms >= 12 && ms % 2 == 0 {
            lab.ack(ms, &[ms - 11, ms - 10], None);
        }
        lab.send(ms);
    }
    let calls = lab.calls.lock().expect("a lock");
    let last = calls.acks.last().expect("an ACK");
    assert_eq!(last.rate.expect("a rate").rate(), BitRate::from_mbps(8));
    assert_eq!((last.acked, last.delivered, last.packets), (2_000, 2_000, 2));
    assert_eq!(last.rtt, Some(Duration::from_millis(10)));
    assert_eq!(last.min_rtt, Some(Duration::from_millis(10)));
    // Packet 0 has no ACK. Packets 1 to 48 have arrived; when packet 48 left, packets 1 to 38 had.
    assert_eq!((last.delivered_in_all, last.prior_delivered), (48_000, 38_000));
    assert!(last.cwnd_limited && !last.in_recovery && !last.ece);
}

#[test]
fn marks_are_answered_once_for_a_window() {
    let mut lab = Lab::new();
    (0..8).for_each(|ms| lab.send(ms));
    lab.ack(20, &[0], None);
    lab.ack(21, &[1], Some((1, false, 0)));
    lab.ack(22, &[2], Some((2, false, 0)));
    lab.send(23);
    lab.ack(24, &[3], None);
    assert_eq!(lab.others(), ["mark"]);
    // Sent before the answer: the flag stays, as that of TCP until CWR. Sent behind it: a new window.
    lab.ack(43, &[23], Some((23, false, 0)));
    assert_eq!(lab.others(), ["mark", "mark"]);
    let calls = lab.calls.lock().expect("a lock");
    let flags: Vec<bool> = calls.acks.iter().map(|ack| ack.ece).collect();
    assert_eq!(flags, [false, true, true, true, true]);
}

#[test]
fn a_recovery_lasts_for_a_window() {
    let mut lab = Lab::new();
    (0..10).for_each(|ms| lab.send(ms));
    lab.ack(20, &[0], None);
    lab.ack(21, &[4], Some((1, false, 1_000)));
    lab.ack(22, &[5], Some((2, false, 1_000)));
    lab.send(23);
    lab.ack(43, &[23], None);
    assert_eq!(lab.others(), ["loss", "recovered"]);
    let calls = lab.calls.lock().expect("a lock");
    let recovering: Vec<bool> = calls.acks.iter().map(|ack| ack.in_recovery).collect();
    assert_eq!(recovering, [false, false, true, true]);
    let last = calls.acks.last().expect("an ACK");
    // Two packets were lost before packet 23 was sent, and none since.
    assert_eq!(last.lost_since_sent, 0);
    assert_eq!(calls.acks[2].lost_since_sent, 1_000);
}

#[test]
fn persistent_congestion_is_a_timeout() {
    let mut lab = Lab::new();
    (0..6).for_each(|ms| lab.send(ms));
    lab.ack(20, &[0], None);
    lab.ack(21, &[5], Some((4, true, 3_000)));
    assert_eq!(lab.others(), ["timeout"]);
}

#[test]
fn the_window_has_a_least_but_nothing_stays_nothing() {
    let mut lab = Lab::new();
    lab.send(0);
    lab.ack(20, &[0], None);
    let window = |cwnd| {
        *lab.cwnd.lock().expect("a lock") = cwnd;
        lab.control.window()
    };
    // Two packets (RFC 9002, 7.2).
    assert_eq!([1, 2_399, 2_401, 0].map(window), [2_400, 2_400, 2_401, 0]);
}
