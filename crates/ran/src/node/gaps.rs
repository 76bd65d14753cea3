//! Measurement gaps in the cell: a UE in a gap neither receives nor sends here.
//!
//! - No assignment, data or feedback downlink, and no grant or data uplink, is scheduled into a gap (TS 36.321, 5.4.2.2
//!   and 5.7; TS 38.321, 5.14).
//! - A block that failed waits for a TTI outside, with synchronous HARQ for one of its process.
//! - A scheduling request waits for the first opportunity behind the gap.
//! - A link is not measured in a gap: the last report counts on.
//!
//! Left out: the time at which a report is sent, and radio link monitoring, whose radio frames count in gaps, too.

use airpath_base::{Duration, Time};
use airpath_net::Direction;

use super::cell::Cell;
use crate::block::AirSlot;
use crate::config::Access;
use crate::handover::Gaps;
use crate::index::UeIndex;

/// Round trips of a synchronous process that are looked at for one outside of gaps.
const MOST_ROUND_TRIPS: u32 = 32;

/// Gaps of a cell's UEs, each from a time on; empty if none has had any.
pub(super) type UeGaps = Vec<Option<(Gaps, Time)>>;

/// Times in which a UE has to be in the cell for a block.
pub(super) type Spans = [(Time, Time); 2];

/// True if a UE is in a gap at some time of these spans.
#[inline]
pub(super) fn in_gap(all: &UeGaps, ue: UeIndex, spans: &Spans) -> bool {
    !all.is_empty() && overlap(all, ue, spans)
}

#[inline(never)]
fn overlap(all: &UeGaps, ue: UeIndex, spans: &[(Time, Time)]) -> bool {
    let Some(Some((gaps, since))) = all.get(ue.index()) else { return false };
    spans.iter().any(|(from, to)| to > since && gaps.overlap((*from).max(*since), *to))
}

impl Cell {
    /// True if a UE has gaps.
    pub fn has_gaps(&self, ue: UeIndex) -> bool {
        self.gaps.get(ue.index()).is_some_and(Option::is_some)
    }

    /// A UE has these gaps from a time on, or none.
    pub fn set_gaps(&mut self, ue: UeIndex, gaps: Option<(Gaps, Time)>) {
        if self.gaps.is_empty() && gaps.is_some() {
            self.gaps = vec![None; self.ues.len()];
        }
        if let Some(own) = self.gaps.get_mut(ue.index()) {
            *own = gaps;
        }
    }

    /// From then on nothing is on the air that has been decided before `now`.
    pub fn next_free(&self, now: Time) -> Time {
        let timing = &self.config.timing;
        let round_trip = timing.harq_round_trip.max(timing.data_to_feedback);
        now + self.config.tti.times(self.steps.longest_lead() + self.steps.period()) + round_trip
    }

    /// Times of an assignment or a grant with its data, and of the feedback downlink, for a TTI on the air.
    /// Nothing where no UE has had gaps.
    pub fn spans(&self, slot: AirSlot) -> Spans {
        if self.gaps.is_empty() {
            return [(Time::ZERO, Time::ZERO); 2];
        }
        let (start, length) = (self.starts_at(slot), self.config.tti.length());
        let other = match slot.direction {
            Direction::Downlink => self.feedback_at(slot.tti),
            Direction::Uplink if self.config.uplink.access == Access::Instant => start,
            Direction::Uplink => self.decided(slot) + self.config.timing.grant_preparation,
        };
        [(start, start + length), (other, other + length)]
    }

    /// True if a UE is in a gap at some time of a TTI on the air, of its grant or of its feedback.
    pub fn misses(&self, slot: AirSlot, ue: UeIndex) -> bool {
        !self.gaps.is_empty() && overlap(&self.gaps, ue, &self.spans(slot))
    }

    /// The TTI of a synchronous process uplink from this one on in which a UE is not in a gap. If it is so in all that are
    /// looked at, the last of them.
    pub fn again_outside(&self, ue: UeIndex, mut tti: u64) -> u64 {
        let slot = |tti| AirSlot { direction: Direction::Uplink, tti };
        for _ in 0..MOST_ROUND_TRIPS {
            let again = self.synchronous(slot(tti)).filter(|_| self.misses(slot(tti), ue));
            let Some(again) = again else { break };
            tti = again;
        }
        tti
    }

    /// End of the gap that a span of a UE overlaps; none outside of gaps.
    pub fn gap_end(&self, ue: UeIndex, span: (Time, Time)) -> Option<Time> {
        let (gaps, _) = (*self.gaps.get(ue.index())?)?;
        overlap(&self.gaps, ue, &[span]).then(|| gaps.next_end(span.0))
    }

    /// The time, or the end of the gap in which a UE is then.
    pub fn after_gap(&self, ue: UeIndex, now: Time) -> Time {
        self.gap_end(ue, (now, now + Duration::from_nanos(1))).unwrap_or(now)
    }
}
