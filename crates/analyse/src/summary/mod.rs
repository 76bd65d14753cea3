//! Summary of a capture over all its flows, in bounded memory: the statistics of sections 3 to 5
//! and 7.1 of the study for its trace.
//!
//! "Size" is payload, "rate" is payload over the duration of the flow. Flows without payload or
//! without duration have no part in correlations and rates.

mod correlation;
mod datagrams;
mod distribution;
mod report;

pub use correlation::Correlation;
pub use datagrams::{QuicSummary, RtpSummary};
pub use distribution::Quantiles;
pub use report::{
    Correlations, DnsSummary, HandshakeSummary, HttpSummary, Part, SizeSummary, SummaryReport,
    TcpSummary, Top, TopCarried,
};

use crate::names::{self, Application, Content, Contents};
use crate::record::{Direction, FlowProtocol, FlowRecord};
use correlation::Pairs;
use datagrams::{QuicSums, RtpSums};
use distribution::Distribution;

/// Answers that come sooner count as the network's own (section 4.2).
const SOON_MS: f64 = 10.0;
/// A FIN or RST that comes later than this after the last payload finds the radio asleep
/// (section 4.1: the tail is 10 s).
const TAIL_S: f64 = 10.0;

/// State of the summary.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    protocols: [Amount; 4],
    applications: [Amount; 7],
    tcp_applications: [Amount; 7],
    ends: [u64; 6],
    sizes: [Sizes; 2],
    durations: Distribution,
    /// Flows shorter than 5 s, of at least 3 min, of at least 10 min.
    lasting: [u64; 3],
    delayed_fins: Distribution,
    late_fins: u64,
    handshakes: [Distribution; 3],
    /// Flows without retransmission, and the rates of the others.
    lossless: u64,
    loss_rates: Distribution,
    http: HttpSums,
    dns: Dns,
    quic: QuicSums,
    rtp: RtpSums,
}

/// Flows and bytes of their frames.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    flows: u64,
    bytes: u64,
}

/// One direction of TCP flows.
#[derive(Clone, Debug, Default)]
struct Sizes {
    payload: Distribution,
    none: u64,
    rates: Distribution,
    size_duration: Pairs,
    duration_rate: Pairs,
    rate_size: Pairs,
    /// Flows by payload that are HTTP's; and weighted by the bytes of all bodies, and of
    /// those that are video or audio, and images.
    http: Distribution,
    bodies: Distribution,
    media: Distribution,
    images: Distribution,
}

#[derive(Clone, Debug, Default)]
struct HttpSums {
    flows: u64,
    requests: u64,
    responses: u64,
    errors: u64,
    up: Contents,
    down: Contents,
}

#[derive(Clone, Debug, Default)]
struct Dns {
    queries: u64,
    answers: u64,
    retries: u64,
    times: Distribution,
    soon: u64,
}

impl Summary {
    /// Adds a flow.
    pub fn add(&mut self, flow: &FlowRecord) {
        let bytes = flow.up.bytes + flow.down.bytes;
        self.protocols[flow.protocol as usize].add(bytes);
        self.applications[flow.application as usize].add(bytes);
        if let Some(http) = &flow.http {
            self.http.add(http);
        }
        if let Some(dns) = &flow.dns {
            self.dns.add(dns);
        }
        if let Some(quic) = &flow.quic {
            self.quic.add(flow, quic);
        }
        [&flow.up, &flow.down].into_iter().for_each(|way| self.rtp.add(way));
        if flow.protocol == FlowProtocol::Tcp {
            self.tcp(flow, bytes);
        }
    }

    fn tcp(&mut self, flow: &FlowRecord, bytes: u64) {
        self.tcp_applications[flow.application as usize].add(bytes);
        self.ends[flow.end_reason as usize] += 1;
        let nanos = flow.duration_s.map(nanos);
        if let Some((seconds, nanos)) = flow.duration_s.zip(nanos) {
            self.durations.add(nanos);
            let lasting = [seconds < 5.0, seconds >= 180.0, seconds >= 600.0];
            self.lasting.iter_mut().zip(lasting).for_each(|(n, is)| *n += u64::from(is));
        }
        if let Some(delay) = flow.delayed_fin_s {
            self.delayed_fins.add(self::nanos(delay));
            self.late_fins += u64::from(delay > TAIL_S);
        }
        let shake = &flow.handshake_rtt_ms;
        let whole = shake.client_side.zip(shake.server_side).map(|(a, b)| a + b);
        for (times, ms) in
            self.handshakes.iter_mut().zip([shake.client_side, shake.server_side, whole])
        {
            ms.into_iter().for_each(|ms| times.add(self::nanos(ms / 1e3)));
        }
        self.losses(flow);
        let http = flow.http.as_ref();
        let is_http = flow.application == Application::Http;
        let [up, down] = &mut self.sizes;
        up.add(&flow.up, nanos, is_http, http.map(|http| &http.up));
        down.add(&flow.down, nanos, is_http, http.map(|http| &http.down));
    }

    /// Retransmissions, as a share of the packets of both directions in parts of 10^9.
    fn losses(&mut self, flow: &FlowRecord) {
        let again = flow.up.retransmissions + flow.down.retransmissions;
        let packets = flow.up.packets + flow.down.packets;
        match again {
            0 => self.lossless += 1,
            _ => self.loss_rates.add(again.saturating_mul(report::PARTS) / packets.max(1)),
        }
    }
}

impl Sizes {
    fn add(&mut self, way: &Direction, nanos: Option<u64>, http: bool, carried: Option<&Contents>) {
        let size = way.payload_bytes;
        self.payload.add(size);
        self.none += u64::from(size == 0);
        if http {
            self.http.add(size);
        }
        if let Some(carried) = carried {
            let of = |classes: &[Content]| {
                classes.iter().map(|class| carried.of(*class).bytes).sum::<u64>() as f64
            };
            self.bodies.add_weighted(size, carried.all().bytes as f64);
            self.media.add_weighted(size, of(&[Content::Video, Content::Audio]));
            self.images.add_weighted(size, of(&[Content::Image]));
        }
        let rate = way.rate_bps.map(|rate| rate as u64).filter(|_| size > 0);
        let Some((rate, nanos)) = rate.zip(nanos) else { return };
        self.rates.add(rate);
        self.size_duration.add(size, nanos);
        self.duration_rate.add(nanos, rate);
        self.rate_size.add(rate, size);
    }
}

impl Amount {
    fn add(&mut self, bytes: u64) {
        (self.flows, self.bytes) = (self.flows + 1, self.bytes + bytes);
    }
}

impl HttpSums {
    fn add(&mut self, http: &names::Http) {
        self.flows += 1;
        self.requests += http.requests;
        self.responses += http.responses;
        self.errors += http.errors;
        self.up.merge(&http.up);
        self.down.merge(&http.down);
    }
}

impl Dns {
    fn add(&mut self, dns: &names::Dns) {
        self.queries += dns.queries;
        self.answers += dns.answers;
        self.retries += dns.retries;
        for lookup in &dns.listed {
            self.times.add(nanos(lookup.time_ms / 1e3));
            self.soon += u64::from(lookup.time_ms < SOON_MS);
        }
    }
}

fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

#[cfg(test)]
#[path = "../summary_tests.rs"]
mod tests;
