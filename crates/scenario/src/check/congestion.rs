//! Checks of reports of congestion to the gateway.

use crate::file::{Bearer, QueueConfig, Scenario};

use super::Checker;

/// Checks a resolved bearer.
pub(super) fn check(scenario: &Scenario, bearer: &Bearer, path: &str, checker: &mut Checker<'_>) {
    if bearer.congestion_reports.is_none() {
        return;
    }
    let at = format!("{path}.congestion_reports");
    if !scenario.has_user_plane_of_nr() {
        let allowed = "cell.user_plane = \"nr\", or leave it out: the gateway of LTE knows none";
        checker.fail(&at, "is for a user plane of NR", allowed);
    }
    let plain = |queue: &QueueConfig| matches!(queue, QueueConfig::DropTail(_));
    if bearer.queue.as_ref().is_none_or(plain) && bearer.uplink_marking.is_none() {
        let allowed = "a queue that marks, as queue = \"ramp\", or uplink_marking";
        checker.fail(&at, "has nothing to report: no packet would be marked", allowed);
    }
    if !bearer.qos_flow.is_empty() {
        let allowed = "one bearer for each, as congestion is that of a bearer";
        checker.fail(&at, "is of a bearer with several QoS flows", allowed);
    }
    if bearer.is_split() {
        let allowed = "split = false for the bearer, whose packets take one path";
        checker.fail(&at, "is of a bearer with two paths", allowed);
    }
}
