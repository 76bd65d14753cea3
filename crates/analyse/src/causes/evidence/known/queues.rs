//! Queues of a direction: round trips with a queue, and the rate of the link behind it.

use super::path::{Path, Queued};
use super::windows::Windows;
use crate::causes::stretch::{Kind, Stretch, mark};

/// RTTs above the least by an eighth of it, at least 4 ms and at most 16 ms, are a queue's (RFC 9406, 4.2:
/// MIN_RTT_DIVISOR, MIN_RTT_THRESH, MAX_RTT_THRESH); in microseconds.
const DIVISOR: u32 = 8;
const LEAST_RISE: u32 = 4_000;
const MOST_RISE: u32 = 16_000;
/// Fewest segments in a queue of this sender's (Vegas; Brakmo and Peterson 1995: alpha).
const QUEUED: u32 = 2;
/// A link counts as full at this part of its rate (Siekkinen et al. allow a tenth).
const FULL: f64 = 0.9;
/// A link that carries this much more than the known one is another.
const FASTER: f64 = 1.3;
/// Greatest rise that may be a cell's as well as a queue's, in microseconds. It is two HARQ round trips of 8 ms, and
/// a scheduling request with its grant (TS 36.321; TR 36.912, B.2).
pub(crate) const MOST_JITTER: u32 = 25_000;
/// Fewest round trips with a queue from which the link's rate is known, and their time in round trips without a queue.
const FEWEST: u32 = 1;
const KNOWN: u64 = 3;

/// Round trips, bytes that they delivered, and their nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    rounds: u32,
    bytes: u64,
    nanos: u64,
}

impl Carried {
    fn add(&mut self, stretch: &Stretch) {
        self.rounds = self.rounds.saturating_add(1);
        self.bytes = self.bytes.saturating_add(stretch.delivered.into());
        self.nanos = self.nanos.saturating_add(stretch.nanos());
    }

    /// Takes a quarter of the weight away.
    fn fade(&mut self) {
        self.bytes -= self.bytes / 4;
        self.nanos -= self.nanos / 4;
    }

    /// Bytes a nanosecond.
    fn rate(&self) -> f64 {
        self.bytes as f64 / self.nanos.max(1) as f64
    }
}

/// Queues of a direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Queues {
    /// Round trips with a queue, their bytes and their nanoseconds.
    queued: Carried,
    /// The last round trips, older ones with less weight.
    recent: Carried,
    /// Small and large windows, where round trips are raised by no more than jitter.
    windows: Windows,
    /// Round trips that were clearly faster without a queue.
    beyond: u32,
    /// Size of a full segment in bytes.
    segment: u32,
    /// True if a queue stood in the last round trip that was measured.
    standing: bool,
    /// Delays of the last queue, by direction; none if clocks do not tell.
    delays: Option<Queued>,
}

impl Queues {
    /// Size of a full segment in bytes.
    pub(crate) fn segment(&self) -> u32 {
        self.segment
    }

    /// Notes the size of a full segment in bytes.
    pub(crate) fn size(&mut self, segment: u32) {
        self.segment = segment;
    }

    /// Learns the rate of a stretch that is to be judged.
    pub(crate) fn learn(&mut self, stretch: &Stretch, path: &Path) {
        if stretch.kind != Kind::Round {
            return;
        }
        let exact = shows_rate(stretch, path);
        if exact && self.rises(stretch, path) && path.level(stretch) < MOST_JITTER {
            self.windows.add(stretch);
        }
        if self.has_queue(stretch, path) {
            self.queued.add(stretch);
        } else if exact && self.queued.rounds > 0 && FULL * stretch.rate() > self.queued.rate() {
            self.beyond = self.beyond.saturating_add(1);
        }
    }

    /// Looks for a queue in a round trip that is judged.
    pub(crate) fn meet(&mut self, stretch: &Stretch, path: &Path) {
        self.recent.fade();
        self.recent.add(stretch);
        self.standing = self.measured(stretch, path).unwrap_or(self.standing);
        let measured = path.queued(stretch).filter(|_| self.has_queue(stretch, path));
        self.delays = measured.or(self.delays);
    }

    /// Delays of the last queue, by direction; none if clocks do not tell.
    pub(crate) fn delays(&self) -> Option<Queued> {
        self.delays
    }

    /// True if a queue stood, false if none did; none if that was measured on one side only, and does not show there.
    pub(crate) fn measured(&self, stretch: &Stretch, path: &Path) -> Option<bool> {
        let any = !stretch.near.is_empty() || !stretch.far.is_empty();
        match any && self.has_queue(stretch, path) {
            true => Some(true),
            false => (any && path.is_measured(stretch)).then_some(false),
        }
    }

    /// True if a link was full. A queue stood, or the receiver reports marks, or the round trip was as fast as many with
    /// a queue.
    pub(crate) fn is_full(&self, stretch: &Stretch, path: &Path) -> bool {
        let long = self.queued.nanos / 1000 >= KNOWN * u64::from(path.least());
        let known = self.queued.rounds >= FEWEST && long && self.queued.rounds > self.beyond;
        let as_fast = || {
            // Several round trips count for a repair, in which ACKs come in leaps.
            let exact = shows_rate(stretch, path);
            let rate = if exact { stretch.rate() } else { self.recent.rate() };
            let known = FULL * self.queued.rate()..FASTER * self.queued.rate();
            known.contains(&rate) && stretch.bursts.are_large()
        };
        self.standing || stretch.has(mark::MARKED) || known && as_fast()
    }

    /// True if a queue stood throughout the round trip.
    fn has_queue(&self, stretch: &Stretch, path: &Path) -> bool {
        let jitter = path.level(stretch) < MOST_JITTER && self.windows.lead();
        self.rises(stretch, path) && !jitter
    }

    /// True if round trips rise as a queue makes them, with at least two segments of this sender in it.
    fn rises(&self, stretch: &Stretch, path: &Path) -> bool {
        let (least, above) = (path.least(), path.level(stretch));
        let whole = u64::from(least.saturating_add(above).max(1));
        let queued = u64::from(stretch.flight) * u64::from(above) / whole;
        above >= rise(least) && queued >= u64::from(QUEUED * self.segment)
    }
}

/// Least rise of a round trip with a queue above the least one, in microseconds.
pub(crate) fn rise(least: u32) -> u32 {
    (least / DIVISOR).clamp(LEAST_RISE, MOST_RISE)
}

/// True if ACKs came as data arrived, for long enough to show a rate.
fn shows_rate(stretch: &Stretch, path: &Path) -> bool {
    let long = stretch.nanos() / 1000 >= u64::from(path.least() / 2);
    !stretch.has(mark::LOST | mark::REPAIR) && long
}
