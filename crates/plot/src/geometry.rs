//! Outlines of marks that are not given point by point: ellipses and stacked bars.

use airpath_base::math::{cos, sin};

use crate::{Direction, Layer, Mark, Panel};

/// Corners of the polygon that stands for an ellipse.
const CORNERS: u32 = 72;

/// A closed path around an ellipse, its first point again at its end. `covariance` is the variance
/// of x, the covariance and the variance of y. An impossible one (a negative variance, a
/// correlation beyond 1) is replaced by the nearest possible one.
pub fn ellipse(
    centre: (f64, f64),
    covariance: (f64, f64, f64),
    deviations: f64,
) -> Vec<(f64, f64)> {
    // Cholesky: (a, 0; b, c) times its transpose is the covariance.
    let a = covariance.0.max(0.0).sqrt();
    let b = if a > 0.0 { covariance.1 / a } else { 0.0 };
    let most = covariance.2.max(0.0).sqrt();
    let b = b.clamp(-most, most);
    let c = (covariance.2.max(0.0) - b * b).max(0.0).sqrt();
    let at = |n: u32| {
        let angle = std::f64::consts::TAU * f64::from(n % CORNERS) / f64::from(CORNERS);
        let (u, v) = (deviations * cos(angle), deviations * sin(angle));
        (centre.0 + a * u, centre.1 + b * u + c * v)
    };
    (0..=CORNERS).map(at).collect()
}

/// A part of a stacked bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part<'a> {
    /// The layer that it is of.
    pub layer: &'a Layer,
    /// Its category.
    pub category: usize,
    /// Begin and end of the bar.
    pub from: f64,
    /// End.
    pub to: f64,
}

impl Panel {
    /// The axis along which its bars grow: the one that has no categories.
    pub fn bars_along(&self) -> Direction {
        match self.y.categories() {
            Some(_) => Direction::X,
            None => Direction::Y,
        }
    }

    /// The parts of its bars, layer after layer. Lengths that are negative or not finite are
    /// left out.
    pub fn parts(&self) -> Vec<Part<'_>> {
        let mut ends: Vec<f64> = Vec::new();
        let mut parts = Vec::new();
        for layer in &self.layers {
            let Mark::Bars { lengths } = &layer.mark else { continue };
            ends.resize(ends.len().max(lengths.len()), 0.0);
            for (category, length) in lengths.iter().enumerate() {
                if length.is_finite() && *length >= 0.0 {
                    let from = ends[category];
                    ends[category] += length;
                    parts.push(Part { layer, category, from, to: ends[category] });
                }
            }
        }
        parts
    }

    /// The end of each category's bar.
    pub fn sums(&self) -> Vec<f64> {
        let mut sums: Vec<f64> = Vec::new();
        for part in self.parts() {
            sums.resize(sums.len().max(part.category + 1), 0.0);
            sums[part.category] = part.to;
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Series};

    #[test]
    fn an_ellipse_has_the_moments_that_it_is_drawn_from() {
        // Of points evenly spread over a turn, the covariance is half of the ellipse's.
        let path = ellipse((3.0, 5.0), (4.0, 1.5, 2.0), 1.0);
        assert_eq!(path.first(), path.last());
        let points = &path[1..];
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| {
            points.iter().map(of).sum::<f64>() / points.len() as f64
        };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        near(mean(&|p| p.0), 3.0);
        near(mean(&|p| p.1), 5.0);
        near(mean(&|p| (p.0 - 3.0) * (p.0 - 3.0)), 2.0);
        near(mean(&|p| (p.0 - 3.0) * (p.1 - 5.0)), 0.75);
        near(mean(&|p| (p.1 - 5.0) * (p.1 - 5.0)), 1.0);
    }

    #[test]
    fn an_impossible_covariance_still_gives_a_path() {
        for covariance in [(0.0, 1.0, 0.0), (-1.0, 0.0, 4.0), (1.0, 9.0, 1.0)] {
            let path = ellipse((0.0, 0.0), covariance, 2.0);
            assert!(path.iter().all(|(x, y)| x.is_finite() && y.abs() <= 4.0), "{covariance:?}");
        }
    }

    #[test]
    fn bars_stand_on_each_other() {
        let bars = |name: &str, lengths: &[f64]| {
            Layer::new(&Series::new(name, 0), Mark::Bars { lengths: lengths.to_vec() })
        };
        let panel = Panel {
            x: Axis::new("time", "ms"),
            y: Axis::category("flow", ["a", "b", "c"]),
            layers: vec![bars("wired", &[1.0, 2.0]), bars("radio", &[3.0, f64::NAN, 4.0])],
            ..Panel::default()
        };
        let parts: Vec<_> = panel.parts().iter().map(|p| (p.category, p.from, p.to)).collect();
        assert_eq!(parts, [(0, 0.0, 1.0), (1, 0.0, 2.0), (0, 1.0, 4.0), (2, 0.0, 4.0)]);
        assert_eq!(panel.sums(), [4.0, 2.0, 4.0]);
        assert_eq!(panel.bars_along(), Direction::X);
    }
}
