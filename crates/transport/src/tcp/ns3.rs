//! Loss recovery by scoreboard as ns-3 up to 3.29 has it.
//!
//! It stands beside RFC 6675's (`recovery`) because published results rest on it, and it
//! decides them where losses are many. What differs:
//!
//! - Each acknowledgement with a SACK block counts as a duplicate, with new ranges or not.
//! - Recovery begins at exactly the third duplicate, or at any if a segment after the
//!   head is known to be lost; never at an acknowledgement without a block.
//! - A head that the recovery before has sent again is not sent again by the next.
//! - A partial acknowledgement at once sends the new head, though a copy may be on its
//!   way; if the head is not known to be lost, what NextSeg says, in spite of the window.
//! - Outside recovery, too, segments known to be lost are sent again as the window lets
//!   them.
//! - A copy on its way stays in the pipe when its segment is SACKed, until it is
//!   acknowledged cumulatively.
//! - Rule 3 of NextSeg sends again what lies above the highest SACKed segment too.
//!
//! It leaves out ns-3's count of losses from one segment lower, until a higher one is SACKed. That
//! happens when the segment just below the highest SACKed one is SACKed. It changed none of 26 runs
//! of the rate-delay study's second experiment.

use airpath_base::Time;

use super::LossRecovery;
use super::connection::Connection;
use super::recovery::Phase;

impl Connection {
    /// True if losses are repaired as ns-3 does.
    pub(super) fn as_ns3(&self) -> bool {
        self.agreed.sack && self.config.recovery == LossRecovery::Ns3
    }

    /// Acts on what an acknowledgement says about losses.
    pub(super) fn recover_as_ns3(&mut self, now: Time, progress: bool, duplicate: bool) {
        if duplicate && self.recovery.phase == Phase::Open {
            self.on_duplicate_as_ns3(now);
        }
        if !progress {
            return;
        }
        if !duplicate {
            self.no_duplicates();
        }
        match self.recovery.phase {
            Phase::Open => {}
            Phase::Fast | Phase::Timeout if self.tx.una >= self.recovery.point => self.leave(now),
            Phase::Timeout => {}
            // Also for the acknowledgement that has just begun the recovery.
            Phase::Fast => {
                self.count_partial_ack();
                self.recovery.retransmit_head = true;
            }
        }
    }

    fn on_duplicate_as_ns3(&mut self, now: Time) {
        self.recovery.duplicates += 1;
        let third = self.recovery.duplicates == self.config.duplicate_ack_threshold;
        let second = self.tx.una + u64::from(self.agreed.segment);
        let begin =
            (third && self.tx.una >= self.recovery.point) || self.board.is_lost_from(second);
        if begin && !self.board.is_empty() {
            self.enter(now);
        }
    }
}
