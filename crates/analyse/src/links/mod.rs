//! Links that several flows of a capture share: each is found once, with its rate, its queue and each flow's share.
//!
//! Flows through one queue wait for the same time, at the same time, and one gets what the others leave. So two flows share a
//! link if their delays go together and their rates against each other ([`compare`]; Rubenstein, Kurose and Towsley, SIGMETRICS 2000). Addresses rule out that data of both
//! goes opposite ways.
//!
//! Flows are compared as they end, with those that ended before. A flow that was handed out before the first of its
//! company ended is named in the finding only.

mod compare;

use core::net::IpAddr;
use std::collections::BTreeSet;
use std::sync::Arc;

use airpath_wire::Endpoint;
use serde::Serialize;

use crate::causes::{Cause, Hypothesis, Part, QueueCourse, bits, seconds};
use crate::finish::judged;
use crate::record::{Direction, FlowRecord};

/// Directions of flows that are compared; of more, those with most bytes.
const MOST: usize = 512;
/// Flows that a sentence names.
const NAMED: usize = 4;
/// Part of a window from which its queue stands.
const STANDS: f32 = 0.5;
/// Part of a flow's time in which a queue stood from which losses are those of the queue.
const MOSTLY: f64 = 0.5;

/// Link that several flows shared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// Its number, as flows name it.
    pub number: u32,
    /// Bytes that its flows delivered while its queue stood, over that time, in bit/s.
    pub rate_bps: f64,
    /// Time in which its queue stood, in seconds.
    pub full_s: f64,
    /// Delay of its queue in that time: mean, least and greatest, in ms.
    pub queue_ms: [f64; 3],
    /// Flows that share it, the greatest share first.
    pub flows: Vec<LinkFlow>,
    /// Sentence about it.
    pub sentence: String,
}

/// Flow that shares a link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LinkFlow {
    /// Number of the flow.
    pub flow: u64,
    /// True if it is what the flow's client sent.
    pub up: bool,
    /// Share of the bytes while the queue stood, from 0 to 1.
    pub share: f64,
}

/// Direction of a flow with the course of a queue.
#[derive(Debug)]
struct Known {
    flow: u64,
    up: bool,
    /// Ends of the flow, the sender of the data first.
    ends: [Endpoint; 2],
    interface: Option<Arc<str>>,
    bytes: u64,
    course: Box<QueueCourse>,
    /// Position of its link.
    link: Option<usize>,
}

/// Links that are known.
#[derive(Debug, Default)]
pub(crate) struct Links {
    known: Vec<Known>,
    count: usize,
}

impl Links {
    /// A flow has ended. Takes its courses.
    pub(crate) fn meet(&mut self, flow: &mut FlowRecord) {
        for up in [true, false] {
            let (from, to) =
                if up { (flow.client, flow.server) } else { (flow.server, flow.client) };
            let way = if up { &mut flow.up } else { &mut flow.down };
            let Some(course) = way.course.take() else { continue };
            let (interface, bytes) = (way.interface.clone(), way.payload_bytes);
            let ends = [from, to];
            self.add(Known { flow: flow.number, up, ends, interface, bytes, course, link: None });
        }
    }

    fn add(&mut self, mut new: Known) {
        if self.known.len() >= MOST {
            let alone = self.known.iter().enumerate().filter(|(_, known)| known.link.is_none());
            let least = alone.min_by_key(|(_, known)| known.bytes);
            match least {
                Some((n, known)) if known.bytes < new.bytes => drop(self.known.remove(n)),
                _ => return,
            }
        }
        let pairs = self.known.len();
        let compared = self.known.iter().enumerate();
        let alike = compared.filter_map(|(n, known)| Some((n, known.agreement(&new, pairs)?)));
        if let Some((n, _)) = alike.max_by(|a, b| a.1.total_cmp(&b.1)) {
            let link = self.known[n].link.unwrap_or(self.count);
            self.count = self.count.max(link + 1);
            (self.known[n].link, new.link) = (Some(link), Some(link));
        }
        self.known.push(new);
    }

    /// Names the links of a flow, and its part of the one that its verdict is about.
    pub(crate) fn name(&self, flow: &mut FlowRecord) {
        let number = flow.number;
        let of = |up: bool| self.known.iter().find(|known| known.flow == number && known.up == up);
        let links = [true, false].map(|up| of(up).and_then(|known| known.link));
        [flow.up.link, flow.down.link] = links.map(|link| link.map(|link| link as u32 + 1));
        let Some(up) = flow.verdict.as_ref().map(|verdict| verdict.up) else { return };
        let Some(link) = links[usize::from(!up)] else { return };
        let stood = of(up).map_or(0.0, |known| self.stood(link, &known.course));
        if stood >= MOSTLY {
            lost_in_queue(if up { &mut flow.up } else { &mut flow.down }, stood);
        }
        let Some(link) = self.link(link) else { return };
        let Link { number: own, rate_bps, queue_ms: [queue_ms, ..], ref flows, .. } = link;
        let share = flows.iter().find(|known| known.flow == number && known.up == up);
        let part = share.map(|known| Part { link: own, share: known.share, rate_bps, queue_ms });
        flow.verdict = judged(flow, part);
    }

    /// Part of the time of a flow's course in which the queue of a link stood for any of its flows.
    fn stood(&self, link: usize, course: &QueueCourse) -> f64 {
        let members = self.known.iter().filter(|known| known.link == Some(link));
        let width = members.clone().map(|known| known.course.width()).max().unwrap_or(0);
        let all: Vec<QueueCourse> = members.map(|known| known.course.widened(width)).collect();
        let stands = STANDS * width as f32 / 1e6;
        let full = |number: u64| {
            all.iter().filter_map(|course| course.at(number)).any(|level| level.full >= stands)
        };
        let own = course.widened(width);
        let (stood, windows) = own.windows().fold((0, 0), |(stood, windows), (number, _)| {
            (stood + u32::from(full(number)), windows + 1)
        });
        f64::from(stood) / f64::from(windows.max(1))
    }

    /// All links.
    pub(crate) fn found(&self) -> Vec<Link> {
        (0..self.count).filter_map(|link| self.link(link)).collect()
    }

    /// A link, from the courses of its flows; none if its queue never stood.
    fn link(&self, link: usize) -> Option<Link> {
        let members: Vec<&Known> =
            self.known.iter().filter(|known| known.link == Some(link)).collect();
        let width = members.iter().map(|known| known.course.width()).max()?;
        let courses: Vec<QueueCourse> =
            members.iter().map(|known| known.course.widened(width)).collect();
        let full = Full::of(&courses, width);
        let all: f64 = full.bytes.iter().sum();
        if full.windows == 0.0 || all == 0.0 {
            return None;
        }
        let flow = |(known, bytes): (&&Known, &f64)| LinkFlow {
            flow: known.flow,
            up: known.up,
            share: bytes / all,
        };
        let mut flows: Vec<LinkFlow> = members.iter().zip(&full.bytes).map(flow).collect();
        flows.sort_by(|a, b| b.share.total_cmp(&a.share));
        let full_s = full.windows * width as f64 / 1e9;
        let rate_bps = 8.0 * all / full_s;
        let queue_ms = [full.queue / full.windows, full.least, full.most];
        let number = link as u32 + 1;
        let sentence = sentence(number, rate_bps, (full_s, queue_ms[0]), &flows);
        Some(Link { number, rate_bps, full_s, queue_ms, flows, sentence })
    }
}

/// Windows in which the queue of a link stood.
struct Full {
    /// Their number, and bytes of each flow in them.
    windows: f64,
    bytes: Vec<f64>,
    /// Delay of the queue in milliseconds: sum over windows, least and greatest.
    queue: f64,
    least: f64,
    most: f64,
}

impl Full {
    /// From courses in windows of equal width, in nanoseconds.
    fn of(courses: &[QueueCourse], width: u64) -> Full {
        let bytes = vec![0.0; courses.len()];
        let mut full = Full { windows: 0.0, bytes, queue: 0.0, least: f64::MAX, most: 0.0 };
        let all = courses.iter().flat_map(|course| course.windows().map(|(n, _)| n));
        let numbers: BTreeSet<u64> = all.collect();
        let stands = STANDS * width as f32 / 1e6;
        for number in numbers {
            let here = || courses.iter().map(|course| course.at(number));
            if !here().flatten().any(|level| level.full >= stands) {
                continue;
            }
            // A flow that has never seen the path without a queue measures less of it.
            let queues = courses.iter().filter_map(|course| course.queue(course.at(number)?));
            let queue = queues.fold(0.0, f64::max);
            full.windows += 1.0;
            full.queue += queue;
            (full.least, full.most) = (full.least.min(queue), full.most.max(queue));
            for (bytes, level) in full.bytes.iter_mut().zip(here()) {
                *bytes += level.map_or(0.0, |level| f64::from(level.bytes));
            }
        }
        full
    }
}

impl Known {
    /// Evidence that two flows share a queue, in standard errors; none if there is too little, where so many pairs
    /// are compared.
    fn agreement(&self, other: &Known, pairs: usize) -> Option<f64> {
        let addresses = |known: &Known| known.ends.map(|end| end.addr);
        let ([from, to], [others_from, others_to]): ([IpAddr; 2], [IpAddr; 2]) =
            (addresses(self), addresses(other));
        let same = self.ends == other.ends || self.ends == [other.ends[1], other.ends[0]];
        let against = from == others_to || to == others_from;
        let along = from == others_from || to == others_to || self.up == other.up;
        if same || against || !along || self.interface != other.interface {
            return None;
        }
        compare::agreement(&self.course, &other.course, pairs)
    }
}

/// Losses of a direction were those of a shared link's queue, for a part `stood` of the time. A flow that has never seen the
/// path without that queue does not measure it.
fn lost_in_queue(way: &mut Direction, stood: f64) {
    let Some(causes) = &mut way.causes else { return };
    let [lost, shared] = [Cause::LossWithoutQueue, Cause::SharedBottleneck];
    let moved = stood * causes.share(lost);
    causes.shares[lost as usize] -= moved;
    causes.shares[shared as usize] += moved;
    let all = &mut way.hypotheses;
    let Some(n) = all.iter().position(|one| one.cause == lost) else { return };
    let likelihood = stood * all[n].likelihood;
    all[n].likelihood -= likelihood;
    match all.iter_mut().find(|one| one.cause == shared) {
        Some(one) => one.likelihood += likelihood,
        None => all.push(Hypothesis { cause: shared, likelihood, evidence: None }),
    }
    all.sort_by(|a, b| b.likelihood.total_cmp(&a.likelihood));
}

/// Sentence about a link: its rate and its queue in that time, and shares of its flows.
fn sentence(number: u32, rate_bps: f64, (full_s, mean): (f64, f64), flows: &[LinkFlow]) -> String {
    let share = |flow: &LinkFlow| format!("flow {} {:.0}%", flow.flow, 100.0 * flow.share);
    let mut named: Vec<String> = flows.iter().take(NAMED).map(share).collect();
    if let Some(rest) = flows.get(NAMED..).filter(|rest| !rest.is_empty()) {
        let shares: f64 = rest.iter().map(|flow| flow.share).sum();
        named.push(format!("{} more {:.0}%", rest.len(), 100.0 * shares));
    }
    format!(
        "Link {number}, shared by {} flows: at least {} while its queue stood ({}), {mean:.0} ms on \
         average. {}.",
        flows.len(),
        bits(rate_bps),
        seconds(full_s),
        capital(&named.join(", ")),
    )
}

fn capital(text: &str) -> String {
    text.get(..1).map_or(String::new(), |first| first.to_uppercase() + &text[1..])
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
