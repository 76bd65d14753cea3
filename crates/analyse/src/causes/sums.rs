//! Time by cause, summed over stretches.

use serde::{Serialize, Serializer, ser::SerializeMap};

use super::{Cause, Confidence, Position};

/// Causes of a direction's limited rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Causes {
    /// Position at which its packets were captured.
    pub position: Position,
    /// Confidence in the shares.
    pub confidence: Confidence,
    /// The time that they share: from the first data to the last answer, in seconds.
    pub judged_s: f64,
    /// The time of it in which data was under way and somebody answered.
    pub active_s: f64,
    /// New data that was acknowledged.
    pub delivered_bytes: u64,
    /// New data that was acknowledged, over the active time, in bit/s.
    pub goodput_bps: Option<f64>,
    /// Shares of the time, by cause; they sum to one.
    #[serde(serialize_with = "by_name")]
    pub shares: [f64; Cause::COUNT],
    /// The full link, where there was one.
    pub bottleneck: Option<Bottleneck>,
}

/// A full link, by the time in which it was full.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bottleneck {
    /// Bytes that were acknowledged, over the time.
    pub rate_bps: f64,
    /// Delay by its queue in a round trip: mean, least and most over round trips, in ms.
    pub queue_ms: [f64; 3],
}

/// Position at which a direction was captured, and the confidence that it allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) position: Position,
    pub(crate) confidence: Confidence,
}

/// Time by cause, as it is summed up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    /// Nanoseconds of each cause.
    spans: [u64; Cause::COUNT],
    /// Nanoseconds in which data was under way, and bytes that were acknowledged.
    active: u64,
    delivered: u64,
    /// Nanoseconds and acknowledged bytes of full links.
    full: u64,
    carried: u64,
    /// Delay by their queues in microseconds: summed over nanoseconds, least and greatest.
    queue: u128,
    least: u32,
    most: u32,
}

impl Sums {
    /// Adds a stretch of a cause. `active` is true if data was under way.
    pub(crate) fn add(&mut self, cause: Cause, nanos: u64, delivered: u32, active: bool) {
        let span = &mut self.spans[cause as usize];
        *span = span.saturating_add(nanos);
        self.delivered = self.delivered.saturating_add(delivered.into());
        if active {
            self.active = self.active.saturating_add(nanos);
        }
    }

    /// Adds a stretch in which a link was full, with the delay by its queue in microseconds, if that was measured.
    pub(crate) fn full(&mut self, nanos: u64, delivered: u32, queue: Option<u32>) {
        self.carried = self.carried.saturating_add(delivered.into());
        let empty = self.full == 0;
        self.full = self.full.saturating_add(nanos);
        let Some(queue) = queue else { return };
        self.queue = self.queue.saturating_add(u128::from(queue) * u128::from(nanos));
        self.least = if empty { queue } else { self.least.min(queue) };
        self.most = self.most.max(queue);
    }

    /// Shares of the causes; none if no time passed.
    pub(crate) fn causes(&self, origin: Origin) -> Option<Causes> {
        let all: u64 = self.spans.iter().fold(0, |sum, span| sum.saturating_add(*span));
        if all == 0 {
            return None;
        }
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        let rate = |bytes: u64, nanos: u64| 8.0 * bytes as f64 / seconds(nanos);
        let ms = |micros: f64| micros / 1e3;
        let bottleneck = (self.full > 0).then(|| Bottleneck {
            rate_bps: rate(self.carried, self.full),
            queue_ms: [
                ms(self.queue as f64 / self.full as f64),
                ms(self.least.into()),
                ms(self.most.into()),
            ],
        });
        Some(Causes {
            position: origin.position,
            confidence: origin.confidence,
            judged_s: seconds(all),
            active_s: seconds(self.active),
            delivered_bytes: self.delivered,
            goodput_bps: (self.active > 0).then(|| rate(self.delivered, self.active)),
            shares: self.spans.map(|span| span as f64 / all as f64),
            bottleneck,
        })
    }
}

impl Causes {
    /// The share of a cause.
    pub fn share(&self, cause: Cause) -> f64 {
        self.shares[cause as usize]
    }

    /// Causes with a share, the greatest first.
    pub fn ranked(&self) -> Vec<(Cause, f64)> {
        let mut ranked: Vec<_> = Cause::ALL.map(|cause| (cause, self.share(cause))).to_vec();
        ranked.retain(|(_, share)| *share > 0.0);
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    }

    /// The cause with the greatest share.
    pub fn first(&self) -> (Cause, f64) {
        self.ranked().first().copied().unwrap_or((Cause::CannotTell, 1.0))
    }
}

fn by_name<S: Serializer>(shares: &[f64; Cause::COUNT], to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(Cause::COUNT))?;
    for (cause, share) in Cause::ALL.iter().zip(shares) {
        map.serialize_entry(cause.name(), share)?;
    }
    map.end()
}
