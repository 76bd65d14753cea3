//! Opening (RFC 9293, 3.5) and the options that go with it.

use airpath_base::Time;
use airpath_wire::{Ecn, SeqNumber, TcpFlags, TcpRepr, Timestamps};

use super::connection::{Connection, Segment, State};
use super::receiver::wire;
use super::rtt::{after, doubled};
use crate::control::{CongestionControl, Start};

/// Bytes that the timestamps option takes of each segment, padded (RFC 7323,
/// appendix A).
const TIMESTAMPS_OPTION: u32 = 12;
/// Size that a peer takes if it announces none (RFC 9293, 3.7.1).
const DEFAULT_MSS: u16 = 536;
/// Largest window shift (RFC 7323, 2.3).
const LARGEST_SHIFT: u8 = 14;

impl Connection {
    /// Waits for the peer to open.
    #[cold]
    pub fn listen(&mut self) {
        if self.state == State::Closed {
            self.state = State::Listen;
        }
    }

    /// Opens the connection: a SYN is due.
    #[cold]
    pub fn connect(&mut self, _now: Time) {
        if self.state == State::Closed {
            self.state = State::SynSent;
            self.syn_due = true;
            self.tx.next = 1;
        }
    }

    #[cold]
    pub(super) fn on_first_syn(&mut self, repr: &TcpRepr, ecn: Ecn) -> bool {
        let others = TcpFlags::ACK.0 | TcpFlags::RST.0 | TcpFlags::FIN.0;
        if !repr.flags.contains(TcpFlags::SYN) || repr.flags.0 & others != 0 {
            return false;
        }
        self.agree(repr);
        self.ecn.on_syn(self.config.ecn(), repr.flags, ecn);
        self.state = State::SynReceived;
        self.syn_due = true;
        self.tx.next = 1;
        true
    }

    #[cold]
    pub(super) fn on_syn_answer(&mut self, now: Time, repr: &TcpRepr, ecn: Ecn) -> bool {
        let acknowledges = repr.flags.contains(TcpFlags::ACK) && repr.ack == self.initial.add(1);
        if acknowledges && repr.flags.contains(TcpFlags::RST) {
            self.fail();
            return true;
        }
        if !acknowledges || !repr.flags.contains(TcpFlags::SYN) {
            return false;
        }
        self.agree(repr);
        self.ecn.on_syn_answer(repr, ecn);
        self.establish(now, u64::from(repr.window), repr);
        self.rx.acknowledge_now();
        self.ack_alone = true;
        true
    }

    /// A SYN again: its answer, or the answer to that, was lost.
    #[cold]
    pub(super) fn on_repeated_syn(&mut self, repr: &TcpRepr, ecn: Ecn) -> bool {
        if repr.seq != self.peer_initial {
            return false;
        }
        if self.state == State::SynReceived {
            self.ecn.on_syn(self.config.ecn(), repr.flags, ecn);
            self.syn_due = true;
        } else {
            self.rx.acknowledge_now();
        }
        true
    }

    /// Takes the options of the peer's SYN.
    fn agree(&mut self, repr: &TcpRepr) {
        let config = &self.config;
        self.peer_initial = repr.seq;
        self.agreed.sack = config.sack && repr.sack_permitted;
        self.agreed.timestamps = config.timestamps && repr.timestamps.is_some();
        self.agreed.echo = repr.timestamps.map_or(0, |t| t.value);
        self.agreed.last_ack_sent = 1;
        if let (true, Some(shift)) = (config.window_scaling, repr.window_scale) {
            self.agreed.scaling = true;
            self.agreed.peer_shift = shift.min(LARGEST_SHIFT);
            self.agreed.own_shift = shift_for(config.receive_buffer.0);
        }
        let mss = u32::from(repr.mss.unwrap_or(DEFAULT_MSS)).min(config.mss.0 as u32);
        let options = if self.agreed.timestamps { TIMESTAMPS_OPTION } else { 0 };
        let fits = mss.saturating_sub(options).max(1); // RFC 6691, 2
        self.agreed.segment = config.segment.map_or(fits, |segment| segment.0 as u32);
        self.rx.on_syn(self.agreed.segment);
    }

    /// The handshake is done; the peer's window is `window` bytes.
    #[cold]
    pub(super) fn establish(&mut self, now: Time, window: u64, repr: &TcpRepr) {
        self.state = State::Established;
        (self.pending.established, self.pending.state) = (true, true);
        self.tx.una = 1;
        self.tx.timer = None;
        self.tx.edge = 1 + window;
        self.tx.largest_window = window;
        self.tx.window_field = repr.window;
        self.sample_syn(now);
        let windows = if self.syns > 1 { 1 } else { self.config.initial_window };
        if self.syns > 1 {
            self.rtt.syn_was_lost();
        }
        self.controller.on_start(&Start {
            now,
            segment: self.agreed.segment,
            initial_window: u64::from(self.agreed.segment) * u64::from(windows),
            initial_ssthresh: self.config.initial_ssthresh.bytes(),
            feedback: self.ecn.feedback,
            selective_acks: self.uses_sack(),
            rtt: self.rtt.srtt(),
        });
    }

    /// The handshake gives the first RTT sample, unless a SYN was repeated.
    fn sample_syn(&mut self, now: Time) {
        if let (1, Some(sent)) = (self.syns, self.tx.last.take()) {
            let rtt = now.saturating_since(sent);
            self.rtt.sample(rtt);
            self.pending.rtt = Some(rtt);
        }
    }

    #[cold]
    pub(super) fn on_syn_timeout(&mut self, _now: Time) {
        if self.syns > self.config.syn_retries {
            self.fail();
        } else {
            self.syn_due = true;
        }
    }

    /// The SYN or its answer, if due.
    #[cold]
    pub(super) fn poll_syn(&mut self, now: Time) -> Option<Segment> {
        if !std::mem::take(&mut self.syn_due) {
            return None;
        }
        let wait = doubled(self.config.syn_timeout, self.syns, self.config.max_rto);
        let repr = self.syn(now);
        self.syns = self.syns.saturating_add(1);
        self.tx.timer = Some(after(now, wait));
        self.tx.last = Some(now);
        Some(Segment::of(repr))
    }

    /// A SYN offers what the options say; the answer what was agreed.
    fn syn(&mut self, now: Time) -> TcpRepr {
        let answer = self.state == State::SynReceived;
        let scaling = self.config.window_scaling && (!answer || self.agreed.scaling);
        let timestamps = if answer { self.agreed.timestamps } else { self.config.timestamps };
        let sack = if answer { self.agreed.sack } else { self.config.sack };
        let flags = if answer {
            TcpFlags::SYN.with(TcpFlags::ACK).with(self.ecn.answer())
        } else {
            TcpFlags::SYN.with(self.ecn.offer(self.config.ecn(), self.syns))
        };
        let stamp = Timestamps { value: self.clock(now), echo: self.agreed.echo };
        // Sent again it goes without the option, which the path may block (RFC 9768, 3.2.3.2.2).
        let option = self.ecn.option(false).filter(|_| answer && self.syns == 0);
        if option.is_some() {
            self.ecn.received.option_sent(false);
        }
        TcpRepr {
            seq: self.initial,
            ack: if answer { wire(self.peer_initial, self.rx.next()) } else { SeqNumber(0) },
            flags,
            window: self.rx.window(0),
            mss: self.config.announce_mss.then_some(self.config.mss.0 as u16),
            window_scale: scaling.then(|| shift_for(self.config.receive_buffer.0)),
            sack_permitted: sack,
            timestamps: timestamps.then_some(stamp),
            accurate_ecn: option,
            ..TcpRepr::default()
        }
    }

    /// The timestamp clock, which starts at 1 so that 0 means "none yet".
    pub(super) fn clock(&self, now: Time) -> u32 {
        (now.as_nanos() / self.config.timestamp_tick.as_nanos()).wrapping_add(1) as u32
    }

    /// Keeps the timestamp to echo (RFC 7323, 4.3).
    pub(super) fn note_timestamp(&mut self, repr: &TcpRepr, start: u64) {
        let Some(stamp) = repr.timestamps else { return };
        let newer = stamp.value.wrapping_sub(self.agreed.echo) as i32 >= 0;
        if newer && start <= self.agreed.last_ack_sent {
            self.agreed.echo = stamp.value;
        }
    }
}

/// The smallest shift with which the window field holds `buffer` (RFC 7323, 2.2).
fn shift_for(buffer: u64) -> u8 {
    let fits = |shift: &u8| buffer >> shift <= u64::from(u16::MAX);
    (0..LARGEST_SHIFT).find(fits).unwrap_or(LARGEST_SHIFT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts() {
        assert_eq!(shift_for(65_535), 0);
        assert_eq!(shift_for(131_072), 2); // 65,536 does not fit 16 bits
        assert_eq!(shift_for(6 << 20), 7);
        assert_eq!(shift_for(1 << 30), 14);
    }
}
