//! Prague and CUBIC through DualPI2, beside their response functions.

use airpath_base::math;

use super::lab::{Measured, Point, Span, grid};

/// Prague's round trips are at least so long, in seconds (draft, 2.4.4).
const REFERENCE_RTT: f64 = 0.025;

/// A link with flows of each, `each` of them, at so many times the rate of `point`; CUBIC's
/// keys beside its name.
pub fn run(point: Point, each: usize, cubic: &str, span: Span) -> Shares {
    let cubic = format!("controller = \"cubic\"\n{cubic}");
    let mut tcp = vec!["controller = \"prague\""; each];
    tcp.resize(2 * each, &cubic);
    let all = Point { mbps: point.mbps * each as u64, us: point.us };
    Shares { measured: all.run("\"dualpi2\"", &tcp, span), each }
}

/// Results of flows of Prague, which come first, and of flows of CUBIC.
pub struct Shares {
    measured: Measured,
    each: usize,
}

/// One of the two, by its index.
#[derive(Clone, Copy)]
pub enum Who {
    Prague,
    Cubic,
}

/// Packets in a window of Reno by the share of signals: RFC 9438, 4.3, has CUBIC's
/// Reno-friendly window reach the same.
pub fn reno_window(p: f64) -> f64 {
    (1.5 / p).sqrt()
}

/// RFC 9438, 5.1, equation 5, with C = 0.4 and beta = 0.7.
pub fn cubic_window(p: f64, rtt: f64) -> f64 {
    let (c, beta) = (0.4, 0.7);
    math::pow(c * (3.0 + beta) / (4.0 * (1.0 - beta)), 0.25) * math::pow(rtt / p, 0.75)
}

impl Shares {
    /// The mean of something over the flows.
    fn mean(&self, who: Who, what: impl Fn(usize) -> f64) -> f64 {
        let first = who as usize * self.each;
        (first..first + self.each).map(what).sum::<f64>() / self.each as f64
    }

    /// Full packets of a flow in a second.
    fn rate(&self, who: Who) -> f64 {
        self.mean(who, |flow| self.measured.packet_rate(flow))
    }

    fn signalled(&self, who: Who) -> f64 {
        self.mean(who, |flow| self.measured.flows[flow].signalled())
    }

    fn rtt(&self, who: Who) -> f64 {
        self.mean(who, |flow| self.measured.flows[flow].rtt())
    }

    /// Prague's rate over CUBIC's.
    pub fn ratio(&self) -> f64 {
        self.rate(Who::Prague) / self.rate(Who::Cubic)
    }

    /// True if CUBIC is in its Reno-friendly region.
    pub fn is_reno_friendly(&self) -> bool {
        let (p, rtt) = (self.signalled(Who::Cubic), self.rtt(Who::Cubic));
        reno_window(p) > cubic_window(p, rtt)
    }

    /// Packets in a second by the response function, for the signals and round trips of the flows.
    /// For Prague it is 2/p in a virtual round trip (RFC 9332, 2.1).
    fn response(&self, who: Who) -> f64 {
        let (p, rtt) = (self.signalled(who), self.rtt(who));
        match who {
            Who::Prague => 2.0 / p / rtt.max(REFERENCE_RTT),
            Who::Cubic => reno_window(p).max(cubic_window(p, rtt)) / rtt,
        }
    }

    /// The ratio that the response functions say.
    pub fn expected(&self) -> f64 {
        self.response(Who::Prague) / self.response(Who::Cubic)
    }

    /// The rate over what the response function says.
    pub fn of_own(&self, who: Who) -> f64 {
        self.rate(who) / self.response(who)
    }

    /// Unevenness of p' over time: its mean square over its squared mean, as CUBIC is signalled
    /// with p'^2 and Prague with 2 p'.
    pub fn clustering(&self) -> f64 {
        4.0 * self.signalled(Who::Cubic) / self.signalled(Who::Prague).powi(2)
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
        let shares = run(point, 1, cubic, Span { warm: 50, measured: 100 });
        let ratio = shares.ratio();
        assert!((0.5..=2.0).contains(&ratio), "{point:?}: {ratio}");
        let own = shares.of_own(Who::Cubic);
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

/// Many flows do not follow one cycle of CUBIC, so p' is steadier. The response functions, which
/// are for steady signals, then hold where CUBIC is not Reno-friendly.
#[test]
fn ten_of_each_share_a_link_as_their_response_functions_say() {
    let shares = run(Point::new(20, 100), 10, "", Span { warm: 50, measured: 100 });
    assert!(!shares.is_reno_friendly());
    let (ratio, expected) = (shares.ratio(), shares.expected());
    assert!((0.75..=1.25).contains(&(ratio / expected)), "{ratio} for {expected}");
}
