//! The receiving side: reassembly in order, and status reports.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::Cx;

use super::super::pdu::{Contents, Data, Part};
use super::super::status::{Nack, Size, Status};
use super::super::store::{Arrival, Out, Store};
use super::{Config, Format, LOSS};
use crate::rlc::nr;

/// Received parts of a PDU.
#[derive(Clone, Debug, Default)]
struct Slot {
    contents: Option<Contents>,
    length: u32,
    /// Disjoint, in order; empty if all or nothing has arrived.
    parts: Vec<Part>,
    whole: bool,
}

/// Its window holds the PDUs from VR(R) to before VR(H), the one after the
/// highest received.
#[derive(Debug)]
pub(super) struct Receiver {
    config: Config,
    format: Format,
    /// VR(R): the first that is not wholly received.
    r: u64,
    /// VR(MS): up to where a status report may speak.
    ms: u64,
    window: VecDeque<Slot>,
    /// Expiry of t-Reordering, and VR(X): the PDU after the one that started the timer.
    reordering: Option<(Time, u64)>,
    /// Polls that wait for VR(MS) to pass them.
    polls: Vec<u64>,
    status_due: bool,
    /// Expiry of t-StatusProhibit.
    prohibited: Option<Time>,
}

impl Receiver {
    /// Nothing received; the first number is `first`.
    pub fn new(config: Config, format: Format, first: u64) -> Receiver {
        Receiver {
            config,
            format,
            r: first,
            ms: first,
            window: VecDeque::new(),
            reordering: None,
            polls: Vec::new(),
            status_due: false,
            prohibited: None,
        }
    }

    pub fn next_wake(&self) -> Option<Time> {
        let status = self.prohibited.filter(|_| self.status_due);
        [self.reordering.map(|(expiry, _)| expiry), status].into_iter().flatten().min()
    }

    fn h(&self) -> u64 {
        self.r + self.window.len() as u64
    }

    /// TS 36.322, 5.1.3.2.2 and 5.1.3.2.3.
    pub fn receive(
        &mut self,
        data: &Data,
        arrival: &Arrival,
        store: &mut Store,
        cx: &mut Cx<'_>,
        out: Out<'_>,
    ) {
        let add = |slot: &mut Slot| slot.add(data.contents, data.length, data.part);
        let fresh = self.slot(data.sn).map(add).unwrap_or_default();
        if fresh.is_empty() {
            // To be discarded; a poll in it is answered at once (5.2.3).
            self.status_due |= data.poll;
            return;
        }
        for part in fresh {
            store.arrive(data.contents, part, arrival);
        }
        if data.poll {
            self.polls.push(data.sn);
        }
        self.advance(arrival.now, store, cx, out);
    }

    /// Receives SDUs of NR (TS 38.322, 5.2.3.2.2 and 5.2.3.2.3): those that are complete go up at
    /// once.
    pub fn receive_run(
        &mut self,
        run: &nr::Run,
        arrival: &Arrival,
        store: &mut Store,
        out: Out<'_>,
    ) {
        let (mut any, contents) = (false, run.contents);
        for id in contents.first..=contents.last {
            let size = store.size(id);
            let start = contents.start_of(id);
            let part = Part { start, end: start + contents.length(id, size) };
            any |= self.receive_sdu((id, size), part, arrival, store, out);
        }
        match (any, run.poll) {
            (true, true) => self.polls.push(contents.last),
            (false, poll) => self.status_due |= poll,
            _ => {}
        }
        if any {
            self.advance_run(arrival.now);
        }
    }

    /// Takes a part of an SDU in; whether it is new.
    fn receive_sdu(
        &mut self,
        (id, size): (u64, u32),
        part: Part,
        arrival: &Arrival,
        store: &mut Store,
        out: Out<'_>,
    ) -> bool {
        let Some(slot) = self.slot(id) else { return false };
        if slot.whole {
            return false;
        }
        if part.start == 0 && part.end == size && slot.parts.is_empty() {
            // The common case, without lists.
            slot.whole = true;
            if store.arrive_one(id, size, arrival) {
                store.deliver(id, out);
            }
            return true;
        }
        let contents = Contents { first: id, start: 0, last: id, end: size };
        let fresh = slot.add(contents, size, part);
        for part in &fresh {
            if store.arrive_one(id, part.len(), arrival) {
                store.deliver(id, out);
            }
        }
        !fresh.is_empty()
    }

    /// Moves the window past what is whole, and starts and stops t-Reassembly.
    fn advance_run(&mut self, now: Time) {
        while self.window.pop_front_if(|slot| slot.whole).is_some() {
            self.r += 1;
        }
        self.ms = self.first_missing(self.ms.max(self.r));
        self.answer_polls();
        let overtaken = self.is_overtaken();
        if self.reordering.is_some_and(|(_, x)| x <= self.r || (x == self.r + 1 && !overtaken)) {
            self.reordering = None;
        }
        if self.reordering.is_none() && overtaken {
            self.reordering = Some((now + self.config.t_reordering, self.h()));
        }
    }

    /// True if bytes are missing that others have overtaken.
    fn is_overtaken(&self) -> bool {
        match self.format {
            Format::Lte(_) => !self.window.is_empty(),
            Format::Nr(_) => self.window.len() > 1 || self.has_hole(self.r),
        }
    }

    /// True if a stretch of this PDU is missing before another that has come.
    fn has_hole(&self, sn: u64) -> bool {
        let slot = sn.checked_sub(self.r).and_then(|n| self.window.get(n as usize));
        slot.is_some_and(|slot| slot.parts.iter().any(|part| part.start > 0))
    }

    /// Slot of a PDU within the window.
    fn slot(&mut self, sn: u64) -> Option<&mut Slot> {
        let index = usize::try_from(sn.checked_sub(self.r)?).ok()?;
        if index >= self.format.window() {
            return None;
        }
        if self.window.len() <= index {
            self.window.resize_with(index + 1, Slot::default);
        }
        self.window.get_mut(index)
    }

    /// Moves the window past what is whole, and hands up what is complete.
    fn advance(&mut self, now: Time, store: &mut Store, cx: &mut Cx<'_>, out: Out<'_>) {
        while let Some(slot) = self.window.pop_front_if(|slot| slot.whole) {
            self.r += 1;
            if let Some(contents) = slot.contents {
                store.finish(contents, u32::MAX, now, LOSS, cx, out);
            }
        }
        if let Some(Slot { contents: Some(contents), parts, .. }) = self.window.front()
            && let Some(Part { start: 0, end }) = parts.first()
        {
            store.finish(*contents, *end, now, LOSS, cx, out);
        }
        self.ms = self.first_missing(self.ms.max(self.r));
        self.answer_polls();
        if self.reordering.is_some_and(|(_, x)| x <= self.r) {
            self.reordering = None;
        }
        if self.reordering.is_none() && !self.window.is_empty() {
            self.reordering = Some((now + self.config.t_reordering, self.h()));
        }
    }

    /// The first PDU from `sn` on that is not wholly received.
    fn first_missing(&self, sn: u64) -> u64 {
        let whole = self.window.iter().skip((sn - self.r) as usize).take_while(|slot| slot.whole);
        sn + whole.count() as u64
    }

    /// A poll is answered once VR(MS) has passed its PDU (TS 36.322, 5.2.3).
    fn answer_polls(&mut self) {
        let waiting = self.polls.len();
        self.polls.retain(|&sn| sn >= self.ms);
        self.status_due |= self.polls.len() < waiting;
    }

    /// Timers may have run out (TS 36.322, 5.1.3.2.4 and 5.2.3).
    pub fn wake(&mut self, now: Time) {
        if self.prohibited.is_some_and(|expiry| expiry <= now) {
            self.prohibited = None;
        }
        if let Some((expiry, x)) = self.reordering
            && expiry <= now
        {
            self.ms = self.first_missing(x.max(self.r));
            let restart = match self.format {
                Format::Lte(_) => self.h() > self.ms,
                Format::Nr(_) => {
                    self.h() > self.ms + 1 || (self.h() > self.ms && self.has_hole(self.ms))
                }
            };
            self.reordering = restart.then(|| (now + self.config.t_reordering, self.h()));
            self.status_due = true;
            self.answer_polls();
        }
    }

    fn may_report(&self, now: Time) -> bool {
        self.status_due && self.prohibited.is_none_or(|expiry| expiry <= now)
    }

    pub fn status_bytes(&self, now: Time) -> u32 {
        if !self.may_report(now) {
            return 0;
        }
        let empty = Size::empty(self.format.status());
        self.nacks().fold(empty, |size, nack| size.with(&nack)).bytes()
    }

    /// Missing PDUs and parts before VR(MS), in order.
    fn nacks(&self) -> impl Iterator<Item = Nack> {
        let slots = (self.r..self.ms).zip(&self.window).filter(|(_, slot)| !slot.whole);
        slots.flat_map(|(sn, slot)| {
            let whole = slot.parts.is_empty().then_some(Nack { sn, part: None });
            let gaps = slot.gaps().map(move |part| Nack { sn, part: Some(part) });
            whole.into_iter().chain(gaps)
        })
    }

    /// Status report, shortened to `room`; nothing if no content would fit. Without an error in its
    /// way, ACK_SN is VR(MS).
    pub fn build_status(&mut self, now: Time, room: u32) -> Option<(Status, u32)> {
        let mut size = Size::empty(self.format.status());
        if !self.may_report(now) || room < size.bytes() {
            return None;
        }
        let mut status = Status { ack: self.ms, nacks: Vec::new() };
        let mut told = self.r;
        for nack in self.nacks() {
            if size.with(&nack).bytes() > room {
                status.ack = told.max(nack.sn);
                break;
            }
            size = size.with(&nack);
            told = nack.sn + 1;
            status.nacks.push(nack);
        }
        if status.nacks.is_empty() && status.ack == self.r && self.ms > self.r {
            return None;
        }
        self.status_due = false;
        self.prohibited = Some(now + self.config.status_prohibit);
        Some((status, size.bytes()))
    }
}

impl Slot {
    /// Takes a part of a PDU of so many bytes in, and says what of it is new.
    fn add(&mut self, contents: Contents, length: u32, part: Part) -> Vec<Part> {
        if self.whole {
            return Vec::new();
        }
        self.contents = Some(contents);
        self.length = length;
        let fresh: Vec<Part> = match self.parts.is_empty() {
            true => vec![part],
            false => self.gaps().map(|gap| gap.overlap(part)).collect(),
        };
        let fresh: Vec<Part> = fresh.into_iter().filter(|part| part.len() > 0).collect();
        self.parts.extend(&fresh);
        self.parts.sort_unstable_by_key(|part| part.start);
        self.parts.dedup_by(|later, earlier| {
            let joined = earlier.end == later.start;
            if joined {
                earlier.end = later.end;
            }
            joined
        });
        if self.gaps().next().is_none() {
            self.whole = true;
            self.parts.clear();
        }
        fresh
    }

    /// Gaps between and behind the parts that have arrived.
    fn gaps(&self) -> impl Iterator<Item = Part> {
        let starts = core::iter::once(0).chain(self.parts.iter().map(|part| part.end));
        let ends = self.parts.iter().map(|part| part.start).chain(core::iter::once(self.length));
        starts.zip(ends).map(|(start, end)| Part { start, end }).filter(|part| part.len() > 0)
    }
}
