//! `airpath evaluate` with a congestion controller of one's own: change it, and run the example again.
//!
//!     cargo run --release -p airpath --example evaluate_controller -- few-waiting cubic --suite cubic --quick
//!
//! Arguments, output and exit codes are those of `airpath evaluate`. The controller keeps a few segments waiting in the
//! network (L. Brakmo and L. Peterson, "TCP Vegas", 1995), and answers losses and marks by halving its window.

use std::process::ExitCode;
use std::sync::Arc;

use airpath::{OwnController, evaluate_with};
use airpath_base::{BitRate, Time};
use airpath_scenario::world::OwnParts;
use airpath_transport::control::{AckSample, CongestionControl, LossEvent, Start};

/// Fewest and most segments that should wait in the network.
const FEWEST: f64 = 2.0;
const MOST: f64 = 4.0;

/// Sizes are bytes of payload.
#[derive(Default)]
struct FewWaiting {
    segment: f64,
    cwnd: f64,
    ssthresh: Option<f64>,
}

impl FewWaiting {
    fn halve(&mut self) {
        self.cwnd = (self.cwnd / 2.0).max(2.0 * self.segment);
        self.ssthresh = Some(self.cwnd);
    }
}

impl CongestionControl for FewWaiting {
    fn on_start(&mut self, start: &Start) {
        self.segment = f64::from(start.segment);
        self.cwnd = start.initial_window as f64;
    }

    fn on_ack(&mut self, sample: &AckSample) {
        let (Some(lowest), Some(rtt)) = (sample.min_rtt, sample.srtt) else { return };
        if sample.in_recovery || !sample.cwnd_limited || rtt.is_zero() {
            return;
        }
        let queued = (1.0 - lowest.as_secs_f64() / rtt.as_secs_f64()) * self.cwnd / self.segment;
        let delivered = sample.delivered as f64;
        if self.ssthresh.is_none() && queued > FEWEST {
            self.ssthresh = Some(self.cwnd);
        }
        self.cwnd += match self.ssthresh {
            None => delivered,
            Some(_) if queued < FEWEST => self.segment * delivered / self.cwnd,
            Some(_) if queued > MOST => -self.segment * delivered / self.cwnd,
            Some(_) => 0.0,
        };
    }

    fn on_loss(&mut self, _: &LossEvent) {
        self.halve();
    }

    fn on_congestion(&mut self, _: &LossEvent) {
        self.halve();
    }

    fn on_recovered(&mut self, _: Time) {}

    fn on_rto(&mut self, _: &LossEvent) {
        self.halve();
        self.cwnd = self.segment;
    }

    fn on_spurious(&mut self, _: Time) {}

    fn cwnd(&self) -> u64 {
        self.cwnd as u64
    }

    fn ssthresh(&self) -> u64 {
        self.ssthresh.map_or(u64::MAX, |bytes| bytes as u64)
    }

    fn pacing_rate(&self) -> Option<BitRate> {
        None
    }
}

fn main() -> ExitCode {
    let make = |run: &mut dyn FnMut(OwnParts<'_>)| {
        let control =
            |_: &str, _: &str| Some(Box::new(FewWaiting::default()) as Box<dyn CongestionControl>);
        run(OwnParts { controller: Some(&control), ..OwnParts::default() });
        None
    };
    let own =
        OwnController { name: "few-waiting".to_owned(), keys: Vec::new(), make: Arc::new(make) };
    ExitCode::from(evaluate_with(std::env::args_os().skip(1).collect(), vec![own]))
}
