//! Sentences on handovers, and columns of DAPS.

use airpath_base::{CellId, UeId};

use super::*;

/// A handover with a command at 100 ms, the connection in the target and a failure at these times in ms.
fn handover(completed: Option<u64>, failed: Option<u64>, daps: Option<DapsHandover>) -> Handover {
    Handover {
        ue: UeId(0),
        source: CellId(0),
        target: CellId(1),
        reached: None,
        cause: HandoverCause::A3,
        outcome: match failed {
            None => HandoverOutcome::Success,
            Some(_) => HandoverOutcome::T304Expired,
        },
        problem: None,
        ping_pong: false,
        report: None,
        command_sent: None,
        command_received: Some(Time::from_millis(100)),
        access: None,
        completed: completed.map(Time::from_millis),
        path_switched: None,
        failed: failed.map(Time::from_millis),
        refused: None,
        preambles: 1,
        geometry_db: [None; 2],
        forwarded: 0,
        lost: 0,
        conditional: None,
        daps,
        inter_frequency: false,
    }
}

#[test]
fn interruptions_are_times_without_a_cell() {
    let lost =
        |at| DapsHandover { source_failed: Some(Time::from_millis(at)), ..DapsHandover::default() };
    let kept = DapsHandover::default();
    let back = DapsHandover { fallback: true, ..kept };
    assert_eq!(interruption(&handover(Some(130), None, None)), Some(30.0));
    assert_eq!(interruption(&handover(Some(130), None, Some(kept))), Some(0.0));
    assert_eq!(interruption(&handover(Some(130), None, Some(lost(118)))), Some(12.0));
    assert_eq!(interruption(&handover(None, Some(300), Some(back))), Some(0.0));
    // A re-establishment has a column of its own.
    assert_eq!(interruption(&handover(Some(465), Some(300), Some(lost(118)))), None);
}

#[test]
fn changes_of_cells_are_a_sentence() {
    let some = HandoverSummary {
        handovers: 46,
        command_lost: 6,
        t304_expired: 1,
        reestablished: 7,
        too_late: 5,
        ..HandoverSummary::default()
    };
    let words = "handovers: 46 succeeded, 7 failed (6 commands lost, 1 by T304), 7 re-established in another \
                 cell, 5 too late";
    assert_eq!(some.sentence(), words);
    let own = ConditionalSummary { executed: 40, recovered: 2, prepared: 90, kept_s: 61.04 };
    let conditional =
        HandoverSummary { handovers: 46, conditional: Some(own), ..HandoverSummary::default() };
    let words = "handovers: 46 succeeded, 40 of them by their condition, 2 recovered in a candidate, 90 cells \
                 prepared, 61.0 s kept in all";
    assert_eq!(conditional.sentence(), words);
    let daps = Some(DapsSummary { executed: 30, source_failed: 2, fallbacks: 1 });
    let dual =
        HandoverSummary { handovers: 32, t304_expired: 1, daps, ..HandoverSummary::default() };
    let words = "handovers: 32 succeeded, 30 of them by DAPS, 2 lost their source first, 1 went on in their \
                 source, 1 failed (no commands lost, 1 by T304)";
    assert_eq!(dual.sentence(), words);
    // 54 s of 10 minutes.
    let own = CarrierSummary { handovers: 9, reestablished: 1, gaps: 9_000, gaps_s: 54.0 };
    let carriers = HandoverSummary {
        handovers: 46,
        ping_pongs: 2,
        carriers: Some(own),
        ue_minutes: 10.0,
        ..HandoverSummary::default()
    };
    let words = "handovers: 46 succeeded, 9 of them to another carrier, 9.0% of the time in measurement gaps, 2 \
                 ping-pongs";
    assert_eq!(carriers.sentence(), words);
    assert_eq!(HandoverSummary::default().sentence(), "handovers: 0 succeeded");
    let own = AdmissionSummary { refused: 1, reestablishments_refused: 0, rejected: 3 };
    let full = HandoverSummary {
        admission: Some(own),
        load_balancing: Some(BalancingSummary::default()),
        ..HandoverSummary::default()
    };
    let words = "handovers: 0 succeeded, 1 preparation refused, 3 connections rejected, no moves of offsets by load";
    assert_eq!(full.sentence(), words);
    let resumed = HandoverSummary { reselections: 3, resumes: 2, ..HandoverSummary::default() };
    let words = "handovers: 0 succeeded, 3 reselections of idle UEs, 2 resumed in another cell";
    assert_eq!(resumed.sentence(), words);
}
