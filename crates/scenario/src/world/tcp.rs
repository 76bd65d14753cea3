//! Options of TCP as the transport has them.

use airpath_transport::tcp::{self, Reader, TcpConfig};

use airpath_wire::Ecn;

use super::control::controller;
use crate::file::{
    CodePoint, DelayedAckOption, EcnMode, FlightMeasure, LossDetection, LossRecovery, Pacing,
    RecoveryTimer, Reduction, RttSource, Tcp,
};

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
        rtt_source: match options.rtt_source {
            RttSource::Segments => tcp::RttSource::Segments,
            RttSource::Timestamps => tcp::RttSource::Timestamps,
        },
        rto_from_duplicates: options.rto_from_duplicates,
        syn_timeout: options.syn_timeout,
        syn_retries: options.syn_retries,
        duplicate_ack_threshold: options.duplicate_ack_threshold,
        limited_transmit: options.limited_transmit,
        recovery: match options.recovery {
            LossRecovery::Sack => tcp::LossRecovery::Sack,
            LossRecovery::Ns3 => tcp::LossRecovery::Ns3,
            LossRecovery::NewReno => tcp::LossRecovery::NewReno,
        },
        flight_measure: match options.flight_measure {
            FlightMeasure::FlightSize => tcp::FlightMeasure::FlightSize,
            FlightMeasure::Pipe => tcp::FlightMeasure::Pipe,
            FlightMeasure::Window => tcp::FlightMeasure::Window,
        },
        speculative_retransmission: options.speculative_retransmission,
        rescue_retransmission: options.rescue_retransmission,
        recovery_timer: match options.recovery_timer {
            RecoveryTimer::EveryAck => tcp::RecoveryTimer::EveryAck,
            RecoveryTimer::FirstPartialAck => tcp::RecoveryTimer::FirstPartialAck,
            RecoveryTimer::EachRetransmission => tcp::RecoveryTimer::EachRetransmission,
            RecoveryTimer::Head => tcp::RecoveryTimer::Head,
        },
        rto_always_lowers_ssthresh: options.rto_always_lowers_ssthresh,
        timeout_exit_counts_new_only: options.timeout_exit_counts_new_only,
        idle_restart: options.idle_restart,
        eifel: options.eifel,
        ecn: match options.ecn {
            None | Some(EcnMode::Off) => tcp::EcnMode::Off,
            Some(EcnMode::Classic) => tcp::EcnMode::Classic,
            Some(EcnMode::Accurate) => tcp::EcnMode::Accurate,
        },
        ecn_option: options.ecn_option,
        ect: options.ect.map(|ect| match ect {
            CodePoint::Ect0 => Ecn::Ect0,
            CodePoint::Ect1 => Ecn::Ect1,
        }),
        loss_detection: match options.loss_detection {
            LossDetection::Duplicates => tcp::LossDetection::Duplicates,
            LossDetection::Rack => tcp::LossDetection::Rack,
        },
        lost_retransmission_reduces: options.lost_retransmission_reduces,
        reduction: match options.reduction {
            Reduction::Step => tcp::Reduction::Step,
            Reduction::Proportional => tcp::Reduction::Proportional,
        },
        pacing: match options.pacing {
            Pacing::Controller => tcp::Pacing::Controller,
            Pacing::Always => tcp::Pacing::Always,
            Pacing::Off => tcp::Pacing::Off,
        },
        controller: controller(options, seed),
        initial_sequence: 0,
    }
}

fn delayed_ack(option: &DelayedAckOption) -> Option<tcp::DelayedAck> {
    match option {
        DelayedAckOption::On(ack) => {
            Some(tcp::DelayedAck { count: ack.count, timeout: ack.timeout, at_once: ack.at_once })
        }
        DelayedAckOption::Off => None,
    }
}

#[cfg(test)]
#[path = "tcp_tests.rs"]
mod tests;
