//! Flows that pass a proxy: both parts of each, and the proxy itself.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{FlowId, NodeId};
use airpath_net::Class;
use airpath_transport::{Proxy, ProxySide, Split};
use airpath_wire::{Endpoint, Protocol, Tuple};

use super::hosts::Cast;
use super::{Builder, WorldError, addresses};
use crate::file::{self, Flow, Tcp};

/// The flows that are split.
#[derive(Debug, Default)]
pub(super) struct Splits {
    /// The part at the server, by that at the UE.
    far: BTreeMap<FlowId, FlowId>,
    splits: Vec<Split>,
}

impl Splits {
    /// Flows are counted as [`Traffic`](super::traffic::Traffic) counts them; the parts at
    /// servers come after all.
    pub fn new(cast: &Cast<'_>, seed: Seed) -> Result<Splits, WorldError> {
        let scenario = cast.scenario;
        let Some(proxy) = &scenario.path.proxy else { return Ok(Splits::default()) };
        let sides = proxy.ue.as_ref().zip(proxy.server.as_ref());
        let lacking = || WorldError::new("proxy", "its options of TCP are lacking");
        let (ue, server) = sides.ok_or_else(lacking)?;
        let total: usize =
            scenario.flow.iter().map(|flow| cast.users(flow).len() * flow.flows_of_ue()).sum();
        let (mut splits, mut near) = (Splits::default(), 0);
        for flow in &scenario.flow {
            for member in cast.users(flow) {
                if proxy.splits(flow) {
                    let far = FlowId((total + splits.far.len()) as u32);
                    splits.far.insert(FlowId(near), far);
                    let own = seed.keyed("congestion control").bits([u64::from(far.0), 0, 0]);
                    splits.add(flow, member, [FlowId(near), far], [ue, server], own);
                }
                near += flow.flows_of_ue() as u32;
            }
        }
        Ok(splits)
    }

    fn add(&mut self, flow: &Flow, ue: usize, ids: [FlowId; 2], options: [&Tcp; 2], seed: u64) {
        let side = |n: usize| ProxySide { flow: ids[n], tcp: Tcp { seed, ..options[n].clone() } };
        let first = flow.local_port.unwrap_or(0);
        for more in 0..flow.ports() {
            let src = Endpoint::new(addresses::ue(ue), first + more);
            let dst = Endpoint::new(flow.remote_address, flow.remote_port.unwrap_or(0));
            self.splits.push(Split {
                uplink: Tuple { src, dst, protocol: Protocol::TCP },
                data: flow.direction,
                dscp: (flow.code_point(), flow.feedback_code_point()),
                client: side(0),
                server: side(1),
            });
        }
    }

    /// The part of a flow at its server, if it is split.
    pub fn far(&self, near: FlowId) -> Option<FlowId> {
        self.far.get(&near).copied()
    }

    /// Adds the proxy.
    pub fn node(&self, proxy: &file::Proxy, builder: &mut Builder) -> Result<NodeId, WorldError> {
        let node = Proxy::new(self.splits.clone(), proxy.relay_buffer.0)
            .map_err(|error| WorldError::new("proxy", error))?;
        Ok(builder.engine.add("proxy", Class::Packets, Box::new(node)))
    }
}
