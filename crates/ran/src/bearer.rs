//! A bearer: its PDCP, its RLC, and its logical channel in the MAC.

mod congestion;
mod copies;
mod failure;
mod fill;
mod marking;
mod sets;
mod split;

use airpath_base::{BearerId, CellId, Duration, Time};
use airpath_net::queue::{QueueKind, Ramp};
use airpath_net::{
    ChangeError, Cx, Direction, Event, Held, Packet, QueueChange, RadioEnd, RadioEvent,
};

use crate::config::BearerConfig;
use crate::mac::Bucket;
use crate::pdcp::{self, Reordering, Waiting};
use crate::rlc::{self, Handed, Pdu};
use crate::tti::earlier;

pub use fill::Filler;

/// Bytes of header that the scheduler expects (ns-3).
const PDU_HEADER: u32 = 2;

/// One bearer at both ends.
pub struct Bearer {
    pub(crate) config: BearerConfig,
    /// The cell that serves its UE.
    pub(crate) cell: CellId,
    pdcp: pdcp::Entity,
    /// PDCP at the receiving ends, downlink and uplink: over RLC of NR, and of a split bearer.
    receivers: Option<Box<[pdcp::Receiver; 2]>>,
    rlc: rlc::Channel,
    /// Marker of uplink packets at the cell.
    marker: Option<Box<Ramp>>,
    /// Congestion that the cell reports; none if the cell marks itself.
    congestion: Option<Box<congestion::Congestion>>,
    /// True if sets of which packets are dropped are noted, or marks are counted.
    takes_notes: bool,
    /// Empty between calls, to be used again.
    handed: Vec<Handed>,
    /// Packets that a leg has handed up, for the host; none of another bearer.
    leg_up: Option<Vec<Handed>>,
    /// True if it hosts a split bearer with duplication.
    duplicates: bool,
    buckets: [Bucket; 2],
    /// Bytes that a scheduler which shares equally believes to wait downlink.
    believed: u32,
    /// Bytes set aside for it in the block that is being filled.
    pub(crate) planned: u32,
    /// Time of the next look at its timers.
    pub(crate) armed: Option<Time>,
    /// True if its full buffers are paused, downlink and uplink.
    pub(crate) paused: [bool; 2],
    /// Time until which its downlink data are on their way to the cell; status reports are sent before.
    held_until: Option<Time>,
    /// Uplink PDU sets of which the cell knows that a packet was lost on the air; none so far.
    lost_up: Option<Box<sets::LostUp>>,
}

/// Data of a bearer in one direction that wait for a grant, at PDCP and RLC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferStatus {
    /// Bytes of SDUs that may be sent now for the first time, with the header of one PDU that takes
    /// them all. With a full buffer it is more than fits anywhere.
    pub new_data: u32,
    /// Bytes of PDUs to be sent again, headers included.
    pub retransmissions: u32,
    /// Bytes of the status report that is due.
    pub status: u32,
    /// Begin of the wait of the oldest of those SDUs.
    pub head_of_line: Option<Time>,
    /// SDUs not or only partly sent, and their unsent bytes, with PDCP headers and without RLC
    /// headers. A buffer status report counts these (TS 36.321, 6.1.3.1).
    pub waiting: Waiting,
}

impl Bearer {
    /// A bearer, nothing sent yet; `mac` says whether MAC headers take room in its cell.
    pub fn new(id: BearerId, config: BearerConfig, mac: bool) -> Bearer {
        let is_nr = config.rlc.mode.is_nr();
        Bearer {
            receivers: is_nr.then(|| receivers(&config)),
            pdcp: pdcp::Entity::new(&config.pdcp),
            rlc: rlc::Channel::new(id, &config.rlc, mac),
            marker: None,
            congestion: None,
            takes_notes: config.pdcp.sets.is_some_and(|own| own.integrated),
            handed: Vec::new(),
            leg_up: None,
            duplicates: false,
            buckets: [Bucket::new(&config.channel); 2],
            believed: 0,
            planned: 0,
            armed: None,
            paused: [false; 2],
            held_until: None,
            lost_up: None,
            cell: CellId(0),
            config,
        }
    }

    /// The ends that send and receive in a direction.
    #[inline]
    fn ends(&self, direction: Direction) -> [RadioEnd; 2] {
        let (cell, ue) = (RadioEnd::Cell(self.cell), RadioEnd::Ue(self.config.ue));
        match direction {
            Direction::Downlink => [cell, ue],
            Direction::Uplink => [ue, cell],
        }
    }

    /// True if its user plane is that of NR.
    #[inline]
    pub(crate) fn is_nr(&self) -> bool {
        self.config.rlc.mode.is_nr()
    }

    /// Its identifier in the network.
    pub(crate) const fn id(&self) -> BearerId {
        self.rlc.bearer()
    }

    /// Its RLC.
    pub(crate) fn rlc(&self) -> &rlc::Channel {
        &self.rlc
    }

    /// Its RLC, to change it.
    pub(crate) fn rlc_mut(&mut self) -> &mut rlc::Channel {
        &mut self.rlc
    }

    /// Gives a QoS flow a queue of its own in a direction.
    pub(crate) fn set_queue(&mut self, direction: Direction, flow: usize, queue: QueueKind) {
        self.pdcp.sender_mut(direction).set_queue(flow, queue);
    }

    /// Tells the queues at the cell which share of its resource blocks has been free.
    pub(crate) fn set_free_resources(&mut self, now: Time, share: f64) {
        self.pdcp.sender_mut(Direction::Downlink).set_free_resources(now, share);
    }

    /// Changes the queue of a QoS flow in a direction.
    pub(crate) fn change_queue(
        &mut self,
        now: Time,
        (direction, flow): (Direction, usize),
        change: QueueChange,
    ) -> Result<(), ChangeError> {
        self.pdcp.sender_mut(direction).change_queue(now, flow, change)
    }

    /// Takes in a packet of a QoS flow, to be sent in this direction, or drops it.
    #[inline]
    pub fn enqueue(
        &mut self,
        direction: Direction,
        now: Time,
        packet: Packet,
        flow: usize,
        cx: &mut Cx<'_>,
    ) {
        let takes_notes = self.begin_notes(direction, cx);
        // Packets that have expired by now make room first.
        if let Some(timer) = self.config.pdcp.discard_timer {
            Direction::ALL.into_iter().for_each(|way| self.discard(way, now, timer, cx));
        }
        let (below, [end, _]) = (self.rlc.waiting(direction), self.ends(direction));
        let sender = self.pdcp.sender_mut(direction);
        let before = sender.waiting();
        cx.at_end(end, |cx| sender.enqueue(now, packet, flow, below, cx));
        self.report_change(direction, before, cx);
        if takes_notes {
            self.end_notes(now, cx);
        }
    }

    /// Fills one PDU of at most `room` bytes. `None` if nothing waits or too little fits. Where room
    /// is left, the MAC asks again.
    #[inline]
    pub fn build(
        &mut self,
        direction: Direction,
        now: Time,
        room: u32,
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        if self.is_held(direction) {
            return self.rlc.build_status(direction, now, room, cx);
        }
        let takes_notes = self.begin_notes(direction, cx);
        let (before, [end, _]) = (self.waiting(direction), self.ends(direction));
        let sender = self.pdcp.sender_mut(direction);
        let pdu = cx.at_end(end, |cx| self.rlc.build(direction, now, room, sender, cx));
        if self.waiting(direction) != before {
            if pdu.is_none() {
                // All that was there has been dropped.
                self.rlc.settle(direction, now, self.pdcp.sender(direction));
            }
            self.report_queue(direction, cx);
        }
        if takes_notes {
            self.end_notes(now, cx);
        }
        pdu
    }

    /// A PDU arrives at the other end; see [`rlc::Channel::receive`].
    #[inline]
    pub fn receive(
        &mut self,
        direction: Direction,
        now: Time,
        pdu: Pdu,
        first_attempt: Time,
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) {
        let mut handed = std::mem::take(&mut self.handed);
        let up = &mut |one| handed.push(one);
        let ([_, end], heeds_sets) = (self.ends(direction), self.begin_sets(cx));
        cx.at_end(end, |cx| {
            self.rlc.receive((direction, now), pdu, first_attempt, &self.pdcp, cx, up);
        });
        if self.duplicates {
            self.heed_losses(cx);
        }
        if heeds_sets {
            self.end_sets(now, cx);
        }
        let mut sieve = self.sieve();
        let mut pass = |way, packet| sieve.pass(way, packet).into_iter().for_each(|p| out(way, p));
        self.pass_up(&mut handed, now, cx, &mut pass);
        self.end_sieve(sieve, cx);
        self.handed = handed;
    }

    /// HARQ gives up the block of a PDU; see [`rlc::Channel::lost`].
    #[cold]
    pub fn lost(
        &mut self,
        direction: Direction,
        now: Time,
        pdu: Pdu,
        first_attempt: Time,
        cx: &mut Cx<'_>,
    ) {
        let ([end, _], heeds_sets) = (self.ends(direction), self.begin_sets(cx));
        cx.at_end(end, |cx| self.rlc.lost((direction, now), pdu, first_attempt, cx));
        if self.duplicates {
            self.heed_losses(cx);
        }
        if heeds_sets {
            self.end_sets(now, cx);
        }
    }

    /// Lets the timers that have run out act.
    pub(crate) fn wake(
        &mut self,
        now: Time,
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) {
        let mut handed = std::mem::take(&mut self.handed);
        let ends = Direction::ALL.map(|direction| self.ends(direction));
        let of = |direction| ends[direction as usize];
        let heeds_sets = self.begin_sets(cx);
        self.rlc.wake(now, &self.pdcp, of, cx, &mut |one| handed.push(one));
        if self.duplicates {
            self.heed_losses(cx);
        }
        if heeds_sets {
            self.end_sets(now, cx);
        }
        let mut sieve = self.sieve();
        let mut pass = |way, packet| sieve.pass(way, packet).into_iter().for_each(|p| out(way, p));
        self.pass_up(&mut handed, now, cx, &mut pass);
        self.handed = handed;
        for direction in Direction::ALL {
            if let Some(receivers) = &mut self.receivers {
                receivers[direction as usize].wake(now, &mut |packet| pass(direction, packet));
            }
        }
        self.end_sieve(sieve, cx);
        self.begin_sets(cx);
        for direction in Direction::ALL {
            self.change(direction, now, cx, |sender, cx| sender.wake(now, cx));
        }
        if heeds_sets {
            self.end_sets(now, cx);
        }
        self.end_hold(now);
    }

    /// Packets from RLC go through PDCP.
    #[inline]
    fn pass_up(
        &mut self,
        handed: &mut Vec<Handed>,
        now: Time,
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) {
        if let Some(up) = &mut self.leg_up {
            return up.append(handed);
        }
        for (direction, count, packet) in handed.drain(..) {
            let [_, end] = self.ends(direction);
            match &mut self.receivers {
                None => out(direction, packet),
                Some(_)
                    if self.duplicates && !self.pdcp.sender_mut(direction).comes_first(count) => {}
                Some(receivers) => {
                    let out = &mut |packet| out(direction, packet);
                    let receiver = &mut receivers[direction as usize];
                    cx.at_end(end, |cx| receiver.receive(count, now, packet, cx, out));
                }
            }
        }
    }

    /// Drops the packets that have waited for so long in a direction.
    pub(crate) fn discard(
        &mut self,
        direction: Direction,
        now: Time,
        limit: Duration,
        cx: &mut Cx<'_>,
    ) {
        self.change(direction, now, cx, |sender, cx| sender.discard(now, limit, cx));
    }

    /// Lets PDCP drop some of what waits.
    fn change(
        &mut self,
        direction: Direction,
        now: Time,
        cx: &mut Cx<'_>,
        change: impl FnOnce(&mut pdcp::Transmitter, &mut Cx<'_>),
    ) {
        let [end, _] = self.ends(direction);
        let sender = self.pdcp.sender_mut(direction);
        let before = sender.waiting();
        cx.at_end(end, |cx| change(sender, cx));
        if sender.waiting() != before {
            self.rlc.settle(direction, now, self.pdcp.sender(direction));
            self.report_queue(direction, cx);
        }
    }

    /// Data that wait at PDCP, and at RLC in part, in this direction.
    #[inline]
    pub fn waiting(&self, direction: Direction) -> Waiting {
        self.pdcp.sender(direction).waiting().plus(self.rlc.waiting(direction))
    }

    /// Data that wait for transmission in this direction.
    pub fn buffer_status(&self, direction: Direction, now: Time) -> BufferStatus {
        let [new_data, retransmissions, status] = self.queued_by_kind(direction, now);
        let (head_of_line, waiting) = (self.head_of_line(direction), self.waiting(direction));
        BufferStatus { new_data, retransmissions, status, head_of_line, waiting }
    }

    #[inline]
    fn queued_by_kind(&self, direction: Direction, now: Time) -> [u32; 3] {
        let above = self.pdcp.sender(direction).waiting();
        let all = self.rlc.queued_by_kind(direction, now, above);
        if self.is_held(direction) { [0, 0, all[2]] } else { all }
    }

    /// Bytes of all kinds that wait to be sent in this direction.
    #[inline]
    pub fn queued(&self, direction: Direction, now: Time) -> u32 {
        self.queued_by_kind(direction, now).into_iter().fold(0, u32::saturating_add)
    }

    /// Begin of the wait of the oldest SDU in this direction, unsent in whole or in part.
    #[inline]
    pub fn head_of_line(&self, direction: Direction) -> Option<Time> {
        earlier(self.rlc.oldest(direction), self.pdcp.sender(direction).oldest())
    }

    #[cfg(test)]
    pub(crate) fn oldest_above(&self) -> Option<Time> {
        self.pdcp.sender(Direction::Downlink).oldest()
    }

    /// Calls `visit` for each packet that waits at PDCP in a direction.
    pub(crate) fn for_each_waiting(
        &mut self,
        direction: Direction,
        visit: &mut dyn FnMut(&mut Packet),
    ) {
        self.pdcp.sender_mut(direction).for_each_waiting(visit);
    }

    /// All packets inside and on the air.
    pub(crate) fn held(&self) -> Held {
        let receivers = self.receivers.iter().flat_map(|both| both.iter());
        let parts = [self.pdcp.held(), self.rlc.held()].into_iter();
        let up = self.leg_up.iter().map(|up| Held::of(up.iter().map(|(.., packet)| packet)));
        let above = receivers.map(pdcp::Receiver::held).chain(up);
        parts.chain(above).fold(Held::default(), Held::plus)
    }

    /// Checks the books of PDCP and RLC; `on_air` says how many PDUs are on their way.
    ///
    /// # Errors
    ///
    /// What does not close.
    pub(crate) fn audit(&self, on_air: impl Fn(Direction) -> u64) -> Result<(), String> {
        for direction in Direction::ALL {
            let books = self.pdcp.sender(direction).audit(self.rlc.books(direction));
            let wrong =
                |books| format!("{} {}, PDCP: {books}", self.rlc.bearer(), direction.name());
            books.map_err(wrong)?;
        }
        self.rlc.audit(on_air)
    }

    fn report_change(&self, direction: Direction, before: Waiting, cx: &mut Cx<'_>) {
        if self.pdcp.sender(direction).waiting() != before {
            self.report_queue(direction, cx);
        }
    }

    fn report_queue(&self, direction: Direction, cx: &mut Cx<'_>) {
        if self.leg_up.is_some() {
            return; // the host reports what waits
        }
        let bearer = self.rlc.bearer();
        cx.emit(|| {
            let Waiting { sdus: packets, bytes } = self.waiting(direction);
            Event::Radio(RadioEvent::Queue { bearer, direction, packets, bytes })
        });
    }

    pub(crate) fn bucket_mut(&mut self, direction: Direction) -> &mut Bucket {
        match direction {
            Direction::Downlink => &mut self.buckets[0],
            Direction::Uplink => &mut self.buckets[1],
        }
    }

    /// Bytes that wait as a scheduler which shares equally takes them: never less than
    /// there are, but perhaps more.
    pub(crate) fn believed(&self, direction: Direction, now: Time) -> u32 {
        let queued = self.queued(direction, now);
        match direction {
            Direction::Uplink => queued,
            Direction::Downlink => queued.max(self.believed),
        }
    }

    /// A packet has arrived downlink, or been dropped: the scheduler learns of it.
    pub(crate) fn report_arrival(&mut self) {
        let waiting = self.waiting(Direction::Downlink);
        let bytes = u32::try_from(waiting.bytes).unwrap_or(u32::MAX);
        self.believed = bytes.saturating_add(waiting.sdus.saturating_mul(PDU_HEADER));
    }

    /// The scheduler has given it `share` bytes downlink.
    pub(crate) fn report_share(&mut self, share: u32) {
        self.believed = self.believed.saturating_sub(share.saturating_sub(PDU_HEADER));
    }

    /// Time of the next expiry of one of its timers.
    #[inline]
    pub(crate) fn next_wake(&self) -> Option<Time> {
        let receivers = self.receivers.iter().flat_map(|both| both.iter());
        let receivers = receivers.filter_map(pdcp::Receiver::next_wake).min();
        let timers = earlier(self.rlc.next_wake(), self.pdcp.next_wake());
        earlier(self.held_until, earlier(receivers, timers))
    }
}

/// The receiving sides of PDCP of a bearer, downlink and uplink.
fn receivers(config: &BearerConfig) -> Box<[pdcp::Receiver; 2]> {
    let receiver = || match config.pdcp.reordering {
        Reordering::InOrder(timer) => pdcp::Receiver::new(timer, true),
        Reordering::AsTheyCome => pdcp::Receiver::new(None, false),
    };
    Box::new([receiver(), receiver()])
}
