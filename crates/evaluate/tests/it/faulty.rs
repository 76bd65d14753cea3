//! Each criterion fails for a controller that has the fault which the criterion is about.

use airpath_base::{BitRate, Time};
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
    /// A window of 200 segments, whatever happens.
    Fixed,
    /// Twice the window of CUBIC.
    Doubled,
    /// A window that grows as in slow start, and never falls.
    Deaf,
    /// A window of two segments.
    Shy,
    /// CUBIC that does not answer marks, on packets that are ECT(1).
    DeafToMarks,
    /// CUBIC that answers losses by a window of one segment.
    Timid,
}

const FAULTS: [(&str, Fault); 6] = [
    ("shy", Fault::Shy),
    ("fixed", Fault::Fixed),
    ("deaf", Fault::Deaf),
    ("deaf to marks", Fault::DeafToMarks),
    ("doubled", Fault::Doubled),
    ("timid", Fault::Timid),
];

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
            Fault::DeafToMarks | Fault::Timid => self.inner.cwnd(),
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
        let own = Controller::known("scream").expect("a controller");
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
    ]
}

/// Criteria that none of these faults breaks: they are about what other flows get, or about a fault that no controller here has.
const WITHOUT: [&str; 23] = [
    "cubic/app-limited does not grow",
    "cubic/reno-friendly shares with Reno",
    "cubic/reordering fewer than three",
    "cubic/timeout threshold stays",
    "l4s/4.3-loss coexists with Reno",
    "l4s/4.3-rates short queue at the slow link",
    "l4s/4.3-rates short queue at the fast link",
    "l4s/4.4 smooths bursts",
    "l4s/bleaching-behind does not starve others",
    "l4s/bursty-cell uses a part",
    "l4s/bursty-recording uses a part",
    "l4s/dualpi2 equal rates",
    "l4s/dualpi2 equal rates over a long path",
    "l4s/fq-codel uses its part",
    "l4s/media-rtt independent of the round trip",
    "l4s/option-stripped same rate",
    "l4s/option-stripped same queue",
    "l4s/overload gives way in overload",
    "l4s/queue-protection keeps order",
    "l4s/queue-protection call unharmed",
    "l4s/re-marking goes on",
    "l4s/single-queue drop-tail",
    "l4s/single-queue PIE",
];

/// Names of the criteria of a case that no faulty controller fails. A fault is tried while there are such criteria.
fn passed_by_all(suite: &Suite, case: &Case) -> Vec<String> {
    let makes: Vec<_> = FAULTS
        .into_iter()
        .map(|(_, fault)| {
            move |_: &str| Some(Box::new(Faulty::new(fault)) as Box<dyn CongestionControl>)
        })
        .collect();
    let own = FAULTS.iter().zip(&makes).map(|((name, _), make)| Controller::own(name, make));
    let faulty: Vec<Controller<'_>> = match case.file.family {
        Family::Transport => own.collect(),
        Family::Media => media(),
    };
    let judged = case.file.criterion.iter().filter(|own| !own.bbr_only);
    let mut left: Vec<&str> = judged.map(|own| own.name.as_str()).collect();
    let alone = [Suite { name: suite.name.clone(), cases: vec![case.clone()] }];
    let options = Options { quick: true, ..Options::default() };
    for controller in &faulty {
        if left.is_empty() {
            break;
        }
        let card = evaluate(&alone, std::slice::from_ref(controller), options).expect("a card");
        for own in card.cases.iter().flat_map(|case| &case.judged) {
            if own.verdict == Verdict::Fails {
                if left.contains(&own.criterion.as_str()) {
                    eprintln!(
                        "{}/{} {} | {} {:?}",
                        suite.name, case.name, own.criterion, controller.name, own.mean
                    );
                }
                left.retain(|name| *name != own.criterion);
            } else {
                eprintln!(
                    "  {}/{} {} | {} {:?} {:?} {:?}",
                    suite.name,
                    case.name,
                    own.criterion,
                    controller.name,
                    own.mean,
                    own.verdict,
                    own.reason
                );
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
    assert_eq!(passed, WITHOUT, "{}", passed.join("\n"));
}
