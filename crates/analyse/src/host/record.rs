//! Records of a host, and of all hosts together.

use core::net::{IpAddr, Ipv4Addr};

use airpath_base::rrc::{Power, Usage};
use airpath_base::{Duration, Time};
use airpath_wire::Endpoint;
use serde::Serialize;

use crate::serial::{display, perhaps_seconds};
use crate::sketch::{Quartiles, Sketch};

/// A host: a client's address, from its first packet until nothing came for an hour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostRecord {
    /// Its address.
    pub address: IpAddr,
    /// Time of the first packet in seconds since 1970; none if a packet of the host has no time.
    #[serde(serialize_with = "perhaps_seconds")]
    pub start: Option<Time>,
    /// From first to last packet.
    pub duration_s: Option<f64>,
    /// Flows of which it is the client.
    pub flows: u64,
    /// Sent packets and bytes.
    pub up: Volume,
    /// Received packets and bytes.
    pub down: Volume,
    /// Period of its timestamp clock, over all flows.
    pub timestamp_period_ms: Option<f64>,
    /// Its standard error, relative.
    pub timestamp_period_error: Option<f64>,
    /// Promotion delay of the host's radio, for handshakes before which it was idle.
    pub promotion_delay_ms: Option<Quartiles>,
    /// Number of TCP flows that transferred data to the host at a time.
    pub concurrency: Option<Concurrent>,
    /// The states of its radio, if it has one like that of the options.
    pub radio: Option<RadioUse>,
    /// Servers with requests at even intervals.
    pub periodic: Vec<PeriodicRequests>,
    /// The promotion delays.
    #[serde(skip)]
    pub(crate) delays: Sketch,
}

/// Packets and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Volume {
    /// Packets.
    pub packets: u64,
    /// Bytes of the frames.
    pub bytes: u64,
}

/// Number of flows that were active at a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Concurrent {
    /// Time with one active flow or more.
    pub active_s: f64,
    /// Shares of it with one active flow, with two, and so on.
    pub shares: Vec<f64>,
}

/// Promotions, states and energy of a radio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RadioUse {
    /// Promotions from idle to connected.
    pub promotions: u64,
    /// Time in each state.
    pub time_s: RadioTimes,
    /// Energy by what it was spent on.
    pub energy_j: RadioEnergy,
}

/// Time in each state, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RadioTimes {
    /// Idle.
    pub idle: f64,
    /// On the way to connected.
    pub promotion: f64,
    /// Connected, listening all the time.
    pub active: f64,
    /// In the short DRX cycle.
    pub short_drx: f64,
    /// In the long DRX cycle.
    pub long_drx: f64,
}

/// Energy by what it was spent on, in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RadioEnergy {
    /// Idle, pages included.
    pub idle: f64,
    /// Promotions.
    pub promotion: f64,
    /// Connected and listening all the time.
    pub active: f64,
    /// Connected in DRX.
    pub drx: f64,
    /// Data sent, on top of the state's.
    pub up: f64,
    /// Data received, on top of the state's.
    pub down: f64,
    /// All of it.
    pub total: f64,
}

/// Requests at even intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PeriodicRequests {
    /// The server.
    #[serde(serialize_with = "display")]
    pub server: Endpoint,
    /// The period.
    pub period_s: f64,
    /// Root mean square of what intervals differ from it.
    pub jitter_s: f64,
    /// Requests; those within a second after one another are one.
    pub requests: u64,
    /// One minus the probability that requests at random would be as even.
    pub confidence: f64,
}

/// All hosts together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AllHosts {
    /// Hosts.
    pub hosts: u64,
    /// Promotion delays of radios, for handshakes before which they were idle.
    pub promotion_delay_ms: Option<Quartiles>,
    /// Number of TCP flows that transferred data to a host at a time.
    pub concurrency: Option<Concurrent>,
    /// The states of their radios.
    pub radio: Option<RadioUse>,
    #[serde(skip)]
    delays: Sketch,
}

impl Default for HostRecord {
    fn default() -> HostRecord {
        HostRecord {
            address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            start: None,
            duration_s: None,
            flows: 0,
            up: Volume::default(),
            down: Volume::default(),
            timestamp_period_ms: None,
            timestamp_period_error: None,
            promotion_delay_ms: None,
            concurrency: None,
            radio: None,
            periodic: Vec::new(),
            delays: Sketch::default(),
        }
    }
}

impl AllHosts {
    /// Adds a host.
    pub(crate) fn add(&mut self, host: &HostRecord) {
        self.hosts += 1;
        self.delays.join(&host.delays);
        if let Some(more) = &host.concurrency {
            self.concurrency.get_or_insert_default().join(more);
        }
        if let Some(more) = &host.radio {
            self.radio.get_or_insert_default().join(more);
        }
    }

    /// The record, completed after the last host.
    pub(crate) fn finished(self) -> AllHosts {
        AllHosts { promotion_delay_ms: self.delays.quartiles(1e6), ..self }
    }
}

impl Concurrent {
    /// From the time at each level; none if there was none.
    pub(crate) fn new(levels: &[Duration]) -> Option<Concurrent> {
        let seconds: Vec<f64> = levels.iter().map(|time| time.as_secs_f64()).collect();
        let active_s = seconds.iter().sum::<f64>();
        let shares = || seconds.iter().map(|s| s / active_s).collect();
        (active_s > 0.0).then(|| Concurrent { active_s, shares: shares() })
    }

    fn join(&mut self, other: &Concurrent) {
        let active_s = self.active_s + other.active_s;
        let levels = self.shares.len().max(other.shares.len());
        let share = |of: &Concurrent, n| of.shares.get(n).map_or(0.0, |share| share * of.active_s);
        let shares = (0..levels).map(|n| (share(self, n) + share(other, n)) / active_s).collect();
        *self = Concurrent { active_s, shares };
    }
}

impl RadioUse {
    fn join(&mut self, other: &RadioUse) {
        self.promotions += other.promotions;
        let (time, more) = (&mut self.time_s, &other.time_s);
        time.idle += more.idle;
        time.promotion += more.promotion;
        time.active += more.active;
        time.short_drx += more.short_drx;
        time.long_drx += more.long_drx;
        let (energy, more) = (&mut self.energy_j, &other.energy_j);
        energy.idle += more.idle;
        energy.promotion += more.promotion;
        energy.active += more.active;
        energy.drx += more.drx;
        energy.up += more.up;
        energy.down += more.down;
        energy.total += more.total;
    }
}

/// Promotions, states and energy of a radio of this power.
pub(super) fn usage(power: &Power, usage: &Usage) -> RadioUse {
    let energy = power.energy(usage);
    RadioUse {
        promotions: usage.promotions,
        time_s: RadioTimes {
            idle: usage.idle.as_secs_f64(),
            promotion: usage.promotion.as_secs_f64(),
            active: usage.active.as_secs_f64(),
            short_drx: usage.short_drx.as_secs_f64(),
            long_drx: usage.long_drx.as_secs_f64(),
        },
        energy_j: RadioEnergy {
            idle: energy.idle,
            promotion: energy.promotion,
            active: energy.active,
            drx: energy.drx,
            up: energy.up,
            down: energy.down,
            total: energy.total(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_all_hosts_are_weighted_by_time() {
        let host = |levels: &[u64]| HostRecord {
            concurrency: Concurrent::new(
                &levels.iter().map(|s| Duration::from_secs(*s)).collect::<Vec<_>>(),
            ),
            ..HostRecord::default()
        };
        let mut all = AllHosts::default();
        [host(&[6, 0, 2]), host(&[]), host(&[2])].iter().for_each(|host| all.add(host));
        let together = all.concurrency.unwrap();
        assert_eq!((all.hosts, together.active_s), (3, 10.0));
        let expected = [0.8, 0.0, 0.2];
        let close = together.shares.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close && together.shares.len() == 3, "{together:?}");
    }
}
