//! Effects of an acknowledgement (RFC 5681, 3; RFC 6675, 5).

use airpath_base::{Duration, Time};
use airpath_wire::TcpRepr;

use super::RttSource;
use super::connection::{Connection, State};
use super::receiver::position;
use super::recovery::{Phase, Recovery};
use super::scoreboard::NewlyAcked;
use crate::control::{AckSample, CongestionControl, Lost};

impl Connection {
    /// Takes the acknowledgement of a segment; false if it is one of something
    /// never sent, for which the segment is refused (RFC 9293, 3.10.7.4).
    pub(super) fn on_ack(&mut self, now: Time, repr: &TcpRepr) -> bool {
        let ack = position(self.initial, repr.ack, self.tx.una);
        let Some(ack) = ack.filter(|ack| *ack <= self.tx.next) else {
            self.rx.acknowledge_now();
            return false;
        };
        if self.state == State::SynReceived {
            if ack == 0 {
                return true;
            }
            self.ecn.on_last_ack(repr);
            self.establish(now, u64::from(repr.window) << self.agreed.peer_shift, repr);
        }
        if ack < self.tx.una {
            return true; // older than another that has overtaken it
        }
        self.process(now, ack, repr);
        true
    }

    fn process(&mut self, now: Time, ack: u64, repr: &TcpRepr) {
        let in_flight_before = self.board.pipe();
        let outstanding = !self.board.is_empty();
        let from = self.tx.una;
        let mut newly = NewlyAcked::default();
        self.board.acknowledge(now, ack, &mut newly);
        self.take_sack(now, ack, repr, &mut newly);
        let duplicate = outstanding && self.is_duplicate(ack, repr, &newly);
        self.take_window(ack, repr);
        self.tx.una = ack;
        self.take_rtt(now, repr, &newly, duplicate);
        self.take_feedback(repr, newly.packets, newly.delivered);
        if outstanding {
            let echo = self.echoes(repr.flags);
            let marks = self.tell_controller(now, &newly, from, in_flight_before, echo);
            if marks > 0 || echo {
                self.answer_marks(now);
            }
        }
        let phase = self.recovery.phase;
        self.recover(now, repr, &newly, duplicate);
        self.tell_losses(now);
        self.reduce_in_proportion(&newly);
        if phase != Phase::Open && self.recovery.phase == Phase::Open {
            self.controller.on_recovered(now);
        }
        self.restart_timer(now, newly.acked > 0);
        if newly.acked > 0 {
            self.schedule_probe(now);
        }
        if newly.acked > 0 {
            self.pending.flushed |= self.tx.fin_sent && ack == self.tx.next;
        }
        self.pending.state |= outstanding;
    }

    fn take_sack(&mut self, now: Time, ack: u64, repr: &TcpRepr, newly: &mut NewlyAcked) {
        if !self.uses_sack() {
            return;
        }
        for (left, right) in repr.sack.as_slice() {
            let left = position(self.initial, *left, ack);
            let right = position(self.initial, *right, ack);
            // A block at or below the acknowledgement is a D-SACK (RFC 2883).
            if let (Some(left), Some(right)) = (left, right)
                && left > ack
                && right <= self.tx.next
            {
                newly.blocks |= self.board.covers(left, right);
                self.board.sack(now, left, right, newly);
            }
        }
    }

    /// With SACK a duplicate is what SACKs something new, even if it also moves
    /// the acknowledgement (RFC 6675, 2); without, RFC 5681, 2.
    fn is_duplicate(&self, ack: u64, repr: &TcpRepr, newly: &NewlyAcked) -> bool {
        if self.as_ns3() {
            return newly.blocks;
        }
        if self.uses_sack() {
            return newly.sacked > 0;
        }
        let plain = repr.seq_len() == 0 && repr.window == self.tx.window_field;
        ack == self.tx.una && plain
    }

    fn take_window(&mut self, ack: u64, repr: &TcpRepr) {
        let window = u64::from(repr.window) << self.agreed.peer_shift;
        self.tx.edge = self.tx.edge.max(ack + window);
        self.tx.largest_window = self.tx.largest_window.max(window);
        self.tx.window_field = repr.window;
        if self.tx.edge > self.tx.next {
            self.tx.persist_backoff = 0;
        }
    }

    fn take_rtt(&mut self, now: Time, repr: &TcpRepr, newly: &NewlyAcked, duplicate: bool) {
        if newly.acked > 0 && !self.config.backoff_until_sample {
            self.rtt.end_backoff();
        }
        let stamped = self.timestamp_rtt(now, repr, newly);
        let by_stamps = self.agreed.timestamps && self.config.rtt_source == RttSource::Timestamps;
        let usual = if by_stamps { stamped } else { newly.first_rtt.or(stamped) };
        let by_duplicate = self.duplicate_rtt(now, newly, duplicate);
        if let Some(rtt) = by_duplicate.or(usual) {
            self.rtt.sample(rtt);
            self.pending.rtt = Some(rtt);
        }
        if let Some(rtt) = by_duplicate {
            self.retime(now, rtt);
        }
    }

    /// RFC 7323, 4.1: only acknowledgements of new data give samples. Less than a
    /// tick is no sample.
    fn timestamp_rtt(&self, now: Time, repr: &TcpRepr, newly: &NewlyAcked) -> Option<Duration> {
        let stamp = repr.timestamps.filter(|s| self.agreed.timestamps && s.echo != 0)?;
        let ticks = self.clock(now).wrapping_sub(stamp.echo);
        let sensible = newly.acked > 0 && ticks > 0 && ticks < 1 << 31;
        sensible.then(|| self.config.timestamp_tick * u64::from(ticks))
    }

    /// Number of marked packets that it brought.
    fn tell_controller(
        &mut self,
        now: Time,
        newly: &NewlyAcked,
        from: u64,
        in_flight_before: u64,
        ece: bool,
    ) -> u32 {
        let (ce_packets, ce_bytes) = self.ecn.reported.take(newly.packets);
        let rate = self.rate.on_ack(now, newly.delivered, newly.newest, self.rtt.min());
        let sent = newly.newest.map(|(sent, _)| sent).unwrap_or_default();
        let sample = AckSample {
            now,
            acked: self.counted(newly.acked),
            sacked: newly.sacked,
            delivered: newly.delivered,
            packets: newly.packets,
            delivered_in_all: self.rate.delivered(),
            prior_delivered: sent.delivered,
            sent_in_flight: sent.in_flight,
            lost_since_sent: self.board.lost_in_all() - sent.lost,
            sent_app_limited: sent.app_limited,
            rtt: newly.last_rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min(),
            rate,
            in_flight_before,
            in_flight: self.board.pipe(),
            ce_bytes,
            ce_packets,
            ece,
            app_limited: self.rate.is_app_limited(),
            cwnd_limited: from <= self.tx.limited_until,
            in_recovery: self.recovery.phase == Phase::Fast,
            pacing_limited: from <= self.tx.paced_until,
        };
        self.controller.on_ack(&sample);
        if self.controller.marks_app_limited() {
            self.rate.app_limited(self.board.pipe());
        }
        ce_packets
    }

    fn tell_losses(&mut self, now: Time) {
        let Some((newest, found)) = self.board.take_lost() else { return };
        self.controller.on_lost(&Lost {
            now,
            packets: found.packets,
            ranges: found.ranges,
            bytes: found.bytes,
            sent_in_flight: newest.in_flight,
            lost_since_sent: self.board.lost_in_all() - newest.lost,
            app_limited: newest.app_limited,
        });
    }

    /// Part of `acked` bytes that counts for the window.
    fn counted(&self, acked: u64) -> u64 {
        let Recovery { phase, point, .. } = self.recovery;
        let ends = phase == Phase::Timeout && self.tx.una >= point;
        if ends && self.config.timeout_exit_counts_new_only {
            let segment = u64::from(self.agreed.segment);
            return (self.tx.una - point) / segment * segment;
        }
        acked
    }

    /// RFC 6298, 5.2 and 5.3.
    fn restart_timer(&mut self, now: Time, progress: bool) {
        if self.board.is_empty() {
            self.tx.timer = None;
        } else if progress && self.recovery.may_restart_timer {
            self.arm_timer(now);
        }
    }
}
