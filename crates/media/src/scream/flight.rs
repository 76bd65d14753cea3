//! Packets between their transmission and their fate.
//!
//! A packet leaves the flight when the highest sequence number acknowledged has passed
//! it, acknowledged itself or not, as with TCP's SACK (RFC 8298, 4.1.2). It is lost when
//! it is not acknowledged although a packet is that was sent a reordering margin later.
//! A gap in the sequence numbers, as a cleared RTP queue leaves it, is no loss: only what
//! was sent can be lost.

use std::collections::{BTreeSet, VecDeque};

use crate::ticks::Ticks;

/// Packets kept at most; the oldest is given up beyond.
const MOST: usize = 4096;

#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// Sequence number, extended so that it does not wrap.
    seq: u64,
    pub time: Ticks,
    pub size: u32,
    pub marker: bool,
    timestamp: u32,
    acked: bool,
    /// At or below the highest sequence number acknowledged, thus no more in flight.
    passed: bool,
    /// True if the packet's fate is open.
    open: bool,
}

/// Rule by which a packet counts as lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct LossRule {
    /// Least time by which the acknowledged packet was sent later than a lost one.
    pub reordering: Ticks,
    /// Number of packets behind the highest acknowledged that are looked at.
    pub window: u64,
    /// Of those that fall out of that window so many at once count as lost at most.
    pub beyond: u64,
    /// True if the time from frame to frame is subtracted, by the RTP timestamps (90 kHz). Packets
    /// of different frames are sent that far apart by nature.
    pub by_frame: bool,
}

/// Result of a higher acknowledged sequence number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Passed {
    /// Bytes that left the flight.
    pub bytes: u64,
    /// Fates of packets, in their order.
    pub fates: Vec<Fate>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Acked,
    Lost,
}

impl Passed {
    pub fn lost_packets(&self) -> u64 {
        self.fates.iter().filter(|fate| **fate == Fate::Lost).count() as u64
    }
}

#[derive(Debug, Default)]
pub(super) struct Flight {
    sent: VecDeque<Sent>,
    /// Extended sequence number of the newest packet.
    newest: Option<u64>,
    /// Highest one acknowledged.
    highest: Option<u64>,
    /// Sending time of the packet acknowledged last.
    acked_time: Option<Ticks>,
    /// Newest RTP timestamp acknowledged.
    acked_timestamp: Option<u32>,
    bytes: u64,
    /// Packets that count as lost and have not been acknowledged since.
    lost: BTreeSet<u64>,
    lost_arrived: u64,
}

impl Flight {
    /// Bytes in flight.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Packets that were acknowledged after they had counted as lost.
    pub fn lost_arrived(&self) -> u64 {
        self.lost_arrived
    }

    /// Forgets everything: nobody answers.
    pub fn clear(&mut self) {
        self.sent.clear();
        self.bytes = 0;
    }

    pub fn add(&mut self, time: Ticks, size: u32, seq: u16, timestamp: u32, marker: bool) {
        // The newest is ahead of the one before by what 16 bits can tell.
        let seq = match self.newest {
            Some(newest) => newest + u64::from(seq.wrapping_sub(newest as u16)),
            None => u64::from(seq) + 65_536,
        };
        if self.sent.back().is_some_and(|last| last.seq >= seq) {
            return; // the same number once more: the caller's mistake
        }
        if self.sent.len() == MOST {
            let oldest = self.sent.pop_front().filter(|oldest| !oldest.passed);
            self.bytes -= oldest.map_or(0, |oldest| u64::from(oldest.size));
        }
        self.newest = Some(seq);
        self.bytes += u64::from(size);
        let (acked, passed, open) = (false, false, true);
        self.sent.push_back(Sent { seq, time, size, marker, timestamp, acked, passed, open });
    }

    /// The extended number of `seq` as a packet that has been sent.
    pub fn extended(&self, seq: u16) -> Option<u64> {
        let newest = self.newest?;
        Some(newest - u64::from((newest as u16).wrapping_sub(seq)))
    }

    /// Distance from `seq` to the highest acknowledged number.
    pub fn behind(&self, seq: u64) -> u64 {
        self.highest.map_or(0, |highest| highest.saturating_sub(seq))
    }

    /// Acknowledges a packet; gives it if that is news.
    pub fn ack(&mut self, seq: u64) -> Option<Sent> {
        self.lost_arrived += u64::from(self.lost.remove(&seq));
        let at = self.sent.partition_point(|sent| sent.seq < seq);
        let sent = self.sent.get_mut(at).filter(|sent| sent.seq == seq)?;
        if sent.acked || !sent.open {
            return None;
        }
        sent.acked = true;
        let newer = |known: u32| sent.timestamp.wrapping_sub(known) < 1 << 31;
        if self.acked_timestamp.is_none_or(newer) {
            self.acked_timestamp = Some(sent.timestamp);
        }
        self.acked_time = Some(sent.time);
        Some(*sent)
    }

    /// `highest` has been acknowledged: what lies below leaves the flight, and some of
    /// it is lost.
    pub fn pass(&mut self, highest: u64, rule: LossRule) -> Passed {
        let (first, beyond) = self.highest.map_or((0, 0), |before| {
            let first = before.saturating_sub(rule.window);
            // Numbers that go back count as a wide step, as in the reference code.
            let step = highest.checked_sub(before).unwrap_or(rule.beyond);
            (first, first.saturating_sub(step.min(rule.beyond)))
        });
        self.highest = Some(highest);
        let (acked_time, acked_timestamp) = (self.acked_time, self.acked_timestamp);
        let mut passed = Passed::default();
        let start = self.sent.partition_point(|sent| sent.seq < beyond);
        for sent in self.sent.range_mut(start..).take_while(|sent| sent.seq <= highest) {
            if !sent.passed {
                sent.passed = true;
                passed.bytes += u64::from(sent.size);
            }
            let inside = sent.seq >= first;
            let lost = !inside || is_late(sent, rule, acked_time, acked_timestamp);
            if sent.open && !sent.acked && lost {
                passed.fates.push(Fate::Lost);
                self.lost.insert(sent.seq);
            } else if sent.open && sent.acked && inside {
                passed.fates.push(Fate::Acked);
            }
            sent.open &= !sent.acked && !lost;
        }
        while self.sent.front().is_some_and(|sent| !sent.open) {
            self.sent.pop_front();
        }
        while self.lost.len() > MOST {
            self.lost.pop_first();
        }
        self.bytes = self.bytes.saturating_sub(passed.bytes);
        passed
    }
}

/// True if a packet was sent so long before the one acknowledged last that it is lost.
fn is_late(
    sent: &Sent,
    rule: LossRule,
    acked_time: Option<Ticks>,
    acked_timestamp: Option<u32>,
) -> bool {
    let frames = match acked_timestamp.filter(|_| rule.by_frame) {
        Some(newest) => match newest.wrapping_sub(sent.timestamp) {
            ahead if ahead < 1 << 31 => u64::from(ahead) * 65_536 / 90_000,
            _ => return false, // of a frame newer than any acknowledged
        },
        None => 0,
    };
    acked_time.is_some_and(|acked| sent.time + rule.reordering + frames < acked)
}

#[cfg(test)]
#[path = "flight_tests.rs"]
mod tests;
