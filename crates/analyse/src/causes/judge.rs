//! The rules: what a sender waited for in a round trip.
//!
//! | what is seen in it | cause | source |
//! |---|---|---|
//! | nothing under way; the window closed | receiver's window | the kernel's chronograph `rwnd_limited` |
//! | nothing under way; the client has not asked for more | client idle | TAPO (Zhou et al., IMC 2015), "client idle" |
//! | nothing under way otherwise | application | Siekkinen et al. (root causes of TCP throughput), ALP |
//! | silence that the timer ended, and until what it sent again is acknowledged | timeout | TAPO, "timeout retransmission" |
//! | silence that an ACK ended, of data that was not lost | radio | TAPO, "packet delay"; Huang et al. 2012 |
//! | for more than half of it the sender had room, heard ACKs and sent nothing, or its last segment was not full | application | T-RAT (Zhang et al., SIGCOMM 2002), "opportunity" and "application limited" |
//! | the sender came to the window's edge; where the link is full, for half of it | receiver's window | T-RAT, "receiver window limited"; the kernel's chronograph |
//! | even the least RTT lies above the path's own | bottleneck | RFC 9406 (threshold); Siekkinen et al. |
//! | as fast as when the link was full | bottleneck | Siekkinen et al., "dispersion score" |
//! | a bottleneck, where both the handshake and the first data took longer than the path does | shared bottleneck | Sundaresan et al., IMC 2017, "already congested" |
//! | the receiver reports marks (CE), or nothing was lost since it did | bottleneck | RFC 3168, 5: a mark says that a queue grew |
//! | something was lost before | loss without queue | the same; what has a queue is "self-induced" |
//! | what is under way does not grow | application | RFC 7661, 4.3 |
//! | none of these | slow start | T-RAT, "transport limited" |

use super::Cause;
use super::rounds::{Kind, Range, Round, mark};
use super::sums::{Causes, Origin, Sums};
use super::windows::Windows;

/// RTTs above the least by an eighth of it, at least 4 ms and at most 16 ms, are a queue's (RFC
/// 9406, 4.2: MIN_RTT_DIVISOR, MIN_RTT_THRESH, MAX_RTT_THRESH); in microseconds.
const DIVISOR: u32 = 8;
const LEAST_RISE: u32 = 4_000;
const MOST_RISE: u32 = 16_000;
/// A queue of this sender's has at least so many segments in it (Vegas; Brakmo and Peterson 1995:
/// alpha).
const QUEUED: u32 = 2;
/// Round trips without growth after which a sender is taken not to fill its window: twice as
/// many as the slowest growth takes for a segment.
const STALE: u32 = 4;
/// The same where what is under way is worked out from elsewhere, and is less exact.
const STALE_AFAR: u32 = 8;
/// The round trip to an end that is no more than such a part of the whole says how fast that end
/// answers, nothing of the path.
const NEAR: u32 = 10;
/// A link counts as full at this part of its rate (Siekkinen et al. allow a tenth).
const FULL: f64 = 0.9;
/// What is less may be a cell's doing as well as a queue's, in microseconds: two HARQ round trips of
/// 8 ms, and a scheduling request with its grant (TS 36.321; TR 36.912, B.2).
const MOST_JITTER: u32 = 25_000;
/// Round trips with a queue from which on the link's rate is known.
const KNOWN: u32 = 4;

/// What is known of a direction from the stretches until now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judge {
    sums: Sums,
    near: Range,
    far: Range,
    /// Round trips of the handshake and of the first data, in microseconds; zero if not known.
    before: [u32; 2],
    /// Round trips with a queue, their bytes and their nanoseconds.
    queued: (u32, u64, u64),
    /// Small and large windows, where round trips are raised by no more than jitter.
    windows: Windows,
    /// Round trips that were clearly faster without.
    beyond: u32,
    /// The most that was under way, and for how many round trips it has not grown.
    flight: u32,
    stale: u32,
    /// Size of a segment.
    segment: u32,
    /// What made the window smaller last: a loss, or a mark of a link that was full.
    cut: Option<Cause>,
    /// Whether a queue stood in the last round trip that was measured.
    queue: bool,
}

impl Judge {
    /// Before anything of a flow whose handshake took that many nanoseconds, zero if not known.
    pub(crate) fn new(handshake: u64) -> Judge {
        Judge { before: [micros(handshake), 0], ..Judge::default() }
    }

    /// How long data took, before this flow could fill a queue if it was the first; in nanoseconds.
    pub(crate) fn began(&mut self, nanos: u64) {
        if self.before[1] == 0 {
            self.before[1] = micros(nanos);
        }
    }

    /// Looks at the round trips of what is to be judged now or later.
    pub(crate) fn meet(&mut self, rounds: &[Round]) {
        for round in rounds {
            self.near.join(round.near);
            self.far.join(round.far);
        }
    }

    /// Looks at the rates of the same, of segments of that size.
    pub(crate) fn learn(&mut self, rounds: &[Round], segment: u32) {
        self.segment = segment;
        for round in rounds {
            if round.kind != Kind::Round || !self.tells_rate(round) {
                continue;
            }
            if self.rises(round) && self.level(round) < MOST_JITTER {
                self.windows.add(round);
            }
            if self.has_queue(round) {
                let (rounds, bytes, nanos) = &mut self.queued;
                *rounds = rounds.saturating_add(1);
                *bytes = bytes.saturating_add(round.delivered.into());
                *nanos = nanos.saturating_add(round.nanos());
            } else if FULL * rate(round) > self.capacity() {
                self.beyond = self.beyond.saturating_add(1);
            }
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
        let cause = match self.cause(round) {
            Cause::Bottleneck if self.was_full() => Cause::SharedBottleneck,
            cause => cause,
        };
        let active = !matches!(round.kind, Kind::Pause | Kind::Idle | Kind::Gone);
        self.sums.add(cause, round.nanos(), round.delivered, active);
        if matches!(cause, Cause::Bottleneck | Cause::SharedBottleneck) {
            let queue = self.measured_queue(round).map(|_| {
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
            Kind::Round | Kind::Quiet => self.round(round),
        }
    }

    fn round(&mut self, round: &Round) -> Cause {
        if round.has(mark::MARKED) {
            self.cut = Some(Cause::Bottleneck);
        } else if round.has(mark::LOST) {
            self.cut = Some(Cause::LossWithoutQueue);
        }
        self.grows(round);
        self.queue = self.measured_queue(round).unwrap_or(self.queue);
        let full = self.queue || round.has(mark::MARKED) || self.is_full(round);
        if round.has(mark::TIMER) {
            Cause::Timeout
        } else if round.drained > round.nanos() / 2 {
            Cause::Application
        } else if round.has(mark::EDGE | mark::CLOSED)
            && (!full || 2 * round.edged >= round.nanos())
        {
            Cause::ReceiverWindow
        } else if full {
            Cause::Bottleneck
        } else if let Some(cause) = self.cut {
            cause
        } else if self.stale >= if self.at_sender() { STALE } else { STALE_AFAR } {
            Cause::Application
        } else {
            Cause::SlowStart
        }
    }

    /// Whether a queue stood, if that was measured on both sides, or shows on one.
    fn measured_queue(&self, round: &Round) -> Option<bool> {
        let told = |here: Range, all: Range| !here.is_empty() || self.is_near(all);
        let all = told(round.near, self.near) && told(round.far, self.far);
        let any = !round.near.is_empty() || !round.far.is_empty();
        match any && self.has_queue(round) {
            true => Some(true),
            false => (any && all).then_some(false),
        }
    }

    /// Whether the round trip to an end says nothing of the path.
    fn is_near(&self, range: Range) -> bool {
        range.is_empty() || range.least < self.least() / NEAR
    }

    /// Whether a queue stood before this flow: the handshake and then the first data took longer than
    /// the path does. A radio that wakes up makes one of them slow, not both.
    fn was_full(&self) -> bool {
        let least = self.least();
        least > 0 && self.before.iter().all(|took| *took >= least.saturating_add(rise(least)))
    }

    /// Whether ACKs came as data arrived, for long enough to tell a rate.
    fn tells_rate(&self, round: &Round) -> bool {
        !round.has(mark::LOST | mark::REPAIR) && round.nanos() / 1000 >= u64::from(self.least() / 2)
    }

    /// Whether it was as fast as when there was a queue, if that was often enough.
    fn is_full(&self, round: &Round) -> bool {
        let known = self.queued.0 >= KNOWN && self.queued.0 > self.beyond;
        known && self.tells_rate(round) && rate(round) >= FULL * self.capacity()
    }

    /// The rate when there was a queue, in bytes a nanosecond.
    fn capacity(&self) -> f64 {
        let (_, bytes, nanos) = self.queued;
        bytes as f64 / nanos.max(1) as f64
    }

    /// Whether what is under way is seen exactly: all of the path lies behind the capture point.
    fn at_sender(&self) -> bool {
        self.is_near(self.far)
    }

    /// A window that a sender fills grows, before losses by half a segment a round trip at the
    /// least (RFC 9438, 4.3). One that does not is not filled (RFC 7661, 4.3).
    fn grows(&mut self, round: &Round) {
        let more = round.flight >= self.flight.saturating_add(self.segment);
        if more {
            self.flight = round.flight;
        }
        self.stale = if more { 0 } else { self.stale.saturating_add(1) };
    }

    /// The least round trip to the receiver, in microseconds; zero if not known.
    pub(crate) fn to_receiver(&self) -> u32 {
        if self.near.is_empty() { 0 } else { self.near.least }
    }

    /// The least round trip, in microseconds.
    fn least(&self) -> u32 {
        let known = |range: Range| if range.is_empty() { 0 } else { range.least };
        known(self.near).saturating_add(known(self.far))
    }

    /// Whether a queue stood throughout the round trip.
    fn has_queue(&self, round: &Round) -> bool {
        let jitter = self.level(round) < MOST_JITTER && self.windows.lead();
        self.rises(round) && !jitter
    }

    /// By how much the least round trip of a round lies above that of all, in microseconds.
    fn level(&self, round: &Round) -> u32 {
        self.above(round.near.least, round.far.least)
    }

    /// Whether that is as a queue makes it, with at least two segments of this sender in it.
    fn rises(&self, round: &Round) -> bool {
        let (least, above) = (self.least(), self.level(round));
        let whole = u64::from(least.saturating_add(above).max(1));
        let queued = u64::from(round.flight) * u64::from(above) / whole;
        above >= rise(least) && queued >= u64::from(QUEUED * self.segment)
    }

    /// By how much round trips lie above the least.
    fn above(&self, near: u32, far: u32) -> u32 {
        let over = |value: u32, least: Range| match value == u32::MAX || least.is_empty() {
            true => 0,
            false => value.saturating_sub(least.least),
        };
        let part = |value: u32, range: Range| match self.is_near(range) {
            true => 0,
            false => over(value, range),
        };
        part(near, self.near).saturating_add(part(far, self.far))
    }
}

fn micros(nanos: u64) -> u32 {
    u32::try_from(nanos / 1000).unwrap_or(u32::MAX)
}

/// By how much a round trip with a queue is above the least, in microseconds.
fn rise(least: u32) -> u32 {
    (least / DIVISOR).clamp(LEAST_RISE, MOST_RISE)
}

/// Bytes a nanosecond.
fn rate(round: &Round) -> f64 {
    f64::from(round.delivered) / round.nanos().max(1) as f64
}

#[cfg(test)]
mod tests {
    use airpath_base::Time;

    use super::*;

    #[test]
    fn a_window_that_marks_keep_small_is_a_full_links() {
        for (marks, cause) in [(0, Cause::Application), (mark::MARKED, Cause::Bottleneck)] {
            let mut judge = Judge::new(0);
            let last = (0..20u64).map(|n| {
                let [from, to] = [n, n + 1].map(|n| Time::from_millis(30 * n));
                let near = Range { least: 30_000, most: 30_000 };
                let marks = if n % 3 == 0 { marks } else { 0 };
                let sizes = Round { delivered: 10_000, flight: 10_000, ..Round::default() };
                let round = Round { from, to, near, marks, ..sizes };
                judge.meet(&[round]);
                judge.learn(&[round], 1000);
                judge.judge(&round)
            });
            assert_eq!(last.last(), Some(cause));
        }
    }
}
