//! Path of a direction: round trips on both sides of the capture point.

use crate::causes::stretch::{Range, Stretch};

/// Least part of the whole round trip, as its inverse, that says something of the path. A lesser round trip to an
/// end says how fast that end answers.
const NEAR: u32 = 10;
/// Nanoseconds in which clocks drift apart by a microsecond: 100 ppm (RFC 5905, 7.3 allows 500; crystals have less).
const DRIFT: u64 = 10_000_000;
/// Least rise of the round trip to the sender that is a queue's, in microseconds, where the sender's own timestamps show
/// none. A pacer or a program may hold its answer back for less.
const HELD: u32 = 25_000;

/// Round trips to the receiver and to the sender, over all stretches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Path {
    near: Range,
    far: Range,
    /// Lags of the sender's segments and of the receiver's, whose zero is arbitrary.
    sent: Range,
    back: Range,
    /// True if both measure delays.
    serves: bool,
    /// Round trip to the sender by the handshake; zero if not known.
    side: u32,
}

/// Delays that queues add, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Queued {
    /// From the sender to the capture point.
    pub(crate) before: u32,
    /// From there to the receiver.
    pub(crate) after: u32,
    /// From the receiver to the sender.
    pub(crate) back: u32,
}

impl Queued {
    /// On the way of the data.
    pub(crate) fn forth(&self) -> u32 {
        self.before.saturating_add(self.after)
    }
}

impl Path {
    /// Begins with the round trip to the sender by the handshake, in nanoseconds; zero if not known.
    pub(crate) fn new(far: u64) -> Path {
        Path { side: u32::try_from(far / 1000).unwrap_or(u32::MAX), ..Path::default() }
    }

    /// Adds the round trips of a stretch.
    pub(crate) fn meet(&mut self, stretch: &Stretch) {
        self.near.join(stretch.near);
        self.far.join(stretch.far);
        self.sent.join(stretch.sent);
        self.back.join(stretch.back);
    }

    /// True if lags measure delays.
    pub(crate) fn serves(&self) -> bool {
        self.serves
    }

    /// Notes whether lags measure delays.
    pub(crate) fn serve(&mut self, serves: bool) {
        self.serves = serves;
    }

    /// Lets the least lags rise by the time of a stretch, as clocks of crystals drift apart.
    pub(crate) fn drift(&mut self, stretch: &Stretch) {
        let drift = u32::try_from(stretch.nanos() / DRIFT).unwrap_or(u32::MAX);
        for range in [&mut self.sent, &mut self.back] {
            range.least = range.least.saturating_add(drift);
        }
    }

    /// Time that all data of a stretch waited before the capture point, in microseconds; none if the clock does not tell.
    pub(crate) fn waited(&self, stretch: &Stretch) -> Option<u32> {
        let known = self.serves && !stretch.sent.is_empty();
        known.then(|| stretch.sent.least.saturating_sub(self.sent.least))
    }

    /// Delays that queues add throughout a stretch, in each direction; none if clocks do not tell.
    pub(crate) fn queued(&self, stretch: &Stretch) -> Option<Queued> {
        let ways = [stretch.sent, stretch.back, stretch.near];
        if !self.serves || ways.iter().any(|way| way.is_empty()) {
            return None;
        }
        let above = |value: Range, base: Range| value.least.saturating_sub(base.least);
        let (before, back) = (above(stretch.sent, self.sent), above(stretch.back, self.back));
        let near = above(stretch.near, self.near);
        let short = self.is_short(self.far) || stretch.far.is_empty();
        let far = if short { 0 } else { above(stretch.far, self.far) };
        let after = near.saturating_sub(back);
        // A sender that has to wait answers late, too.
        let held = HELD.max(stretch.bursts.longest.saturating_mul(2));
        let onward = Some(far.saturating_sub(before)).filter(|onward| *onward >= held);
        Some(Queued { before, after, back: back.saturating_add(onward.unwrap_or(0)) })
    }

    /// Least round trips to the receiver and to the sender, those of `pending` included; in microseconds.
    pub(crate) fn base(&self, pending: &[Stretch]) -> [Option<u32>; 2] {
        let mut path = *self;
        pending.iter().for_each(|stretch| path.meet(stretch));
        [path.near, path.far].map(|range| (!range.is_empty()).then_some(range.least))
    }

    /// Least round trip to the receiver, in microseconds; zero if not known.
    pub(crate) fn near(&self) -> u32 {
        known(self.near)
    }

    /// Least round trip of the whole path, in microseconds; zero if not known.
    pub(crate) fn least(&self) -> u32 {
        let far = if self.far.is_empty() { self.side } else { self.far.least };
        known(self.near).saturating_add(far)
    }

    /// True if all of the path lies behind the capture point, so that data under way is seen exactly.
    pub(crate) fn is_behind(&self) -> bool {
        self.is_short(self.far) && (!self.far.is_empty() || self.side <= self.least() / NEAR)
    }

    /// True if round trips on both sides were measured in a stretch, or say nothing of the path.
    pub(crate) fn is_measured(&self, stretch: &Stretch) -> bool {
        let measured = |here: Range, all: Range| !here.is_empty() || self.is_short(all);
        measured(stretch.near, self.near) && measured(stretch.far, self.far)
    }

    /// Level of a stretch's least round trip above that of all, in microseconds.
    pub(crate) fn level(&self, stretch: &Stretch) -> u32 {
        if let Some(queued) = self.queued(stretch) {
            return queued.forth().saturating_add(queued.back);
        }
        self.above(stretch.near.least, stretch.far.least)
    }

    /// Mean of the least level and the greatest of a stretch, in microseconds.
    pub(crate) fn middle(&self, stretch: &Stretch) -> u32 {
        self.level(stretch).midpoint(self.above(stretch.near.most, stretch.far.most))
    }

    /// Mean of the least and the greatest whole round trip of a stretch, in microseconds; none without one.
    pub(crate) fn whole(&self, stretch: &Stretch) -> Option<u32> {
        let middle = |here: Range| here.least.midpoint(here.most);
        let known = !stretch.near.is_empty() && self.is_measured(stretch);
        let far = if self.is_short(self.far) { 0 } else { middle(stretch.far) };
        known.then(|| middle(stretch.near).saturating_add(far))
    }

    /// Level of round trips above the least ones.
    fn above(&self, near: u32, far: u32) -> u32 {
        let part = |value: u32, range: Range| match value == u32::MAX || self.is_short(range) {
            true => 0,
            false => value.saturating_sub(range.least),
        };
        part(near, self.near).saturating_add(part(far, self.far))
    }

    /// True if the round trip to an end says nothing of the path.
    fn is_short(&self, range: Range) -> bool {
        range.is_empty() || range.least < self.least() / NEAR
    }
}

fn known(range: Range) -> u32 {
    if range.is_empty() { 0 } else { range.least }
}
