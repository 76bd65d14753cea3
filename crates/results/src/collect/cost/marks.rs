//! Packets around the change of a cell with the longest gap, for a picture of it.
//!
//! Each UE has rings of its last packets: of those received, and of those dropped, which may be many at a handover.
//! They are copied when a gap longer than all before has ended, and the UE's next packets are added. So memory does
//! not grow with the run.

use std::collections::VecDeque;

use airpath_base::{Duration, FlowId, Time, UeId};
use airpath_net::{DropCause, Leg, Packet, Stage};

use super::FlowCost;

/// Packets of a ring, and those behind the end of a gap.
const MOST: usize = 512;

/// A data packet with its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketMark {
    /// Its flow.
    pub flow: FlowId,
    /// Its number within the flow's data.
    pub number: u64,
    /// Time at which its sender handed it to the network.
    pub sent: Time,
    /// Time at which it was received or dropped.
    pub ended: Time,
    /// Cause of the drop; none if it was received.
    pub dropped: Option<DropCause>,
}

/// Packets of all UEs.
pub(super) struct Marks {
    /// Received and dropped ones of each UE.
    rings: Vec<[VecDeque<PacketMark>; 2]>,
    longest: Option<Longest>,
}

/// Packets around the longest gap so far.
struct Longest {
    ue: UeId,
    handover: usize,
    gap: Duration,
    packets: Vec<PacketMark>,
    /// Packets that may follow.
    left: usize,
    until: Time,
}

impl Marks {
    pub(super) fn new(ues: usize) -> Marks {
        Marks { rings: vec![Default::default(); ues], longest: None }
    }

    /// A packet of a UE has been received or dropped.
    pub(super) fn ended(
        &mut self,
        now: Time,
        ue: Option<UeId>,
        packet: &Packet,
        dropped: Option<DropCause>,
    ) {
        let Some(ue) = ue.filter(|_| packet.leg == Leg::Data) else { return };
        let Some(rings) = self.rings.get_mut(ue.index()) else { return };
        let ring = &mut rings[usize::from(dropped.is_some())];
        let sent = packet.born() + packet.stages.spent(Stage::Sender);
        let (flow, number) = (packet.flow, packet.number);
        let mark = PacketMark { flow, number, sent, ended: now, dropped };
        if ring.len() == MOST {
            ring.pop_front();
        }
        ring.push_back(mark);
        if let Some(longest) = self.longest.as_mut().filter(|one| one.ue == ue && one.left > 0) {
            longest.left = if now < longest.until { longest.left - 1 } else { 0 };
            if longest.left > 0 {
                longest.packets.push(mark);
            }
        }
    }

    /// A gap of a UE's flow has ended.
    pub(super) fn propose(&mut self, ue: Option<UeId>, cost: &FlowCost) {
        let found = (ue, cost.handover, cost.gap, cost.until);
        let (Some(ue), Some(handover), Some((_, gap)), Some(until)) = found else { return };
        let Some(rings) = self.rings.get(ue.index()) else { return };
        if self.longest.as_ref().is_none_or(|longest| gap > longest.gap) {
            let mut packets: Vec<PacketMark> = rings.iter().flatten().copied().collect();
            packets.sort_by_key(|mark| mark.ended);
            self.longest = Some(Longest { ue, handover, gap, packets, left: MOST, until });
        }
    }

    /// Number of the record of the change with the longest gap, and its packets.
    pub(super) fn longest(&self) -> Option<(usize, &[PacketMark])> {
        self.longest.as_ref().map(|longest| (longest.handover, &longest.packets[..]))
    }
}
