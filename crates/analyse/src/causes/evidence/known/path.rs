//! Path of a direction: round trips on both sides of the capture point.

use crate::causes::stretch::{Range, Stretch};

/// Least part of the whole round trip, as its inverse, that says something of the path. A lesser round trip to an
/// end says how fast that end answers.
const NEAR: u32 = 10;

/// Round trips to the receiver and to the sender, over all stretches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Path {
    near: Range,
    far: Range,
}

impl Path {
    /// Adds the round trips of a stretch.
    pub(crate) fn meet(&mut self, stretch: &Stretch) {
        self.near.join(stretch.near);
        self.far.join(stretch.far);
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
        known(self.near).saturating_add(known(self.far))
    }

    /// True if all of the path lies behind the capture point, so that data under way is seen exactly.
    pub(crate) fn is_behind(&self) -> bool {
        self.is_short(self.far)
    }

    /// True if round trips on both sides were measured in a stretch, or say nothing of the path.
    pub(crate) fn is_measured(&self, stretch: &Stretch) -> bool {
        let measured = |here: Range, all: Range| !here.is_empty() || self.is_short(all);
        measured(stretch.near, self.near) && measured(stretch.far, self.far)
    }

    /// Level of a stretch's least round trip above that of all, in microseconds.
    pub(crate) fn level(&self, stretch: &Stretch) -> u32 {
        self.above(stretch.near.least, stretch.far.least)
    }

    /// Mean of the least level and the greatest of a stretch, in microseconds.
    pub(crate) fn middle(&self, stretch: &Stretch) -> u32 {
        self.level(stretch).midpoint(self.above(stretch.near.most, stretch.far.most))
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
