//! Recordings that a collector makes.

use airpath_base::{BitRate, Duration};

/// Recordings beyond counters.
#[derive(Clone, Debug)]
pub struct Options {
    /// Delays of a flow that are kept one by one; more go to a histogram.
    pub exact_delays: usize,
    /// Most rows of the table of packets; zero for no table.
    pub packets: usize,
    /// Most rows of a flow in the table of frames; zero for no table.
    pub frames: usize,
    /// Most rows of a flow in the table of requests; zero for no table.
    pub requests: usize,
    /// Most rows of a UE in the table of radio states.
    pub states: usize,
    /// Most rows of the table of positions.
    pub positions: usize,
    /// Sampling interval of the time series, if wanted; at least 100 µs.
    pub series: Option<Duration>,
    /// Most rows of the time series.
    pub series_rows: usize,
    /// Time at the beginning that no statistic counts. Tables with a row for each packet, frame,
    /// request, radio state or sample have it all the same.
    pub warm_up: Duration,
    /// A user whose application gets less is one that is served badly.
    pub low_rate: BitRate,
    /// Time within which frames and RTP packets are counted; none for the deadline of each frame.
    pub within: Option<Duration>,
}

impl Default for Options {
    /// Exact delays and times in queues of 262,144 packets a flow (4 MiB), 16,384 radio states a UE
    /// (384 KiB), no recordings. A series, if there is one, has at most two million rows (100 MB), and so have
    /// positions (112 MB).
    /// A low rate is 2 Mbit/s.
    fn default() -> Options {
        Options {
            exact_delays: 1 << 18,
            packets: 0,
            frames: 0,
            requests: 0,
            states: 1 << 14,
            positions: 2_000_000,
            series: None,
            series_rows: 2_000_000,
            warm_up: Duration::ZERO,
            low_rate: BitRate::from_mbps(2),
            within: None,
        }
    }
}
