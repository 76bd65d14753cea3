//! Flows and hosts with packets that have no time, as in Simple Packet Blocks of pcapng
//! (draft-ietf-opsawg-pcapng, 4.4): their records have no values that need times.

use crate::host::HostRecord;
use crate::record::{Direction, FlowRecord, Handshake};

impl FlowRecord {
    /// The flow without all values that need times. Counts stay, as the order of packets decides them.
    pub(crate) fn without_times(self) -> FlowRecord {
        let mut flow = FlowRecord {
            start: None,
            duration_s: None,
            longest_gap_s: None,
            delayed_fin_s: None,
            handshake_rtt_ms: Handshake::default(),
            idle_before_s: None,
            promotion_delay_ms: None,
            signs: Vec::new(),
            verdict: None,
            up: self.up.without_times(),
            down: self.down.without_times(),
            ..self
        };
        if let Some(dns) = &mut flow.dns {
            dns.time_ms = None;
            dns.listed.clear();
        }
        if let Some(quic) = &mut flow.quic {
            quic.handshake_s = None;
        }
        flow
    }
}

impl Direction {
    fn without_times(self) -> Direction {
        let mut way = Direction {
            rate_bps: None,
            first_window_full_s: None,
            rtt_ms: None,
            rtt_source: None,
            rtt_over_time: Vec::new(),
            gaps: None,
            timestamp_period_ms: None,
            timestamp_period_error: None,
            bandwidth_bps: None,
            undesired_slow_starts: 0,
            undesired_slow_starts_at_s: Vec::new(),
            preventable_slow_starts: 0,
            slow_starts_by_ratio: 0,
            causes: None,
            intervals: Vec::new(),
            rounds: Vec::new(),
            course: None,
            ..self
        };
        for stream in way.rtp.iter_mut().flat_map(|rtp| &mut rtp.streams) {
            (stream.clock_hz, stream.clock_source) = (None, None);
            (stream.jitter_mean_ms, stream.jitter_max_ms) = (None, None);
            stream.frames = None;
            if let Some(reported) = &mut stream.reported {
                (reported.jitter_ms, reported.jitter_max_ms) = (None, None);
            }
        }
        way
    }
}

impl HostRecord {
    /// The host without all values that need times: address, flows and volumes stay.
    pub(crate) fn without_times(self) -> HostRecord {
        HostRecord {
            address: self.address,
            flows: self.flows,
            up: self.up,
            down: self.down,
            ..HostRecord::default()
        }
    }
}
