//! Options of the rules, and their inputs.

use airpath_schema::choice;

// Under random marking, `SinceLast` settles at 2.2 marks for each virtual round trip, near the
// response 2/p that RFC 9332 (2.1) couples with. A mark after a long silence is answered about
// once. With `AtMark` no answer is for the wait between a round trip's end and the next mark. The
// flow then settles at 1 + sqrt(3) = 2.73 marks for each virtual round trip.
choice! {
    /// Answer of Prague's window to marks. It is at the first mark that comes a virtual round trip
    /// or more after the answer before.
    pub enum PragueResponse {
        /// By half of alpha for each virtual round trip since that answer, up to one and a
        /// half.
        SinceLast = "since-last",
        /// By half of alpha (draft, 2.4.2).
        AtMark = "at-mark",
    }
}

/// Options of [`PragueCore`](super::PragueCore).
#[derive(Clone, Debug, PartialEq)]
pub struct PragueCoreConfig {
    /// Rate at the beginning in bytes / s.
    pub initial_rate: u64,
    /// Window at the beginning in bytes, if it is not the initial rate times the
    /// first RTT.
    pub initial_window: Option<u64>,
    /// Lowest rate in bytes / s.
    pub min_rate: u64,
    /// Highest rate in bytes / s.
    pub max_rate: u64,
    /// Largest packet in bytes.
    pub max_packet: u64,
    /// Smallest packet in bytes: packets shrink so that two of them fit into a
    /// virtual round trip.
    pub min_packet: u64,
    /// Estimate of the share of marked packets at the beginning, of 2^20.
    pub initial_alpha: i64,
    /// True if the window doubles each round trip until the first mark or loss.
    pub slow_start: bool,
    /// True if growth gets faster after some virtual round trips without marks.
    pub faster_increase: bool,
    /// Time at which the window answers a mark.
    pub response: PragueResponse,
    /// Up to this RTT in us a rate is kept instead of a window. The reference has 2000: it measures
    /// the RTT in user space, too coarsely to tell so short a queue. A rate leaves a drop-tail queue
    /// of one bandwidth-delay product empty after a loss, where a window does not.
    pub rate_up_to: i64,
}

impl PragueCoreConfig {
    /// Options of the reference: rates of 100 kbit/s to 100 Gbit/s, packets of 150 bytes or more.
    /// Up to an RTT of 2 ms a rate replaces the window.
    pub fn reference(initial_rate: u64, max_packet: u64) -> PragueCoreConfig {
        PragueCoreConfig {
            initial_rate,
            initial_window: None,
            min_rate: 12_500,
            max_rate: 12_500_000_000,
            max_packet,
            min_packet: 150,
            initial_alpha: 0,
            slow_start: false,
            faster_increase: true,
            response: PragueResponse::AtMark,
            rate_up_to: 2_000,
        }
    }
}

/// Packets counted since the beginning. All but the losses only rise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Arrived, marked or not.
    pub received: i64,
    /// Of these, marked.
    pub ce: i64,
    /// Thought lost; falls again when that was wrong.
    pub lost: i64,
    /// Sent.
    pub sent: i64,
}
