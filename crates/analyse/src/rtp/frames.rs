//! Frames of a stream: packets with one timestamp (RFC 3550, 5.1), the last of which has the
//! marker in video (RFC 6184, 5.1, and other formats).

use airpath_base::{Duration, Time};
use serde::Serialize;

use crate::sketch::{Quartiles, Sketch};

/// Frames of which packets may still come.
const MOST_OPEN: usize = 4;

/// Frames of a stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frames {
    /// Timestamps with packets.
    pub count: u64,
    /// Frames in a second, from the first packet of the first to that of the last.
    pub rate_hz: Option<f64>,
    /// Frames without some of their packets, by sequence numbers and markers. Frames that are lost
    /// as a whole are not among `count`. The frames behind them count here, unless each frame has a
    /// packet of its own, as with audio.
    pub damaged: u64,
    /// Packets with the marker.
    pub markers: u64,
    /// Bytes of payload.
    pub size_bytes: Quartiles,
    /// From the first packet of a frame to the last (ms).
    pub spread_ms: Quartiles,
    /// The longest time from the end of one frame to the end of the next.
    pub longest_gap_s: f64,
}

/// Frames so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    open: Vec<Open>,
    /// The frame that was closed last.
    closed: Option<Open>,
    first: Option<Time>,
    count: u64,
    damaged: u64,
    markers: u64,
    /// True if a frame had more than one packet.
    several: bool,
    sizes: Sketch,
    spreads: Sketch,
    longest: Duration,
}

/// A packet of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) at: Time,
    /// Its sequence number, without wrapping.
    pub(super) number: u64,
    pub(super) timestamp: u32,
    pub(super) marker: bool,
    pub(super) bytes: u32,
}

/// A frame.
#[derive(Clone, Copy, Debug)]
struct Open {
    timestamp: u32,
    /// Times of the first and last packets of the frame.
    first: Time,
    last: Time,
    bytes: u64,
    packets: u64,
    /// Least and greatest sequence number.
    least: u64,
    most: u64,
    marked: bool,
    damaged: bool,
}

impl Counted {
    /// A packet.
    pub(super) fn packet(&mut self, packet: &Packet) {
        self.markers += u64::from(packet.marker);
        if let Some(open) = self.open.iter_mut().find(|open| open.timestamp == packet.timestamp) {
            return open.add(packet);
        }
        // A frame that is over.
        if self.closed.is_some_and(|closed| packet.number <= closed.most) {
            return;
        }
        if self.open.len() == MOST_OPEN {
            let first = self.open.remove(0);
            self.close(first);
        }
        let place = self.open.partition_point(|open| open.least < packet.number);
        self.open.reserve_exact(1);
        self.open.insert(place, Open::new(packet));
    }

    fn close(&mut self, mut frame: Open) {
        frame.damaged |= frame.packets < frame.most - frame.least + 1;
        self.first.get_or_insert(frame.first);
        if let Some(mut before) = self.closed {
            // Numbers between two frames belong to the one before if its end was not seen.
            let missing = frame.least > before.most + 1;
            let ended = before.marked || self.markers == 0;
            before.damaged |= missing && !ended;
            frame.damaged |= missing && ended;
            self.damaged += u64::from(before.damaged);
            self.longest = self.longest.max(frame.last.saturating_since(before.last));
        }
        self.count += 1;
        self.several |= frame.most > frame.least;
        self.sizes.add(frame.bytes);
        self.spreads.add(frame.last.saturating_since(frame.first).as_nanos());
        self.closed = Some(frame);
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        self.open.capacity() * size_of::<Open>() + self.sizes.heap() + self.spreads.heap()
    }

    /// Record of the frames; none without frames.
    pub(super) fn report(&self) -> Option<Frames> {
        let mut all = self.clone();
        for frame in std::mem::take(&mut all.open) {
            all.close(frame);
        }
        let (first, last) = (all.first?, all.closed?);
        let seconds = last.first.saturating_since(first).as_secs_f64();
        Some(Frames {
            count: all.count,
            rate_hz: (seconds > 0.0).then(|| (all.count - 1) as f64 / seconds),
            damaged: if all.several { all.damaged + u64::from(last.damaged) } else { 0 },
            markers: all.markers,
            size_bytes: all.sizes.quartiles(1.0)?,
            spread_ms: all.spreads.quartiles(1e6)?,
            longest_gap_s: all.longest.as_secs_f64(),
        })
    }
}

impl Open {
    fn new(packet: &Packet) -> Open {
        Open {
            timestamp: packet.timestamp,
            first: packet.at,
            last: packet.at,
            bytes: packet.bytes.into(),
            packets: 1,
            least: packet.number,
            most: packet.number,
            marked: packet.marker,
            damaged: false,
        }
    }

    fn add(&mut self, packet: &Packet) {
        self.last = self.last.max(packet.at);
        self.bytes += u64::from(packet.bytes);
        self.packets += 1;
        self.least = self.least.min(packet.number);
        self.most = self.most.max(packet.number);
        self.marked |= packet.marker;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of three packets of 100 bytes, 1 ms apart, a frame each 40 ms, without those
    /// packets that `lost` says.
    fn frames(count: u64, lost: &[u64]) -> Frames {
        let mut counted = Counted::default();
        for number in (0..3 * count).filter(|number| !lost.contains(number)) {
            let (frame, part) = (number / 3, number % 3);
            counted.packet(&Packet {
                at: Time::from_millis(40 * frame + part),
                number,
                timestamp: 3600 * frame as u32,
                marker: part == 2,
                bytes: 100,
            });
        }
        counted.report().unwrap()
    }

    #[test]
    fn whole_frames() {
        let frames = frames(26, &[]);
        assert_eq!((frames.count, frames.damaged, frames.markers), (26, 0, 26));
        assert_eq!((frames.rate_hz, frames.longest_gap_s), (Some(25.0), 0.04));
        assert_eq!((frames.size_bytes.p25, frames.size_bytes.p75), (300.0, 300.0));
        assert_eq!((frames.spread_ms.p50, frames.spread_ms.samples), (2.0, 26));
    }

    #[test]
    fn a_frame_that_lacks_packets_is_the_right_one() {
        // The first, the middle and the last packet of a frame; all of another.
        for lost in [[30], [31], [32]] {
            assert_eq!(frames(26, &lost).damaged, 1, "{lost:?}");
        }
        let gone = frames(26, &[33, 34, 35]);
        // The frame behind a frame that is gone looks as if its beginning were missing.
        assert_eq!((gone.count, gone.damaged, gone.longest_gap_s), (25, 1, 0.08));
    }

    /// Packets of one frame each, with these numbers in this order.
    fn audio(numbers: &[u64]) -> Frames {
        let mut counted = Counted::default();
        for (n, number) in numbers.iter().enumerate() {
            counted.packet(&Packet {
                at: Time::from_millis(20 * n as u64),
                number: *number,
                timestamp: 160 * *number as u32,
                marker: n == 0,
                bytes: 160,
            });
        }
        counted.report().unwrap()
    }

    #[test]
    fn frames_of_one_packet_are_lost_or_whole() {
        let frames = audio(&[0, 1, 3, 4, 5, 6, 7]);
        assert_eq!((frames.count, frames.damaged, frames.markers), (7, 0, 1));
        // Out of order, within what is open and behind it.
        assert_eq!((audio(&[0, 1, 3, 2, 4]).count, audio(&[0, 2, 3, 4, 5, 6, 7, 1]).count), (5, 7));
    }
}
