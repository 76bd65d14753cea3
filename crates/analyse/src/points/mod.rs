//! Flows at two points of their path: delay, loss and marks between the points.
//!
//! Two captures are read at once, four times in all. The readings serve a sample of packets that
//! both have (`survey`), the analysis of each (`waits`), the clocks (`clocks`), and the counts.
//! Packets are identified by fields that no hop changes (`identity`), and are sought among the
//! packets of half a minute (`matching`).
//!
//! Memory: four million packets that wait, 100,000 flows and the analysis' own; whatever the
//! captures' length.
//!
//! Left out: headers of tunnels between the points (the inner packet counts), and clocks that are
//! set on the way. Translated addresses together with cut datagrams are left out, too.

mod clocks;
mod compare;
mod feed;
mod flows;
mod identity;
mod matching;
mod merged;
mod record;
mod survey;
mod waits;
mod way;

use std::io::{self, Read};

use airpath_base::Time;

pub use clocks::{ClockBasis, ClockRecord};
pub use record::{
    Fate, FlowPairRecord, MarkChange, MarksRecord, PacketRecord, PairRecord, WaitsRecord, WayRecord,
};

use crate::input::OpenError;
use crate::options::Options;
use compare::Comparison;
use feed::Feed;
use flows::PairFlow;
use record::FlowPairRecord as FlowRow;
use survey::Survey;
use waits::RoundTrips;
use way::Way;

/// Warning of flows with an unknown direction.
const UNPLACED: &str = "flows have no delays: they go one way only, with the same TTL at both \
                        points, and neither other flows of their hosts nor the clocks tell which \
                        point they pass first. With --same-clock it would be known";

/// A capture that can be read more than once.
pub trait Capture {
    /// Name of the point in messages.
    fn name(&self) -> &str;

    /// Its bytes from the beginning, compressed or not.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;
}

/// Two points of a path.
pub enum Pair<'a> {
    /// A capture of each.
    Captures(&'a dyn Capture, &'a dyn Capture),
    /// Two interfaces of one capture, by what they are called.
    Interfaces(&'a dyn Capture, [String; 2]),
}

/// Reason for which two points could not be compared.
#[derive(Debug, thiserror::Error)]
pub enum PointsError {
    /// A capture could not be read.
    #[error("{capture}: {error}")]
    Open {
        /// Its name.
        capture: String,
        /// Reason of the failure.
        error: OpenError,
    },
    /// A capture has no such interface.
    #[error("{capture} has no interface {interface}; it has {there}")]
    NoInterface {
        /// Its name.
        capture: String,
        /// Wanted interface.
        interface: String,
        /// Present interfaces.
        there: String,
    },
    /// Nothing passed a point.
    #[error("{0} has no packet of TCP or UDP")]
    Nothing(String),
    /// No packet passed both points.
    #[error("{0} and {1} have no packet in common{2}")]
    NoneInCommon(String, String, String),
}

impl<'a> Pair<'a> {
    fn captures(&self) -> Vec<&'a dyn Capture> {
        match self {
            Pair::Captures(first, second) => vec![*first, *second],
            Pair::Interfaces(capture, _) => vec![*capture],
        }
    }

    /// Names of the points.
    pub fn names(&self) -> [String; 2] {
        match self {
            Pair::Captures(first, second) => [first, second].map(|c| c.name().to_owned()),
            Pair::Interfaces(_, names) => names.clone(),
        }
    }
}

/// The interfaces of a capture, with how many packets of TCP and UDP passed each; the first 16.
///
/// # Errors
///
/// If it cannot be read.
pub fn interfaces(capture: &dyn Capture) -> Result<Vec<(String, u64)>, PointsError> {
    let mut feed = feed(capture)?;
    let all = Survey::of(&mut feed);
    Ok(all.iter().map(|(id, survey)| (feed.label(*id), survey.packets)).collect())
}

/// Compares two points. `one_clock` says that they have one clock, or clocks that agree; each
/// packet is handed to the sink. Of the options, clients, port and memory count.
///
/// # Errors
///
/// If a capture cannot be read, or there is nothing to compare.
pub fn compare(
    pair: &Pair<'_>,
    one_clock: bool,
    options: &Options,
    sink: &mut dyn FnMut(&PacketRecord),
) -> Result<PairRecord, PointsError> {
    let one_clock = one_clock || matches!(pair, Pair::Interfaces(..));
    let (surveys, interfaces, mut warnings) = surveyed(pair)?;
    let names = pair.names();
    let [first, second] = &surveys;
    for (name, survey) in names.iter().zip(&surveys) {
        if survey.packets == 0 {
            return Err(PointsError::Nothing(name.clone()));
        }
    }
    let apart = apart(first, second);
    let none = |why: &str| {
        let [first, second] = names.clone();
        PointsError::NoneInCommon(first, second, why.into())
    };
    if one_clock && apart {
        return Err(none(": by their clocks, one ends before the other begins"));
    }
    let why = if apart { "; by their clocks, one ends before the other begins" } else { "" };
    let common = first.common(second).ok_or_else(|| none(why))?;
    let trips = RoundTrips::of(pair, options)?;
    let packets = [first.packets, second.packets];
    warnings.extend(untimed(&surveys, &names));
    let mut comparison = Comparison::new(pair, interfaces, common, [first, second], options);
    let clock = comparison.clocks(one_clock)?;
    comparison.counts(sink)?;
    warnings.extend(complaints(&comparison));
    Ok(PairRecord { points: names, packets, clock, warnings, ..told(&comparison, &trips) })
}

/// Packets of each point that have no time.
fn untimed(surveys: &[Survey; 2], names: &[String; 2]) -> Vec<String> {
    let counts = surveys.iter().zip(names).filter(|(survey, _)| survey.untimed > 0);
    let message = |(survey, name): (&Survey, &String)| {
        format!("{name}: {} packets have no time, and are left out", survey.untimed)
    };
    counts.map(message).collect()
}

/// Warnings about packets that are left out, or cannot be compared.
fn complaints(comparison: &Comparison<'_, '_>) -> Vec<String> {
    let counts = [
        (comparison.flows.left_out, "packets belong to more flows than there is memory for"),
        (
            comparison.short,
            "packets were waited for less long than half a minute, for want of memory",
        ),
        (comparison.impossible, "packets arrive before they are sent: the clocks do not agree"),
        (comparison.flows.unplaced(), UNPLACED),
    ];
    let some = counts.iter().filter(|(count, _)| *count > 0);
    some.map(|(count, what)| format!("{count} {what}")).collect()
}

fn feed(capture: &dyn Capture) -> Result<Feed<'_>, PointsError> {
    let broken = |error| PointsError::Open { capture: capture.name().into(), error };
    let input = capture.open().map_err(|error| broken(error.into()))?;
    Feed::open(capture.name(), input).map_err(broken)
}

type Surveyed = ([Survey; 2], Option<[u32; 2]>, Vec<String>);

/// Surveys of the points, the indices of interfaces that are points, and warnings.
fn surveyed(pair: &Pair<'_>) -> Result<Surveyed, PointsError> {
    let mut warnings = Vec::new();
    let mut found = Vec::new();
    for capture in pair.captures() {
        let mut feed = feed(capture)?;
        let all = Survey::of(&mut feed);
        let labels: Vec<(u32, String)> = all.keys().map(|id| (*id, feed.label(*id))).collect();
        warnings.extend(feed.into_warnings().iter().map(ToString::to_string));
        found.push((capture, all, labels));
    }
    if let Pair::Interfaces(capture, names) = pair {
        let (_, mut all, labels) = found.remove(0);
        let id = |name: &String| {
            let known = labels.iter().find(|(_, label)| label == name).map(|(id, _)| *id);
            known.ok_or_else(|| PointsError::NoInterface {
                capture: capture.name().into(),
                interface: name.clone(),
                there: labels.iter().map(|(_, l)| l.as_str()).collect::<Vec<_>>().join(", "),
            })
        };
        let ids = [id(&names[0])?, id(&names[1])?];
        let surveys = ids.map(|id| all.remove(&id).unwrap_or_default());
        return Ok((surveys, Some(ids), warnings));
    }
    let joined = found
        .into_iter()
        .map(|(_, all, _)| all.into_values().fold(Survey::default(), Survey::join));
    let mut joined = joined.collect::<Vec<Survey>>().into_iter();
    let surveys = [joined.next().unwrap_or_default(), joined.next().unwrap_or_default()];
    Ok((surveys, None, warnings))
}

/// True if the captures' times do not overlap.
fn apart(first: &Survey, second: &Survey) -> bool {
    match (first.span, second.span) {
        (Some(first), Some(second)) => first.1 < second.0 || second.1 < first.0,
        _ => false,
    }
}

fn told(comparison: &Comparison<'_, '_>, trips: &[RoundTrips; 2]) -> PairRecord {
    let list = &comparison.flows.list;
    let told = || list.iter().enumerate().filter(|(_, flow)| flow.is_told());
    let mut ways = [Way::default(), Way::default()];
    let mut unknown = (0, 0);
    for (_, flow) in told() {
        let ahead = [0, 1].map(|side| flow.goes_forward(side));
        if ahead[0].is_none() {
            unknown.0 += 1;
            unknown.1 += flow.ways.iter().map(Way::both).sum::<u64>();
        }
        for (way, ahead) in flow.ways.iter().zip(ahead) {
            let Some(ahead) = ahead else { continue };
            ways[usize::from(!ahead)].join(way);
        }
    }
    let at_one = |point: usize| {
        let alone = list.iter().filter(move |flow| !flow.common && flow.seen[1 - point] == 0);
        alone.map(move |flow| flow.seen[point]).filter(|seen| *seen > 0)
    };
    PairRecord {
        common_flows: told().count() as u64,
        flows_at_one: [0, 1].map(|point| at_one(point).count() as u64),
        packets_at_one: [0, 1].map(|point| at_one(point).sum()),
        addresses_differ: !comparison.by.has_addresses(),
        impossible: comparison.impossible,
        unknown_direction_flows: unknown.0,
        unknown_direction_packets: unknown.1,
        ways: ways.map(|way| way.record()),
        flows: told().map(|(number, flow)| row(number as u32, flow, trips)).collect(),
        ..PairRecord::default()
    }
}

fn row(number: u32, flow: &PairFlow, trips: &[RoundTrips; 2]) -> FlowRow {
    let key = flow.keys.iter().flatten().next().copied().unwrap_or_default();
    let client = key.client();
    let client_point = flow.goes_forward(client).map(|forward| usize::from(!forward));
    let [up, down] = [client, 1 - client].map(|side| flow.ways[side].record());
    let waits = client_point.and_then(|point| RoundTrips::waits(trips, flow, point, (&up, &down)));
    FlowRow {
        number,
        client: key.end(client),
        server: key.server(),
        protocol: if key.protocol() == airpath_wire::Protocol::TCP { "tcp" } else { "udp" },
        start: Time::from_nanos(flow.start.unsigned_abs()),
        client_point,
        up,
        down,
        waits,
    }
}

#[cfg(test)]
#[path = "points_tests.rs"]
mod tests;
