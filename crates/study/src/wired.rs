//! Figures of paths without a radio: media under congestion control, windows, marks.

use airpath_results::FlowCounts;
use serde::{Deserialize, Serialize};

/// IPv4 and UDP in front of RTP, in bytes (RFC 791, 768).
const HEADERS: u64 = 28;

/// A figure of a flow, whatever lies below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WiredMeasure {
    /// Rate of its packets while it sent, RTP's header included and IP's and UDP's not, in
    /// Mbit/s.
    RtpRate,
    /// Mean of the controller's estimates of the queue delay in the network, in ms.
    NetworkQueueMean,
    /// Their 99th percentile.
    NetworkQueueHigh,
    /// Mean time of its packets in the RTP queue, in ms.
    RtpQueueMean,
    /// Mean time from encoder to picture of complete frames, in ms.
    FrameDelayMean,
    /// Their 99th percentile.
    FrameDelayHigh,
    /// Packets thrown out of the RTP queue, in percent of those sent.
    Discarded,
    /// Mean delay of its packets from end to end, in ms.
    PacketDelayMean,
    /// Standard deviation of the congestion window over its mean, in percent, by
    /// acknowledgement.
    CwndVariation,
    /// Mean time between the beginnings of loss recoveries, in mean round trips; one that
    /// follows another within ten is not counted.
    RecoveryRounds,
    /// Packets that arrived marked in a mean round trip.
    MarksPerRound,
    /// Packets dropped in the network, in percent of those sent.
    Dropped,
}

use WiredMeasure as W;

/// Names in tables.
const NAMES: [(&str, WiredMeasure); 12] = [
    ("rtp-rate", W::RtpRate),
    ("network-queue-mean", W::NetworkQueueMean),
    ("network-queue-p99", W::NetworkQueueHigh),
    ("rtp-queue-mean", W::RtpQueueMean),
    ("frame-delay-mean", W::FrameDelayMean),
    ("frame-delay-p99", W::FrameDelayHigh),
    ("discarded", W::Discarded),
    ("packet-delay-mean", W::PacketDelayMean),
    ("cwnd-variation", W::CwndVariation),
    ("recovery-rounds", W::RecoveryRounds),
    ("marks-per-round", W::MarksPerRound),
    ("dropped", W::Dropped),
];

/// All figures of a flow, each none if it does not apply. They are of the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WiredFigures([Option<f64>; NAMES.len()]);

impl WiredMeasure {
    pub(crate) fn named(name: &str) -> Option<WiredMeasure> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, measure)| *measure)
    }

    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

impl WiredFigures {
    /// Figures of a flow that was to send for so many seconds.
    pub(crate) fn of(counts: &FlowCounts, seconds: f64) -> WiredFigures {
        let (data, media) = (&counts.data, counts.media.as_deref());
        let rtp = data.sent_bytes.saturating_sub(HEADERS * data.sent_packets) as f64;
        let network = media.and_then(|media| media.network.summary());
        let frames = media.and_then(|media| media.delays.summary());
        let discarded = media.and_then(|m| m.state).map(|state| state.discarded_packets);
        let share = |packets: u64| {
            (data.sent_packets > 0).then(|| packets as f64 * 100.0 / data.sent_packets as f64)
        };
        let rtt = counts.tcp.rtt.mean().map(|nanos| nanos / 1e9);
        WiredFigures(NAMES.map(|(_, measure)| match measure {
            W::RtpRate => media.filter(|_| seconds > 0.0).map(|_| rtp * 8e-6 / seconds),
            W::NetworkQueueMean => network.as_ref().map(|s| s.mean),
            W::NetworkQueueHigh => network.as_ref().map(|s| s.p99),
            W::RtpQueueMean => media.and_then(|media| media.sender.summary()).map(|s| s.mean),
            W::FrameDelayMean => frames.as_ref().map(|s| s.mean),
            W::FrameDelayHigh => frames.as_ref().map(|s| s.p99),
            W::Discarded => discarded.and_then(share),
            W::PacketDelayMean => counts.delays.summary().map(|s| s.mean),
            W::CwndVariation => variation(counts),
            W::RecoveryRounds => Some(recovery(counts)? / rtt?),
            W::MarksPerRound => (seconds > 0.0).then_some(data.received_ce as f64 * rtt? / seconds),
            W::Dropped => share(data.lost_packets()),
        }))
    }

    pub(crate) fn value(&self, measure: WiredMeasure) -> Option<f64> {
        let at = NAMES.iter().position(|(_, known)| *known == measure)?;
        self.0[at]
    }
}

fn variation(counts: &FlowCounts) -> Option<f64> {
    let windows = &counts.tcp.cwnds;
    Some(windows.stddev()? / windows.mean()? * 100.0)
}

/// Mean seconds from one setback to the next.
fn recovery(counts: &FlowCounts) -> Option<f64> {
    let (first, last) = counts.tcp.set_back?;
    let gaps = counts.tcp.setbacks.checked_sub(1).filter(|gaps| *gaps > 0)?;
    Some(last.saturating_since(first).as_secs_f64() / gaps as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use airpath_base::Time;

    #[test]
    fn marks_and_recoveries_are_told_in_round_trips() {
        let mut counts = FlowCounts::default();
        counts.data.received_ce = 300;
        counts.tcp.setbacks = 4;
        counts.tcp.set_back = Some((Time::from_millis(2_000), Time::from_millis(8_000)));
        // Round trips of 10 and 30 ms: 20 ms in the mean.
        [10e6, 30e6].into_iter().for_each(|nanos| counts.tcp.rtt.add(nanos));
        [80.0, 120.0].into_iter().for_each(|bytes| counts.tcp.cwnds.add(bytes));
        let figures = WiredFigures::of(&counts, 3.0);
        // 300 marks in 150 round trips; three gaps of 2 s, 100 round trips each.
        assert_eq!(figures.value(W::MarksPerRound), Some(2.0));
        assert_eq!(figures.value(W::RecoveryRounds), Some(100.0));
        assert_eq!(figures.value(W::CwndVariation), Some(20.0));
        assert_eq!(figures.value(W::RtpRate), None);
    }
}
