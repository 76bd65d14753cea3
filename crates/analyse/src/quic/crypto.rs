//! Bytes of the client's handshake, put together from CRYPTO frames in any order
//! (RFC 9000, 19.6). Clients scatter their first message over frames and packets.

use crate::names::{Said, hello};

/// Longest message that is put together (bytes).
const LONGEST: usize = 8 << 10;
/// Runs of bytes with gaps between them.
const MOST_RUNS: usize = 64;

/// The first message in the course of being put together.
#[derive(Debug, Default)]
pub(super) struct Crypto {
    bytes: Vec<u8>,
    /// Begins and ends of the present runs, in order.
    runs: Vec<(u16, u16)>,
}

impl Crypto {
    /// A frame.
    pub(super) fn add(&mut self, offset: u64, data: &[u8]) {
        let begin = usize::try_from(offset).unwrap_or(LONGEST).min(LONGEST);
        let end = begin + data.len().min(LONGEST - begin);
        if begin == end || !self.book(begin as u16, end as u16) {
            return;
        }
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[begin..end].copy_from_slice(&data[..end - begin]);
    }

    /// Notes a run, joined with those that it touches; false if there are too many.
    fn book(&mut self, begin: u16, end: u16) -> bool {
        let from = self.runs.partition_point(|run| run.1 < begin);
        let to = self.runs.partition_point(|run| run.0 <= end);
        if from == to {
            let room = self.runs.len() < MOST_RUNS;
            if room {
                self.runs.insert(from, (begin, end));
            }
            return room;
        }
        let joined = (begin.min(self.runs[from].0), end.max(self.runs[to - 1].1));
        self.runs.splice(from..to, [joined]);
        true
    }

    /// Bytes up to the first gap.
    fn beginning(&self) -> &[u8] {
        match self.runs.first() {
            Some((0, end)) => &self.bytes[..usize::from(*end)],
            _ => &[],
        }
    }

    /// True if the message is complete, or as much as is kept of it.
    pub(super) fn is_whole(&self) -> bool {
        let there = self.beginning();
        let [_, a, b, c, ..] = *there else { return false };
        let len = 4 + u32::from_be_bytes([0, a, b, c]) as usize;
        there.len() >= len.min(LONGEST)
    }

    /// Content of the message, as far as it is there.
    pub(super) fn said(&self) -> Said {
        hello(self.beginning()).unwrap_or_default()
    }

    /// Bytes on the heap.
    pub(super) fn heap(&self) -> usize {
        self.bytes.capacity() + 4 * self.runs.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::testing::hello as record;

    #[test]
    fn frames_in_any_order_are_the_message() {
        let record = record("www.example", b"h3");
        let message = &record[5..];
        for step in [1, 7, 30] {
            let mut crypto = Crypto::default();
            let mut starts: Vec<usize> = (0..message.len()).step_by(step).collect();
            if step > 1 {
                starts.sort_by_key(|at| at * 7919 % 101);
            }
            for at in starts {
                assert!(!crypto.is_whole());
                crypto.add(at as u64, &message[at..(at + step).min(message.len())]);
            }
            assert!(crypto.is_whole(), "{step}");
            assert_eq!(crypto.said().server_name.as_deref(), Some("www.example"));
            assert_eq!(crypto.said().alpn, ["h3".into()]);
            assert_eq!(crypto.runs, [(0, message.len() as u16)]);
        }
    }

    #[test]
    fn what_is_far_off_scattered_or_empty_is_bounded() {
        let mut crypto = Crypto::default();
        crypto.add(u64::MAX, &[1; 9]);
        crypto.add(8190, &[1; 9]);
        crypto.add(5, &[]);
        assert_eq!(crypto.runs, [(8190, 8192)]);
        (0..1000).for_each(|n| crypto.add(3 * n, &[1]));
        assert_eq!(crypto.runs.len(), MOST_RUNS);
        assert!(crypto.heap() < 20_000 && !crypto.is_whole());
    }
}
