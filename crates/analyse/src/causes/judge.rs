//! The rules: what a sender waited for in a round trip.
//!
//! | what is seen in it | cause | source |
//! |---|---|---|
//! | nothing under way; the window closed | receiver's window | the kernel's chronograph `rwnd_limited` |
//! | nothing under way; the client has not asked for more | client idle | TAPO (Zhou et al., IMC 2015), "client idle" |
//! | nothing under way otherwise | application | Siekkinen et al. (root causes of TCP throughput), ALP |
//! | silence that the timer ended | timeout | TAPO, "timeout retransmission" |
//! | silence that an ACK ended, of data that was not lost | radio | TAPO, "packet delay"; Huang et al. 2013 |
//! | for more than half of it the sender had room, heard ACKs and sent nothing, or its last segment was not full | application | T-RAT (Zhang et al., SIGCOMM 2002), "opportunity" and "application limited" |
//! | the sender came to the window's edge | receiver's window | T-RAT, "receiver window limited" |
//! | even the least RTT lies above the path's own | bottleneck | RFC 9406 (threshold); Siekkinen et al. |
//! | behind a loss, the flight not yet what it was | as the loss: with a queue or without | Sundaresan et al., IMC 2017 |
//! | as fast as when the link was full | bottleneck | Siekkinen et al., "dispersion score" |
//! | none of these | the window's initial growth, or the loss before | T-RAT, "transport limited" |

use super::Cause;
use super::rounds::{Kind, Range, Round, mark};
use super::sums::{Causes, Origin, Sums};

/// RTTs above the least by an eighth of it, at least 4 ms and at most 16 ms, are a queue's (RFC
/// 9406, 4.2: MIN_RTT_DIVISOR, MIN_RTT_THRESH, MAX_RTT_THRESH); in microseconds.
const DIVISOR: u32 = 8;
const LEAST_RISE: u32 = 4_000;
const MOST_RISE: u32 = 16_000;
/// A link counts as full at this part of its rate (Siekkinen et al. allow a tenth).
const FULL: f64 = 0.9;

/// What is known of a direction from the stretches until now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judge {
    sums: Sums,
    near: Range,
    far: Range,
    /// The greatest rate of a round trip with a queue, in bytes a nanosecond.
    capacity: f64,
    /// The greatest RTT just before a loss over the least RTT, in microseconds.
    loss: Option<Loss>,
    highest: u32,
}

/// The last loss.
#[derive(Clone, Copy, Debug)]
struct Loss {
    /// Whether a queue had grown.
    queue: bool,
}

impl Judge {
    /// Looks at what is to be judged now or later.
    pub(crate) fn learn(&mut self, rounds: &[Round]) {
        for round in rounds {
            self.near.join(round.near);
            self.far.join(round.far);
        }
        for round in rounds {
            if round.kind == Kind::Round && self.has_queue(round) {
                self.capacity = self.capacity.max(rate(round));
            }
            self.highest = self.highest.max(self.above(round.near.most, round.far.most));
        }
    }

    /// Least round trips to the receiver and to the sender, in microseconds.
    pub(crate) fn base(&self, pending: &[Round]) -> [Option<u32>; 2] {
        let (mut near, mut far) = (self.near, self.far);
        for round in pending {
            near.join(round.near);
            far.join(round.far);
        }
        [near, far].map(|range| (!range.is_empty()).then_some(range.least))
    }

    /// What kept the sender in this stretch; its time is added.
    pub(crate) fn judge(&mut self, round: &Round) -> Cause {
        let cause = self.cause(round);
        let active = !matches!(round.kind, Kind::Pause | Kind::Idle | Kind::Gone);
        self.sums.add(cause, round.nanos(), round.delivered, active);
        if matches!(cause, Cause::Bottleneck | Cause::SharedBottleneck) {
            let measured = !round.near.is_empty() || !round.far.is_empty();
            let queue = measured.then(|| {
                let least = self.above(round.near.least, round.far.least);
                least.midpoint(self.above(round.near.most, round.far.most))
            });
            self.sums.full(round.nanos(), round.delivered, queue);
        }
        cause
    }

    /// What it comes to.
    pub(crate) fn causes(&self, origin: Origin) -> Option<Causes> {
        self.sums.causes(origin)
    }

    fn cause(&mut self, round: &Round) -> Cause {
        match round.kind {
            Kind::Pause if round.has(mark::CLOSED | mark::EDGE) => Cause::ReceiverWindow,
            Kind::Pause => Cause::Application,
            Kind::Idle => Cause::ClientIdle,
            Kind::Timer => Cause::Timeout,
            Kind::Gap => Cause::RadioGap,
            Kind::Waking => Cause::RadioPromotion,
            Kind::Gone => Cause::PeerGone,
            Kind::Round => self.round(round),
        }
    }

    fn round(&mut self, round: &Round) -> Cause {
        if round.has(mark::LOST) {
            self.lost(round);
        }
        if round.has(mark::TIMER) {
            return Cause::Timeout;
        }
        if round.drained > round.nanos() / 2 {
            return Cause::Application;
        }
        if round.has(mark::EDGE | mark::CLOSED) {
            return Cause::ReceiverWindow;
        }
        if self.has_queue(round) {
            return Cause::Bottleneck;
        }
        let full = rate(round) >= FULL * self.capacity && self.capacity > 0.0;
        match self.loss {
            Some(loss) if loss.queue => Cause::Bottleneck,
            _ if full => Cause::Bottleneck,
            Some(_) => Cause::LossWithoutQueue,
            None => Cause::SlowStart,
        }
    }

    /// Something was lost: by a queue that was full, or by chance.
    fn lost(&mut self, round: &Round) {
        let base =
            [self.near, self.far].map(|range| if range.is_empty() { 0 } else { range.least });
        let above = round.at_loss.saturating_sub(base[0].saturating_add(base[1]));
        let queue = above > 1000 && above >= self.highest / 2;
        self.loss = Some(Loss { queue });
    }

    /// Whether a queue stood throughout the round trip.
    fn has_queue(&self, round: &Round) -> bool {
        let base = self.near.least.min(u32::MAX / 4) as u64
            + if self.far.is_empty() { 0 } else { self.far.least as u64 };
        let rise = (base as u32 / DIVISOR).clamp(LEAST_RISE, MOST_RISE);
        let measured = !round.near.is_empty() || !round.far.is_empty();
        measured && self.above(round.near.least, round.far.least) >= rise
    }

    /// By how much round trips lie above the least.
    fn above(&self, near: u32, far: u32) -> u32 {
        let over = |value: u32, least: Range| match value == u32::MAX || least.is_empty() {
            true => 0,
            false => value.saturating_sub(least.least),
        };
        over(near, self.near).saturating_add(over(far, self.far))
    }
}

/// Bytes a nanosecond.
fn rate(round: &Round) -> f64 {
    f64::from(round.delivered) / round.nanos().max(1) as f64
}
