//! Counters of applications with requests, and of the buffer of a player.

use airpath_base::{Duration, Time};
use airpath_net::{Exchange, Playback, PlaybackState};

use super::flow::Keep;
use crate::Delays;

/// Requests of a flow and their responses.
#[derive(Clone, Debug)]
pub struct RequestCounts {
    /// Requests that were sent, as far as reported: when they are answered, or at the end.
    pub asked: u64,
    /// Of these, answered in full.
    pub answered: u64,
    /// From asking to the first byte of the response.
    pub first_byte: Delays,
    /// From asking to the last.
    pub durations: Delays,
    /// Rows of the table of requests, in the order in which they ended.
    pub rows: Vec<Exchange>,
    /// Requests beyond the table's limit.
    pub rows_omitted: u64,
    limit: usize,
    from: Time,
}

/// A player of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaybackCounts {
    /// State of the player.
    pub state: PlaybackState,
    /// From its beginning until it first played.
    pub startup: Option<Duration>,
    /// Times that it had to stop for want of media.
    pub stalls: u64,
    /// Duration of all stalls together.
    pub stalled: Duration,
    /// Time that it played.
    pub played: Duration,
    begun: Time,
    since: Time,
    /// Buffer at the last report.
    buffered: Duration,
    reported_at: Time,
}

impl RequestCounts {
    pub(super) fn new(keep: Keep) -> RequestCounts {
        let Keep { exact_delays, rows: [_, limit], from, .. } = keep;
        RequestCounts {
            asked: 0,
            answered: 0,
            first_byte: Delays::new(exact_delays),
            durations: Delays::new(exact_delays),
            rows: Vec::new(),
            rows_omitted: 0,
            limit,
            from,
        }
    }

    pub(super) fn exchange(&mut self, exchange: &Exchange) {
        if exchange.asked >= self.from {
            self.count(exchange);
        }
        if self.rows.len() < self.limit {
            self.rows.push(*exchange);
        } else {
            self.rows_omitted += u64::from(self.limit > 0);
        }
    }

    fn count(&mut self, exchange: &Exchange) {
        self.asked += 1;
        let span = |until: Time| until.saturating_since(exchange.asked);
        exchange.first.into_iter().for_each(|first| self.first_byte.add(span(first)));
        if let Some(done) = exchange.done {
            self.answered += 1;
            self.durations.add(span(done));
        }
    }
}

impl PlaybackCounts {
    pub(super) fn new(now: Time) -> PlaybackCounts {
        PlaybackCounts {
            state: PlaybackState::Starting,
            startup: None,
            stalls: 0,
            stalled: Duration::ZERO,
            played: Duration::ZERO,
            begun: now,
            since: now,
            buffered: Duration::ZERO,
            reported_at: now,
        }
    }

    pub(super) fn report(&mut self, now: Time, playback: &Playback) {
        self.advance(now);
        if playback.state == PlaybackState::Playing {
            self.startup.get_or_insert(now.saturating_since(self.begun));
        }
        let stalls = playback.state == PlaybackState::Stalled && self.state != playback.state;
        self.stalls += u64::from(stalls);
        (self.state, self.buffered, self.reported_at) = (playback.state, playback.buffered, now);
    }

    /// Counts stalls and times from `at` on.
    pub(super) fn begin(&mut self, at: Time) {
        self.advance(at);
        (self.stalls, self.stalled, self.played) = Default::default();
    }

    /// Counts the time in the present state up to `now`.
    pub(super) fn advance(&mut self, now: Time) {
        let span = now.saturating_since(self.since);
        match self.state {
            PlaybackState::Playing => self.played += span,
            PlaybackState::Stalled => self.stalled += span,
            PlaybackState::Starting | PlaybackState::Ended => {}
        }
        self.since = now;
    }

    /// Buffer at `now`.
    pub(crate) fn buffered(&self, now: Time) -> Duration {
        let plays = self.state == PlaybackState::Playing;
        let gone = if plays { now.saturating_since(self.reported_at) } else { Duration::ZERO };
        self.buffered.saturating_sub(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn a_player_by_what_it_tells() {
        use PlaybackState::*;
        let mut counts = PlaybackCounts::new(ms(500));
        let reports = [
            (500, Starting, 0),
            (2_000, Starting, 1_500),
            (2_500, Playing, 2_000),
            (3_000, Playing, 3_500),
            (6_500, Stalled, 0),
            (7_000, Stalled, 400),
            (8_500, Playing, 2_000),
            (10_500, Stalled, 0),
        ];
        for (at, state, millis) in reports {
            let buffered = Duration::from_millis(millis);
            counts.report(ms(at), &Playback { state, buffered });
        }
        counts.advance(ms(11_000));
        assert_eq!(counts.startup, Some(Duration::from_millis(2_000)));
        assert_eq!((counts.stalls, counts.stalled), (2, Duration::from_millis(2_500)));
        assert_eq!(counts.played, Duration::from_millis(6_000));
    }

    #[test]
    fn the_buffer_gets_less_while_it_plays() {
        let mut counts = PlaybackCounts::new(ms(0));
        let playing = Playback { state: PlaybackState::Playing, buffered: Duration::from_secs(2) };
        counts.report(ms(1_000), &playing);
        let levels = [1_000, 2_500, 4_000].map(|at| counts.buffered(ms(at)).as_millis());
        assert_eq!(levels, [2_000, 500, 0]);
        let stalled = Playback { state: PlaybackState::Stalled, buffered: Duration::from_secs(1) };
        counts.report(ms(4_000), &stalled);
        assert_eq!(counts.buffered(ms(9_000)).as_millis(), 1_000);
    }

    #[test]
    fn requests_that_were_not_answered_count_as_asked_only() {
        let mut counts = RequestCounts::new(Keep {
            exact_delays: 10,
            rows: [0, 1],
            from: ms(10),
            ..Keep::default()
        });
        let asked = Exchange {
            number: 0,
            connection: 0,
            request: 400,
            response: 1000,
            asked: ms(10),
            first: Some(ms(30)),
            done: Some(ms(50)),
        };
        counts.exchange(&asked);
        counts.exchange(&Exchange { number: 1, first: None, done: None, ..asked });
        // A request of the warm-up.
        counts.exchange(&Exchange { number: 2, asked: ms(9), ..asked });
        assert_eq!((counts.asked, counts.answered), (2, 1));
        let mean = |delays: &Delays| delays.summary().map(|summary| summary.mean);
        assert_eq!((mean(&counts.first_byte), mean(&counts.durations)), (Some(20.0), Some(40.0)));
        assert_eq!((counts.rows.len(), counts.rows_omitted), (1, 2));
    }
}
