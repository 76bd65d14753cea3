//! The time of the capture, as its packets tell it.
//!
//! Flows and hosts are over when nothing came for long. So one packet with a wrong time must
//! not make it late for all others: a leap counts once the next packet agrees.

use airpath_base::{Duration, Time};

use crate::input::Frame;

/// A packet that is later than the one before by so much, or more, has to be confirmed; less
/// than that ends nothing.
const LEAP: Duration = Duration::from_secs(60);

/// The time of a capture.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// The latest time, in nanoseconds; after a leap back, the time since then.
    now: u64,
    /// A packet that is later by less than this is taken as it comes.
    regular: u64,
    /// True if any packet came.
    begun: bool,
    held: Option<Held>,
    backwards: Backwards,
}

/// A frame that is not taken yet, since its time may be wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    frame: Frame<'static>,
    /// Offset of the bytes in their chunk.
    start: usize,
    len: usize,
}

/// Number of times that time ran backwards in a file, with the first offset and the greatest
/// amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backwards {
    pub(crate) count: u64,
    pub(crate) offset: u64,
    pub(crate) most: Duration,
}

/// Treatment of a frame whose time is not that of the one before, or a little later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It counts now.
    Now,
    /// It has to be confirmed by the next.
    Held,
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline {
            now: 0,
            regular: LEAP.as_nanos(),
            begun: false,
            held: None,
            backwards: Backwards::default(),
        }
    }
}

impl Timeline {
    /// Goes on to the time of a frame, if that is not much later than the one before, and no frame
    /// is held. Otherwise it does nothing.
    #[inline(always)]
    pub(crate) fn goes_on(&mut self, at: Time) -> bool {
        // An earlier time appears as a very much later one in this difference.
        let regular = at.as_nanos().wrapping_sub(self.now) < self.regular;
        if regular {
            (self.now, self.begun) = (at.as_nanos(), true);
        }
        regular
    }

    /// The time.
    #[inline]
    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.now)
    }

    /// Treatment of a frame in `chunk` with which time does not go on, while none is held.
    pub(crate) fn place(&mut self, frame: &Frame<'_>, chunk: &[u8]) -> Place {
        if frame.at.as_nanos() > self.now {
            let start = frame.bytes.as_ptr().addr() - chunk.as_ptr().addr();
            let held = Frame { bytes: &[], ..*frame };
            self.held = Some(Held { frame: held, start, len: frame.bytes.len() });
            self.regular = 0;
            return Place::Held;
        }
        let back = self.now().saturating_since(frame.at);
        if self.backwards.count == 0 {
            self.backwards.offset = frame.offset;
        }
        self.backwards.count += 1;
        self.backwards.most = self.backwards.most.max(back);
        if back >= LEAP {
            self.now = frame.at.as_nanos();
        }
        Place::Now
    }

    /// The frame that was held, with the time at which it counts, and the error of its own time. It
    /// is called when the time of the next frame is known, or when there is none.
    pub(crate) fn release<'a>(
        &mut self,
        next: Option<Time>,
        chunk: &'a [u8],
    ) -> Option<(Frame<'a>, Option<Duration>)> {
        let Held { frame, start, len } = self.held.take()?;
        self.regular = LEAP.as_nanos();
        let alone = next.filter(|next| frame.at.saturating_since(*next) >= LEAP);
        let at = match alone {
            None => frame.at,
            Some(_) if self.begun => self.now(),
            Some(next) => next,
        };
        (self.now, self.begun) = (at.as_nanos(), true);
        let wrong = alone.map(|_| frame.at.saturating_since(at));
        Some((Frame { at, bytes: &chunk[start..start + len], ..frame }, wrong))
    }

    /// Backward steps of time since the last call.
    pub(crate) fn take_backwards(&mut self) -> Backwards {
        std::mem::take(&mut self.backwards)
    }
}

#[cfg(test)]
#[path = "timeline_tests.rs"]
mod tests;
