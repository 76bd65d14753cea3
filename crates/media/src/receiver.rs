//! The receiver: when to send which report (RFC 8888).
//!
//! A report names the last packets up to the highest sequence number, so that the next report makes
//! up for a lost one. It names further all packets since the last report (RFC 8888, 3.1). A cleared
//! RTP queue leaves a gap in the numbers, before which packets may have arrived. A long gap is left
//! out between two blocks, as it has no arrivals. Of packets that come twice the first counts, but
//! a mark on either does (RFC 8888, 3.1).
//!
//! Times of reports are those of [`Reports`].

use std::collections::VecDeque;
use std::ops::Range;

use airpath_base::{Duration, Time};
use airpath_wire::{Arrival, ArrivalOffset, Ecn, RtcpRepr, RtpRepr, StreamReport};

use crate::ticks::{SECOND, TICK, Ticks, instant, ntp, ticks};

/// So many sequence numbers call for a report at once.
const NUMBERS: u64 = 16;
/// Ten milliseconds; of [`Reports::ByRate`], within which a report takes so many packets.
const SOON: Ticks = 655;
const SOON_PACKETS: u16 = 8;
/// Forty milliseconds: of [`Reports::ByFrame`], the longest time between reports.
const LONGEST: Ticks = 2621;
/// Time between estimates of the rate: 100 ms.
const RATE: Ticks = 6554;
/// Numbers in a row that never came: more are left out of a report if they lie behind those
/// that it names in any case. A block's header has the size of four numbers.
const LONG_GAP: u64 = 256;

/// A receiver of one RTP stream that reports on it, without I/O.
#[derive(Debug)]
pub struct Receiver {
    ssrc: u32,
    source: u32,
    rule: Reports,
    /// Highest sequence number, extended so that it does not wrap.
    highest: Option<u64>,
    /// Packets that a report may name, in order of sequence number.
    arrivals: VecDeque<Kept>,
    /// Packets since the last report, the lowest number of them, and whether one of them
    /// ended a frame.
    fresh: u16,
    lowest_fresh: Option<u64>,
    marker: bool,
    /// Highest sequence number at the last report.
    reported: u64,
    reported_at: Ticks,
    rate: Rate,
}

/// A packet that has arrived: its extended number, its ECN field, and when.
#[derive(Clone, Copy, Debug)]
struct Kept {
    seq: u64,
    ecn: Ecn,
    at: u32,
}

/// Rule for the times of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// After 16 numbers, or after an interval that costs 2 % of the media rate. Within 10 ms of the last
    /// report, only if eight packets have arrived since (reference code of SCReAM's version 1).
    ByRate,
    /// After 16 numbers, at the end of a frame, or after 40 ms (reference code of SCReAM's version 2).
    ByFrame,
    /// After so long a time since the last report.
    Each(Duration),
}

/// The rate of the media, and the interval of reports that follows.
#[derive(Debug)]
struct Rate {
    bytes: u64,
    since: Option<Ticks>,
    average: f64,
    interval: Ticks,
}

impl Receiver {
    /// A receiver of the stream `source` that reports as `ssrc` by this rule.
    pub fn new(ssrc: u32, source: u32, rule: Reports) -> Receiver {
        Receiver {
            ssrc,
            source,
            rule,
            highest: None,
            arrivals: VecDeque::new(),
            fresh: 0,
            lowest_fresh: None,
            marker: false,
            reported: 0,
            reported_at: 0,
            rate: Rate::new(),
        }
    }

    /// A packet arrives.
    pub fn on_packet(&mut self, now: Time, packet: &RtpRepr, ecn: Ecn) {
        self.rate.on_bytes(clock(now), u64::from(RtpRepr::HEADER + packet.payload_len));
        let seq = self.extended(packet.seq);
        let highest = self.highest.unwrap_or(seq).max(seq);
        if self.highest.is_none() {
            self.reported = seq - 1;
        }
        self.highest = Some(highest);
        self.fresh = self.fresh.saturating_add(1);
        self.marker |= packet.marker;
        self.forget(highest, StreamReport::MOST as u64);
        if highest - seq < StreamReport::MOST as u64 {
            self.keep(Kept { seq, ecn, at: ntp(now) });
        }
    }

    /// The number of a packet as one near the highest.
    fn extended(&self, seq: u16) -> u64 {
        let Some(highest) = self.highest else { return u64::from(seq) + 65_536 };
        let ahead = seq.wrapping_sub(highest as u16) as i16;
        highest.saturating_add_signed(ahead.into())
    }

    fn keep(&mut self, new: Kept) {
        self.lowest_fresh = Some(self.lowest_fresh.map_or(new.seq, |low| low.min(new.seq)));
        let at = self.arrivals.partition_point(|kept| kept.seq < new.seq);
        match self.arrivals.get_mut(at).filter(|kept| kept.seq == new.seq) {
            Some(kept) if new.ecn == Ecn::Ce => kept.ecn = Ecn::Ce,
            Some(_) => {}
            None => self.arrivals.insert(at, new),
        }
    }

    /// Keeps the last `numbers` only.
    fn forget(&mut self, highest: u64, numbers: u64) {
        while self.arrivals.front().is_some_and(|kept| kept.seq + numbers <= highest) {
            self.arrivals.pop_front();
        }
    }

    /// Time of the next report if no other packet arrives.
    pub fn next_report(&self) -> Option<Time> {
        let due = self.wait().map_or(self.reported_at, |wait| self.reported_at + wait + 1);
        (self.fresh > 0).then(|| instant(Time::ZERO, due))
    }

    /// More than this must have passed since the last report; nothing if there is none.
    fn wait(&self) -> Option<Ticks> {
        let new = self.highest.map_or(0, |highest| highest - self.reported);
        let many = new >= NUMBERS;
        match self.rule {
            Reports::ByRate if self.fresh < SOON_PACKETS => {
                Some(if many { SOON } else { self.rate.interval.max(SOON) })
            }
            Reports::ByRate => (!many).then_some(self.rate.interval),
            Reports::ByFrame => (!many && !self.marker).then_some(LONGEST),
            Reports::Each(interval) => Some(ticks(interval).saturating_sub(1)),
        }
    }

    /// A report if one is due.
    pub fn poll(&mut self, now: Time) -> Option<RtcpRepr> {
        let highest = self.highest?;
        if self.next_report().is_none_or(|due| due > now) {
            return None;
        }
        let streams = self.blocks(now, highest);
        self.forget(highest, self.rule.named());
        (self.fresh, self.lowest_fresh, self.marker) = (0, None, false);
        (self.reported, self.reported_at) = (highest, clock(now));
        Some(RtcpRepr { ssrc: self.ssrc, streams, timestamp: ntp(now) })
    }

    /// The numbers from the lowest that came since the last report, and the last ones in any
    /// case.
    fn blocks(&self, now: Time, highest: u64) -> Vec<StreamReport> {
        let last = highest + 1 - self.rule.named();
        let first = self.lowest_fresh.map_or(last, |fresh| fresh.min(last));
        let (mut begin, mut end, mut blocks) = (first, first, Vec::new());
        for kept in self.arrivals.iter().filter(|kept| kept.seq >= first) {
            let next = kept.seq.min(last);
            if next > end + LONG_GAP {
                blocks.push(self.block(now, begin..end));
                begin = next;
            }
            end = kept.seq + 1;
        }
        blocks.push(self.block(now, begin..end));
        blocks
    }

    fn block(&self, now: Time, numbers: Range<u64>) -> StreamReport {
        let mut packets = vec![None; (numbers.end - numbers.start) as usize];
        for kept in self.arrivals.iter().filter(|kept| numbers.contains(&kept.seq)) {
            let offset = ArrivalOffset::from_units(ntp(now).wrapping_sub(kept.at) >> 6);
            packets[(kept.seq - numbers.start) as usize] = Some(Arrival { ecn: kept.ecn, offset });
        }
        StreamReport { ssrc: self.source, begin_seq: numbers.start as u16, packets }
    }
}

impl Reports {
    /// Least number of packets that a report names.
    fn named(self) -> u64 {
        match self {
            Reports::ByRate | Reports::Each(_) => 64,
            Reports::ByFrame => 32,
        }
    }
}

/// Ticks since time zero.
fn clock(now: Time) -> Ticks {
    ticks(now.saturating_since(Time::ZERO))
}

impl Rate {
    fn new() -> Rate {
        Rate { bytes: 0, since: None, average: 1e5, interval: SECOND / 5 }
    }

    /// Reports of 100 bytes may cost 2 % of the rate, but come each 2 to 100 ms.
    fn on_bytes(&mut self, now: Ticks, bytes: u64) {
        self.bytes += bytes;
        let span = now.saturating_sub(*self.since.get_or_insert(now));
        if span <= RATE {
            return;
        }
        let rate = self.bytes as f64 * 8.0 / (span as f64 * TICK);
        self.average = (0.95 * self.average).max(rate);
        let reports = (0.02 * self.average / (100.0 * 8.0)).clamp(10.0, 500.0);
        self.interval = (SECOND as f64 / reports) as Ticks;
        (self.bytes, self.since) = (0, Some(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(seq: u16, marker: bool) -> RtpRepr {
        RtpRepr { seq, marker, payload_len: 1200, ..RtpRepr::default() }
    }

    fn receiver(rule: Reports) -> Receiver {
        Receiver::new(7, 10, rule)
    }

    #[test]
    fn reports_of_an_interval_are_that_far_apart() {
        let mut receiver = receiver(Reports::Each(Duration::from_millis(100)));
        let mut times = Vec::new();
        for seq in 0..1000 {
            let at = Time::from_millis(u64::from(seq));
            receiver.on_packet(at, &packet(seq, seq % 16 == 0), Ecn::NotEct);
            times.extend(receiver.poll(at).map(|report| (at, report.streams[0].packets.len())));
        }
        assert_eq!(times.len(), 9);
        assert!(times.iter().all(|(_, named)| (100..=102).contains(named)), "{times:?}");
        assert!(times.windows(2).all(|two| (100..=101).contains(&(two[1].0.since(two[0].0).as_nanos() / 1_000_000))));
    }

    #[test]
    fn version_2_reports_frames_sixteen_packets_and_each_40_ms() {
        let mut receiver = receiver(Reports::ByFrame);
        let ms = Time::from_millis;
        receiver.on_packet(ms(1), &packet(0, true), Ecn::Ect1);
        let report = receiver.poll(ms(1)).expect("a frame has ended");
        let stream = &report.streams[0];
        assert_eq!((stream.ssrc, stream.begin_seq, stream.packets.len()), (10, 65_505, 32));
        assert_eq!(stream.packets.iter().flatten().count(), 1);
        assert_eq!(receiver.poll(ms(90)), None); // nothing new
        for seq in 1..17 {
            assert_eq!(receiver.poll(ms(2)), None);
            receiver.on_packet(ms(2), &packet(seq, false), Ecn::Ect1);
        }
        assert!(receiver.poll(ms(2)).is_some());
        receiver.on_packet(ms(3), &packet(17, false), Ecn::Ce);
        let due = receiver.next_report().expect("a packet waits");
        assert!((ms(41)..ms(43)).contains(&due));
        assert_eq!(receiver.poll(ms(41)), None);
        let report = receiver.poll(due).expect("40 ms have passed");
        let last = report.streams[0].packets[31].expect("the newest packet");
        // 39 ms are 39.9 units of 1/1024 s.
        assert_eq!((last.ecn, last.offset.units()), (Ecn::Ce, Some(39)));
    }

    #[test]
    fn version_1_takes_eight_packets_within_10_ms() {
        let mut receiver = receiver(Reports::ByRate);
        // 20 Mbit/s are a report each 2 ms by the rate; eight packets take 4 ms.
        let mut reports = Vec::new();
        for seq in 0..2000 {
            let at = Time::ZERO + Duration::from_micros(485) * u64::from(seq);
            receiver.on_packet(at, &packet(seq, false), Ecn::Ect1);
            reports.extend(receiver.poll(at).map(|_| seq));
        }
        let late = reports.iter().rev().take(20).zip(reports.iter().rev().skip(1));
        assert!(late.clone().all(|(a, b)| a - b == 8), "{reports:?}");
    }

    #[test]
    fn version_1_reports_by_the_rate() {
        let mut receiver = receiver(Reports::ByRate);
        // 1212 bytes each 3 ms: 3.2 Mbit/s, of which 2 % are 81 reports a second.
        let mut at = Time::from_millis(0);
        let mut reports = Vec::new();
        for seq in 0..1000 {
            at += Duration::from_millis(3);
            receiver.on_packet(at, &packet(seq, false), Ecn::Ect1);
            reports.extend(receiver.poll(at).map(|_| at));
        }
        let late = reports.iter().filter(|at| **at > Time::from_millis(1000)).count();
        assert!((130..=170).contains(&late), "{late} in 2 s, on a grid of 3 ms");
    }

    #[test]
    fn numbers_that_wrap_and_packets_out_of_order() {
        let mut receiver = receiver(Reports::ByFrame);
        for seq in [65_534, 0, 65_535] {
            receiver.on_packet(Time::ZERO, &packet(seq, seq == 65_535), Ecn::Ect0);
        }
        let report = receiver.poll(Time::ZERO).expect("a frame has ended");
        assert_eq!(report.streams[0].end_seq(), 1);
        assert_eq!(report.streams[0].packets.iter().flatten().count(), 3);
    }

    #[test]
    fn what_came_before_a_gap_is_named_as_well() {
        // A cleared RTP queue: 0 to 4, then 70 and, of a longer one, 2000.
        for (next, lens) in [(70, vec![71]), (2000, vec![5, 32])] {
            let mut receiver = receiver(Reports::ByFrame);
            (0..5).for_each(|seq| receiver.on_packet(Time::ZERO, &packet(seq, false), Ecn::Ect1));
            receiver.on_packet(Time::ZERO, &packet(next, true), Ecn::Ect1);
            let report = receiver.poll(Time::ZERO).expect("a frame has ended");
            let blocks = &report.streams;
            assert_eq!(blocks.iter().map(|b| b.packets.len()).collect::<Vec<_>>(), lens);
            assert_eq!(blocks[0].begin_seq, 0);
            assert!(blocks[0].packets[..5].iter().all(Option::is_some));
            assert_eq!(blocks.iter().flat_map(|b| &b.packets).flatten().count(), 6);
            assert_eq!(blocks[lens.len() - 1].end_seq(), next + 1);
            receiver.on_packet(Time::ZERO, &packet(next + 1, true), Ecn::Ect1);
            let report = receiver.poll(Time::ZERO).expect("a frame has ended");
            assert_eq!(report.streams.len(), 1, "named once is enough");
            assert_eq!(report.streams[0].packets.len(), 32);
        }
    }

    #[test]
    fn of_two_copies_the_first_counts_and_either_mark() {
        // RFC 8888, 3.1.
        let mut receiver = receiver(Reports::ByFrame);
        receiver.on_packet(Time::from_millis(0), &packet(9, false), Ecn::Ect1);
        receiver.on_packet(Time::from_millis(20), &packet(9, true), Ecn::Ce);
        let report = receiver.poll(Time::from_millis(20)).expect("a frame has ended");
        let arrival = report.streams[0].packets[31].expect("the packet");
        assert_eq!((arrival.ecn, arrival.offset.units()), (Ecn::Ce, Some(20)));
    }
}
