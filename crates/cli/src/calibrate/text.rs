//! Comparisons for people: within 80 columns, one screen.

use std::fmt::Write as _;

use airpath_stats::Verdict;

use super::compared::Compared;
use super::rows::Metric;

/// Percentiles that a line of differences shows, where a row has them.
const SHOWN: [f64; 11] = [5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0];

/// All comparisons: in full if they are of one scenario at one carrier, else the differences.
pub fn all(all: &[Compared], users: u64) -> String {
    let place = |one: &Compared| {
        let row = &one.row;
        (row.calibration.clone(), row.scenario.clone(), row.carrier_ghz)
    };
    let single = all.iter().all(|one| place(one) == place(&all[0]));
    let body = if single { in_full(all) } else { differences(all) };
    body + &result(all, users)
}

/// Every figure: a line for each percentile.
fn in_full(all: &[Compared]) -> String {
    let row = &all[0].row;
    let mut text = format!("{}, {}, {} GHz\n\n", row.calibration, row.scenario, row.carrier_ghz);
    let mut head = String::new();
    let mut units = format!("{:>4}", "");
    for one in all {
        let name = match one.row.metric {
            Metric::CouplingGain => "coupling gain, dB",
            Metric::Geometry => "geometry, dB",
        };
        head += &format!("{name:>36}");
        units += &format!("{:>12}{:>12}{:>12}", "published", "ours", "difference");
    }
    text += &format!("{:4}{head}\n{units}\n", "");
    let lines = all.iter().map(|one| one.row.points.len()).max().unwrap_or(0);
    for line in 0..lines {
        let percentile = all.iter().find_map(|one| one.row.points.get(line));
        text += &percentile.map_or(String::new(), |point| format!("p{:<3}", point.percentile));
        for one in all {
            match one.points().nth(line) {
                Some((point, ours)) => {
                    let mark = mark(one.verdict(&point, ours));
                    let off = ours - point.published_db;
                    let _ = write!(text, "{:12.2}{ours:12.2}{off:+11.2}{mark}", point.published_db);
                }
                None => text += &format!("{:36}", ""),
            }
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    text + "\n"
}

/// A line for each row.
fn differences(all: &[Compared]) -> String {
    let mut text = "ours less what was published, dB\n".to_owned();
    text += &format!("{:14}", "");
    for percentile in SHOWN {
        text += &format!("{:>6}", format!("p{percentile}"));
    }
    text.push('\n');
    let mut last = String::new();
    for one in all {
        let row = &one.row;
        let title = format!("{}, {}, {} GHz", row.calibration, row.scenario, row.carrier_ghz);
        if title != last {
            text += &format!("{title}\n");
            last = title;
        }
        text += &line(one);
    }
    text += "--only NAME shows all figures of one scenario.\n\n";
    text
}

fn line(one: &Compared) -> String {
    let name = match one.row.metric {
        Metric::CouplingGain => "coupling gain",
        Metric::Geometry => "geometry",
    };
    let mut text = format!(" {name:13}");
    for percentile in SHOWN {
        let found = one.points().find(|(point, _)| point.percentile == percentile);
        text += &match found {
            None => "     -".to_owned(),
            Some((point, ours)) => {
                let mark = mark(one.verdict(&point, ours));
                format!("{:+5.1}{mark}", ours - point.published_db)
            }
        };
    }
    text.trim_end().to_owned() + "\n"
}

/// The character behind a figure: an exclamation mark where the figure does not hold.
fn mark(verdict: Verdict) -> char {
    if verdict == Verdict::Holds { ' ' } else { '!' }
}

fn result(all: &[Compared], users: u64) -> String {
    let points = || all.iter().flat_map(|one| one.points().map(move |both| (one, both)));
    let count = points().count();
    let near: usize = all.iter().map(Compared::held).sum();
    let off = |metric: Metric| {
        let own = points().filter(|(one, _)| one.row.metric == metric);
        own.map(|(_, (point, ours))| (ours - point.published_db).abs()).reduce(f64::max)
    };
    let mut most = Vec::new();
    for (metric, name) in [(Metric::CouplingGain, "coupling gain"), (Metric::Geometry, "geometry")]
    {
        if let Some(off) = off(metric) {
            most.push(format!("{name} {off:.2} dB"));
        }
    }
    format!(
        "{users} users a scenario; most off: {}\nresult: {near} of {count} figures within \
         the tolerance{}\n",
        most.join(", "),
        if near == count { "" } else { "; ! marks the others" }
    )
}
