//! Checks of measurements of other carriers, and of handover there.

use airpath_base::Duration;

use super::Checker;
use super::handover::{check_event, check_neighbours};
use crate::file::{HandoverEvent, HandoverInterFrequency, NetworkHandover, Scenario};

/// Periods of gaps in ms, of LTE and of NR (TS 36.133, table 8.1.2.1-1; TS 38.133, table 9.1.2-1).
const PERIODS: [&[u64]; 2] = [&[40, 80], &[20, 40, 80, 160]];
/// Lengths of gaps in microseconds, likewise.
const LENGTHS: [&[u64]; 2] = [&[6_000], &[1_500, 3_000, 3_500, 4_000, 5_500, 6_000]];
const KEY: &str = "network.handover.inter_frequency";

pub(super) fn check(scenario: &Scenario, handover: &NetworkHandover, checker: &mut Checker<'_>) {
    for (n, carrier) in scenario.carrier.iter().enumerate() {
        if let Some(event) = &carrier.event {
            check_own_event((handover, event), &format!("carrier.{n}.event"), checker);
        }
    }
    let Some(own) = &handover.inter_frequency else { return };
    if !scenario.carrier.iter().any(crate::file::Carrier::serves) {
        let allowed = "leave it out, or add a [[carrier]] with role = \"cells\"";
        checker.fail(KEY, "is for cells on several carriers, and there is one", allowed);
    }
    let is_nr = scenario.cell.as_ref().is_some_and(|cell| cell.is_nr());
    check_gaps(own, usize::from(is_nr), checker);
    check_times(own, handover, checker);
    if let Some(event) = &own.event {
        check_own_event((handover, event), &format!("{KEY}.event"), checker);
    }
    let quantity = handover.quantity;
    let begin =
        NetworkHandover { a2: own.a2.clone(), a1: own.a1.clone(), quantity, ..Default::default() };
    check_neighbours(&begin, KEY, checker);
}

/// An event of cells on another carrier.
fn check_own_event(
    (handover, event): (&NetworkHandover, &HandoverEvent),
    key: &str,
    checker: &mut Checker<'_>,
) {
    check_event(handover.quantity, (key, event), checker);
    if handover.conditional.is_some() {
        let is_wrong =
            "is beside `network.handover.conditional`, whose events count for all carriers";
        checker.fail(key, is_wrong, "leave out one of them");
    }
}

/// Gaps that a standard has.
fn check_gaps(own: &HandoverInterFrequency, technology: usize, checker: &mut Checker<'_>) {
    let show = |micros: &[u64]| {
        let all = micros.iter().map(|micros| Duration::from_micros(*micros).to_string());
        all.collect::<Vec<_>>().join(", ")
    };
    let periods: Vec<u64> = PERIODS[technology].iter().map(|ms| ms * 1_000).collect();
    let both = [
        ("gap_period", own.gap_period, &periods[..]),
        ("gap_length", own.gap_length, LENGTHS[technology]),
    ];
    for (key, found, allowed) in both {
        if !allowed.iter().any(|micros| Duration::from_micros(*micros) == found) {
            let is_wrong = format!("is {found}, no gap of the standard");
            checker.fail(&format!("{KEY}.{key}"), &is_wrong, show(allowed));
        }
    }
}

/// Times that end before others begin.
fn check_times(
    own: &HandoverInterFrequency,
    handover: &NetworkHandover,
    checker: &mut Checker<'_>,
) {
    let processing = handover.rrc_processing.unwrap_or(Duration::from_millis(10));
    let interruption = processing + own.synchronisation;
    if interruption >= handover.t304 {
        let is_wrong = format!("makes an interruption of {interruption}, and T304 ends before");
        let allowed = "less, or a longer network.handover.t304";
        checker.fail(&format!("{KEY}.synchronisation"), &is_wrong, allowed);
    }
    if own.measurement.is_some_and(|time| time < own.gap_period) {
        let is_wrong = "has no gap";
        let allowed = format!("{} or more, a gap period", own.gap_period);
        checker.fail(&format!("{KEY}.measurement"), is_wrong, allowed);
    }
}
