//! Rules of the causes: a file each, with its rule, its source and its test.

pub(crate) mod application;
pub(crate) mod bottleneck;
pub(crate) mod bottleneck_back;
pub(crate) mod cannot_tell;
pub(crate) mod client_idle;
pub(crate) mod loss_without_queue;
pub(crate) mod nothing_limits;
pub(crate) mod peer_gone;
pub(crate) mod queue_before;
pub(crate) mod radio_gap;
pub(crate) mod radio_promotion;
pub(crate) mod receiver_window;
pub(crate) mod sender_host;
pub(crate) mod shared_bottleneck;
pub(crate) mod slow_start;
pub(crate) mod timeout;

use super::Cause;
use super::evidence::known::Known;
use super::evidence::known::slowdown::Slowdown;
use super::stretch::Stretch;

/// Rule of a cause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Words of a sentence for the cause; `{rate}` is the rate of a full link.
    pub(crate) words: &'static str,
    /// Causes that the same evidence may have.
    pub(crate) rivals: &'static [Cause],
    /// Probability that a stretch for which the rule holds has this cause, and not a rival.
    pub(crate) trust: fn(&Case<'_>) -> f64,
    /// Quantity that is the evidence.
    pub(crate) measure: Measure,
    /// True for a stretch that has this cause, unless an earlier rule holds.
    pub(crate) holds: fn(&Case<'_>) -> bool,
}

/// Quantity that is the evidence for a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Delay by the queue, in milliseconds.
    Queue,
    /// Bytes under way.
    Flight,
    /// Duration of the longest time with the cause, in seconds.
    Time,
}

/// A stretch that is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<'a> {
    pub(crate) stretch: &'a Stretch,
    pub(crate) known: &'a Known,
}

impl Case<'_> {
    /// The first value near the sender, the other one elsewhere.
    fn nearby(&self, near: f64, afar: f64) -> f64 {
        if self.known.near { near } else { afar }
    }

    /// Evidence in the unit of a measure; zero for a time, which is known at its end.
    pub(crate) fn measured(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Queue => f64::from(self.known.path.middle(self.stretch)) / 1e3,
            Measure::Flight => self.stretch.flight.into(),
            Measure::Time => 0.0,
        }
    }

    /// True if a link was full in the round trip.
    fn is_full(&self) -> bool {
        self.known.queues.is_full(self.stretch, &self.known.path)
    }

    /// True if a link limited the round trip: it was full, or its marks made the window smaller.
    fn is_limited(&self) -> bool {
        let marked = self.known.slowdown == Slowdown::Mark;
        self.stretch.is_round() && (marked || self.is_full() || self.is_clocked())
    }

    /// True if a link before the capture point clocked the data of a sender that had filled its window once. What loss
    /// keeps below the link's rate comes in a burst for each round trip.
    fn is_clocked(&self) -> bool {
        let lost = self.known.slowdown == Slowdown::Loss;
        lost && !self.known.path.is_behind() && self.stretch.bursts.are_clocked()
    }

    /// True if the sender does not fill its window, and neither the receiver nor the path keeps it small.
    fn is_unfilled(&self) -> bool {
        let known = self.known;
        let path = self.is_full() || known.slowdown != Slowdown::None;
        let driven = known.path.is_behind() && self.stretch.bursts.are_driven();
        let stale = known.growth.is_stale(&known.path) || driven && known.growth.is_slow();
        stale && !path && !(receiver_window::RULE.holds)(self)
    }

    /// True if data left at even intervals, as far as the capture shows. Far from the sender, no segment was small and
    /// no time without data is known.
    fn is_paced(&self) -> bool {
        let stretch = self.stretch;
        let steady = stretch.bursts.small == 0 && stretch.drained + stretch.held == 0;
        let afar = !self.known.path.is_behind() && steady && stretch.bursts.count > 0;
        stretch.bursts.are_even() || afar
    }

    /// True if the sender had nothing to send for half of the time, or does not fill its window.
    fn is_idle(&self) -> bool {
        self.stretch.drained + self.stretch.held > self.stretch.nanos() / 2 || self.is_unfilled()
    }
}
