//! Acknowledged mode (TS 36.322, 5.1.3 and 5.2): polls, status reports, and
//! retransmission, whole or in segments.
//!
//! A PDU that reaches maxRetxThreshold is sent again all the same, and upper layers learn of it
//! (TS 36.322, 5.2.1; TS 38.322, 5.3.2). They find a failure of the radio link and
//! re-establish both ends.

mod rx;
mod tx;

use airpath_base::{Bytes, Duration, Time};
use airpath_net::{Cx, DropCause};
use airpath_schema::units::Buffer;
use airpath_schema::{above_to, between, record};

use super::pdu::{Body, Data, HeaderModel, Pdu};
use super::status::Status;
use super::store::{Arrival, Out, Store};
use super::{nr, status};
use crate::pdcp;

/// Cause of the drop of an SDU with a part that never comes.
const LOSS: DropCause = DropCause::LinkFailure;

/// Bytes of the fixed part of an AMD PDU's header (TS 36.322, 6.2.1.4).
pub(super) const PDU_HEADER: u32 = 2;

/// Differences between LTE and NR.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    /// Numbers of 10 bits count PDUs, which join SDUs.
    Lte(HeaderModel),
    /// Numbers count SDUs.
    Nr(nr::Format),
}

impl Format {
    /// AM_Window_Size (TS 36.322, 7.2; TS 38.322, 7.2).
    fn window(self) -> usize {
        match self {
            Format::Lte(_) => 512,
            Format::Nr(format) => format.sn.window() as usize,
        }
    }

    /// Sizes of the parts of a status report.
    fn status(self) -> status::Bits {
        match self {
            Format::Lte(_) => status::Bits::LTE,
            Format::Nr(format) => status::Bits::nr(format.sn),
        }
    }
}

record! {
    /// Parameters of acknowledged mode (TS 36.331, 6.3.2, RLC-Config).
    #[derive(Copy, Eq)]
    pub struct Config: Default {
        /// Time that the sender waits for an answer to a poll. Default: 45 ms (TS 36.331, 9.2.1.1).
        poll_retransmit: Duration = Duration::from_millis(45)
            => above_to(Duration::ZERO, Duration::from_secs(4));
        /// A poll after so many PDUs; 0 for never. Default: 128, well within the window
        /// of 512 (TS 36.322, 7.2).
        poll_pdu: u32 = 128 => between(0, 256);
        /// A poll after so many bytes, or "unlimited" for never. Default: 125 kB, of the
        /// values in TS 36.331, 6.3.2.
        poll_byte: Buffer = Buffer::Bytes(Bytes(125_000))
            => above_to(Bytes(0), Bytes(3_000_000));
        /// Number of retransmissions of a PDU before it is given up. Default: 4 (TS 36.331,
        /// 9.2.1.1).
        max_retransmissions: u32 = 4 => between(1, 32);
        /// Least time between status reports. Default: 0 s (TS 36.331, 9.2.1.1).
        status_prohibit: Duration = Duration::ZERO
            => between(Duration::ZERO, Duration::from_millis(2_400));
    }
    beside {
        /// Wait of the receiver for a PDU that others have overtaken, 0 to 200 ms. Default: 35 ms (TS
        /// 36.331, 9.2.1.1).
        t_reordering: Duration = Duration::from_millis(35);
    }
}

/// The transmitter and the receiver of one direction.
#[derive(Debug)]
pub(super) struct Pair {
    tx: tx::Transmitter,
    rx: rx::Receiver,
    pub format: Format,
    config: Config,
}

impl Pair {
    pub fn new(config: &Config, format: Format) -> Pair {
        Pair::starting(*config, format, 0)
    }

    fn starting(config: Config, format: Format, first: u64) -> Pair {
        let tx = tx::Transmitter::new(config, format, first);
        Pair { tx, rx: rx::Receiver::new(config, format, first), format, config }
    }

    /// True if the transmitter has reached maxRetxThreshold.
    pub fn has_failed(&self) -> bool {
        self.tx.has_failed()
    }

    /// Both ends are re-established (TS 36.322, 5.4; TS 38.322, 5.1.2): nothing is left of their
    /// PDUs, timers and numbers. PDCP sends again from the first SDU on whose delivery has not
    /// been confirmed (TS 36.323, 5.2.1.1; TS 38.323, 5.1.2). None of the PDUs may be on the air
    /// any more.
    pub fn reestablish(&mut self, store: &mut Store) {
        let first = self.tx.oldest_sdu().min(store.unsent());
        store.rewind(first);
        self.restart(first);
    }

    /// Both ends begin anew with an SDU, of which nothing has been sent.
    pub fn restart(&mut self, first: u64) {
        // In NR the numbers of PDUs are those of SDUs.
        let first = if matches!(self.format, Format::Lte(_)) { 0 } else { first };
        *self = Pair::starting(self.config, self.format, first);
    }

    /// True if the transmitter's window is full.
    pub fn is_stalled(&self) -> bool {
        self.tx.is_stalled()
    }

    /// The first SDU that a PDU may still have to be cut up for.
    pub fn oldest_sdu(&self) -> u64 {
        self.tx.oldest_sdu()
    }

    /// Bytes of PDUs that are to be sent again.
    pub fn retransmission_bytes(&self) -> u32 {
        self.tx.retransmission_bytes()
    }

    /// A PDU with data: again, or for the first time.
    #[inline(never)]
    pub fn build(
        &mut self,
        now: Time,
        room: u32,
        store: &mut Store,
        source: &mut pdcp::Transmitter,
        cx: &mut Cx<'_>,
    ) -> Option<Pdu> {
        self.tx.build(now, room, store, source, cx)
    }

    #[inline(never)]
    pub fn receive(
        &mut self,
        data: &Data,
        arrival: &Arrival,
        store: &mut Store,
        cx: &mut Cx<'_>,
        out: Out<'_>,
    ) {
        self.rx.receive(data, arrival, store, cx, out);
    }

    /// PDUs of NR arrive.
    #[inline(never)]
    pub fn receive_run(
        &mut self,
        run: &nr::Run,
        arrival: &Arrival,
        store: &mut Store,
        out: Out<'_>,
    ) {
        self.rx.receive_run(run, arrival, store, out);
    }

    /// Bytes of the status report that the receiver has to send, 0 if none.
    #[inline(never)]
    pub fn status_bytes(&self, now: Time) -> u32 {
        self.rx.status_bytes(now)
    }

    /// The receiver's status report, as much as fits.
    #[inline(never)]
    pub fn build_status(&mut self, now: Time, room: u32) -> Option<Pdu> {
        let (status, size) = match self.format {
            Format::Lte(_) => self.rx.build_status(now, room)?,
            Format::Nr(format) => {
                let (status, size) = self.rx.build_status(now, format.without_subheader(room))?;
                (status, format.with_subheader(size))
            }
        };
        Some(Pdu { size, body: Body::Status(status) })
    }

    /// SDUs may be gone: forgets what both ends are done with, and makes sure
    /// that whatever is unacknowledged will be polled for.
    #[inline(never)]
    pub fn clean_up(&mut self, now: Time, store: &mut Store, source: &pdcp::Transmitter) {
        store.trim(self.tx.oldest_sdu());
        self.tx.supervise(now, tx::has_more(store, source));
    }

    /// The receiver's status report reaches the transmitter.
    #[inline(never)]
    pub fn receive_status(
        &mut self,
        status: &Status,
        now: Time,
        store: &mut Store,
        source: &pdcp::Transmitter,
    ) {
        self.tx.receive_status(status);
        self.clean_up(now, store, source);
    }

    #[inline(never)]
    pub fn wake(&mut self, now: Time, store: &mut Store, source: &pdcp::Transmitter) {
        self.rx.wake(now);
        self.tx.wake(now, tx::has_more(store, source));
        self.clean_up(now, store, source);
    }

    pub fn next_wake(&self) -> Option<Time> {
        [self.tx.next_wake(), self.rx.next_wake()].into_iter().flatten().min()
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
