//! Proportional rate reduction (RFC 9937): during fast recovery the window comes down
//! with what arrives, and is then what the controller says.
//!
//! The controller's window after its answer to the loss stands for ssthresh.

use airpath_schema::choice;

use super::connection::Connection;
use super::recovery::Phase;
use super::scoreboard::NewlyAcked;
use crate::control::CongestionControl;

choice! {
    /// Reduction of the window in fast recovery.
    pub enum Reduction {
        /// Reduction at once.
        Step = "step",
        /// With what arrives (RFC 9937).
        Proportional = "proportional",
    }
}

/// State of a recovery.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    /// Bytes in flight when it began (RecoverFS).
    flight: u64,
    delivered: u64,
    pub out: u64,
    lost: u64,
    /// The window for now.
    pub window: Option<u64>,
}

impl Prr {
    fn begin(&mut self, flight: u64, lost: u64) {
        *self = Prr { flight: flight.max(1), lost, ..Prr::default() };
    }

    /// RFC 9937, 6.2: how much may be in flight after an acknowledgement of so many
    /// bytes, `safe` if it moves on and reports no more losses.
    fn update(&mut self, delivered: u64, pipe: u64, target: u64, segment: u64, safe: bool) {
        self.delivered += delivered;
        let mut send = if pipe > target {
            let share = u128::from(self.delivered) * u128::from(target);
            let share = share.div_ceil(u128::from(self.flight)) as u64;
            share.saturating_sub(self.out)
        } else {
            let kept = self.delivered.saturating_sub(self.out).max(delivered);
            (kept + if safe { segment } else { 0 }).min(target - pipe)
        };
        if self.out == 0 && send == 0 {
            send = segment; // the fast retransmit
        }
        self.window = Some(pipe + send);
    }
}

impl Connection {
    /// A fast recovery begins with so much in flight.
    pub(super) fn begin_reduction(&mut self, flight: u64) {
        self.recovery.prr = Prr::default();
        if self.config.reduction == Reduction::Proportional {
            self.recovery.prr.begin(flight, self.board.lost_in_all());
        }
    }

    /// An acknowledgement has been dealt with.
    pub(super) fn reduce_in_proportion(&mut self, newly: &NewlyAcked) {
        if self.config.reduction == Reduction::Step || self.recovery.phase != Phase::Fast {
            self.recovery.prr.window = None;
            return;
        }
        let (pipe, target) = (self.board.pipe(), self.controller.cwnd());
        let lost = self.board.lost_in_all();
        let prr = &mut self.recovery.prr;
        let safe = newly.acked > 0 && prr.lost == lost;
        prr.lost = lost;
        prr.update(newly.delivered, pipe, target, u64::from(self.agreed.segment), safe);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_what_arrives_leaves_until_half_is_in_flight() {
        // RFC 9937, 7: of 20 segments one is lost, ssthresh is 10: a segment leaves for
        // each two that arrive.
        let mut prr = Prr::default();
        prr.begin(20_000, 0);
        let (mut pipe, mut sent) = (19_000, Vec::new());
        for _ in 0..12 {
            pipe -= 1000;
            prr.update(1000, pipe, 10_000, 1000, false);
            let may = prr.window.expect("a window") - pipe;
            let leaves = may / 1000 * 1000;
            (pipe, prr.out) = (pipe + leaves, prr.out + leaves);
            sent.push(leaves / 1000);
        }
        assert_eq!(sent, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn below_the_target_it_grows_back_only_if_that_is_safe() {
        for (safe, window) in [(false, 4000), (true, 5000)] {
            let mut prr = Prr::default();
            prr.begin(20_000, 0);
            prr.out = 500;
            prr.update(1000, 3000, 10_000, 1000, safe);
            assert_eq!(prr.window, Some(window));
        }
    }
}
