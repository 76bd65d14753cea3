//! Slowdown of a sender: what made its window smaller last.

use crate::causes::stretch::{Stretch, mark};

/// Reason for which the window became smaller last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Slowdown {
    /// Neither losses nor marks were seen.
    #[default]
    None,
    /// A mark of a link that was full.
    Mark,
    /// A loss.
    Loss,
}

impl Slowdown {
    /// Adds a round trip.
    pub(crate) fn meet(&mut self, stretch: &Stretch) {
        if stretch.has(mark::MARKED) {
            *self = Slowdown::Mark;
        } else if stretch.has(mark::LOST) {
            *self = Slowdown::Loss;
        }
    }
}
