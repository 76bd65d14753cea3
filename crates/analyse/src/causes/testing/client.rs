//! Client of a [`Model`](super::Model): what arrives, the program that reads it, and ACKs.

use airpath_wire::SeqNumber;

use super::{Event, MS, MSS, Run, SHIFT};

impl Run {
    pub(super) fn arrives(&mut self, from: u64, to: u64, stamp: u64) {
        if from > self.got {
            self.beyond.insert((from, to));
        } else {
            self.got = self.got.max(to);
            while let Some(first) = self.beyond.first().copied().filter(|f| f.0 <= self.got) {
                self.beyond.remove(&first);
                self.got = self.got.max(first.1);
            }
        }
        self.answer(stamp);
    }

    /// Room in the client's buffer.
    fn room(&mut self) -> u64 {
        let (read, until) = self.read;
        let more = (self.now - until) as f64 / 1e3 * self.model.reads;
        self.read = ((read + more).min(self.got as f64), self.now);
        self.model.buffer.saturating_sub(self.got - self.read.0 as u64)
    }

    /// Time for which an ACK waits for the link on the way back, and takes on it.
    fn waits_back(&mut self) -> u64 {
        if self.model.back == 0.0 {
            return 0;
        }
        // An ACK with timestamps has 52 bytes.
        self.free_back = self.free_back.max(self.now) + (416.0 / self.model.back) as u64;
        self.free_back - self.now
    }

    fn answer(&mut self, echo: u64) {
        let room = self.room();
        // No small steps of the window (RFC 9293, 3.8.6.2.2).
        if self.got + room >= self.told + (2 * MSS).min(self.model.buffer / 2) {
            self.told = self.got + room;
        }
        let mut segment = self.said(1 + self.got, self.told);
        if let Some((from, to)) = self.beyond.last() {
            segment.sack.push(SeqNumber(1 + *from as u32), SeqNumber(1 + *to as u32));
        }
        let back = self.model.rtt - self.model.rtt / 2;
        let here = ((1.0 - self.model.place) * back as f64) as i64;
        let wait = self.waits_back();
        self.frame((self.now + wait) as i64 + here, false, segment, self.now, echo);
        let edge = self.got + (u64::from(segment.window) << SHIFT);
        let (stamp, beyond) = (self.now, self.beyond.iter().map(|(from, to)| to - from).sum());
        self.plan(self.now + wait + back, Event::Ack { ack: self.got, edge, stamp, beyond });
    }

    pub(super) fn read(&mut self) {
        let room = self.room();
        let closed = self.told < self.got + MSS;
        if closed && room >= 2 * MSS && self.got > 0 {
            self.answer(self.now);
        }
        if self.now < self.model.until {
            self.plan(self.now + 10 * MS, Event::Read);
        }
    }
}
