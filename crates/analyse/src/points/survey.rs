//! Survey of a capture, and a sample of its packets that is drawn the same way at every point.
//!
//! The sample is of the packets with the least fingerprints. Packets that two captures share
//! have the same fingerprints, so if one capture's sample has a packet, the other's most likely
//! has it, too. That needs little memory, and no idea of the clocks.

use std::collections::BTreeMap;

use super::feed::{Feed, Passed, Sizes};
use super::identity::{LADDER, fold};

/// Packets of a sample.
const SAMPLE: usize = 8_192;
/// Greatest number of interfaces.
pub(super) const MOST_INTERFACES: usize = 16;

/// A packet of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled {
    pub(super) at: i64,
    /// Stands for its flow, and for the hosts at its ends.
    pub(super) flow: u64,
    pub(super) hosts: [u64; 2],
    pub(super) side: usize,
    pub(super) ttl: u8,
    /// True if other packets have the same fingerprint.
    several: bool,
}

/// Packets that passed a point.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) packets: u64,
    /// Packets without a time. They are none of the others.
    pub(super) untimed: u64,
    /// Times of the first and the last packet.
    pub(super) span: Option<(i64, i64)>,
    samples: [BTreeMap<u64, Sampled>; LADDER.len()],
}

/// Two samples, compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Common {
    /// Index in [`LADDER`] of the invariants that distinguish packets.
    pub(super) ladder: usize,
    /// Lead of the second clock over the first, in nanoseconds, without delays.
    pub(super) ahead: i64,
    pub(super) toward: Toward,
}

/// Directions of flows that are known without the clocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Toward {
    /// For flows: whether packets of the lesser end pass the first point first.
    flows: BTreeMap<u64, bool>,
    /// For hosts: whether their packets pass the first point first; none if their flows disagree.
    hosts: BTreeMap<u64, Option<bool>>,
}

/// Number that stands for a flow in samples.
fn flow_of(passed: &Passed) -> u64 {
    fold(&passed.key.words())
}

/// Numbers of the hosts at its ends.
fn hosts_of(passed: &Passed) -> [u64; 2] {
    let [a, b, c, d, _] = passed.key.words();
    [fold(&[a, b]), fold(&[c, d])]
}

impl Toward {
    /// True if packets of the lesser end of a packet's flow pass the first point first; none if
    /// unknown.
    pub(super) fn of(&self, passed: &Passed) -> Option<bool> {
        let known = self.flows.get(&flow_of(passed)).copied();
        known.or_else(|| self.by_hosts(hosts_of(passed)))
    }

    /// Direction of a packet by its hosts; none if they disagree.
    fn by_hosts(&self, hosts: [u64; 2]) -> Option<bool> {
        let [near, far] = hosts.map(|host| self.hosts.get(&host).copied().flatten());
        match (near, far.map(|far| !far)) {
            (Some(one), Some(other)) if one != other => None,
            (one, other) => one.or(other),
        }
    }

    /// Notes the side of the points on which the hosts of a flow are.
    fn learn(&mut self, hosts: [u64; 2], toward: bool) {
        for (host, side) in hosts.into_iter().zip([toward, !toward]) {
            let known = self.hosts.entry(host).or_insert(Some(side));
            if *known != Some(side) {
                *known = None;
            }
        }
    }
}

impl Survey {
    /// Surveys a capture, by its interfaces.
    pub(super) fn of(feed: &mut Feed<'_>) -> BTreeMap<u32, Survey> {
        let mut sizes = Sizes::default();
        let mut all: BTreeMap<u32, Survey> = BTreeMap::new();
        while let Some(passed) = feed.next(&mut sizes) {
            if all.len() < MOST_INTERFACES || all.contains_key(&passed.interface) {
                all.entry(passed.interface).or_default().add(&passed);
            }
        }
        for (interface, count) in feed.untimed() {
            if all.len() < MOST_INTERFACES || all.contains_key(interface) {
                all.entry(*interface).or_default().untimed += count;
            }
        }
        all
    }

    /// Takes another of the same point in.
    pub(super) fn join(mut self, other: Survey) -> Survey {
        self.packets += other.packets;
        self.untimed += other.untimed;
        self.span = match (self.span, other.span) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        for (ours, theirs) in self.samples.iter_mut().zip(other.samples) {
            theirs.into_iter().for_each(|(digest, sampled)| keep(ours, digest, sampled));
        }
        self
    }

    fn add(&mut self, passed: &Passed) {
        self.packets += 1;
        let (first, last) = self.span.unwrap_or((passed.at, passed.at));
        self.span = Some((first.min(passed.at), last.max(passed.at)));
        let Passed { at, side, ttl, .. } = *passed;
        let (flow, hosts) = (flow_of(passed), hosts_of(passed));
        let sampled = Sampled { at, flow, hosts, side, ttl, several: false };
        for (sample, by) in self.samples.iter_mut().zip(LADDER) {
            keep(sample, passed.identity.digest(by), sampled);
        }
    }

    /// Compares it with that of the second point; none if they have nothing in common. A looser
    /// rule must find a tenth more than a stricter one.
    pub(super) fn common(&self, second: &Survey) -> Option<Common> {
        let found = (0..LADDER.len()).map(|n| (n, pairs(&self.samples[n], &second.samples[n])));
        let best = found.fold((0, Vec::new()), |best, (n, pairs)| {
            if 10 * pairs.len() > 11 * best.1.len() { (n, pairs) } else { best }
        });
        let (ladder, pairs) = best;
        let mut ahead: Vec<i64> = pairs.iter().map(|(a, b)| b.at - a.at).collect();
        ahead.sort_unstable();
        let ahead = *ahead.get(ahead.len() / 2)?;
        Some(Common { ladder, ahead, toward: toward(&pairs) })
    }
}

/// Keeps a packet if its fingerprint is among the least.
fn keep(sample: &mut BTreeMap<u64, Sampled>, digest: u64, sampled: Sampled) {
    if let Some(known) = sample.get_mut(&digest) {
        known.several = true;
        return;
    }
    if sample.len() >= SAMPLE {
        if sample.last_key_value().is_some_and(|(last, _)| *last < digest) {
            return;
        }
        sample.pop_last();
    }
    sample.insert(digest, sampled);
}

/// Packets of both samples that are alone with their fingerprint.
fn pairs(
    first: &BTreeMap<u64, Sampled>,
    second: &BTreeMap<u64, Sampled>,
) -> Vec<(Sampled, Sampled)> {
    let both = first.iter().filter_map(|(digest, a)| Some((*a, *second.get(digest)?)));
    both.filter(|(a, b)| !a.several && !b.several).collect()
}

/// Directions of flows. A packet that passes the first point first has a stamp at the second point
/// that is later by its delay. A packet on the way back has one that is earlier. Of a flow's two
/// directions, the one with the greater difference therefore passes the first point first, with any
/// clocks. With one direction, the TTL decides, as each hop lowers it. Otherwise the side decides
/// on which other flows have the same hosts.
fn toward(pairs: &[(Sampled, Sampled)]) -> Toward {
    let mut hosts: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
    let mut flows: BTreeMap<u64, [Vec<i64>; 2]> = BTreeMap::new();
    let mut hops: BTreeMap<u64, i64> = BTreeMap::new();
    for (a, b) in pairs {
        flows.entry(a.flow).or_default()[a.side].push(b.at - a.at);
        hosts.insert(a.flow, a.hosts);
        let lowered = (i64::from(a.ttl) - i64::from(b.ttl)).signum();
        *hops.entry(a.flow).or_default() += if a.side == 0 { lowered } else { -lowered };
    }
    let mut known = Toward::default();
    for (flow, [mut there, mut back]) in flows {
        let hops = hops.get(&flow).copied().unwrap_or(0);
        let told = match (median(&mut there), median(&mut back)) {
            _ if hops != 0 => Some(hops > 0),
            (Some(there), Some(back)) if there != back => Some(there > back),
            _ => None,
        };
        if let Some(toward) = told {
            known.flows.insert(flow, toward);
            known.learn(hosts[&flow], toward);
        }
    }
    known
}

fn median(values: &mut [i64]) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}
