//! Queue protection of DOCSIS (RFC 9957): keeps a flow that builds a queue out of the
//! low-latency queue.
//!
//! Each flow's score rises with the bytes that it brings while the queue marks, times
//! the probability of marking, and falls at a constant rate. While the queue is longer
//! than critical, packets of flows with a high score are sanctioned. Scores are kept
//! in few buckets, as the time at which each will have expired. The delay that counts
//! is the age of the queue's oldest packet, as no rate is known.

use airpath_base::random::Keyed;
use airpath_base::{Duration, Time};

use super::hash::flow_hash;
use crate::Packet;

/// Buckets besides the one that all others share, 2^5 (RFC 9957, 4.1).
const BUCKETS: usize = 1 << BUCKET_BITS;
const BUCKET_BITS: u32 = 5;
/// Buckets that a flow may try (RFC 9957, 4.1).
const ATTEMPTS: u32 = 2;
/// The highest score: 5 s (RFC 9957, 4.1).
const MOST: Duration = Duration::from_secs(5);

/// Parameters of queue protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtectionConfig {
    /// Delay below which nothing is sanctioned: 1 ms (RFC 9957, 4.1, CRITICALqL).
    pub critical_delay: Duration,
    /// Score that is sanctioned at that delay: 4 ms (RFC 9957, 4.1, CRITICALqLSCORE).
    pub critical_score: Duration,
    /// Binary logarithm of the rate at which scores fall, in bytes a second: 19
    /// (RFC 9957, 4.1, LG_AGING).
    pub lg_aging: u8,
}

/// Scores of flows.
#[derive(Clone, Debug)]
pub struct Protection {
    config: ProtectionConfig,
    salt: Keyed,
    buckets: [Bucket; BUCKETS + 1],
}

#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    flow: u64,
    expires: Time,
}

impl Default for ProtectionConfig {
    fn default() -> ProtectionConfig {
        ProtectionConfig {
            critical_delay: Duration::from_millis(1),
            critical_score: Duration::from_millis(4),
            lg_aging: 19,
        }
    }
}

impl Protection {
    /// No flow has a score yet; `salt` makes the hash of flows.
    pub fn new(config: ProtectionConfig, salt: Keyed) -> Protection {
        Protection { config, salt, buckets: [Bucket::default(); BUCKETS + 1] }
    }

    /// Scores a packet that arrives while the queue has this delay and would mark with
    /// this probability, and says whether it is sanctioned (RFC 9957, 4.2).
    pub fn sanctions(
        &mut self,
        now: Time,
        packet: &Packet,
        delay: Duration,
        probability: f64,
    ) -> bool {
        let bucket = self.pick(now, flow_hash(packet, self.salt));
        let score = self.fill(now, bucket, packet.wire_size(), probability);
        let ProtectionConfig { critical_delay, critical_score, .. } = self.config;
        let product =
            |a: Duration, b: Duration| u128::from(a.as_nanos()) * u128::from(b.as_nanos());
        delay > critical_delay && product(delay, score) > product(critical_delay, critical_score)
    }

    /// The flow's bucket: its own, one that has expired, or the shared one.
    fn pick(&mut self, now: Time, flow: u64) -> usize {
        let mut free = None;
        for attempt in 0..ATTEMPTS {
            let at = (flow >> (attempt * BUCKET_BITS)) as usize % BUCKETS;
            let bucket = &mut self.buckets[at];
            if bucket.flow == flow {
                bucket.expires = bucket.expires.max(now);
                return at;
            }
            if bucket.expires <= now {
                free = free.or(Some(at));
            }
        }
        let at = free.unwrap_or(BUCKETS);
        let expires = self.buckets[at].expires.max(now);
        self.buckets[at] = Bucket { flow, expires };
        at
    }

    /// Adds to the score and gives it.
    fn fill(&mut self, now: Time, bucket: usize, size: u32, probability: f64) -> Duration {
        let bucket = &mut self.buckets[bucket];
        // A byte counts 2^30 / 2^lg_aging ns: the RFC takes 2^30 ns for a second.
        let per_byte = (1u64 << 30) as f64 / (1u64 << self.config.lg_aging.min(30)) as f64;
        let more = Duration::from_nanos((probability * f64::from(size) * per_byte) as u64);
        bucket.expires = (bucket.expires + more).min(now + MOST);
        bucket.expires.saturating_since(now)
    }
}

#[cfg(test)]
#[path = "protection_tests.rs"]
mod tests;
