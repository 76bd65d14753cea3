//! One bearer's RLC at both ends.

mod failure;

use airpath_base::{BearerId, FlowId, Time};
use airpath_net::layers::LayerEvent;
use airpath_net::{
    AppEvent, Cx, Direction, Event, Held, Ledger, Piece, RadioEnd, RadioEvent, Stage,
};

use super::pdu::{Body, Pdu, indicator_bytes};
use super::store::{Arrival, Store};
use super::{Config, Copied, Handed, Mode, am, nr, um};
use crate::pdcp::{self, Waiting};
use crate::tti::earlier;

/// Waiting bytes of a full buffer: more than any block carries, and more than is granted from one
/// report to the next.
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
    NrUm(Box<nr::um::Pair>),
}

impl Channel {
    /// The RLC of `bearer`, nothing sent yet; `mac` says whether MAC subheaders take room, which
    /// the PDUs of NR have in them.
    pub fn new(bearer: BearerId, config: &Config, mac: bool) -> Channel {
        let side = |direction| Side {
            store: Store::new(bearer, direction),
            peers: Peers::new(config, mac),
            on_air: 0,
            full: None,
        };
        Channel { bearer, down: side(Direction::Downlink), up: side(Direction::Uplink) }
    }

    /// The bearer.
    pub const fn bearer(&self) -> BearerId {
        self.bearer
    }

    /// From now on keeps news of the SDUs of a direction, instead of dropping them itself.
    pub(crate) fn keep_news(&mut self, direction: Direction) {
        let Side { store, peers, .. } = self.side_mut(direction);
        store.keep_news(peers.is_am());
    }

    /// True in acknowledged mode.
    pub(crate) fn is_acknowledged(&self) -> bool {
        self.down.peers.is_am()
    }

    /// News of the SDUs of a direction; none unless it keeps them.
    pub(crate) fn news(&mut self, direction: Direction) -> Option<&mut Copied> {
        self.side_mut(direction).store.news()
    }

    /// From now on there is a full buffer of this flow to be sent in a direction, or none.
    pub fn set_full(&mut self, direction: Direction, flow: Option<FlowId>) {
        self.side_mut(direction).full = flow;
    }

    /// True if there is a full buffer to be sent in a direction.
    pub fn is_full(&self, direction: Direction) -> bool {
        self.side(direction).full.is_some()
    }

    /// SDUs that have been taken from PDCP in this direction and not been sent.
    #[inline]
    pub fn waiting(&self, direction: Direction) -> Waiting {
        self.side(direction).store.waiting()
    }

    /// Begin of the wait of the SDU that is partly sent in this direction.
    #[inline]
    pub fn oldest(&self, direction: Direction) -> Option<Time> {
        self.side(direction).store.oldest()
    }

    /// Bytes of new data with the header of one PDU that takes them all, of retransmissions, and of
    /// a status report. `above` waits at PDCP.
    #[inline]
    pub fn queued_by_kind(&self, direction: Direction, now: Time, above: Waiting) -> [u32; 3] {
        let side = self.side(direction);
        let waiting = side.store.waiting().plus(above);
        let sdus = || side.peers.with_headers(waiting);
        let full = side.full.map_or(0, |_| FULL);
        match &side.peers {
            Peers::Um(..) | Peers::NrUm(_) => [sdus().saturating_add(full), 0, 0],
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
        let pdu = self.make(direction, now, room, source, cx)?;
        self.tell(direction, &pdu, cx);
        Some(pdu)
    }

    /// A status report of at most `room` bytes alone. `None` if none is due or it does not fit.
    pub fn build_status(
        &mut self,
        direction: Direction,
        now: Time,
        room: u32,
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        let status = self.side_mut(opposite(direction)).build_status(now, room)?;
        self.side_mut(direction).on_air += 1;
        self.tell(direction, &status, cx);
        Some(status)
    }

    fn tell(&self, direction: Direction, pdu: &Pdu, cx: &mut Cx<'_>) {
        let side = self.side(direction);
        cx.tell_layer(|| LayerEvent::Pdu {
            bearer: self.bearer,
            direction,
            size: pdu.size,
            pdu: pdu.told(),
            keep: side.peers.oldest_sdu().min(side.store.unsent()),
        });
    }

    fn make(
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
            Peers::NrUm(pair) => pair.build(now, room, &mut side.store, source, cx),
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
        (direction, now): (Direction, Time),
        pdu: Pdu,
        first_attempt: Time,
        pdcp: &pdcp::Entity,
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Handed),
    ) {
        self.side_mut(direction).on_air -= 1;
        let of = match pdu.body {
            Body::Status(_) => opposite(direction),
            _ => direction,
        };
        let lost_in = self.side(of).peers.loses_in();
        cx.waiting_in(lost_in, |cx| {
            self.take_in((direction, now), pdu, first_attempt, pdcp, cx, out)
        });
    }

    fn take_in(
        &mut self,
        (direction, now): (Direction, Time),
        pdu: Pdu,
        first_attempt: Time,
        pdcp: &pdcp::Entity,
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Handed),
    ) {
        let data = match pdu.body {
            Body::Data(data) => data,
            Body::Run(run) => {
                let arrival = Arrival::of(now, first_attempt, run.retransmission, run.built);
                let Side { store, peers, .. } = self.side_mut(direction);
                match peers {
                    Peers::NrUm(pair) => pair.receive(&run, &arrival, store, cx, out),
                    Peers::Am(pair) => pair.receive_run(&run, &arrival, store, out),
                    Peers::Um(..) => {}
                }
                return;
            }
            Body::Status(status) => {
                let Side { store, peers, .. } = self.side_mut(opposite(direction));
                if let Peers::Am(pair) = peers {
                    let source = pdcp.sender(opposite(direction));
                    pair.receive_status(&status, now, store, source);
                }
                return;
            }
            Body::Full { flow, bytes } => {
                let bytes = u64::from(bytes);
                cx.emit(|| Event::App(flow, AppEvent::Delivered { bytes }));
                return;
            }
        };
        let arrival = Arrival::of(now, first_attempt, data.retransmission, data.built);
        let Side { store, peers, .. } = self.side_mut(direction);
        match peers {
            Peers::Um(_, receiver) => receiver.receive(&data, &arrival, store, cx, out),
            Peers::Am(pair) => pair.receive(&data, &arrival, store, cx, out),
            Peers::NrUm(_) => {}
        }
    }

    /// The bytes of SDUs in a PDU that has just been built.
    pub fn pieces<'a>(
        &'a self,
        direction: Direction,
        pdu: &Pdu,
    ) -> impl Iterator<Item = Piece<'a>> + use<'a> {
        let stretch = pdu.stretch().into_iter();
        stretch
            .flat_map(move |(contents, part)| self.side(direction).store.stretches(contents, part))
    }

    /// A PDU will never arrive: HARQ, whose first attempt was at `first_attempt`, gives its block
    /// up `now`. In AM the transmitter will learn of it by the receiver's reports.
    pub fn lost(
        &mut self,
        (direction, now): (Direction, Time),
        pdu: Pdu,
        first_attempt: Time,
        cx: &mut Cx<'_>,
    ) {
        let Side { store, peers, on_air, .. } = self.side_mut(direction);
        *on_air -= 1;
        let contents = match (pdu.body, peers) {
            (Body::Data(data), Peers::Um(..)) => data.contents,
            (Body::Run(run), Peers::NrUm(_)) => run.contents,
            _ => return,
        };
        let end = Arrival::of(now, first_attempt, false, now);
        cx.waiting_in(Stage::Harq, |cx| store.lose_on_air(contents, &end, um::LOSS, cx));
        store.trim(u64::MAX);
    }

    /// Time of the next expiry of a timer.
    #[inline]
    pub fn next_wake(&self) -> Option<Time> {
        earlier(self.down.next_wake(), self.up.next_wake())
    }

    /// Lets the timers that have run out act. There may be more to send then. UM drops at the
    /// receiver, AM at the sender; `ends` are the two in a direction.
    pub fn wake(
        &mut self,
        now: Time,
        pdcp: &pdcp::Entity,
        ends: impl Fn(Direction) -> [RadioEnd; 2],
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Handed),
    ) {
        for direction in Direction::ALL {
            let [sender, receiver] = ends(direction);
            let Side { store, peers, .. } = self.side_mut(direction);
            let (lost_in, end) = (peers.loses_in(), if peers.is_am() { sender } else { receiver });
            cx.at_end(end, |cx| {
                cx.waiting_in(lost_in, |cx| match peers {
                    Peers::Um(_, receiver) => receiver.wake(now, store, cx, out),
                    Peers::Am(pair) => pair.wake(now, store, pdcp.sender(direction)),
                    Peers::NrUm(pair) => pair.wake(now, store, cx),
                });
            });
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
            Peers::NrUm(pair) => pair.next_wake(),
        }
    }

    /// Bytes of the status report about this direction's data, 0 if none is due.
    fn status_bytes(&self, now: Time) -> u32 {
        match &self.peers {
            Peers::Um(..) | Peers::NrUm(_) => 0,
            Peers::Am(pair) => pair.status_bytes(now),
        }
    }

    /// A PDU of the full buffer.
    fn build_full(&mut self, room: u32) -> Option<Pdu> {
        let format = self.peers.format();
        let inner = format.map_or(room, |format| format.without_subheader(room));
        let pdu = Pdu::full(self.full?, inner, self.peers.header())?;
        self.on_air += 1;
        Some(Pdu { size: room, ..pdu })
    }

    /// The status report about this direction's data, to be sent the other way.
    fn build_status(&mut self, now: Time, room: u32) -> Option<Pdu> {
        match &mut self.peers {
            Peers::Um(..) | Peers::NrUm(_) => None,
            Peers::Am(pair) => pair.build_status(now, room),
        }
    }
}

impl Peers {
    fn new(config: &Config, mac: bool) -> Peers {
        let header = config.header;
        match &config.mode {
            Mode::Um(config) => {
                Peers::Um(um::Transmitter::new(config, header), um::Receiver::new(config))
            }
            Mode::Am(config) => Peers::Am(Box::new(am::Pair::new(config, am::Format::Lte(header)))),
            Mode::NrUm(config) => Peers::NrUm(Box::new(nr::um::Pair::new(*config, mac))),
            Mode::NrAm(config, sn) => {
                let format = am::Format::Nr(nr::Format::am(*sn, mac));
                Peers::Am(Box::new(am::Pair::new(config, format)))
            }
        }
    }

    fn is_am(&self) -> bool {
        matches!(self, Peers::Am(_))
    }

    /// The stage of an SDU that has been sent and is dropped before all of it has arrived. In UM
    /// what is missing is still in HARQ when the receiver stops waiting for it.
    #[inline]
    fn loses_in(&self) -> Stage {
        match self.is_am() {
            true => Stage::Arq,
            false => Stage::Harq,
        }
    }

    /// Bytes of the fixed part of a data PDU's header.
    fn header(&self) -> u32 {
        match self {
            Peers::Um(transmitter, _) => transmitter.header(),
            Peers::Am(_) => am::PDU_HEADER,
            Peers::NrUm(_) => 1,
        }
    }

    /// The format of PDUs of NR.
    fn format(&self) -> Option<nr::Format> {
        match self {
            Peers::Um(..) => None,
            Peers::Am(pair) => match pair.format {
                am::Format::Lte(_) => None,
                am::Format::Nr(format) => Some(format),
            },
            Peers::NrUm(pair) => Some(pair.format),
        }
    }

    /// The first SDU that may have to be sent again.
    fn oldest_sdu(&self) -> u64 {
        match self {
            Peers::Um(..) | Peers::NrUm(_) => u64::MAX,
            Peers::Am(pair) => pair.oldest_sdu(),
        }
    }

    /// Waiting bytes with RLC's headers. LTE has one PDU that takes all, NR a PDU for each SDU,
    /// with its MAC subheader.
    #[inline]
    fn with_headers(&self, waiting: Waiting) -> u32 {
        let Waiting { sdus, bytes } = waiting;
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let headers = match self.format() {
            _ if sdus == 0 => 0,
            None => self.header() + indicator_bytes(sdus - 1),
            Some(format) => sdus.saturating_mul(format.most_header()),
        };
        bytes.saturating_add(headers)
    }
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Downlink => Direction::Uplink,
        Direction::Uplink => Direction::Downlink,
    }
}
