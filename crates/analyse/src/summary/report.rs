//! Report of the summary. All shares are from 0 to 1.

use std::collections::BTreeMap;

use serde::Serialize;

use super::correlation::Correlation;
use super::datagrams::{QuicSummary, RtpSummary};
use super::distribution::{Distribution, Quantiles};
use super::{Amount, Dns, HttpSums, Sizes, Summary};
use crate::names::{Application, Content, Contents};
use crate::record::{EndReason, FlowProtocol};

/// Shares of the greatest flows, whose part of the bytes is reported.
const TOPS: [f64; 5] = [0.001, 0.006, 0.01, 0.05, 0.1];
/// Share of the greatest flows whose content is reported too.
const CARRIED: f64 = 0.05;
/// Parts of a retransmission rate.
pub(super) const PARTS: u64 = 1_000_000_000;

/// Summary of a capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SummaryReport {
    /// By protocol.
    pub protocols: BTreeMap<&'static str, Part>,
    /// By application.
    pub applications: BTreeMap<&'static str, Part>,
    /// TCP flows; none without any.
    pub tcp: Option<TcpSummary>,
    /// HTTP, where it was seen.
    pub http: Option<HttpSummary>,
    /// DNS, where it was seen.
    pub dns: Option<DnsSummary>,
    /// QUIC, where it was seen.
    pub quic: Option<QuicSummary>,
    /// RTP, where it was seen.
    pub rtp: Option<RtpSummary>,
}

/// A part of the flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Part {
    /// Flows.
    pub flows: u64,
    /// Bytes of their frames in both directions.
    pub bytes: u64,
    /// Share of all flows.
    pub flows_share: f64,
    /// Share of the bytes of all flows.
    pub bytes_share: f64,
}

/// All TCP flows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TcpSummary {
    /// Number of flows.
    pub flows: u64,
    /// By application, shares being those of TCP.
    pub applications: BTreeMap<&'static str, Part>,
    /// Shares by how they ended.
    pub ends: BTreeMap<&'static str, f64>,
    /// From first to last packet.
    pub duration_s: Option<Quantiles>,
    /// Share of flows shorter than 5 s.
    pub shorter_than_5_s: f64,
    /// Share of flows of at least 3 min.
    pub at_least_180_s: f64,
    /// Share of flows of at least 10 min.
    pub at_least_600_s: f64,
    /// From the last payload to the first FIN or RST.
    pub delayed_fin_s: Option<Quantiles>,
    /// Share of flows in which that took more than 10 s.
    pub delayed_over_10_s: f64,
    /// Round trips of the handshake beyond the capture point.
    pub handshake_rtt_ms: HandshakeSummary,
    /// Share of flows without retransmission.
    pub without_retransmission: f64,
    /// Retransmissions over packets in the others.
    pub retransmission_rate: Option<Quantiles>,
    /// From clients to servers.
    pub up: SizeSummary,
    /// From servers to clients.
    pub down: SizeSummary,
}

/// Round trips of handshakes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HandshakeSummary {
    /// To the client.
    pub client_side: Option<Quantiles>,
    /// To the server.
    pub server_side: Option<Quantiles>,
    /// Of flows in which both are known, their sum.
    pub whole: Option<Quantiles>,
}

/// One direction of all TCP flows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeSummary {
    /// Payload of a flow.
    pub payload_bytes: Option<Quantiles>,
    /// Share of flows without any.
    pub without_payload: f64,
    /// Payload over duration, of flows that have both.
    pub rate_bps: Option<Quantiles>,
    /// Share of the greatest flows in all payload.
    pub top: Vec<Top>,
    /// Content of the greatest twentieth.
    pub top_5_percent: Option<TopCarried>,
    /// Correlations of size, duration and rate.
    pub correlation: Correlations,
}

/// The greatest flows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Top {
    /// So great a share of all flows.
    pub flows_share: f64,
    /// Has this share of the payload.
    pub bytes_share: f64,
}

/// Content of the greatest flows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TopCarried {
    /// Payload of the least of them.
    pub least_bytes: f64,
    /// Share of them that is HTTP.
    pub http_flows_share: f64,
    /// Share of video and audio in the bytes of their HTTP bodies, where seen.
    pub media_bytes_share: Option<f64>,
    /// Share of images in the bytes of their HTTP bodies, where seen.
    pub image_bytes_share: Option<f64>,
}

/// Correlations of a flow's size, duration and rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Correlations {
    /// Of size and duration.
    pub size_duration: Correlation,
    /// Of duration and rate.
    pub duration_rate: Correlation,
    /// Of rate and size.
    pub rate_size: Correlation,
}

/// Content of HTTP.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HttpSummary {
    /// Flows in which it was seen.
    pub flows: u64,
    /// Requests.
    pub requests: u64,
    /// Responses.
    pub responses: u64,
    /// Responses with a status of 400 and more.
    pub errors: u64,
    /// Content of requests.
    pub up: Contents,
    /// Content of responses.
    pub down: Contents,
    /// Shares of the bytes of all bodies by class.
    pub bytes_shares: BTreeMap<&'static str, f64>,
}

/// DNS lookups.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DnsSummary {
    /// Questions.
    pub queries: u64,
    /// Of them, those answered.
    pub answers: u64,
    /// Repeated questions.
    pub retries: u64,
    /// From question to answer, of the first lookups of each flow.
    pub time_ms: Option<Quantiles>,
    /// Share of them that took less than 10 ms.
    pub sooner_than_10_ms: f64,
}

impl Summary {
    /// Report of the summary.
    pub fn report(&self) -> SummaryReport {
        SummaryReport {
            protocols: parts(FlowProtocol::ALL.map(FlowProtocol::name), &self.protocols),
            applications: parts(Application::ALL.map(Application::name), &self.applications),
            tcp: (self.durations.n() > 0).then(|| self.tcp_report()),
            http: (self.http.flows > 0).then(|| self.http.report()),
            dns: (self.dns.queries + self.dns.answers > 0).then(|| self.dns.report()),
            quic: self.quic.report(),
            rtp: self.rtp.report(),
        }
    }

    fn tcp_report(&self) -> TcpSummary {
        let flows = self.durations.n();
        let share = |n: u64| n as f64 / flows as f64;
        let ends = EndReason::ALL.iter().zip(self.ends).filter(|(_, n)| *n > 0);
        let [client_side, server_side, whole] =
            self.handshakes.each_ref().map(|times| times.quantiles(1e6));
        let [shorter_than_5_s, at_least_180_s, at_least_600_s] = self.lasting.map(share);
        let [up, down] = self.sizes.each_ref().map(Sizes::report);
        TcpSummary {
            flows,
            applications: parts(Application::ALL.map(Application::name), &self.tcp_applications),
            ends: ends.map(|(end, n)| (end.name(), share(n))).collect(),
            duration_s: self.durations.quantiles(1e9),
            shorter_than_5_s,
            at_least_180_s,
            at_least_600_s,
            delayed_fin_s: self.delayed_fins.quantiles(1e9),
            delayed_over_10_s: share(self.late_fins),
            handshake_rtt_ms: HandshakeSummary { client_side, server_side, whole },
            without_retransmission: share(self.lossless),
            retransmission_rate: self.loss_rates.quantiles(PARTS as f64),
            up,
            down,
        }
    }
}

impl Sizes {
    fn report(&self) -> SizeSummary {
        let top = |share| Some(Top { flows_share: share, bytes_share: self.payload.top(share)? });
        SizeSummary {
            payload_bytes: self.payload.quantiles(1.0),
            without_payload: self.none as f64 / self.payload.n().max(1) as f64,
            rate_bps: self.rates.quantiles(1.0),
            top: TOPS.into_iter().filter_map(top).collect(),
            top_5_percent: self.top_carried(),
            correlation: Correlations {
                size_duration: self.size_duration.correlation(),
                duration_rate: self.duration_rate.correlation(),
                rate_size: self.rate_size.correlation(),
            },
        }
    }

    fn top_carried(&self) -> Option<TopCarried> {
        let least = self.payload.least_of_top(CARRIED);
        let from = |sizes: &Distribution| sizes.from(least as u64);
        let (flows, bytes) = from(&self.payload);
        let bodies = from(&self.bodies).1;
        let share = |sizes| (bodies > 0.0).then(|| from(sizes).1 / bodies);
        (bytes > 0.0).then(|| TopCarried {
            least_bytes: least,
            http_flows_share: from(&self.http).0 as f64 / flows as f64,
            media_bytes_share: share(&self.media),
            image_bytes_share: share(&self.images),
        })
    }
}

impl HttpSums {
    fn report(&self) -> HttpSummary {
        let all = self.up.all().bytes + self.down.all().bytes;
        let bytes = |class: &Content| self.up.of(*class).bytes + self.down.of(*class).bytes;
        let shares = Content::ALL.iter().filter(|class| bytes(class) > 0);
        HttpSummary {
            flows: self.flows,
            requests: self.requests,
            responses: self.responses,
            errors: self.errors,
            up: self.up,
            down: self.down,
            bytes_shares: shares.map(|c| (c.name(), bytes(c) as f64 / all as f64)).collect(),
        }
    }
}

impl Dns {
    fn report(&self) -> DnsSummary {
        DnsSummary {
            queries: self.queries,
            answers: self.answers,
            retries: self.retries,
            time_ms: self.times.quantiles(1e6),
            sooner_than_10_ms: self.soon as f64 / self.times.n().max(1) as f64,
        }
    }
}

/// Amounts by name, with their shares; those without flows are left out.
fn parts<const N: usize>(
    names: [&'static str; N],
    amounts: &[Amount; N],
) -> BTreeMap<&'static str, Part> {
    let flows: u64 = amounts.iter().map(|amount| amount.flows).sum();
    let bytes: u64 = amounts.iter().map(|amount| amount.bytes).sum();
    let part = |amount: &Amount| Part {
        flows: amount.flows,
        bytes: amount.bytes,
        flows_share: amount.flows as f64 / flows as f64,
        bytes_share: amount.bytes as f64 / bytes.max(1) as f64,
    };
    let there = names.into_iter().zip(amounts).filter(|(_, amount)| amount.flows > 0);
    there.map(|(name, amount)| (name, part(amount))).collect()
}
