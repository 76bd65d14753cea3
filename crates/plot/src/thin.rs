//! Long series with fewer points, without losing an extreme.
//!
//! Of each bucket the first and the last point stay, and of each column the least and the greatest.
//! The method is M4 (Jugel and others, "M4: A Visualization-Oriented Time Series Data Aggregation",
//! VLDB 2014). Buckets are taken twice. Buckets of equally many points keep points close together,
//! for zooming in. Buckets of equal width keep the few points far out in a tail.

use std::borrow::Cow;

use crate::{Chart, Mark};

/// Points of a mark that are drawn as they are; of more, some are left out.
pub const MOST_POINTS: usize = 4_000;
/// Buckets of either kind.
const BUCKETS: usize = 250;

/// Indices, in order, of the points of a series that are enough to draw it: all up to
/// [`MOST_POINTS`]. Beyond that, they are the first and the last of each bucket and, of each
/// column, its least and greatest figure there. A figure that is not a number is a gap, and gaps
/// stay.
pub fn enough(x: &[f64], columns: &[&[f64]]) -> Vec<usize> {
    match x.len() <= MOST_POINTS {
        true => (0..x.len()).collect(),
        false => enough_of(x, columns, BUCKETS),
    }
}

/// Points that show a line, with so many buckets of either kind, however few points there are.
pub(crate) fn enough_of(x: &[f64], columns: &[&[f64]], buckets: usize) -> Vec<usize> {
    let mut keep = vec![false; x.len()];
    let size = x.len().div_ceil(buckets);
    mark(&mut keep, columns, |n| n / size);
    let finite = || x.iter().copied().filter(|x| x.is_finite());
    let (low, high) =
        (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let width = (high - low) / buckets as f64;
    // For an x that goes to and fro, buckets of equal width would keep most points.
    if width > 0.0 && x.is_sorted() {
        mark(&mut keep, columns, |n| ((x[n] - low) / width) as usize);
    }
    (0..x.len()).filter(|n| keep[*n]).collect()
}

/// Marks what stays of runs of points that have the same bucket.
fn mark(keep: &mut [bool], columns: &[&[f64]], bucket: impl Fn(usize) -> usize) {
    let mut from = 0;
    while from < keep.len() {
        let same = |n: &usize| bucket(*n) == bucket(from);
        let until = from + (from..keep.len()).take_while(same).count();
        keep[from] = true;
        keep[until - 1] = true;
        for column in columns {
            let own = || (from..until).filter(|n| column[*n].is_finite());
            let compare = |a: &usize, b: &usize| column[*a].total_cmp(&column[*b]);
            let gap = (from..until).find(|n| !column[*n].is_finite());
            for n in [own().min_by(compare), own().max_by(compare), gap].into_iter().flatten() {
                keep[n] = true;
            }
        }
        from = until;
    }
}

impl Mark {
    /// The mark with at most some thousands of points, as it is drawn; extremes stay.
    pub fn thinned(&self) -> Cow<'_, Mark> {
        let count = self.points();
        if count <= MOST_POINTS {
            return Cow::Borrowed(self);
        }
        match self {
            Mark::Line { x, y, steps, points } => {
                let kept = enough(&x[..count], &[&plain(y, count)]);
                Cow::Owned(Mark::Line {
                    x: pick(x, &kept),
                    y: pick(y, &kept),
                    steps: *steps,
                    points: *points,
                })
            }
            Mark::Points { x, y, values, names } => {
                let kept = enough(&x[..count], &[&y[..count]]);
                Cow::Owned(Mark::Points {
                    x: pick(x, &kept),
                    y: pick(y, &kept),
                    values: pick(values, &kept),
                    names: pick(names, &kept),
                })
            }
            Mark::Band { x, low, high } => {
                let kept = enough(&x[..count], &[&plain(low, count), &plain(high, count)]);
                Cow::Owned(Mark::Band {
                    x: pick(x, &kept),
                    low: pick(low, &kept),
                    high: pick(high, &kept),
                })
            }
            Mark::Intervals { x, y, low, high } => {
                let columns = [&y[..count], &low[..count], &high[..count]];
                let kept = enough(&x[..count], &columns);
                Cow::Owned(Mark::Intervals {
                    x: pick(x, &kept),
                    y: pick(y, &kept),
                    low: pick(low, &kept),
                    high: pick(high, &kept),
                })
            }
            Mark::Bars { .. }
            | Mark::Cells { .. }
            | Mark::Ellipse { .. }
            | Mark::Rule { .. }
            | Mark::Text { .. } => Cow::Borrowed(self),
        }
    }

    /// Number of points: the length of its shortest column.
    pub fn points(&self) -> usize {
        let optional = |len: usize, count: usize| if len == 0 { count } else { len.min(count) };
        match self {
            Mark::Line { x, y, .. } => x.len().min(y.len()),
            Mark::Points { x, y, values, names } => {
                let count = x.len().min(y.len());
                optional(names.len(), optional(values.len(), count))
            }
            Mark::Band { x, low, high } => x.len().min(low.len()).min(high.len()),
            Mark::Intervals { x, y, low, high } => {
                x.len().min(y.len()).min(low.len()).min(high.len())
            }
            Mark::Bars { lengths } => lengths.len(),
            Mark::Cells { x, y, values } => x.len().min(y.len()).min(values.len()),
            Mark::Ellipse { .. } | Mark::Rule { .. } => 1,
            Mark::Text { x, y, text } => x.len().min(y.len()).min(text.len()),
        }
    }
}

impl Chart {
    /// Text below the chart if not all points are drawn.
    pub fn left_out(&self) -> Option<String> {
        let layers = || self.panels.iter().flat_map(|panel| &panel.layers);
        let all: usize = layers().map(|layer| layer.mark.points()).sum();
        let drawn: usize = layers().map(|layer| layer.mark.thinned().points()).sum();
        (drawn < all).then(|| format!("{drawn} of {all} points are drawn, extremes among them"))
    }
}

fn plain(column: &[Option<f64>], count: usize) -> Vec<f64> {
    column[..count].iter().map(|y| y.unwrap_or(f64::NAN)).collect()
}

/// The kept entries of a column; an optional column that is empty stays so.
fn pick<T: Clone>(column: &[T], kept: &[usize]) -> Vec<T> {
    kept.iter().filter_map(|n| column.get(*n).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn extremes_stay(
            y in prop::collection::vec(-1e6..1e6f64, 4_001..9_000),
            peak in 0usize..4_001,
            gap in 0usize..4_001,
        ) {
            let x: Vec<f64> = (0..y.len()).map(|n| n as f64).collect();
            let mut y = y;
            y[gap] = f64::NAN;
            y[peak] = 2e6;
            let kept = enough(&x, &[&y]);
            prop_assert!(kept.len() <= 10 * (BUCKETS + 1) && kept.is_sorted());
            let least = y.iter().copied().fold(f64::INFINITY, f64::min);
            prop_assert!(kept.iter().any(|n| y[*n] == least));
            prop_assert!(kept.contains(&peak) && (gap == peak || kept.contains(&gap)));
            prop_assert!(kept.contains(&0) && kept.contains(&(y.len() - 1)));
            // Each hundred points keep their extremes nearly: no bucket is wider than 36.
            for from in (0..y.len() - 100).step_by(100) {
                let most = |n: &[usize]| n.iter().map(|n| y[*n]).fold(f64::MIN, f64::max);
                let all: Vec<usize> = (from + 36..from + 64).collect();
                let near: Vec<usize> =
                    kept.iter().copied().filter(|n| (from..from + 100).contains(n)).collect();
                prop_assert!(most(&near) >= most(&all));
            }
        }
    }

    #[test]
    fn a_tail_stays_whole() {
        // Delays of 10 to 20 ms, and five far out.
        let mut samples: Vec<f64> = (0..100_000).map(|n| 10.0 + f64::from(n) * 1e-4).collect();
        samples.extend([100.0, 200.0, 300.0, 400.0, 500.0]);
        let tail = Mark::tail(&samples);
        let Mark::Line { x, y, .. } = tail.thinned().into_owned() else { panic!("a line") };
        assert_eq!(x[x.len() - 5..], [100.0, 200.0, 300.0, 400.0, 500.0]);
        assert_eq!(y[y.len() - 2], Some(1.0 / 100_005.0));
        assert!(x.len() < MOST_POINTS);
    }

    #[test]
    fn a_chart_says_what_it_leaves_out() {
        let chart = |count: usize| Chart {
            panels: vec![crate::Panel {
                layers: vec![crate::Layer::plain(Mark::line(vec![0.0; count], vec![1.0; count]))],
                ..crate::Panel::default()
            }],
            ..Chart::default()
        };
        assert_eq!(chart(4_000).left_out(), None);
        // 250 buckets of 20 points whose first is the least and whose last the greatest.
        let text = "500 of 5000 points are drawn, extremes among them";
        assert_eq!(chart(5_000).left_out().as_deref(), Some(text));
    }

    #[test]
    fn short_columns_bound_a_mark_and_few_points_all_stay() {
        let mark = Mark::Points {
            x: vec![1.0; 9],
            y: vec![1.0; 7],
            values: Vec::new(),
            names: vec!["a".into(); 8],
        };
        assert_eq!(mark.points(), 7);
        assert_eq!(mark.thinned().into_owned(), mark);
        let wide = Mark::Points {
            x: vec![1.0; 9_000],
            y: vec![1.0; 8_000],
            values: vec![2.0; 8_500],
            names: Vec::new(),
        };
        let Mark::Points { x, y, values, names } = wide.thinned().into_owned() else {
            panic!("points")
        };
        assert!(x.len() < MOST_POINTS && x.len() == y.len() && y.len() == values.len());
        assert!(names.is_empty());
    }
}
