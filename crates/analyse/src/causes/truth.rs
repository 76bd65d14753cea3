//! Limit of a [`Model`](super::testing::Model)'s server at each time, by the state of the model.

use super::testing::{MSS, Run};
use crate::Cause;

/// Between two looks at it, in microseconds.
const STEP: u64 = 5_000;

/// Evidence of a cause.
#[derive(Clone, Copy)]
enum Limit {
    Sure,
    /// It is the link, if that is busy around then.
    Path,
    /// It is the limit that kept data back before it was sent.
    AsBefore,
}

/// A look.
#[derive(Clone, Copy)]
struct Sample {
    at: u64,
    limit: Limit,
    cause: Cause,
    busy: bool,
}

/// Limits until now.
#[derive(Default)]
pub(super) struct Truth {
    samples: Vec<Sample>,
    next: u64,
    /// Time at which data was acknowledged last, and time until which the path is not awake.
    pub(super) heard: u64,
    pub(super) awake: u64,
    /// True if losses made the window smaller.
    pub(super) reduced: bool,
    /// Number whose acknowledgement ends what the timer began.
    timer: Option<u64>,
    /// Times at which data was kept back last, and last by the receiver's window.
    held_at: Option<u64>,
    edge_at: Option<u64>,
}

impl Truth {
    /// The timer strikes, with data sent up to `next`.
    pub(super) fn strikes(&mut self, next: u64) {
        let heard = self.heard;
        for sample in self.samples.iter_mut().rev().take_while(|sample| sample.at > heard) {
            if !matches!(sample.cause, Cause::RadioGap | Cause::RadioPromotion) {
                (sample.limit, sample.cause) = (Limit::Sure, Cause::Timeout);
            }
        }
        (self.timer, self.reduced) = (Some(next), true);
    }
}

impl Run {
    /// Looks at all times until then.
    pub(super) fn observe(&mut self, until: u64) {
        while self.truth.next < until && self.next > 0 {
            let at = self.truth.next.max(self.now);
            let sample = self.limits(at);
            self.truth.samples.push(sample);
            self.truth.next = at + STEP;
        }
    }

    fn limits(&mut self, at: u64) -> Sample {
        if self.truth.timer.is_some_and(|end| self.una >= end) {
            self.truth.timer = None;
        }
        let (waits, more) = (self.next > self.una, self.written() > self.next);
        let closed = self.edge < self.next + MSS;
        if more && closed {
            self.truth.edge_at = Some(at);
        }
        let still = self.model.still;
        let trip = self.model.rtt + self.model.others + self.free.saturating_sub(at);
        let lately = |since: u64| at - since <= trip + trip / 4;
        let held = self.truth.held_at.filter(|since| waits && lately(*since));
        let busy = self.free > at + self.model.others;
        let (limit, cause) = if waits && at < self.truth.awake {
            (Limit::Sure, Cause::RadioPromotion)
        } else if waits && at >= still.0 && at < still.1 {
            (Limit::Sure, Cause::RadioGap)
        } else if self.truth.timer.is_some() {
            (Limit::Sure, Cause::Timeout)
        } else if more && closed {
            (Limit::Sure, Cause::ReceiverWindow)
        } else if !more {
            let limit = if held.is_some() { Limit::AsBefore } else { Limit::Sure };
            return Sample { at, limit, cause: Cause::Application, busy };
        } else if self.truth.edge_at.is_some_and(lately) {
            (Limit::Path, Cause::ReceiverWindow)
        } else if self.truth.reduced {
            (Limit::Path, Cause::LossWithoutQueue)
        } else {
            (Limit::Path, Cause::SlowStart)
        };
        self.truth.held_at = Some(at);
        Sample { at, limit, cause, busy }
    }

    /// The causes of all samples, from the first data to the last answer.
    fn causes(&self) -> Vec<Cause> {
        let samples = &self.truth.samples;
        let around = (self.model.rtt / STEP / 2) as usize;
        let full = |n: usize| {
            let near = &samples[n.saturating_sub(around)..samples.len().min(n + around + 1)];
            near.iter().filter(|sample| sample.busy).count() * 10 >= near.len() * 9
        };
        let heard = self.truth.heard;
        let end = if self.model.dead < u64::MAX { self.sent_at } else { heard };
        let mut causes: Vec<Cause> = Vec::new();
        for (n, sample) in samples.iter().enumerate().take_while(|(_, one)| one.at <= end) {
            let before = causes.last().copied().unwrap_or(sample.cause);
            causes.push(match sample.limit {
                _ if sample.at > heard => Cause::PeerGone,
                Limit::Path if full(n) => Cause::Bottleneck,
                Limit::AsBefore => before,
                _ => sample.cause,
            });
        }
        causes
    }

    /// Shares by cause, the greatest first.
    pub(super) fn shares(&self) -> Vec<(Cause, f64)> {
        let causes = self.causes();
        let share = |cause: Cause| {
            let of = causes.iter().filter(|one| **one == cause).count();
            (cause, of as f64 / causes.len() as f64)
        };
        let mut shares = Cause::ALL.map(share).to_vec();
        shares.retain(|(_, share)| *share > 0.0);
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }
}
