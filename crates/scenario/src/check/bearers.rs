//! Checks of the bearers.

use airpath_base::Duration;
use airpath_ran::mac::TrafficClass;

use crate::file::{Bearer, Flow, QueueConfig, RlcMode, Scenario};
use crate::service::ServiceClass;

use super::links::check_queue;
use super::{Checker, cancellation, congestion, exposure, pdu_sets};

/// The longest t-Reordering of RLC in LTE (TS 36.331, 6.3.2).
const LONGEST_REORDERING: Duration = Duration::from_millis(1_600);

/// The last group of buffer status reports in LTE (TS 36.321, 5.4.5).
const LAST_GROUP: u8 = 3;

/// Most data radio bearers of a UE: EPS bearer identities 5 to 15 (TS 24.007, 11.2.3.1.5).
const MOST_BEARERS: usize = 11;

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    if !checker.length("bearer", scenario.bearer.len()) {
        return;
    }
    checker.names("bearer", scenario.bearer.iter().map(|bearer| bearer.name.as_str()));
    for (n, bearer) in scenario.bearer.iter().enumerate() {
        let path = format!("bearer.{n}");
        checker.selection(scenario, &path, &bearer.ue, bearer.only.as_ref());
        let named = |flow: &Flow| flow.bearer.as_ref() == Some(&bearer.name);
        if !bearer.default && bearer.filters().next().is_none() && !scenario.flow.iter().any(named)
        {
            let allowed = "add [[bearer.filter]], or default = true for the default bearer";
            checker.fail(&path, "has no filter, so that nothing would take it", allowed);
        }
        check_class(bearer, &path, checker);
        check_filters(bearer, &path, checker);
        check_queues(bearer, &path, checker);
        if bearer.marking.is_some() && !bearer.has_marks() {
            let allowed =
                "a queue of kind ramp, step or l4span, or uplink_marking, for it to switch";
            checker.fail(&format!("{path}.marking"), "has nothing to switch", allowed);
        }
        if matches!(&bearer.uplink_queue, Some(QueueConfig::Ramp(ramp)) if ramp.free_above.is_some())
        {
            let allowed = "for the queue at the cell: a UE does not know what the cell has free";
            checker.fail(&format!("{path}.uplink_queue.free_above"), "is at the UE", allowed);
        }
    }
    check_traffic_classes(scenario, checker);
    if scenario.bearer.iter().map(|bearer| bearer.filters().count()).sum::<usize>() > 256 {
        checker.fail("bearer", "has more than 256 filters in all", "precedences are 0 to 255");
    }
}

fn check_traffic_classes(scenario: &Scenario, checker: &mut Checker<'_>) {
    let most = usize::from(TrafficClass::COUNT) - 1;
    for (n, bearer) in scenario.bearer.iter().enumerate() {
        let Some(class) = bearer.traffic_class.as_deref() else { continue };
        let path = format!("bearer.{n}.traffic_class");
        if checker.name(&path, class) && scenario.traffic_class(class).is_none() {
            let is_wrong = format!("is class {} of traffic", most + 1);
            checker.fail(&path, &is_wrong, format!("at most {most} in a scenario"));
            return;
        }
    }
}

fn check_class(bearer: &Bearer, path: &str, checker: &mut Checker<'_>) {
    if bearer.qci.is_some() && bearer.five_qi.is_some() {
        let allowed = "a class of LTE or one of 5G, not both";
        checker.fail(&format!("{path}.five_qi"), "stands beside qci", allowed);
    }
    let Some(class) = ServiceClass::of(bearer) else { return };
    if bearer.guaranteed_bit_rate.is_some() && !class.is_guaranteed() {
        let (kind, number) = class.identifier();
        let allowed = match class {
            ServiceClass::Qci(_) => {
                "QCIs 1 to 4, 65, 66 and 75 have one (TS 23.203, table 6.1.7-A)"
            }
            ServiceClass::FiveQi(_) => {
                "5QIs 1 to 4, 65 to 67, 71 to 76 and 82 to 90 have one (TS 23.501, table 5.7.4-1)"
            }
        };
        let is_wrong = format!("is for no bearer of {kind} {number}");
        checker.fail(&format!("{path}.guaranteed_bit_rate"), &is_wrong, allowed);
    }
}

fn check_queues(bearer: &Bearer, path: &str, checker: &mut Checker<'_>) {
    let own = [(path.to_owned(), &bearer.queue, &bearer.uplink_queue)];
    let flows = bearer.qos_flow.iter().enumerate();
    let flows =
        flows.map(|(n, flow)| (format!("{path}.qos_flow.{n}"), &flow.queue, &flow.uplink_queue));
    for (path, queue, uplink_queue) in own.into_iter().chain(flows) {
        for (key, queue) in [("queue", queue), ("uplink_queue", uplink_queue)] {
            let at = format!("{path}.{key}");
            queue.iter().for_each(|queue| check_queue(&at, queue, checker));
        }
    }
    for (n, flow) in bearer.qos_flow.iter().enumerate().filter(|(_, flow)| flow.filter.is_empty()) {
        let allowed = "add [[bearer.qos_flow.filter]]";
        let is_wrong = format!("\"{}\" has no filter, so that nothing would be of it", flow.name);
        checker.fail(&format!("{path}.qos_flow.{n}"), &is_wrong, allowed);
    }
    let marking = bearer.uplink_marking.as_ref();
    if let Some(marking) = marking.filter(|marking| marking.low > marking.high) {
        let allowed = format!("high, {}, or less", marking.high);
        checker.fail(&format!("{path}.uplink_marking.low"), "is above high", allowed);
    }
}

fn check_filters(bearer: &Bearer, path: &str, checker: &mut Checker<'_>) {
    for (at, filter) in bearer.filters() {
        let path = format!("{path}.{at}");
        if filter.tos.is_some() && filter.dscp.is_some() {
            checker.fail(&format!("{path}.dscp"), "is beside tos", "give one of them");
        }
        if filter.tos_mask.is_some() && filter.tos.is_none() {
            checker.fail(&format!("{path}.tos_mask"), "is without tos", "add tos, or use dscp");
        }
    }
}

/// Checks of each UE, once its default bearer is there and modes are known.
pub(super) fn check_resolved(scenario: &Scenario, checker: &mut Checker<'_>) {
    let is_nr = scenario.has_user_plane_of_nr();
    for (n, bearer) in scenario.bearer.iter().enumerate() {
        check_modes(bearer, is_nr, &format!("bearer.{n}"), checker);
        pdu_sets::check(scenario, bearer, &format!("bearer.{n}"), checker);
        exposure::check(scenario, bearer, &format!("bearer.{n}"), checker);
        congestion::check(scenario, bearer, &format!("bearer.{n}"), checker);
    }
    cancellation::check(scenario, checker);
    let ues = scenario.ues().count();
    let (mut defaults, mut counts) = (vec![0; ues], vec![0; ues]);
    for (n, bearer) in scenario.bearer.iter().enumerate() {
        let members = scenario.members(&bearer.ue, bearer.only.as_ref());
        for &ue in &members {
            counts[ue] += 1;
            defaults[ue] += usize::from(bearer.default);
        }
        if bearer.default && members.iter().any(|&ue| defaults[ue] > 1) {
            let path = format!("bearer.{n}.default");
            checker.fail(&path, "is a second default bearer of a UE", "each UE has exactly one");
        }
        if members.iter().any(|&ue| counts[ue] == MOST_BEARERS + 1) {
            let is_wrong = format!("is bearer {} of a UE", MOST_BEARERS + 1);
            let allowed = format!("at most {MOST_BEARERS}, the default bearer included");
            checker.fail(&format!("bearer.{n}"), &is_wrong, allowed);
        }
    }
}

fn check_modes(bearer: &Bearer, is_nr: bool, path: &str, checker: &mut Checker<'_>) {
    let (pdcp, rlc): (&[u8], &[u8]) = match (is_nr, bearer.rlc) {
        (false, Some(RlcMode::Am)) => (&[12, 15, 18], &[10]),
        (false, _) => (&[7, 12], &[5, 10]),
        (true, Some(RlcMode::Am)) => (&[12, 18], &[12, 18]),
        (true, _) => (&[12, 18], &[6, 12]),
    };
    let (mode, plane) = (bearer.rlc.map_or("", RlcMode::word), if is_nr { "nr" } else { "lte" });
    let rlc_sn = bearer.rlc_sn.unwrap_or(rlc[0]);
    for (key, bits, allowed) in [("pdcp_sn", bearer.pdcp_sn, pdcp), ("rlc_sn", rlc_sn, rlc)] {
        if !allowed.contains(&bits) {
            let allowed: Vec<String> = allowed.iter().map(u8::to_string).collect();
            let is_wrong =
                format!("cannot be {bits} with rlc = \"{mode}\" in a user plane of {plane}");
            checker.fail(&format!("{path}.{key}"), &is_wrong, allowed.join(", "));
        }
    }
    if is_nr {
        return;
    }
    let given = [("qos_flow", !bearer.qos_flow.is_empty()), ("out_of_order", bearer.out_of_order)];
    for (key, _) in given.into_iter().filter(|(_, given)| *given) {
        let allowed = "cell.user_plane = \"nr\", or leave it out";
        checker.fail(&format!("{path}.{key}"), "is for a user plane of NR", allowed);
    }
    if bearer.group.is_some_and(|group| group > LAST_GROUP) {
        let allowed = "0 to 3 in LTE (TS 36.321, 5.4.5), or cell.user_plane = \"nr\"";
        checker.fail(&format!("{path}.group"), "is a group of NR", allowed);
    }
    if bearer.reordering.is_some_and(|time| time > LONGEST_REORDERING) {
        let allowed = "1.6 s or less in LTE (TS 36.331, 6.3.2)";
        checker.fail(&format!("{path}.reordering"), "is too long", allowed);
    }
}
