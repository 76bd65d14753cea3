//! One bearer's RLC at both ends.

use airpath_base::{BearerId, FlowId, Time};
use airpath_net::{AppEvent, Cx, Direction, Event, Held, Ledger, Packet, RadioEvent};

use super::pdu::{Body, Pdu, indicator_bytes};
use super::store::{Arrival, Store};
use super::{Config, HeaderModel, Mode, am, um};
use crate::pdcp::{self, Waiting};

/// What waits of a full buffer: more than any block carries, and more than is granted from
/// one report to the next.
const FULL: u32 = 1 << 28;

/// One bearer's RLC at both ends, in both directions.
///
/// A [`Direction`] says which way SDUs or PDUs go: downlink SDUs enter at the
/// cell. Status reports about downlink data are uplink PDUs.
#[derive(Debug)]
pub struct Channel {
    bearer: BearerId,
    down: Side,
    up: Side,
}

/// One direction: its SDUs, its transmitter and its receiver.
#[derive(Debug)]
struct Side {
    store: Store,
    peers: Peers,
    /// PDUs that have been handed to the MAC and not come back to the other end, or
    /// as lost.
    on_air: u64,
    /// The flow whose full buffer goes behind the SDUs.
    full: Option<FlowId>,
}

#[derive(Debug)]
enum Peers {
    Um(um::Transmitter, um::Receiver),
    Am(Box<am::Pair>),
}

impl Channel {
    /// The RLC of `bearer`, nothing sent yet.
    pub fn new(bearer: BearerId, config: &Config) -> Channel {
        let side = |direction| Side {
            store: Store::new(bearer, direction),
            peers: Peers::new(&config.mode, config.header),
            on_air: 0,
            full: None,
        };
        Channel { bearer, down: side(Direction::Downlink), up: side(Direction::Uplink) }
    }

    /// The bearer.
    pub const fn bearer(&self) -> BearerId {
        self.bearer
    }

    /// From now on there is a full buffer of this flow to be sent in a direction, or none.
    pub fn set_full(&mut self, direction: Direction, flow: Option<FlowId>) {
        self.side_mut(direction).full = flow;
    }

    /// What has been taken from PDCP in this direction and not been sent.
    #[inline]
    pub fn waiting(&self, direction: Direction) -> Waiting {
        self.side(direction).store.waiting()
    }

    /// Since when the SDU that is partly sent in this direction has waited.
    #[inline]
    pub fn oldest(&self, direction: Direction) -> Option<Time> {
        self.side(direction).store.oldest()
    }

    /// Bytes of new data with the header of one PDU that takes them all, of what is to be sent
    /// again, and of a status report, where `above` waits at PDCP.
    #[inline]
    pub fn queued_by_kind(&self, direction: Direction, now: Time, above: Waiting) -> [u32; 3] {
        let side = self.side(direction);
        let waiting = side.store.waiting().plus(above);
        let sdus = || with_header(waiting.bytes, waiting.sdus, side.peers.header());
        let full = side.full.map_or(0, |_| FULL);
        match &side.peers {
            Peers::Um(..) => [sdus().saturating_add(full), 0, 0],
            Peers::Am(pair) => [
                if pair.is_stalled() { full } else { sdus().saturating_add(full) },
                pair.retransmission_bytes(),
                self.side(opposite(direction)).status_bytes(now),
            ],
        }
    }

    /// Fills one PDU of at most `room` bytes: a status report before what is
    /// sent again before new data (TS 36.322, 5.1.3.1.1), a full buffer last. `None` if
    /// nothing waits or too little fits. Where room is left, the MAC asks again.
    pub fn build(
        &mut self,
        direction: Direction,
        now: Time,
        room: u32,
        source: &mut pdcp::Transmitter,
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        if let Some(status) = self.side_mut(opposite(direction)).build_status(now, room) {
            self.side_mut(direction).on_air += 1;
            return Some(status);
        }
        let side = self.side_mut(direction);
        let pdu = match &mut side.peers {
            Peers::Um(transmitter, _) => transmitter.build(now, room, &mut side.store, source, cx),
            Peers::Am(pair) => pair.build(now, room, &mut side.store, source, cx),
        };
        let Some(pdu) = pdu else { return side.build_full(room) };
        side.on_air += 1;
        if pdu.is_retransmission() {
            self.report_retransmission(direction, pdu.size, cx);
        }
        Some(pdu)
    }

    /// A PDU arrives at the other end. Decoding of the block that carried it was first
    /// tried at `first_attempt`, and succeeds `now`. SDUs that are handed up
    /// go to `out`.
    pub fn receive(
        &mut self,
        direction: Direction,
        now: Time,
        pdu: Pdu,
        first_attempt: Time,
        pdcp: &pdcp::Entity,
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) {
        self.side_mut(direction).on_air -= 1;
        let data = match pdu.body {
            Body::Data(data) => data,
            Body::Status(status) => {
                let Side { store, peers, .. } = self.side_mut(opposite(direction));
                if let Peers::Am(pair) = peers {
                    let source = pdcp.sender(opposite(direction));
                    pair.receive_status(&status, now, store, source, cx, out);
                }
                return;
            }
            Body::Full { flow, bytes } => {
                let bytes = u64::from(bytes);
                cx.emit(|| Event::App(flow, AppEvent::Delivered { bytes }));
                return;
            }
        };
        let resent = data.retransmission.then_some(data.built);
        let arrival = Arrival { now, first_attempt, resent };
        let Side { store, peers, .. } = self.side_mut(direction);
        match peers {
            Peers::Um(_, receiver) => receiver.receive(&data, &arrival, store, cx, out),
            Peers::Am(pair) => pair.receive(&data, &arrival, store, cx, out),
        }
    }

    /// A PDU will never arrive: HARQ gave its block up. In AM the transmitter
    /// will learn of it by the receiver's reports.
    pub fn lost(&mut self, direction: Direction, pdu: Pdu, cx: &mut Cx<'_>) {
        let Side { store, peers, on_air, .. } = self.side_mut(direction);
        *on_air -= 1;
        if let (Body::Data(data), Peers::Um(..)) = (pdu.body, peers) {
            store.lose(data.contents, um::LOSS, cx);
            store.trim(u64::MAX);
        }
    }

    /// When a timer runs out next.
    #[inline]
    pub fn next_wake(&self) -> Option<Time> {
        earlier(self.down.next_wake(), self.up.next_wake())
    }

    /// Lets the timers that have run out act. There may be more to send then.
    pub fn wake(
        &mut self,
        now: Time,
        pdcp: &pdcp::Entity,
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) {
        for direction in Direction::ALL {
            let Side { store, peers, .. } = self.side_mut(direction);
            match peers {
                Peers::Um(_, receiver) => receiver.wake(now, store, cx, out),
                Peers::Am(pair) => pair.wake(now, store, pdcp.sender(direction), cx, out),
            }
        }
    }

    /// PDCP has dropped what waited in this direction, or some of it: what is unacknowledged has
    /// to be polled for all the same.
    pub fn settle(&mut self, direction: Direction, now: Time, source: &pdcp::Transmitter) {
        let Side { store, peers, .. } = self.side_mut(direction);
        if let Peers::Am(pair) = peers {
            pair.clean_up(now, store, source);
        }
    }

    /// All packets inside and on the air.
    pub fn held(&self) -> Held {
        let (down, up) = (self.down.store.held(), self.up.store.held());
        Held { packets: down.packets + up.packets, bytes: down.bytes + up.bytes }
    }

    /// The books of one direction: SDUs from PDCP at one end, to PDCP at the other, and
    /// dropped.
    pub fn books(&self, direction: Direction) -> &Ledger {
        self.side(direction).store.books()
    }

    /// Checks the books of both directions; `on_air` says how many of its PDUs are on
    /// their way.
    ///
    /// # Errors
    ///
    /// What does not close.
    pub fn audit(&self, on_air: impl Fn(Direction) -> u64) -> Result<(), String> {
        for direction in [Direction::Downlink, Direction::Uplink] {
            let (side, on_air) = (self.side(direction), on_air(direction));
            let wrong = |books| format!("{} {}, RLC: {books}", self.bearer, direction.name());
            side.store.audit().map_err(wrong)?;
            if side.on_air != on_air {
                return Err(wrong(format!("{} PDUs on the air, {on_air} in HARQ", side.on_air)));
            }
        }
        Ok(())
    }

    fn side(&self, direction: Direction) -> &Side {
        match direction {
            Direction::Downlink => &self.down,
            Direction::Uplink => &self.up,
        }
    }

    fn side_mut(&mut self, direction: Direction) -> &mut Side {
        match direction {
            Direction::Downlink => &mut self.down,
            Direction::Uplink => &mut self.up,
        }
    }

    fn report_retransmission(&self, direction: Direction, bytes: u32, cx: &mut Cx<'_>) {
        let bearer = self.bearer;
        cx.emit(|| Event::Radio(RadioEvent::RlcRetransmission { bearer, direction, bytes }));
    }
}

impl Side {
    #[inline]
    fn next_wake(&self) -> Option<Time> {
        match &self.peers {
            Peers::Um(_, receiver) => receiver.next_wake(),
            Peers::Am(pair) => pair.next_wake(),
        }
    }

    /// Bytes of the status report about this direction's data, 0 if none is due.
    fn status_bytes(&self, now: Time) -> u32 {
        match &self.peers {
            Peers::Um(..) => 0,
            Peers::Am(pair) => pair.status_bytes(now),
        }
    }

    /// A PDU of the full buffer.
    fn build_full(&mut self, room: u32) -> Option<Pdu> {
        let pdu = Pdu::full(self.full?, room, self.peers.header())?;
        self.on_air += 1;
        Some(pdu)
    }

    /// The status report about this direction's data, to be sent the other way.
    fn build_status(&mut self, now: Time, room: u32) -> Option<Pdu> {
        match &mut self.peers {
            Peers::Um(..) => None,
            Peers::Am(pair) => pair.build_status(now, room),
        }
    }
}

impl Peers {
    fn new(mode: &Mode, header: HeaderModel) -> Peers {
        match mode {
            Mode::Um(config) => {
                Peers::Um(um::Transmitter::new(config, header), um::Receiver::new(config))
            }
            Mode::Am(config) => Peers::Am(Box::new(am::Pair::new(config, header))),
        }
    }

    /// Bytes of the fixed part of a data PDU's header.
    fn header(&self) -> u32 {
        match self {
            Peers::Um(transmitter, _) => transmitter.header(),
            Peers::Am(_) => am::PDU_HEADER,
        }
    }
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Downlink => Direction::Uplink,
        Direction::Uplink => Direction::Downlink,
    }
}

/// The earlier of two times, where there are any.
#[inline]
pub(crate) fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}

/// Bytes of one PDU with all that waits.
#[inline]
fn with_header(bytes: u64, sdus: u32, fixed: u32) -> u32 {
    match sdus {
        0 => 0,
        n => {
            u32::try_from(bytes).unwrap_or(u32::MAX).saturating_add(fixed + indicator_bytes(n - 1))
        }
    }
}
