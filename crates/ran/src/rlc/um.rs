//! Unacknowledged mode (TS 36.322, 5.1.2): sequence numbers, and putting PDUs
//! back into order.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_net::{Cx, DropCause};

use super::pdu::{Contents, Data, HeaderModel, Part, Pdu};
use super::store::{Arrival, Out, Store, pieces};
use crate::pdcp;

/// Cause of the drop of SDUs that HARQ loses.
pub(super) const LOSS: DropCause = DropCause::RlcLoss;

/// Configuration of unacknowledged mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Length of the sequence number.
    pub sn: SnLength,
    /// Wait of the receiver for a PDU that others have overtaken (t-Reordering, TS 36.331, 6.3.2: 0
    /// to 200 ms).
    pub t_reordering: Duration,
}

impl Default for Config {
    /// 10 bits; 35 ms, the value that TS 36.331, 9.2.1.1, has for signalling:
    /// four HARQ retransmissions of 8 ms.
    fn default() -> Config {
        Config { sn: SnLength::Ten, t_reordering: Duration::from_millis(35) }
    }
}

/// Length of UM's sequence number (TS 36.322, 6.2.1.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnLength {
    /// 5 bits: a fixed header of one byte, a window of 16.
    Five,
    /// 10 bits: a fixed header of two bytes, a window of 512.
    #[default]
    Ten,
}

impl SnLength {
    /// Bytes of the fixed part of the header.
    pub const fn header(self) -> u32 {
        match self {
            SnLength::Five => 1,
            SnLength::Ten => 2,
        }
    }

    /// UM_Window_Size (TS 36.322, 7.2).
    pub const fn window(self) -> u64 {
        match self {
            SnLength::Five => 16,
            SnLength::Ten => 512,
        }
    }
}

#[derive(Debug)]
pub(super) struct Transmitter {
    header: u32,
    model: HeaderModel,
    next_sn: u64,
}

impl Transmitter {
    pub fn new(config: &Config, model: HeaderModel) -> Transmitter {
        Transmitter { header: config.sn.header(), model, next_sn: 0 }
    }

    /// RLC is re-established (TS 36.322, 5.4).
    pub fn reestablish(&mut self) {
        self.next_sn = 0;
    }

    /// Bytes of header that a PDU starts with.
    pub fn header(&self) -> u32 {
        self.header
    }

    pub fn build(
        &mut self,
        now: Time,
        room: u32,
        store: &mut Store,
        source: &mut pdcp::Transmitter,
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        let packed = self.model.pack(self.header, room, pieces(now, store, source, cx))?;
        let data = Data {
            sn: self.next_sn,
            contents: store.take(packed.data, now, cx),
            length: packed.data,
            part: Part { start: 0, end: packed.data },
            poll: false,
            retransmission: false,
            built: now,
        };
        self.next_sn += 1;
        Some(Pdu::data(packed.header + packed.data, data))
    }
}

/// The receiver. Its window holds the PDUs from VR(UR) to before VR(UH), the
/// one after the highest received.
#[derive(Debug)]
pub(super) struct Receiver {
    t_reordering: Duration,
    size: u64,
    /// VR(UR): the earliest PDU that is still waited for.
    ur: u64,
    window: VecDeque<Option<Contents>>,
    /// Expiry of t-Reordering, and VR(UX): the PDU after the one that started the timer.
    reordering: Option<(Time, u64)>,
}

impl Receiver {
    pub fn new(config: &Config) -> Receiver {
        Receiver {
            t_reordering: config.t_reordering,
            size: config.sn.window(),
            ur: 0,
            window: VecDeque::new(),
            reordering: None,
        }
    }

    #[inline]
    pub fn next_wake(&self) -> Option<Time> {
        self.reordering.map(|(expiry, _)| expiry)
    }

    fn uh(&self) -> u64 {
        self.ur + self.window.len() as u64
    }

    /// RLC is re-established (TS 36.322, 5.4): what can be put together is handed up, and the
    /// numbers begin anew.
    pub fn reestablish(&mut self, now: Time, store: &mut Store, cx: &mut Cx<'_>, out: Out<'_>) {
        self.advance(self.uh(), now, store, cx, out);
        self.restart();
    }

    /// Nothing has come, and the numbers begin anew.
    pub fn restart(&mut self) {
        self.window.clear();
        (self.ur, self.reordering) = (0, None);
    }

    /// TS 36.322, 5.1.2.2.2 and 5.1.2.2.3.
    pub fn receive(
        &mut self,
        data: &Data,
        arrival: &Arrival,
        store: &mut Store,
        cx: &mut Cx<'_>,
        out: Out<'_>,
    ) {
        let Some(index) = data.sn.checked_sub(self.ur) else {
            // The receiver has given it up already.
            return store.lose_on_air(data.contents, arrival, LOSS, cx);
        };
        if index == 0 && self.window.is_empty() {
            // The common case: nothing is missing, and nothing waits for it.
            self.ur += 1;
            store.arrive_in_turn(data.contents, arrival, LOSS, cx, out);
            return self.supervise(arrival.now);
        }
        self.receive_out_of_turn(data, arrival, index as usize, store, cx, out);
    }

    #[inline(never)]
    fn receive_out_of_turn(
        &mut self,
        data: &Data,
        arrival: &Arrival,
        index: usize,
        store: &mut Store,
        cx: &mut Cx<'_>,
        out: Out<'_>,
    ) {
        store.arrive(data.contents, data.part, arrival);
        if self.window.len() <= index {
            self.window.resize(index + 1, None);
        }
        self.window[index] = Some(data.contents);
        self.advance(self.uh().saturating_sub(self.size), arrival.now, store, cx, out);
        self.supervise(arrival.now);
    }

    /// t-Reordering may have run out (TS 36.322, 5.1.2.2.4).
    pub fn wake(&mut self, now: Time, store: &mut Store, cx: &mut Cx<'_>, out: Out<'_>) {
        if let Some((expiry, ux)) = self.reordering
            && expiry <= now
        {
            self.reordering = None;
            self.advance(ux, now, store, cx, out);
            self.supervise(now);
        }
    }

    /// Moves VR(UR) to `to` at least and on past what has been received, and
    /// hands up what is then below it.
    fn advance(&mut self, to: u64, now: Time, store: &mut Store, cx: &mut Cx<'_>, out: Out<'_>) {
        while self.ur < to || matches!(self.window.front(), Some(Some(_))) {
            self.ur += 1;
            let Some(contents) = self.window.pop_front().flatten() else { continue };
            pass_on(contents, now, store, cx, out);
        }
    }

    /// Stops and starts t-Reordering after VR(UR) or VR(UH) has moved.
    fn supervise(&mut self, now: Time) {
        if self.reordering.is_some_and(|(_, ux)| ux <= self.ur) {
            self.reordering = None;
        }
        if self.reordering.is_none() && !self.window.is_empty() {
            self.reordering = Some((now + self.t_reordering, self.uh()));
        }
    }
}

/// Hands up what a PDU completes; what lies before it will not come any more.
fn pass_on(contents: Contents, now: Time, store: &mut Store, cx: &mut Cx<'_>, out: Out<'_>) {
    store.pass(contents.first, LOSS, cx);
    store.finish(contents, u32::MAX, now, LOSS, cx, out);
    store.trim(u64::MAX);
}

#[cfg(test)]
#[path = "um_tests.rs"]
mod tests;
