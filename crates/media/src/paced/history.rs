//! Packets between their transmission and their report.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_wire::{Arrival as Named, Ecn, RtcpRepr, StreamReport};

use crate::ticks::{instant, ntp};

/// Time after which a packet without a report is forgotten.
const FORGET: Duration = Duration::from_secs(10);

/// A packet whose fate a report names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reported {
    /// Its number, which does not wrap.
    pub number: u64,
    /// Time at which it was sent.
    pub sent: Time,
    /// Bytes with the header of RTP.
    pub bytes: u32,
    /// Its arrival; none if it is lost.
    pub arrival: Option<Arrival>,
    /// Number of its cluster, if it is one of a probe.
    pub cluster: Option<u32>,
}

/// An arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Arrival {
    /// Time of the receiver's clock, which is that of the sender. Units of 1/1024 s (RFC 8888, 3.1).
    pub at: Time,
    /// Time from the arrival to the report.
    pub waited: Duration,
    /// True if the packet had a CE mark.
    pub ce: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Open,
    Arrived,
    Lost,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    number: u64,
    at: Time,
    bytes: u32,
    cluster: Option<u32>,
    fate: Fate,
}

/// Packets that may be reported.
#[derive(Debug, Default)]
pub(super) struct History {
    packets: VecDeque<Sent>,
    /// Highest number that has arrived.
    highest: Option<u64>,
    in_flight: u64,
    lost: u64,
    lost_arrived: u64,
}

impl History {
    /// Bytes of packets that no report has named and none has passed.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Packets that have counted as lost.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Of these, packets that a later report names as arrived.
    pub fn lost_arrived(&self) -> u64 {
        self.lost_arrived
    }

    pub fn sent(&mut self, at: Time, seq: u16, bytes: u32, cluster: Option<u32>) {
        let number = match self.packets.back() {
            Some(last) => last.number + u64::from(seq.wrapping_sub(last.number as u16)),
            None => self.highest.unwrap_or(65_536) / 65_536 * 65_536 + 65_536 + u64::from(seq),
        };
        self.forget(at);
        self.in_flight += u64::from(bytes);
        self.packets.push_back(Sent { number, at, bytes, cluster, fate: Fate::Open });
    }

    fn forget(&mut self, now: Time) {
        let old = |sent: &mut Sent| now.saturating_since(sent.at) > FORGET;
        while let Some(sent) = self.packets.pop_front_if(old) {
            if sent.fate == Fate::Open {
                self.in_flight -= u64::from(sent.bytes);
            }
        }
    }

    /// Reads the blocks of a report on the stream `ssrc`.
    pub fn report(&mut self, now: Time, ssrc: u32, report: &RtcpRepr) -> Vec<Reported> {
        let mut fates = Vec::new();
        for block in report.streams.iter().filter(|block| block.ssrc == ssrc) {
            self.block(now, block, report.timestamp, &mut fates);
        }
        fates
    }

    fn block(
        &mut self,
        now: Time,
        block: &StreamReport,
        timestamp: u32,
        fates: &mut Vec<Reported>,
    ) {
        let numbered = |(n, named): (usize, &Option<Named>)| {
            Some((self.number(block.begin_seq.wrapping_add(n as u16))?, *named))
        };
        let named: Vec<(u64, Option<Named>)> =
            block.packets.iter().enumerate().filter_map(numbered).collect();
        let arrived = named.iter().filter(|(_, named)| named.is_some()).map(|(number, _)| *number);
        self.highest = arrived.max().max(self.highest);
        for (number, named) in named {
            let arrival = named.map(|named| arrival(now, named, timestamp));
            fates.extend(self.fate(number, arrival));
        }
    }

    /// Number of a packet that has been sent.
    fn number(&self, seq: u16) -> Option<u64> {
        let newest = self.packets.back()?.number;
        newest.checked_sub(u64::from((newest as u16).wrapping_sub(seq)))
    }

    fn fate(&mut self, number: u64, arrival: Option<Arrival>) -> Option<Reported> {
        let at = self.packets.binary_search_by_key(&number, |sent| sent.number).ok()?;
        let passed = self.highest.is_some_and(|highest| highest > number);
        let sent = &mut self.packets[at];
        let before = sent.fate;
        sent.fate = match (before, arrival) {
            (Fate::Open | Fate::Lost, Some(_)) => Fate::Arrived,
            (Fate::Open, None) if passed => Fate::Lost,
            _ => return None,
        };
        self.lost += u64::from(sent.fate == Fate::Lost);
        match before {
            Fate::Lost => self.lost_arrived += 1,
            _ => self.in_flight -= u64::from(sent.bytes),
        }
        let Sent { at, bytes, cluster, .. } = *sent;
        Some(Reported { number, sent: at, bytes, arrival, cluster })
    }
}

/// The arrival by a report that has come at `now`, whose clock is the sender's.
fn arrival(now: Time, named: Named, timestamp: u32) -> Arrival {
    let span = |ticks: u32| instant(Time::ZERO, u64::from(ticks)).since(Time::ZERO);
    let waited = u32::from(named.offset.units().unwrap_or(0)) << 6; // 2^-10 to 2^-16 s
    let ago = ntp(now).wrapping_sub(timestamp.wrapping_sub(waited));
    let at = Time::from_nanos(now.as_nanos().saturating_sub(span(ago).as_nanos()));
    Arrival { at, waited: span(waited), ce: named.ecn == Ecn::Ce }
}
