//! Tables of the ECN field at tunnel ends, compared with the tunnel ends of a path.
//!
//! Each case is one packet through a [`TunnelEnd`] of either kind, IPsec and GTP-U. Both have to do
//! as the table says. The tables are data, and are read only to compare.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::AtomicBool;

use airpath_base::{Digest, FlowId, NodeId, Port, Time};
use airpath_net::testing::Bench;
use airpath_net::{Event, Leg, Node, Outer, Packet, Probe, TunnelKind};
use airpath_path::{TunnelConfig, TunnelEnd};
use airpath_sim::RunFailure;
use airpath_wire::tunnel::EcnMode;
use airpath_wire::{Ecn, Endpoint, Protocol, Tuple};
use serde::Deserialize;
use serde_json::Value;

use super::{Order, Own, file};
use crate::StudyError;
use crate::task::digest;

/// The fields in the order of rows and columns.
const FIELDS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce];

/// Names of the fields as the tables write them.
const NAMES: [&str; 4] = ["not-ECT", "ECT(0)", "ECT(1)", "CE"];

/// Kinds of tunnels that are tested.
const KINDS: [TunnelKind; 2] =
    [TunnelKind::Esp { spi: 1 }, TunnelKind::Gtpu { teid: 1, qfi: None, congestion: None }];

/// Expected results of tunnel ends.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    /// The outer field by the arriving one, in compatibility mode and in normal mode.
    encapsulation: [[String; 2]; 4],
    /// The field that goes on, or `drop`, by the arriving inner one and outer one.
    decapsulation: [[String; 4]; 4],
    /// True if the combination is to be logged, by the arriving inner field and outer field.
    log: [[bool; 4]; 4],
}

/// Result of a decapsulator for a packet.
struct Left {
    /// ECN field of the packet; none if the packet was dropped.
    ecn: Option<Ecn>,
    logged: bool,
}

/// The tables of a file.
///
/// # Errors
///
/// A file that is not there, or tables of another form.
pub(super) fn make(order: &Order<'_>, data: &Value) -> Result<Box<dyn Own>, StudyError> {
    let tables: Tables = serde_json::from_str(file(order, data)?)
        .map_err(|error| StudyError::Data(format!("{data}: {error}")))?;
    Ok(Box::new(tables))
}

impl Own for Tables {
    fn digest(&self) -> Digest {
        digest("tunnels", [Digest::new().field(format!("{self:?}").as_bytes()).value()])
    }

    fn figures(
        &self,
        _: u64,
        _: Option<&AtomicBool>,
    ) -> Result<Option<BTreeMap<String, f64>>, RunFailure> {
        Ok(Some(self.agreement()))
    }
}

impl Tables {
    /// In how many cases of each table the tunnel ends do what it says.
    fn agreement(&self) -> BTreeMap<String, f64> {
        let agree = |cases: Vec<bool>| cases.into_iter().filter(|same| *same).count() as f64;
        let decapsulated = |same: &dyn Fn(Left, usize, usize) -> bool| {
            let cases = (0..16).map(|n| (n / 4, n % 4));
            let both = |(inner, outer): (usize, usize)| {
                KINDS.iter().all(|kind| {
                    same(decapsulated(*kind, FIELDS[inner], FIELDS[outer]), inner, outer)
                })
            };
            agree(cases.map(both).collect())
        };
        let encapsulation = agree(self.encapsulated());
        let decapsulation =
            decapsulated(&|left, inner, outer| word(left.ecn) == self.decapsulation[inner][outer]);
        let log = decapsulated(&|left, inner, outer| left.logged == self.log[inner][outer]);
        let figures = [("encapsulation", encapsulation), ("decapsulation", decapsulation)];
        let figures = figures.into_iter().chain([("log", log)]);
        figures.map(|(name, count)| (name.to_owned(), count)).collect()
    }

    /// Of each case of the table of encapsulation, whether it is so.
    fn encapsulated(&self) -> Vec<bool> {
        let modes = [EcnMode::Compatibility, EcnMode::Normal];
        let case = |inner: usize, mode: usize| {
            let same = |kind: &TunnelKind| {
                let outer = encapsulated(*kind, FIELDS[inner], modes[mode]);
                word(outer) == self.encapsulation[inner][mode]
            };
            KINDS.iter().all(same)
        };
        (0..8).map(|n| case(n / 2, n % 2)).collect()
    }
}

fn word(ecn: Option<Ecn>) -> &'static str {
    let at = ecn.and_then(|ecn| FIELDS.iter().position(|field| *field == ecn));
    at.map_or("drop", |at| NAMES[at])
}

/// The outer field of what a tunnel end sends into the tunnel.
fn encapsulated(kind: TunnelKind, inner: Ecn, mode: EcnMode) -> Option<Ecn> {
    let mut end = TunnelEnd::new(config(kind, mode));
    let sent = through(&mut end, TunnelEnd::CLEAR, packet(inner), &mut Log::default())?;
    sent.outermost().map(|outer| outer.ecn)
}

/// Sends a packet from the tunnel through a tunnel end.
fn decapsulated(kind: TunnelKind, inner: Ecn, outer: Ecn) -> Left {
    let config = config(kind, EcnMode::Normal);
    let mut packet = packet(inner);
    let ends = (config.remote, config.local);
    // A packet in no tunnel yet takes one.
    let _ = packet.push_outer(Outer { kind, ends, dscp: 0, ecn: outer, overhead: 36 });
    let mut log = Log::default();
    let left = through(&mut TunnelEnd::new(config), TunnelEnd::TUNNEL, packet, &mut log);
    Left { ecn: left.map(|packet| packet.ecn), logged: log.0 }
}

/// True if a combination of fields was reported.
#[derive(Default)]
struct Log(bool);

impl Probe for Log {
    fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
        self.0 |= matches!(event, Event::SuspiciousEcn { .. });
    }
}

fn through(end: &mut TunnelEnd, port: Port, packet: Packet, log: &mut Log) -> Option<Packet> {
    let mut bench = Bench::new();
    end.receive(Time::ZERO, port, packet, &mut bench.cx_watched(Time::ZERO, log));
    bench.sent().pop().map(|(_, packet)| packet)
}

fn config(kind: TunnelKind, ecn: EcnMode) -> TunnelConfig {
    TunnelConfig { kind, ecn, ..TunnelConfig::ipsec(1, host(1), host(2)) }
}

fn packet(ecn: Ecn) -> Packet {
    let tuple = Tuple { src: host(3), dst: host(4), protocol: Protocol::UDP };
    let mut packet = Packet::new(FlowId(0), Leg::Data, 1000, tuple, Time::ZERO);
    packet.ecn = ecn;
    packet
}

/// An address for documentation (RFC 5737).
fn host(last: u8) -> Endpoint {
    Endpoint { addr: IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)), port: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> Tables {
        let text = include_str!("../../../../studies/l4s-5g/tunnels.json");
        serde_json::from_str(text).expect("tables")
    }

    #[test]
    fn a_wrong_entry_is_a_case_less() {
        let counts = |tables: &Tables| tables.agreement().into_values().collect::<Vec<f64>>();
        // In the order of their names: decapsulation, encapsulation, log.
        assert_eq!(counts(&tables()), [16.0, 8.0, 16.0]);
        let mut wrong = tables();
        wrong.encapsulation[3][0] = "CE".into();
        wrong.decapsulation[0][3] = "CE".into();
        wrong.decapsulation[1][2] = "ECT(0)".into();
        wrong.log[2][1] = false;
        assert_eq!(counts(&wrong), [14.0, 7.0, 15.0]);
    }
}
