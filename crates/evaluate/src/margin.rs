//! All criteria of a suite in one chart: each figure as a share of its bound.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Values};
use airpath_stats::Verdict;

use crate::{Card, Judged};

/// Largest share that the colours of the map tell apart, in percent.
const MOST: f64 = 200.0;

impl Card {
    /// Figures of the criteria of a suite as shares of their bounds, by controller.
    pub(crate) fn margins(&self, suite: &str) -> Chart {
        let cases = self.cases.iter().filter(|case| case.suite == suite);
        let all = cases.flat_map(|case| case.judged.iter().map(move |own| (&case.case, own)));
        let (mut rows, mut x, mut y, mut values) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (case, own) in all {
            let name = format!("{case}: {}", own.criterion);
            let row = rows.iter().position(|known| *known == name).unwrap_or_else(|| {
                rows.push(name);
                rows.len() - 1
            });
            let column = self.controllers.iter().position(|known| *known == own.controller);
            let Some(column) = column else { continue };
            x.push(column as f64);
            y.push(row as f64);
            values.push(own.margin());
        }
        let panel = Panel {
            x: Axis::category("controller", self.controllers.iter().cloned()),
            y: Axis::category("criterion", rows),
            layers: vec![Layer::plain(Mark::Cells { x, y, values })],
            values: Some(Values {
                label: "share of the bound".into(),
                unit: "%".into(),
                range: Some((0.0, MOST)),
            }),
            ..Panel::default()
        };
        Chart {
            id: format!("{suite}-margins"),
            title: format!("Criteria of {suite} by controller"),
            sentence: "A criterion is fulfilled from 100% on, and 50% is half or twice its bound."
                .into(),
            panels: vec![panel],
            ..Chart::default()
        }
    }
}

impl Judged {
    /// The mean as a share of the lower bound, or the upper bound as one of the mean, in percent. It is below 100 if the
    /// mean misses a bound. None without a mean, or if the criterion does not compare.
    pub(crate) fn margin(&self) -> Option<f64> {
        let mean = self.mean.filter(|_| self.verdict != Verdict::NotComparable)?;
        let low = self.at_least.map(|bound| share(mean, bound));
        let high = self.at_most.map(|bound| share(bound, mean));
        low.into_iter().chain(high).reduce(f64::min)
    }
}

/// `part` as a share of `whole` in percent, between 0 and the largest; that of a `whole` of 0 or less by its sign.
fn share(part: f64, whole: f64) -> f64 {
    let share = match whole > 0.0 {
        true => part * 100.0 / whole,
        false if part >= whole => MOST,
        false => 0.0,
    };
    share.clamp(0.0, MOST)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_share_is_of_the_bound() {
        assert_eq!(share(3.0, 4.0), 75.0);
        assert_eq!(share(9.0, 4.0), 200.0);
        // A loss that is less than that of the reference, against 1%.
        assert_eq!(share(1.0, -0.5), 200.0);
        // No expiry, where none is allowed, and one.
        assert_eq!(share(0.0, 0.0), 200.0);
        assert_eq!(share(0.0, 1.0), 0.0);
    }
}
