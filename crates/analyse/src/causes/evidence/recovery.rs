//! Recovery from losses, and the retransmission timer's part in it.

use airpath_base::Time;

use crate::causes::stretch::mark;
use crate::sequence::after;

/// Recovery from losses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Recovery {
    /// Number whose acknowledgement ends what the timer began.
    until: Option<u32>,
    /// Timestamp of the first segment that the timer sent since the last ACK of new data.
    stamp: Option<u32>,
    /// Number of times that the timer struck since the last ACK of new data.
    unanswered: u32,
    /// True if the timer struck for the first data behind a pause.
    waking: bool,
    /// Begin of a pause, and time of a full segment that ended the pause, before the next segment.
    alone: Option<(Time, Time)>,
    /// Marks of the present stretch.
    marks: u8,
}

impl Recovery {
    /// True until all is acknowledged that the timer made the sender send again.
    pub(crate) fn is_by_timer(&self) -> bool {
        self.until.is_some()
    }

    /// Number of times that the timer struck since the last ACK of new data.
    pub(crate) fn unanswered(&self) -> u32 {
        self.unanswered
    }

    /// The timer struck, with data sent up to `next`. It sent a segment with this timestamp.
    pub(crate) fn strike(&mut self, next: u32, stamp: Option<u32>, waking: bool) {
        if self.unanswered == 0 {
            (self.stamp, self.waking) = (stamp, waking);
        }
        self.until = Some(next);
        self.unanswered += 1;
    }

    /// Something was lost.
    pub(crate) fn lost(&mut self) {
        self.marks |= mark::LOST | self.timer();
    }

    /// Something was lost that the timer sent again.
    pub(crate) fn lost_by_timer(&mut self) {
        self.marks |= mark::LOST | mark::TIMER;
    }

    /// An ACK passes while a loss is being repaired.
    pub(crate) fn repairs(&mut self) {
        self.marks |= mark::REPAIR;
    }

    /// The receiver reports congestion marks.
    pub(crate) fn marked(&mut self) {
        self.marks |= mark::MARKED;
    }

    /// Remembers a segment that ended a pause, or none.
    pub(crate) fn wait_behind(&mut self, alone: Option<(Time, Time)>) {
        self.alone = alone;
    }

    /// Begin of the pause and time of the segment that ended it, once for the next segment.
    pub(crate) fn take_alone(&mut self) -> Option<(Time, Time)> {
        self.alone.take()
    }

    /// The first answer since the timer struck has this echo. If it answers what had been sent before (RFC 3522),
    /// the timer struck in vain. Gives how often, and whether for the first data behind a pause.
    pub(crate) fn in_vain(&mut self, echo: Option<u32>) -> Option<(u32, bool)> {
        let (value, echo) = self.stamp.take().zip(echo)?;
        after(value, echo).then_some((self.unanswered, self.waking))
    }

    /// Nothing was lost after all.
    pub(crate) fn forgive(&mut self) {
        self.until = None;
        self.marks &= !(mark::TIMER | mark::LOST);
    }

    /// New data up to `una` is acknowledged.
    #[inline]
    pub(crate) fn answered(&mut self, una: u32) {
        self.unanswered = 0;
        self.until = self.until.filter(|end| after(*end, una));
    }

    /// Ends a stretch: its marks. The next one begins with the timer's, if that goes on.
    pub(crate) fn cut(&mut self) -> u8 {
        let timer = self.timer();
        std::mem::replace(&mut self.marks, timer)
    }

    fn timer(&self) -> u8 {
        if self.is_by_timer() { mark::TIMER } else { 0 }
    }
}
