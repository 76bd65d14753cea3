//! Sentences of the charts of two points.

use airpath_plot::figure;
use airpath_stats::percentile;

use super::over_time::{Passed, Window};

/// The lowest and the highest mean delay of a window, each way.
pub fn delays(names: &[String; 2], ways: &[Passed; 2]) -> String {
    let one = |(name, way): (&String, &Passed)| {
        let (_, least) = extreme(way, |window| window.mean().map(|mean| -mean))?;
        let (at, most) = extreme(way, Window::mean)?;
        let (least, most, at) = (figure(-least), figure(most), figure(at));
        Some(format!("{name}: {least} to {most} ms, the highest at {at} s."))
    };
    let all: Vec<String> = names.iter().zip(ways).filter_map(one).collect();
    format!("Mean of each {}. {}", windows(ways), all.join(" "))
}

/// Median and 95th percentile of delays, each way.
pub fn distribution(names: &[String; 2], ways: &[Passed; 2]) -> String {
    let one = |(name, way): (&String, &Passed)| {
        let at = |per_mille| percentile(way.delays.values(), per_mille).map(figure);
        let packets = way.delays.seen();
        Some(format!("{name}: {} ms and {} ms, of {packets} packets.", at(500)?, at(950)?))
    };
    let all: Vec<String> = names.iter().zip(ways).filter_map(one).collect();
    format!("Median and 95th percentile. {}", all.join(" "))
}

/// The window with the largest share of lost and of marked packets, of both ways.
pub fn losses(names: &[String; 2], ways: &[Passed; 2]) -> String {
    let one = |what: &str, count: fn(&Window) -> u64| {
        let share = move |window: &Window| {
            (count(window) > 0).then(|| 100.0 * count(window) as f64 / window.sent.max(1) as f64)
        };
        let worst = names.iter().zip(ways).filter_map(|(name, way)| {
            let (at, most) = extreme(way, share)?;
            Some((most, at, name))
        });
        let (most, at, name) = worst.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!("At most {}% are {what}, at {} s from {name}.", figure(most), figure(at)))
    };
    let all = [one("lost", |window| window.lost), one("marked CE", |window| window.marked)];
    let all: Vec<String> = all.into_iter().flatten().collect();
    format!("Share of the packets of each {}. {}", windows(ways), all.join(" "))
}

/// The window where a figure is greatest: its middle in seconds, and the figure.
fn extreme(way: &Passed, of: impl Fn(&Window) -> Option<f64>) -> Option<(f64, f64)> {
    let known = way.times().into_iter().zip(&way.windows);
    let known = known.filter_map(|(at, window)| Some((at, of(window)?)));
    known.reduce(|best, one| if one.1 > best.1 { one } else { best })
}

fn windows(ways: &[Passed; 2]) -> String {
    format!("window of {} ms", figure(1e3 * ways[0].width_s))
}
