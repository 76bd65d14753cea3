//! HyStart as Linux has it (Ha and Rhee, "Taming the elephants: New TCP slow start", Computer
//! Networks 55(9), 2011; Linux 6.18, tcp_cubic.c, `cubictcp_acked` and `hystart_update`).
//!
//! The path counts as full when the lowest RTT of a round exceeds that of the connection. It also
//! counts as full when acknowledgements that follow each other closely go on for half that RTT.
//! Only RTTs of data count. The RTT of the handshake may be far shorter over a radio, so it does
//! not. Below 16 segments nothing is examined, and the first round begins when the window has
//! reached them.

use airpath_base::{Duration, Time};

use super::AckSample;
use super::slow_start::HyStartConfig;

/// Segments of the window below which nothing is looked at (hystart_low_window).
const LOW_WINDOW: f64 = 16.0;
/// Acknowledgements so close are of one train (hystart_ack_delta_us).
const ACK_DELTA: Duration = Duration::from_millis(2);
/// Added delay of the end of a train as segments are merged (hystart_ack_delay; it is less above 2
/// Gbit/s).
const ACK_DELAY: Duration = Duration::from_millis(1);

/// Observations of HyStart.
#[derive(Clone, Debug, Default)]
pub(super) struct Classic {
    lowest: Option<Duration>,
    round: Option<Round>,
}

#[derive(Clone, Debug)]
struct Round {
    began: Time,
    /// It is over when more than this is delivered: what was sent when it began.
    end: u64,
    /// The last acknowledgement of the train.
    last: Time,
    lowest: Duration,
    samples: u32,
}

impl Round {
    fn new(sample: &AckSample, rtt: Duration) -> Round {
        let (now, end) = (sample.now, sample.delivered_in_all + sample.in_flight);
        Round { began: now, end, last: now, lowest: rtt, samples: 0 }
    }
}

impl Classic {
    /// True if slow start is over, at an acknowledgement that finds a window of so many segments.
    pub fn is_full(&mut self, config: &HyStartConfig, sample: &AckSample, window: f64) -> bool {
        let Some(rtt) = sample.rtt else { return false };
        let lowest = self.lowest.map_or(rtt, |lowest| lowest.min(rtt));
        self.lowest = Some(lowest);
        if window < LOW_WINDOW {
            return false;
        }
        let over = |round: &mut Round| sample.delivered_in_all > round.end;
        if self.round.as_mut().is_none_or(over) {
            self.round = Some(Round::new(sample, rtt));
        }
        let Some(round) = &mut self.round else { return false };
        round.lowest = round.lowest.min(rtt);
        let train = round.train(sample.now, lowest);
        let enough = round.samples >= config.samples;
        round.samples += u32::from(!enough);
        train || enough && round.lowest > lowest + config.rise(lowest)
    }
}

impl Round {
    /// True if acknowledgements have followed each other closely for half the lowest RTT.
    fn train(&mut self, now: Time, lowest: Duration) -> bool {
        if now.saturating_since(self.last) > ACK_DELTA {
            return false;
        }
        self.last = now;
        now.saturating_since(self.began) > (lowest + ACK_DELAY) / 2
    }
}

#[cfg(test)]
#[path = "hystart_tests.rs"]
mod tests;
