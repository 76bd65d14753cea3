//! State of the path as transport-wide feedback shows it (draft-holmer-rmcat-transport-wide-cc-extensions-01).
//!
//! str0m shows its estimate alone. This module reads the same feedback for what results have beside that: bytes in flight,
//! RTT, queue delay and losses. Nothing here goes back into str0m.

use std::collections::VecDeque;
use std::time::Instant;

use airpath_base::{Duration, Time};
use str0m::rtp::rtcp::Twcc;

/// Packets that are remembered.
const MOST: usize = 4_096;

/// A packet that has been sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Time,
    bytes: u64,
    fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Open,
    Lost,
    Arrived,
}

/// State of the path.
#[derive(Debug)]
pub(super) struct Watch {
    /// Zero of the receiver's times.
    zero: Instant,
    sent: VecDeque<Sent>,
    /// Transport-wide number of the first of `sent`.
    first: u64,
    /// Bytes of RTP without a report.
    pub in_flight: u64,
    /// Packets that feedback reported missing, and of these those that came later.
    pub lost: u64,
    pub lost_arrived: u64,
    /// RTT of the newest packet of the last feedback, with its wait for the feedback.
    pub rtt: Duration,
    /// Delay of the newest packet above the least delay so far.
    pub queue_delay: Duration,
    /// Least difference of the clocks of both ends, in nanoseconds.
    least: Option<i128>,
}

impl Watch {
    pub fn new(zero: Instant) -> Watch {
        Watch {
            zero,
            sent: VecDeque::new(),
            first: 0,
            in_flight: 0,
            lost: 0,
            lost_arrived: 0,
            rtt: Duration::ZERO,
            queue_delay: Duration::ZERO,
            least: None,
        }
    }

    /// The next packet with a transport-wide number, of so many bytes of RTP.
    pub fn sent(&mut self, now: Time, bytes: u64) {
        if self.sent.len() == MOST {
            let oldest = self.sent.pop_front();
            self.first += 1;
            let open = oldest.filter(|oldest| oldest.fate == Fate::Open);
            self.in_flight -= open.map_or(0, |open| open.bytes);
        }
        self.sent.push_back(Sent { at: now, bytes, fate: Fate::Open });
        self.in_flight += bytes;
    }

    /// Takes feedback.
    pub fn feedback(&mut self, now: Time, twcc: Twcc) {
        let mut newest: Option<(Time, i128)> = None;
        for (number, _, arrived) in twcc.into_iter(self.zero, self.first.into()) {
            let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
            let Some(sent) = at.and_then(|at| self.sent.get_mut(at)) else { continue };
            if sent.fate == Fate::Open {
                self.in_flight -= sent.bytes;
            }
            let Some(arrived) = arrived else {
                if sent.fate == Fate::Open {
                    sent.fate = Fate::Lost;
                    self.lost += 1;
                }
                continue;
            };
            self.lost_arrived += u64::from(sent.fate == Fate::Lost);
            sent.fate = Fate::Arrived;
            let arrived = arrived.saturating_duration_since(self.zero).as_nanos();
            let offset = i128::try_from(arrived).unwrap_or(0) - i128::from(sent.at.as_nanos());
            self.least = Some(self.least.map_or(offset, |least| least.min(offset)));
            newest = newest.max(Some((sent.at, offset)));
        }
        if let (Some((sent, offset)), Some(least)) = (newest, self.least) {
            self.rtt = now.saturating_since(sent);
            self.queue_delay = Duration::from_nanos(u64::try_from(offset - least).unwrap_or(0));
        }
    }
}
