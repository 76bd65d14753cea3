//! The receiver: when to send which report (RFC 8888).
//!
//! A report names the last packets up to the highest sequence number, those named before
//! as well, so that a lost report is made up for by the next. Version 1's reference
//! reports after 16 numbers, or once an interval has passed that costs 2 % of the media
//! rate, but within 10 ms of the last report only if eight packets have arrived since;
//! version 2's after 16 numbers, at the end of a frame, or after 40 ms.

use airpath_base::Time;
use airpath_wire::{Arrival, ArrivalOffset, Ecn, RtcpRepr, RtpRepr, StreamReport};

use super::ticks::{SECOND, TICK, Ticks, instant, ntp, ticks};
use super::{Config, Version};

/// So many sequence numbers call for a report at once.
const NUMBERS: u16 = 16;
/// Ten milliseconds; of version 1, within which a report takes so many packets.
const SOON: Ticks = 655;
const SOON_PACKETS: u16 = 8;
/// Forty milliseconds: of version 2, the longest time between reports.
const LONGEST: Ticks = 2621;
/// Time between estimates of the rate: 100 ms.
const RATE: Ticks = 6554;
/// Packets kept: more than a report names.
const KEPT: usize = 128;

/// A receiver of one RTP stream that reports on it, without I/O.
#[derive(Debug)]
pub struct Receiver {
    ssrc: u32,
    source: u32,
    rule: Rule,
    highest: Option<u16>,
    arrivals: Box<[Option<(u16, Ecn, u32)>; KEPT]>,
    /// Packets since the last report, and whether one of them ended a frame.
    fresh: u16,
    marker: bool,
    /// Highest sequence number at the last report.
    reported: u16,
    reported_at: Ticks,
    rate: Rate,
}

/// When to report: version 1 and version 2.
#[derive(Clone, Copy, Debug)]
enum Rule {
    ByRate,
    ByFrame,
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
    /// A receiver of the stream `source` that reports as `ssrc`.
    pub fn new(ssrc: u32, source: u32, config: &Config) -> Receiver {
        let rule = match config.version {
            Version::V1 { .. } => Rule::ByRate,
            Version::V2 => Rule::ByFrame,
        };
        Receiver {
            ssrc,
            source,
            rule,
            highest: None,
            arrivals: Box::new([None; KEPT]),
            fresh: 0,
            marker: false,
            reported: 0,
            reported_at: 0,
            rate: Rate::new(),
        }
    }

    /// A packet arrives.
    pub fn on_packet(&mut self, now: Time, packet: &RtpRepr, ecn: Ecn) {
        self.rate.on_bytes(clock(now), u64::from(RtpRepr::HEADER + packet.payload_len));
        let seq = packet.seq;
        if self.highest.is_none() {
            self.reported = seq.wrapping_sub(1);
        }
        if self.highest.is_none_or(|highest| seq.wrapping_sub(highest) < 1 << 15) {
            self.highest = Some(seq);
        }
        self.arrivals[usize::from(seq) % KEPT] = Some((seq, ecn, ntp(now)));
        self.fresh = self.fresh.saturating_add(1);
        self.marker |= packet.marker;
    }

    /// When the next report is due if no other packet arrives.
    pub fn next_report(&self) -> Option<Time> {
        let due = self.wait().map_or(self.reported_at, |wait| self.reported_at + wait + 1);
        (self.fresh > 0).then(|| instant(Time::ZERO, due))
    }

    /// More than this must have passed since the last report; nothing if there is none.
    fn wait(&self) -> Option<Ticks> {
        let new = self.highest.map_or(0, |highest| highest.wrapping_sub(self.reported));
        let many = new >= NUMBERS;
        match self.rule {
            Rule::ByRate if self.fresh < SOON_PACKETS => {
                Some(if many { SOON } else { self.rate.interval.max(SOON) })
            }
            Rule::ByRate => (!many).then_some(self.rate.interval),
            Rule::ByFrame => (!many && !self.marker).then_some(LONGEST),
        }
    }

    /// A report if one is due.
    pub fn poll(&mut self, now: Time) -> Option<RtcpRepr> {
        let highest = self.highest?;
        if self.next_report().is_none_or(|due| due > now) {
            return None;
        }
        let named = self.rule.named();
        (self.fresh, self.marker) = (0, false);
        (self.reported, self.reported_at) = (highest, clock(now));
        let begin_seq = highest.wrapping_sub(named - 1);
        let packets = (0..named).map(|n| self.arrival(begin_seq.wrapping_add(n), now));
        let packets = packets.collect();
        let streams = vec![StreamReport { ssrc: self.source, begin_seq, packets }];
        Some(RtcpRepr { ssrc: self.ssrc, streams, timestamp: ntp(now) })
    }

    fn arrival(&self, seq: u16, now: Time) -> Option<Arrival> {
        let (_, ecn, at) = self.arrivals[usize::from(seq) % KEPT].filter(|kept| kept.0 == seq)?;
        let offset = ArrivalOffset::from_units(ntp(now).wrapping_sub(at) >> 6);
        Some(Arrival { ecn, offset })
    }
}

impl Rule {
    /// How many packets a report names.
    fn named(self) -> u16 {
        match self {
            Rule::ByRate => 64,
            Rule::ByFrame => 32,
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
    use airpath_base::Duration;

    fn packet(seq: u16, marker: bool) -> RtpRepr {
        RtpRepr { seq, marker, payload_len: 1200, ..RtpRepr::default() }
    }

    fn receiver(version: Version) -> Receiver {
        Receiver::new(7, 10, &Config { version, ..Config::default() })
    }

    #[test]
    fn version_2_reports_frames_sixteen_packets_and_each_40_ms() {
        let mut receiver = receiver(Version::V2);
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
        let mut receiver = receiver(Version::V1 { pacing: super::super::Pacing::Target });
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
        let mut receiver = receiver(Version::V1 { pacing: super::super::Pacing::Target });
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
        let mut receiver = receiver(Version::V2);
        for seq in [65_534, 0, 65_535] {
            receiver.on_packet(Time::ZERO, &packet(seq, seq == 65_535), Ecn::Ect0);
        }
        let report = receiver.poll(Time::ZERO).expect("a frame has ended");
        assert_eq!(report.streams[0].end_seq(), 1);
        assert_eq!(report.streams[0].packets.iter().flatten().count(), 3);
    }
}
