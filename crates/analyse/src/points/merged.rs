//! The packets of two points in the order of one clock.

use super::clocks::Clocks;
use super::feed::{Feed, Passed, Sizes};
use super::{Pair, PointsError};

/// Reads two points at once.
pub(super) struct Merged<'a> {
    feeds: Vec<Feed<'a>>,
    heads: [Option<Passed>; 2],
    /// Interfaces that are the points, if there is one capture.
    interfaces: Option<[u32; 2]>,
    clocks: Clocks,
    sizes: Sizes,
}

/// A packet, the point that it passed, and when by the first point's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) passed: Passed,
    pub(super) point: usize,
    pub(super) at: i64,
}

impl<'a> Merged<'a> {
    /// Begins to read; `clocks` says how the second point's stamps are to be taken.
    pub(super) fn open(
        pair: &Pair<'a>,
        interfaces: Option<[u32; 2]>,
        clocks: Clocks,
    ) -> Result<Merged<'a>, PointsError> {
        let feeds: Result<Vec<Feed<'a>>, PointsError> =
            pair.captures().into_iter().map(super::feed).collect();
        let (feeds, sizes) = (feeds?, Sizes::default());
        let mut merged = Merged { feeds, heads: [None, None], interfaces, clocks, sizes };
        if merged.interfaces.is_none() {
            merged.heads = [0, 1].map(|n| merged.feeds[n].next(&mut merged.sizes));
        }
        Ok(merged)
    }

    /// The next packet.
    pub(super) fn next(&mut self) -> Option<Placed> {
        match self.interfaces {
            Some(interfaces) => self.of_one(interfaces),
            None => self.of_two(),
        }
    }

    fn of_one(&mut self, interfaces: [u32; 2]) -> Option<Placed> {
        loop {
            let passed = self.feeds[0].next(&mut self.sizes)?;
            let point = interfaces.iter().position(|own| *own == passed.interface);
            if let Some(point) = point {
                return Some(Placed { passed, point, at: passed.at });
            }
        }
    }

    fn of_two(&mut self) -> Option<Placed> {
        let times = [
            self.heads[0].map(|passed| passed.at),
            self.heads[1].map(|passed| self.clocks.to_first(passed.at)),
        ];
        let point = match times {
            [Some(first), Some(second)] => usize::from(second < first),
            [Some(_), None] => 0,
            _ => 1,
        };
        let (at, passed) = (times[point]?, self.heads[point].take()?);
        self.heads[point] = self.feeds[point].next(&mut self.sizes);
        Some(Placed { passed, point, at })
    }
}
