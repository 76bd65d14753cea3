//! Contents of a page and its reading time: draws that belong to the page.
//!
//! Each draw is a function of the page's number and, for sizes, the object's number. A page is
//! therefore the same whatever the network did to earlier pages.

use airpath_base::random::Keyed;
use airpath_base::{Duration, math};
use airpath_schema::{above_to, between, choice, record};

/// Longest mean and longest time for reading.
const DAY: Duration = Duration::from_secs(86_400);

/// A size in bytes, of an index or an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeLaw {
    /// Its shape.
    pub shape: SizeShape,
    /// Mean of the distribution before it is cut, above zero.
    pub mean: f64,
    /// Standard deviation, likewise; not below zero.
    pub deviation: f64,
    /// The smallest, at least 1.
    pub min: f64,
    /// The largest, not below `min`.
    pub max: f64,
}

choice! {
    /// Shape of the sizes of indices and objects.
    pub enum SizeShape {
        /// Lognormal: sizes outside their bounds are drawn again. Mean and deviation are those
        /// before that.
        Lognormal = "lognormal",
        /// Normal: sizes outside their bounds become the bound, so that those below zero are
        /// 1 B, as the thesis is printed. Its pages are six times as large.
        Normal = "normal",
    }
}

record! {
    /// A number of objects: Pareto, rounded to the nearest.
    #[derive(Copy)]
    pub struct ObjectCount: Default {
        /// The smallest number. Default: 15, which makes 22 objects on average.
        location: f64 = 15.0 => above_to(0.0, 100_000.0);
        /// Exponent of the tail. Default: 3.1.
        shape: f64 = 3.1 => above_to(0.0, 1_000.0);
        /// The largest; what is above becomes that. Default: 1000, which two pages in a million
        /// reach; the thesis has none, 3GPP2 C.R1002 has 53 with other parameters.
        max: u32 = 1_000 => between(1, 100_000);
        /// Subtraction of `location` from each number, behind the limit `max` and before rounding.
        /// With true a location of 2, a shape of 1.1 and a max of 55 make 5.64 objects on average
        /// and 53 at most (3GPP2 C.R1002 and NGMN's evaluation methodology). Default: false; the
        /// thesis has no subtraction.
        subtract_location: Option<bool>;
    }
}

record! {
    /// A time for reading: exponential with a largest value.
    #[derive(Copy)]
    pub struct Reading: Default {
        /// Mean before it is cut. Default: 5 s.
        mean: Duration = Duration::from_secs(5) => above_to(Duration::ZERO, DAY);
        /// The longest time. Default: 7 s.
        max: Duration = Duration::from_secs(7) => above_to(Duration::ZERO, DAY);
        /// Treatment of longer times. Default: "clamp", a mean of 3.8 s; the thesis says "maximum".
        beyond: Beyond = Beyond::Clamp;
    }
}

record! {
    /// Sessions of some pages each.
    #[derive(Copy)]
    pub struct Sessions {
        /// Mean number of pages: geometric, at least one.
        pages: f64 => between(1.0, 1_000_000.0);
        /// Mean time from the end of a session's last reading to the next session: exponential.
        pause: Duration => above_to(Duration::ZERO, DAY);
    }
}

choice! {
    /// Treatment of values above the largest.
    pub enum Beyond {
        /// The largest value replaces them.
        Clamp = "clamp",
        /// Another draw replaces them: with the defaults a mean of 2.7 s.
        Redraw = "redraw",
    }
}

/// Draws after which one outside its bounds is clamped. That happens to less than one draw in
/// 10^22 where a twentieth of the distribution is inside.
const DRAWS: u64 = 1_000;

impl SizeLaw {
    /// The size with these two coordinates.
    pub fn draw(&self, draws: Keyed, page: u64, object: u64) -> u64 {
        let normal = |attempt| normal(draws, [page, object], attempt);
        let size = match self.shape {
            SizeShape::Normal => self.mean + self.deviation * normal(0),
            SizeShape::Lognormal => {
                let (mu, sigma) = self.logarithms();
                let size = |attempt| math::exp(mu + sigma * normal(attempt));
                let fits = |size: &f64| (self.min..=self.max).contains(size);
                (0..DRAWS).map(size).find(fits).unwrap_or(self.mean)
            }
        };
        size.clamp(self.min, self.max).round() as u64
    }

    /// Mean and standard deviation of the natural logarithm, of the lognormal before it is cut.
    fn logarithms(&self) -> (f64, f64) {
        let ratio = self.deviation / self.mean;
        let variance = math::ln(1.0 + ratio * ratio);
        (math::ln(self.mean) - variance / 2.0, variance.sqrt())
    }

    /// Share of the distribution that lies within the bounds.
    pub fn share_within(&self) -> f64 {
        let (centre, deviation) = match self.shape {
            SizeShape::Lognormal => self.logarithms(),
            SizeShape::Normal => (self.mean, self.deviation),
        };
        let below = |size: f64| {
            let value = if self.shape == SizeShape::Lognormal { math::ln(size) } else { size };
            match deviation > 0.0 {
                true => 0.5 + 0.5 * math::erf((value - centre) / (deviation * f64::sqrt(2.0))),
                false => f64::from(u8::from(value >= centre)),
            }
        };
        below(self.max) - below(self.min * (1.0 - f64::EPSILON))
    }
}

/// A standard normal number, by the transform of Box and Muller (1958).
fn normal(draws: Keyed, [page, object]: [u64; 2], attempt: u64) -> f64 {
    let uniform = |n| draws.uniform([page, object, 2 * attempt + n]);
    let radius = (-2.0 * math::ln(1.0 - uniform(0))).sqrt();
    radius * math::cos(2.0 * core::f64::consts::PI * uniform(1))
}

impl ObjectCount {
    /// The number of objects of a page.
    pub fn draw(&self, draws: Keyed, page: u64) -> u32 {
        let tail = 1.0 - draws.uniform([page, 0, 0]);
        let value = self.location * math::pow(tail, -1.0 / self.shape);
        let subtracted = if self.subtract_location == Some(true) { self.location } else { 0.0 };
        (value.min(f64::from(self.max)) - subtracted).round() as u32
    }
}

impl Reading {
    /// The time for reading a page.
    pub fn draw(&self, draws: Keyed, page: u64) -> Duration {
        let most = match self.beyond {
            // So the draw is less than the largest value: the inverse of what is left.
            Beyond::Redraw => 1.0 - math::exp(-self.max.as_secs_f64() / self.mean.as_secs_f64()),
            Beyond::Clamp => 1.0,
        };
        let drawn = -self.mean.as_secs_f64() * math::ln(1.0 - most * draws.uniform([page, 0, 0]));
        Duration::from_secs_f64(drawn).min(self.max)
    }
}

/// An exponential time with this mean.
pub(super) fn exponential(mean: Duration, draws: Keyed, page: u64) -> Duration {
    Duration::from_secs_f64(-mean.as_secs_f64() * math::ln(1.0 - draws.uniform([page, 0, 0])))
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
