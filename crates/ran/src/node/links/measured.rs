//! TTIs in which links are measured.

use airpath_net::Direction;

use super::Links;
use crate::index::UeIndex;

/// Reports of which one has a lesson for the prediction, where reports are made on trial.
pub(in crate::node) const LESSON: u64 = 4;

impl Links {
    /// TTIs from the oldest that may still be measured to a decision.
    pub fn memory(&self) -> u64 {
        self.delay + (1 + u64::from(self.reports.interference)) * self.period
    }

    /// True if reports have the mean interference of several TTIs.
    pub fn averages_interference(&self) -> bool {
        self.reports.interference > 1
    }

    /// TTIs before `measured` whose interference counts in its report too.
    pub fn also_measured(&self, measured: u64) -> impl Iterator<Item = u64> + use<> {
        let (period, count) = (self.period, u64::from(self.reports.interference));
        (1..count).map_while(move |n| measured.checked_sub(n * period))
    }

    /// The TTI that is to be measured for a decision in TTI `tti`, if its report is not there yet.
    /// The UEs of a cell report at different times.
    #[inline]
    pub fn due(&self, direction: Direction, ue: UeIndex, tti: u64) -> Option<u64> {
        let quality = &self.quality[direction as usize][ue.index()];
        if !quality.measured {
            return None;
        }
        let phase = quality.number % self.period;
        let since = tti.checked_sub(self.delay + phase)?;
        let measured = since - since % self.period + phase;
        (quality.tti != Some(measured)).then_some(measured)
    }

    /// The TTI a period before `due` that is to be measured too, so that the prediction learns from
    /// two reports that follow each other. One of [`LESSON`] reports has such a lesson. Link and
    /// period decide which.
    pub fn lesson(&self, direction: Direction, ue: UeIndex, due: u64) -> Option<u64> {
        let quality = &self.quality[direction as usize][ue.index()];
        let before = due.checked_sub(self.period).filter(|before| quality.tti < Some(*before))?;
        let draw = self.lessons.bits([quality.number, direction as u64, due / self.period]);
        draw.is_multiple_of(LESSON).then_some(before)
    }
}
