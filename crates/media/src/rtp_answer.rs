//! Packets that are answered one by one: commands, and the state that comes back.
//!
//! The receiver sends a packet for each that comes, with its number; the source counts from
//! sending one to the answer. Nothing is sent again: a command that is lost has no answer, and the
//! next one says more. Left out: the application that acts on them.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_net::Exchange;
use airpath_wire::RtpRepr;

/// Answers of a receiver: size, delay and DSCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// UDP payload of an answer in bytes, with the RTP header's 12.
    pub payload: u32,
    /// Time from a packet to its answer.
    pub delay: Duration,
    /// Differentiated services code point (6 bits).
    pub dscp: u8,
}

/// Numbers that RTP's sequence number tells apart.
const APART: usize = 1 << 16;

/// Sent packets of a source without an answer so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unanswered {
    /// Number and time of each, in their order.
    open: VecDeque<(u64, Time)>,
}

impl Unanswered {
    /// Packet `number` leaves. The oldest open one is returned if no answer could tell it from
    /// this.
    pub fn sent(&mut self, now: Time, number: u64) -> Option<(u64, Time)> {
        let full = self.open.front().is_some_and(|(oldest, _)| number - oldest >= APART as u64);
        let oldest = if full { self.open.pop_front() } else { None };
        self.open.push_back((number, now));
        oldest
    }

    /// The packet that an answer is to.
    pub fn answered(&mut self, seq: u16) -> Option<(u64, Time)> {
        let (first, _) = self.open.front()?;
        let number = first + u64::from(seq.wrapping_sub(*first as u16));
        let at = self.open.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.open.remove(at)
    }

    /// Those that will have no answer any more.
    pub fn take(&mut self) -> impl Iterator<Item = (u64, Time)> + '_ {
        self.open.drain(..)
    }
}

/// A packet and its answer, as they are reported.
pub(crate) fn exchange(
    (number, asked): (u64, Time),
    sizes: [u32; 2],
    done: Option<Time>,
) -> Exchange {
    let [request, response] = sizes.map(u64::from);
    Exchange { number, connection: 0, request, response, asked, first: done, done }
}

/// The header of an answer.
pub(crate) fn header(to: &RtpRepr, payload: u32) -> RtpRepr {
    let ssrc = to.ssrc.wrapping_add(1);
    RtpRepr { ssrc, marker: false, payload_len: payload - RtpRepr::HEADER, ..*to }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_find_their_packet_across_the_wrap() {
        let at = |n: u64| Time::from_millis(10 * n);
        let mut open = Unanswered::default();
        (65_530..65_546).for_each(|n| assert_eq!(open.sent(at(n), n), None));
        assert_eq!(open.answered(65_533), Some((65_533, at(65_533))));
        assert_eq!(open.answered(4), Some((65_540, at(65_540))));
        assert_eq!(open.answered(4), None, "it has been answered");
        assert_eq!(open.answered(20), None, "it has not been sent");
        assert_eq!(open.take().count(), 14);
    }

    #[test]
    fn what_cannot_be_told_apart_any_more_is_given_up() {
        let mut open = Unanswered::default();
        (0..65_536).for_each(|n| assert_eq!(open.sent(Time::ZERO, n), None));
        assert_eq!(open.sent(Time::ZERO, 65_536), Some((0, Time::ZERO)));
        assert_eq!(open.answered(0), Some((65_536, Time::ZERO)));
    }
}
