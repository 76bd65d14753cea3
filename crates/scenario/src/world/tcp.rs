//! Options of TCP as the transport has them.

use airpath_transport::tcp::{DelayedAck, EcnMode, Reader, TcpConfig};
use airpath_wire::Ecn;

use super::control::controller;
use crate::file::{CodePoint, DelayedAckOption, Tcp};

/// A size in bytes as the transport counts it; no check lets a larger one through.
fn narrow(bytes: airpath_base::Bytes) -> u32 {
    u32::try_from(bytes.0).unwrap_or(u32::MAX)
}

/// The options of both ends of a connection, whose random waits come from `seed`.
pub(super) fn config(options: &Tcp, seed: u64) -> TcpConfig {
    TcpConfig {
        mss: narrow(options.mss),
        segment: options.segment.map(narrow),
        announce_mss: options.announce_mss,
        initial_window: options.initial_window,
        initial_ssthresh: options.initial_ssthresh.quantity().map_or(u64::MAX, |bytes| bytes.0),
        sack: options.sack,
        timestamps: options.timestamps,
        timestamp_tick: options.timestamp_tick,
        window_scaling: options.window_scaling,
        receive_buffer: options.receive_buffer.0,
        reader: options.read_rate.quantity().map_or(Reader::Instant, Reader::Rate),
        send_buffer: options.send_buffer.quantity().map_or(u64::MAX, |bytes| bytes.0),
        write_size: narrow(options.write_size),
        delayed_ack: delayed_ack(&options.delayed_ack),
        min_rto: options.min_rto,
        initial_rto: options.initial_rto,
        max_rto: options.max_rto,
        rtt_granularity: options.rtt_granularity,
        backoff_until_sample: options.backoff_until_sample,
        rtt_source: options.rtt_source,
        rto_from_duplicates: options.rto_from_duplicates,
        syn_timeout: options.syn_timeout,
        syn_retries: options.syn_retries,
        duplicate_ack_threshold: options.duplicate_ack_threshold,
        limited_transmit: options.limited_transmit,
        recovery: options.recovery,
        flight_measure: options.flight_measure,
        speculative_retransmission: options.speculative_retransmission,
        rescue_retransmission: options.rescue_retransmission,
        recovery_timer: options.recovery_timer,
        rto_always_lowers_ssthresh: options.rto_always_lowers_ssthresh,
        timeout_exit_counts_new_only: options.timeout_exit_counts_new_only,
        idle_restart: options.idle_restart,
        eifel: options.eifel,
        ecn: options.ecn.unwrap_or(EcnMode::Off),
        ecn_option: options.ecn_option,
        ect: options.ect.map(|ect| match ect {
            CodePoint::Ect0 => Ecn::Ect0,
            CodePoint::Ect1 => Ecn::Ect1,
        }),
        loss_detection: options.loss_detection,
        lost_retransmission_reduces: options.lost_retransmission_reduces,
        reduction: options.reduction,
        pacing: options.pacing,
        controller: controller(options, seed),
        initial_sequence: 0,
    }
}

fn delayed_ack(option: &DelayedAckOption) -> Option<DelayedAck> {
    match option {
        DelayedAckOption::On(ack) => Some(*ack),
        DelayedAckOption::Off => None,
    }
}

#[cfg(test)]
#[path = "tcp_tests.rs"]
mod tests;
