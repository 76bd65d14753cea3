//! UEs that arrive one by one.

use core::fmt;
use std::sync::Arc;

use airpath_base::random::Keyed;
use airpath_base::{Duration, Time, math};
use airpath_schema::units::{PerSecond, Quantity};
use airpath_schema::{Bounds, Check, Decoder, Field, Json, Node};

/// A Poisson process of arrivals: its rate in the file, and the times of one run once they have
/// been drawn.
#[derive(Clone, PartialEq)]
pub struct Arrivals {
    rate: PerSecond,
    times: Option<Arc<[Time]>>,
}

impl Arrivals {
    /// UEs a second on average, over all cells.
    pub fn rate(&self) -> PerSecond {
        self.rate
    }

    /// Times of arrival; none before a run is built.
    pub fn times(&self) -> Option<&[Time]> {
        self.times.as_deref()
    }

    /// More than come in so long, but for one run in a thousand millions.
    pub(crate) fn most(&self, duration: Duration) -> u64 {
        let mean = self.rate.0 * duration.as_secs_f64();
        // A Poisson number exceeds its mean by six standard deviations in 10^-9 of cases where
        // the mean is large; the constant covers small means.
        (mean + 6.0 * mean.sqrt() + 10.0) as u64
    }

    /// Draws the times within a run of this length, `most` at most.
    pub(crate) fn draw(&mut self, duration: Duration, draws: Keyed, most: usize) {
        let mean = 1.0 / self.rate.0;
        let gaps = (0..).map(|n| -mean * math::ln(1.0 - draws.uniform([n, 0, 0])));
        let mut now = Time::ZERO;
        let times = gaps.map(|gap| {
            now = now.saturating_add(Duration::from_secs_f64(gap));
            now
        });
        let end = Time::ZERO + duration;
        self.times = Some(times.take_while(|at| *at < end).take(most).collect());
    }
}

impl fmt::Debug for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arrivals({})", self.rate.show())
    }
}

impl Field for Arrivals {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let rate = PerSecond::decode(node, cx)?;
        Some(Arrivals { rate, times: None })
    }
    fn encode(&self) -> Json {
        self.rate.encode()
    }
    fn schema() -> Json {
        PerSecond::schema()
    }
}

/// Bounds of the rate of arrivals.
pub(super) struct OfArrivals(pub Bounds<PerSecond>);

impl Check<Option<Arrivals>> for OfArrivals {
    fn broken(&self, value: &Option<Arrivals>) -> Option<String> {
        self.0.broken(&value.as_ref()?.rate)
    }
    fn allowed(&self) -> String {
        Check::<PerSecond>::allowed(&self.0)
    }
    fn annotate(&self, _: &mut Json) {}
}
