//! Fast recovery and timeouts (RFC 6675, 5; RFC 6582, 3; RFC 5681, 3.1; RFC 3522).

use airpath_base::Time;
use airpath_wire::TcpRepr;

use super::connection::Connection;
use super::prr::Prr;
use super::rtt::{after, doubled};
use super::scoreboard::NewlyAcked;
use super::{FlightMeasure, LossRecovery, RecoveryTimer};
use crate::control::{CongestionControl, LossEvent};

/// Work of the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing is known to be lost.
    #[default]
    Open,
    /// Fast recovery.
    Fast,
    /// Recovery from a timeout.
    Timeout,
}

/// State of loss recovery.
#[derive(Clone, Debug)]
pub(super) struct Recovery {
    pub phase: Phase,
    /// Recovery ends when all below is acknowledged; no other begins before
    /// (RFC 6675's RecoveryPoint, RFC 6582's recover).
    pub point: u64,
    pub duplicates: u32,
    /// Bytes by which duplicate acknowledgements inflate the window (RFC 6582;
    /// limited transmit without SACK).
    pub inflation: u64,
    /// One segment leaves whatever the window says.
    pub forced: bool,
    /// The head is retransmitted whatever the window says and whether or not a
    /// retransmission is on its way.
    pub retransmit_head: bool,
    /// Time at which the window was last lowered.
    pub lowered: Time,
    pub rescue_left: bool,
    /// Bytes that limited transmit has let out beyond the window.
    pub limited_bytes: u64,
    /// Timeouts in a row without progress.
    pub timeouts: u32,
    pub may_restart_timer: bool,
    pub prr: Prr,
    /// Without SACK: the next duplicate acknowledgement is for the first segment from
    /// here on.
    pub in_order: u64,
    partial_acks: u32,
    /// Timestamp of the first retransmission (RFC 3522, 3.2, RetransmitTS).
    eifel_stamp: Option<u32>,
}

impl Default for Recovery {
    fn default() -> Recovery {
        Recovery {
            phase: Phase::Open,
            point: 0,
            duplicates: 0,
            inflation: 0,
            forced: false,
            retransmit_head: false,
            lowered: Time::ZERO,
            rescue_left: false,
            limited_bytes: 0,
            timeouts: 0,
            may_restart_timer: true,
            prr: Prr::default(),
            in_order: 0,
            partial_acks: 0,
            eifel_stamp: None,
        }
    }
}

impl Connection {
    /// True if losses are repaired by scoreboard.
    pub(super) fn uses_sack(&self) -> bool {
        self.agreed.sack && self.config.recovery != LossRecovery::NewReno
    }

    /// Acts on what an acknowledgement says about losses.
    pub(super) fn recover(
        &mut self,
        now: Time,
        repr: &TcpRepr,
        newly: &NewlyAcked,
        duplicate: bool,
    ) {
        let progress = newly.acked > 0;
        self.recovery.may_restart_timer = true;
        if progress {
            self.recovery.timeouts = 0;
            if self.recovery.phase == Phase::Open && !self.as_ns3() {
                self.no_duplicates();
            }
        }
        if self.uses_rack() {
            self.rack_on_ack(now, repr, newly);
        } else if self.uses_sack() {
            let (threshold, segment) = (self.config.duplicate_ack_threshold, self.agreed.segment);
            self.board.update_lost(threshold, segment);
        }
        if progress && self.is_spurious(repr, newly) {
            return self.undo(now);
        }
        if self.as_ns3() {
            return self.recover_as_ns3(now, progress, duplicate);
        }
        match self.recovery.phase {
            Phase::Open => self.on_ack_open(now, duplicate),
            Phase::Fast if progress => self.on_ack_fast(now, newly.acked),
            Phase::Fast if duplicate && !self.uses_sack() => {
                self.recovery.inflation += u64::from(self.agreed.segment); // RFC 6582, 3.2, 3
            }
            Phase::Timeout if self.tx.una >= self.recovery.point => self.leave(now),
            Phase::Fast | Phase::Timeout => {}
        }
    }

    pub(super) fn no_duplicates(&mut self) {
        (self.recovery.duplicates, self.recovery.inflation) = (0, 0);
        self.recovery.limited_bytes = 0;
    }

    fn on_ack_open(&mut self, now: Time, duplicate: bool) {
        self.recovery.duplicates += u32::from(duplicate);
        let enough = self.recovery.duplicates >= self.config.duplicate_ack_threshold;
        // RFC 6582, 3.2, step 2, asks for more than RFC 6675, 5.1.
        let (begin, may) = if self.uses_rack() {
            (self.board.has_lost_to_retransmit(), self.tx.una >= self.recovery.point)
        } else if self.uses_sack() {
            let lost = self.board.is_head_lost();
            ((duplicate && enough) || lost, self.tx.una >= self.recovery.point)
        } else {
            (duplicate && enough, self.tx.una > self.recovery.point)
        };
        if begin && may && !self.board.is_empty() {
            self.enter(now);
        } else if duplicate && !self.uses_sack() && self.config.limited_transmit {
            let most = 2.min(self.recovery.duplicates); // RFC 3042, 2
            self.recovery.inflation = u64::from(most) * u64::from(self.agreed.segment);
        }
    }

    /// Begins a fast recovery (RFC 6675, 5, step 4; RFC 6582, 3.2, step 2).
    #[cold]
    pub(super) fn enter(&mut self, now: Time) {
        // Step 4.3: the head is retransmitted even if the recovery before did so.
        let pipe = self.board.pipe();
        if !self.uses_rack() {
            self.board.mark_head_lost(!self.as_ns3() || !self.board.is_head_lost());
        }
        let in_flight = self.flight();
        self.recovery.phase = Phase::Fast;
        self.recovery.point = self.tx.next;
        self.recovery.forced = true;
        self.recovery.partial_acks = 0;
        self.recovery.rescue_left = self.config.rescue_retransmission;
        self.recovery.eifel_stamp = None;
        self.board.begin_recovery();
        self.recovery.lowered = now;
        self.controller.on_loss(&LossEvent { now, in_flight, repeated: false });
        let inflate = if self.uses_sack() { 0 } else { self.recovery.duplicates };
        self.recovery.inflation = u64::from(inflate) * u64::from(self.agreed.segment);
        self.begin_reduction(pipe);
        self.pending.recovery = true;
        self.pending.state = true;
    }

    /// Bytes that the answer to a loss is a share of. While a lost retransmission holds the
    /// cumulative acknowledgement back, SACK lets new data follow. FlightSize then grows far beyond
    /// what was ever in the network at once, and the window is the limit.
    pub(super) fn flight(&self) -> u64 {
        match self.config.flight_measure {
            FlightMeasure::FlightSize => {
                let sent = self.tx.next - self.tx.una;
                let sent = sent.saturating_sub(self.recovery.limited_bytes);
                let holds_back = self.uses_sack() && self.recovery.phase != Phase::Open;
                if holds_back { sent.min(self.controller.cwnd()) } else { sent }
            }
            FlightMeasure::Pipe => self.board.pipe(),
            FlightMeasure::Window => self.controller.cwnd(),
        }
    }

    /// New data are acknowledged during fast recovery.
    #[inline(never)]
    fn on_ack_fast(&mut self, now: Time, acked: u64) {
        if self.tx.una >= self.recovery.point {
            return self.leave(now);
        }
        self.count_partial_ack();
        if !self.uses_sack() {
            // RFC 6582, 3.2, step 3: deflate, and retransmit the next hole.
            let segment = u64::from(self.agreed.segment);
            let inflation = (self.controller.cwnd() + self.recovery.inflation)
                .saturating_sub(acked)
                .saturating_sub(self.controller.cwnd());
            self.recovery.inflation = inflation + if acked >= segment { segment } else { 0 };
            self.board.mark_head_lost(true);
            self.recovery.forced = true;
        }
    }

    /// The first partial acknowledgement may restart the timer where later ones do not.
    pub(super) fn count_partial_ack(&mut self) {
        self.recovery.partial_acks = self.recovery.partial_acks.saturating_add(1);
        let first = self.recovery.partial_acks == 1;
        self.recovery.may_restart_timer =
            first || self.config.recovery_timer != RecoveryTimer::FirstPartialAck;
    }

    /// All that was outstanding when recovery began is acknowledged.
    pub(super) fn leave(&mut self, now: Time) {
        self.recovery.phase = Phase::Open;
        (self.recovery.forced, self.recovery.retransmit_head) = (false, false);
        self.no_duplicates();
        let lost = if self.uses_rack() {
            self.board.has_lost_to_retransmit()
        } else {
            self.board.is_head_lost()
        };
        if self.uses_sack() && !self.as_ns3() && lost {
            self.enter(now); // sent since, and lost too
        }
    }

    /// RFC 5681, 3.1; RFC 6298, 5.4 to 5.6; RFC 6675, 5.1.
    #[cold]
    pub(super) fn on_retransmission_timeout(&mut self, now: Time) {
        if self.board.is_empty() {
            return;
        }
        let repeated = self.recovery.timeouts > 0 && !self.config.rto_always_lowers_ssthresh;
        self.no_duplicates();
        self.forget_probe();
        self.recovery.prr = Prr::default();
        let in_flight = self.flight();
        self.board.all_lost();
        self.board.begin_recovery();
        self.controller.on_rto(&LossEvent { now, in_flight, repeated });
        self.recovery.timeouts += 1;
        self.recovery.phase = Phase::Timeout;
        self.recovery.point = self.tx.next;
        (self.recovery.forced, self.recovery.retransmit_head) = (true, false);
        self.recovery.rescue_left = false;
        if !repeated {
            self.recovery.eifel_stamp = None;
        }
        self.pending.timeout = Some(self.rtt.back_off());
        self.pending.state = true;
        self.arm_timer(now);
    }

    /// A retransmission leaves: keep its timestamp if it is the first.
    pub(super) fn note_retransmission(&mut self, now: Time) {
        if self.config.eifel && self.agreed.timestamps {
            let stamp = self.clock(now);
            self.recovery.eifel_stamp.get_or_insert(stamp);
        }
    }

    /// The acknowledgement echoes a timestamp from before the retransmission, so
    /// it is for the original (RFC 3522, 3.2).
    fn is_spurious(&self, repr: &TcpRepr, newly: &NewlyAcked) -> bool {
        let (Some(stamp), Some(echoed)) = (self.recovery.eifel_stamp, repr.timestamps) else {
            return false;
        };
        let earlier = (echoed.echo.wrapping_sub(stamp) as i32) < 0;
        self.recovery.phase != Phase::Open && newly.retransmitted && earlier
    }

    /// Takes back the reaction to a loss that was none (RFC 4015, 3.2).
    #[cold]
    fn undo(&mut self, now: Time) {
        self.controller.on_spurious(now);
        self.board.none_lost();
        self.recovery.phase = Phase::Open;
        (self.recovery.forced, self.recovery.retransmit_head) = (false, false);
        self.recovery.prr = Prr::default();
        self.recovery.eifel_stamp = None;
        self.rtt.end_backoff();
        self.no_duplicates();
        (self.pending.spurious, self.pending.state) = (true, true);
    }

    /// The peer's window has been too small for as long as a timeout (RFC 9293,
    /// 3.8.6.1 and 3.8.6.2.1).
    #[cold]
    pub(super) fn on_persist_timeout(&mut self, now: Time) {
        if self.tx.edge > self.tx.next {
            self.tx.fill_window = true;
        } else {
            self.tx.probe_due = true;
        }
        self.tx.persist_backoff = self.tx.persist_backoff.saturating_add(1);
        let wait = doubled(self.rtt.rto(), self.tx.persist_backoff, self.config.max_rto);
        self.tx.persist = Some(after(now, wait));
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::{Bytes, Duration};
    use airpath_schema::units::Buffer;

    use super::super::harness::{CLIENT, World};
    use super::super::{Segment, TcpConfig};
    use super::*;
    use crate::control::ControllerName;

    #[test]
    fn new_data_behind_a_lost_retransmission_do_not_raise_the_threshold() {
        // Segment 29 is lost twice. Until the timer runs out some twenty windows follow it.
        let (mut seen, half) = (0, Duration::from_millis(20));
        let fate = move |from: usize, s: &Segment| {
            let hole = from == CLIENT && s.repr.payload_len > 0 && s.repr.seq.0 == 29_001;
            seen += u32::from(hole);
            if hole && seen <= 2 { vec![] } else { vec![half] }
        };
        let config = TcpConfig {
            segment: Some(Bytes(1000)),
            initial_ssthresh: Buffer::Bytes(Bytes(30_000)),
            controller: ControllerName::NewReno,
            ..TcpConfig::default()
        };
        let mut world = World::new(config.clone(), config, fate);
        world.ends[CLIENT].write(10_000_000);
        world.flush(CLIENT);
        let mut before = 0;
        while world.ends[CLIENT].recovery.phase != Phase::Timeout {
            before = world.ends[CLIENT].controller.cwnd();
            assert!(world.step(Time::from_millis(3_000)), "no timeout");
        }
        assert!(world.ends[CLIENT].tx.next - world.ends[CLIENT].tx.una > 10 * before);
        assert!(world.ends[CLIENT].controller.ssthresh().abs_diff(before / 2) < 1000);
    }
}
