//! Prague and CUBIC through DualPI2, beside their response functions.

use airpath_base::math;

use super::lab::{Measured, Point, Span, grid};

/// Prague's round trips are at least so long, in seconds (draft, 2.4.4).
const REFERENCE_RTT: f64 = 0.025;

/// A link with one flow of each; CUBIC's keys beside its name.
pub fn run(point: Point, cubic: &str, span: Span) -> Shares {
    let cubic = format!("controller = \"cubic\"\n{cubic}");
    Shares(point.run("\"dualpi2\"", &["controller = \"prague\"", &cubic], span))
}

pub struct Shares(pub Measured);

/// Packets in a window of Reno by the share of signals: RFC 9438, 4.3, has CUBIC's
/// Reno-friendly window reach the same.
fn reno_window(p: f64) -> f64 {
    (1.5 / p).sqrt()
}

/// RFC 9438, 5.1, equation 5, with C = 0.4 and beta = 0.7.
fn cubic_window(p: f64, rtt: f64) -> f64 {
    let (c, beta) = (0.4, 0.7);
    math::pow(c * (3.0 + beta) / (4.0 * (1.0 - beta)), 0.25) * math::pow(rtt / p, 0.75)
}

impl Shares {
    /// Prague's rate over CUBIC's.
    pub fn ratio(&self) -> f64 {
        self.0.packet_rate(0) / self.0.packet_rate(1)
    }

    /// Whether CUBIC is in its Reno-friendly region.
    pub fn is_reno_friendly(&self) -> bool {
        let (p, rtt) = (self.0.flows[1].signalled(), self.0.flows[1].rtt());
        reno_window(p) > cubic_window(p, rtt)
    }

    /// Packets in a second by the response functions, for the signals and round trips that
    /// each flow had: 2/p in a virtual round trip for Prague (RFC 9332, 2.1).
    pub fn expected(&self) -> [f64; 2] {
        let [prague, cubic] = [&self.0.flows[0], &self.0.flows[1]];
        let (p, rtt) = (cubic.signalled(), cubic.rtt());
        [
            2.0 / prague.signalled() / prague.rtt().max(REFERENCE_RTT),
            reno_window(p).max(cubic_window(p, rtt)) / rtt,
        ]
    }

    /// A flow's rate over what its response function says.
    pub fn of_own(&self, flow: usize) -> f64 {
        self.0.packet_rate(flow) / self.expected()[flow]
    }
}

#[test]
fn the_response_functions() {
    // p = 1e-4, RTT 100 ms: 1.0538 * 1000^0.75 (RFC 9438, 5.1) and sqrt(15000).
    assert!((cubic_window(1e-4, 0.1) - 187.400_229_036).abs() < 1e-6);
    assert!((reno_window(1e-4) - 122.474_487_139).abs() < 1e-6);
}

/// Checks all points. Within half and double also where CUBIC is not Reno-friendly; what
/// the response functions say there: `docs/steady.md`.
fn check(cubic: &str) {
    for point in grid() {
        let shares = run(point, cubic, Span { warm: 50, measured: 100 });
        let ratio = shares.ratio();
        assert!((0.5..=2.0).contains(&ratio), "{point:?}: {ratio}");
        let own = shares.of_own(1);
        let exact = point.mbps >= 20;
        assert!(!exact || (0.75..=1.25).contains(&own), "{point:?}: CUBIC has {own} of its own");
    }
}

#[test]
fn prague_and_cubic_share_a_link_with_dualpi2() {
    check("");
}

#[test]
fn prague_and_cubic_with_classic_ecn_share_a_link_with_dualpi2() {
    check("ecn = \"classic\"");
}
