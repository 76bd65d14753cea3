//! Probes of the bandwidth: their rates (libwebrtc, probe_controller.cc), and what they find (probe_bitrate_estimator.cc).
//!
//! The first two clusters have 3 and 6 times the first rate. A target above 0.7 of the last cluster's rate makes one more, of
//! twice the target. The probes end when a second passes without such a target, or at the largest rate.
//!
//! Left out: probes while the application sends less than it may, and after a large decrease.

use std::collections::{BTreeMap, VecDeque};

use airpath_base::{Duration, Time};

use crate::paced::{Cluster, Rates};

/// Rates of the first clusters over the first rate, and of further ones over the target.
const FIRST: [f64; 2] = [3.0, 6.0];
const FURTHER: f64 = 2.0;
/// Share of a cluster's rate above which a target makes one more.
const ENOUGH: f64 = 0.7;
/// Time for which a target above that share counts.
const PATIENCE: Duration = Duration::from_secs(1);
/// Shares of a cluster's packets and bytes that must have arrived.
const RECEIVED: f64 = 0.8;
/// Longest time between the first and the last packet.
const LONGEST: Duration = Duration::from_secs(1);
/// Receiving rate over sending rate above which a cluster says nothing, and below which the link is full.
const IMPOSSIBLE: f64 = 2.0;
const FULL: f64 = 0.9;
/// Share of the rate of a full link that counts.
const OF_FULL: f64 = 0.95;

#[derive(Debug)]
pub(super) struct Probing {
    max: f64,
    next_id: u32,
    planned: VecDeque<Cluster>,
    /// Target that makes one more cluster, and time from which on it is waited for.
    further: Option<(f64, Time)>,
    seen: BTreeMap<u32, Seen>,
}

/// Packets of a cluster that have arrived.
#[derive(Clone, Copy, Debug)]
struct Seen {
    cluster: Cluster,
    packets: u32,
    bytes: f64,
    /// Times of sending, and bytes of the last packet that was sent.
    sent: [Time; 2],
    last_sent_bytes: f64,
    /// Times of arrival, and bytes of the first packet that arrived.
    arrived: [Time; 2],
    first_arrived_bytes: f64,
}

impl Probing {
    pub fn new(rates: Rates) -> Probing {
        let (planned, seen) = (VecDeque::new(), BTreeMap::new());
        let mut own = Probing { max: rates.max, next_id: 0, planned, further: None, seen };
        own.plan(Time::ZERO, &FIRST.map(|scale| scale * rates.start));
        own
    }

    /// Plans clusters of these rates, up to the largest one.
    fn plan(&mut self, now: Time, rates: &[f64]) {
        self.further = None;
        for &rate in rates {
            let cluster = Cluster { id: self.next_id, rate: rate.min(self.max) };
            self.next_id += 1;
            self.planned.push_back(cluster);
            if rate >= self.max {
                self.further = None;
                return;
            }
            self.further = Some((ENOUGH * rate, now));
        }
    }

    /// The next cluster.
    pub fn take(&mut self, now: Time) -> Option<Cluster> {
        let cluster = self.planned.pop_front()?;
        if let Some((_, since)) = &mut self.further {
            *since = now;
        }
        self.seen.insert(cluster.id, Seen::new(cluster));
        Some(cluster)
    }

    /// A packet of a cluster has arrived. Gives the rate that the cluster shows, if enough of it has.
    pub fn arrived(&mut self, id: u32, sent: Time, at: Time, bytes: u32) -> Option<f64> {
        let seen = self.seen.get_mut(&id)?;
        seen.add(sent, at, f64::from(bytes));
        seen.rate()
    }

    /// The target has changed.
    pub fn on_target(&mut self, now: Time, target: f64) {
        let Some((enough, since)) = self.further else { return };
        if now.saturating_since(since) > PATIENCE {
            self.further = None;
        } else if target > enough {
            self.plan(now, &[FURTHER * target]);
        }
    }
}

impl Seen {
    fn new(cluster: Cluster) -> Seen {
        let zero = [Time::ZERO; 2];
        Seen {
            cluster,
            packets: 0,
            bytes: 0.0,
            sent: zero,
            last_sent_bytes: 0.0,
            arrived: zero,
            first_arrived_bytes: 0.0,
        }
    }

    fn add(&mut self, sent: Time, at: Time, bytes: f64) {
        let first = self.packets == 0;
        if first || sent >= self.sent[1] {
            self.last_sent_bytes = bytes;
        }
        if first || at < self.arrived[0] {
            self.first_arrived_bytes = bytes;
        }
        let span = |[from, to]: [Time; 2], time: Time| match first {
            true => [time; 2],
            false => [from.min(time), to.max(time)],
        };
        (self.sent, self.arrived) = (span(self.sent, sent), span(self.arrived, at));
        (self.packets, self.bytes) = (self.packets + 1, self.bytes + bytes);
    }

    fn rate(&self) -> Option<f64> {
        let (packets, bytes) = self.cluster.least();
        if f64::from(self.packets) < RECEIVED * f64::from(packets) || self.bytes < RECEIVED * bytes
        {
            return None;
        }
        let rate = |[from, to]: [Time; 2], bytes: f64| {
            let span = to.since(from);
            let fine = !span.is_zero() && span <= LONGEST;
            fine.then(|| 8.0 * bytes / span.as_secs_f64())
        };
        let sent = rate(self.sent, self.bytes - self.last_sent_bytes)?;
        let received = rate(self.arrived, self.bytes - self.first_arrived_bytes)?;
        match received / sent {
            ratio if ratio > IMPOSSIBLE => None,
            ratio if ratio < FULL => Some(OF_FULL * received),
            _ => Some(sent.min(received)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { min: 0.1e6, start: 0.3e6, max: 10e6 };

    /// Rate that the first cluster shows whose five packets of 1200 bytes leave each `sent` and arrive each `at` ms.
    fn found(sent: u64, at: u64) -> Option<f64> {
        let mut probing = Probing::new(RATES);
        probing.take(Time::ZERO);
        let packet = |n: u64| {
            let ms = Time::from_millis;
            probing.arrived(0, ms(10 + n * sent), ms(50 + n * at), 1200)
        };
        (0..5).map(packet).last().flatten()
    }

    #[test]
    fn a_cluster_shows_the_smaller_rate_or_a_full_link() {
        // 4 packets of 9600 bits in 4 ms are 9.6 Mbit/s, in 8 ms 4.8 Mbit/s.
        assert_eq!(found(1, 1), Some(9.6e6));
        assert_eq!(found(1, 2), Some(0.95 * 4.8e6));
        assert_eq!(found(20, 19).map(f64::round), Some(480e3));
        // Three times as fast as it was sent.
        assert_eq!(found(3, 1), None);
    }

    #[test]
    fn clusters_follow_while_the_target_keeps_up() {
        let mut probing = Probing::new(RATES);
        let mut rates = |now: u64, target: Option<f64>| {
            let now = Time::from_millis(now);
            if let Some(target) = target {
                probing.on_target(now, target);
            }
            std::iter::from_fn(|| probing.take(now)).map(|own| own.rate).collect::<Vec<_>>()
        };
        let near = |rates: Vec<f64>, expected: &[f64]| {
            assert_eq!(rates.iter().map(|rate| rate.round()).collect::<Vec<_>>(), expected);
        };
        near(rates(0, None), &[900e3, 1.8e6]);
        // 0.7 * 1.8 Mbit/s are 1.26 Mbit/s.
        near(rates(100, Some(1.2e6)), &[]);
        near(rates(200, Some(1.7e6)), &[3.4e6]);
        near(rates(300, Some(3.2e6)), &[6.4e6]);
        near(rates(400, Some(6.0e6)), &[10e6]);
        near(rates(500, Some(9.9e6)), &[]);
        let mut late = Probing::new(RATES);
        while late.take(Time::ZERO).is_some() {}
        late.on_target(Time::from_millis(1_001), 1.7e6);
        assert_eq!(late.take(Time::from_millis(1_001)), None);
    }
}
