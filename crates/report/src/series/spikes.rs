//! Rates in order over time, without what stands above all else.
//!
//! TCP holds back all data behind a lost packet, and hands over all of it at once when the packet
//! comes. In an interval of some milliseconds that is a rate of hundreds of Mbit/s. No link carried
//! that rate, and every other rate is a flat line beside it. The axis therefore ends at the rate of
//! arrivals: a higher rate is such a release.

use airpath_plot::{Chart, figure};

use super::{highest, lines};
use crate::Results;

/// A rate above this times the highest rate of arrivals is a release, and no rounding.
const ABOVE: f64 = 1.3;
/// Free part above the highest rate of arrivals, as a share of it.
const ROOM: f64 = 1.1;

/// The chart with an axis that ends at the highest rate of arrivals, if rates go far beyond.
pub fn cut(mut chart: Chart, results: &Results) -> Chart {
    let arrivals = results.runs.iter().filter_map(|run| lines(run, "arrival_rate_bps", 1e-6).ok());
    let most = arrivals.flatten().flat_map(|line| line.y).fold(0.0, f64::max);
    let Some(panel) = chart.panels.first_mut() else { return chart };
    let top = highest(&panel.layers);
    if let Some(end) = end_of(top, most) {
        panel.y.range = Some((0.0, end));
        chart.sentence += &format!(
            " The axis ends at {} Mbit/s, above what arrives at once: peaks up to {} Mbit/s are \
             data that waited for a lost packet and are handed over together.",
            figure(end),
            figure(top)
        );
    }
    chart
}

/// End of the axis of rates up to `top` if the highest rate of arrivals is `most`; none if it ends
/// by itself.
fn end_of(top: f64, most: f64) -> Option<f64> {
    (most > 0.0 && top > ABOVE * most).then(|| round_up(ROOM * most))
}

/// The next figure with one digit, or one and a half: 1, 1.5, 2, 2.5, …
fn round_up(figure: f64) -> f64 {
    let mut step = 1.0;
    while step * 10.0 <= figure {
        step *= 10.0;
    }
    while step > figure {
        step /= 10.0;
    }
    let half = step / 2.0;
    (figure / half).ceil() * half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_ends_the_axis_at_what_arrives_and_ordinary_rates_do_not() {
        // 3.7 Mbit/s arrive, 446 are handed over at once.
        assert_eq!(end_of(446.0, 3.7), Some(4.5));
        assert_eq!(end_of(4.0, 3.7), None);
        assert_eq!(end_of(4.0, 0.0), None);
        assert_eq!([round_up(0.031), round_up(98.0), round_up(150.0)], [0.035, 100.0, 150.0]);
    }
}
