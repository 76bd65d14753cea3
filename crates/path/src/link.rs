//! One direction of a wire.
//!
//! A packet waits in the queue until the link has sent the packets before it. Transmission then
//! takes size over rate, and arrival the propagation delay. A packet that is lost on the wire has
//! taken its transmission time. Losses and marks by a [`Pattern`] are independent of the queue.
//! They show the response of a sender to a given rate of loss or marks, as its response function
//! states it (RFC 9438, 3.3). Left out: fragmentation (packets are no longer than the MTU) and
//! link-layer recovery.
//!
//! Rate, delay, losses and marks can change. The rest of the packet in transmission then goes at
//! the new rate. A link thus carries what its rates allow, as a shaped wire or a radio does. A
//! moment at a low rate does not hold up all that follows. The new delay counts for that packet
//! too. Packets that are on the wire keep their delay, and nothing overtakes. Losses and marks
//! count for packets whose transmission begins after the change.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes, Duration, Port, Time};
use airpath_net::queue::QueueKind;
use airpath_net::{Change, ChangeError, Cx, DropCause, Held, Node, Packet, Pattern, Payload};
use airpath_schema::choice;
use airpath_wire::{Ecn, TcpRepr, strip_accurate_ecn};

use crate::fifo::Fifo;
use crate::light::Light;
use crate::managed::Managed;
use crate::pattern::Sampler;
use crate::recorded::Recorded;
use crate::recording::Recording;
use crate::replayed::Replayed;

/// Configuration of a link.
#[derive(Debug, Default)]
pub struct LinkConfig {
    /// Rate; `None` sends in no time. At a rate of zero nothing arrives.
    pub rate: Option<BitRate>,
    /// Recorded capacity, instead of the rate.
    pub recording: Option<Arc<Recording>>,
    /// Base delays and light opportunities of CellReplay, beside a heavy recording.
    pub light: Option<Arc<Light>>,
    /// Propagation delay.
    pub delay: Duration,
    /// Queue. The packet being sent is not in it and does not count against its
    /// limit.
    pub queue: QueueKind,
    /// Bytes that the link layer adds to each packet. They take time to send but no room in the
    /// queue. 38 is Ethernet with preamble and gap (IEEE 802.3, 3.1.1 and 4.4.2), and 0 counts IP
    /// only.
    pub layer2: u32,
    /// Pattern of packets that are lost on the wire after transmission.
    pub loss: Pattern,
    /// Pattern of packets that arrive with congestion experienced, of those that are sent
    /// ECN-capable and unmarked. The header that the link sees counts.
    pub mark: Pattern,
    /// Treatment of the ECN field, in the header that the link sees.
    pub ecn: EcnField,
    /// Treatment of TCP's option AccECN, outside of tunnels.
    pub ecn_option: EcnOption,
}

choice! {
    /// Treatment of the ECN field by a link.
    pub enum EcnField: Keep {
        /// The ECN field stays.
        Keep = "keep",
        /// Clears the field of whatever arrives, so that it says not ECN-capable. Devices do that
        /// which take it for bits of the type of service (RFC 3168, 22, has the history).
        Bleach = "bleach",
    }
}

choice! {
    /// Treatment of TCP's option AccECN by a device on the path.
    pub enum EcnOption: Keep {
        /// The option stays.
        Keep = "keep",
        /// Overwrites it with NOPs, as devices do with options that they do not know, so that the
        /// sender falls back to the ACE field (RFC 9768, 3.2.3.2.3).
        Strip = "strip",
    }
}

/// One direction of a wire: packets enter at any port and leave at port 0.
///
/// With a drop-tail queue, the link computes the departure of a packet on its arrival, until the
/// link changes. With another queue, the link takes out the next packet when it is due. With
/// recorded capacity, it does so at each opportunity of the recording.
#[derive(Debug)]
pub struct Link {
    wire: Wire,
    mode: Mode,
    ecn_option: EcnOption,
}

#[derive(Debug)]
enum Mode {
    Fifo(Fifo),
    Managed(Managed),
    Recorded(Recorded),
    Replayed(Box<Replayed>),
}

/// Rate, delay and loss: what both ways of sending share.
#[derive(Debug)]
pub(crate) struct Wire {
    rate: Option<BitRate>,
    pub(crate) delay: Duration,
    pub(crate) layer2: u32,
    loss: Sampler,
    mark: Sampler,
    ecn: EcnField,
    /// Size and time of the last packet: most are as long as the one before, and
    /// this spares a division.
    last: (u32, Duration),
}

impl Link {
    /// Port at which packets leave.
    pub const OUT: Port = Port(0);

    /// A link. Its losses and its marks are drawn from a stream each, named after it, with
    /// one draw for each packet that might be hit.
    pub fn new(config: LinkConfig, seed: Seed, name: &str) -> Link {
        let LinkConfig { rate, recording, delay, queue, layer2, loss, mark, .. } = config;
        let LinkConfig { ecn, ecn_option, light, .. } = config;
        let sampler =
            |pattern, purpose| Sampler::new(pattern, seed.stream(&format!("{name} / {purpose}")));
        let (loss, mark) = (sampler(loss, "loss"), sampler(mark, "mark"));
        let mode = match (recording, light, queue) {
            (Some(heavy), Some(light), queue) => {
                Mode::Replayed(Box::new(Replayed::new(queue, light, heavy)))
            }
            (Some(recording), None, queue) => Mode::Recorded(Recorded::new(queue, recording)),
            (None, _, QueueKind::DropTail(queue)) => Mode::Fifo(Fifo::new(queue.limit())),
            (None, _, queue) => Mode::Managed(Managed::new(queue)),
        };
        let last = nothing(rate, layer2);
        let wire = Wire { rate, delay, layer2, loss, mark, ecn, last };
        Link { wire, mode, ecn_option }
    }

    /// Checks that a change can be made.
    fn takes(&self, change: &Change) -> Result<(), ChangeError> {
        let why = match (change, &self.mode) {
            (Change::Rate(_), Mode::Recorded(_) | Mode::Replayed(_)) => {
                "has recorded capacity, which is its rate"
            }
            (Change::Rate(Some(rate)), _) if rate.as_bps() == 0 => "cannot have a rate of zero",
            (Change::Queue(_), Mode::Fifo(_)) => "has a drop-tail queue, which marks nothing",
            (Change::Rate(_) | Change::Delay(_) | Change::Loss(_) | Change::Mark(_), _) => {
                return Ok(());
            }
            (Change::Queue(_), _) => return Ok(()),
            _ => "is a link",
        };
        Err(ChangeError::new(why))
    }
}

/// The time that a packet of no bytes takes.
fn nothing(rate: Option<BitRate>, layer2: u32) -> (u32, Duration) {
    (0, rate.unwrap_or_default().time_for(Bytes(u64::from(layer2))))
}

impl Wire {
    /// Transmission time of a packet of `size` bytes.
    pub(crate) fn serialisation(&mut self, size: u32) -> Duration {
        let Some(rate) = self.rate else { return Duration::ZERO };
        if self.last.0 != size {
            let bytes = Bytes(u64::from(size) + u64::from(self.layer2));
            self.last = (size, rate.time_for(bytes));
        }
        self.last.1
    }

    /// Transmission time of the rest of a packet of `size` bytes, which would have taken `left` at
    /// the rate `before`.
    pub(crate) fn rest(&mut self, before: Option<BitRate>, left: Duration, size: u32) -> Duration {
        let before = before.unwrap_or_default().as_bps();
        match self.rate {
            None => Duration::ZERO,
            // Without a rate nothing of it has been sent.
            Some(_) if before == 0 => self.serialisation(size),
            Some(rate) => {
                let bit_nanos = u128::from(left.as_nanos()) * u128::from(before);
                let nanos = bit_nanos.div_ceil(u128::from(rate.as_bps().max(1)));
                Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
            }
        }
    }

    /// Takes back the draws for these packets, whose fates will be drawn again.
    pub(crate) fn take_back<'a>(&mut self, packets: impl Iterator<Item = &'a Packet>) {
        let (mut all, mut capable) = (0, 0);
        for packet in packets {
            all += 1;
            capable += u64::from(may_be_marked(packet));
        }
        self.loss.take_back(all);
        self.mark.take_back(capable);
    }

    fn change(&mut self, change: &Change) {
        match *change {
            Change::Rate(rate) => {
                self.rate = rate;
                self.last = nothing(rate, self.layer2);
            }
            Change::Delay(delay) => self.delay = delay,
            Change::Loss(pattern) => self.loss.change(pattern),
            Change::Mark(pattern) => self.mark.change(pattern),
            _ => {}
        }
    }

    /// Fate of the packet whose transmission begins.
    #[inline]
    pub(crate) fn fate(&mut self, packet: &Packet) -> Fate {
        match self.loss.is_never() && self.mark.is_never() {
            true if self.ecn == EcnField::Bleach => Fate::Bleached,
            true => Fate::Arrives,
            false => self.drawn_fate(packet),
        }
    }

    /// Losses and marks do not move each other: what is lost counts for the marks, too.
    fn drawn_fate(&mut self, packet: &Packet) -> Fate {
        let lost = self.loss.hits();
        let marked = may_be_marked(packet) && self.mark.hits();
        match (lost, marked) {
            (true, _) if self.loss.is_periodic() => Fate::Lost(DropCause::PeriodicLoss),
            (true, _) => Fate::Lost(DropCause::RandomLoss),
            (false, _) if self.ecn == EcnField::Bleach => Fate::Bleached,
            (false, true) => Fate::Marked,
            (false, false) => Fate::Arrives,
        }
    }
}

/// True if a packet counts for the marks.
fn may_be_marked(packet: &Packet) -> bool {
    matches!(packet.visible_ecn(), Ecn::Ect0 | Ecn::Ect1)
}

/// Takes the option AccECN out of a packet, where a device can see it: not inside a tunnel.
fn strip_ecn_option(packet: &mut Packet) {
    if packet.outermost().is_some() {
        return;
    }
    match &mut packet.payload {
        Payload::Tcp(header) => {
            let mut repr = TcpRepr::from(&*header);
            repr.strip_accurate_ecn();
            *header = repr.into();
        }
        Payload::Bytes(bytes) => _ = strip_accurate_ecn(Arc::make_mut(bytes)),
        _ => {}
    }
}

/// Fate of a packet on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    Arrives,
    Marked,
    Bleached,
    Lost(DropCause),
}

/// Hands a packet over at the far end, unless the wire has lost it.
pub(crate) fn arrive(mut packet: Packet, fate: Fate, cx: &mut Cx<'_>) {
    match fate {
        Fate::Arrives => {}
        Fate::Marked => cx.mark(&mut packet),
        Fate::Bleached => packet.set_visible_ecn(Ecn::NotEct),
        Fate::Lost(cause) => return cx.drop(packet, cause),
    }
    cx.send(Link::OUT, packet);
}

impl Node for Link {
    fn receive(&mut self, now: Time, _port: Port, mut packet: Packet, cx: &mut Cx<'_>) {
        if self.ecn_option == EcnOption::Strip {
            strip_ecn_option(&mut packet);
        }
        match &mut self.mode {
            Mode::Fifo(fifo) => fifo.receive(now, packet, &mut self.wire, cx),
            Mode::Managed(managed) => managed.receive(now, packet, &mut self.wire, cx),
            Mode::Recorded(recorded) => recorded.receive(now, packet, &mut self.wire, cx),
            Mode::Replayed(replayed) => replayed.receive(now, packet, &mut self.wire, cx),
        }
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        match &mut self.mode {
            Mode::Fifo(fifo) => fifo.wake(now, cx),
            Mode::Managed(managed) => managed.wake(now, &mut self.wire, cx),
            Mode::Recorded(recorded) => recorded.wake(now, &mut self.wire, cx),
            Mode::Replayed(replayed) => replayed.wake(now, &mut self.wire, cx),
        }
    }

    fn next_wake(&self) -> Option<Time> {
        let due = match &self.mode {
            Mode::Fifo(fifo) => fifo.next_wake(),
            Mode::Managed(managed) => managed.next_wake(),
            Mode::Recorded(recorded) => recorded.next_wake(),
            Mode::Replayed(replayed) => replayed.next_wake(),
        };
        due.filter(|due| *due < Time::MAX)
    }

    fn change(&mut self, now: Time, change: &Change, cx: &mut Cx<'_>) -> Result<(), ChangeError> {
        self.takes(change)?;
        if let Change::Queue(change) = *change {
            return match &mut self.mode {
                Mode::Fifo(_) => Ok(()),
                Mode::Managed(managed) => managed.change_queue(now, change),
                Mode::Recorded(recorded) => recorded.change_queue(now, change),
                Mode::Replayed(replayed) => replayed.change_queue(now, change),
            };
        }
        if let Mode::Fifo(fifo) = &mut self.mode {
            let managed = std::mem::take(fifo).into_managed(now, &mut self.wire, cx);
            self.mode = Mode::Managed(managed);
        }
        let before = self.wire.rate;
        self.wire.change(change);
        if let Mode::Managed(managed) = &mut self.mode {
            managed.change(now, before, &mut self.wire);
        }
        Ok(())
    }

    fn held(&self) -> Held {
        match &self.mode {
            Mode::Fifo(fifo) => fifo.held(),
            Mode::Managed(managed) => managed.held(),
            Mode::Recorded(recorded) => recorded.held(),
            Mode::Replayed(replayed) => replayed.held(),
        }
    }
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "little_tests.rs"]
mod little;

#[cfg(test)]
#[path = "change_tests.rs"]
mod changes;
