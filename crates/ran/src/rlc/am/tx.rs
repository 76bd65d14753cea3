//! The transmitting side: the window, retransmissions, and polls.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::Cx;

use super::super::nr;
use super::super::pdu::{Body, Contents, Data, HeaderModel, Packed, Part, Pdu};
use super::super::status::Status;
use super::super::store::{Store, pieces};
use super::{Config, Format, PDU_HEADER};
use crate::pdcp;

/// Bytes of the fixed part of the header of a segment of an AMD PDU, with LSF
/// and SO (TS 36.322, 6.2.1.5).
const SEGMENT_HEADER: u32 = 4;

/// A PDU of LTE, or an SDU of NR, that has been sent, perhaps in part, and is remembered until all
/// before it are acknowledged.
#[derive(Debug)]
struct Sent {
    contents: Contents,
    /// Bytes of the header of the whole PDU; NR's follow from its format.
    header: u32,
    /// Bytes of its data field, or of the SDU.
    length: u32,
    /// Bytes of those that have been sent: all but of the last SDU of NR.
    sent: u32,
    acknowledged: bool,
    /// Number of times that it has been considered for retransmission: RETX_COUNT + 1.
    considered: u32,
    /// Parts to be sent again, in order.
    pending: Vec<Part>,
}

impl Sent {
    /// An SDU of NR of which so much is being sent.
    fn sdu(id: u64, size: u32, sent: u32) -> Sent {
        Sent {
            contents: Contents { first: id, start: 0, last: id, end: size },
            header: 0,
            length: size,
            sent,
            acknowledged: false,
            considered: 0,
            pending: Vec::new(),
        }
    }

    fn whole(&self) -> Part {
        Part { start: 0, end: self.sent }
    }

    /// Bytes of the pending parts, with headers at most as long as needed.
    fn pending_bytes(&self, format: Format) -> u32 {
        let extra = SEGMENT_HEADER - PDU_HEADER;
        let bytes = |&part: &Part| match format {
            Format::Nr(format) => format.size(part, self.length),
            Format::Lte(_) if part == self.whole() => self.header + self.length,
            Format::Lte(_) => self.header + extra + part.len(),
        };
        self.pending.iter().map(bytes).sum()
    }
}

#[derive(Debug)]
pub(super) struct Transmitter {
    config: Config,
    format: Format,
    /// VT(A): the oldest that is not acknowledged.
    va: u64,
    /// From VT(A) to before VT(S).
    sent: VecDeque<Sent>,
    pending_bytes: u32,
    /// True if RETX_COUNT has reached maxRetxThreshold.
    has_failed: bool,
    pdu_without_poll: u32,
    byte_without_poll: u32,
    poll_sn: u64,
    poll_due: bool,
    /// Expiry of t-PollRetransmit.
    poll_timer: Option<Time>,
}

impl Transmitter {
    /// Nothing sent; the first number is `first`.
    pub fn new(config: Config, format: Format, first: u64) -> Transmitter {
        Transmitter {
            config,
            format,
            va: first,
            sent: VecDeque::new(),
            pending_bytes: 0,
            has_failed: false,
            pdu_without_poll: 0,
            byte_without_poll: 0,
            poll_sn: 0,
            poll_due: false,
            poll_timer: None,
        }
    }

    pub fn is_stalled(&self) -> bool {
        self.sent.len() >= self.format.window()
    }

    pub fn retransmission_bytes(&self) -> u32 {
        self.pending_bytes
    }

    pub fn next_wake(&self) -> Option<Time> {
        self.poll_timer
    }

    /// The first SDU that a PDU may still have to be cut up for.
    pub fn oldest_sdu(&self) -> u64 {
        self.sent.front().map_or(u64::MAX, |sent| sent.contents.first)
    }

    /// True if maxRetxThreshold has been reached (TS 36.322, 5.2.1; TS 38.322, 5.3.2).
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Retransmissions go before new data (TS 36.322, 5.1.3.1.1).
    pub fn build(
        &mut self,
        now: Time,
        room: u32,
        store: &mut Store,
        source: &mut pdcp::Transmitter,
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        let mut pdu = match (self.format, self.pending_bytes) {
            (Format::Lte(model), 0) => self.build_new(model, now, room, store, source, cx)?,
            (Format::Nr(format), 0) => self.build_run(format, now, room, store, source, cx)?,
            (Format::Lte(model), _) => self.build_again(model, now, room, store)?,
            (Format::Nr(format), _) => self.build_run_again(format, now, room)?,
        };
        if let Body::Data(Data { poll, .. }) | Body::Run(nr::Run { poll, .. }) = &mut pdu.body {
            *poll = self.poll(now, has_more(store, source));
        }
        Some(pdu)
    }

    fn build_new(
        &mut self,
        model: HeaderModel,
        now: Time,
        room: u32,
        store: &mut Store,
        source: &mut pdcp::Transmitter,
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        if self.is_stalled() {
            return None;
        }
        let packed = model.pack(PDU_HEADER, room, pieces(now, store, source, cx))?;
        let sent = Sent {
            contents: store.take(packed.data, now, cx),
            header: packed.header,
            length: packed.data,
            sent: packed.data,
            acknowledged: false,
            considered: 0,
            pending: Vec::new(),
        };
        self.pdu_without_poll += 1;
        self.byte_without_poll = self.byte_without_poll.saturating_add(packed.data);
        let sn = self.va + self.sent.len() as u64;
        let data = carry(sn, &sent, sent.whole(), now);
        self.sent.push_back(sent);
        Some(Pdu::data(packed.header + packed.data, data))
    }

    /// SDUs of NR, each with a number of its own. The rest of one that is partly sent may go
    /// although the window is full.
    fn build_run(
        &mut self,
        format: nr::Format,
        now: Time,
        room: u32,
        store: &mut Store,
        source: &mut pdcp::Transmitter,
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        let sent = store.sent_of_partial();
        let free = self.format.window().saturating_sub(self.sent.len()) + usize::from(sent > 0);
        let most = u32::try_from(free).unwrap_or(u32::MAX);
        let packed = format.pack(room, sent, most, pieces(now, store, source, cx))?;
        let contents = store.take(packed.data, now, cx);
        for id in contents.first..=contents.last {
            let size = store.size(id);
            let end = if id == contents.last { contents.end } else { size };
            match self.sent.back_mut().filter(|last| last.contents.first == id) {
                Some(last) => last.sent = end,
                None => self.sent.push_back(Sent::sdu(id, size, end)),
            }
        }
        self.pdu_without_poll += packed.pdus;
        self.byte_without_poll = self.byte_without_poll.saturating_add(packed.data);
        Some(run(packed.size, contents, false, now))
    }

    /// The oldest part of an SDU of NR to be sent again, or as much of it as fits (TS 38.322,
    /// 5.3.2).
    fn build_run_again(&mut self, format: nr::Format, now: Time, room: u32) -> Option<Pdu> {
        let sent = self.sent.iter_mut().find(|sent| !sent.pending.is_empty())?;
        let part = format.fit(sent.pending[0], sent.length, room)?;
        self.pending_bytes -= sent.pending_bytes(self.format);
        sent.pending[0].start = part.end;
        sent.pending.retain(|part| part.len() > 0);
        self.pending_bytes += sent.pending_bytes(self.format);
        let id = sent.contents.first;
        let contents = Contents { first: id, start: part.start, last: id, end: part.end };
        Some(run(format.size(part, sent.length), contents, true, now))
    }

    /// The oldest PDU to be sent again, whole if that fits and else as much of
    /// it as fits in a segment (TS 36.322, 5.2.1).
    fn build_again(
        &mut self,
        model: HeaderModel,
        now: Time,
        room: u32,
        store: &Store,
    ) -> Option<Pdu> {
        let index = self.sent.iter().position(|sent| !sent.pending.is_empty())?;
        let sent = &mut self.sent[index];
        let part = sent.pending[0];
        let fits = part == sent.whole() && sent.header + sent.length <= room;
        let packed = match fits {
            true => Packed { header: sent.header, data: sent.length },
            false => {
                let pieces = store.pieces_of(sent.contents, part);
                model.pack(SEGMENT_HEADER, room, pieces)?
            }
        };
        self.pending_bytes -= sent.pending_bytes(self.format);
        sent.pending[0].start += packed.data;
        sent.pending.retain(|part| part.len() > 0);
        self.pending_bytes += sent.pending_bytes(self.format);
        let taken = Part { start: part.start, end: part.start + packed.data };
        let mut data = carry(self.va + index as u64, sent, taken, now);
        data.retransmission = true;
        Some(Pdu::data(packed.header + packed.data, data))
    }

    /// True if the PDU that has just been built polls (TS 36.322, 5.2.2.1).
    fn poll(&mut self, now: Time, more: bool) -> bool {
        let config = &self.config;
        let poll = self.poll_due
            || (config.poll_pdu > 0 && self.pdu_without_poll >= config.poll_pdu)
            || u64::from(self.byte_without_poll) >= config.poll_byte.bytes()
            || self.is_idle(more)
            || self.is_stalled();
        if poll {
            self.pdu_without_poll = 0;
            self.byte_without_poll = 0;
            self.poll_due = false;
            self.poll_sn = self.last_sn();
            self.poll_timer = Some(now + self.config.poll_retransmit);
        }
        poll
    }

    fn last_sn(&self) -> u64 {
        (self.va + self.sent.len() as u64).saturating_sub(1)
    }

    /// True if nothing waits: no `more` new data, and nothing to be sent again.
    fn is_idle(&self, more: bool) -> bool {
        !more && self.pending_bytes == 0
    }

    /// TS 36.322, 5.2.1 and 5.2.2.2.
    pub fn receive_status(&mut self, status: &Status) {
        if self.poll_sn < status.ack {
            self.poll_timer = None;
        }
        let mut nacks = status.nacks.iter().peekable();
        for index in 0..self.sent.len() {
            let sn = self.va + index as u64;
            if sn >= status.ack {
                break;
            }
            while nacks.next_if(|nack| nack.sn < sn).is_some() {}
            let whole = self.sent[index].whole();
            let mut missing = Vec::new();
            while let Some(nack) = nacks.next_if(|nack| nack.sn == sn) {
                missing.push(nack.part.map_or(whole, |part| part.overlap(whole)));
            }
            let acknowledged = missing.is_empty();
            // Of an SDU of NR, what has not been sent cannot be sent again.
            missing.retain(|part| part.len() > 0);
            match acknowledged {
                true => self.acknowledge(index),
                false if missing.is_empty() => {}
                false => self.consider(index, missing),
            }
        }
        self.advance();
    }

    fn acknowledge(&mut self, index: usize) {
        let sent = &mut self.sent[index];
        self.pending_bytes -= sent.pending_bytes(self.format);
        sent.pending.clear();
        sent.acknowledged = true;
    }

    /// Considers parts of a PDU for retransmission. At maxRetxThreshold upper layers learn of it;
    /// retransmissions go on until RLC is re-established (TS 36.322, 5.2.1; TS 38.322, 5.3.2).
    fn consider(&mut self, index: usize, missing: Vec<Part>) {
        let sent = &mut self.sent[index];
        if sent.acknowledged {
            return; // A status report that a later one has overtaken.
        }
        self.pending_bytes -= sent.pending_bytes(self.format);
        sent.considered += u32::from(sent.pending.is_empty());
        sent.pending = missing;
        self.pending_bytes += sent.pending_bytes(self.format);
        self.has_failed |= sent.considered > self.config.max_retransmissions;
    }

    fn advance(&mut self) {
        while self.sent.front().is_some_and(|sent| sent.acknowledged) {
            self.sent.pop_front();
            self.va += 1;
        }
    }

    /// t-PollRetransmit may have run out (TS 36.322, 5.2.2.3; TS 38.322, 5.3.3.4). Where nothing
    /// else could carry the poll, a PDU that is not acknowledged is considered for
    /// retransmission.
    pub fn wake(&mut self, now: Time, more: bool) {
        if self.poll_timer.is_none_or(|expiry| expiry > now) {
            return;
        }
        self.poll_timer = None;
        if self.is_idle(more) || self.is_stalled() {
            self.consider_last();
        }
        self.poll_due = !self.sent.is_empty();
    }

    /// Considers the last PDU for retransmission or, if that is acknowledged,
    /// the first that is not.
    fn consider_last(&mut self) {
        let last = self.sent.len().saturating_sub(1);
        let index = match self.sent.get(last) {
            Some(sent) if !sent.acknowledged => last,
            Some(_) => 0,
            None => return,
        };
        let whole = self.sent[index].whole();
        self.consider(index, vec![whole]);
    }

    /// Makes sure that unacknowledged PDUs will be polled for. No further PDU carries a poll if the
    /// rest of the queue has been discarded. The same holds if the window is full and nothing is
    /// pending for retransmission.
    pub fn supervise(&mut self, now: Time, more: bool) {
        let carried = self.pending_bytes > 0 || (more && !self.is_stalled());
        if self.poll_timer.is_none() && !self.sent.is_empty() && !carried {
            self.poll_timer = Some(now + self.config.poll_retransmit);
        }
    }
}

/// PDUs of NR beside each other, which do not poll.
fn run(size: u32, contents: Contents, retransmission: bool, built: Time) -> Pdu {
    Pdu { size, body: Body::Run(nr::Run { contents, poll: false, retransmission, built }) }
}

/// True if there are data to be sent for the first time.
pub(super) fn has_more(store: &Store, source: &pdcp::Transmitter) -> bool {
    store.waiting().plus(source.waiting()).sdus > 0
}

/// A PDU with `part` of the data field of one that is kept.
fn carry(sn: u64, sent: &Sent, part: Part, now: Time) -> Data {
    Data {
        sn,
        contents: sent.contents,
        length: sent.length,
        part,
        poll: false,
        retransmission: false,
        built: now,
    }
}
