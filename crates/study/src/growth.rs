//! The growth trace: bytes of each download by time of arrival.

use airpath_base::{Duration, NodeId, Time};
use airpath_net::{AppEvent, Event, Leg, Packet, Probe, Stage, TcpEvent};

use crate::ramp::{Growth, Trip};

/// Stages that are not in the radio access network.
const WIRED: [Stage; 4] = [Stage::Sender, Stage::WiredQueue, Stage::Wired, Stage::Processing];

/// A probe that records the growth of each flow.
#[derive(Default)]
pub(crate) struct GrowthTrace(Vec<Growth>);

impl GrowthTrace {
    /// Takes the record of flow `n`, or none if no event of the flow was recorded. The flow began
    /// at `started`, in a run that ended at `ended`.
    pub(crate) fn growth(&mut self, n: usize, started: Time, ended: Time) -> Option<Growth> {
        let growth = std::mem::take(self.0.get_mut(n)?);
        Some(Growth { started: started.as_nanos(), ended: ended.as_nanos(), ..growth })
    }

    fn flow(&mut self, n: usize) -> &mut Growth {
        if self.0.len() <= n {
            self.0.resize_with(n + 1, Growth::default);
        }
        &mut self.0[n]
    }

    fn arrived(&mut self, now: Time, packet: &Packet) {
        let delay = packet.stages.total();
        let wired: Duration = WIRED.iter().map(|stage| packet.stages.spent(*stage)).sum();
        let (delay, wired) = (delay.as_nanos(), wired.as_nanos());
        let trip = Trip { at: now.as_nanos(), delay, air: delay - wired };
        let leg = usize::from(packet.leg == Leg::Feedback);
        self.flow(packet.flow.index()).trips[leg].push(trip);
    }
}

impl Probe for GrowthTrace {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::Consumed(packet) => self.arrived(now, packet),
            Event::Tcp(flow, TcpEvent::Established) => {
                self.flow(flow.index()).established.get_or_insert(now.as_nanos());
            }
            Event::App(flow, AppEvent::Delivered { bytes }) => {
                let delivered = &mut self.flow(flow.index()).delivered;
                let before = delivered.last().map_or(0, |(_, bytes)| *bytes);
                delivered.push((now.as_nanos(), before + bytes));
            }
            _ => {}
        }
    }
}
