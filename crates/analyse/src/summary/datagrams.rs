//! Summaries of flows of QUIC and RTP.

use std::collections::BTreeMap;

use serde::Serialize;

use super::distribution::{Distribution, Quantiles};
use super::report::{HandshakeSummary, PARTS};
use crate::quic::{Quic, QuicOutcome};
use crate::record::{Direction, FlowRecord};
use crate::rtp::RtpStream;

/// All QUIC flows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuicSummary {
    /// Number of flows.
    pub flows: u64,
    /// Shares by how their handshakes went.
    pub outcomes: BTreeMap<&'static str, f64>,
    /// Share of flows with a Retry.
    pub retries: f64,
    /// Share of flows with 0-RTT data.
    pub zero_rtt: f64,
    /// Round trips of the handshake beyond the capture point.
    pub handshake_rtt_ms: HandshakeSummary,
    /// Each direction's median RTT of the spin bit, where it spins.
    pub spin_rtt_p50_ms: Option<Quantiles>,
}

/// All RTP streams.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RtpSummary {
    /// Number of streams.
    pub streams: u64,
    /// Packets that their numbers tell of.
    pub expected: u64,
    /// Those that did not pass.
    pub lost: u64,
    /// Share of them in each stream.
    pub lost_share: Option<Quantiles>,
    /// Mean jitter of each stream, where its clock is known.
    pub jitter_mean_ms: Option<Quantiles>,
}

/// QUIC flows so far.
#[derive(Clone, Debug, Default)]
pub(super) struct QuicSums {
    flows: u64,
    outcomes: [u64; 6],
    retries: u64,
    zero_rtt: u64,
    handshakes: [Distribution; 3],
    spins: Distribution,
}

/// RTP streams so far.
#[derive(Clone, Debug, Default)]
pub(super) struct RtpSums {
    streams: u64,
    expected: u64,
    lost: u64,
    shares: Distribution,
    jitters: Distribution,
}

impl QuicSums {
    /// Adds a flow.
    pub(super) fn add(&mut self, flow: &FlowRecord, quic: &Quic) {
        self.flows += 1;
        self.outcomes[quic.outcome as usize] += 1;
        self.retries += u64::from(quic.retry);
        self.zero_rtt += u64::from(quic.zero_rtt_packets > 0);
        let shake = &flow.handshake_rtt_ms;
        let whole = shake.client_side.zip(shake.server_side).map(|(a, b)| a + b);
        let sides = [shake.client_side, shake.server_side, whole];
        for (times, ms) in self.handshakes.iter_mut().zip(sides) {
            ms.into_iter().for_each(|ms| times.add(nanos(ms)));
        }
        let medians = [&flow.up, &flow.down].map(|way| way.rtt_ms.map(|rtt| rtt.p50));
        medians.into_iter().flatten().for_each(|ms| self.spins.add(nanos(ms)));
    }

    /// Summary of the flows; none without any.
    pub(super) fn report(&self) -> Option<QuicSummary> {
        let share = |n: u64| n as f64 / self.flows as f64;
        let outcomes = QuicOutcome::ALL.iter().zip(self.outcomes).filter(|(_, n)| *n > 0);
        let [client_side, server_side, whole] =
            self.handshakes.each_ref().map(|times| times.quantiles(1e6));
        (self.flows > 0).then(|| QuicSummary {
            flows: self.flows,
            outcomes: outcomes.map(|(outcome, n)| (outcome.name(), share(n))).collect(),
            retries: share(self.retries),
            zero_rtt: share(self.zero_rtt),
            handshake_rtt_ms: HandshakeSummary { client_side, server_side, whole },
            spin_rtt_p50_ms: self.spins.quantiles(1e6),
        })
    }
}

impl RtpSums {
    /// Adds a direction of a flow.
    pub(super) fn add(&mut self, way: &Direction) {
        way.rtp.iter().flat_map(|rtp| &rtp.streams).for_each(|stream| self.stream(stream));
    }

    fn stream(&mut self, stream: &RtpStream) {
        self.streams += 1;
        self.expected += stream.expected;
        self.lost += stream.lost;
        let share = stream.lost as f64 / stream.expected as f64;
        self.shares.add((share * PARTS as f64) as u64);
        stream.jitter_mean_ms.into_iter().for_each(|ms| self.jitters.add(nanos(ms)));
    }

    /// Summary of the flows; none without any.
    pub(super) fn report(&self) -> Option<RtpSummary> {
        (self.streams > 0).then(|| RtpSummary {
            streams: self.streams,
            expected: self.expected,
            lost: self.lost,
            lost_share: self.shares.quantiles(PARTS as f64),
            jitter_mean_ms: self.jitters.quantiles(1e6),
        })
    }
}

fn nanos(ms: f64) -> u64 {
    (1e6 * ms) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::analyse;
    use crate::{Options, Summary};

    #[test]
    fn a_connection_twice() {
        let capture = include_bytes!("../../captures/quic.pcap.gz");
        let (flows, _) = analyse(capture, Options::default());
        let mut summary = Summary::default();
        let retried = Quic { retry: true, ..flows[0].quic.clone().unwrap() };
        summary.add(&flows[0]);
        summary.add(&FlowRecord { quic: Some(retried), ..flows[0].clone() });
        let quic = summary.report().quic.unwrap();
        assert_eq!((quic.flows, quic.retries, quic.zero_rtt), (2, 0.5, 0.0));
        assert_eq!(quic.outcomes, BTreeMap::from([("completed", 1.0)]));
        let whole = quic.handshake_rtt_ms.whole.unwrap();
        assert!((whole.p50 / 76.16 - 1.0).abs() < 0.004, "{whole:?}");
        // 58.845 ms up and 54.232 ms down, each twice.
        let spins = quic.spin_rtt_p50_ms.unwrap();
        assert!((spins.p90 / 58.845 - 1.0).abs() < 0.004, "{spins:?}");
        assert_eq!(summary.report().rtp, None);
    }

    #[test]
    fn streams_of_all_flows() {
        let stream = |lost, jitter_mean_ms| RtpStream {
            ssrc: 1,
            payload_type: 0,
            packets: 100 - lost,
            payload_bytes: 0,
            expected: 100,
            lost,
            duplicates: 0,
            late: 0,
            restarts: 0,
            clock_hz: None,
            clock_source: None,
            jitter_mean_ms,
            jitter_max_ms: None,
            frames: None,
            reported: None,
        };
        let mut sums = RtpSums::default();
        [stream(0, None), stream(20, Some(2.0))].iter().for_each(|stream| sums.stream(stream));
        let rtp = sums.report().unwrap();
        assert_eq!((rtp.streams, rtp.expected, rtp.lost), (2, 200, 20));
        assert!(rtp.lost_share.is_some_and(|share| (share.mean - 0.1).abs() < 1e-6));
        assert!(rtp.jitter_mean_ms.is_some_and(|jitter| (jitter.mean - 2.0).abs() < 1e-6));
    }
}
