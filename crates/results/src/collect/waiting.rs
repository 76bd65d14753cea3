//! Packets that were sent and have neither arrived nor been dropped, and what they mean at the end of a run.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

use super::FlowCounts;
use crate::{Voice, VoiceCodec};

/// Births of the packets of a flow that are on their way, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting(VecDeque<Time>);

impl Waiting {
    /// A packet of this birth was sent.
    pub(super) fn sent(&mut self, born: Time) {
        match self.0.back() {
            Some(youngest) if *youngest > born => {
                let at = self.0.partition_point(|known| *known <= born);
                self.0.insert(at, born);
            }
            _ => self.0.push_back(born),
        }
    }

    /// A packet of this birth has arrived or was dropped.
    pub(super) fn ended(&mut self, born: Time) {
        let at = self.0.partition_point(|known| *known < born);
        if self.0.get(at) == Some(&born) {
            self.0.remove(at);
        }
    }

    /// Packets that are still on their way at `end` although they had only this time.
    pub(super) fn overdue(&self, end: Time, limit: Duration) -> u64 {
        self.0.partition_point(|born| born.saturating_add(limit) < end) as u64
    }
}

impl FlowCounts {
    /// Quality of its voice in a run that ended at `end`; none if no packet has arrived or is lost.
    pub fn voice(&self, codec: VoiceCodec, end: Time) -> Option<Voice> {
        let overdue = |limit| self.waiting.as_ref().map_or(0, |data| data.overdue(end, limit));
        let lost = |limit| self.data.lost_packets() + overdue(limit);
        Voice::of_flow(codec, self.delays.summary().as_ref(), lost, self.data.sent_packets)
    }

    /// Share of its frames or RTP packets that came within their time; none if none counts.
    pub fn within_share(&self) -> Option<f64> {
        self.media.as_ref().map_or(&self.within, |media| &media.share).share()
    }

    /// The run has ended at `end`.
    pub(super) fn finish(&mut self, end: Time) {
        if let Some((waiting, within)) = self.waiting.as_ref().zip(self.keep.within) {
            self.within.outside += waiting.overdue(end, within);
        }
        self.media.iter_mut().for_each(|media| media.finish(end));
        self.playback.iter_mut().for_each(|player| player.advance(end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_on_their_way_are_overdue_behind_their_time() {
        let ms = Time::from_millis;
        let mut waiting = Waiting::default();
        [0, 20, 60, 40, 60].into_iter().for_each(|at| waiting.sent(ms(at)));
        waiting.ended(ms(20));
        waiting.ended(ms(20)); // a copy
        waiting.ended(ms(60));
        let overdue = |end| waiting.overdue(ms(end), Duration::from_millis(10));
        assert_eq!([10, 11, 50, 51, 70, 71].map(overdue), [0, 1, 1, 2, 2, 3]);
    }
}
