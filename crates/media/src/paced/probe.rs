//! Clusters of packets that probe the bandwidth (libwebrtc, bitrate_prober.cc).

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

/// Least time that a cluster takes at its rate, and its least number of packets (libwebrtc, probe_controller.h,
/// `kMinProbeDuration` and `kMinProbePacketsSent`).
const SPAN: Duration = Duration::from_millis(15);
const PACKETS: u32 = 5;

/// Packets that leave at a rate of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cluster {
    /// Its number.
    pub id: u32,
    /// Rate in bit/s with the headers of RTP.
    pub rate: f64,
}

impl Cluster {
    /// Least number of packets, and least bytes.
    pub fn least(self) -> (u32, f64) {
        (PACKETS, self.rate / 8.0 * SPAN.as_secs_f64())
    }
}

/// Clusters of a sender, one after the other.
#[derive(Debug, Default)]
pub(super) struct Prober {
    waiting: VecDeque<Cluster>,
    active: Option<Active>,
}

#[derive(Debug)]
struct Active {
    cluster: Cluster,
    /// Time of the next packet.
    due: Time,
    packets: u32,
    bytes: f64,
}

impl Prober {
    pub fn add(&mut self, cluster: Cluster) {
        self.waiting.push_back(cluster);
    }

    /// Media is there: the next cluster begins, unless one is on.
    pub fn begin(&mut self, now: Time) {
        if self.active.is_none() {
            let begin = |cluster| Active { cluster, due: now, packets: 0, bytes: 0.0 };
            self.active = self.waiting.pop_front().map(begin);
        }
    }

    /// Time of the next packet of the cluster that is on.
    pub fn due(&self) -> Option<Time> {
        self.active.as_ref().map(|active| active.due)
    }

    /// A packet of so many bytes leaves. Gives the number of its cluster.
    pub fn sent(&mut self, now: Time, bytes: u32) -> Option<u32> {
        let active = self.active.as_mut()?;
        active.due = now + Duration::from_secs_f64(8.0 * f64::from(bytes) / active.cluster.rate);
        (active.packets, active.bytes) = (active.packets + 1, active.bytes + f64::from(bytes));
        let (id, (packets, least)) = (active.cluster.id, active.cluster.least());
        if active.packets >= packets && active.bytes >= least {
            self.active = None;
            self.begin(now);
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 1200 bytes at 9.6 Mbit/s, one in a millisecond: 15 ms are 18,000 bytes.
    #[test]
    fn a_cluster_has_its_rate_and_its_length() {
        let mut prober = Prober::default();
        prober.add(Cluster { id: 7, rate: 9.6e6 });
        prober.add(Cluster { id: 8, rate: 0.96e6 });
        let mut now = Time::from_millis(100);
        prober.begin(now);
        let mut sent = Vec::new();
        while let Some(due) = prober.due() {
            now = now.max(due);
            sent.push((now, prober.sent(now, 1200).expect("a cluster")));
        }
        let of = |id: u32| sent.iter().filter(move |(_, own)| *own == id).map(|(at, _)| *at);
        assert_eq!((of(7).count(), of(8).count()), (15, 5));
        assert_eq!(of(7).next_back(), Some(Time::from_millis(114)));
        // The second begins at once; five packets take longer than 15 ms at its rate.
        let second: Vec<Time> = of(8).collect();
        assert_eq!((second[0], second[4]), (Time::from_millis(114), Time::from_millis(154)));
    }
}
