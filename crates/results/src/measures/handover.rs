//! Quantities of a handover: columns of `handovers.parquet`, and counts of a run.

use airpath_base::measure::{Column, DB, MS, PACKETS, PLAIN, S};
use airpath_base::{Time, documented, row};
use airpath_net::{
    ConditionalHandover, DapsHandover, Handover, HandoverCause, HandoverOutcome, MobilityProblem,
};
use serde::{Deserialize, Serialize};

use super::balancing::BalancingSummary;
use super::carriers::CarrierSummary;
use super::handover_flow::several;
use super::legs::LegSummary;
use super::secondary::SecondarySummary;
use crate::{Collector, RunSummary};

row! {
    from |(run, row): (&Collector, &Handover)|
    /// A handover, a re-establishment or a resume in another cell, or a cell reselection.
    pub(crate) struct Change {
        /// Time of its end.
        time_s: Option<f64> [S] = row.end().map(Time::as_secs_f64),
        /// Name of the UE.
        ue: String = run.ue_name(row.ue),
        /// `a3`, `a4`, `a5`, `reestablishment`, `reselection` or `resume`.
        cause: &'static str = row.cause.name(),
        /// Name of the cell that served the UE; of a resume the one in which the connection was suspended.
        source: String = run.cell_name(row.source),
        /// Name of the cell to which the UE was sent; of a re-establishment the cell where it was.
        target: String = run.cell_name(row.target),
        /// Name of the cell that serves the UE afterwards; none if the UE is idle.
        reached: Option<String> = row.reached.map(|cell| run.cell_name(cell)),
        /// `success`, `command_lost`, `t304_expired`, `idle` if T311 expired, or `refused` if the target had no room.
        outcome: &'static str = row.outcome.name(),
        /// `too_late`, `too_early` or `wrong_cell` (TS 36.300, 22.4.2; TS 38.300, 15.5.2).
        problem: Option<&'static str> = row.problem.map(MobilityProblem::name),
        /// True if the UE came back within a second.
        ping_pong: bool = row.ping_pong,
        /// Time of the measurement report.
        report_s: Option<f64> [S] = row.report.map(Time::as_secs_f64),
        /// From the report to the command.
        preparation_ms: Option<f64> [MS] = between(row.report, row.command_sent),
        /// From the command, as the UE received it, to the connection in the target cell.
        execution_ms: Option<f64> [MS] = between(row.command_received, served(row)),
        /// Of this, random access with its wait.
        random_access_ms: Option<f64> [MS] = between(row.access, served(row)),
        /// From the failure to the connection in the target cell.
        reestablishment_ms: Option<f64> [MS] = between(row.failed, row.completed),
        /// From the connection to the switch of the path.
        path_switch_ms: Option<f64> [MS] = between(row.completed, row.path_switched),
        /// Preambles that the UE sent.
        preambles: u64 = u64::from(row.preambles),
        /// Ratio of the source to noise and all other cells at the command or failure, without fading.
        geometry_before_db: Option<f64> [DB] = row.geometry_db[0].map(f64::from),
        /// Likewise that of the reached cell at the end.
        geometry_after_db: Option<f64> [DB] = row.geometry_db[1].map(f64::from),
        /// Forwarded downlink packets: those that the UE had not received from the source, and those that came there
        /// until the path was switched.
        forwarded_packets: u64 [PACKETS] = row.forwarded,
        /// Downlink packets of the source that were dropped, as there is no forwarding. Not among them are uplink
        /// packets, and what RLC UM had sent in part.
        lost_packets: u64 [PACKETS] = row.lost,
    }
}

/// Columns of runs with conditional handover, whose `cause` may be `conditional`. Its `report_s` is that of the prepare
/// event, its `execution_ms` begins with the fulfilled condition.
pub(crate) fn conditional_columns() -> Vec<Column<Handover>> {
    let of = |read: fn(&ConditionalHandover) -> f64| {
        move |row: &Handover| row.conditional.as_ref().map(read)
    };
    let count = |read: fn(&ConditionalHandover) -> u64| {
        move |row: &Handover| row.conditional.as_ref().map(read)
    };
    vec![
        Column::number(
            "configured_s",
            S,
            "Time at which the UE received the conditional command.",
            of(|one| one.received.as_secs_f64()),
        ),
        Column::number(
            "waited_ms",
            MS,
            "From the conditional command to the fulfilled condition, or to the selection of the candidate after a \
             failure.",
            of(|one| one.executed.saturating_since(one.received).as_millis_f64()),
        ),
        Column::optional_count(
            "candidates",
            PLAIN,
            "Cells that were prepared for the UE at that time.",
            count(|one| u64::from(one.candidates)),
        ),
        Column::optional_count(
            "recovery",
            PLAIN,
            "1 if the UE executed in a candidate after a failure, instead of a re-establishment (TS 38.331, 5.3.7.3), \
             else 0.",
            count(|one| u64::from(one.recovery)),
        ),
        Column::optional_count(
            "early_copies",
            PACKETS,
            "Copies of downlink packets that the source forwarded to candidates before.",
            count(|one| one.copies),
        ),
    ]
}

/// Columns of runs with DAPS handover.
pub(crate) fn daps_columns() -> Vec<Column<Handover>> {
    let count = |read: fn(&DapsHandover) -> u64| move |row: &Handover| row.daps.as_ref().map(read);
    vec![
        Column::optional_count(
            "daps",
            PLAIN,
            "1 if the UE kept its source cell behind the command, else 0.",
            |row: &Handover| Some(u64::from(row.daps.is_some())),
        ),
        Column::number(
            "interruption_ms",
            MS,
            "Part of the execution in which no cell served the UE. With DAPS it is 0 unless the link to the source failed.",
            interruption,
        ),
        Column::optional_count(
            "fallback",
            PLAIN,
            "1 if the UE went on in its source cell after T304 (TS 38.331, 5.3.5.8.3), else 0.",
            count(|one| u64::from(one.fallback)),
        ),
        Column::optional_count(
            "daps_copies",
            PACKETS,
            "Copies of downlink packets that the source forwarded to the target while it served the UE.",
            count(|one| one.copies),
        ),
    ]
}

/// Time of an execution in which no cell served the UE, ms.
fn interruption(row: &Handover) -> Option<f64> {
    let served = served(row);
    match row.daps {
        None => between(row.command_received, served),
        Some(own) => match own.source_failed {
            None => (served.is_some() || own.fallback).then_some(0.0),
            failed => between(failed, served),
        },
    }
}

/// Time at which the target serves the UE after a handover that succeeded.
fn served(row: &Handover) -> Option<Time> {
    row.completed.filter(|_| row.outcome == HandoverOutcome::Success && row.failed.is_none())
}

/// Time from one to another in ms, if both are there.
pub(super) fn between(from: Option<Time>, to: Option<Time>) -> Option<f64> {
    Some(to?.saturating_since(from?).as_millis_f64())
}

documented! {
    /// Changes of cells in a run, behind its warm-up.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct HandoverSummary {
        /// Handovers that succeeded.
        pub handovers: u64,
        /// Handovers whose command was lost: the link to the source failed.
        pub command_lost: u64,
        /// Handovers whose T304 expired.
        pub t304_expired: u64,
        /// Handovers that succeeded, back to a cell that the UE had left less than a second before.
        pub ping_pongs: u64,
        /// Connections that were re-established in another cell.
        pub reestablished: u64,
        /// Failures that an earlier handover would have avoided (TS 36.300, 22.4.2; TS 38.300, 15.5.2).
        pub too_late: u64,
        /// Failures of handovers that came too early.
        pub too_early: u64,
        /// Failures of handovers to the wrong cell.
        pub wrong_cell: u64,
        /// Reselections of idle and inactive UEs.
        pub reselections: u64,
        /// Connections that were resumed in another cell, for runs with such.
        #[serde(default, skip_serializing_if = "is_none")]
        pub resumes: u64,
        /// Refusals of cells without room; there only where the scenario has admission.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub admission: Option<AdmissionSummary>,
        /// Offsets by load balancing; there only where the scenario has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub load_balancing: Option<BalancingSummary>,
        /// Conditional handovers; there only where the scenario has them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub conditional: Option<ConditionalSummary>,
        /// DAPS handovers; there only where the scenario has them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub daps: Option<DapsSummary>,
        /// Cells on several carriers; there only where the scenario has them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub carriers: Option<CarrierSummary>,
        /// Legs of dual connectivity; there only where the scenario has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub legs: Option<LegSummary>,
        /// Secondary cells of UEs that go from cell to cell; there only where the scenario has them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub secondary_cells: Option<SecondarySummary>,
        /// Minutes that UEs were there, all together.
        #[serde(default)]
        pub ue_minutes: f64,
    }
}

documented! {
    /// Refusals of cells without room in a run, behind its warm-up.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct AdmissionSummary {
        /// Preparations of handovers that targets refused (TS 36.423 and TS 38.423, 8.2.1.3). A report may cause several.
        pub refused: u64,
        /// Re-establishments that were rejected in another cell (TS 36.331, 5.3.7.8): the UE became idle.
        pub reestablishments_refused: u64,
        /// Connections of idle and inactive UEs that were rejected; T302 followed (TS 36.331, 5.3.3.8; TS 38.331, 5.3.15).
        pub rejected: u64,
    }
}

documented! {
    /// Conditional handovers in a run, behind its warm-up.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct ConditionalSummary {
        /// Handovers that succeeded by the condition of a candidate.
        pub executed: u64,
        /// Executions in a candidate after a failure, instead of a re-establishment.
        pub recovered: u64,
        /// Cells that were prepared for a UE.
        pub prepared: u64,
        /// Time for which they kept resources for UEs: the sum over all of them, until the end of the run.
        pub kept_s: f64 [S],
    }
}

documented! {
    /// DAPS handovers in a run, behind its warm-up.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct DapsSummary {
        /// Handovers that succeeded, with the source cell until then.
        pub executed: u64,
        /// Handovers whose link to the source failed before the target served the UE.
        pub source_failed: u64,
        /// Handovers whose UE went on in the source cell after T304.
        pub fallbacks: u64,
    }
}

/// True if an event or a condition caused the change of the cell.
pub(super) fn is_handover(one: &Handover) -> bool {
    !matches!(
        one.cause,
        HandoverCause::Reestablishment | HandoverCause::Reselection | HandoverCause::Resume
    )
}

/// True without resumes: the count is left out.
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl HandoverSummary {
    /// Counts behind the warm-up; none where UEs keep their cells.
    pub(crate) fn of(run: &Collector) -> Option<HandoverSummary> {
        let all: Vec<&Handover> = run.counted_handovers().collect();
        let count =
            |which: fn(&Handover) -> bool| all.iter().filter(|one| which(one)).count() as u64;
        let outcome =
            |wanted: HandoverOutcome| all.iter().filter(|one| one.outcome == wanted).count() as u64;
        let problem = |wanted: MobilityProblem| {
            all.iter().filter(|one| one.problem == Some(wanted)).count() as u64
        };
        run.inventory().handover.then(|| HandoverSummary {
            handovers: count(|one| is_handover(one) && one.outcome == HandoverOutcome::Success),
            command_lost: outcome(HandoverOutcome::CommandLost),
            t304_expired: outcome(HandoverOutcome::T304Expired),
            ping_pongs: count(|one| one.ping_pong),
            reestablished: count(|one| {
                one.failed.is_some() && one.completed.is_some() && !recovered(one)
            }),
            too_late: problem(MobilityProblem::TooLate),
            too_early: problem(MobilityProblem::TooEarly),
            wrong_cell: problem(MobilityProblem::WrongCell),
            reselections: count(|one| one.cause == HandoverCause::Reselection),
            admission: run.inventory().admission.then(|| AdmissionSummary {
                refused: count(Handover::is_refused_preparation),
                reestablishments_refused: count(|one| {
                    one.outcome == HandoverOutcome::Refused && !one.is_refused_preparation()
                }),
                rejected: run.rejected(),
            }),
            load_balancing: BalancingSummary::of(run),
            conditional: run.inventory().conditional.then(|| {
                let (prepared, kept) = run.candidates();
                ConditionalSummary {
                    executed: count(|one| {
                        let succeeded = one.outcome == HandoverOutcome::Success;
                        one.cause == HandoverCause::Conditional && succeeded && !recovered(one)
                    }),
                    recovered: count(recovered),
                    prepared,
                    kept_s: kept.as_secs_f64(),
                }
            }),
            daps: run.inventory().daps.then(|| DapsSummary {
                executed: count(|one| {
                    let succeeded = one.outcome == HandoverOutcome::Success;
                    succeeded && one.daps.is_some_and(|own| own.source_failed.is_none())
                }),
                source_failed: count(|one| one.daps.is_some_and(|own| own.source_failed.is_some())),
                fallbacks: count(|one| one.daps.is_some_and(|own| own.fallback)),
            }),
            resumes: count(|one| one.cause == HandoverCause::Resume),
            carriers: run.inventory().carriers.then(|| CarrierSummary::of(run, &all)),
            legs: LegSummary::of(run),
            secondary_cells: SecondarySummary::of(run),
            ue_minutes: run.ue_minutes(),
        })
    }
}

/// True if the UE executed in a candidate after a failure, and came there.
pub(super) fn recovered(one: &Handover) -> bool {
    one.completed.is_some() && one.conditional.is_some_and(|own| own.recovery)
}

impl ConditionalSummary {
    /// Counts beside executions, and their words.
    fn parts(&self) -> [(u64, String); 2] {
        [
            (self.recovered, format!("{} recovered in a candidate", self.recovered)),
            (
                self.prepared,
                format!(
                    "{} prepared, {:.1} s kept in all",
                    several(self.prepared, "cell"),
                    self.kept_s
                ),
            ),
        ]
    }
}

impl HandoverSummary {
    /// A sentence about the changes of cells, without a full stop.
    pub fn sentence(&self) -> String {
        let failed = self.command_lost + self.t304_expired;
        let parts = [
            (
                failed,
                format!(
                    "{failed} failed ({} lost, {} by T304)",
                    several(self.command_lost, "command"),
                    self.t304_expired
                ),
            ),
            (self.ping_pongs, several(self.ping_pongs, "ping-pong")),
            (self.reestablished, format!("{} re-established in another cell", self.reestablished)),
            (self.too_late, format!("{} too late", self.too_late)),
            (self.too_early, format!("{} too early", self.too_early)),
            (self.wrong_cell, format!("{} to the wrong cell", self.wrong_cell)),
            (self.reselections, several(self.reselections, "reselection") + " of idle UEs"),
            (self.resumes, format!("{} resumed in another cell", self.resumes)),
        ];
        let own = self.conditional.clone().unwrap_or_default();
        let executed = [(own.executed, format!("{} of them by their condition", own.executed))];
        let conditional = own.parts();
        let dual = self.daps.clone().unwrap_or_default();
        let daps = [
            (dual.executed, format!("{} of them by DAPS", dual.executed)),
            (dual.source_failed, format!("{} lost their source first", dual.source_failed)),
            (dual.fallbacks, format!("{} went on in their source", dual.fallbacks)),
        ];
        let full = self.admission.clone().unwrap_or_default();
        let admission = [
            (full.refused, several(full.refused, "preparation") + " refused"),
            (
                full.reestablishments_refused,
                several(full.reestablishments_refused, "re-establishment") + " rejected",
            ),
            (full.rejected, several(full.rejected, "connection") + " rejected"),
        ];
        let layers = self.carriers.clone().unwrap_or_default();
        let share = 100.0 * layers.gap_share(self.ue_minutes).unwrap_or(0.0);
        let carriers = [
            (layers.handovers, format!("{} of them to another carrier", layers.handovers)),
            (layers.gaps, format!("{share:.1}% of the time in measurement gaps")),
        ];
        let parts = executed.into_iter().chain(daps).chain(carriers).chain(parts);
        let balancing = self.load_balancing.iter().map(|own| (1, own.words()));
        let parts = parts.chain(conditional).chain(admission).chain(balancing);
        let parts = parts.filter(|(count, _)| *count > 0).map(|(_, text)| text);
        let all: Vec<String> =
            std::iter::once(format!("{} succeeded", self.handovers)).chain(parts).collect();
        let legs = self.legs.as_ref().map(|own| own.words(self.ue_minutes));
        let secondary = self.secondary_cells.as_ref().map(SecondarySummary::words);
        let (legs, secondary) = (legs.unwrap_or_default(), secondary.unwrap_or_default());
        format!("handovers: {}{legs}{secondary}", all.join(", "))
    }
}

impl RunSummary {
    /// A sentence about UEs that move and keep the cells of their begin.
    pub fn kept_cells(&self) -> Option<String> {
        let moving = self.scenario["ue"].as_array()?.iter().any(|ue| !ue["route"].is_null());
        let hands_over = !self.scenario["network"]["handover"].is_null();
        (moving && !hands_over).then(|| {
            "UEs with a route keep the cells of their begin: [network.handover] lets them change".to_owned()
        })
    }
}

#[cfg(test)]
#[path = "handover_tests.rs"]
mod tests;
