//! Legs of dual connectivity: columns of `legs.parquet`, and counts of a run.

use airpath_base::measure::{MS, PACKETS, PLAIN, S};
use airpath_base::{Duration, Time, documented, row};
use airpath_net::{LegChange, LegOutcome};
use serde::{Deserialize, Serialize};

use super::handover::between;
use crate::Collector;

row! {
    from |(run, row): (&Collector, &LegChange)|
    /// A change of the leg of a UE in dual connectivity, or an attempt at it (TS 37.340, 10.2 to 10.5).
    pub(crate) struct LegRow {
        /// Time of its end.
        time_s: f64 [S] = row.at.as_secs_f64(),
        /// Name of the UE.
        ue: String = run.ue_name(row.ue),
        /// Name of the anchor.
        anchor: String = run.cell_name(row.anchor),
        /// Name of the leg before; none with an addition.
        source: Option<String> = row.source.map(|cell| run.cell_name(cell)),
        /// Name of the cell to be the leg; none where the leg ends.
        target: Option<String> = row.target.map(|cell| run.cell_name(cell)),
        /// `added`, `changed`, `released` by event A2, `anchor_left` with a handover or failure of the anchor, `link_failed`
        /// (SCG failure), `t304_expired`, or `command_lost`.
        outcome: &'static str = row.outcome.name(),
        /// Time of the measurement report.
        report_s: Option<f64> [S] = row.report.map(Time::as_secs_f64),
        /// From the report to the reconfiguration.
        preparation_ms: Option<f64> [MS] = between(row.report, row.command_sent),
        /// From the reconfiguration, as the UE received it, to the leg that serves the UE.
        execution_ms: Option<f64> [MS] = between(row.command_received, row.completed),
        /// Of this, random access with its wait.
        random_access_ms: Option<f64> [MS] = between(row.access, row.completed),
        /// Preambles that the UE sent.
        preambles: u64 [PLAIN] = u64::from(row.preambles),
        /// Downlink packets that came back from the leg before, to be sent by the anchor (TS 38.323, 5.5).
        recovered_down_packets: u64 [PACKETS] = row.recovered[0],
        /// Likewise uplink packets.
        recovered_up_packets: u64 [PACKETS] = row.recovered[1],
    }
}

documented! {
    /// Legs of dual connectivity in a run, behind its warm-up.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct LegSummary {
        /// Additions of a leg that succeeded (TS 37.340, 10.2).
        pub added: u64,
        /// Changes to another leg that succeeded (TS 37.340, 10.5).
        pub changed: u64,
        /// Releases by event A2 (TS 37.340, 10.4).
        pub released: u64,
        /// Legs that ended with a handover or failure of the anchor.
        pub anchor_left: u64,
        /// Failures of the leg's link (TS 37.340, 7.7).
        pub link_failed: u64,
        /// Additions and changes whose T304 expired.
        pub t304_expired: u64,
        /// Additions, changes and releases whose reconfiguration was lost.
        pub command_lost: u64,
        /// Packets that came back from a leg, both directions together.
        pub recovered_packets: u64 [PACKETS],
        /// Time of UEs with a leg, all together.
        pub legs_s: f64 [S],
        /// Packets that PDCP duplicated (TS 38.323, 5.11); there only if there are any. Each counts once in all other
        /// figures of packets, and resource blocks are those of both.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub duplicated_packets: Option<u64> [PACKETS],
        /// Copies of these that were withdrawn before anything of them was sent, mostly as the other path had delivered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub withdrawn_copies: Option<u64> [PACKETS],
        /// Copies of these that came second and were discarded by the receiver.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub needless_copies: Option<u64> [PACKETS],
    }
}

impl LegSummary {
    /// Counts behind the warm-up; none without dual connectivity.
    pub(crate) fn of(run: &Collector) -> Option<LegSummary> {
        let (from, to) = (run.counts_from(), run.counts_to());
        run.inventory().dual_connectivity.then(|| {
            let all: Vec<&LegChange> = run.leg_changes().collect();
            let copies = run.copies();
            LegSummary {
                legs_s: time(&all, (from, to)).as_secs_f64(),
                duplicated_packets: copies.map(|[made, ..]| made),
                withdrawn_copies: copies.map(|[_, withdrawn, _]| withdrawn),
                needless_copies: copies.map(|[.., needless]| needless),
                ..counts(&all, from)
            }
        })
    }

    /// Share of the time of UEs in which they had a leg; none without that time.
    pub(crate) fn share(&self, ue_minutes: f64) -> Option<f64> {
        (ue_minutes > 0.0).then(|| self.legs_s / (60.0 * ue_minutes))
    }

    /// Words on legs, behind those on handovers.
    pub(super) fn words(&self, ue_minutes: f64) -> String {
        let failed = self.link_failed + self.t304_expired + self.command_lost;
        let parts = [
            (self.changed, format!("{} changed", self.changed)),
            (self.released, format!("{} released", self.released)),
            (self.anchor_left, format!("{} ended with their anchor", self.anchor_left)),
            (failed, format!("{failed} failed")),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text);
        let share = 100.0 * self.share(ue_minutes).unwrap_or(0.0);
        let first = [format!("{} added", self.added)];
        let all: Vec<String> = first.into_iter().chain(parts).collect();
        format!("; legs: {}, {share:.1}% of the time with a leg", all.join(", "))
    }
}

/// Counts of the changes that ended from this time on.
fn counts(all: &[&LegChange], from: Time) -> LegSummary {
    let counted = || all.iter().filter(|one| one.at >= from);
    let count = |outcome| counted().filter(|one| one.outcome == outcome).count() as u64;
    LegSummary {
        added: count(LegOutcome::Added),
        changed: count(LegOutcome::Changed),
        released: count(LegOutcome::Released),
        anchor_left: count(LegOutcome::AnchorLeft),
        link_failed: count(LegOutcome::LinkFailed),
        t304_expired: count(LegOutcome::T304Expired),
        command_lost: count(LegOutcome::CommandLost),
        recovered_packets: counted().flat_map(|one| one.recovered).sum(),
        ..LegSummary::default()
    }
}

/// Sum over UEs of their time with a leg between two times.
fn time(all: &[&LegChange], (from, to): (Time, Time)) -> Duration {
    let mut ues: Vec<_> = all.iter().map(|one| one.ue).collect();
    ues.sort_unstable();
    ues.dedup();
    let within = |begin: Time, end: Time| end.min(to).saturating_since(begin.max(from));
    let mut sum = Duration::ZERO;
    for ue in ues {
        let mut since = None;
        for one in all.iter().filter(|one| one.ue == ue) {
            // A leg that is left ends with the reception of the reconfiguration.
            let end = one.source.map(|_| one.command_received.unwrap_or(one.at));
            if let (Some(end), Some(begin)) = (end, since) {
                sum += within(begin, end);
                since = None;
            }
            if matches!(one.outcome, LegOutcome::Added | LegOutcome::Changed) {
                since = Some(one.at);
            }
        }
        sum += since.map_or(Duration::ZERO, |begin| within(begin, to));
    }
    sum
}

#[cfg(test)]
mod tests {
    use airpath_base::{CellId, UeId};

    use super::*;

    /// A change of a UE that ends at a second, from one leg to another.
    fn change(
        (ue, at): (u32, u64),
        legs: [Option<u16>; 2],
        received: Option<u64>,
        outcome: LegOutcome,
    ) -> LegChange {
        let second = |s: u64| Time::from_millis(1_000 * s);
        LegChange {
            ue: UeId(ue),
            anchor: CellId(0),
            source: legs[0].map(CellId),
            target: legs[1].map(CellId),
            outcome,
            at: second(at),
            report: None,
            command_sent: None,
            command_received: received.map(second),
            access: None,
            completed: None,
            preambles: 1,
            recovered: [u64::from(legs[0].is_some()), 2],
        }
    }

    #[test]
    fn time_with_a_leg_is_between_its_begin_and_its_end() {
        use LegOutcome::{Added, AnchorLeft, Changed, CommandLost, LinkFailed, Released};
        let all = [
            change((0, 1), [None, Some(4)], Some(1), Added),
            change((1, 2), [None, Some(4)], Some(2), Added),
            // The UE leaves its leg at 5 s.
            change((0, 6), [Some(4), Some(5)], Some(5), Changed),
            change((0, 7), [None, None], None, CommandLost),
            change((0, 9), [Some(5), None], Some(9), Released),
            change((1, 10), [Some(4), None], None, LinkFailed),
            change((1, 12), [None, Some(5)], Some(11), Added),
        ];
        let all: Vec<&LegChange> = all.iter().collect();
        let second = |s: u64| Time::from_millis(1_000 * s);
        // UE 0: 1 to 5 s and 6 to 9 s. UE 1: 2 to 10 s, and from 12 s on.
        assert_eq!(time(&all, (Time::ZERO, second(20))), Duration::from_secs(4 + 3 + 8 + 8));
        assert_eq!(time(&all, (second(4), second(15))), Duration::from_secs(1 + 3 + 6 + 3));
        let own = counts(&all, second(6));
        assert_eq!((own.added, own.changed, own.released, own.link_failed), (1, 1, 1, 1));
        assert_eq!(
            (own.command_lost, own.anchor_left, own.recovered_packets),
            (1, 0, 3 + 2 + 3 + 3 + 2)
        );
        let own = LegSummary { legs_s: 30.0, anchor_left: 2, ..own };
        let words = "; legs: 1 added, 1 changed, 1 released, 2 ended with their anchor, 2 failed, 50.0% of the time with a leg";
        assert_eq!(own.words(1.0), words);
        assert_eq!(AnchorLeft.name(), "anchor_left");
    }
}
