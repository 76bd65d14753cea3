//! The retransmission timeout kept up to date by duplicate acknowledgements.
//!
//! While a queue fills, RTT grows. Cumulative acknowledgements alone give samples by RFC 7323, 4.1,
//! and they stop with the first loss. The timeout of a retransmission then comes from RTTs before
//! the loss. Slow start begins though nothing but time was missing: the undesired slow start of
//! Huang et al., "An In-depth Study of LTE" (SIGCOMM 2013), section 5. This module has its remedy.
//! Each duplicate acknowledgement is a sample of the segment that it is for. The timer that runs
//! moves with the timeout, never to an earlier time.
//!
//! With SACK the segment is the latest that the acknowledgement newly reports, unless it has been
//! sent more than once. Without, acknowledgements are taken to be for the segments in the order of
//! sending. Each hole beyond the first then makes samples too long by the time between two
//! segments. Timestamps do not help: all duplicates echo the same one.

use airpath_base::{Duration, Time};

use super::RecoveryTimer;
use super::connection::Connection;
use super::recovery::Phase;
use super::rtt::after;
use super::scoreboard::NewlyAcked;

impl Connection {
    /// RTT by a duplicate acknowledgement, if it says any.
    pub(super) fn duplicate_rtt(
        &mut self,
        now: Time,
        newly: &NewlyAcked,
        duplicate: bool,
    ) -> Option<Duration> {
        if !self.config.rto_from_duplicates || !duplicate || newly.acked > 0 {
            return None;
        }
        if self.uses_sack() {
            return newly.last_rtt;
        }
        // The head is what is missing.
        let from = self.recovery.in_order.max(self.tx.una + 1);
        let segment = self.board.first_from(from)?;
        self.recovery.in_order = segment.start + 1;
        (!segment.retransmitted).then(|| now.saturating_since(segment.at))
    }

    /// A sample by a duplicate: the timer that runs gets the timeout as it is now.
    pub(super) fn retime(&mut self, now: Time, rtt: Duration) {
        if self.config.recovery_timer != RecoveryTimer::Head {
            return self.prolong_timer();
        }
        let head = self.board.get(0).map(|head| now.saturating_since(head.at));
        if head.is_some_and(|since| rtt > since) {
            self.arm_timer(now);
        }
    }

    /// Gives the timer that runs the timeout as it is now, if that is later.
    fn prolong_timer(&mut self) {
        let due = after(self.tx.armed, self.rtt.rto());
        self.tx.timer = self.tx.timer.map(|timer| timer.max(due));
    }

    /// Retransmission of the segment `n` of those outstanding: its own timeout counts
    /// from now, if options say so.
    pub(super) fn rearm_for_retransmission(&mut self, now: Time, n: usize) {
        let fast = self.recovery.phase == Phase::Fast;
        let restarts = match self.config.recovery_timer {
            RecoveryTimer::EachRetransmission => fast,
            RecoveryTimer::Head => n == 0,
            RecoveryTimer::EveryAck | RecoveryTimer::FirstPartialAck => false,
        };
        if restarts {
            self.arm_timer(now);
        }
    }

    /// Starts the retransmission timer.
    pub(super) fn arm_timer(&mut self, now: Time) {
        self.tx.armed = now;
        self.tx.timer = Some(after(now, self.rtt.rto()));
    }
}

#[cfg(test)]
#[path = "duplicates_tests.rs"]
mod tests;
