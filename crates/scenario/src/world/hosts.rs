//! Real hosts: ends whose packets come from outside the world, as those of programs do.
//!
//! What a real UE sends enters the world where its flows would send, and what reaches it leaves
//! the world there. What goes to no simulated server reaches the real one in the same way.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use airpath_base::random::Seed;
use airpath_base::{FlowId, NodeId, Port, Time, UeId};
use airpath_net::{Direction, Door};

use super::{Builder, FlowFacts, WorldError, WorldOptions, addresses};
use crate::file::{Flow, Scenario};

/// A host whose packets come from outside.
#[derive(Clone, Debug)]
pub struct Host {
    /// Name of the UE, or "server".
    pub name: String,
    /// Its UE; none is the server.
    pub ue: Option<UeId>,
    /// Its addresses.
    pub v4: Ipv4Addr,
    /// Its IPv6 address.
    pub v6: Ipv6Addr,
    /// Door by which its packets enter the world.
    pub enter: Door,
    /// Output whose packets leave the world for this host.
    pub leave: (NodeId, Port),
    /// Flows that its packets are counted for: a UE's two flows, to it and from it. A server's
    /// packets are counted for the UE at their other end.
    pub flows: Option<[FlowId; 2]>,
}

/// Kind of the flows of a real host.
pub(super) const KIND: &str = "real";

/// UEs of a scenario that are real, and whether they have their flows beside that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cast<'a> {
    pub scenario: &'a Scenario,
    real: &'a [usize],
    with_flows: bool,
    carried: &'a [usize],
}

impl<'a> Cast<'a> {
    pub fn new(scenario: &'a Scenario, real: &'a [usize], options: &WorldOptions<'a>) -> Cast<'a> {
        let &WorldOptions { with_flows, carried, .. } = options;
        Cast { scenario, real, with_flows, carried }
    }

    /// True if real hosts carry the flow with this number in the file.
    pub fn carries(&self, entry: usize) -> bool {
        self.carried.contains(&entry)
    }

    /// The UEs that have a flow, in ascending order.
    pub fn users(&self, flow: &Flow) -> Vec<usize> {
        let mut users = self.scenario.members(&flow.ue, flow.only.as_ref());
        users.retain(|ue| self.with_flows || !self.real.contains(ue));
        users
    }
}

/// Numbers of the UEs of these names, in ascending order.
pub(super) fn named(scenario: &Scenario, names: &[String]) -> Result<Vec<usize>, WorldError> {
    let all: Vec<String> = scenario.ues().map(|ue| ue.name()).collect();
    let number = |name: &String| {
        let found = all.iter().position(|known| known == name);
        found.ok_or_else(|| WorldError::new("ue", format!("none is called {name:?}")))
    };
    let mut numbers = names.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

impl Host {
    /// The real hosts that a world with these real UEs will have, the server first. They have names
    /// and addresses only, as no door is known before the world is there.
    ///
    /// # Errors
    ///
    /// If no UE has one of the names.
    pub fn of(scenario: &Scenario, seed: Seed, names: &[String]) -> Result<Vec<Host>, WorldError> {
        let scenario = scenario.with_arrivals(seed);
        Ok(Host::all(&scenario, &named(&scenario, names)?))
    }

    /// The server, and the UEs of these numbers.
    fn all(scenario: &Scenario, real: &[usize]) -> Vec<Host> {
        let names: Vec<String> = scenario.ues().map(|ue| ue.name()).collect();
        let ues = real.iter().map(|&n| Host::new(names[n].clone(), Some(n)));
        [Host::new("server".to_owned(), None)].into_iter().chain(ues).collect()
    }

    fn new(name: String, ue: Option<usize>) -> Host {
        let nowhere = (NodeId(0), Port(0));
        let (v4, v6) = match ue {
            Some(n) => (addresses::ue(n), addresses::ue_v6(n)),
            None => (addresses::SERVER_V4, addresses::SERVER_V6),
        };
        let ue = ue.map(|n| UeId(n as u32));
        Host { name, ue, v4, v6, enter: nowhere.into(), leave: nowhere, flows: None }
    }

    /// Its addresses.
    pub fn addresses(&self) -> [IpAddr; 2] {
        [self.v4.into(), self.v6.into()]
    }
}

impl Builder<'_> {
    /// Adds the real hosts: the server and these UEs; none where no UE is real.
    pub(super) fn real_hosts(&mut self, scenario: &Scenario, real: &[usize]) {
        if !real.is_empty() {
            self.hosts = Host::all(scenario, real);
        }
    }

    /// The number of the real host at a UE, or of the real server.
    pub(super) fn host_of(&self, ue: Option<usize>) -> Option<usize> {
        let ue = ue.map(|n| UeId(n as u32));
        self.hosts.iter().position(|host| host.ue == ue)
    }

    /// Adds the flows that real packets are counted for, behind all others.
    pub(super) fn real_flows(&mut self, scenario: &Scenario) {
        for host in &mut self.hosts {
            let Some(ue) = host.ue else { continue };
            let first = self.facts.flows.len() as u32;
            host.flows = Some([FlowId(first), FlowId(first + 1)]);
            let both = [("down", Direction::Downlink), ("up", Direction::Uplink)];
            self.facts.flows.extend(both.map(|(word, direction)| FlowFacts {
                name: format!("{} {word}", host.name),
                entry: scenario.flow.len(),
                kind: KIND,
                application: None,
                ue,
                direction,
                tuple: None,
                bearers: [None; 2],
                start: Time::ZERO,
                stop: None,
                source: None,
                input: None,
                codec: None,
                no_pictures: false,
            }));
        }
    }
}
