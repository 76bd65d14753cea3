//! RACK-TLP: losses found by time, and probes for lost tails (RFC 8985).
//!
//! A segment is lost if one that was sent later, by more than a reordering window, has arrived. It
//! needs SACK. Leaves out D-SACK: the reordering window does not grow beyond a quarter of the
//! lowest RTT. Timestamps, if there are any, show that a tail probe was not needed (RFC 8985, 7.4,
//! by RFC 3522).

use airpath_base::{Duration, Time};
use airpath_schema::choice;
use airpath_wire::TcpRepr;

use super::connection::{Connection, State};
use super::recovery::Phase;
use super::rtt::after;
use super::scoreboard::NewlyAcked;
use crate::control::{CongestionControl, LossEvent};

/// Longest that a receiver delays the acknowledgement of a lone segment
/// (TLP.max_ack_delay, 7.2).
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);

choice! {
    /// Detection of losses.
    pub enum LossDetection {
        /// By duplicates and SACKed segments above (RFC 6675).
        Duplicates = "duplicates",
        /// By time, with tail loss probes (RFC 8985).
        // Needs SACK.
        Rack = "rack",
    }
}

/// Knowledge from segments that arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rack {
    /// The latest transmission that has arrived, and its RTT.
    latest: Option<(u64, Duration)>,
    reordering: bool,
    /// Time at which a segment that may be reordered counts as lost.
    pub due: Option<Time>,
    /// Time at which a probe is due.
    pub probe: Option<Time>,
    /// The first retransmission waits for an acknowledgement, until then at the latest.
    pub retransmit_by: Option<Time>,
    /// End of the data that a probe covered, true if it was a retransmission, and its timestamp.
    tail: Option<(u64, bool, u32)>,
}

impl Connection {
    pub(super) fn uses_rack(&self) -> bool {
        self.uses_sack() && !self.as_ns3() && self.config.loss_detection == LossDetection::Rack
    }

    /// Step 1 to 5 of 6.2, for an acknowledgement.
    #[inline(never)]
    pub(super) fn rack_on_ack(&mut self, now: Time, repr: &TcpRepr, newly: &NewlyAcked) {
        if let Some((order, at, retransmitted)) = newly.latest {
            let rtt = now.saturating_since(at);
            // Step 2: of a segment that was retransmitted perhaps the original has arrived.
            let quick = self.rtt.min().is_some_and(|min| rtt < min);
            let doubtful = retransmitted && (quick || self.echoes_before(repr, self.clock(at)));
            if !doubtful && self.rack.latest.is_none_or(|(latest, _)| order >= latest) {
                self.rack.latest = Some((order, rtt));
            }
        }
        self.rack.reordering |= newly.reordered;
        self.find_losses(now);
        if newly.delivered > 0 && self.rack.retransmit_by.take().is_some() {
            self.recovery.forced = self.board.has_lost_to_retransmit();
        }
        self.judge_probe(now, repr);
    }

    /// 6.2, steps 4 and 5.
    #[inline(never)]
    fn find_losses(&mut self, now: Time) {
        self.rack.due = None;
        let Some((latest, rtt)) = self.rack.latest else { return };
        let sacked = self.board.sacked_bytes();
        let enough = sacked
            > u64::from(self.config.duplicate_ack_threshold - 1) * u64::from(self.agreed.segment);
        let quick = !self.rack.reordering && (self.recovery.phase != Phase::Open || enough);
        let window = if quick { Duration::ZERO } else { self.rtt.min().unwrap_or_default() / 4 };
        let window = window.min(self.rtt.srtt().unwrap_or(window));
        let first = self.board.detect_loss(latest, now, rtt + window);
        self.rack.due = first;
        if self.board.take_retransmission_lost() {
            self.lower_again(now);
        }
    }

    /// The loss of a retransmission is a second sign of congestion (RFC 5681, 4.3), once
    /// in a round trip and unless options say otherwise.
    fn lower_again(&mut self, now: Time) {
        let round = self.rtt.srtt().unwrap_or_default();
        let counts = self.config.lost_retransmission_reduces;
        if counts && self.recovery.phase == Phase::Fast && now >= self.recovery.lowered + round {
            let in_flight = self.flight();
            self.controller.on_loss(&LossEvent { now, in_flight, repeated: false });
            self.begin_reduction(self.board.pipe());
            self.recovery.lowered = now;
            self.pending.state = true;
        }
    }

    /// The time of reordering is over, or a probe is due (6.3, 7.3).
    #[inline(never)]
    pub(super) fn on_rack_timeout(&mut self, now: Time) {
        if self.rack.due.take_if(|due| *due <= now).is_some() {
            self.find_losses(now);
            if self.board.has_lost_to_retransmit() && self.recovery.phase == Phase::Open {
                self.enter(now);
                self.wait_for_departure(now);
            }
        }
        if self.rack.retransmit_by.take_if(|due| *due <= now).is_some() {
            self.recovery.forced = self.board.has_lost_to_retransmit();
        }
        if self.rack.probe.take_if(|due| *due <= now).is_some() {
            let probes = self.state == State::Established
                && self.recovery.phase == Phase::Open
                && self.rack.tail.is_none()
                && !self.board.is_empty();
            self.tx.probe_tail = probes;
        }
    }

    /// Fast retransmit sends on an acknowledgement, thus instead of a segment that has left the
    /// network (RFC 5681, 3.2). A timer's expiry tells of no departure: a segment sent then is one
    /// too many for a queue that was full. So the retransmission leaves instead of the next
    /// segment. If no acknowledgement arrives for twice their mean distance, their clock has
    /// stopped, and it leaves by itself.
    fn wait_for_departure(&mut self, now: Time) {
        let in_flight = self.board.pipe() / u64::from(self.agreed.segment.max(1));
        if in_flight > 0 {
            self.recovery.forced = false;
            let srtt = self.rtt.srtt().unwrap_or_default();
            self.rack.retransmit_by = Some(after(now, srtt.min(srtt * 2 / in_flight)));
        }
    }

    /// 7.2: after data or an acknowledgement a probe is due before the timeout.
    pub(super) fn schedule_probe(&mut self, now: Time) {
        self.rack.probe = None;
        let may = self.uses_rack() && self.recovery.phase == Phase::Open;
        if !may
            || self.rack.tail.is_some()
            || self.board.is_empty()
            || self.board.sacked_bytes() > 0
        {
            return;
        }
        let Some(srtt) = self.rtt.srtt() else { return };
        let lone = self.board.pipe() <= u64::from(self.agreed.segment);
        let wait = srtt * 2 + if lone { MAX_ACK_DELAY } else { Duration::ZERO };
        let due = after(now, wait);
        self.rack.probe = self.tx.timer.is_none_or(|timer| due < timer).then_some(due);
    }

    /// A probe leaves: it covers all that has been sent.
    pub(super) fn note_probe(&mut self, now: Time, retransmission: bool) {
        self.rack.tail = Some((self.tx.next, retransmission, self.clock(now)));
        self.rack.probe = None;
        self.arm_timer(now);
    }

    /// 7.4: a loss that only the probe has repaired is answered like any other.
    fn judge_probe(&mut self, now: Time, repr: &TcpRepr) {
        let Some((end, retransmission, stamp)) =
            self.rack.tail.filter(|(end, ..)| self.tx.una >= *end)
        else {
            return;
        };
        self.rack.tail = None;
        if retransmission && !self.echoes_before(repr, stamp) && self.recovery.phase == Phase::Open
        {
            let in_flight = self.flight().max(u64::from(self.agreed.segment));
            self.controller.on_loss(&LossEvent { now, in_flight, repeated: false });
            self.controller.on_recovered(now);
            self.recovery.point = self.recovery.point.max(end);
            self.pending.state = true;
        }
    }

    /// True if the acknowledgement echoes a timestamp from before `stamp`.
    fn echoes_before(&self, repr: &TcpRepr, stamp: u32) -> bool {
        let echo = repr.timestamps.filter(|_| self.agreed.timestamps).map(|t| t.echo);
        echo.is_some_and(|echo| (echo.wrapping_sub(stamp) as i32) < 0)
    }

    /// A timeout makes probes pointless.
    pub(super) fn forget_probe(&mut self) {
        (self.rack.tail, self.rack.probe) = (None, None);
        (self.rack.due, self.rack.retransmit_by) = (None, None);
        self.tx.probe_tail = false;
    }
}

#[cfg(test)]
#[path = "rack_tests.rs"]
mod tests;
