//! Causes of a flow over time: bands behind data under way, rate and delays, and a row for each.
//!
//! A cause has one colour in all charts. The rows have its name, so that no reader depends on colours.

use airpath_analyse::{Cause, Causes, Interval, Round};
use airpath_plot::{Axis, Layer, Mark, Panel, Series, figure};

use super::chart::steps;

/// Half the height of a cause's bar, as a share of its row.
const HALF: f64 = 0.36;
/// Part by which bands are higher than what is drawn before them.
const ABOVE: f64 = 1.05;

/// Panels of a direction: data under way, rate, delays by queues, and causes by row. Panels without data are left out.
pub fn panels(intervals: &[Interval], rounds: &[Round]) -> Vec<Panel> {
    let line = |name: &str, n: usize, get: &dyn Fn(&Round) -> Option<f64>| {
        let points = rounds.iter().filter_map(|round| Some((round, get(round)?)));
        // A value holds for its round trip.
        let ends = points.flat_map(|(round, y)| [(round.from_s, y), (round.to_s, y)]);
        let (x, y): (Vec<f64>, Vec<f64>) = ends.unzip();
        Layer::new(&Series::new(name, n), steps(x, y)).meaning("step: a round trip")
    };
    let flight = |round: &Round| Some(f64::from(round.flight_bytes) / 1e3);
    let rate = |round: &Round| Some(round.rate_bps / 1e6);
    let both = |round: &Round| Some(round.queue_ms).filter(|_| round.ways_ms.is_none());
    let way = |n: usize| move |round: &Round| round.ways_ms.map(|ways| ways[n]);
    let panel = |title: &str, y: Axis, lines: Vec<Layer>| {
        let lines: Vec<Layer> = lines.into_iter().filter(|line| line.mark.points() > 0).collect();
        let most = lines.iter().filter_map(|line| highest(&line.mark)).fold(0.0, f64::max);
        let drawn = most > 0.0;
        drawn.then(|| Panel {
            title: title.into(),
            x: Axis::new("time", "s"),
            y: y.from_zero(),
            layers: [bands(intervals, (0.0, ABOVE * most)), lines].concat(),
            ..Panel::default()
        })
    };
    let delays = vec![
        line("delay of the data", 0, &way(0)),
        line("delay of the ACKs", 1, &way(1)),
        line("delay both ways", 2, &both),
    ];
    let all = [
        panel(
            "Data under way",
            Axis::new("data under way", "kB"),
            vec![line("under way", 0, &flight)],
        ),
        panel(
            "Rate of what was acknowledged",
            Axis::new("rate", "Mbit/s"),
            vec![line("rate", 0, &rate)],
        ),
        panel("Delay by queues, above the least", Axis::new("delay", "ms"), delays),
        causes(intervals),
    ];
    all.into_iter().flatten().collect()
}

/// Sentence about the causes for those who do not see the bands.
pub fn sentence(causes: &Causes) -> String {
    let ranked = causes.ranked().into_iter().filter(|(_, share)| *share >= 0.01);
    let share =
        |(cause, share): (Cause, f64)| format!("{} {}%", name(cause), figure(100.0 * share));
    let shares: Vec<String> = ranked.map(share).collect();
    format!(" Causes by their time: {}.", shares.join(", "))
}

/// Bands of all causes between two heights.
fn bands(intervals: &[Interval], (low, high): (f64, f64)) -> Vec<Layer> {
    let seen = Cause::ALL.into_iter().filter(|cause| has(intervals, *cause));
    let layer = |cause: Cause| Layer::new(&series(cause), band(intervals, cause, low, high));
    seen.map(layer).collect()
}

/// Panel of the causes that limited the sender over time, with a row for each cause.
fn causes(intervals: &[Interval]) -> Option<Panel> {
    let seen: Vec<Cause> = Cause::ALL.into_iter().filter(|cause| has(intervals, *cause)).collect();
    let layer = |(row, cause): (usize, &Cause)| {
        let (low, high) = (row as f64 - HALF, row as f64 + HALF);
        Layer::new(&series(*cause), band(intervals, *cause, low, high))
            .meaning("bar and band: what the sender waited for")
    };
    let layers: Vec<Layer> = seen.iter().enumerate().map(layer).collect();
    (!layers.is_empty()).then(|| Panel {
        title: "What limited it".into(),
        x: Axis::new("time", "s"),
        y: Axis::category("", seen.iter().map(|cause| name(*cause))),
        layers,
        ..Panel::default()
    })
}

fn has(intervals: &[Interval], cause: Cause) -> bool {
    intervals.iter().any(|interval| interval.cause == cause)
}

fn band(intervals: &[Interval], cause: Cause, low: f64, high: f64) -> Mark {
    let own = || intervals.iter().filter(|interval| interval.cause == cause);
    let edges = |value: f64| own().flat_map(|_| [Some(value), Some(value), None]).collect();
    let x = own().flat_map(|i| [i.from_s, i.to_s, i.to_s]).collect();
    Mark::Band { x, low: edges(low), high: edges(high) }
}

/// Highest value of a line.
fn highest(mark: &Mark) -> Option<f64> {
    let Mark::Line { y, .. } = mark else { return None };
    y.iter().flatten().copied().reduce(f64::max)
}

fn name(cause: Cause) -> String {
    cause.name().replace('_', " ")
}

/// Legend entry and colour of a cause. There are two causes more than colours: those that share one do not meet.
fn series(cause: Cause) -> Series {
    let colour = match cause {
        Cause::Bottleneck => 1,
        Cause::SharedBottleneck => 8,
        Cause::BottleneckBack => 3,
        Cause::QueueBefore => 10,
        Cause::Application => 0,
        Cause::ClientIdle => 7,
        Cause::SenderHost => 5,
        Cause::ReceiverWindow => 2,
        // All data was sent before the first answer, so no window grew.
        Cause::SlowStart | Cause::NothingLimits => 9,
        Cause::LossWithoutQueue => 4,
        Cause::Timeout => 11,
        Cause::RadioPromotion => 12,
        Cause::RadioGap => 13,
        // The end of a flow, and what is not known: grey.
        Cause::CannotTell | Cause::PeerGone => 6,
    };
    Series { shape: 0, ..Series::new(name(cause), colour) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn drawn() -> Vec<Panel> {
        let interval = |from_s, to_s, cause| Interval { from_s, to_s, cause };
        let round = |from_s: f64, flight_bytes, ways_ms| Round {
            from_s,
            to_s: from_s + 0.1,
            flight_bytes,
            rate_bps: 4e6,
            queue_ms: 60.0,
            ways_ms,
        };
        let intervals = vec![
            interval(0.0, 0.1, Cause::SlowStart),
            interval(0.1, 0.3, Cause::Bottleneck),
            interval(0.3, 0.4, Cause::SlowStart),
        ];
        let rounds = vec![round(0.0, 20_000, None), round(0.1, 40_000, Some([50.0, 10.0]))];
        panels(&intervals, &rounds)
    }

    #[test]
    fn each_panel_has_the_bands_of_all_causes_behind_its_line() {
        let panels = drawn();
        let titles: Vec<&str> = panels.iter().map(|panel| panel.y.label.as_str()).collect();
        assert_eq!(titles, ["data under way", "rate", "delay", ""]);
        for panel in &panels {
            let names = panel.layers.iter().filter_map(|layer| layer.series.as_ref());
            let names: Vec<&str> = names.map(|series| series.name.as_str()).collect();
            assert_eq!(names[..2], ["slow start", "bottleneck"]);
        }
        let Mark::Band { x, low, high } = &panels[0].layers[0].mark else { panic!("a band") };
        assert_eq!(*x, [0.0, 0.1, 0.1, 0.3, 0.4, 0.4]);
        // 40 kB and a twentieth.
        assert_eq!((low[0], high[0], high[2]), (Some(0.0), Some(42.0), None));
        let delays: Vec<usize> = panels[2].layers[2..].iter().map(|l| l.mark.points()).collect();
        // Of two round trips, one has both ways apart.
        assert_eq!(delays, [2, 2, 2]);
    }

    #[test]
    fn a_flow_without_causes_has_no_panel() {
        assert!(panels(&[], &[]).is_empty());
    }

    #[test]
    fn causes_have_colours_of_their_own_but_for_those_that_never_meet() {
        let colours: BTreeSet<usize> =
            Cause::ALL.into_iter().map(|cause| series(cause).colour).collect();
        assert_eq!((colours.len(), Cause::COUNT), (14, 16));
    }
}
