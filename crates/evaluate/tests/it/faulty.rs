//! Each criterion fails for a controller that has the fault which the criterion is about.

use airpath_base::{BitRate, Duration, Time};
use airpath_evaluate::{Case, Controller, Extent, Family, Options, SUITES, Suite, evaluate};
use airpath_stats::Verdict;
use airpath_transport::control::{
    AckSample, CongestionControl, Controller as Known, ControllerName, LossEvent, Start,
};
use airpath_transport::tcp::TcpConfig;
use airpath_wire::Ecn;
use rayon::prelude::*;

/// Fault of a sender of bulk data.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// A window of two segments.
    Shy,
    /// A window of 200 segments, whatever happens.
    Fixed,
    /// A window that grows as in slow start, and never falls.
    Deaf,
    /// CUBIC that does not answer marks, on packets that are ECT(1).
    DeafToMarks,
    /// Twice the window of CUBIC.
    Doubled,
    /// CUBIC that answers losses by a window of one segment.
    Timid,
    /// CUBIC that takes each round trip of 4 ms above the least for a timeout.
    Nervous,
}

/// Faults with their names, and a key beside each: RFC 6675 finds no lost retransmission, so that timeouts slow a deaf sender,
/// and RACK does.
const FAULTS: [(&str, Fault, (&str, &str)); 9] = [
    ("shy", Fault::Shy, RFC_6675),
    ("fixed", Fault::Fixed, RFC_6675),
    ("deaf", Fault::Deaf, RFC_6675),
    ("deaf to marks", Fault::DeafToMarks, ("tcp.ecn", "\"accurate\"")),
    ("doubled", Fault::Doubled, RFC_6675),
    ("timid", Fault::Timid, RFC_6675),
    ("fixed with RACK", Fault::Fixed, RACK),
    ("deaf with RACK", Fault::Deaf, RACK),
    ("nervous", Fault::Nervous, RFC_6675),
];
const RFC_6675: (&str, &str) = ("tcp.loss_detection", "\"duplicates\"");
const RACK: (&str, &str) = ("tcp.loss_detection", "\"rack\"");

/// Name of a controller without a rule, the controller that it is made of, and keys with their values.
type Removed = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Controllers of airpath with a rule of TCP or of the controller removed: names, and keys with their values.
const REMOVED: [Removed; 7] = [
    ("grows unused", "cubic", &[("tcp.cubic.cwnd_limited_only", "false")]),
    ("one duplicate", "cubic", &[("tcp.duplicate_ack_threshold", "1")]),
    ("forgets at each timeout", "cubic", &[("tcp.rto_always_lowers_ssthresh", "true")]),
    ("halves at ECT(1)", "newreno", &[("tcp.ecn", "\"accurate\""), ("tcp.ect", "\"ect1\"")]),
    ("no answer to losses", "bbr1", &[]),
    ("shy BBR", "bbr", &[("tcp.receive_buffer", "\"6 kB\"")]),
    ("stops at marks", "prague", &[("tcp.prague.max_rate", "\"20 kbit/s\"")]),
];

/// Round trip above the least that a nervous sender takes for a timeout.
const MOST: Duration = Duration::from_millis(4);

struct Faulty {
    fault: Fault,
    inner: Known,
    segment: u64,
    window: u64,
}

impl Faulty {
    fn new(fault: Fault) -> Faulty {
        let tcp = TcpConfig { controller: ControllerName::Cubic, ..TcpConfig::default() };
        Faulty { fault, inner: Known::new(&tcp), segment: 1, window: 0 }
    }
}

impl CongestionControl for Faulty {
    fn on_start(&mut self, start: &Start) {
        self.inner.on_start(start);
        (self.segment, self.window) = (start.segment.into(), start.initial_window);
    }

    fn on_ack(&mut self, sample: &AckSample) {
        if self.fault == Fault::Deaf {
            self.window = (self.window + sample.delivered).min(20_000 * self.segment);
        }
        let late = sample.rtt.zip(sample.min_rtt).is_some_and(|(rtt, least)| rtt > least + MOST);
        if self.fault == Fault::Nervous && late {
            let in_flight = sample.in_flight;
            self.inner.on_rto(&LossEvent { now: sample.now, in_flight, repeated: false });
        }
        let heard = match self.fault {
            Fault::DeafToMarks => AckSample { ce_bytes: 0, ce_packets: 0, ece: false, ..*sample },
            _ => *sample,
        };
        self.inner.on_ack(&heard);
    }

    fn on_loss(&mut self, loss: &LossEvent) {
        match self.fault {
            Fault::Timid => self.inner.on_rto(loss),
            _ => self.inner.on_loss(loss),
        }
    }

    fn on_congestion(&mut self, mark: &LossEvent) {
        if self.fault != Fault::DeafToMarks {
            self.inner.on_congestion(mark);
        }
    }

    fn on_recovered(&mut self, now: Time) {
        self.inner.on_recovered(now);
    }

    fn on_rto(&mut self, loss: &LossEvent) {
        self.inner.on_rto(loss);
    }

    fn on_spurious(&mut self, now: Time) {
        self.inner.on_spurious(now);
    }

    fn cwnd(&self) -> u64 {
        match self.fault {
            Fault::Fixed => 200 * self.segment,
            Fault::Doubled => 2 * self.inner.cwnd(),
            Fault::Deaf => self.window,
            Fault::Shy => 2 * self.segment,
            Fault::DeafToMarks | Fault::Timid | Fault::Nervous => self.inner.cwnd(),
        }
    }

    fn ssthresh(&self) -> u64 {
        self.inner.ssthresh()
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        None
    }

    fn ect(&self) -> Ecn {
        if self.fault == Fault::DeafToMarks { Ecn::Ect1 } else { Ecn::Ect0 }
    }
}

/// Media with faults: a fixed rate, twice that, and hardly any.
fn media() -> Vec<Controller<'static>> {
    let with = |name: &str, min: &str, max: &str| {
        let own = Controller::known("nada").expect("a controller");
        let own = own.with("rtp.congestion_control", "\"none\"");
        let own = own.with("rtp.video.min_rate", min).with("rtp.video.max_rate", max);
        own.named(name)
    };
    vec![
        with("shy", "\"50 kbit/s\"", "\"50 kbit/s\""),
        with("flooding", "\"50 Mbit/s\"", "\"50 Mbit/s\""),
        with("fixed", "\"1.5 Mbit/s\"", "\"1.5 Mbit/s\""),
        with("doubled", "\"3 Mbit/s\"", "\"3 Mbit/s\""),
        // Key frames of 30 frames' size each 3 s, and a frame each 2 s.
        with("bursty", "\"500 kbit/s\"", "\"500 kbit/s\"")
            .with("rtp.video.key_frames", "\"3 s\"")
            .with("rtp.video.key_frame_scale", "30"),
        with("halting", "\"500 kbit/s\"", "\"500 kbit/s\"").with("rtp.video.frame_rate", "0.5"),
        // No answer to marks, and a growth by round trips.
        Controller::known("gcc").expect("a controller"),
    ]
}

/// Names of the criteria of a case that no faulty controller fails. A fault is tried while there are such criteria.
fn passed_by_all(suite: &Suite, case: &Case) -> Vec<String> {
    let makes: Vec<_> = FAULTS
        .into_iter()
        .map(|(_, fault, _)| {
            move |_: &str| Some(Box::new(Faulty::new(fault)) as Box<dyn CongestionControl>)
        })
        .collect();
    let own = FAULTS.iter().zip(&makes).map(|((name, _, (key, value)), make)| {
        Controller::own(name, make).variant_of("bbr").with(key, value)
    });
    let removed = REMOVED.iter().map(|(name, known, keys)| {
        let known = Controller::known(known).expect("a controller").named(name);
        keys.iter().fold(known, |own, (key, value)| own.with(key, value))
    });
    let faulty: Vec<Controller<'_>> = match case.file.family {
        Family::Transport => own.chain(removed).collect(),
        Family::Media => media(),
    };
    let mut left: Vec<&str> = case.file.criterion.iter().map(|own| own.name.as_str()).collect();
    let alone = [Suite { name: suite.name.clone(), cases: vec![case.clone()] }];
    let options = Options { quick: true, ..Options::default() };
    for controller in &faulty {
        if left.is_empty() {
            break;
        }
        let card = evaluate(&alone, std::slice::from_ref(controller), options).expect("a card");
        for own in card.cases.iter().flat_map(|case| &case.judged) {
            if own.verdict == Verdict::Fails {
                left.retain(|name| *name != own.criterion);
            }
        }
    }
    left.into_iter().map(|name| format!("{}/{} {name}", suite.name, case.name)).collect()
}

#[test]
fn each_criterion_has_a_controller_that_fails_it() {
    let suites: Vec<Suite> =
        SUITES.iter().map(|(name, _)| Suite::known(name).expect("a suite")).collect();
    let all = suites.iter().flat_map(|suite| suite.cases.iter().map(move |case| (suite, case)));
    let quick: Vec<(&Suite, &Case)> =
        all.filter(|(_, case)| case.file.extent == Extent::Quick).collect();
    let passed = quick.par_iter().flat_map_iter(|(suite, case)| passed_by_all(suite, case));
    let passed: Vec<String> = passed.collect();
    assert!(passed.is_empty(), "no fault fails:\n{}", passed.join("\n"));
}
