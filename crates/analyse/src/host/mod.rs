//! A host: the client's address over all its flows.
//!
//! One device has one radio, one clock behind its timestamps and one user. This module therefore
//! measures the idle times of the radio before flows, its promotion delays, and its states with
//! their energy. It counts the flows that are active at a time, and finds requests at even
//! intervals.

mod clock;
mod record;
mod servers;
mod table;

use core::num::NonZeroU32;

use airpath_base::rrc::Tracker;
use airpath_base::{Bytes, Duration, Time};

use crate::causes::Board;
use crate::flow::Flow;
use crate::key::address;
use crate::methods::{ACTIVE, Concurrency, promotion_delay};
use crate::options::Radio;
use crate::sketch::Sketch;
pub(crate) use clock::{SharedClock, WORST_PERIOD};
use record::usage;
pub use record::{
    AllHosts, Concurrent, HostRecord, PeriodicRequests, RadioEnergy, RadioTimes, RadioUse, Volume,
};
use servers::Servers;
pub(crate) use table::{Hosts, MemoryTier, Silence};

/// Promotion delays that wait for the clock's period at the end. Before more come, the present
/// estimate of the period serves those that wait.
const MOST_WAITING: usize = 64;

/// Bytes of the queues of a host, and of their allocation.
const BOARD: usize = size_of::<Board>() + 16;

/// A host while it is there. Kept small: there may be as many as flows.
#[derive(Debug)]
struct Host {
    last: Time,
    /// For so long after the last packet the radio stays active; zero if it is not.
    awake: Duration,
    bytes: [u64; 2],
    packets: [u32; 2],
    /// Queues that its flows have measured.
    board: Option<Box<Board>>,
    /// None if there was no memory for it.
    detail: Option<Box<Detail>>,
    /// The flow that transfers data, if it is the only one, and when it did last.
    only_active: Option<(NonZeroU32, Time)>,
    addr: [u64; 2],
    first: Time,
    flows: u32,
    /// Flows that have not ended.
    live: u32,
    /// True if the capture has no time for a packet.
    untimed: bool,
    /// Number of uses of this host's slot.
    generation: u32,
}

/// More of a host.
#[derive(Debug)]
struct Detail {
    radio: Option<Tracker>,
    concurrency: Concurrency,
    clock: SharedClock,
    servers: Servers,
    /// Ticks from SYN to ACK at the client, and nanoseconds at the monitor.
    waiting: Vec<(u32, u64)>,
    delays: Sketch,
}

/// Event of a packet for its host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) at: Time,
    /// True if the capture has a time for the packet.
    pub(crate) timed: bool,
    pub(crate) len: u32,
    pub(crate) up: bool,
    /// It asks a server for something.
    pub(crate) request: bool,
    /// It is TCP's data to the client, of this flow.
    pub(crate) data: Option<NonZeroU32>,
    /// Timestamp of the ACK that ends a handshake.
    pub(crate) clock: Option<u32>,
}

impl Host {
    fn new(addr: [u64; 2], at: Time, generation: u32, detail: Option<Box<Detail>>) -> Host {
        Host {
            last: at,
            awake: Duration::ZERO,
            bytes: [0; 2],
            packets: [0; 2],
            board: None,
            detail,
            only_active: None,
            addr,
            first: at,
            flows: 0,
            live: 0,
            untimed: false,
            generation,
        }
    }

    /// A packet. Gives whether it says more, for which it is to be looked at.
    #[inline(always)]
    fn packet(&mut self, event: &Event) -> bool {
        let Event { at, len, up, .. } = *event;
        let way = usize::from(!up);
        self.bytes[way] = self.bytes[way].saturating_add(len.into());
        self.packets[way] = self.packets[way].saturating_add(1);
        if at.saturating_since(self.last) >= self.awake {
            self.wake(at, up);
        }
        self.last = self.last.max(at);
        self.untimed |= !event.timed;
        if self.detail.is_none() {
            return false;
        }
        let goes_on = |flow| self.goes_on(flow, at);
        event.request || event.clock.is_some() || !event.data.is_none_or(goes_on)
    }

    /// Data of a flow that is active, so that nothing grows; else gives false, and nothing is
    /// done.
    #[inline]
    fn goes_on(&mut self, flow: NonZeroU32, at: Time) -> bool {
        match &mut self.only_active {
            Some((only, last)) if *only == flow && at.saturating_since(*last) <= ACTIVE => {
                *last = at.max(*last);
                true
            }
            _ => self.active().is_some_and(|active| active.goes_on(flow, at)),
        }
    }

    /// The active flows, brought up to date.
    #[inline(never)]
    fn active(&mut self) -> Option<&mut Concurrency> {
        let active = &mut self.detail.as_mut()?.concurrency;
        if let Some((_, last)) = self.only_active {
            active.went_on(last);
        }
        Some(active)
    }

    /// A packet that may change the state of the radio.
    #[inline(never)]
    fn wake(&mut self, at: Time, up: bool) {
        let radio = self.detail.as_mut().and_then(|detail| detail.radio.as_mut());
        let Some(radio) = radio else {
            self.awake = Duration::MAX;
            return;
        };
        if !self.awake.is_zero() {
            radio.stay(self.last);
        }
        // Its bytes are counted with those of all others.
        match up {
            true => radio.up(at, Bytes::ZERO, &mut |_| {}),
            false => radio.down(at, Bytes::ZERO, &mut |_| {}),
        }
        self.awake = radio.stays();
    }

    /// Takes the other properties of a packet of `flow`.
    fn look(&mut self, event: &Event, flow: &Flow) {
        let at = event.at;
        if let (Some(flow), Some(active)) = (event.data, self.active()) {
            active.data(flow, at);
            self.only_active = active.only_active();
        }
        let Some(detail) = &mut self.detail else { return };
        if event.request {
            detail.servers.request(flow.key.server(), at, self.first);
        }
        if let Some(value) = event.clock {
            detail.clock.handshake(at, value);
        }
    }

    /// A flow has ended. `idle` is for how long the radio must have been silent to be idle, if
    /// there is one.
    fn ended(&mut self, flow: &Flow, idle: Option<Duration>) {
        self.live = self.live.saturating_sub(1);
        let Some(detail) = self.detail.as_mut().filter(|_| !flow.repeated) else { return };
        if let Some(clock) = flow.client_clock() {
            detail.clock.flow(clock);
        }
        let waited = flow.waited().filter(|_| idle.is_some_and(|idle| flow.silence.is_idle(idle)));
        if let Some((ticks, between)) = waited {
            if detail.waiting.len() == MOST_WAITING {
                detail.tell();
            }
            detail.waiting.push((ticks, between.as_nanos()));
        }
    }

    /// Record of the host.
    fn record(mut self, radio: Option<&Radio>) -> HostRecord {
        let volume =
            |way: usize| Volume { packets: self.packets[way].into(), bytes: self.bytes[way] };
        let mut record = HostRecord {
            address: address(self.addr),
            start: Some(self.first),
            duration_s: Some(self.last.saturating_since(self.first).as_secs_f64()),
            flows: self.flows.into(),
            up: volume(0),
            down: volume(1),
            ..HostRecord::default()
        };
        self.active();
        if let Some(detail) = &mut self.detail {
            detail.tell();
            let period = detail.clock.period();
            record.timestamp_period_ms = period.map(|(seconds, _)| 1e3 * seconds);
            record.timestamp_period_error = period.map(|(_, error)| error);
            record.promotion_delay_ms = detail.delays.quartiles(1e6);
            record.concurrency = Concurrent::new(&detail.concurrency.levels());
            record.periodic = detail.servers.periodic();
            record.delays = std::mem::take(&mut detail.delays);
            let tracker = detail.radio.as_mut();
            record.radio = radio.zip(tracker).map(|(radio, tracker)| {
                if !self.awake.is_zero() {
                    tracker.stay(self.last);
                }
                tracker.carry(Bytes(self.bytes[0]), Bytes(self.bytes[1]));
                // The consequences of the last packet still happen.
                let tail = radio.config.release_after.unwrap_or_default();
                let end = self.last.saturating_add(radio.promotion).saturating_add(tail);
                tracker.finish(end, &mut |_| {});
                usage(&radio.power, tracker.usage())
            });
        }
        if self.untimed { record.without_times() } else { record }
    }

    /// Bytes on the heap that active flows take.
    fn concurrency_heap(&self) -> usize {
        self.detail.as_ref().map_or(0, |detail| detail.concurrency.heap())
    }

    /// Bytes on the heap.
    fn heap(&self) -> usize {
        let board = self.board.as_ref().map_or(0, |_| BOARD);
        board
            + self.detail.as_ref().map_or(0, |detail| {
                let Detail { concurrency, clock, servers, waiting, delays, .. } = &**detail;
                let lists = concurrency.heap() + clock.heap() + servers.heap() + delays.heap();
                size_of::<Detail>() + lists + 16 * waiting.capacity() + 16
            })
    }
}

impl Detail {
    fn new(radio: Option<&Radio>, at: Time) -> Detail {
        let tracker = |radio: &Radio| {
            // The promotion that the first packet may have needed lies before it.
            let start = at.saturating_sub(radio.promotion);
            Tracker::new(radio.config, radio.promotion, radio.seen, start)
        };
        Detail {
            radio: radio.map(tracker),
            concurrency: Concurrency::default(),
            clock: SharedClock::default(),
            servers: Servers::default(),
            waiting: Vec::new(),
            delays: Sketch::default(),
        }
    }

    /// Turns the ticks that wait into delays, if the clock's period is known.
    fn tell(&mut self) {
        let period = self.clock.period();
        for (ticks, between) in self.waiting.drain(..) {
            if let Some((period, _)) = period {
                let between = Duration::from_nanos(between);
                let seconds = promotion_delay(period, 0, ticks, between);
                self.delays.add((seconds.max(0.0) * 1e9) as u64);
            }
        }
    }
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
