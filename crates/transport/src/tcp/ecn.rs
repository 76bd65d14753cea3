//! Congestion marks: negotiation, feedback, and the sender's part (RFC 3168, 6.1;
//! RFC 9768).
//!
//! The sender of data marks it as ECN-capable once both ends have agreed on how the receiver
//! reports marks. Classic feedback is a flag until it is answered, accurate feedback is counters
//! (`accurate.rs`). Leaves out marks on SYNs and pure acknowledgements, the third answer to a SYN
//! without flags (RFC 9768, 3.2.3.2.2), and DCTCP's own echo (RFC 8257, 3.2).

use airpath_base::Time;
use airpath_schema::choice;
use airpath_wire::{AccurateEcn, Ecn, TcpFlags, TcpRepr};

use super::accurate::{News, Received, Reported};
use super::connection::Connection;
use super::recovery::Phase;
use crate::control::{CongestionControl, EcnFeedback, LossEvent};

choice! {
    /// Feedback of congestion marks.
    pub enum EcnMode {
        /// None: packets are not ECN-capable.
        Off = "off",
        /// By a flag until it is answered (RFC 3168).
        Classic = "classic",
        /// By a counter (RFC 9768).
        // RFC 3168 if the peer has only that.
        Accurate = "accurate",
    }
}

/// With how many SYNs feedback is offered; the path may drop such (RFC 9768,
/// 3.1.4.1).
const OFFERS: u32 = 2;

/// Agreement of both ends, marks that have arrived, and marks that the peer has reported.
#[derive(Clone, Debug)]
pub(super) struct EcnState {
    pub feedback: EcnFeedback,
    /// Feedback that the last SYN offered.
    offered: EcnMode,
    /// ECN field of the peer's SYN.
    syn: Ecn,
    /// Nothing suggests that the path damages the ECN field or the flags.
    intact: bool,
    /// The next acknowledgement says how the SYN's answer arrived.
    report_syn: bool,
    /// Marks are echoed until the peer says that it has answered.
    echo: bool,
    pub received: Received,
    pub reported: Reported,
    /// The option AccECN is sent.
    option: bool,
    /// The acknowledgement at hand carries a code, not the counter.
    code: bool,
    /// Marks are answered again once more than this is acknowledged.
    point: u64,
    /// The peer is to be informed of the answer.
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
    /// Nothing has been agreed on; the option AccECN will be sent or not.
    pub fn new(option: bool) -> EcnState {
        EcnState {
            feedback: EcnFeedback::None,
            offered: EcnMode::Off,
            syn: Ecn::NotEct,
            intact: true,
            report_syn: false,
            echo: false,
            received: Received::default(),
            reported: Reported::default(),
            option,
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
        self.received.test_path([self.sends_option(), false]);
    }

    /// True if the option AccECN is sent when there is something to report.
    fn sends_option(&self) -> bool {
        self.option && self.feedback == EcnFeedback::Accurate
    }

    /// The option of a segment that leaves now, with `data` or without.
    pub fn option(&self, data: bool) -> Option<AccurateEcn> {
        if self.sends_option() { self.received.option(data) } else { None }
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
    pub fn on_syn_answer(&mut self, repr: &TcpRepr, ecn: Ecn) {
        self.feedback = match (self.offered, repr.flags.ace()) {
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
        self.reported.begin(repr.accurate_ecn);
        self.received.count(ecn, 0);
        self.received.test_path([self.sends_option(); 2]);
    }

    /// The segment that ends the handshake (RFC 9768, 3.2.2.1 and table 4).
    pub fn on_last_ack(&mut self, repr: &TcpRepr) {
        if self.feedback != EcnFeedback::Accurate {
            return;
        }
        self.reported.begin(repr.accurate_ecn);
        if repr.seq_len() > 0 {
            return; // it has the counter
        }
        self.code = true;
        let ace = repr.flags.ace();
        // The answer to the SYN left without ECT, so it must arrive so (3.2.2.3). Codes without
        // a meaning say nothing of that.
        self.intact = ace > 0 && ![Ecn::Ect1, Ecn::Ect0, Ecn::Ce].map(code).contains(&ace);
        if ace == 0 {
            self.reported.ignore();
        } else if ace == code(Ecn::Ce) {
            self.reported.handshake_was_marked();
        }
    }

    /// A packet of the peer with so many bytes of payload; true if an acknowledgement must report
    /// it at once. `waiting`: data before it have not been acknowledged.
    pub fn on_packet(&mut self, flags: TcpFlags, ecn: Ecn, payload: u32, waiting: bool) -> bool {
        match self.feedback {
            EcnFeedback::None => false,
            EcnFeedback::Classic => {
                let data = payload > 0;
                self.echo &= !(data && flags.contains(TcpFlags::CWR));
                self.echo |= ecn == Ecn::Ce && data;
                false
            }
            EcnFeedback::Accurate => self.received.on_packet(ecn, payload, waiting),
        }
    }

    /// Flags of a segment that acknowledges; `new` if it carries new data.
    pub fn flags(&mut self, new: bool) -> TcpFlags {
        let ace = self.received.report();
        match self.feedback {
            EcnFeedback::None => TcpFlags(0),
            EcnFeedback::Classic => {
                let tell = new && std::mem::take(&mut self.tell);
                TcpFlags(0).with_ace(u8::from(tell) << 1 | u8::from(self.echo))
            }
            EcnFeedback::Accurate if std::mem::take(&mut self.report_syn) => {
                TcpFlags(0).with_ace(code(self.syn))
            }
            EcnFeedback::Accurate => TcpFlags(0).with_ace(ace),
        }
    }

    /// Takes what an acknowledgement reports, if it carries counters.
    fn hear(&mut self, repr: &TcpRepr, news: News) {
        let code = std::mem::take(&mut self.code);
        if self.feedback == EcnFeedback::Accurate && !code {
            self.reported.hear(repr, news);
        }
    }
}

impl Connection {
    /// Feedback by which the peer reports congestion marks, once the connection is established.
    pub fn feedback(&self) -> EcnFeedback {
        self.ecn.feedback
    }

    /// ECN field of a segment with data, sent for the first time or not. Classic
    /// ECN leaves out retransmissions (RFC 3168, 6.1.5).
    pub(super) fn ecn_field(&self, retransmission: bool) -> Ecn {
        if let Some(claimed) = self.config.ect {
            return claimed.into();
        }
        match (self.ecn.feedback, self.controller.ect()) {
            (EcnFeedback::Classic, ect) if !retransmission && ect.is_capable() => Ecn::Ect0,
            (EcnFeedback::Accurate, ect) if self.ecn.intact => ect,
            _ => Ecn::NotEct,
        }
    }

    /// Takes the marks that an acknowledgement reports.
    pub(super) fn take_feedback(&mut self, repr: &TcpRepr, packets: u32, bytes: u64) {
        let segment = self.agreed.segment;
        self.ecn.hear(repr, News { packets, bytes, segment });
    }

    /// True if a segment echoes a mark (RFC 3168, 6.1).
    pub(super) fn echoes(&self, flags: TcpFlags) -> bool {
        self.ecn.feedback == EcnFeedback::Classic && flags.contains(TcpFlags::ECE)
    }

    /// Answers marks once for each window (RFC 3168, 6.1.2), unless the window is answering a loss
    /// already. The acknowledgement that ends just where the window ended does not count. The
    /// segment behind, which informs the peer of the answer, had not arrived when it was sent. It
    /// therefore still echoes the old mark.
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
