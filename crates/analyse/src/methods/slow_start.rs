//! Undesired slow start (section 5.2 of the study).
//!
//! One packet is lost. The packets behind it, and there may be a queue of them, make a long run of
//! duplicate ACKs. Fast retransmit sends the lost packet again. That packet has to wait in the
//! queue, longer than the RTT was when the sender last measured it. Duplicate ACKs measure nothing
//! in common senders, so the timer fires, and the sender begins again with one packet. The study
//! finds this by
//!
//! > R_ss = theta[100, 200] / theta[0, 100] > 1.5,
//!
//! theta being the throughput in these milliseconds after the last duplicate ACK.
//!
//! R_ss is undefined if nothing was sent in the first 100 ms, which is usual where the
//! RTT is longer than that. Such an episode counts for the study's ratio as a slow start if
//! the lost packet was seen to be sent more than once.
//!
//! The ratio misses a timer that strikes later than 200 ms after the last duplicate ACK, as Linux's
//! does at the earliest after the retransmission. It also takes a rate that grows for other reasons
//! for a slow start. The timer itself can be seen. The first unacknowledged segment, which fast
//! retransmit sent, is sent again during the recovery, 200 ms or more after data was last
//! acknowledged. That is an undesired slow start if the first copy was not lost. With timestamps,
//! the ACK for it then echoes a timestamp from before the second copy (RFC 3522). Without
//! timestamps, no SACK block then reports a segment that was sent after the first copy, as paths
//! mostly keep order (the idea of RFC 8985). With neither, a lost copy cannot be recognised. The
//! slow starts by the study's ratio are counted beside them.
//!
//! Not seen: the case behind the queue, where the first copy is acknowledged before the second
//! passes. Not seen either: senders whose timer partial ACKs do not restart (RFC 6582, 4,
//! "impatient").
//!
//! The remedy (5.2): RTTs from duplicate ACKs. With SACK the block that changed names the packet
//! that caused the ACK. Without SACK, the n-th duplicate ACK is for the n-th packet behind the lost
//! one. A slow start would have been prevented if the timeout with those RTTs covers the time to
//! the acknowledgement of the retransmission.

use airpath_base::{Duration, Time};

use super::Rto;

/// R_ss above which the study speaks of a slow start.
pub const THRESHOLD: f64 = 1.5;
/// The two windows after the last duplicate ACK end here.
const FIRST: Duration = Duration::from_millis(100);
const SECOND: Duration = Duration::from_millis(200);
/// Duplicate ACKs that make a sender retransmit (RFC 5681, 3.2).
const RUN: u32 = 3;
/// Undesired slow starts of a direction whose times are kept.
pub const MOST_TIMES: usize = 64;

/// A run of duplicate ACKs and what followed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Episode {
    /// Time of the last duplicate ACK.
    pub at: Time,
    /// Duplicate ACKs in the run.
    pub duplicates: u32,
    /// True if the duplicate ACKs had SACK blocks.
    pub sack: bool,
    /// The study's ratio; none if nothing was sent in the first window.
    pub r_ss: Option<f64>,
    /// Number of retransmissions of the lost packet.
    pub retransmissions: u32,
    /// Time at which the timer was seen to strike while the retransmission was under way.
    pub timer: Option<Time>,
    /// From the first retransmission to its acknowledgement, as the sender measures it,
    /// in nanoseconds.
    pub recovery: Option<u64>,
    /// The sender's timeout when the duplicate ACKs began, in nanoseconds.
    pub timeout: Option<f64>,
    /// The sender's timeout had it measured RTTs from duplicate ACKs, in nanoseconds.
    pub timeout_with_duplicates: Option<f64>,
}

/// Counts of episodes.
#[derive(Clone, Debug, Default)]
pub struct SlowStarts {
    open: Option<Box<Open>>,
    rto: Rto,
    /// Retransmission timer with RTTs from duplicate ACKs, if there were any since the last run
    /// began.
    with_duplicates: Option<Rto>,
    /// Runs of at least three duplicate ACKs that were followed to the end.
    pub episodes: u32,
    /// Those that were undesired slow starts, by the timer.
    pub undesired: u32,
    /// Undesired slow starts by the study's ratio.
    pub by_ratio: u32,
    /// Those of the undesired ones that RTTs from duplicate ACKs would have prevented.
    pub preventable: u32,
    /// Episodes without R_ss.
    pub undefined: u32,
    /// Times of the timer in the first 64 undesired slow starts.
    pub times: Vec<Time>,
    /// Time of the last retransmission of the first unacknowledged segment, and time of the first
    /// report that something has overtaken it.
    copied: Option<Time>,
    overtaken: Option<Time>,
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
    /// Retransmission by the timer, until an ACK shows which copy has arrived.
    struck: Option<Struck>,
}

/// The timer sent again what had been sent again at `copied`.
#[derive(Clone, Copy, Debug)]
struct Struck {
    copied: Time,
    /// Its TSval, if it differs from the other copy's.
    stamp: Option<u32>,
}

/// A duplicate ACK of data whose first missing segment begins at `lost`.
#[derive(Clone, Copy, Debug)]
pub struct Duplicate {
    /// Sequence number that it asks for.
    pub lost: u32,
    /// Number of duplicate ACKs in a row, with this one.
    pub run: u32,
    /// True if the ACK has SACK blocks.
    pub sack: bool,
    /// Measured RTT in nanoseconds, if the packet that caused the ACK is known.
    pub rtt: Option<u64>,
}

impl SlowStarts {
    /// An RTT sample from a new ACK, in nanoseconds, as the sender has it.
    #[inline]
    pub fn rtt(&mut self, rtt: u64) {
        self.rto.sample(rtt);
        if let Some(rto) = &mut self.with_duplicates {
            rto.sample(rtt);
        }
    }

    /// A duplicate ACK.
    pub fn duplicate(&mut self, at: Time, ack: &Duplicate) {
        if ack.run == 1 {
            self.with_duplicates = None;
        }
        if let Some(rtt) = ack.rtt {
            self.with_duplicates.get_or_insert(self.rto).sample(rtt);
        }
        if ack.run < RUN {
            return;
        }
        let Duplicate { lost, run, sack, .. } = *ack;
        if self.open.as_ref().is_some_and(|open| open.lost != lost) {
            self.finish();
        }
        let timeout = self.rto.timeout();
        let open = self.open.get_or_insert_with(|| Box::new(Open::new(at, ack, timeout)));
        open.episode = Episode { at, duplicates: run, sack, ..open.episode };
        open.episode.timeout_with_duplicates = self.with_duplicates.unwrap_or(self.rto).timeout();
        (open.first, open.second) = (0, 0);
    }

    /// The first segment that is not acknowledged is sent again.
    pub fn copied(&mut self, at: Time) {
        (self.copied, self.overtaken) = (Some(at), None);
    }

    /// A SACK block says that what passed at `passed` has arrived.
    pub fn reported(&mut self, at: Time, passed: Time) {
        if self.copied.is_some_and(|copied| passed > copied) {
            self.overtaken.get_or_insert(at);
        }
        if let Some(open) = &mut self.open
            && open.struck.is_some_and(|struck| struck.stamp.is_none() && passed > struck.copied)
        {
            open.episode.timer = None;
        }
    }

    /// Time of the first report that a segment arrived which was sent after the last copy of the
    /// first unacknowledged segment.
    pub fn overtaken(&self) -> Option<Time> {
        self.overtaken
    }

    /// Data passes. Gives the episode that this shows to be over.
    #[inline]
    pub fn data(&mut self, at: Time, seq: u32, bytes: u32, again: bool) -> Option<Episode> {
        self.open.as_ref()?;
        self.follow(at, seq, bytes, again)
    }

    fn follow(&mut self, at: Time, seq: u32, bytes: u32, again: bool) -> Option<Episode> {
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

    /// The sequence number `ack` is acknowledged for the first time, by an ACK with this
    /// TSecr. `beyond` is how long the way between monitor and sender takes both ways, in
    /// nanoseconds.
    #[inline]
    pub fn advanced(&mut self, at: Time, ack: u32, echo: Option<u32>, beyond: u64) {
        if self.open.is_some() {
            self.answer(at, ack, echo, beyond);
        }
    }

    fn answer(&mut self, at: Time, ack: u32, echo: Option<u32>, beyond: u64) {
        let Some(open) = self.open.as_mut() else { return };
        // RFC 3522, 3.2: an echo from before what the timer sent is for the copy before that.
        let stamp = open.struck.take().and_then(|struck| struck.stamp);
        if stamp.zip(echo).is_some_and(|(stamp, echo)| echo.wrapping_sub(stamp) as i32 >= 0) {
            open.episode.timer = None;
        }
        let behind = ack.wrapping_sub(open.lost) as i32 > 0;
        if let (true, None, Some(sent)) = (behind, open.episode.recovery, open.retransmitted) {
            open.episode.recovery =
                Some(at.saturating_since(sent).as_nanos().saturating_add(beyond));
        }
    }

    /// The timer sends again, in the same recovery, what fast retransmit had sent at `copied`.
    /// `stamp` is its TSval, if that tells the two apart.
    pub fn timer(&mut self, at: Time, copied: Time, stamp: Option<u32>) {
        let Some(open) = &mut self.open else { return };
        if stamp.is_some() || self.overtaken.is_none() {
            open.episode.timer = Some(at);
            open.struck = Some(Struck { copied, stamp });
        }
    }

    /// The recovery is over: what was sent before it is acknowledged.
    pub fn recovered(&mut self) {
        if let Some(open) = &mut self.open {
            open.recovered = true;
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let open = self.open.as_ref().map_or(0, |_| size_of::<Open>() + 16);
        self.times.capacity() * size_of::<Time>() + open
    }

    /// The counts if nothing more comes.
    pub fn ended(&self) -> SlowStarts {
        let mut ended = self.clone();
        ended.finish();
        ended
    }

    fn finish(&mut self) -> Option<Episode> {
        let open = *self.open.take()?;
        let mut episode = open.episode;
        episode.r_ss = (open.first > 0).then(|| open.second as f64 / open.first as f64);
        self.episodes += 1;
        self.undefined += u32::from(episode.r_ss.is_none());
        self.undesired += u32::from(episode.timer.is_some());
        let room = self.times.len() < MOST_TIMES;
        self.times.extend(episode.timer.filter(|_| room));
        self.by_ratio += u32::from(episode.is_by_ratio());
        self.preventable += u32::from(episode.timer.is_some() && episode.is_preventable());
        Some(episode)
    }
}

impl Open {
    fn new(at: Time, ack: &Duplicate, timeout: Option<f64>) -> Open {
        let episode = Episode {
            at,
            duplicates: ack.run,
            sack: ack.sack,
            r_ss: None,
            retransmissions: 0,
            timer: None,
            recovery: None,
            timeout,
            timeout_with_duplicates: None,
        };
        Open {
            episode,
            lost: ack.lost,
            first: 0,
            second: 0,
            retransmitted: None,
            recovered: false,
            struck: None,
        }
    }
}

impl Episode {
    /// True if it was an undesired slow start by the study's ratio.
    pub fn is_by_ratio(&self) -> bool {
        match self.r_ss {
            Some(ratio) => ratio > THRESHOLD,
            None => self.retransmissions > 1,
        }
    }

    /// True if RTTs from the duplicate ACKs would have kept the timer from firing.
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
