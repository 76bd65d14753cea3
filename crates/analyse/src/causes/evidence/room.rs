//! Room in the receiver's window, as the sender knows it.

use airpath_base::Time;

use super::scale::Scale;
use crate::causes::stretch::mark;

/// Room in the receive window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Right edge of the window; none before it is known.
    edge: Option<u32>,
    /// Begin of the time without room for a segment; zero if there is room.
    full_since: Time,
    /// Nanoseconds of the present stretch without room, up to `full_since`.
    full: u64,
    /// True if the window's scale was not announced, and what the sender shows of it.
    unscaled: bool,
    scale: Scale,
    /// Marks of the present stretch.
    marks: u8,
}

impl Room {
    /// Before the window is known.
    pub(crate) fn new() -> Room {
        Room {
            edge: None,
            full_since: Time::ZERO,
            full: 0,
            unscaled: false,
            scale: Scale::default(),
            marks: 0,
        }
    }

    /// True if the window's scale is not known.
    pub(crate) fn is_unscaled(&self) -> bool {
        self.unscaled
    }

    /// An ACK passes whose window's scale is known, or not.
    pub(crate) fn scaled(&mut self, known: bool) {
        self.unscaled = !known;
    }

    /// The sender learns the edge of the window, or that the window is closed at `una`; `window` is that of the header.
    #[inline]
    pub(crate) fn announce(&mut self, edge: Option<u32>, closed: bool, una: u32, window: u16) {
        let shown = if edge.is_none() { self.scale.announce(una, window) } else { None };
        self.edge = edge.or(if closed { Some(una) } else { shown });
        if closed {
            self.marks |= mark::CLOSED;
        }
    }

    /// True if the window has room for `bytes` behind `next`, or is not known.
    pub(crate) fn holds(&self, next: u32, bytes: u32) -> bool {
        self.edge.is_none_or(|edge| edge.wrapping_sub(next) as i32 >= bytes as i32)
    }

    /// The sender has sent up to `next` in a stretch since `from`, the last segment being `full` or not. Gives false if
    /// that leaves no room for a segment of `mss` bytes.
    #[inline]
    pub(crate) fn sent(
        &mut self,
        at: Time,
        from: Time,
        (next, mss): (u32, u32),
        full: bool,
    ) -> bool {
        if self.unscaled {
            self.scale.sent(next, mss, full);
        }
        let room = self.holds(next, mss);
        if !room {
            self.marks |= mark::EDGE;
        }
        self.bounded(at, from, room);
        room
    }

    /// The window has room from now on, or not, in a stretch since `from`.
    #[inline]
    pub(crate) fn bounded(&mut self, at: Time, from: Time, room: bool) {
        match (self.full_since > Time::ZERO, room) {
            (true, true) => {
                self.full += at.saturating_since(self.full_since.max(from)).as_nanos();
                self.full_since = Time::ZERO;
            }
            (false, false) => self.full_since = at,
            _ => {}
        }
    }

    /// Ends a stretch: nanoseconds without room, and marks. `edge` says that the next begins at the edge.
    pub(crate) fn cut(&mut self, from: Time, to: Time, edge: bool) -> (u64, u8) {
        if self.full_since > Time::ZERO {
            self.full += to.saturating_since(self.full_since.max(from)).as_nanos();
        }
        self.scale.cut();
        let marks = std::mem::replace(&mut self.marks, if edge { mark::EDGE } else { 0 });
        (std::mem::take(&mut self.full), marks)
    }
}
