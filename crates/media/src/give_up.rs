//! A session that ends for a poor rate.
//!
//! A user leaves a game that has looked poor for a while, or the application or the network ends it
//! (L4S in 5G networks, 5.3.2). The rule looks at the mean rate of media that left the source over
//! the last seconds, once a frame. These seconds are counted in whole frame intervals, and the rule
//! waits until they have passed once.

use std::collections::VecDeque;

use airpath_base::{BitRate, Bytes, Duration};
use airpath_schema::{above, between, record};

record! {
    /// The end of a session that is poor for too long (L4S in 5G networks, 5.3.2). From then on no
    /// frame is made and no packet sent, and all that waits at the source is thrown away.
    #[derive(Copy, Eq)]
    pub struct GiveUp {
        /// Mean rate of media that left the source, below which the session ends. A source at its
        /// `min_rate` sends that on average, so choose less than `min_rate` for one that keeps it.
        below: BitRate => above(BitRate::from_bps(0));
        /// Time over which the mean is taken; the first such time counts as well.
        after: Duration => between(Duration::from_millis(100), Duration::from_secs(3_600));
    }
}

/// Recent output of a source, by which its session ends for a poor rate.
#[derive(Clone, Debug)]
pub struct Patience {
    /// Bytes by frame interval, the latest last.
    sent: VecDeque<u64>,
    sum: u64,
    /// Bytes since the last frame.
    fresh: u64,
    intervals: usize,
    /// Bytes that must have been sent in all these intervals.
    least: Bytes,
}

impl Patience {
    /// The rule of a source with frames at this distance.
    pub fn new(give_up: GiveUp, period: Duration) -> Patience {
        let intervals = give_up.after.as_nanos().div_ceil(period.as_nanos().max(1)).max(1);
        let least = give_up.below.bytes_in(period * intervals);
        let (sent, intervals) = (VecDeque::new(), intervals as usize);
        Patience { sent, sum: 0, fresh: 0, intervals, least }
    }

    /// So many bytes of media leave the source.
    pub fn sent(&mut self, bytes: u32) {
        self.fresh += u64::from(bytes);
    }

    /// Handles the time of a frame; true if the session ends instead of the frame.
    pub fn is_over(&mut self) -> bool {
        let fresh = core::mem::take(&mut self.fresh);
        self.sum += fresh;
        self.sent.push_back(fresh);
        if self.sent.len() <= self.intervals {
            // The first is what was sent before the first frame: nothing.
            return false;
        }
        self.sum -= self.sent.pop_front().unwrap_or(0);
        self.sum < self.least.0
    }
}
