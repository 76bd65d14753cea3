//! Applications that ask for what they get: players, pages, periodic requests.

use airpath_base::{BitRate, Bytes, Duration};
use airpath_schema::{above, above_to, at_least, between, record};

use super::{Start, Throttle};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

record! {
    /// A player of video or audio, which asks for its media piece by piece.
    pub struct Player {
        /// Bit rate of the media.
        bit_rate: BitRate => between(BitRate::from_kbps(1), BitRate::from_mbps(10_000));
        /// Playing time of the media. Default: until the flow stops.
        length: Option<Duration> => above_to(Duration::ZERO, DAY);
        /// Size of a request's response: "2 MB", or { min = "1 MB", max = "4 MB" } drawn evenly for
        /// each. Default: 1 MB (Huang et al., SIGCOMM 2013, 7.2, see 1 to 4 MB); with throttle =
        /// "reads", all there is.
        chunk: Option<Amount>;
        /// Media in the buffer with which it begins to play. Default: 2 s; no specification
        /// has a value.
        start: Duration = Duration::from_secs(2) => above_to(Duration::ZERO, HOUR);
        /// Media in the buffer with which it plays again after a stall. Default: as `start`.
        resume: Option<Duration> => above_to(Duration::ZERO, HOUR);
        /// Low mark: the player fetches again when the buffer has come down to this. Default: 10 s;
        /// no specification has a value.
        low: Duration = Duration::from_secs(10) => between(Duration::ZERO, HOUR);
        /// High mark: the player fetches until the buffer holds this. Default: 20 s; with `low`,
        /// requests come each 10 s, as Huang et al. see.
        high: Duration = Duration::from_secs(20) => above_to(Duration::ZERO, HOUR);
        /// High mark for the first time: the initial burst. Default: as `high`.
        burst: Option<Duration> => above_to(Duration::ZERO, HOUR);
        /// Method by which the player holds back. Default: "requests".
        throttle: Throttle = Throttle::Requests;
        /// Keeps the connection until the player has played all. Default: false.
        hold: bool = false;
        /// Bytes of a request. Default: 400 B, a line and some headers of HTTP.
        request: Bytes = Bytes(400) => between(Bytes(1), Bytes(1 << 20));
        /// Requests after which a connection is closed and the next one opened: 1 for one
        /// each. Default: one connection for all; Huang et al. see 2.
        requests_per_connection: Option<u32> => at_least(1);
        /// Time that the server takes before it answers. Default: 0 s.
        reply_delay: Duration = Duration::ZERO => between(Duration::ZERO, HOUR);
    }
}

record! {
    /// Rounds of requests: pages that somebody reads, or a program that asks by the clock.
    pub struct Requests {
        /// Size of a response: "10 kB", or { min = "1 kB", max = "50 kB" } drawn evenly for
        /// each.
        response: Amount;
        /// Bytes of a request. Default: 400 B, a line and some headers of HTTP.
        request: Bytes = Bytes(400) => between(Bytes(1), Bytes(1 << 20));
        /// Number of requests in a round. Default: 1.
        objects: u32 = 1 => between(1, 100_000);
        /// Time from the beginning of a round to that of the next, whether or not it is
        /// complete. Not beside `think`.
        period: Option<Duration> => above_to(Duration::ZERO, DAY);
        /// Time from the end of a round to the beginning of the next: "5 s", or { min = "1 s",
        /// max = "30 s" } drawn evenly for each.
        think: Option<Start>;
        /// Number of rounds. Default: until the flow stops.
        count: Option<u64> => at_least(1);
        /// Number of connections at a time. Default: 1.
        connections: u32 = 1 => between(1, 8);
        /// Requests after which a connection is closed: 1 for one each. Default: connections
        /// last.
        requests_per_connection: Option<u32> => at_least(1);
        /// Time that the server takes before it answers. Default: 0 s.
        reply_delay: Duration = Duration::ZERO => between(Duration::ZERO, HOUR);
    }
}

record! {
    /// A size, or the interval it is drawn from.
    pub struct Amount(min, max) {
        /// The smallest size.
        min: Bytes => above(Bytes(0));
        /// The largest size.
        max: Bytes => above(Bytes(0));
    }
}
