//! Undesired slow start (section 5.2 of the study).
//!
//! One packet is lost; the packets behind it, and there may be a queue of them, make a
//! long run of duplicate ACKs. Fast retransmit sends the lost packet again, but that has
//! to wait in the queue, longer than the RTT was when the sender last measured it.
//! Duplicate ACKs measure nothing in common senders, so the timer fires, and the sender
//! begins again with one packet. The study finds this by
//!
//! > R_ss = theta[100, 200] / theta[0, 100] > 1.5,
//!
//! theta being the throughput in these milliseconds after the last duplicate ACK.
//!
//! R_ss is undefined if nothing was sent in the first 100 ms, which is usual where the
//! RTT is longer than that. Such an episode counts for the study's ratio as a slow start if
//! the lost packet was seen to be sent more than once.
//!
//! The ratio has no eye for a timer that strikes later than 200 ms after the last duplicate
//! ACK, as Linux's does at the earliest after the retransmission, and takes a rate that
//! grows for other reasons for a slow start. But the timer itself can be seen: what fast
//! retransmit sent is sent again, 200 ms later or more, while the recovery that duplicate
//! ACKs began goes on. Such episodes are the undesired slow starts here; what the study's
//! ratio says is counted beside them.
//!
//! The remedy (5.2): RTTs from duplicate ACKs. With SACK the block that changed names the
//! packet that caused the ACK; without, the n-th duplicate ACK is for the n-th packet
//! behind the lost one. A slow start would have been prevented if the timeout with those
//! RTTs covers how long the acknowledgement of the retransmission took.

use airpath_base::{Duration, Time};

use super::Rto;

/// R_ss above which the study speaks of a slow start.
pub const THRESHOLD: f64 = 1.5;
/// The two windows after the last duplicate ACK end here.
const FIRST: Duration = Duration::from_millis(100);
const SECOND: Duration = Duration::from_millis(200);
/// Duplicate ACKs that make a sender retransmit (RFC 5681, 3.2).
const RUN: u32 = 3;

/// A run of duplicate ACKs and what followed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Episode {
    /// When the last duplicate ACK passed.
    pub at: Time,
    /// Duplicate ACKs in the run.
    pub duplicates: u32,
    /// Whether they said what had arrived.
    pub sack: bool,
    /// The study's ratio; none if nothing was sent in the first window.
    pub r_ss: Option<f64>,
    /// How often the lost packet was sent again.
    pub retransmissions: u32,
    /// Whether the timer was seen to strike before the recovery was over.
    pub timer: bool,
    /// From the first retransmission to its acknowledgement, as the sender measures it,
    /// in nanoseconds.
    pub recovery: Option<u64>,
    /// The sender's timeout when the duplicate ACKs began, in nanoseconds.
    pub timeout: Option<f64>,
    /// The same, had it measured RTTs from them.
    pub timeout_with_duplicates: Option<f64>,
}

/// Counts of episodes.
#[derive(Clone, Debug, Default)]
pub struct SlowStarts {
    /// Runs of at least three duplicate ACKs that were followed to the end.
    pub episodes: u32,
    /// Those that were undesired slow starts, by the timer.
    pub undesired: u32,
    /// The same by the study's ratio.
    pub by_ratio: u32,
    /// Those of them that RTTs from duplicate ACKs would have prevented.
    pub preventable: u32,
    /// Episodes without R_ss.
    pub undefined: u32,
    rto: Rto,
    with_duplicates: Rto,
    open: Option<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    episode: Episode,
    lost: u32,
    first: u64,
    second: u64,
    retransmitted: Option<Time>,
    /// All that was sent before the duplicate ACKs is acknowledged.
    recovered: bool,
}

impl SlowStarts {
    /// An RTT sample from a new ACK, in nanoseconds, as the sender has it.
    pub fn rtt(&mut self, rtt: u64) {
        self.rto.sample(rtt);
        self.with_duplicates.sample(rtt);
    }

    /// The `run`-th duplicate ACK for `lost` in a row. `rtt` is what it measures, if it
    /// can be told which packet caused it.
    pub fn duplicate(&mut self, at: Time, lost: u32, run: u32, sack: bool, rtt: Option<u64>) {
        if run == 1 {
            self.with_duplicates = self.rto;
        }
        if let Some(rtt) = rtt {
            self.with_duplicates.sample(rtt);
        }
        if run < RUN {
            return;
        }
        if self.open.is_some_and(|open| open.lost != lost) {
            self.finish();
        }
        let same = self.open;
        let mut open = same.unwrap_or_else(|| Open {
            episode: Episode {
                at,
                duplicates: run,
                sack,
                r_ss: None,
                retransmissions: 0,
                timer: false,
                recovery: None,
                timeout: self.rto.timeout(),
                timeout_with_duplicates: None,
            },
            lost,
            first: 0,
            second: 0,
            retransmitted: None,
            recovered: false,
        });
        open.episode = Episode { at, duplicates: run, sack, ..open.episode };
        open.episode.timeout_with_duplicates = self.with_duplicates.timeout();
        (open.first, open.second) = (0, 0);
        self.open = Some(open);
    }

    /// Data passes. Gives the episode that this shows to be over.
    pub fn data(&mut self, at: Time, seq: u32, bytes: u32, again: bool) -> Option<Episode> {
        let open = self.open.as_mut()?;
        let since = at.saturating_since(open.episode.at);
        if since >= SECOND && open.recovered {
            return self.finish();
        }
        if since < FIRST {
            open.first += u64::from(bytes);
        } else if since < SECOND {
            open.second += u64::from(bytes);
        }
        if again && seq == open.lost {
            open.episode.retransmissions += u32::from(since < SECOND);
            open.retransmitted.get_or_insert(at);
        }
        None
    }

    /// The sequence number `ack` is acknowledged for the first time. `beyond` is how long
    /// the way between monitor and sender takes both ways, in nanoseconds.
    pub fn advanced(&mut self, at: Time, ack: u32, beyond: u64) {
        let Some(open) = self.open.as_mut() else { return };
        let behind = ack.wrapping_sub(open.lost) as i32 > 0;
        if let (true, None, Some(sent)) = (behind, open.episode.recovery, open.retransmitted) {
            open.episode.recovery =
                Some(at.saturating_since(sent).as_nanos().saturating_add(beyond));
        }
    }

    /// The timer sends again what fast retransmit had sent, in the same recovery.
    pub fn timer(&mut self) {
        if let Some(open) = &mut self.open {
            open.episode.timer = true;
        }
    }

    /// The recovery is over: what was sent before it is acknowledged.
    pub fn recovered(&mut self) {
        if let Some(open) = &mut self.open {
            open.recovered = true;
        }
    }

    /// Reads something of it, so that it is at hand.
    #[inline]
    pub(crate) fn touch(&self) -> u64 {
        u64::from(self.episodes) ^ self.open.map_or(0, |open| open.first)
    }

    /// The counts if nothing more comes.
    pub fn ended(&self) -> SlowStarts {
        let mut ended = self.clone();
        ended.finish();
        ended
    }

    fn finish(&mut self) -> Option<Episode> {
        let open = self.open.take()?;
        let mut episode = open.episode;
        episode.r_ss = (open.first > 0).then(|| open.second as f64 / open.first as f64);
        self.episodes += 1;
        self.undefined += u32::from(episode.r_ss.is_none());
        self.undesired += u32::from(episode.timer);
        self.by_ratio += u32::from(episode.is_by_ratio());
        self.preventable += u32::from(episode.timer && episode.is_preventable());
        Some(episode)
    }
}

impl Episode {
    /// Whether it was an undesired slow start by the study's ratio.
    pub fn is_by_ratio(&self) -> bool {
        match self.r_ss {
            Some(ratio) => ratio > THRESHOLD,
            None => self.retransmissions > 1,
        }
    }

    /// Whether RTTs from the duplicate ACKs would have kept the timer from firing.
    pub fn is_preventable(&self) -> bool {
        match (self.recovery, self.timeout_with_duplicates) {
            (Some(recovery), Some(timeout)) => timeout >= recovery as f64,
            _ => false,
        }
    }
}

#[cfg(test)]
#[path = "slow_start_tests.rs"]
mod tests;
