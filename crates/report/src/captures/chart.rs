//! Chart of a flow: its packets over time and, of TCP, the causes that limited it.

use airpath_analyse::{Course, Direction, FlowRecord, RttSource, Trace, Way};
use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, figure, plural};

use super::bands;

/// Ratio of the receive window's largest edge to the end of the data above which the data alone
/// sets the axis. With both on one axis, the data would be too small to be seen.
const FAR: f64 = 4.0;
/// Upper end of an axis that leaves out the receive window, as a multiple of the end of the data.
const ABOVE: f64 = 1.1;

/// A TCP flow: the direction that its verdict is about, with what the other says of it.
pub fn of_segments(flow: &FlowRecord, trace: &Trace) -> Chart {
    let up = match &flow.verdict {
        Some(verdict) => verdict.up,
        None => flow.up.payload_bytes > flow.down.payload_bytes,
    };
    let (direction, way) = if up { (&flow.up, &trace.up) } else { (&flow.down, &trace.down) };
    let unit = Unit::of([way]);
    let mut panels = vec![Panel {
        title: named(flow, up),
        x: Axis::new("time", "s"),
        y: Axis {
            range: range(way, unit),
            ..Axis::new("place in the data", unit.name).from_zero()
        },
        layers: segments(way, unit),
        ..Panel::default()
    }];
    panels.extend(rtt(points(&way.rtt_ms, 1.0)));
    panels.extend(bands::panels(&direction.intervals, &direction.rounds));
    let verdict = flow.verdict.as_ref().map(|verdict| verdict.sentence.clone());
    Chart {
        id: format!("flow-{}", flow.number),
        title: verdict.unwrap_or_else(|| "The capture does not tell what limited this flow".into()),
        sentence: counted(direction, way)
            + &direction.causes.as_ref().map_or(String::new(), bands::sentence),
        panels,
        shared_x: true,
        ..Chart::default()
    }
}

/// A flow of QUIC or other datagrams: bytes both ways, and round trips by the spin bit or RTCP.
pub fn of_datagrams(flow: &FlowRecord, trace: &Trace) -> Chart {
    let unit = Unit::of([&trace.up, &trace.down]);
    let ways = [("up", &trace.up, &flow.up), ("down", &trace.down, &flow.down)];
    let line = |(n, (name, way, _)): (usize, &(&str, &Way, &Direction))| {
        let (x, y) = points(&way.sent, unit.bytes);
        Layer::new(&Series::new(*name, n), steps(x, y))
    };
    let known = ways.iter().enumerate().filter(|(_, (_, way, _))| !way.sent.is_empty());
    let mut panels = vec![Panel {
        title: format!("{} and {}", flow.client, flow.server),
        x: Axis::new("time", "s"),
        y: Axis::new("payload", unit.name).from_zero(),
        layers: known.map(line).collect(),
        ..Panel::default()
    }];
    panels.extend(windows_of_rtt(&ways.map(|(name, _, direction)| (name, direction))));
    let said = ways.map(|(name, _, direction)| {
        let kilobytes = figure(direction.payload_bytes as f64 * 1e-3);
        format!("{name} {kilobytes} kB in {}", plural(direction.packets, "packet"))
    });
    Chart {
        id: format!("flow-{}", flow.number),
        title: format!("Flow {} ({}): {}", flow.number, flow.protocol.name(), said.join(", ")),
        sentence: flow
            .verdict
            .as_ref()
            .map_or(String::new(), |verdict| verdict.sentence.clone() + " ")
            + "Lines are payload, added up. What is encrypted says neither what was \
                   acknowledged nor what was sent again.",
        panels,
        shared_x: true,
        ..Chart::default()
    }
}

/// Unit of amounts of data on an axis.
#[derive(Clone, Copy)]
struct Unit {
    bytes: f64,
    name: &'static str,
}

impl Unit {
    /// Unit in which the largest amount of data of these directions has the fewest digits.
    fn of<const N: usize>(ways: [&Way; N]) -> Unit {
        match ways.map(end).into_iter().fold(0.0, f64::max) {
            1e9.. => Unit { bytes: 1e9, name: "GB" },
            1e6.. => Unit { bytes: 1e6, name: "MB" },
            1e3.. => Unit { bytes: 1e3, name: "kB" },
            _ => Unit { bytes: 1.0, name: "bytes" },
        }
    }
}

/// End of the data of a direction, in bytes.
fn end(way: &Way) -> f64 {
    [&way.sent, &way.again, &way.overtaken, &way.acked].map(most).into_iter().fold(0.0, f64::max)
}

fn most(course: &Course) -> f64 {
    course.points().into_iter().map(|(_, value)| value).fold(0.0, f64::max)
}

/// Range of the axis of the data, in `unit`, if the receive window lies too far above the data.
fn range(way: &Way, unit: Unit) -> Option<(f64, f64)> {
    let end = end(way);
    (most(&way.window) > FAR * end).then_some((0.0, ABOVE * end / unit.bytes))
}

/// Sentence about a receive window that lies above the whole chart; none if part of it is drawn.
fn far_window(way: &Way, unit: Unit) -> Option<String> {
    let (_, top) = range(way, unit)?;
    let least = way.window.points().into_iter().map(|(_, edge)| edge).fold(f64::MAX, f64::min);
    let least = least / unit.bytes;
    (least > top).then(|| {
        format!("the receive window's edge lies above, at {} {} and more", figure(least), unit.name)
    })
}

/// The flow, and which direction is shown.
fn named(flow: &FlowRecord, up: bool) -> String {
    let FlowRecord { number, client, server, .. } = flow;
    let (from, to) = if up { (client, server) } else { (server, client) };
    format!("Flow {number}, data from {from} to {to}")
}

/// The counts of what is shown.
fn counted(direction: &Direction, way: &Way) -> String {
    let Direction { payload_bytes, packets, retransmissions, out_of_order, .. } = *direction;
    let mut said = format!(
        "{} with {} kB of payload; {retransmissions} sent again, {out_of_order} overtaken.",
        plural(packets, "packet"),
        figure(payload_bytes as f64 * 1e-3),
    );
    if way.window.is_empty() {
        said += " The receive window is not drawn, since the capture does not tell its scale.";
    }
    if way.sent.is_thinned() {
        said += " Of many packets those drawn have all extremes.";
    }
    said
}

/// Points of a course in a unit.
fn points(course: &Course, unit: f64) -> (Vec<f64>, Vec<f64>) {
    course.points().into_iter().map(|(at, value)| (at, value / unit)).unzip()
}

pub(super) fn steps(x: Vec<f64>, y: Vec<f64>) -> Mark {
    Mark::Line { x, y: y.into_iter().map(Some).collect(), steps: true, points: false }
}

fn dots((x, y): (Vec<f64>, Vec<f64>)) -> Mark {
    Mark::Points { x, y, values: Vec::new(), names: Vec::new() }
}

/// The lines of windows and acknowledgements, and segments on them.
fn segments(way: &Way, unit: Unit) -> Vec<Layer> {
    let series = |name: &str, colour: usize, shape: usize| Series {
        name: name.into(),
        colour,
        shape,
        hollow: false,
    };
    let line = |course: &Course| {
        let (x, y) = points(course, unit.bytes);
        steps(x, y)
    };
    let dots = |course: &Course| dots(points(course, unit.bytes));
    let marks = [
        (series("receive window", 5, 0), line(&way.window)),
        (series("acknowledged", 2, 0), line(&way.acked)),
        (series("SACKed ranges", 3, 0), sacked(way, unit)),
        (series("sent", 0, 0), dots(&way.sent)),
        (series("overtaken", 4, 3), dots(&way.overtaken)),
        (series("sent again", 1, 2), dots(&way.again)),
    ];
    let far = far_window(way, unit);
    // The window is the first.
    let seen = marks.into_iter().skip(usize::from(far.is_some()));
    let drawn = seen.filter(|(_, mark)| mark.points() > 0);
    let layers = drawn.map(|(series, mark)| Layer::new(&series, mark));
    let meaning = far.unwrap_or_default();
    layers.map(|layer| layer.meaning(&meaning)).collect()
}

/// An upright line for each range.
fn sacked(way: &Way, unit: Unit) -> Mark {
    let ranges = way.sacked.as_slice().iter();
    let ends = |range: &airpath_analyse::Range| {
        let [low, high] = [range.low, range.high].map(|bytes| Some(bytes / unit.bytes));
        [(range.at, low), (range.at, high), (range.at, None)]
    };
    let (x, y) = ranges.flat_map(ends).unzip();
    Mark::Line { x, y, steps: false, points: false }
}

/// Round trips; none where none is known.
fn rtt((x, y): (Vec<f64>, Vec<f64>)) -> Option<Panel> {
    (!x.is_empty()).then(|| Panel {
        title: "Round trip from the capture point to the receiver and back".into(),
        x: Axis::new("time", "s"),
        y: Axis::new("RTT", "ms").from_zero(),
        layers: vec![Layer::new(&Series::new("RTT of an ACK", 6), dots((x, y)))],
        ..Panel::default()
    })
}

/// Least, mean and greatest of round trips in windows; none where none is known.
fn windows_of_rtt(ways: &[(&str, &Direction); 2]) -> Option<Panel> {
    let mut layers = Vec::new();
    for (n, (name, direction)) in ways.iter().enumerate() {
        let windows = &direction.rtt_over_time;
        let of = |get: fn(&airpath_analyse::RttWindow) -> f64| -> Vec<f64> {
            windows.iter().map(get).collect()
        };
        let mark = Mark::Intervals {
            x: of(|window| window.start_s + window.width_s / 2.0),
            y: of(|window| window.mean_ms),
            low: of(|window| window.min_ms),
            high: of(|window| window.max_ms),
        };
        let source = match direction.rtt_source {
            Some(RttSource::Rtcp) => "by RTCP",
            _ => "by the spin bit",
        };
        if !windows.is_empty() {
            let series = Series::new(format!("RTT of data {name}, {source}"), n + 2);
            let meaning = "bar: from the least to the greatest RTT in a window, point: their mean";
            layers.push(Layer::new(&series, mark).meaning(meaning));
        }
    }
    (!layers.is_empty()).then(|| Panel {
        title: "Round trip from the capture point and back".into(),
        x: Axis::new("time", "s"),
        y: Axis::new("RTT", "ms").from_zero(),
        layers,
        ..Panel::default()
    })
}
