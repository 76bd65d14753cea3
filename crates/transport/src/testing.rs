//! Nodes around those of this crate and of those that build on it, for tests.

use std::collections::VecDeque;

use airpath_base::random::Stream;
use airpath_base::{BitRate, Bytes, Duration, NodeId, Port, Time};
use airpath_net::{AppEvent, Cx, DropCause, Event, Exchange, Held, Node, Packet};
use airpath_net::{PageLoad, PlaybackState, Probe, Stage, TcpEvent};

/// Both directions of a wire. A packet that comes in at a port leaves by the other, unless it is
/// lost. Between lie its time in an endless queue and on the way.
pub struct Wire {
    /// One way.
    pub delay: Duration,
    /// Of each direction; `None` for no limit.
    pub rate: Option<BitRate>,
    /// Probability that a packet is lost.
    pub loss: f64,
    draws: Stream,
    free: [Time; 2],
    flying: [VecDeque<(Time, Packet)>; 2],
}

impl Wire {
    /// An empty one.
    pub fn new(delay: Duration, rate: Option<BitRate>, loss: f64, draws: Stream) -> Wire {
        Wire { delay, rate, loss, draws, free: [Time::ZERO; 2], flying: Default::default() }
    }
}

impl Node for Wire {
    fn receive(&mut self, now: Time, port: Port, mut packet: Packet, cx: &mut Cx<'_>) {
        if self.draws.chance(self.loss) {
            return cx.drop(packet, DropCause::RandomLoss);
        }
        let n = 1 - port.index();
        let span = self.rate.map_or(Duration::ZERO, |r| r.time_for(Bytes(packet.size.into())));
        self.free[n] = self.free[n].max(now) + span;
        let arrival = self.free[n] + self.delay;
        packet.charge(Stage::Wired, arrival);
        self.flying[n].push_back((arrival, packet));
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        for n in [0, 1] {
            while let Some((_, packet)) = self.flying[n].pop_front_if(|(at, _)| *at <= now) {
                cx.send(Port(n as u32), packet);
            }
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.flying.iter().filter_map(|way| way.front()).map(|(at, _)| *at).min()
    }

    fn held(&self) -> Held {
        Held::of(self.flying.iter().flatten().map(|(_, packet)| packet))
    }
}

/// Reports of applications and connections.
#[derive(Default)]
pub struct Log {
    /// Bytes, by flow.
    pub delivered: [u64; 2],
    /// Those that ended, likewise.
    pub exchanges: Vec<Exchange>,
    /// Those that ended, and at the end of the run those that did not.
    pub pages: Vec<PageLoad>,
    /// A player's state, and what it had.
    pub playback: Vec<(Time, PlaybackState, Duration)>,
    /// Time at which the application had all.
    pub finished: Option<Time>,
    /// Connections, by flow.
    pub established: Vec<(Time, u32)>,
    /// Of TCP.
    pub timeouts: u64,
}

impl Log {
    /// Times in ms at which the player's state changed, and the new state.
    pub fn states(&self) -> Vec<(u64, PlaybackState)> {
        let mut states: Vec<(u64, PlaybackState)> = Vec::new();
        for (at, state, _) in &self.playback {
            if states.last().is_none_or(|(_, last)| last != state) {
                states.push((at.as_nanos() / 1_000_000, *state));
            }
        }
        states
    }
}

impl Probe for Log {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match event {
            Event::App(flow, AppEvent::Delivered { bytes }) => {
                self.delivered[flow.index()] += bytes;
            }
            Event::App(_, AppEvent::Exchange(exchange)) => self.exchanges.push(*exchange),
            Event::App(_, AppEvent::Page(page)) => self.pages.push(*page),
            Event::App(_, AppEvent::Playback(p)) => self.playback.push((now, p.state, p.buffered)),
            Event::App(_, AppEvent::Finished) => self.finished = Some(now),
            Event::Tcp(flow, TcpEvent::Established) => self.established.push((now, flow.0)),
            Event::Tcp(_, TcpEvent::Timeout { .. }) => self.timeouts += 1,
            _ => {}
        }
    }
}
