//! The round trips of a QUIC handshake, between the capture point and either end, and what
//! came of it.
//!
//! Initial packets have numbers, and an ACK names the greatest that has arrived (RFC 9000, 19.3). A
//! retransmitted packet therefore spoils no round trip. Acknowledgements of Initial packets are not
//! delayed (RFC 9000, 13.2.1). Retry and version negotiation answer a packet without a number. If
//! packets could not be opened, the first answer counts, provided that the client sent its packets
//! in one burst.

use airpath_base::{Duration, Time};
use serde::Serialize;

/// Packets of which number and time are kept.
const KEPT: usize = 8;
/// Packets of an end that are sent in one go.
const TOGETHER: Duration = Duration::from_millis(5);

/// Outcome of a QUIC handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QuicOutcome {
    /// Its beginning is not in the capture.
    #[default]
    NotSeen,
    /// The server did not answer.
    Unanswered,
    /// The server had none of the client's versions, and nothing followed.
    VersionNegotiation,
    /// The server ended it in an Initial packet (RFC 9000, 10.2.3).
    Refused,
    /// The server answered, and the client sent nothing with keys of a finished handshake.
    Answered,
    /// The client sent packets with a short header.
    Completed,
}

impl QuicOutcome {
    /// All of them.
    pub const ALL: [QuicOutcome; 6] = [
        QuicOutcome::NotSeen,
        QuicOutcome::Unanswered,
        QuicOutcome::VersionNegotiation,
        QuicOutcome::Refused,
        QuicOutcome::Answered,
        QuicOutcome::Completed,
    ];

    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            QuicOutcome::NotSeen => "not_seen",
            QuicOutcome::Unanswered => "unanswered",
            QuicOutcome::VersionNegotiation => "version_negotiation",
            QuicOutcome::Refused => "refused",
            QuicOutcome::Answered => "answered",
            QuicOutcome::Completed => "completed",
        }
    }
}

/// A handshake.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shake {
    /// Numbers and times of both ends' Initial packets, the client's first.
    sent: [Sent; 2],
    /// First and last time of what either end sent since the other's answer.
    asked: [Option<(Time, Time)>; 2],
    /// Round trips to the server and to the client, in nanoseconds.
    rtt: [Option<u64>; 2],
    /// True if the server has requested a new beginning, and nothing followed yet.
    turned: bool,
    negotiated: bool,
    pub(super) begun: Option<Time>,
    pub(super) answered: bool,
    /// The error by which the server ended it.
    pub(super) refused: Option<u64>,
    /// Time of the client's first packet with a short header.
    pub(super) completed: Option<Time>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    packets: [(u64, Time); KEPT],
    count: usize,
}

impl Shake {
    /// An Initial packet of an end, with its number if it was opened.
    pub(super) fn initial(&mut self, server: bool, at: Time, number: Option<u64>) {
        let end = usize::from(server);
        if !server && self.turned {
            self.turned = false;
            self.answers(end, at, |(first, _)| first);
        }
        self.answered |= server;
        if server && number.is_none() {
            self.answers(end, at, |(first, _)| first);
        }
        if let Some(number) = number {
            self.sent[end].add(number, at);
        }
        let asked = self.asked[end].get_or_insert((at, at));
        asked.1 = at;
    }

    /// An end acknowledges the other's Initial packets up to a number.
    pub(super) fn acknowledged(&mut self, server: bool, at: Time, number: u64) {
        let end = usize::from(server);
        let sent = self.sent[1 - end].time(number);
        if let Some(sent) = sent.filter(|sent| *sent <= at) {
            self.rtt[1 - end].get_or_insert(at.saturating_since(sent).as_nanos());
        }
    }

    /// The server ends it with an error; it need not acknowledge anything before.
    pub(super) fn refuse(&mut self, at: Time, error: u64) {
        self.answers(1, at, |(first, _)| first);
        self.refused = Some(error);
    }

    /// The server asks to begin anew: Retry, or version negotiation.
    pub(super) fn turn(&mut self, at: Time, negotiation: bool) {
        self.answers(1, at, |(first, _)| first);
        self.negotiated |= negotiation;
        self.answered |= !negotiation;
        (self.sent, self.turned) = (Default::default(), true);
        self.asked = [None, Some((at, at))];
    }

    /// A packet of the client's that needs the server's first one.
    pub(super) fn client_goes_on(&mut self, at: Time) {
        self.answers(0, at, |(_, last)| last);
    }

    /// An end answers what the other has sent in one go; the time of one of those packets counts.
    fn answers(&mut self, end: usize, at: Time, which: fn((Time, Time)) -> Time) {
        let asked = self.asked[1 - end].filter(|(first, last)| *last <= at && *first <= *last);
        let asked = asked.filter(|(first, last)| last.saturating_since(*first) <= TOGETHER);
        if let Some(asked) = asked {
            let rtt = at.saturating_since(which(asked)).as_nanos();
            self.rtt[1 - end].get_or_insert(rtt);
        }
    }

    /// To the server and back, in nanoseconds.
    pub(super) fn server_side(&self) -> Option<u64> {
        self.rtt[0]
    }

    /// To the client and back, in nanoseconds.
    pub(super) fn client_side(&self) -> Option<u64> {
        self.rtt[1]
    }

    /// Outcome of the handshake.
    pub(super) fn outcome(&self) -> QuicOutcome {
        match self {
            Shake { begun: None, .. } => QuicOutcome::NotSeen,
            Shake { completed: Some(_), .. } => QuicOutcome::Completed,
            Shake { refused: Some(_), .. } => QuicOutcome::Refused,
            Shake { answered: true, .. } => QuicOutcome::Answered,
            Shake { negotiated: true, .. } => QuicOutcome::VersionNegotiation,
            _ => QuicOutcome::Unanswered,
        }
    }
}

impl Sent {
    fn add(&mut self, number: u64, at: Time) {
        self.packets[self.count % KEPT] = (number, at);
        self.count += 1;
    }

    fn time(&self, number: u64) -> Option<Time> {
        let there = &self.packets[..self.count.min(KEPT)];
        there.iter().find(|(sent, _)| *sent == number).map(|(_, at)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Time {
        Time::from_millis(n)
    }

    #[test]
    fn a_packet_that_is_sent_again_spoils_no_round_trip() {
        let mut shake = Shake { begun: Some(ms(0)), ..Shake::default() };
        shake.initial(false, ms(0), Some(0));
        shake.initial(false, ms(1000), Some(1));
        shake.initial(true, ms(1020), Some(0));
        shake.acknowledged(true, ms(1020), 1);
        shake.initial(false, ms(1050), Some(2));
        shake.acknowledged(false, ms(1050), 0);
        let both = (shake.server_side(), shake.client_side());
        assert_eq!(both, (Some(20_000_000), Some(30_000_000)));
        assert_eq!(shake.outcome(), QuicOutcome::Answered);
    }

    #[test]
    fn without_numbers_only_what_came_in_one_go_tells() {
        let mut shake = Shake::default();
        shake.initial(false, ms(0), None);
        shake.initial(false, ms(1), None);
        shake.initial(true, ms(20), None);
        shake.client_goes_on(ms(50));
        assert_eq!((shake.rtt[0], shake.rtt[1]), (Some(20_000_000), Some(30_000_000)));
        let mut again = Shake::default();
        again.initial(false, ms(0), None);
        again.initial(false, ms(1000), None);
        again.initial(true, ms(1020), None);
        assert_eq!(again.rtt, [None, None]);
    }

    #[test]
    fn a_retry_tells_both_round_trips() {
        let mut shake = Shake { begun: Some(ms(0)), ..Shake::default() };
        shake.initial(false, ms(0), Some(0));
        shake.turn(ms(20), false);
        shake.initial(false, ms(50), Some(1));
        assert_eq!((shake.rtt[0], shake.rtt[1]), (Some(20_000_000), Some(30_000_000)));
        let mut vain = Shake { begun: Some(ms(0)), ..Shake::default() };
        assert_eq!(vain.outcome(), QuicOutcome::Unanswered);
        vain.turn(ms(20), true);
        assert_eq!(vain.outcome(), QuicOutcome::VersionNegotiation);
    }
}
