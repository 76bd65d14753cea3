//! A player of video or audio: a buffer of media that is filled by requests and emptied
//! by playing.
//!
//! The player fetches until its buffer holds the high mark (at first the initial burst). It then
//! holds back until the buffer has come down to the low mark. It holds back by not requesting, as
//! players of chunks do, or by not reading, so that TCP's receive window fills. Both are seen in
//! Huang et al., "An In-depth Study of LTE" (SIGCOMM 2013), 7.2. The media have a constant bit
//! rate, and bytes can be played as they come. Left out: adaptation of the bit rate and seeking.

use airpath_base::{BitRate, Bytes, Duration, Time};
use airpath_net::{Playback, PlaybackState};
use airpath_schema::choice;

use super::Sizes;

/// Bytes that a player takes at a time when it reads as it plays: a page of memory.
const PIECE: Bytes = Bytes(4096);

choice! {
    /// Method by which a player holds back.
    pub enum Throttle: Requests {
        /// It makes no request.
        Requests = "requests",
        /// It does not read the response to its request, so that TCP's receive window fills.
        Reads = "reads",
    }
}

/// Options of a player.
#[derive(Clone, Debug)]
pub struct PlayerConfig {
    /// Bit rate of the media, above zero.
    pub bit_rate: BitRate,
    /// Playing time of the media; `None` for no end.
    pub length: Option<Duration>,
    /// Size of a request; the last is cut to the rest of the media.
    pub chunk: Sizes,
    /// Media in the buffer with which it begins to play, at most `burst`.
    pub start: Duration,
    /// Media in the buffer with which it plays on after a stall, at most `high`.
    pub resume: Duration,
    /// It fetches again when the buffer has come down to this.
    pub low: Duration,
    /// It stops fetching with this in the buffer.
    pub high: Duration,
    /// It stops fetching with this in the buffer for the first time.
    pub burst: Duration,
    /// Method by which the player holds back.
    pub throttle: Throttle,
    /// True if the player keeps its connection until it has played all.
    pub hold: bool,
}

/// A player.
#[derive(Clone, Debug)]
pub struct Player {
    config: PlayerConfig,
    /// Bytes of the media, if they end.
    total: Option<u64>,
    asked: u64,
    got: u64,
    state: PlaybackState,
    /// Media played until `since`, from when on it plays or has played.
    played: Duration,
    since: Time,
    begun: bool,
    fetching: bool,
    bursting: bool,
    changed: bool,
}

impl Player {
    /// A player with an empty buffer.
    pub fn new(config: PlayerConfig) -> Player {
        let total = config.length.map(|length| config.bit_rate.bytes_in(length).0.max(1));
        Player {
            config,
            total,
            asked: 0,
            got: 0,
            state: PlaybackState::Starting,
            played: Duration::ZERO,
            since: Time::ZERO,
            begun: false,
            fetching: true,
            bursting: true,
            changed: false,
        }
    }

    fn media(&self) -> Duration {
        self.config.bit_rate.time_for(Bytes(self.got))
    }

    /// Media in the buffer.
    fn level(&self, now: Time) -> Duration {
        let playing = self.state == PlaybackState::Playing;
        let since = if playing { now.saturating_since(self.since) } else { Duration::ZERO };
        self.media().saturating_sub(self.played + since)
    }

    /// Time at which the buffer runs empty, if the player plays.
    fn empty_at(&self) -> Option<Time> {
        let left = self.media().saturating_sub(self.played);
        (self.state == PlaybackState::Playing).then(|| self.since.saturating_add(left))
    }

    /// Levels of the buffer at which fetching stops and goes on.
    fn marks(&self) -> (Duration, Duration) {
        let high = if self.bursting { self.config.burst } else { self.config.high };
        let low = match self.config.throttle {
            Throttle::Requests => self.config.low,
            Throttle::Reads => {
                // Else it would read byte by byte where both marks are one.
                let piece = self.config.bit_rate.time_for(PIECE);
                self.config.low.min(self.config.high.saturating_sub(piece))
            }
        };
        (high, low)
    }

    pub(crate) fn begin(&mut self, now: Time) {
        (self.begun, self.since, self.changed) = (true, now, true);
    }

    pub(crate) fn stop(&mut self) {
        (self.state, self.changed) = (PlaybackState::Ended, true);
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        let empty = self.empty_at()?;
        if self.fetching || self.is_finished() {
            return Some(empty);
        }
        Some(empty.saturating_sub(self.marks().1).max(self.since))
    }

    pub(crate) fn wake(&mut self, now: Time) {
        if self.begun && self.state < PlaybackState::Ended {
            self.play(now);
            self.decide(now);
        }
    }

    fn play(&mut self, now: Time) {
        let level = self.level(now);
        let all = self.is_finished();
        let enough = |mark: Duration| level >= mark && !level.is_zero();
        let next = match self.state {
            PlaybackState::Playing if level.is_zero() && all => PlaybackState::Ended,
            PlaybackState::Playing if level.is_zero() => PlaybackState::Stalled,
            PlaybackState::Starting if all || enough(self.config.start) => PlaybackState::Playing,
            PlaybackState::Stalled if all || enough(self.config.resume) => PlaybackState::Playing,
            _ => return,
        };
        if self.state == PlaybackState::Playing {
            self.played = self.media();
        }
        (self.state, self.since, self.changed) = (next, now, true);
    }

    fn decide(&mut self, now: Time) {
        let (level, (high, low)) = (self.level(now), self.marks());
        if self.fetching && level >= high {
            (self.fetching, self.bursting) = (false, false);
        } else if !self.fetching && level <= low {
            self.fetching = true;
        }
    }

    pub(crate) fn wants(&self) -> bool {
        let may = self.fetching || self.config.throttle == Throttle::Reads;
        self.begun && may && self.total.is_none_or(|total| self.asked < total)
    }

    pub(crate) fn ask(&mut self) -> u64 {
        let left = self.total.map_or(u64::MAX, |total| total - self.asked);
        let chunk = self.config.chunk.draw().min(left);
        self.asked += chunk;
        chunk
    }

    pub(crate) fn received(&mut self, now: Time, bytes: u64) {
        // Playback until now consumed media that was there before.
        self.wake(now);
        self.got += bytes;
        self.changed = true;
        self.wake(now);
    }

    pub(crate) fn reads_itself(&self) -> bool {
        self.config.throttle == Throttle::Reads
    }

    /// Bytes that fill the buffer to the high mark and not to less.
    pub(crate) fn appetite(&self, now: Time) -> u64 {
        if !self.reads_itself() {
            return u64::MAX;
        }
        if !self.fetching {
            return 0;
        }
        let room = self.marks().0.saturating_sub(self.level(now));
        self.config.bit_rate.bytes_in(room).0 + 1
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.total.is_some_and(|total| self.got >= total)
    }

    pub(crate) fn holds(&self) -> bool {
        self.config.hold && self.state != PlaybackState::Ended
    }

    pub(crate) fn take_report(&mut self, now: Time) -> Option<Playback> {
        let report = Playback { state: self.state, buffered: self.level(now) };
        std::mem::take(&mut self.changed).then_some(report)
    }
}

#[cfg(test)]
#[path = "player_tests.rs"]
mod tests;
