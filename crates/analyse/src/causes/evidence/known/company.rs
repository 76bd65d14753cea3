//! Company of a flow: what other flows of the client's host carry in the same direction.
//!
//! A host's flows pass its access link, so that they share a queue there. Rubenstein, Kurose and Towsley (SIGMETRICS 2000)
//! find such flows by delays that rise together.

use crate::causes::stretch::Stretch;

/// Least part of all bytes, as its inverse, with which others are company.
const PART: u64 = 5;

/// Bytes of the last round trips, older ones with less weight.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Company {
    own: u64,
    others: u64,
}

impl Company {
    /// Adds a round trip.
    pub(crate) fn meet(&mut self, stretch: &Stretch) {
        self.own = self.own / 4 * 3 + u64::from(stretch.delivered);
        self.others = self.others / 4 * 3 + u64::from(stretch.others);
    }

    /// True if others carry a part that counts.
    pub(crate) fn counts(&self) -> bool {
        self.others > 0 && PART * self.others >= self.own + self.others
    }
}
