//! Putting fragments of IP packets together.
//!
//! A packet is there when every byte of it has come; it counts at the time of the
//! fragment that completed it. Where captured fragments were cut short, what is kept of
//! the packet ends at the first byte that is missing. Waiting packets are bounded in
//! number, size and time.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_wire::{Ecn, Fragment, IpRepr, ParseError, Tuple};

/// Packets that wait for more fragments.
const MOST_WAITING: usize = 512;
/// Longest payload of an IP packet.
const LONGEST: u32 = 65_535;
/// Time for which fragments wait (RFC 8200, 4.5, has 60 s; RFC 1122, 3.3.2, 60 to 120 s).
const PATIENCE: Duration = Duration::from_secs(60);

/// Common fields of the fragments of a packet; ports are zero in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) tuple: Tuple,
    pub(crate) id: u32,
}

/// A packet's payload, put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    /// Its length.
    pub(crate) len: u32,
    /// Its beginning, as far as it was captured.
    pub(crate) bytes: Vec<u8>,
    /// The lengths of all frames that it came in.
    pub(crate) frames_len: u32,
    /// Congestion experienced, if any of its fragments is so marked (RFC 3168, 5.3).
    pub(crate) ecn: Ecn,
}

/// Packets of which fragments have come.
#[derive(Debug, Default)]
pub(crate) struct Fragments {
    waiting: VecDeque<Waiting>,
    orphans: u64,
}

#[derive(Debug)]
struct Waiting {
    place: Place,
    since: Time,
    /// Received spans, from and to, in order and apart from each other.
    spans: Vec<(u32, u32)>,
    /// Offset of the first byte that came, but was not captured.
    captured: u32,
    len: Option<u32>,
    bytes: Vec<u8>,
    frames_len: u32,
    ecn: Ecn,
    fragments: u64,
}

impl Fragments {
    /// Takes a fragment with what was captured of its payload; gives the packet if it
    /// was the last one missing.
    ///
    /// # Errors
    ///
    /// If no packet has such a part.
    pub(crate) fn add(
        &mut self,
        place: Place,
        part: Fragment,
        ip: &IpRepr,
        payload: &[u8],
        at: Time,
        frame_len: u32,
    ) -> Result<Option<Whole>, ParseError> {
        let end = part.offset + ip.payload_len;
        if end > LONGEST || ip.payload_len == 0 || part.more && !ip.payload_len.is_multiple_of(8) {
            return Err(ParseError::Malformed);
        }
        self.expire(at);
        let known = self.waiting.iter().position(|w| w.place == place);
        let index = known.unwrap_or_else(|| self.begin(place, at));
        let waiting = &mut self.waiting[index];
        waiting.frames_len = waiting.frames_len.saturating_add(frame_len);
        waiting.fragments += 1;
        if waiting.ecn != Ecn::Ce {
            waiting.ecn = ip.ecn;
        }
        if !part.more {
            waiting.len = Some(end);
        }
        waiting.copy(part.offset, end, payload);
        waiting.cover(part.offset, end);
        let done =
            waiting.len.is_some_and(|len| matches!(waiting.spans[..], [(0, to)] if to >= len));
        if !done {
            return Ok(None);
        }
        Ok(self.waiting.remove(index).map(Waiting::whole))
    }

    /// Number of fragments that never found the rest of their packet.
    pub(crate) fn orphans(&self) -> u64 {
        self.orphans + self.waiting.iter().map(|w| w.fragments).sum::<u64>()
    }

    fn begin(&mut self, place: Place, since: Time) -> usize {
        if self.waiting.len() >= MOST_WAITING {
            self.give_up();
        }
        self.waiting.push_back(Waiting {
            place,
            since,
            spans: Vec::new(),
            captured: LONGEST,
            len: None,
            bytes: Vec::new(),
            frames_len: 0,
            ecn: Ecn::NotEct,
            fragments: 0,
        });
        self.waiting.len() - 1
    }

    fn expire(&mut self, now: Time) {
        while let Some(first) = self.waiting.front() {
            if now.saturating_since(first.since) <= PATIENCE {
                return;
            }
            self.give_up();
        }
    }

    fn give_up(&mut self) {
        self.orphans += self.waiting.pop_front().map_or(0, |w| w.fragments);
    }
}

impl Waiting {
    fn copy(&mut self, from: u32, end: u32, payload: &[u8]) {
        let (start, to) = (from as usize, from as usize + payload.len());
        if (to as u32) < end {
            self.captured = self.captured.min(to as u32);
        }
        if self.bytes.len() < to {
            self.bytes.resize(to, 0);
        }
        self.bytes[start..to].copy_from_slice(payload);
    }

    fn cover(&mut self, mut from: u32, mut to: u32) {
        let first = self.spans.partition_point(|span| span.1 < from);
        let behind = self.spans.partition_point(|span| span.0 <= to);
        if let (Some(a), Some(b)) = (self.spans.get(first), self.spans[..behind].last())
            && first < behind
        {
            (from, to) = (from.min(a.0), to.max(b.1));
        }
        self.spans.splice(first..behind.max(first), [(from, to)]);
    }

    fn whole(mut self) -> Whole {
        let len = self.len.unwrap_or_default();
        self.bytes.truncate(len.min(self.captured) as usize);
        Whole { len, bytes: self.bytes, frames_len: self.frames_len, ecn: self.ecn }
    }
}

#[cfg(test)]
#[path = "fragments_tests.rs"]
mod tests;
