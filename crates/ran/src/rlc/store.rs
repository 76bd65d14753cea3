//! The SDUs of one direction, from when the transmitter takes them from PDCP until the
//! receiver hands them up or they are dropped.
//!
//! SDUs are numbered in the order in which they are taken. Those before `head` have been put
//! into PDUs, at least in part; those from `head` on go into the PDU that is being built.

mod arrival;
mod books;
mod copied;
mod reestablish;

use std::collections::VecDeque;

use airpath_base::{BearerId, Time};
use airpath_net::layers::LayerEvent;
use airpath_net::{
    Cx, Direction, DropCause, Event, Held, Ledger, Packet, Piece, RadioEvent, Stage,
};

use super::pdu::{Contents, Part};
use crate::pdcp::{self, Waiting};

pub(super) use arrival::Arrival;
pub(crate) use copied::Copied;

/// SDU that a receiver hands up: its direction, PDCP's count, and its packet.
pub(crate) type Handed = (Direction, u64, Packet);

/// Takes what the receiver hands up.
pub(super) type Out<'a> = &'a mut dyn FnMut(Handed);

#[derive(Debug)]
struct Sdu {
    /// `None` once delivered or dropped.
    packet: Option<Packet>,
    /// Its packet's number within the run.
    number: u64,
    /// Bytes, the PDCP header included; never 0.
    size: u32,
    /// Bytes that have reached the receiver.
    arrived: u32,
    /// Set if a part has been lost while the rest has not been sent yet.
    doomed: Option<DropCause>,
    queued: Time,
    /// True if the receiver had all of it, out of turn, before RLC was re-established: PDCP there
    /// keeps it (TS 36.323, 5.1.2.1.2.1a).
    kept: bool,
    /// True if its wait in the queue has been reported. It is that of a leg, or all of it had been sent before RLC was
    /// re-established.
    reported: bool,
    /// PDCP's count: that of a split bearer, or else its number here.
    count: u64,
}

impl Sdu {
    fn has_arrived(&self) -> bool {
        self.arrived == self.size
    }
}

#[derive(Debug)]
pub(super) struct Store {
    bearer: BearerId,
    direction: Direction,
    sdus: VecDeque<Sdu>,
    /// Number of the first in `sdus`.
    base: u64,
    /// The first SDU of which nothing has been sent.
    head: u64,
    /// The SDU of which a part has been sent, and how many bytes.
    partial: Option<(u64, u32)>,
    waiting: Waiting,
    held: Held,
    books: Ledger,
    /// News of SDUs that another path may have as well; none without duplication.
    copied: Option<Box<Copied>>,
}

impl Store {
    pub fn new(bearer: BearerId, direction: Direction) -> Store {
        Store {
            bearer,
            direction,
            sdus: VecDeque::new(),
            base: 0,
            head: 0,
            partial: None,
            waiting: Waiting::default(),
            held: Held::default(),
            books: Ledger::default(),
            copied: None,
        }
    }

    /// SDUs that have not been put into a PDU yet. It is no more than a part of an SDU, except
    /// during the building of a PDU and after a [rewind](Store::rewind).
    pub fn waiting(&self) -> Waiting {
        self.waiting
    }

    pub fn held(&self) -> Held {
        self.held
    }

    /// Packets that have entered from PDCP, and left to it or been dropped.
    pub fn books(&self) -> &Ledger {
        &self.books
    }

    /// Appends an SDU that PDCP has handed down.
    #[inline]
    pub fn push(&mut self, sdu: pdcp::Sdu) {
        let count = sdu.count.unwrap_or_else(|| self.end());
        let pdcp::Sdu { packet, size, reported, .. } = sdu;
        self.waiting.sdus += 1;
        self.waiting.bytes += u64::from(size);
        self.held.add(&packet);
        self.books.received.book(&packet);
        let (number, queued) = (packet.id, packet.queued);
        let packet = Some(packet);
        let (arrived, doomed, kept) = (0, None, false);
        let sdu = Sdu { packet, number, size, arrived, doomed, queued, kept, reported, count };
        self.sdus.push_back(sdu);
    }

    /// The number of the next SDU that will be pushed.
    fn end(&self) -> u64 {
        self.base + self.sdus.len() as u64
    }

    /// The first SDU of which something has not been sent, if there is one.
    pub fn unsent(&self) -> u64 {
        self.partial.map_or(self.head, |(id, _)| id)
    }

    /// Tells of an SDU that is about to be [pushed](Store::push).
    fn tell(&self, sdu: &pdcp::Sdu, cx: &mut Cx<'_>) {
        cx.tell_layer(|| LayerEvent::Sdu {
            bearer: self.bearer,
            direction: self.direction,
            number: self.end(),
            flow: sdu.flow,
            packet: &sdu.packet,
        });
    }

    /// Begin of the wait of the first SDU that is not sent, in whole or in part.
    #[inline]
    pub fn oldest(&self) -> Option<Time> {
        match self.waiting.sdus {
            0 => None,
            _ => Some(self.get(self.unsent())?.queued),
        }
    }

    /// Bytes of the SDU that is partly sent which are not.
    #[inline]
    pub fn rest(&self) -> Option<u32> {
        self.partial.and_then(|(id, sent)| Some(self.get(id)?.size - sent))
    }

    /// Puts the next `bytes`, not more than wait, into a PDU.
    #[inline(always)]
    pub fn take(&mut self, bytes: u32, now: Time, cx: &mut Cx<'_>) -> Contents {
        let (first, start) = self.partial.unwrap_or((self.head, 0));
        let mut contents = Contents { first, start, last: first, end: start };
        self.waiting.bytes -= u64::from(bytes);
        let mut left = bytes;
        while left > 0 {
            let (id, sent) = self.partial.take().unwrap_or((self.head, 0));
            self.head = self.head.max(id + 1);
            let Some(sdu) = self.get_mut(id) else { break };
            let end = sent + left.min(sdu.size - sent);
            left -= end - sent;
            contents = Contents { last: id, end, ..contents };
            if end < sdu.size {
                self.partial = Some((id, end));
                continue;
            }
            // Its last byte is in a PDU: its time in the queue is over.
            if let Some(packet) = sdu.packet.as_mut().filter(|_| !sdu.kept) {
                packet.charge(Stage::Rlc, now.max(packet.stages.until()));
            }
            let (doomed, waited) = (sdu.doomed, now.saturating_since(sdu.queued));
            let reported = sdu.reported;
            let (bearer, direction) = (self.bearer, self.direction);
            self.waiting.sdus -= 1;
            if !reported {
                cx.emit(|| Event::Radio(RadioEvent::Left { bearer, direction, waited }));
            }
            if let Some(cause) = doomed {
                self.drop(id, cause, cx);
            }
        }
        contents
    }

    /// Bytes of `part` of a PDU with these contents reached the receiver.
    ///
    /// SDUs that are forgotten already shift the offsets of those behind them,
    /// so `part` must be everything where that can happen (UM).
    pub fn arrive(&mut self, contents: Contents, part: Part, arrival: &Arrival) {
        let mut offset = 0;
        for id in contents.first.max(self.base)..=contents.last {
            let Some(sdu) = self.get_mut(id) else { break };
            let length = contents.length(id, sdu.size);
            let here = Part { start: offset, end: offset + length }.overlap(part).len();
            offset += length;
            sdu.arrived += here;
            if here > 0 && sdu.arrived == sdu.size && !sdu.kept {
                sdu.packet.iter_mut().for_each(|packet| arrival.charge(packet));
            }
        }
    }

    /// Lengths of the stretches of SDUs in `part` of a PDU with these contents.
    pub fn pieces_of(&self, contents: Contents, part: Part) -> impl Iterator<Item = u32> {
        let mut offset = 0;
        (contents.first..=contents.last).filter_map(move |id| {
            let length = contents.length(id, self.size(id));
            let piece = Part { start: offset, end: offset + length }.overlap(part).len();
            offset += length;
            (piece > 0).then_some(piece)
        })
    }

    /// The stretches of SDUs in `part` of a PDU with these contents that has just been built.
    pub fn stretches(&self, contents: Contents, part: Part) -> impl Iterator<Item = Piece<'_>> {
        let mut offset = 0;
        (contents.first..=contents.last).filter_map(move |id| {
            let sdu = self.get(id)?;
            let (first, length) = (contents.start_of(id), contents.length(id, sdu.size));
            let own = Part { start: offset, end: offset + length }.overlap(part);
            let start = first + own.start.saturating_sub(offset);
            offset += length;
            (own.len() > 0).then(|| Piece {
                id: sdu.number,
                packet: sdu.packet.as_ref(),
                size: sdu.size,
                start,
                end: start + own.len(),
            })
        })
    }

    /// Hands up, in order, the SDUs that end within the first `bytes` of a PDU
    /// with these contents; those with a part missing are dropped.
    pub fn finish(
        &mut self,
        contents: Contents,
        bytes: u32,
        now: Time,
        cause: DropCause,
        cx: &mut Cx<'_>,
        out: Out<'_>,
    ) {
        let mut offset = 0;
        for id in contents.first.max(self.base)..=contents.last {
            let Some(sdu) = self.get_mut(id) else { break };
            offset += contents.length(id, sdu.size);
            let ends = id < contents.last || contents.end == sdu.size;
            if !ends || offset > bytes {
                break;
            }
            if sdu.arrived < sdu.size {
                self.drop(id, cause, cx);
            } else if let Some(mut packet) = sdu.packet.take() {
                packet.charge(Stage::Reordering, now.max(packet.stages.until()));
                self.hand_up(id, packet, out);
                self.hand_up_kept(id + 1, now, out);
            }
        }
    }

    /// Hands up those from SDU `id` on that the receiver has kept, as far as none is missing.
    fn hand_up_kept(&mut self, mut id: u64, now: Time, out: Out<'_>) {
        while let Some(sdu) = self.get_mut(id).filter(|sdu| sdu.kept)
            && let Some(mut packet) = sdu.packet.take()
        {
            packet.charge(Stage::Reordering, now.max(packet.stages.until()));
            self.hand_up(id, packet, out);
            id += 1;
        }
    }

    /// All of a PDU with these contents arrives in its turn: hands up the SDUs that it
    /// completes. What lies before it will not come any more: SDUs with a part missing
    /// are dropped. As [`arrive`](Store::arrive), [`pass`](Store::pass) and
    /// [`finish`](Store::finish) do it for PDUs that wait, in one go.
    pub fn arrive_in_turn(
        &mut self,
        contents: Contents,
        arrival: &Arrival,
        cause: DropCause,
        cx: &mut Cx<'_>,
        out: Out<'_>,
    ) {
        self.pass(contents.first, cause, cx);
        for id in contents.first.max(self.base)..=contents.last {
            let Some(sdu) = self.get_mut(id) else { break };
            sdu.arrived += contents.length(id, sdu.size);
            if id == contents.last && contents.end != sdu.size {
                break; // the rest comes in the next PDU
            }
            if sdu.arrived < sdu.size {
                self.drop(id, cause, cx);
            } else if let Some(mut packet) = sdu.packet.take() {
                arrival.charge(&mut packet);
                self.hand_up(id, packet, out);
            }
        }
        self.trim(u64::MAX);
    }

    /// `bytes` more of one SDU reached the receiver; whether it is complete now.
    pub fn arrive_one(&mut self, id: u64, bytes: u32, arrival: &Arrival) -> bool {
        let Some(sdu) = self.get_mut(id) else { return false };
        sdu.arrived += bytes;
        let complete = sdu.arrived == sdu.size;
        if complete {
            sdu.packet.iter_mut().for_each(|packet| arrival.charge(packet));
        }
        complete
    }

    /// Hands up one SDU, whatever comes before it.
    pub fn deliver(&mut self, id: u64, out: Out<'_>) {
        let packet = self.get_mut(id).and_then(|sdu| sdu.packet.take());
        packet.into_iter().for_each(|packet| self.hand_up(id, packet, &mut *out));
    }

    /// The rest of one SDU will never reach the receiver, or is given up.
    #[cold]
    pub fn lose_one(&mut self, id: u64, cause: DropCause, cx: &mut Cx<'_>) {
        self.lose(Contents { first: id, start: 0, last: id, end: 0 }, cause, cx);
    }

    /// Bytes of an SDU that is neither delivered nor dropped.
    pub fn size_of(&self, id: u64) -> Option<u32> {
        self.get(id).filter(|sdu| sdu.packet.is_some()).map(|sdu| sdu.size)
    }

    /// Bytes of it that have arrived.
    pub fn arrived(&self, id: u64) -> u32 {
        self.get(id).map_or(0, |sdu| sdu.arrived)
    }

    /// Bytes of the SDU that is partly sent which are.
    pub fn sent_of_partial(&self) -> u32 {
        self.partial.map_or(0, |(_, sent)| sent)
    }

    fn hand_up(&mut self, id: u64, packet: Packet, out: Out<'_>) {
        self.held.packets -= 1;
        self.held.bytes -= u64::from(packet.size);
        self.books.sent.book(&packet);
        let count = self.get(id).map_or(id, |sdu| sdu.count);
        out((self.direction, count, packet));
    }

    /// HARQ gives up a PDU with these contents, or it comes too late: drops what it carried, as
    /// [`lose`](Store::lose) does.
    #[cold]
    pub fn lose_on_air(
        &mut self,
        contents: Contents,
        arrival: &Arrival,
        cause: DropCause,
        cx: &mut Cx<'_>,
    ) {
        let unsent = self.unsent();
        for id in contents.first.max(self.base)..unsent.min(contents.last + 1) {
            let Some(sdu) = self.get_mut(id).filter(|sdu| !sdu.has_arrived()) else { continue };
            sdu.packet.iter_mut().for_each(|packet| arrival.charge_radio(packet));
        }
        self.lose(contents, cause, cx);
    }

    /// A PDU with these contents will never reach the receiver. Drops its SDUs that have been sent,
    /// and its last one, if it is partly sent, when the rest has been sent.
    #[cold]
    pub fn lose(&mut self, contents: Contents, cause: DropCause, cx: &mut Cx<'_>) {
        for id in contents.first.max(self.base)..=contents.last {
            match self.partial {
                Some((partial, _)) if partial == id => self.doom(id, cause),
                _ => self.drop(id, cause, cx),
            }
        }
    }

    #[cold]
    fn doom(&mut self, id: u64, cause: DropCause) {
        if let Some(sdu) = self.get_mut(id) {
            sdu.doomed = Some(cause);
        }
    }

    /// Drops everything before SDU `id`: the receiver has moved past it.
    pub fn pass(&mut self, id: u64, cause: DropCause, cx: &mut Cx<'_>) {
        for earlier in self.base..id.min(self.head) {
            self.drop(earlier, cause, cx);
        }
    }

    /// Forgets what is delivered or dropped, up to SDU `keep` or the first that
    /// is still to be sent.
    pub fn trim(&mut self, keep: u64) {
        let unsent = self.unsent();
        while self.base < keep.min(unsent)
            && self.sdus.front().is_some_and(|sdu| sdu.packet.is_none())
        {
            let sdu = self.sdus.pop_front();
            if let (Some(copied), Some(sdu)) = (&mut self.copied, sdu.filter(Sdu::has_arrived)) {
                copied.confirm(sdu.count);
            }
            self.base += 1;
        }
    }

    /// Drops an SDU. One that has arrived has waited for others; the time of any other is booked
    /// to the stage that the caller of RLC names.
    #[cold]
    fn drop(&mut self, id: u64, cause: DropCause, cx: &mut Cx<'_>) {
        let arrived = self.get(id).is_some_and(Sdu::has_arrived);
        let Some(mut packet) = self.remove(id) else { return };
        self.books.dropped.book(&packet);
        if self.copied.is_some() {
            match arrived {
                true => cx.waiting_in(Stage::Reordering, |cx| cx.book_wait(&mut packet)),
                false => cx.book_wait(&mut packet),
            }
            return self.note_loss(id, packet, cause);
        }
        match arrived {
            true => cx.waiting_in(Stage::Reordering, |cx| cx.drop(packet, cause)),
            false => cx.drop(packet, cause),
        }
    }

    fn remove(&mut self, id: u64) -> Option<Packet> {
        let packet = self.get_mut(id)?.packet.take()?;
        self.held.packets -= 1;
        self.held.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// Bytes of an SDU that is remembered, delivered or not; 0 of others.
    pub fn size(&self, id: u64) -> u32 {
        self.get(id).map_or(0, |sdu| sdu.size)
    }

    fn index(&self, id: u64) -> Option<usize> {
        id.checked_sub(self.base).map(|index| index as usize).filter(|&i| i < self.sdus.len())
    }

    fn get(&self, id: u64) -> Option<&Sdu> {
        self.sdus.get(self.index(id)?)
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut Sdu> {
        let index = self.index(id)?;
        self.sdus.get_mut(index)
    }
}

/// Lengths of the SDUs that can be put into a PDU now, in order. They are the rest of the one that
/// is partly sent, those to be sent anew, then those that PDCP hands down on request.
#[inline(always)]
pub(super) fn pieces(
    now: Time,
    store: &mut Store,
    source: &mut pdcp::Transmitter,
    cx: &mut Cx<'_>,
) -> impl Iterator<Item = u32> {
    let (mut rest, mut next) = (store.rest(), store.head);
    core::iter::from_fn(move || {
        rest.take().or_else(|| {
            next += 1;
            if next <= store.end() {
                return Some(store.size(next - 1)); // to be sent anew
            }
            let sdu = source.pull(now, cx)?;
            let size = sdu.size;
            store.tell(&sdu, cx);
            store.push(sdu);
            Some(size)
        })
    })
}
