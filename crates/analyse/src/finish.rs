//! Record of a flow that is over.

use airpath_base::{Duration, Time};

use crate::causes::{Mentioned, Part, Place, Verdict, verdict};
use crate::flow::Flow;
use crate::host::WORST_PERIOD;
use crate::methods::promotion_delay;
use crate::names::Application;
use crate::quic::Connection;
use crate::record::{Direction, EndReason, FlowProtocol, FlowRecord, Handshake};
use crate::sketch::{RttSource, Sketch, Spread};
use crate::table::EndCause;
use crate::tcp::{Counts, HalfConnection, mark};
use crate::udp::Udp;

/// Properties of the client beside the flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    /// Seconds a tick of its clock, and its relative standard error, if known.
    pub(crate) clock: Option<(f64, f64)>,
    /// Time after which the client's radio is idle for certain, if it has one.
    pub(crate) radio_idle: Option<Duration>,
}

impl Flow {
    /// Record of the flow.
    pub(crate) fn record(&self, over: EndCause, beside: &Client) -> FlowRecord {
        let client = self.key.client();
        let (up, down) = (&self.halves[client], &self.halves[1 - client]);
        let handshake = &self.handshake;
        let quic = self.udp.as_ref().and_then(|udp| udp.quic());
        let is_rtp = self.udp.as_ref().is_some_and(|udp| udp.is_rtp());
        let mut named = self.names.named(self.server_port(), self.is_tcp(), quic.is_some());
        if let Some(quic) = quic {
            named = named.with(quic.said());
        }
        if is_rtp {
            named.application = Application::Rtp;
        }
        let [client_side, server_side] = match quic {
            Some(quic) => quic.round_trips(),
            None => [handshake.client_side(), handshake.server_side()],
        };
        let ms = |nanos: Option<u64>| nanos.map(|nanos| nanos as f64 / 1e6);
        let mut flow = FlowRecord {
            number: 0, // it is known once the flow is handed out
            client: self.key.end(client),
            server: self.key.end(1 - client),
            protocol: match quic {
                _ if self.is_tcp() => FlowProtocol::Tcp,
                Some(_) => FlowProtocol::Quic,
                None if is_rtp => FlowProtocol::Rtp,
                None => FlowProtocol::Udp,
            },
            tunnels: Vec::new(), // they are named once the flow is handed out
            application: named.application,
            server_name: named.server_name,
            alpn: named.alpn,
            start: Some(self.start),
            duration_s: Some(self.last.saturating_since(self.start).as_secs_f64()),
            longest_gap_s: Some(self.longest_gap.as_secs_f64()),
            end_reason: self.end_reason(over),
            delayed_fin_s: self.delayed_fin().map(Duration::as_secs_f64),
            handshake_rtt_ms: Handshake {
                client_side: ms(client_side),
                server_side: ms(server_side),
            },
            ecn: handshake.ecn.told().filter(|_| self.is_tcp()),
            idle_before_s: self.silence.seconds(),
            promotion_delay_ms: self.promotion(beside),
            http: named.http,
            dns: named.dns,
            quic: quic.map(Connection::report),
            signs: self.signs(),
            verdict: None,
            up: self.direction(client, up, period(down)),
            down: self.direction(1 - client, down, better(period(up), beside.clock)),
        };
        if self.untimed {
            return flow.without_times();
        }
        flow.verdict = judged(&flow, None);
        flow
    }

    fn end_reason(&self, over: EndCause) -> EndReason {
        match (self.closing > Time::ZERO, over) {
            (true, _) if self.reset => EndReason::Rst,
            (true, _) => EndReason::Fin,
            (false, _) if self.is_tcp() && self.never_connected() => EndReason::NeverConnected,
            (false, EndCause::Time) => EndReason::TimedOut,
            (false, EndCause::Capture) => EndReason::CaptureEnd,
            (false, EndCause::Memory) => EndReason::Evicted,
        }
    }

    fn delayed_fin(&self) -> Option<Duration> {
        let data = self.halves.iter().any(|half| half.payload > 0);
        let closed = self.closing > Time::ZERO;
        (data && closed).then(|| self.closing.saturating_since(self.last_payload))
    }

    fn promotion(&self, beside: &Client) -> Option<f64> {
        let idle = self.silence.may_be_idle(beside.radio_idle?);
        let (ticks, between) = self.waited().filter(|_| idle)?;
        let own = period(&self.halves[self.key.client()]);
        let (seconds, _) = better(own, beside.clock)?;
        Some(1e3 * promotion_delay(seconds, 0, ticks, between))
    }

    /// RTTs of a TCP direction, with that of its SYN or SYN-ACK.
    fn rtts(&self, side: usize, data: Option<&Sketch>) -> Option<Spread> {
        let by_client = side == self.key.client();
        let shake = &self.handshake;
        let first = if by_client { shake.server_side() } else { shake.client_side() };
        let Some(first) = first else { return data?.spread() };
        let mut all = data.cloned().unwrap_or_default();
        all.add(first);
        all.spread()
    }

    /// Round trips of the handshake on both sides of the capture point, for one direction.
    fn place(&self, side: usize) -> Place {
        let quic = |udp: &Udp| udp.quic().map_or([None; 2], Connection::round_trips);
        let handshake = || [self.handshake.client_side(), self.handshake.server_side()];
        let [client, server] = self.udp.as_deref().map_or_else(handshake, quic);
        let by_client = side == self.key.client();
        let (to_sender, to_receiver) = if by_client { (client, server) } else { (server, client) };
        Place { to_sender, to_receiver, offload: false }
    }

    /// Record of one direction; `receiver` is the other end's clock.
    fn direction(
        &self,
        side: usize,
        half: &HalfConnection,
        receiver: Option<(f64, f64)>,
    ) -> Direction {
        let since = |at: Time| at.saturating_since(self.start).as_secs_f64();
        let seconds = since(self.last);
        let clock = period(half);
        let estimators = half.estimators.as_ref();
        let slow = estimators.map(|estimators| estimators.slow.ended()).unwrap_or_default();
        let receiver = receiver.map(|(seconds, _)| seconds);
        let sent = half.sent.as_ref();
        let watch = sent.and_then(|sent| sent.watch.as_ref());
        let found = match &self.udp {
            Some(udp) => udp.causes(side, self.place(side), self.start),
            None => watch.and_then(|watch| watch.causes(self.place(side), self.start)),
        };
        let causes = found.as_ref().map(|found| found.causes);
        let (hypotheses, intervals, rounds, course) = found
            .map_or_else(Default::default, |found| {
                (found.hypotheses, found.intervals, found.rounds, found.course.map(Box::new))
            });
        let udp = self.udp.as_ref();
        let rtt = match udp {
            Some(udp) => udp.rtts(side),
            None => self.rtts(side, sent.map(|sent| &sent.rtt)).map(|rtt| (rtt, RttSource::Acks)),
        };
        let over_time = udp.map(|udp| udp.over_time(side, self.start));
        Direction {
            rate_bps: (seconds > 0.0).then(|| 8.0 * half.payload as f64 / seconds),
            sack_permitted: half.has(mark::SACK),
            rtt_source: rtt.map(|(_, source)| source),
            rtt_ms: rtt.map(|(spread, _)| spread),
            rtt_over_time: over_time.unwrap_or_default(),
            gaps: udp.and_then(|udp| udp.gaps(side, self.start, half.payload)),
            rtp: udp.and_then(|udp| udp.rtp_of(side)),
            most_in_flight_bytes: sent.map(|sent| sent.most_in_flight.into()),
            receive_window_bytes: sent.and_then(|s| s.windows).map(|(a, b)| [a.into(), b.into()]),
            timestamp_period_ms: clock.map(|(seconds, _)| 1e3 * seconds),
            timestamp_period_error: clock.map(|(_, error)| error),
            bandwidth_bps: estimators
                .and_then(|estimators| estimators.bandwidth.estimate(receiver)),
            undesired_slow_starts: slow.undesired.into(),
            undesired_slow_starts_at_s: slow.times.iter().map(|at| since(*at)).collect(),
            preventable_slow_starts: slow.preventable.into(),
            slow_starts_by_ratio: slow.by_ratio.into(),
            causes,
            hypotheses,
            intervals,
            rounds,
            course,
            ..self.counted(half)
        }
    }

    /// Packets and segments of one end by kind; rates, RTTs and causes are empty.
    fn counted(&self, half: &HalfConnection) -> Direction {
        let none = Counts::default();
        let counts = half.counts.as_deref().unwrap_or(&none);
        let points = counts.code_points.as_deref().cloned().unwrap_or_default();
        let kinds = [counts.fast, counts.timeout, counts.spurious];
        let [fast, timeout, spurious] = kinds.map(u64::from);
        Direction {
            packets: half.packets.into(),
            bytes: half.bytes,
            interface: None,
            ect0_packets: counts.ecn[1].into(),
            ect1_packets: counts.ecn[0].into(),
            ce_packets: counts.ecn[2].into(),
            ece_segments: counts.ece.into(),
            cwr_segments: counts.cwr.into(),
            ecn_reports: counts.reports.as_ref().map(|reports| reports.told()),
            dscp: points.counts(half.dscp, half.packets),
            dscp_changes: points.changes.into(),
            payload_bytes: half.payload,
            retransmissions: fast + timeout + spurious,
            retransmitted_packets: counts.retransmitted(),
            lost_packets: counts.lost(half.has(mark::SACK)),
            fast_retransmissions: fast,
            timeout_retransmissions: timeout,
            spurious_retransmissions: spurious,
            duplicate_acks: counts.duplicate_acks.into(),
            copies: counts.copies.into(),
            copies_or_retransmissions: counts.open.into(),
            out_of_order: counts.out_of_order.into(),
            notes: counts.notes.as_ref().map(|notes| notes.list()).unwrap_or_default(),
            zero_windows: counts.zero_windows.into(),
            window_full: counts.window_full.into(),
            first_window_full_s: counts
                .first_full
                .map(|at| at.saturating_since(self.start).as_secs_f64()),
            ..Direction::default()
        }
    }
}

/// Verdict on the direction with more data, if there is one with causes, and if its ACKs were captured. `part` is its part of a link that others share.
pub(crate) fn judged(flow: &FlowRecord, part: Option<Part>) -> Option<Verdict> {
    let up = flow.up.payload_bytes > flow.down.payload_bytes;
    let (data, back) = if up { (&flow.up, &flow.down) } else { (&flow.down, &flow.up) };
    // TCP sends no data before an answer, so the other direction did not pass the capture.
    if flow.protocol == FlowProtocol::Tcp && data.payload_bytes > 0 && back.packets == 0 {
        return None;
    }
    let closed_windows = back.zero_windows;
    let mentioned = Mentioned { losses: data.retransmissions, closed_windows, part };
    Some(verdict(up, data.causes.as_ref()?, &data.hypotheses, mentioned))
}

/// Period of a sender's clock in seconds a tick, and its error, if it is exact enough.
pub(crate) fn period(half: &HalfConnection) -> Option<(f64, f64)> {
    let period = half.estimators.as_ref()?.clock.period()?;
    (period.error <= WORST_PERIOD).then_some((period.seconds, period.error))
}

/// The one with the lesser error.
pub(crate) fn better(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<(f64, f64)> {
    [a, b].into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1))
}
