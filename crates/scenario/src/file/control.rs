//! Options of TCP's congestion controllers.

use airpath_base::{BitRate, Duration};
use airpath_schema::{above, above_to, between, choice, record};

choice! {
    /// A congestion controller.
    pub enum Controller {
        /// RFC 9438.
        Cubic = "cubic",
        /// RFC 5681 and 6582.
        NewReno = "newreno",
        /// RFC 8257.
        Dctcp = "dctcp",
        /// TCP Prague (draft-briscoe-iccrg-prague-congestion-control).
        Prague = "prague",
        /// BBR (draft-ietf-ccwg-bbr), the third version.
        Bbr = "bbr",
        /// The first version of BBR, as in Linux.
        Bbr1 = "bbr1",
    }
}

record! {
    /// Options of CUBIC (RFC 9438).
    pub struct Cubic {
        /// What remains of the window after a loss. Default: 0.7 (RFC 9438, 4.6).
        beta: f64 = 0.7 => between(0.1, 0.95);
        /// How steeply the window grows, in segments / s^3. Default: 0.4 (RFC 9438, 5.1).
        c: f64 = 0.4 => between(1e-3, 100.0);
        /// Whether a flow gives way to newcomers. Default: true (RFC 9438, 4.7).
        fast_convergence: bool = true;
        /// Whether the window is never below what Reno would reach. Default: true (RFC
        /// 9438, 4.3).
        reno_friendly: bool = true;
        /// Segments by which an acknowledgement grows the window in slow start at most.
        /// Default: 1 (RFC 5681, equation 2).
        slow_start_limit: u32 = 1 => between(1, 1_000);
        /// Whether the window grows only while it is the limit. Default: true (RFC 9438,
        /// 5.8).
        cwnd_limited_only: bool = true;
        /// Whether slow start ends before it overflows the queue. Default: false.
        hystart: bool = false;
        /// How. Default: "plus-plus" (RFC 9406); Linux has "classic".
        hystart_kind: HyStartKind = HyStartKind::PlusPlus;
        /// What remains of the window after a congestion mark in congestion avoidance.
        /// Default: as after a loss; RFC 8511, 3, has 0.85.
        ecn_beta: Option<f64> => between(0.1, 0.95);
        /// Share of the window by which it grows at least in a round trip before the first loss
        /// and after a timeout. Default: none; Linux has 0.05.
        least_growth: Option<f64> => above_to(0.0, 0.5);
    }
}

record! {
    /// Options of NewReno (RFC 5681, 6582).
    pub struct NewReno {
        /// Segments by which an acknowledgement grows the window in slow start at most.
        /// Default: 1 (RFC 5681, equation 2).
        slow_start_limit: u32 = 1 => between(1, 1_000);
        /// How the window grows in congestion avoidance. Default: "byte-counting" (RFC
        /// 5681, 3.1, the recommended way).
        avoidance: Avoidance = Avoidance::ByteCounting;
        /// Whether growth is cut to whole bytes, at least one. Default: false.
        whole_bytes: bool = false;
        /// Whether the window grows only while it is the limit. Default: true (RFC 7661,
        /// 4.3).
        cwnd_limited_only: bool = true;
        /// Whether slow start ends before it overflows the queue. Default: false.
        hystart: bool = false;
        /// How. Default: "plus-plus" (RFC 9406); Linux has "classic".
        hystart_kind: HyStartKind = HyStartKind::PlusPlus;
        /// What remains of the window after a congestion mark in congestion avoidance.
        /// Default: as after a loss; RFC 8511, 3, has 0.8.
        ecn_beta: Option<f64> => between(0.1, 0.95);
    }
}

choice! {
    /// When slow start ends, with the constants of the source.
    pub enum HyStartKind {
        /// HyStart++ (RFC 9406): when the RTT rises from round to round, after five slower
        /// rounds.
        PlusPlus = "plus-plus",
        /// HyStart (Linux, `tcp_cubic.c`): at once when the RTT has risen above the lowest,
        /// or acknowledgements have come closely for half of that.
        Classic = "classic",
    }
}

choice! {
    /// How the window grows in congestion avoidance (RFC 5681, 3.1).
    pub enum Avoidance {
        /// A segment for each window of bytes acknowledged.
        ByteCounting = "byte-counting",
        /// SMSS * SMSS / cwnd for each acknowledgement.
        PerAck = "per-ack",
    }
}

record! {
    /// Options of DCTCP (RFC 8257).
    pub struct Dctcp {
        /// Weight of a new observation in the share of marked bytes. Default: 0.0625 (RFC
        /// 8257, 4.2).
        gain: f64 = 0.0625 => above_to(0.0, 1.0);
        /// That share before the first observation. Default: 1 (RFC 8257, 3.3).
        initial_alpha: f64 = 1.0 => between(0.0, 1.0);
        /// Segments by which an acknowledgement grows the window in slow start at most.
        /// Default: 1 (RFC 5681, equation 2).
        slow_start_limit: u32 = 1 => between(1, 1_000);
    }
}

record! {
    /// Options of TCP Prague.
    pub struct Prague {
        /// How the window answers marks. Default: "since-last", which comes near to the 2
        /// marks in a virtual round trip that RFC 9332 (2.1) counts on.
        response: PragueResponse = PragueResponse::SinceLast;
        /// Whether growth gets faster after 7 and more virtual round trips without marks.
        /// Default: true (L4STeam/udp_prague).
        faster_increase: bool = true;
        /// Whether queues that look classic by the RTT are answered as CUBIC does
        /// (arXiv:1911.00710). Default: false (Linux).
        classic_fallback: bool = false;
        /// Lowest rate. Default: 100 kbit/s (L4STeam/udp_prague).
        min_rate: BitRate = BitRate::from_kbps(100) => above(BitRate::from_bps(0));
        /// Highest rate. Default: 100000 Mbit/s (L4STeam/udp_prague).
        max_rate: BitRate = BitRate::from_mbps(100_000) => above(BitRate::from_bps(0));
    }
}

choice! {
    /// How Prague's window answers marks: at the first that comes a virtual round trip or
    /// more after the answer before.
    pub enum PragueResponse {
        /// By half of alpha for each virtual round trip since that answer, up to one and a
        /// half.
        SinceLast = "since-last",
        /// By half of alpha (draft, 2.4.2).
        AtMark = "at-mark",
    }
}

record! {
    /// Options of BBR's third version.
    pub struct Bbr {
        /// Whether marks are answered, as the second version does, if there is accurate
        /// feedback. Default: true.
        ecn: bool = true;
        /// Marks are answered only if the lowest RTT is not above this; if it is, packets are
        /// not ECN-capable. Default: 5 ms (Linux, google/bbr, v2alpha).
        ecn_max_rtt: Duration = Duration::from_millis(5)
            => between(Duration::ZERO, Duration::from_secs(3_600));
        /// How much of the share of marked bytes the window gives up. Default: 0.333
        /// (the same).
        ecn_factor: f64 = 1.0 / 3.0 => between(0.0, 1.0);
    }
}
