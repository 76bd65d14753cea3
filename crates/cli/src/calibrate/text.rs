//! Comparisons for people: within 80 columns, one screen.

use std::fmt::Write as _;

use airpath_stats::Verdict;

use super::compared::{Compared, Figure};
use super::rows::Metric;

/// Percentiles that a line of differences shows, where a row has them.
const SHOWN: [f64; 11] = [5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0];

/// All comparisons: in full if they are of one scenario at one carrier, else the differences.
pub fn all(all: &[Compared], users: u64) -> String {
    let name = |one: &Compared| one.row.name();
    let single = all.iter().all(|one| name(one) == name(&all[0]));
    let body = if single { in_full(all) } else { differences(all) };
    body + &result(all, users)
}

/// Every figure: a line for each percentile.
fn in_full(all: &[Compared]) -> String {
    let mut text = format!("{}\n\n", all[0].row.name());
    let mut head = String::new();
    let mut units = format!("{:>4}", "");
    for one in all {
        head += &format!("{:>36}", format!("{}, dB", one.row.metric.name()));
        units += &format!("{:>12}{:>12}{:>12}", "published", "ours", "difference");
    }
    text += &format!("{:4}{head}\n{units}\n", "");
    let lines = all.iter().map(|one| one.row.points.len()).max().unwrap_or(0);
    for line in 0..lines {
        let percentile = all.iter().find_map(|one| one.row.points.get(line));
        text += &percentile.map_or(String::new(), |point| format!("p{:<3}", point.percentile));
        for one in all {
            match one.figures.get(line) {
                Some(figure) => {
                    let Figure { point, measured_db, .. } = figure;
                    let (off, mark) = (figure.difference_db(), mark(figure));
                    let _ = write!(
                        text,
                        "{:12.2}{measured_db:12.2}{off:+11.2}{mark}",
                        point.published_db
                    );
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
        let title = one.row.name();
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
    let mut text = format!(" {:13}", one.row.metric.name());
    for percentile in SHOWN {
        let found = one.figures.iter().find(|figure| figure.point.percentile == percentile);
        text += &match found {
            None => "     -".to_owned(),
            Some(figure) => format!("{:+5.1}{}", figure.difference_db(), mark(figure)),
        };
    }
    text.trim_end().to_owned() + "\n"
}

/// The character behind a figure: an exclamation mark where the figure does not hold.
fn mark(figure: &Figure) -> char {
    if figure.verdict == Verdict::Holds { ' ' } else { '!' }
}

fn result(all: &[Compared], users: u64) -> String {
    let verdicts = all.iter().flat_map(|one| &one.figures).map(|figure| figure.verdict);
    let [near, count] = Verdict::held(verdicts);
    let most = Metric::ALL.into_iter().filter_map(|metric| {
        let own = all.iter().filter(|one| one.row.metric == metric);
        let off = own.map(Compared::most_off_db).reduce(f64::max)?;
        Some(format!("{} {off:.2} dB", metric.name()))
    });
    format!(
        "{users} users a scenario; most off: {}\nresult: {near} of {count} figures within \
         the tolerance{}\n",
        most.collect::<Vec<_>>().join(", "),
        if near == count { "" } else { "; ! marks the others" }
    )
}
