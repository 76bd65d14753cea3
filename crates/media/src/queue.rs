//! The RTP queue: packets that the encoder has made and the sender has not sent yet.

use std::collections::VecDeque;

use crate::ticks::{TICK, Ticks};

/// A packet that waits, or is to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaPacket {
    /// Bytes with the RTP header, without UDP and IP.
    pub size: u32,
    /// RTP sequence number.
    pub seq: u16,
    /// RTP timestamp.
    pub timestamp: u32,
    /// True if the packet ends its frame.
    pub marker: bool,
    /// Number of the frame, as the encoder counts.
    pub frame: u64,
    /// True if it repeats media as padding (RFC 4588). Its number is one of the padding's own stream.
    pub padding: bool,
}

#[derive(Debug)]
pub(crate) struct RtpQueue<T = Ticks> {
    /// Packets with the time at which they were made.
    packets: VecDeque<(T, MediaPacket)>,
    bytes: u64,
}

impl<T> Default for RtpQueue<T> {
    fn default() -> RtpQueue<T> {
        RtpQueue { packets: VecDeque::new(), bytes: 0 }
    }
}

impl<T> RtpQueue<T> {
    pub fn push(&mut self, now: T, packet: MediaPacket) {
        self.bytes += u64::from(packet.size);
        self.packets.push_back((now, packet));
    }

    pub fn pop(&mut self) -> Option<MediaPacket> {
        let (_, packet) = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// Throws everything away; says how many packets.
    pub fn clear(&mut self) -> usize {
        let count = self.packets.len();
        self.packets.clear();
        self.bytes = 0;
        count
    }

    pub fn next_size(&self) -> Option<u32> {
        self.packets.front().map(|(_, packet)| packet.size)
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn len(&self) -> usize {
        self.packets.len()
    }
}

impl RtpQueue {
    /// Wait of the first packet in seconds; zero of an empty queue.
    pub fn delay(&self, now: Ticks) -> f64 {
        self.packets.front().map_or(0.0, |(since, _)| now.saturating_sub(*since) as f64 * TICK)
    }

    /// Bytes of the newest frame that still wait.
    pub fn last_frame_bytes(&self) -> u64 {
        let Some(newest) = self.packets.back().map(|(_, packet)| packet.frame) else { return 0 };
        let of_it = self.packets.iter().rev().take_while(|(_, packet)| packet.frame == newest);
        of_it.map(|(_, packet)| u64::from(packet.size)).sum()
    }
}
