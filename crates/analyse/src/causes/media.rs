//! Causes of a media stream's quality: its program, a full link, or losses without a queue.
//!
//! A timestamp of RTP is the time at which a packet was due (RFC 3550, 5.1). The arrival less the timestamp is the delay
//! on the way, but for an offset that the least delay gives. A second with a delay above the least shows a queue.

use airpath_base::{Duration, Time};

use super::beside::Beside;
use super::hypotheses::{Case, shared_bottleneck};
use super::hypotheses::{Measure, Rule, application, bottleneck, loss_without_queue};
use super::judge::Judge;
use super::outcome::Outcome;
use super::stretch::{Kind, Range, Stretch, mark};
use super::sums::Origin;
use super::{Cause, Confidence, Position};

/// Duration of a stretch.
const SPAN: Duration = Duration::from_secs(1);
/// Usual rates of timestamps in Hz: audio and video. Until one fits, delays are followed for each.
const RATES: [u32; 4] = [8_000, 16_000, 48_000, 90_000];
/// Delay of a queue in microseconds (RFC 9406, 4.2: MAX_RTT_THRESH).
const QUEUED: u32 = 16_000;
/// Part of the packets, as its inverse, whose loss a picture or a voice shows (ITU-T G.1010: 1% of video, 3% of audio).
const LOST: u32 = 100;
/// Part by which timestamps run faster or slower than their rate, at most.
const TOLERANCE: f64 = 0.1;
/// Nanoseconds in which clocks drift apart by a microsecond.
const DRIFT: u64 = 10_000_000;

/// Delays before the first.
const NONE: [i64; 2] = [i64::MAX, i64::MIN];
/// Least delay of a stretch in microseconds, as zero stands for an unknown one.
const TICK: u32 = 1_000;

/// Rules of media, in the order in which they are tried.
pub(crate) const RULES: &[(Cause, Rule)] = &[
    (
        Cause::SharedBottleneck,
        Rule {
            holds: |case| {
                let full = is_full(case) || case.stretch.along >= QUEUED;
                full && case.known.company.counts()
            },
            ..shared_bottleneck::RULE
        },
    ),
    (Cause::Bottleneck, Rule { holds: is_full, ..bottleneck::RULE }),
    (
        Cause::LossWithoutQueue,
        Rule { holds: |case| case.stretch.has(mark::LOST), ..loss_without_queue::RULE },
    ),
    (Cause::Application, Rule { holds: |_| true, measure: Measure::Time, ..application::RULE }),
];

fn is_full(case: &Case<'_>) -> bool {
    case.stretch.has(mark::MARKED) || case.known.path.level(case.stretch) >= QUEUED
}

/// Packet of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MediaPacket {
    pub(crate) at: Time,
    pub(crate) sequence: u16,
    pub(crate) timestamp: u32,
    pub(crate) bytes: u32,
    /// Other flows of the client's host.
    pub(crate) others: Beside,
}

/// Follows a stream.
#[derive(Clone, Debug)]
pub(crate) struct MediaWatch {
    judge: Judge,
    first: MediaPacket,
    last: MediaPacket,
    /// Begin of the present stretch, its packet, and ticks since the first packet.
    from: MediaPacket,
    ticks: i64,
    /// Packets and bytes of the stretch, and different timestamps.
    packets: u32,
    bytes: u32,
    pictures: u32,
    /// Greatest queue that others measured in the stretch, in microseconds.
    along: u32,
    /// Longest gap in the stretch, in nanoseconds.
    gap: u64,
    /// Least and greatest delay of the stretch for each rate, and the least of all; in microseconds.
    here: [[i64; 2]; RATES.len()],
    least: [i64; RATES.len()],
    /// Number of packets before.
    count: u32,
}

impl MediaWatch {
    /// Begins with a packet.
    pub(crate) fn new(first: MediaPacket) -> MediaWatch {
        MediaWatch {
            judge: Judge::new([0; 2], false, RULES),
            first,
            last: first,
            from: first,
            ticks: 0,
            packets: 0,
            bytes: 0,
            pictures: 0,
            along: 0,
            gap: 0,
            here: [NONE; RATES.len()],
            least: [i64::MAX; RATES.len()],
            count: 1,
        }
    }

    /// The next packet.
    pub(crate) fn packet(&mut self, packet: MediaPacket) {
        if packet.at.saturating_since(self.from.at) >= SPAN {
            self.cut();
        }
        self.along = self.along.max(packet.others.along);
        self.packets += 1;
        self.bytes = self.bytes.saturating_add(packet.bytes);
        if (packet.sequence.wrapping_sub(self.last.sequence) as i16) <= 0 {
            return;
        }
        let ticks = packet.timestamp.wrapping_sub(self.last.timestamp) as i32;
        self.ticks += i64::from(ticks);
        self.pictures += u32::from(ticks != 0);
        self.gap = self.gap.max(packet.at.saturating_since(self.last.at).as_nanos());
        let passed = packet.at.saturating_since(self.first.at).as_nanos() / 1000;
        for (rate, [least, most]) in RATES.iter().zip(&mut self.here) {
            let delay = passed as i64 - self.ticks * 1_000_000 / i64::from(*rate);
            (*least, *most) = ((*least).min(delay), (*most).max(delay));
        }
        self.last = packet;
    }

    /// Ends a stretch with the last packet.
    fn cut(&mut self) {
        let (from, last, packets) = (self.from, self.last, self.packets);
        let nanos = last.at.saturating_since(from.at).as_nanos();
        let expected = u32::from(last.sequence.wrapping_sub(from.sequence));
        let lost = expected.saturating_sub(packets);
        let mut marks = if LOST * lost >= expected.max(1) { mark::LOST } else { 0 };
        // A link that is full leaves no gap between pictures, and loses some.
        if lost > 0 && packets >= 2 * self.pictures && self.gap * u64::from(packets) <= 3 * nanos {
            marks |= mark::MARKED;
        }
        let stretch = Stretch {
            from: from.at,
            to: last.at,
            near: self.delays(nanos),
            others: u32::try_from(last.others.bytes.saturating_sub(from.others.bytes))
                .unwrap_or(u32::MAX),
            along: self.along,
            delivered: self.bytes,
            packets: [self.count, self.count.saturating_add(packets)],
            kind: Kind::Round,
            marks,
            ..Stretch::default()
        };
        self.judge.meet(&[stretch]);
        self.judge.judge(&stretch);
        (self.from, self.count) = (last, stretch.packets[1]);
        (self.packets, self.bytes, self.pictures, self.gap) = (0, 0, 0, 0);
        (self.here, self.along) = ([NONE; RATES.len()], 0);
    }

    /// Delays of a stretch above the least, and a tick more.
    fn delays(&mut self, nanos: u64) -> Range {
        let drift = i64::try_from(nanos / DRIFT).unwrap_or(0);
        for (least, [here, _]) in self.least.iter_mut().zip(&self.here) {
            *least = least.saturating_add(drift).min(*here);
        }
        let seconds = self.last.at.saturating_since(self.first.at).as_secs_f64();
        let off = |rate: u32| (self.ticks as f64 / (seconds * f64::from(rate)) - 1.0).abs();
        let fits = RATES.iter().position(|rate| off(*rate) < TOLERANCE);
        let Some(n) = fits.filter(|n| self.here[*n] != NONE) else { return Range::default() };
        let above = |delay: i64| u32::try_from(delay - self.least[n]).unwrap_or(0);
        let [least, most] = self.here[n].map(|delay| above(delay).saturating_add(TICK));
        Range { least, most }
    }

    /// Causes up to now, with times since `start`; none without time.
    pub(crate) fn causes(&self, start: Time) -> Option<Outcome> {
        let mut done = self.clone();
        done.cut();
        let origin = Origin { position: Position::Unknown, confidence: Confidence::Doubtful };
        let causes = done.judge.causes(origin)?;
        let hypotheses = done.judge.hypotheses(&causes, start);
        let course = done.judge.course();
        Some(Outcome { causes, hypotheses, intervals: Vec::new(), rounds: Vec::new(), course })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leading cause of pictures of four packets, 40 ms apart for four seconds. `delay` gives the microseconds by which a
    /// packet is late, or none if it is lost.
    fn leads(delay: impl Fn(u64) -> Option<u64>) -> Cause {
        let mut watch: Option<MediaWatch> = None;
        for n in 0..400u64 {
            let Some(late) = delay(n) else { continue };
            let micros = 1_000_000 + 40_000 * (n / 4) + 300 * (n % 4) + late;
            let at = Time::from_nanos(1_000 * micros);
            let timestamp = 3_600 * (n / 4) as u32;
            let packet = MediaPacket {
                at,
                sequence: n as u16,
                timestamp,
                bytes: 1_200,
                others: Beside::default(),
            };
            match &mut watch {
                Some(watch) => watch.packet(packet),
                None => watch = Some(MediaWatch::new(packet)),
            }
        }
        let outcome = watch.and_then(|watch| watch.causes(Time::ZERO)).expect("causes");
        outcome.causes.first().0
    }

    #[test]
    fn delays_that_grow_and_losses_name_the_cause() {
        assert_eq!(leads(|_| Some(0)), Cause::Application);
        assert_eq!(leads(|n| Some(500 * n)), Cause::Bottleneck);
        assert_eq!(leads(|n| (n % 20 != 7).then_some(0)), Cause::LossWithoutQueue);
    }
}
