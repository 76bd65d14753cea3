//! Choice between two queues for the next transmission (RFC 9332, 4.2.2 and appendix A.1).

use airpath_base::{Duration, Time};
use airpath_schema::choice;

/// Credit of a packet when counting begins again, in bytes.
const LARGEST: i64 = 1_500;

choice! {
    /// Order in which two queues send.
    pub enum DualSchedulerName {
        /// By credit, with a least share for the classic queue.
        Weighted = "weighted",
        /// In order of arrival, low-latency packets taken to have come earlier.
        TimeShifted = "time-shifted",
    }
}

/// A scheduler between the low-latency and the classic queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DualScheduler {
    /// By credit, so that the classic queue, while both have packets, gets at least
    /// this share of the bytes in percent, 1 to 50 (Linux, `classic_protection`).
    Weighted {
        /// Percent: 10.
        classic_percent: u8,
    },
    /// In order of arrival, with packets of the low-latency queue counted as if they
    /// had come so much earlier (time-shifted FIFO).
    TimeShifted(Duration),
}

impl Default for DualScheduler {
    /// 10 % for the classic queue (Linux, `sch_dualpi2`).
    fn default() -> DualScheduler {
        DualScheduler::Weighted { classic_percent: 10 }
    }
}

impl DualScheduler {
    /// Credit of the classic queue when both queues have been empty: the low-latency
    /// queue begins.
    pub(super) fn initial_credit(self) -> i64 {
        match self {
            DualScheduler::Weighted { classic_percent } => {
                LARGEST * (2 * i64::from(classic_percent) - 100).min(0)
            }
            DualScheduler::TimeShifted(_) => 0,
        }
    }

    /// True if the low-latency queue sends, while both have packets. The oldest packets arrived at
    /// `low_latency` and `classic`.
    #[inline]
    pub(super) fn prefers_low_latency(
        self,
        credit: i64,
        now: Time,
        low_latency: Time,
        classic: Time,
    ) -> bool {
        match self {
            DualScheduler::Weighted { .. } => credit <= 0,
            DualScheduler::TimeShifted(shift) => {
                let waited = now.saturating_since(classic);
                now.saturating_since(low_latency).as_nanos().saturating_add(shift.as_nanos())
                    >= waited.as_nanos()
            }
        }
    }

    /// Change of the classic queue's credit by a packet of `size` bytes.
    #[inline]
    pub(super) fn credit(self, low_latency: bool, size: u32) -> i64 {
        match self {
            DualScheduler::Weighted { classic_percent } => {
                let share = i64::from(classic_percent.min(100));
                i64::from(size) * if low_latency { share } else { share - 100 }
            }
            DualScheduler::TimeShifted(_) => 0,
        }
    }
}
