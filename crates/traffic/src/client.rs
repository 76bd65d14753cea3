//! The client of requests, as a node.
//!
//! A client can be paused. It then sends no further request, and open requests are still answered.
//! A player plays its buffer, and then waits; a player that holds back by not reading reads no
//! more. Rounds and pages that fall due during a pause begin as one after it.

use airpath_base::{Duration, Port, Time};
use airpath_net::{
    AppEvent, Change, ChangeError, Cx, DropCause, Event, Exchange, Leg, Node, Packet,
};
use airpath_wire::Endpoint;

use super::side_channel::SideChannel;
use super::{Ask, Behaviour, RequestConfig};
use airpath_transport::Timers;
use airpath_transport::control::Controller;
use airpath_transport::tcp::{ConnectionEvent, earliest};
use airpath_transport::{Label, Socket};

const NETWORK: Port = Port(0);
/// Wait before the requests of a failed connection are sent again.
const RETRY: Duration = Duration::from_secs(1);
/// Spreads initial sequence numbers, so that a port used again is known by them: 2^32 over
/// the golden ratio.
const SPREAD: u32 = 0x9e37_79b9;

/// Asks a [`RequestServer`](super::RequestServer), as its [`Behaviour`] wants. Port 0 is
/// the network.
pub struct RequestClient {
    config: RequestConfig,
    behaviour: Behaviour,
    channel: SideChannel,
    /// By port, from the first on.
    slots: Vec<Option<Box<Slot>>>,
    timers: Timers,
    /// Connections opened so far.
    connections: u32,
    /// Requests so far.
    asked: u64,
    /// Unanswered requests of failed connections.
    owed: Vec<Ask>,
    start: Option<Time>,
    stop: Option<Time>,
    retry: Option<Time>,
    asking: bool,
    paused: bool,
    finished: bool,
    /// Connections that may have something to do, as bits by port.
    touched: u32,
    packets: u64,
}

/// A connection and the request on it.
struct Slot {
    socket: Socket,
    number: u32,
    /// Requests so far.
    requests: u32,
    unwritten: u64,
    /// Index of the object of the open request.
    about: u64,
    open: Option<Exchange>,
    /// Bytes of the response that have not been delivered.
    left: u64,
    /// No more requests: it is being closed, or has failed.
    over: bool,
}

impl RequestClient {
    pub(crate) fn new(
        mut config: RequestConfig,
        behaviour: Behaviour,
        channel: SideChannel,
    ) -> RequestClient {
        if behaviour.reads_itself() {
            config.tcp.reads_itself = true;
        }
        RequestClient {
            slots: (0..config.ports()).map(|_| None).collect(),
            start: Some(config.start),
            stop: config.stop,
            config,
            behaviour,
            channel,
            timers: Timers::default(),
            connections: 0,
            asked: 0,
            owed: Vec::new(),
            retry: None,
            asking: false,
            paused: false,
            finished: false,
            touched: 0,
            packets: 0,
        }
    }

    /// Does what is planned for times up to `now`.
    fn advance(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.start.take_if(|at| *at <= now).is_some() {
            self.asking = true;
            self.behaviour.begin(now);
            cx.emit(|| Event::App(self.config.flow, AppEvent::Started));
        }
        self.retry.take_if(|at| *at <= now);
        match (self.asking, self.paused) {
            (true, false) => self.behaviour.wake(now),
            (true, true) => self.behaviour.wake_paused(now),
            (false, _) => {}
        }
        if self.stop.take_if(|at| *at <= now).is_some() {
            (self.asking, self.start) = (false, None);
            self.behaviour.stop();
            self.close();
        }
    }

    fn close(&mut self) {
        self.touched = u32::MAX;
        for slot in self.slots.iter_mut().flatten() {
            slot.close();
        }
    }

    /// A connection may have something to do.
    fn touch(&mut self, n: usize) {
        self.touched |= 1 << n;
    }

    /// Sends requests while the behaviour has some and a connection is free.
    fn ask(&mut self, now: Time) {
        while self.asking
            && !self.paused
            && self.retry.is_none()
            && (!self.owed.is_empty() || self.behaviour.wants())
        {
            let Some(n) = self.idle().or_else(|| self.connect(now)) else { return };
            let ask = self.owed.pop().unwrap_or_else(|| self.behaviour.ask());
            self.channel.post(self.config.client.port + n as u16, self.config.request, ask.bytes);
            let Some(slot) = &mut self.slots[n] else { return };
            slot.ask(now, self.asked, self.config.request, ask);
            self.asked += 1;
            self.touch(n);
        }
    }

    fn idle(&self) -> Option<usize> {
        let idle = |slot: &Slot| !slot.over && slot.open.is_none();
        self.slots.iter().position(|slot| slot.as_deref().is_some_and(idle))
    }

    /// Opens one more connection, if there may be one.
    fn connect(&mut self, now: Time) -> Option<usize> {
        let alive = |slot: &Slot| !slot.over || slot.open.is_some();
        let alive = |slot: &Option<Box<Slot>>| slot.as_deref().is_some_and(alive);
        let busy = self.slots.iter().filter(|slot| alive(slot)).count();
        if busy >= self.config.connections as usize {
            return None;
        }
        let ports = self.slots.len();
        let first = self.connections as usize % ports;
        let n = (first..first + ports).map(|n| n % ports).find(|n| !alive(&self.slots[*n]))?;
        let number = self.connections;
        self.connections = self.connections.wrapping_add(1);
        let port = self.config.client.port + n as u16;
        let mut slot = Slot::new(&self.config, port, number)?;
        slot.socket.connection.connect(now);
        self.channel.open(port, number);
        self.slots[n] = Some(Box::new(slot));
        Some(n)
    }

    /// Lets the connections proceed that have been touched. Input to a connection after its output
    /// counts at the next call.
    fn settle(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.behaviour.reads_itself() {
            self.touched = u32::MAX;
        }
        let before = std::mem::take(&mut self.touched);
        bits(before, self.slots.len()).for_each(|n| self.read(now, n, cx));
        self.ask(now);
        let touched = before | std::mem::take(&mut self.touched);
        for n in bits(touched, self.slots.len()) {
            let Some(slot) = &mut self.slots[n] else { continue };
            slot.write();
            slot.socket.transmit(now, NETWORK, &mut self.packets, cx);
            self.read(now, n, cx);
            let due = self.slots[n].as_ref().and_then(|s| s.socket.connection.poll_timeout());
            self.timers.set(n, due);
        }
        self.end(cx);
        if let Some(report) = self.behaviour.take_report(now) {
            cx.emit(|| Event::App(self.config.flow, AppEvent::Playback(report)));
        }
    }

    /// Takes what has arrived on a connection, as far as the behaviour wants it.
    fn read(&mut self, now: Time, n: usize, cx: &mut Cx<'_>) {
        let Some(slot) = &mut self.slots[n] else { return };
        let reads = self.behaviour.reads_itself() && !self.paused;
        if reads && slot.socket.connection.readable() > 0 {
            slot.socket.connection.read(self.behaviour.appetite(now));
        }
        while let Some(event) = slot.socket.poll_event(cx) {
            match event {
                ConnectionEvent::Delivered { bytes } => {
                    cx.emit(|| Event::App(self.config.flow, AppEvent::Delivered { bytes }));
                    self.behaviour.received(now, bytes);
                    let Some(done) = slot.received(now, bytes) else { continue };
                    self.behaviour.completed(now, slot.about);
                    cx.emit(|| Event::App(self.config.flow, AppEvent::Exchange(done)));
                    if let Some(page) = self.behaviour.take_page() {
                        cx.emit(|| Event::App(self.config.flow, AppEvent::Page(page)));
                    }
                    if self.config.per_connection.is_some_and(|most| slot.requests >= most) {
                        slot.close();
                        self.touched |= 1 << n;
                    }
                }
                ConnectionEvent::PeerClosed => {
                    slot.close();
                    self.touched |= 1 << n;
                }
                ConnectionEvent::Failed => {
                    slot.over = true;
                    let Some(open) = slot.open.take() else { continue };
                    cx.emit(|| Event::App(self.config.flow, AppEvent::Exchange(open)));
                    self.owed.push(Ask { bytes: slot.left, about: slot.about });
                    self.retry = Some(now.saturating_add(RETRY));
                }
                _ => {}
            }
        }
    }

    /// All has come: says so once, and closes unless the behaviour holds on.
    fn end(&mut self, cx: &mut Cx<'_>) {
        if !self.behaviour.is_finished() {
            return;
        }
        if !std::mem::replace(&mut self.finished, true) {
            cx.emit(|| Event::App(self.config.flow, AppEvent::Finished));
        }
        if !self.behaviour.holds() {
            self.close();
        }
    }
}

/// The numbers below `most` whose bits are set.
fn bits(mut set: u32, most: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let n = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (n < most).then_some(n)
    })
}

impl Slot {
    fn new(config: &RequestConfig, port: u16, number: u32) -> Option<Slot> {
        let label = Label { flow: config.flow, leg: Leg::Feedback, dscp: config.dscp.1 };
        let mut tcp = config.tcp.clone();
        tcp.initial_sequence = tcp.initial_sequence.wrapping_add(number.wrapping_mul(SPREAD));
        let controller = Controller::new(&tcp);
        let local = Endpoint { port, ..config.client };
        let socket = Socket::new(label, local, config.server, tcp, controller).ok()?;
        let (requests, unwritten, open) = (0, 0, None);
        Some(Slot { socket, number, requests, unwritten, about: 0, open, left: 0, over: false })
    }

    fn ask(&mut self, now: Time, number: u64, request: u64, ask: Ask) {
        self.requests += 1;
        self.unwritten += request;
        (self.left, self.about) = (ask.bytes, ask.about);
        let (response, connection) = (ask.bytes, self.number);
        let (first, done) = (None, None);
        self.open =
            Some(Exchange { number, connection, request, response, asked: now, first, done });
    }

    /// Counts what was delivered; the exchange, if that was the last of it.
    fn received(&mut self, now: Time, bytes: u64) -> Option<Exchange> {
        let open = self.open.as_mut()?;
        open.first.get_or_insert(now);
        self.left = self.left.saturating_sub(bytes);
        if self.left > 0 {
            return None;
        }
        self.open.take().map(|open| Exchange { done: Some(now), ..open })
    }

    /// Closes the connections after the last open request.
    fn close(&mut self) {
        self.over = true;
        self.write();
    }

    fn write(&mut self) {
        self.unwritten -= self.socket.connection.write(self.unwritten);
        if self.over && self.unwritten == 0 {
            self.socket.connection.close();
        }
    }
}

impl Node for RequestClient {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        self.advance(now, cx);
        let offset = packet.tuple.dst.port.wrapping_sub(self.config.client.port);
        let slot = self.slots.get_mut(usize::from(offset)).and_then(Option::as_mut);
        let taken = port == NETWORK && slot.is_some_and(|slot| slot.socket.receive(now, &packet));
        if taken {
            cx.consume(&packet);
        } else {
            cx.drop(packet, DropCause::Unexpected);
        }
        self.touch(usize::from(offset).min(self.slots.len() - 1));
        self.settle(now, cx);
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.advance(now, cx);
        while let Some(n) = self.timers.pop(now) {
            if let Some(slot) = &mut self.slots[n] {
                slot.socket.connection.on_timeout(now);
            }
            self.touch(n);
        }
        self.settle(now, cx);
    }

    fn change(&mut self, now: Time, change: &Change, cx: &mut Cx<'_>) -> Result<(), ChangeError> {
        let Change::Active(active) = *change else {
            return Err(ChangeError::new("is a client of requests"));
        };
        if std::mem::replace(&mut self.paused, !active) && active {
            self.behaviour.resume(now);
            self.advance(now, cx);
            self.settle(now, cx);
        }
        Ok(())
    }

    fn next_wake(&self) -> Option<Time> {
        let behaviour = match (self.asking, self.paused) {
            (true, false) => self.behaviour.next_wake(),
            (true, true) => self.behaviour.next_wake_paused(),
            (false, _) => None,
        };
        earliest([self.timers.next(), self.start, self.stop, self.retry, behaviour])
    }

    fn finish(&mut self, _now: Time, cx: &mut Cx<'_>) {
        for open in self.slots.iter_mut().flatten().filter_map(|slot| slot.open.take()) {
            cx.emit(|| Event::App(self.config.flow, AppEvent::Exchange(open)));
        }
        for page in self.behaviour.open_pages() {
            cx.emit(|| Event::App(self.config.flow, AppEvent::Page(page)));
        }
    }
}
