//! Measurements of media flows by step of time.

use std::collections::BTreeMap;

use airpath_base::{Duration, FlowId, NodeId, Time};
use airpath_net::{AppEvent, Event, FrameMade, Leg, Packet, Payload, Probe, Stage};

/// A step.
const STEP: Duration = Duration::from_millis(200);

/// Metrics, in the order in which steps have them.
pub(super) const METRICS: [&str; 4] =
    ["transmitted_bps", "rtp_queue_ms", "network_queue_ms", "frame_delay_ms"];

/// Probe of media flows from an instant on.
pub(super) struct Listener {
    from: Time,
    flows: Vec<Vec<Step>>,
    /// Incomplete frames: the instant at which each was made, and its missing packets.
    open: BTreeMap<(FlowId, u32), (Time, u32)>,
}

/// Sums of a step.
#[derive(Clone, Debug, Default)]
struct Step {
    bytes: u64,
    /// Waits in the RTP queue, estimates of the wait in the network's queue, and delays of frames.
    spans: [Mean; 3],
}

#[derive(Clone, Debug, Default)]
struct Mean {
    nanos: u128,
    count: u64,
}

impl Mean {
    fn add(&mut self, span: Duration) {
        self.nanos += u128::from(span.as_nanos());
        self.count += 1;
    }

    fn millis(&self) -> Option<f64> {
        (self.count > 0).then(|| self.nanos as f64 / self.count as f64 / 1e6)
    }
}

impl Listener {
    pub(super) fn new(from: Time) -> Listener {
        Listener { from, flows: Vec::new(), open: BTreeMap::new() }
    }

    /// Mean rate of a flow in bit/s until `end`.
    pub(super) fn rate(&self, flow: FlowId, end: Time) -> f64 {
        let steps = self.flows.get(flow.index()).into_iter().flatten();
        let bytes: u64 = steps.map(|step| step.bytes).sum();
        bytes as f64 * 8.0 / end.saturating_since(self.from).as_secs_f64()
    }

    /// A metric of a flow over time: ends of steps in seconds, and values. Steps end with `end`; one
    /// that is not whole by then is left out.
    pub(super) fn points(&self, flow: FlowId, metric: usize, end: Time) -> Vec<(f64, f64)> {
        let steps = self.flows.get(flow.index()).map_or(&[][..], Vec::as_slice);
        let whole = end.saturating_since(self.from).as_nanos() / STEP.as_nanos();
        let points = (0..whole).filter_map(|n| {
            let at = Time::from_nanos(self.from.as_nanos() + (n + 1) * STEP.as_nanos());
            let step = steps.get(n as usize);
            let value = match metric {
                0 => Some(step.map_or(0.0, |step| step.bytes as f64 * 8.0 / STEP.as_secs_f64())),
                _ => step?.spans[metric - 1].millis(),
            };
            Some((at.as_secs_f64(), value?))
        });
        points.collect()
    }

    /// The step of an instant; none before the first.
    fn step(&mut self, flow: FlowId, at: Time) -> Option<&mut Step> {
        if at < self.from {
            return None;
        }
        let n = (at.saturating_since(self.from).as_nanos() / STEP.as_nanos()) as usize;
        if self.flows.len() <= flow.index() {
            self.flows.resize_with(flow.index() + 1, Vec::new);
        }
        let steps = &mut self.flows[flow.index()];
        if steps.len() <= n {
            steps.resize_with(n + 1, Step::default);
        }
        steps.get_mut(n)
    }

    fn arrived(&mut self, now: Time, packet: &Packet) {
        let Payload::Rtp(rtp) = &packet.payload else { return };
        if packet.leg == Leg::Feedback {
            return;
        }
        if let Some(step) = self.step(packet.flow, now) {
            step.bytes += u64::from(rtp.payload_len);
            step.spans[0].add(packet.stages.spent(Stage::Sender));
        }
        self.arrived_of_frame(now, (packet.flow, rtp.timestamp));
    }

    fn made(&mut self, now: Time, flow: FlowId, frame: FrameMade) {
        // Its picture is so much later, whenever its last packet comes.
        let made = Time::from_nanos(now.as_nanos().saturating_sub(frame.processing.as_nanos()));
        self.open.insert((flow, frame.timestamp), (made, frame.packets));
    }

    /// A packet of a frame has arrived, whose delay counts with its last.
    fn arrived_of_frame(&mut self, now: Time, frame: (FlowId, u32)) {
        let Some((made, missing)) = self.open.get_mut(&frame) else { return };
        let (made, left) = (*made, missing.saturating_sub(1));
        *missing = left;
        if left > 0 {
            return;
        }
        self.open.remove(&frame);
        if let Some(step) = self.step(frame.0, now) {
            step.spans[2].add(now.saturating_since(made));
        }
    }
}

impl Probe for Listener {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::Consumed(packet) => self.arrived(now, packet),
            Event::App(flow, AppEvent::Frame(frame)) => self.made(now, *flow, *frame),
            Event::App(flow, AppEvent::Media(state)) => {
                if let Some(step) = self.step(*flow, now) {
                    step.spans[1].add(state.queue_delay);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_counts_in_the_step_in_which_its_last_packet_comes() {
        let mut listener = Listener::new(Time::from_millis(1_000));
        let flow = FlowId(2);
        let frame = |timestamp, packets, processing| FrameMade {
            timestamp,
            bytes: 1,
            packets,
            key: false,
            processing: Duration::from_millis(processing),
            deadline: Duration::from_millis(100),
        };
        listener.made(Time::from_millis(950), flow, frame(1, 1, 0));
        listener.made(Time::from_millis(960), flow, frame(2, 2, 0));
        listener.made(Time::from_millis(1_100), flow, frame(3, 1, 10));
        listener.made(Time::from_millis(1_390), flow, frame(4, 1, 0));
        // The first came before; the second and third in the first step, 100 and 80 + 10 ms; the
        // fourth in the third.
        for (at, timestamp) in [(990, 1), (1_000, 2), (1_060, 2), (1_180, 3), (1_420, 4)] {
            listener.arrived_of_frame(Time::from_millis(at), (flow, timestamp));
        }
        let end = Time::from_millis(1_700);
        assert_eq!(listener.points(flow, 3, end), [(1.2, 95.0), (1.6, 30.0)]);
        // The flow has no bits, and another flow has no estimates of a queue.
        let none = vec![(1.2, 0.0), (1.4, 0.0), (1.6, 0.0)];
        assert_eq!(listener.points(FlowId(0), 0, end), none);
        assert_eq!(listener.points(FlowId(0), 1, end), []);
    }
}
