//! The receiving side: reassembly in order, and status reports.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::Cx;

use super::super::pdu::{Contents, Data, Part};
use super::super::status::{Nack, Size, Status};
use super::super::store::{Arrival, Out, Store};
use super::{Config, LOSS, WINDOW};

/// What has arrived of a PDU.
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
    /// VR(R): the first that is not wholly received.
    r: u64,
    /// VR(MS): up to where a status report may speak.
    ms: u64,
    window: VecDeque<Slot>,
    /// When t-Reordering runs out, and VR(X): the PDU after the one that started
    /// it.
    reordering: Option<(Time, u64)>,
    /// Polls that wait for VR(MS) to pass them.
    polls: Vec<u64>,
    status_due: bool,
    /// When t-StatusProhibit runs out.
    prohibited: Option<Time>,
}

impl Receiver {
    pub fn new(config: Config) -> Receiver {
        Receiver {
            config,
            r: 0,
            ms: 0,
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
        let fresh = self.slot(data.sn).map(|slot| slot.add(data)).unwrap_or_default();
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

    /// The transmitter has given this PDU up. Its SDUs that lack a part are
    /// dropped when their turn comes.
    pub fn pass_over(
        &mut self,
        sn: u64,
        contents: Contents,
        now: Time,
        store: &mut Store,
        cx: &mut Cx<'_>,
        out: Out<'_>,
    ) {
        if let Some(slot) = self.slot(sn).filter(|slot| !slot.whole) {
            *slot = Slot { contents: Some(contents), whole: true, ..Slot::default() };
            self.advance(now, store, cx, out);
        }
    }

    /// The place of a PDU within the window.
    fn slot(&mut self, sn: u64) -> Option<&mut Slot> {
        let index = usize::try_from(sn.checked_sub(self.r)?).ok()?;
        if index >= WINDOW {
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
            let restart = self.h() > self.ms;
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
        self.nacks().fold(Size::EMPTY, |size, nack| size.with(&nack)).bytes()
    }

    /// What is missing before VR(MS), in order.
    fn nacks(&self) -> impl Iterator<Item = Nack> {
        let slots = (self.r..self.ms).zip(&self.window).filter(|(_, slot)| !slot.whole);
        slots.flat_map(|(sn, slot)| {
            let whole = slot.parts.is_empty().then_some(Nack { sn, part: None });
            let gaps = slot.gaps().map(move |part| Nack { sn, part: Some(part) });
            whole.into_iter().chain(gaps)
        })
    }

    /// As much of the status report as fits into `room`; nothing if that would
    /// tell nothing. Without an error in its way, ACK_SN is VR(MS).
    pub fn build_status(&mut self, now: Time, room: u32) -> Option<(Status, u32)> {
        if !self.may_report(now) || room < Size::EMPTY.bytes() {
            return None;
        }
        let mut size = Size::EMPTY;
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
        self.prohibited = Some(now + self.config.t_status_prohibit);
        Some((status, size.bytes()))
    }
}

impl Slot {
    /// Takes a PDU or a segment of one in, and says what of it is new.
    fn add(&mut self, data: &Data) -> Vec<Part> {
        if self.whole {
            return Vec::new();
        }
        self.contents = Some(data.contents);
        self.length = data.length;
        let fresh: Vec<Part> = match self.parts.is_empty() {
            true => vec![data.part],
            false => self.gaps().map(|gap| gap.overlap(data.part)).collect(),
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

    /// What lies between and behind the parts that have arrived.
    fn gaps(&self) -> impl Iterator<Item = Part> {
        let starts = core::iter::once(0).chain(self.parts.iter().map(|part| part.end));
        let ends = self.parts.iter().map(|part| part.start).chain(core::iter::once(self.length));
        starts.zip(ends).map(|(start, end)| Part { start, end }).filter(|part| part.len() > 0)
    }
}
