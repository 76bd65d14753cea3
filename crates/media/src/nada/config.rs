//! Options of NADA.

use airpath_base::{BitRate, Duration};
use airpath_schema::{above, above_to, between, record};

record! {
    /// Options of NADA. Other constants are those of RFC 8698, 4.4 and figure 3.
    #[derive(Copy)]
    pub struct Options: Default {
        /// First reference rate. Default: the lowest of the video.
        start_rate: Option<BitRate> => above(BitRate::from_bps(0));
        /// Weight of the flow (PRIO). Default: 1.
        priority: f64 = 1.0 => above_to(0.0, 100.0);
        /// Reference congestion level (XREF): of equal flows, the queue delay at the highest rate.
        /// Default: 10 ms.
        reference_delay: Duration = Duration::from_millis(10)
            => above_to(Duration::ZERO, Duration::from_secs(1));
        /// Largest queue delay that the flow makes in accelerated ramp-up (QBOUND). Default: 50 ms.
        queue_bound: Duration = Duration::from_millis(50)
            => above_to(Duration::ZERO, Duration::from_secs(1));
        /// Time between reports of the receiver (DELTA). Default: 100 ms.
        feedback_interval: Duration = Duration::from_millis(100)
            => between(Duration::from_millis(5), Duration::from_millis(500));
        /// True for ECT(0), and an answer to the share of marks (RFC 8698, 4.2). Default: false.
        ecn: bool = false;
    }
}
