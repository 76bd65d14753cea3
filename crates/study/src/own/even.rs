//! Even draws: of n flows, one in each n-th of a distribution, in random order.

use airpath_base::math;
use airpath_base::random::{Seed, Stream};
use serde::Deserialize;

/// A distribution: values by share of flows below them; between two points the logarithm
/// is linear, or the lower value counts if it is zero.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Curve(Vec<(f64, f64)>);

impl Curve {
    /// The value below which a share `u` lies; none without points.
    pub(crate) fn at(&self, u: f64) -> Option<f64> {
        let first = self.0.first()?.1;
        let next = self.0.iter().position(|(share, _)| *share > u);
        let Some(next) = next else { return self.0.last().map(|point| point.1) };
        let Some(before) = next.checked_sub(1) else { return Some(first) };
        let ((from, low), (to, high)) = (self.0[before], self.0[next]);
        if low <= 0.0 {
            return Some(low);
        }
        Some(low * math::exp(math::ln(high / low) * (u - from) / (to - from)))
    }
}

/// Draws of one attribute for n flows.
pub(crate) struct Even {
    order: Vec<u32>,
}

impl Even {
    /// For `n` flows, under a name.
    pub(crate) fn new(seed: Seed, name: &str, n: u32) -> Even {
        let mut stream = seed.stream(name);
        let mut order: Vec<u32> = (0..n).collect();
        shuffle(&mut order, &mut stream);
        Even { order }
    }

    /// Shares that are even within each of some classes; `classes` has each flow's.
    pub(crate) fn within(seed: Seed, name: &str, classes: &[u16]) -> Vec<f64> {
        let all = Even::new(seed, name, classes.len() as u32);
        let mut ranks: Vec<(u16, u32, usize)> = (0..classes.len())
            .map(|k| (classes[k], all.order.get(k).copied().unwrap_or(0), k))
            .collect();
        ranks.sort_unstable();
        let mut draws = vec![0.5; classes.len()];
        for own in ranks.chunk_by(|a, b| a.0 == b.0) {
            for ((.., flow), place) in own.iter().zip(0u32..) {
                draws[*flow] = (f64::from(place) + 0.5) / own.len() as f64;
            }
        }
        draws
    }

    /// The draw of a flow, in (0, 1).
    pub(crate) fn of(&self, flow: u32) -> f64 {
        let place = self.order.get(flow as usize).copied().unwrap_or(0);
        (f64::from(place) + 0.5) / self.order.len().max(1) as f64
    }
}

/// Fisher and Yates.
fn shuffle(order: &mut [u32], stream: &mut Stream) {
    for n in (1..order.len()).rev() {
        let other = stream.below(n as u64 + 1) as usize;
        order.swap(n, other);
    }
}

/// Class of a draw `u`, from 0 to 1, by the percentages of the classes; the last class if none
/// fits.
pub(crate) fn class<T>(classes: &[(T, f64)], u: f64) -> Option<&T> {
    let all: f64 = classes.iter().map(|(_, percent)| percent).sum();
    let mut below = 0.0;
    let found = classes.iter().find(|(_, percent)| {
        below += percent / all;
        u < below
    });
    found.or(classes.last()).map(|(class, _)| class)
}
