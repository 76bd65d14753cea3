//! Differences between two states of a scenario, as changes of the nodes of its world.

use airpath_base::{BearerId, Db, Duration, NodeId, UeId};
use airpath_net::queue::Threshold;
use airpath_net::{BearerQueue, Change, Direction, QueueChange};

use super::Resolved;
use crate::file::{Bearer, DualPi2Options, Flow, Link, QueueConfig, Scenario, Ue, Wire};
use crate::world::Facts;

/// Changes that make a world of `before`, or one that has become so, a world of `after`.
pub(crate) fn between(before: &Scenario, after: &Scenario, facts: &Facts) -> Resolved {
    let mut all = Vec::new();
    let [old, new] = [before, after].map(|scenario| links(scenario));
    for ((name, old), (_, new)) in old.into_iter().zip(new) {
        let (Some(old), Some(new)) = (old, new) else { continue };
        wires((&old.down(), &new.down()), (name, Direction::Downlink), facts, &mut all);
        wires((&old.up(), &new.up()), (name, Direction::Uplink), facts, &mut all);
    }
    let Some(radio) = facts.radio else {
        flows((&before.flow, &after.flow), facts, &mut all);
        return all;
    };
    let mut of_radio = Vec::new();
    for (n, (old, new)) in before.ue.iter().zip(&after.ue).enumerate() {
        let combining =
            after.cell.as_ref().map_or_else(Default::default, |cell| new.combining(cell));
        ratios((old, new), combining, (n, facts), &mut of_radio);
    }
    for (n, (old, new)) in before.bearer.iter().zip(&after.bearer).enumerate() {
        let own = facts.bearers.iter().zip(0..).filter(|(bearer, _)| bearer.entry == n);
        own.for_each(|(_, id)| bearers((old, new), BearerId(id), &mut of_radio));
    }
    all.extend(of_radio.into_iter().map(|change| (radio, change)));
    flows((&before.flow, &after.flow), facts, &mut all);
    all
}

/// Links by the names of their nodes.
fn links(scenario: &Scenario) -> [(&'static str, Option<&Link>); 4] {
    let path = &scenario.path;
    let proxy = path.proxy.as_ref().and_then(|proxy| proxy.link.as_ref());
    [("proxy", proxy), ("sgi", Some(&path.sgi)), ("s5", path.s5.as_ref()), ("s1", path.s1.as_ref())]
}

fn wires(
    (old, new): (&Wire, &Wire),
    (name, direction): (&str, Direction),
    facts: &Facts,
    all: &mut Vec<(NodeId, Change)>,
) {
    let name = format!("{name} {}", direction.name());
    let Some(link) = facts.links.iter().find(|link| link.name == name) else { return };
    let mut add = |differs: bool, change: Change| {
        if differs {
            all.push((link.node, change));
        }
    };
    add(old.rate != new.rate, Change::Rate(new.rate.quantity()));
    add(old.delay != new.delay, Change::Delay(new.delay));
    add(old.loss != new.loss, Change::Loss(new.loss));
    add(old.mark != new.mark, Change::Mark(new.mark));
    for change in queue(&old.queue, &new.queue) {
        add(true, Change::Queue(change));
    }
}

/// Differences between two queues.
fn queue(old: &QueueConfig, new: &QueueConfig) -> Vec<QueueChange> {
    let changes = match (old, new) {
        (QueueConfig::Ramp(old), QueueConfig::Ramp(new)) => vec![
            (old.low != new.low).then_some(QueueChange::Low(new.low)),
            (old.high != new.high).then_some(QueueChange::High(new.high)),
        ],
        (QueueConfig::Step(old), QueueConfig::Step(new)) => {
            let differs = old.threshold != new.threshold;
            vec![differs.then_some(QueueChange::Threshold(new.threshold))]
        }
        (QueueConfig::L4Span(old), QueueConfig::L4Span(new)) => {
            vec![target(old.target, new.target)]
        }
        (QueueConfig::Codel(old), QueueConfig::Codel(new)) => vec![target(old.target, new.target)],
        (QueueConfig::FqCodel(old), QueueConfig::FqCodel(new)) => {
            vec![target(old.target, new.target)]
        }
        (QueueConfig::Pie(old), QueueConfig::Pie(new)) => vec![target(old.target, new.target)],
        (QueueConfig::DualPi2(old), QueueConfig::DualPi2(new)) => dual_pi2(old, new).into(),
        _ => Vec::new(),
    };
    changes.into_iter().flatten().collect()
}

fn target(old: Duration, new: Duration) -> Option<QueueChange> {
    (old != new).then_some(QueueChange::Target(new))
}

/// Of ramp and step only the one that marks can change.
fn dual_pi2(old: &DualPi2Options, new: &DualPi2Options) -> [Option<QueueChange>; 4] {
    let step = QueueChange::Threshold(Threshold::Delay(new.step));
    [
        target(old.target, new.target),
        (old.ramp_low != new.ramp_low).then_some(QueueChange::Low(new.ramp_low)),
        (old.ramp_high != new.ramp_high).then_some(QueueChange::High(new.ramp_high)),
        (old.step != new.step).then_some(step),
    ]
}

/// Changes of ratios, which `combining` adds to.
fn ratios(
    (old, new): (&Ue, &Ue),
    combining: [Db; 2],
    (group, facts): (usize, &Facts),
    all: &mut Vec<Change>,
) {
    let Some(ratio) = &new.snr else { return };
    let of = |snr: &crate::file::Snr| [snr.down, snr.up];
    let (old, new): (Option<[Db; 2]>, _) = (old.snr.as_ref().map(of), of(ratio));
    let members = facts.ues.iter().zip(0..).filter(|(ue, _)| ue.group == group);
    for (_, ue) in members {
        for direction in Direction::ALL {
            let n = direction as usize;
            if old.is_none_or(|old| old[n] != new[n]) {
                all.push(Change::Snr { ue: UeId(ue), direction, snr: new[n] + combining[n] });
            }
        }
    }
}

fn bearers((old, new): (&Bearer, &Bearer), bearer: BearerId, all: &mut Vec<Change>) {
    let switched = old.marks() != new.marks();
    let on = QueueChange::Marking(new.marks());
    for ((flow, direction, was), (.., is)) in old.queues().into_iter().zip(new.queues()) {
        let at = BearerQueue { bearer, flow, direction };
        if switched && is.marks() {
            all.push(Change::BearerQueue(at, on));
        }
        all.extend(queue(was, is).into_iter().map(|change| Change::BearerQueue(at, change)));
    }
    let (Some(was), Some(is)) = (&old.uplink_marking, &new.uplink_marking) else { return };
    let changes = [
        switched.then_some(on),
        (was.low != is.low).then_some(QueueChange::Low(is.low)),
        (was.high != is.high).then_some(QueueChange::High(is.high)),
    ];
    let changes = changes.into_iter().flatten();
    all.extend(changes.map(|change| Change::UplinkMarker(bearer, change)));
}

fn flows((old, new): (&[Flow], &[Flow]), facts: &Facts, all: &mut Vec<(NodeId, Change)>) {
    for (n, (old, new)) in old.iter().zip(new).enumerate() {
        let active = new.is_active();
        if old.is_active() == active {
            continue;
        }
        for flow in facts.flows.iter().filter(|flow| flow.entry == n) {
            match (flow.source, facts.radio, flow.bearers[0]) {
                (Some(source), ..) => all.push((source, Change::Active(active))),
                (None, Some(radio), Some(bearer)) if new.is_full_buffer() => {
                    let direction = flow.direction;
                    all.push((radio, Change::FullBuffer { bearer, direction, active }));
                }
                _ => {}
            }
        }
    }
}
