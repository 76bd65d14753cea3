//! Checks of players and requests.

use airpath_base::{Bytes, Direction};
use airpath_schema::units::Rate;
use airpath_traffic::SizeLaw;

use super::Checker;
use crate::file::{Amount, Flow, FlowKind, Opener, Player, Requests, Throttle, Web};
use crate::world::applications::size_law;

pub(super) fn check(flow: &Flow, path: &str, checker: &mut Checker<'_>) {
    check_ports(flow, path, checker);
    let given = [
        ("player", flow.player.is_some()),
        ("requests", flow.requests.is_some()),
        ("web", flow.web.is_some()),
    ];
    let mut given = given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key);
    let Some(key) = given.next() else { return };
    let own = format!("{path}.{key}");
    match flow.kind {
        FlowKind::Tcp => {}
        FlowKind::Quic if flow.player.is_none() => check_over_quic(flow, &own, checker),
        _ => return checker.fail(&own, "is in a flow of another kind", "set kind = \"tcp\""),
    }
    if flow.direction != Direction::Downlink {
        let allowed = "set direction = \"down\": the UE asks";
        checker.fail(&format!("{path}.direction"), "is not that of what a UE asks for", allowed);
    }
    if flow.size.is_some() {
        let is_wrong = format!("is beside {key}, which says how much");
        checker.fail(&format!("{path}.size"), &is_wrong, "give one of them");
    }
    for other in given {
        let is_wrong = format!("is beside {key}");
        checker.fail(&format!("{path}.{other}"), &is_wrong, "make two flows of them");
    }
    if flow.tcp.as_ref().is_some_and(|tcp| tcp.opened_by == Opener::Server) {
        let allowed = "leave it out: who asks opens";
        checker.fail(&format!("{path}.tcp.opened_by"), "is not who asks", allowed);
    }
    flow.player.iter().for_each(|player| check_player(flow, player, &own, checker));
    flow.requests.iter().for_each(|requests| check_requests(requests, &own, checker));
    flow.web.iter().for_each(|web| check_web(web, &own, checker));
}

/// All ports of a flow are ports.
fn check_ports(flow: &Flow, path: &str, checker: &mut Checker<'_>) {
    let most = u16::MAX - (flow.ports() - 1);
    if flow.local_port.is_some_and(|port| port > most) {
        let is_wrong =
            format!("is the first of {} ports, which go beyond {}", flow.ports(), u16::MAX);
        checker.fail(&format!("{path}.local_port"), &is_wrong, format!("at most {most}"));
    }
}

/// A request over QUIC begins with the size of its response.
const LEAST_REQUEST: Bytes = Bytes(8);

/// Keys of connections of TCP have no meaning with QUIC.
fn check_over_quic(flow: &Flow, path: &str, checker: &mut Checker<'_>) {
    let requests = flow.requests.as_ref().map(|r| (r.connections, 1, r.requests_per_connection));
    let web = flow.web.as_ref().map(|w| (w.connections, 6, w.requests_per_connection));
    for (connections, usual, per_connection) in requests.into_iter().chain(web) {
        let allowed = "leave it out: quic.connections and quic.streams say how many";
        if connections != usual {
            checker.fail(&format!("{path}.connections"), "is for kind = \"tcp\"", allowed);
        }
        if per_connection.is_some() {
            let key = format!("{path}.requests_per_connection");
            checker.fail(&key, "is for kind = \"tcp\"", allowed);
        }
    }
    let requests = flow.requests.as_ref().map(|own| own.request);
    let web = flow.web.as_ref().map(|own| own.request);
    if requests.or(web).is_some_and(|request| request < LEAST_REQUEST) {
        let is_wrong = "is too small for the size of the response, which it holds";
        checker.fail(&format!("{path}.request"), is_wrong, "at least 8 B");
    }
    let datagrams = flow.quic.as_ref().is_some_and(|quic| quic.datagrams.is_some());
    if datagrams {
        checker.fail(path, "is beside quic.datagrams", "make two flows of them");
    }
}

fn check_player(flow: &Flow, player: &Player, path: &str, checker: &mut Checker<'_>) {
    let path = |key: &str| format!("{path}.{key}");
    player.chunk.iter().for_each(|chunk| check_amount(chunk, &path("chunk"), checker));
    if player.low > player.high {
        let allowed = format!("at most high, {}", player.high);
        checker.fail(&path("low"), "is above high", allowed);
    }
    let burst = player.burst.unwrap_or(player.high);
    if player.start > burst {
        let allowed = format!("at most what is fetched before, {burst}");
        checker.fail(&path("start"), "is never reached", allowed);
    }
    if player.resume.unwrap_or(player.start) > player.high {
        let key = if player.resume.is_some() { "resume" } else { "start" };
        let allowed = format!("at most high, {}", player.high);
        checker.fail(&path(key), "is never reached after a stall", allowed);
    }
    let slow = flow.tcp.as_ref().is_some_and(|tcp| tcp.read_rate != Rate::Unlimited);
    if player.throttle == Throttle::Reads && slow {
        let allowed = "leave tcp.read_rate out, or set throttle = \"requests\"";
        checker.fail(&path("throttle"), "reads by itself, and so does tcp.read_rate", allowed);
    }
}

fn check_requests(requests: &Requests, path: &str, checker: &mut Checker<'_>) {
    let path = |key: &str| format!("{path}.{key}");
    check_amount(&requests.response, &path("response"), checker);
    match (requests.period, &requests.think) {
        (Some(_), Some(_)) => {
            checker.fail(&path("think"), "is beside period", "give one of them");
        }
        (None, None) if requests.count != Some(1) => {
            let allowed = "add period or think, or set count = 1";
            checker.fail(&path("count"), "has no time between its rounds", allowed);
        }
        _ => {}
    }
    if requests.think.as_ref().is_some_and(|think| think.min > think.max) {
        checker.fail(&path("think.max"), "is less than min", "min or more");
    }
}

/// Least share of a lognormal distribution that must lie within its bounds: what is outside is
/// drawn again.
const LEAST_SHARE: f64 = 0.05;

fn check_web(web: &Web, path: &str, checker: &mut Checker<'_>) {
    let path = |key: &str| format!("{path}.{key}");
    if web.interval.is_some() {
        let beside = [("reading", web.reading.is_some()), ("sessions", web.sessions.is_some())];
        for (key, _) in beside.into_iter().filter(|(_, given)| *given) {
            let allowed = "leave one of them out: pages come by the clock, or one after the other";
            checker.fail(&path(key), "is beside interval", allowed);
        }
    }
    if web.objects.location > f64::from(web.objects.max) {
        let allowed = format!("at most max, {}", web.objects.max);
        checker.fail(&path("objects.location"), "is above max", allowed);
    }
    let mut web = web.clone();
    web.fill();
    for (key, size) in [("index", &web.index), ("object", &web.object)] {
        check_size(size_law(web.sizes, size), &path(key), checker);
    }
}

fn check_size(law: SizeLaw, path: &str, checker: &mut Checker<'_>) {
    if law.min > law.max {
        let allowed = format!("at most max, {} B", law.max);
        return checker.fail(&format!("{path}.min"), "is above max", allowed);
    }
    let share = law.share_within();
    if law.shape == airpath_traffic::SizeShape::Lognormal && share < LEAST_SHARE {
        let is_wrong = format!("has {:.1}% of its sizes within its bounds", 100.0 * share);
        let allowed =
            format!("at least {}%: change min, max, mean or deviation", 100.0 * LEAST_SHARE);
        checker.fail(path, &is_wrong, allowed);
    }
}

fn check_amount(amount: &Amount, path: &str, checker: &mut Checker<'_>) {
    if amount.min > amount.max {
        let allowed = format!("min, {}, or more", amount.min);
        checker.fail(&format!("{path}.max"), "is less than min", allowed);
    }
}
