//! The change of a cell with the longest gap: its steps on the axis of time, and packets of the UE's flows.

use airpath_plot::{Axis, Chart, Direction, Layer, Mark, Panel, Series};

use crate::words::{distinct, with_unit};
use crate::{ReportError, Run};

const PACKETS: &str = "handover_packets.parquet";
const HANDOVERS: &str = "handovers.parquet";
/// Flows with a panel; those with the most packets.
const MOST: usize = 4;
/// Steps closer than this share of the axis have one text.
const NEAR: f64 = 0.06;
/// Width of a letter as a share of the axis, on a wide page.
const LETTER: f64 = 0.009;
/// Times closer than this are the same: tables have seconds and milliseconds.
const SAME_S: f64 = 1e-6;

/// A packet.
struct Sent {
    flow: String,
    number: f64,
    /// Sending and end in seconds.
    sent: f64,
    ended: f64,
    dropped: Option<String>,
}

/// The change and its longest gap; times are in seconds.
#[derive(Debug, Default, PartialEq)]
struct Gap {
    ue: String,
    flow: String,
    source: String,
    target: String,
    begin: f64,
    from: f64,
    length_ms: f64,
    /// Steps in the order of time.
    steps: Vec<(f64, &'static str)>,
}

/// The chart; none without packets around a gap.
///
/// # Errors
///
/// A table that cannot be read.
pub fn chart(run: &Run) -> Result<Option<Chart>, ReportError> {
    let columns = ["time_s", "ue", "flow", "number", "sent_s", "ended_s", "dropped"];
    let Some(table) = run.table(PACKETS, &columns)? else { return Ok(None) };
    let (time, ue) = (table.numbers("time_s"), table.texts("ue"));
    let first = (time.and_then(|all| *all.first()?), ue.and_then(|all| *all.first()?));
    let (Some(time), Some(ue)) = first else { return Ok(None) };
    let Some(gap) = gap(run, time, ue)? else { return Ok(None) };
    let texts = |name: &str| table.texts(name).unwrap_or_default();
    let numbers = |name: &str| table.numbers(name).unwrap_or_default();
    let [flows, dropped] = ["flow", "dropped"].map(texts);
    let [number, sent, ended] = ["number", "sent_s", "ended_s"].map(numbers);
    let packet = |row: usize| {
        Some(Sent {
            flow: flows[row]?.to_owned(),
            number: number[row]?,
            sent: sent[row]?,
            ended: ended[row]?,
            dropped: dropped[row].map(str::to_owned),
        })
    };
    let packets: Vec<Sent> = (0..table.rows()).filter_map(packet).collect();
    Ok(Some(draw(&gap, &packets)))
}

/// The longest gap at this change of a UE's cell.
fn gap(run: &Run, time: f64, ue: &str) -> Result<Option<Gap>, ReportError> {
    let columns = ["time_s", "ue", "flow", "source", "begin_s", "gap_from_s", "gap_ms"];
    let Some(flows) = run.table(super::COSTS, &columns)? else { return Ok(None) };
    let numbers = |name: &str| flows.numbers(name).unwrap_or_default();
    let texts = |name: &str| flows.texts(name).unwrap_or_default();
    let [times, begins, from, gaps] = ["time_s", "begin_s", "gap_from_s", "gap_ms"].map(numbers);
    let [ues, names, sources] = ["ue", "flow", "source"].map(texts);
    let own = (0..flows.rows()).filter(|row| times[*row] == Some(time) && ues[*row] == Some(ue));
    let longest = own.filter(|row| gaps[*row].is_some()).rev();
    let longest = longest
        .max_by(|one, other| gaps[*one].unwrap_or(0.0).total_cmp(&gaps[*other].unwrap_or(0.0)));
    let Some(row) = longest else { return Ok(None) };
    let found = (begins[row], from[row], gaps[row], names[row], sources[row]);
    let (Some(begin), Some(from), Some(length_ms), Some(flow), Some(source)) = found else {
        return Ok(None);
    };
    let Some((target, steps)) = steps(run, (time, ue), begin)? else { return Ok(None) };
    let (ue, flow, source) = (ue.to_owned(), flow.to_owned(), source.to_owned());
    Ok(Some(Gap { ue, flow, source, target, begin, from, length_ms, steps }))
}

type Steps = Vec<(f64, &'static str)>;

/// The reached cell and the steps of a change, in the order of time.
fn steps(
    run: &Run,
    (time, ue): (f64, &str),
    begin: f64,
) -> Result<Option<(String, Steps)>, ReportError> {
    let times = [
        "time_s",
        "report_s",
        "preparation_ms",
        "random_access_ms",
        "reestablishment_ms",
        "path_switch_ms",
    ];
    let columns = [&times[..], &["ue", "cause", "outcome", "target", "reached"]].concat();
    let Some(table) = run.table(HANDOVERS, &columns)? else { return Ok(None) };
    let numbers = times.map(|name| table.numbers(name).unwrap_or_default());
    let texts = |name: &str| table.texts(name).unwrap_or_default();
    let [ues, causes, outcomes, targets, reached] =
        ["ue", "cause", "outcome", "target", "reached"].map(texts);
    let own = (0..table.rows()).find(|row| numbers[0][*row] == Some(time) && ues[*row] == Some(ue));
    let Some(row) = own else { return Ok(None) };
    let [_, report, preparation, access, again, switch] =
        [0, 1, 2, 3, 4, 5].map(|n: usize| numbers[n][row]);
    let (cause, outcome) = (causes[row].unwrap_or_default(), outcomes[row].unwrap_or_default());
    let before = |ms: Option<f64>| ms.map(|ms| time - ms / 1e3);
    let behind = |at: Option<f64>, ms: Option<f64>| Some(at? + ms? / 1e3);
    let failed = if outcome == "idle" { Some(time) } else { before(again) };
    let commanded =
        failed.is_none_or(|failed| begin < failed - SAME_S) && cause != "reestablishment";
    let connected = if again.is_some() { "connected again" } else { "connected" };
    let all = [
        (report, "report"),
        (behind(report, preparation), "prepared"),
        (Some(begin).filter(|_| commanded), "command"),
        (before(access), "access"),
        (failed, "failure"),
        (Some(time).filter(|_| outcome != "idle"), connected),
        (behind(Some(time), switch), "path switched"),
    ];
    let mut steps: Steps = all.into_iter().filter_map(|(at, name)| Some((at?, name))).collect();
    steps.sort_by(|one, other| one.0.total_cmp(&other.0));
    let target = reached[row].or(targets[row]).unwrap_or_default().to_owned();
    Ok(Some((target, steps)))
}

/// Ends of the axis in ms from the begin: the gap, the steps from the command on, and a part on both sides.
fn range(gap: &Gap) -> (f64, f64) {
    let (from, steps) = ((gap.from - gap.begin) * 1e3, gap.steps.iter());
    let steps: Vec<f64> = steps.map(|(at, _)| (at - gap.begin) * 1e3).collect();
    let last = steps.iter().copied().fold(from + gap.length_ms, f64::max);
    let room = (0.3 * (last - from)).max(10.0);
    // A report long before does not stretch the axis.
    let near = steps.into_iter().filter(|at| *at >= from - 3.0 * room);
    (near.fold(from, f64::min) - room, last + room)
}

fn draw(gap: &Gap, packets: &[Sent]) -> Chart {
    let (low, high) = range(gap);
    let seen = |packet: &&Sent| {
        let at = |seconds: f64| (seconds - gap.begin) * 1e3;
        at(packet.ended) >= low && at(packet.sent) <= high
    };
    let seen: Vec<&Sent> = packets.iter().filter(seen).collect();
    let mut flows = distinct(seen.iter().map(|packet| &*packet.flow));
    let count = |flow: &str| seen.iter().filter(|packet| packet.flow == flow).count();
    flows.sort_by_key(|flow| (*flow != gap.flow, std::cmp::Reverse(count(flow))));
    flows.truncate(MOST);
    let panel = |flow: &&str| {
        let own: Vec<&Sent> = seen.iter().filter(|packet| packet.flow == **flow).copied().collect();
        panel(gap, flow, &own, (low, high))
    };
    let steps = gap.steps.iter();
    let steps = steps.map(|(at, name)| format!("{name} {}", moment((at - gap.begin) * 1e3)));
    Chart {
        id: "longest-gap".into(),
        title: format!("The longest gap: {}, from {} to {}", gap.ue, gap.source, gap.target),
        sentence: format!(
            "{} got nothing for {} from {:.3} s on. Steps, from the begin of the change at {:.3} s: {}.",
            gap.flow,
            with_unit(gap.length_ms, "ms"),
            gap.from,
            gap.begin,
            steps.collect::<Vec<_>>().join(", "),
        ),
        panels: flows.iter().map(panel).collect(),
        columns: 1,
        shared_x: true,
    }
}

/// A time before or behind the begin.
fn moment(ms: f64) -> String {
    match ms {
        _ if ms.abs() < 0.000_5 => "at 0 ms".to_owned(),
        _ if ms < 0.0 => format!("{} before", with_unit(-ms, "ms")),
        _ => format!("at {}", with_unit(ms, "ms")),
    }
}

/// Packets of a flow, with the steps.
fn panel(gap: &Gap, flow: &str, own: &[&Sent], (low, high): (f64, f64)) -> Panel {
    let ms = |seconds: f64| (seconds - gap.begin) * 1e3;
    let points = |all: Vec<(f64, &Sent)>| {
        let name = |packet: &Sent| {
            let end = packet
                .dropped
                .as_deref()
                .map_or("delivered".to_owned(), |cause| format!("dropped: {cause}"));
            let (sent, ended) =
                (with_unit(ms(packet.sent), "ms"), with_unit(ms(packet.ended), "ms"));
            format!("packet {}, sent at {sent}, {end} at {ended}", packet.number)
        };
        let x = all.iter().map(|(at, _)| *at).collect();
        let y = all.iter().map(|(_, packet)| packet.number).collect();
        Mark::Points {
            x,
            y,
            values: Vec::new(),
            names: all.iter().map(|(_, one)| name(one)).collect(),
        }
    };
    let of = |at: fn(&Sent) -> f64, wanted: fn(&Sent) -> bool| {
        let all = own.iter().filter(|packet| wanted(packet));
        let all = all.map(|packet| (ms(at(packet)), *packet));
        points(all.filter(|(at, _)| (low..=high).contains(at)).collect())
    };
    let series = |name: &str, n: usize, hollow: bool| Series { hollow, ..Series::new(name, n) };
    let layers = [
        (series("sent", 6, true), of(|one| one.sent, |_| true)),
        (series("delivered", 0, false), of(|one| one.ended, |one| one.dropped.is_none())),
        (series("dropped", 1, false), of(|one| one.ended, |one| one.dropped.is_some())),
    ];
    let drawn = |mark: &Mark| matches!(mark, Mark::Points { x, .. } if !x.is_empty());
    let points = layers.iter().filter(|(_, mark)| drawn(mark));
    let points = points.map(|(series, mark)| Layer::new(series, mark.clone()));
    Panel {
        title: flow.to_owned(),
        x: Axis::new("time from the begin of the change", "ms").within(low, high),
        y: Axis::new("number of the packet", ""),
        layers: rules(gap, (low, high)).into_iter().chain(points).collect(),
        ..Panel::default()
    }
}

/// Lines for the steps. Those close together have one text, at the first, with as many names as fit before the next.
fn rules(gap: &Gap, (low, high): (f64, f64)) -> Vec<Layer> {
    // Parts of a nanosecond come from the seconds of tables.
    let time = |at: f64| ((at - gap.begin) * 1e6).round() / 1e3;
    let steps = gap.steps.iter().map(|(at, name)| (time(*at), *name));
    let steps: Vec<(f64, &str)> = steps.filter(|(at, _)| (low..=high).contains(at)).collect();
    let mut groups: Vec<Vec<(f64, &str)>> = Vec::new();
    for step in steps {
        match groups.last_mut().filter(|own| step.0 - own[0].0 < NEAR * (high - low)) {
            Some(own) => own.push(step),
            None => groups.push(vec![step]),
        }
    }
    let ends: Vec<f64> = groups.iter().skip(1).map(|own| own[0].0).chain([high]).collect();
    let texts = groups.iter().zip(ends).flat_map(|(own, end)| {
        let share = (end - own[0].0) / (high - low);
        let text = fitting(own.iter().map(|(_, name)| *name), (share / LETTER) as usize);
        own.iter()
            .enumerate()
            .map(move |(n, (at, _))| (*at, if n == 0 { text.clone() } else { String::new() }))
    });
    let rule = |(at, text)| Layer::plain(Mark::Rule { along: Direction::X, at, text });
    texts.map(rule).collect()
}

/// Names that fit into so many letters, the first in any case; dots for others.
fn fitting<'a>(mut names: impl Iterator<Item = &'a str>, letters: usize) -> String {
    let mut text = names.next().unwrap_or_default().to_owned();
    for name in names {
        if text.len() + name.len() + 2 > letters {
            return text + ", …";
        }
        text += &format!(", {name}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap() -> Gap {
        Gap {
            ue: "car-3".into(),
            flow: "get".into(),
            source: "cell-1".into(),
            target: "cell-9".into(),
            begin: 5.0,
            from: 4.99,
            length_ms: 50.0,
            steps: vec![
                (4.97, "report"),
                (4.999, "prepared"),
                (5.0, "command"),
                (5.03, "connected"),
            ],
        }
    }

    #[test]
    fn packets_have_times_from_the_begin_of_the_change() {
        let packet = |flow: &str, number, sent, ended, dropped: Option<&str>| Sent {
            flow: flow.into(),
            number,
            sent,
            ended,
            dropped: dropped.map(str::to_owned),
        };
        let packets = [
            packet("call", 7.0, 4.985, 4.995, None),
            packet("get", 1.0, 4.98, 4.99, None),
            packet("get", 2.0, 4.982, 5.03, Some("handover")),
            packet("get", 3.0, 4.984, 5.04, None),
            packet("get", 4.0, 5.5, 5.6, None), // beyond the axis
        ];
        let chart = draw(&gap(), &packets);
        let titles: Vec<&str> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["get", "call"]);
        let words = "get got nothing for 50 ms from 4.990 s on. Steps, from the begin of the change at 5.000 s: \
                     report 30 ms before, prepared 1 ms before, command at 0 ms, connected at 30 ms.";
        assert_eq!(chart.sentence, words);
        let points = |name: &str| {
            let layers = chart.panels[0].layers.iter();
            let own = layers.filter(|layer| layer.series.as_ref().is_some_and(|s| s.name == name));
            let rounded = |x: &f64| (x * 1e3).round() / 1e3;
            let x = own.map(|layer| match &layer.mark {
                Mark::Points { x, .. } => x.iter().map(rounded).collect::<Vec<_>>(),
                _ => Vec::new(),
            });
            x.flatten().collect::<Vec<f64>>()
        };
        assert_eq!(points("sent"), [-20.0, -18.0, -16.0]);
        assert_eq!((points("delivered"), points("dropped")), (vec![-10.0, 40.0], vec![30.0]));
    }

    #[test]
    fn steps_close_together_have_one_text() {
        let (low, high) = range(&gap());
        // The gap is from -10 to 40 ms, 15 ms of room on both sides of it and of the report.
        assert!((low + 45.0).abs() < 1e-6 && (high - 55.0).abs() < 1e-6, "{low} {high}");
        let texts: Vec<String> = rules(&gap(), (low, high))
            .into_iter()
            .filter_map(|layer| match layer.mark {
                Mark::Rule { text, .. } => Some(text),
                _ => None,
            })
            .collect();
        assert_eq!(texts, ["report", "prepared, command", "", "connected"]);
        assert_eq!(
            fitting(["connected again", "path switched"].into_iter(), 29),
            "connected again, …"
        );
        assert_eq!(
            fitting(["connected", "path switched"].into_iter(), 24),
            "connected, path switched"
        );
    }
}
