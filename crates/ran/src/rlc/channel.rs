//! One bearer's RLC at both ends.

use airpath_base::{BearerId, Duration, FlowId, Time};
use airpath_net::{AppEvent, Cx, Direction, Event, Held, Ledger, Packet, RadioEvent};

use super::pdu::{Body, Pdu, indicator_bytes};
use super::store::{Arrival, Store, sdu_size};
use super::{Config, HeaderModel, Mode, QueueLimit, am, um};

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
    limit: QueueLimit,
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

/// What waits for the right to send in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferStatus {
    /// Bytes of SDUs that may be sent now for the first time, with the header
    /// of one PDU that takes them all; with a full buffer more than fits anywhere.
    pub new_data: u32,
    /// Bytes of PDUs to be sent again, headers included.
    pub retransmissions: u32,
    /// Bytes of the status report that is due.
    pub status: u32,
    /// Since when the first SDU of those has waited.
    pub head_of_line: Option<Time>,
    /// SDUs not or only partly sent.
    pub sdus: u32,
    /// Their bytes that are not sent, PDCP headers included, RLC headers not:
    /// what a buffer status report counts (TS 36.321, 6.1.3.1).
    pub sdu_bytes: u64,
}

impl BufferStatus {
    /// Bytes of all kinds.
    pub const fn total(&self) -> u32 {
        self.new_data.saturating_add(self.retransmissions).saturating_add(self.status)
    }
}

impl Channel {
    /// The RLC of `bearer`, nothing sent yet.
    pub fn new(bearer: BearerId, config: &Config) -> Channel {
        let side = |direction, limit| Side {
            store: Store::new(bearer, direction),
            limit,
            peers: Peers::new(&config.mode, config.header),
            on_air: 0,
            full: None,
        };
        Channel {
            bearer,
            down: side(Direction::Downlink, config.downlink_queue),
            up: side(Direction::Uplink, config.uplink_queue),
        }
    }

    /// The bearer.
    pub const fn bearer(&self) -> BearerId {
        self.bearer
    }

    /// Appends an SDU: a packet and `header` bytes of PDCP.
    ///
    /// # Errors
    ///
    /// Gives the packet back if the queue is full.
    pub fn enqueue(
        &mut self,
        direction: Direction,
        now: Time,
        packet: Packet,
        header: u32,
        cx: &mut Cx<'_>,
    ) -> Result<(), Packet> {
        let side = self.side_mut(direction);
        let waiting = side.store.waiting();
        if !side.limit.admits(waiting.sdus, waiting.bytes, sdu_size(&packet, header)) {
            return Err(packet);
        }
        side.store.push(now, packet, header);
        self.report_queue(direction, cx);
        Ok(())
    }

    /// From now on there is a full buffer of this flow to be sent in a direction, or none.
    pub fn set_full(&mut self, direction: Direction, flow: Option<FlowId>) {
        self.side_mut(direction).full = flow;
    }

    /// What waits to be sent in this direction.
    pub fn buffer_status(&self, direction: Direction, now: Time) -> BufferStatus {
        let side = self.side(direction);
        let waiting = side.store.waiting();
        let [new_data, retransmissions, status] = self.queued_by_kind(direction, now);
        BufferStatus {
            new_data,
            retransmissions,
            status,
            head_of_line: side.store.head_of_line(),
            sdus: waiting.sdus,
            sdu_bytes: waiting.bytes,
        }
    }

    /// [`BufferStatus::total`] of what waits in this direction.
    #[inline]
    pub fn queued(&self, direction: Direction, now: Time) -> u32 {
        self.queued_by_kind(direction, now).into_iter().fold(0, u32::saturating_add)
    }

    /// Since when the first SDU that waits in this direction has waited.
    pub fn head_of_line(&self, direction: Direction) -> Option<Time> {
        self.side(direction).store.head_of_line()
    }

    /// Bytes of new data, of what is to be sent again, and of a status report.
    #[inline]
    fn queued_by_kind(&self, direction: Direction, now: Time) -> [u32; 3] {
        let side = self.side(direction);
        let waiting = side.store.waiting();
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
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        if let Some(status) = self.side_mut(opposite(direction)).build_status(now, room) {
            self.side_mut(direction).on_air += 1;
            return Some(status);
        }
        let side = self.side_mut(direction);
        let pdu = match &mut side.peers {
            Peers::Um(transmitter, _) => transmitter.build(now, room, &mut side.store, cx),
            Peers::Am(pair) => pair.build(now, room, &mut side.store, cx),
        };
        let Some(pdu) = pdu else { return side.build_full(room) };
        side.on_air += 1;
        match pdu.is_retransmission() {
            true => self.report_retransmission(direction, pdu.size, cx),
            false => self.report_queue(direction, cx),
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
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) {
        self.side_mut(direction).on_air -= 1;
        let data = match pdu.body {
            Body::Data(data) => data,
            Body::Status(status) => {
                let Side { store, peers, .. } = self.side_mut(opposite(direction));
                if let Peers::Am(pair) = peers {
                    pair.receive_status(&status, now, store, cx, out);
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
    pub fn wake(&mut self, now: Time, cx: &mut Cx<'_>, out: &mut impl FnMut(Direction, Packet)) {
        for Side { store, peers, .. } in [&mut self.down, &mut self.up] {
            match peers {
                Peers::Um(_, receiver) => receiver.wake(now, store, cx, out),
                Peers::Am(pair) => pair.wake(now, store, cx, out),
            }
        }
    }

    /// Since when the oldest SDU has waited that [`discard`](Channel::discard)
    /// may drop.
    pub fn oldest_untouched(&self, direction: Direction) -> Option<Time> {
        self.side(direction).store.oldest_untouched()
    }

    /// Drops the SDUs that have waited for `limit` and of which no part has been
    /// sent: PDCP's discard indication (TS 36.322, 5.3).
    pub fn discard(&mut self, direction: Direction, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        let Side { store, peers, .. } = self.side_mut(direction);
        let before = store.waiting();
        store.discard(now, limit, cx);
        if store.waiting() == before {
            return;
        }
        match peers {
            Peers::Um(..) => store.trim(u64::MAX),
            Peers::Am(pair) => pair.clean_up(now, store),
        }
        self.report_queue(direction, cx);
    }

    /// The packets that wait, first the one that is partly sent: for the MAC to
    /// book what it made them wait for.
    pub fn waiting_mut(&mut self, direction: Direction) -> impl Iterator<Item = &mut Packet> {
        self.side_mut(direction).store.waiting_mut()
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

    fn report_queue(&self, direction: Direction, cx: &mut Cx<'_>) {
        let waiting = self.side(direction).store.waiting();
        cx.emit(|| {
            Event::Radio(RadioEvent::Queue {
                bearer: self.bearer,
                direction,
                packets: waiting.sdus,
                bytes: waiting.bytes,
            })
        });
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
