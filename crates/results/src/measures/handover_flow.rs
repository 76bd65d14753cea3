//! Quantities of a flow at a change of its UE's cell: columns of `handover_flows.parquet` and
//! `handover_packets.parquet`, and their sums for a flow.

use airpath_base::measure::{BYTES, MS, PACKETS, S};
use airpath_base::{Time, measured, row};
use airpath_net::{DropCause, Handover};
use serde::{Deserialize, Serialize};

use super::nulls;
use super::source::named;
use crate::{Collector, DelaySummary, FlowInfo, HandoverCounts, HandoverFlow, PacketMark};

row! {
    from |(run, row): (&Collector, &HandoverFlow<'_>)|
    /// A flow of a UE at a handover, or at a re-establishment or a resume in another cell. The window is from `begin_s` until a
    /// second after the end of the change: the least retransmission timeout of RFC 6298, 2.4. It ends earlier where
    /// the UE receives its next command, where its link fails, or with the run.
    pub(crate) struct Cost {
        /// Time of the end, as in `handovers.parquet`.
        time_s: Option<f64> [S] =
            row.handover.end().map(Time::as_secs_f64),
        /// Name of the UE.
        ue: String = run.ue_name(row.handover.ue),
        /// Name of the flow.
        flow: String = run.flow_name(row.flow),
        /// `a3`, `a4`, `a5`, `reestablishment` or `resume`.
        cause: &'static str = row.handover.cause.name(),
        /// `success`, `command_lost`, `t304_expired`, or `idle` if T311 expired.
        outcome: &'static str = row.handover.outcome.name(),
        /// Name of the cell that served the UE.
        source: String = run.cell_name(row.handover.source),
        /// Name of the cell to which the UE was sent; of a re-establishment the cell where it was.
        target: String = run.cell_name(row.handover.target),
        /// Time at which the UE received the command; without one, time of the failure of its link.
        begin_s: f64 [S] = row.cost.begin.as_secs_f64(),
        /// Begin of the gap.
        gap_from_s: Option<f64> [S] = row.cost.gap.map(|(from, _)| from.as_secs_f64()),
        /// Longest time without a delivered packet of the flow that touches the time from `begin_s` to the end. It
        /// counts from a delivery with further data packets on their way, or from the sending of the next. Of a full
        /// buffer, deliveries are decoded blocks. None if the flow did not send, or got nothing more in the run.
        gap_ms: Option<f64> [MS.less()] = row.cost.gap.map(|(_, gap)| gap.as_millis_f64()),
        /// Data packets that were dropped by the cause `handover`, until the next change begins.
        lost_packets: Option<u64> [PACKETS.less()] = of_packets(run, row, row.cost.lost),
        /// Acknowledgements and reports that were dropped likewise.
        lost_feedback_packets: Option<u64> [PACKETS.less()] =
            of_packets(run, row, row.cost.lost_feedback),
        /// Data packets that were dropped in the window by other causes.
        other_lost_packets: Option<u64> [PACKETS.less()] =
            of_packets(run, row, row.cost.lost_otherwise),
        /// Retransmission timeouts in the window; of TCP only.
        timeouts: Option<u64> = of_tcp(run, row, row.cost.timeouts),
        /// Of these, spurious ones: the receiver sent the acknowledgement of the segment before the new copy had
        /// arrived (RFC 3522, 1).
        spurious_timeouts: Option<u64> = of_tcp(run, row, row.cost.spurious),
        /// Congestion window at `begin_s`; of TCP and media with a window only.
        cwnd_before_bytes: Option<u64> [BYTES] = row.cost.cwnd[0],
        /// The least congestion window from then on, until the end of the window.
        cwnd_least_bytes: Option<u64> [BYTES] = row.cost.cwnd[1],
        /// Congestion window at the end of the window.
        cwnd_after_bytes: Option<u64> [BYTES] = row.cost.cwnd[2],
        /// Frames whose deadline was in the window and that were not complete by then; of media with frames only.
        late_frames: Option<u64> =
            run.has_frames(row.flow).then_some(row.cost.late_frames),
    }
}

fn of_packets(run: &Collector, row: &HandoverFlow<'_>, count: u64) -> Option<u64> {
    let info = run.inventory().flows.get(row.flow.index());
    info.is_none_or(FlowInfo::has_packets).then_some(count)
}

fn of_tcp(run: &Collector, row: &HandoverFlow<'_>, count: u64) -> Option<u64> {
    let info = run.inventory().flows.get(row.flow.index());
    info.is_some_and(|info| info.kind == FlowInfo::TCP).then_some(count)
}

row! {
    from |(run, handover, mark): (&Collector, &Handover, &PacketMark)|
    /// A data packet of the UE that had the longest gap of a flow at a change of its cell. There are up to 512
    /// received and 512 dropped ones until the end of the gap, and up to 512 behind it.
    pub(crate) struct Mark {
        /// Time of the end of the change, as in `handovers.parquet`.
        time_s: Option<f64> [S] = handover.end().map(Time::as_secs_f64),
        /// Name of the UE.
        ue: String = run.ue_name(handover.ue),
        /// Name of the flow.
        flow: String = run.flow_name(mark.flow),
        /// Number within the data of the flow.
        number: u64 = mark.number,
        /// Time at which the sender handed it to the network.
        sent_s: f64 [S] = mark.sent.as_secs_f64(),
        /// Time at which it was received or dropped.
        ended_s: f64 [S] = mark.ended.as_secs_f64(),
        /// Cause of the drop; none if it was received.
        dropped: Option<&'static str> = mark.dropped.map(DropCause::name),
    }
}

measured! {
    from |counts: &HandoverCounts|
    /// Cost of handovers and re-establishments in other cells for a flow, behind the warm-up.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct HandoverCostSummary {
        /// Handovers of its UE that succeeded.
        pub handovers: u64 = counts.handovers,
        /// Handovers and radio links that failed, before the UE came to another cell or became idle.
        pub failures: u64 = counts.failures,
        /// Changes of the cell at which the flow sent, and had a later delivery.
        pub gaps: u64 = counts.gaps.count(),
        /// Gaps of these in milliseconds.
        #[serde(with = "nulls")]
        pub gap_ms: Option<DelaySummary> [MS] = counts.gaps.summary(),
        /// Data packets that were dropped by the cause `handover`.
        pub lost_packets: u64 [PACKETS] = counts.lost,
        /// Retransmission timeouts in the windows; none without TCP.
        pub timeouts: Option<u64> = counts.timeouts.map(|[all, _]| all),
        /// Of these, spurious ones.
        pub spurious_timeouts: Option<u64> = counts.timeouts.map(|[_, spurious]| spurious),
        /// Frames that missed their deadline in the windows; none without frames.
        pub late_frames: Option<u64> = counts.late_frames,
    }
}

impl HandoverCostSummary {
    /// All that it cost, in words without a full stop.
    pub fn sentence(&self) -> String {
        HandoverCost::of(self).sentence()
    }
}

/// Figures of a sentence on the cost of changes of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HandoverCost {
    /// Handovers that succeeded, and changes with a failure.
    pub changes: [u64; 2],
    /// Changes at which the flow sent.
    pub gaps: u64,
    /// Median and longest of these gaps in milliseconds.
    pub gap_ms: Option<[f64; 2]>,
    /// Retransmission timeouts, and spurious ones of these.
    pub timeouts: Option<[u64; 2]>,
    /// Packets lost.
    pub lost: u64,
    /// Late frames.
    pub late_frames: Option<u64>,
}

impl HandoverCost {
    fn of(all: &HandoverCostSummary) -> HandoverCost {
        HandoverCost {
            changes: [all.handovers, all.failures],
            gaps: all.gaps,
            gap_ms: all.gap_ms.map(|gap| [gap.p50, gap.max]),
            timeouts: all.timeouts.map(|timeouts| [timeouts, all.spurious_timeouts.unwrap_or(0)]),
            lost: all.lost_packets,
            late_frames: all.late_frames,
        }
    }

    /// The figures in words, without a full stop.
    pub fn sentence(&self) -> String {
        let [handovers, failures] = self.changes;
        let changes = match failures {
            0 => several(handovers, "handover"),
            _ => format!("{} and {}", several(handovers, "handover"), several(failures, "failure")),
        };
        let sending = match (self.gaps, handovers + failures) {
            (gaps, all) if gaps == all => String::new(),
            (0, _) => ", no gap with data on their way".to_owned(),
            (gaps, _) => format!(", {gaps} of them with data on their way"),
        };
        let gap = match self.gap_ms {
            Some([_, most]) if self.gaps == 1 => format!(", gap of {} ms", figure(most)),
            Some([median, most]) => {
                format!(
                    ", gap of {} ms at the median and {} ms at most",
                    figure(median),
                    figure(most)
                )
            }
            None => String::new(),
        };
        let timeouts = self.timeouts.map(|[all, spurious]| match (all, spurious) {
            (_, 0) => several(all, "retransmission timeout"),
            (1, _) => "1 retransmission timeout, which was spurious".to_owned(),
            _ => format!("{}, {spurious} of them spurious", several(all, "retransmission timeout")),
        });
        let late = self.late_frames.map(|late| several(late, "late frame"));
        let lost = format!("{} lost", several(self.lost, "packet"));
        let first = format!("{changes}{sending}{gap}");
        let parts = std::iter::once(first).chain(timeouts).chain([lost]).chain(late);
        parts.collect::<Vec<_>>().join("; ")
    }
}

/// A count with its noun.
pub(super) fn several(count: u64, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// A time with three digits; without zeros at the end.
fn figure(ms: f64) -> String {
    let text = match ms {
        _ if ms >= 999.5 => {
            let step = if ms >= 9_995.0 { 100.0 } else { 10.0 };
            return format!("{:.0}", (ms / step).round() * step);
        }
        _ if ms >= 99.95 => return format!("{ms:.0}"),
        _ if ms >= 9.995 => format!("{ms:.1}"),
        _ => format!("{ms:.2}"),
    };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Collector {
    fn flow_name(&self, flow: airpath_base::FlowId) -> String {
        named(self.inventory().flows.get(flow.index()).map(|info| &*info.name), flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_a_sentence() {
        let some = HandoverCost {
            changes: [12, 0],
            gaps: 12,
            gap_ms: Some([41.0, 180.4]),
            timeouts: Some([3, 2]),
            lost: 14,
            late_frames: None,
        };
        let words = "12 handovers, gap of 41 ms at the median and 180 ms at most; 3 retransmission timeouts, 2 of \
                     them spurious; 14 packets lost";
        assert_eq!(some.sentence(), words);
        let one =
            HandoverCost { changes: [1, 2], gaps: 1, timeouts: None, late_frames: Some(1), ..some };
        let words = "1 handover and 2 failures, 1 of them with data on their way, gap of 180 ms; 14 packets lost; \
                     1 late frame";
        assert_eq!(one.sentence(), words);
        let idle = HandoverCost { gaps: 0, gap_ms: None, timeouts: Some([1, 1]), lost: 0, ..some };
        let words = "12 handovers, no gap with data on their way; 1 retransmission timeout, which was spurious; no \
                     packets lost";
        assert_eq!(idle.sentence(), words);
    }
}
