//! Congestion marks: negotiation, feedback, and the sender's part (RFC 3168, 6.1;
//! RFC 9768).
//!
//! The sender of data marks it as ECN-capable once both ends have agreed on how the
//! receiver reports marks: by a flag until it is answered (classic), or by a counter
//! (accurate). Leaves out the AccECN option (the counter's three bits suffice while
//! an acknowledgement reports fewer than eight packets; with more the most marks
//! that the bits allow are taken, RFC 9768, A.2.1), marks on SYNs and pure
//! acknowledgements, and DCTCP's own echo (RFC 8257, 3.2).

use airpath_base::Time;
use airpath_wire::{Ecn, TcpFlags};

use super::connection::Connection;
use super::recovery::Phase;
use crate::control::{CongestionControl, EcnFeedback, LossEvent};

/// Which feedback a connection offers, and takes if it is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EcnMode {
    /// None.
    #[default]
    Off,
    /// RFC 3168.
    Classic,
    /// RFC 9768, or RFC 3168 if the peer has only that.
    Accurate,
}

/// Value at which the counters of marked packets begin (RFC 9768, 3.2.1).
const FIRST_COUNT: u32 = 5;
/// Marked packets that must be reported at once (RFC 9768, 3.2.2.5.1).
const MARKS_TO_REPORT: u32 = 2;
/// With how many SYNs feedback is offered; the path may drop such (RFC 9768,
/// 3.1.4.1).
const OFFERS: u32 = 2;

/// What both ends agreed on, what has arrived, and what the peer has reported.
#[derive(Clone, Debug)]
pub(super) struct EcnState {
    pub feedback: EcnFeedback,
    /// What the last SYN offered.
    offered: EcnMode,
    /// ECN field of the peer's SYN.
    syn: Ecn,
    /// Nothing suggests that the path damages the ECN field or the flags.
    intact: bool,
    /// The next acknowledgement says how the SYN's answer arrived.
    report_syn: bool,
    /// Marks are echoed until the peer says that it has answered.
    echo: bool,
    last_marked: bool,
    received: u32,
    unreported: u32,
    /// What the peer's counter is known to stand at.
    reported: u32,
    /// The acknowledgement at hand carries a code, not the counter.
    code: bool,
    /// Marks are answered again once more than this is acknowledged.
    point: u64,
    /// The peer is to be told of the answer.
    tell: bool,
}

/// The code for an ECN field in the handshake (RFC 9768, table 3).
fn code(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    }
}

impl EcnState {
    pub fn new() -> EcnState {
        EcnState {
            feedback: EcnFeedback::None,
            offered: EcnMode::Off,
            syn: Ecn::NotEct,
            intact: true,
            report_syn: false,
            echo: false,
            last_marked: false,
            received: FIRST_COUNT,
            unreported: 0,
            reported: FIRST_COUNT,
            code: false,
            point: 0,
            tell: false,
        }
    }

    /// Flags of the `n`-th SYN, counted from 0.
    pub fn offer(&mut self, mode: EcnMode, n: u32) -> TcpFlags {
        self.offered = if n < OFFERS { mode } else { EcnMode::Off };
        TcpFlags(0).with_ace(match self.offered {
            EcnMode::Off => 0,
            EcnMode::Classic => 0b011,
            EcnMode::Accurate => 0b111,
        })
    }

    /// The peer's SYN: takes the best that both ends know (RFC 9768, table 2).
    pub fn on_syn(&mut self, mode: EcnMode, flags: TcpFlags, ecn: Ecn) {
        self.syn = ecn;
        self.feedback = match (flags.ace(), mode) {
            (0b111, EcnMode::Accurate) => EcnFeedback::Accurate,
            (0b111 | 0b011, EcnMode::Classic | EcnMode::Accurate) => EcnFeedback::Classic,
            _ => EcnFeedback::None,
        };
    }

    /// Flags of the answer to it.
    pub fn answer(&self) -> TcpFlags {
        TcpFlags(0).with_ace(match self.feedback {
            EcnFeedback::None => 0,
            EcnFeedback::Classic => 0b001,
            EcnFeedback::Accurate => code(self.syn),
        })
    }

    /// The answer to the own SYN.
    pub fn on_syn_answer(&mut self, flags: TcpFlags, ecn: Ecn) {
        self.feedback = match (self.offered, flags.ace()) {
            (EcnMode::Accurate, ace @ (0b010 | 0b011 | 0b100 | 0b110)) => {
                // SYNs leave without ECT, so they must arrive so (3.1.5, 3.2.2.3).
                self.intact = ace == code(Ecn::NotEct);
                EcnFeedback::Accurate
            }
            (EcnMode::Accurate, 0b001 | 0b101) | (EcnMode::Classic, 0b001) => EcnFeedback::Classic,
            _ => EcnFeedback::None,
        };
        self.syn = ecn;
        self.report_syn = self.feedback == EcnFeedback::Accurate;
        self.count(ecn);
    }

    /// The acknowledgement that ends the handshake (RFC 9768, 3.2.2.1).
    pub fn on_last_ack(&mut self, flags: TcpFlags, pure: bool) {
        if self.feedback != EcnFeedback::Accurate || !pure {
            return;
        }
        self.code = true;
        self.intact = flags.ace() == code(Ecn::NotEct);
        if flags.ace() == code(Ecn::Ce) {
            self.reported += 1;
        }
    }

    fn count(&mut self, ecn: Ecn) {
        if ecn == Ecn::Ce {
            self.received = self.received.wrapping_add(1);
        }
    }

    /// A packet of the peer; true if an acknowledgement must report it at once.
    pub fn on_packet(&mut self, flags: TcpFlags, ecn: Ecn, data: bool) -> bool {
        let marked = ecn == Ecn::Ce;
        match self.feedback {
            EcnFeedback::None => false,
            EcnFeedback::Classic => {
                self.echo &= !(data && flags.contains(TcpFlags::CWR));
                self.echo |= marked && data;
                false
            }
            EcnFeedback::Accurate => {
                self.count(ecn);
                self.unreported += u32::from(marked);
                let first = marked && !std::mem::replace(&mut self.last_marked, marked);
                first || self.unreported >= MARKS_TO_REPORT
            }
        }
    }

    /// Flags of a segment that acknowledges; `new` if it carries new data.
    pub fn flags(&mut self, new: bool) -> TcpFlags {
        self.unreported = 0;
        match self.feedback {
            EcnFeedback::None => TcpFlags(0),
            EcnFeedback::Classic => {
                let tell = new && std::mem::take(&mut self.tell);
                TcpFlags(0).with_ace(u8::from(tell) << 1 | u8::from(self.echo))
            }
            EcnFeedback::Accurate if std::mem::take(&mut self.report_syn) => {
                TcpFlags(0).with_ace(code(self.syn))
            }
            EcnFeedback::Accurate => TcpFlags(0).with_ace(self.received as u8),
        }
    }

    /// How many marks an acknowledgement of so many packets newly reports (RFC
    /// 9768, 3.2.2.5 and A.2.1); without packets they wait for the next.
    fn marks(&mut self, flags: TcpFlags, packets: u32) -> u32 {
        let code = std::mem::take(&mut self.code);
        if self.feedback != EcnFeedback::Accurate || packets == 0 || code {
            return 0;
        }
        let least = u32::from(flags.ace()).wrapping_sub(self.reported) & 0b111;
        let marks =
            if packets < 8 { least } else { packets - (packets.wrapping_sub(least) & 0b111) };
        self.reported = self.reported.wrapping_add(marks);
        marks
    }
}

impl Connection {
    /// How the peer reports congestion marks, once the connection is established.
    pub fn feedback(&self) -> EcnFeedback {
        self.ecn.feedback
    }

    /// ECN field of a segment with data, sent for the first time or not. Classic
    /// ECN leaves out retransmissions (RFC 3168, 6.1.5).
    pub(super) fn ecn_field(&self, retransmission: bool) -> Ecn {
        if let Some(claimed) = self.config.ect {
            return claimed;
        }
        match (self.ecn.feedback, self.controller.ect()) {
            (EcnFeedback::Classic, ect) if !retransmission && ect.is_capable() => Ecn::Ect0,
            (EcnFeedback::Accurate, ect) if self.ecn.intact => ect,
            _ => Ecn::NotEct,
        }
    }

    /// Marks that an acknowledgement newly reports, and whether it echoes one.
    pub(super) fn take_marks(&mut self, flags: TcpFlags, packets: u32) -> (u32, bool) {
        let classic = self.ecn.feedback == EcnFeedback::Classic;
        (self.ecn.marks(flags, packets), classic && flags.contains(TcpFlags::ECE))
    }

    /// Answers marks once for each window (RFC 3168, 6.1.2), unless the window is
    /// answering a loss already. The acknowledgement that ends just where the window
    /// ended does not count: the segment behind, which tells the peer of the answer,
    /// had not arrived when it was sent, so that it still echoes the old mark.
    #[inline(never)]
    pub(super) fn answer_marks(&mut self, now: Time) {
        if self.tx.una <= self.ecn.point || self.recovery.phase != Phase::Open {
            return;
        }
        self.ecn.point = self.tx.next;
        self.ecn.tell = true;
        let in_flight = self.flight();
        self.controller.on_congestion(&LossEvent { now, in_flight, repeated: false });
        self.pending.state = true;
    }
}

#[cfg(test)]
#[path = "ecn_tests.rs"]
mod tests;
