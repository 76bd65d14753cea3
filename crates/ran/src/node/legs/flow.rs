//! Flow control between the nodes of a split bearer (TS 38.425, 5.4.2): how much the leg wants, and what the host gives.
//!
//! - The leg reports each period what it has sent for the first time, and its desired buffer size. The report comes to
//!   the host after the delay between the nodes.
//! - The host gives the leg data as long as what the leg has not sent yet is less than the desired size.
//! - Desired buffer size: twice what the leg has sent within a round trip of data and report, and at least
//!   [`LEAST`].
//!
//! TS 38.425 leaves the size to the node. Reason of the rule: half of it covers what is on its way, and the other half
//! waits in the leg. So the leg does not run dry. A leg whose link allows more doubles its size with each round trip.
//! Price: the leg holds about a round trip of data, which wait longer if its link becomes worse.

use std::collections::VecDeque;

use airpath_base::Duration;

/// Desired buffer size at least in bytes: ten packets of 1500.
pub(super) const LEAST: u64 = 15_000;

/// A downlink data delivery status (TS 38.425, 5.5.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status {
    /// Bytes that the leg has sent for the first time since its begin.
    sent: u64,
    /// Desired buffer size in bytes.
    desired: u64,
}

/// Data of one direction at the leg.
#[derive(Debug)]
pub(super) struct Window {
    received: u64,
    /// Bytes sent at the last reports, the newest last, as many as a round trip has.
    history: VecDeque<u64>,
    desired: u64,
}

impl Window {
    /// Nothing received. Reports are a period apart, and data take a delay.
    pub fn new(period: Duration, delay: Duration) -> Window {
        let periods = (delay * 2 + period).as_nanos().div_ceil(period.as_nanos().max(1));
        let history = std::iter::repeat_n(0, periods as usize).collect();
        Window { received: 0, history, desired: LEAST }
    }

    /// So many bytes have come.
    pub fn receive(&mut self, bytes: u64) {
        self.received += bytes;
    }

    /// A period is over, with so many bytes not sent.
    pub fn report(&mut self, waiting: u64) -> Status {
        let sent = self.received.saturating_sub(waiting);
        let before = self.history.pop_front().unwrap_or(0);
        self.history.push_back(sent);
        self.desired = (2 * sent.saturating_sub(before)).max(LEAST);
        Status { sent, desired: self.desired }
    }

    /// Desired buffer size.
    pub fn desired(&self) -> u64 {
        self.desired
    }
}

/// Data of a leg as its host knows them.
#[derive(Debug)]
pub(super) struct Credit {
    given: u64,
    status: Status,
}

impl Credit {
    /// Nothing given, and no report.
    pub fn new() -> Credit {
        Credit { given: 0, status: Status { sent: 0, desired: LEAST } }
    }

    /// A report has come.
    pub fn heed(&mut self, status: Status) {
        self.status = status;
    }

    /// So many bytes are on their way to the leg.
    pub fn give(&mut self, bytes: u64) {
        self.given += bytes;
    }

    /// Bytes that the leg wants beyond those given.
    pub fn open(&self) -> u64 {
        self.status.desired.saturating_sub(self.given - self.status.sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_leg_wants_twice_what_a_round_trip_carries() {
        // Reports each 5 ms and 5 ms of delay: a round trip has three periods. 3 kB are sent in each.
        let mut window = Window::new(MS * 5, MS * 5);
        window.receive(1_000_000);
        let desired: Vec<u64> =
            (1..=5).map(|n| window.report(1_000_000 - 10_000 * n).desired).collect();
        assert_eq!(desired, [20_000, 40_000, 60_000, 60_000, 60_000]);
        // Without data the least is wanted again.
        assert_eq!([0, 0, 0].map(|_| window.report(950_000).desired), [40_000, 20_000, LEAST]);
    }

    #[test]
    fn a_host_gives_what_is_wanted_and_not_sent() {
        let mut credit = Credit::new();
        credit.give(10_000);
        assert_eq!(credit.open(), LEAST - 10_000);
        credit.heed(Status { sent: 4_000, desired: 20_000 });
        assert_eq!(credit.open(), 14_000);
        credit.give(16_000);
        assert_eq!(credit.open(), 0);
    }

    #[test]
    fn a_leg_learns_the_rate_of_its_link() {
        // A link of 1 MB/s with statuses each 5 ms and 5 ms of delay, and more data than fit. Round trip: 15 ms.
        let (mut window, mut credit) = (Window::new(MS * 5, MS * 5), Credit::new());
        let (mut waiting, mut sent) = (0_u64, Vec::new());
        let (mut coming, mut statuses) = (VecDeque::from([0, 0]), VecDeque::new());
        for _ in 0..200 {
            let bytes = credit.open();
            credit.give(bytes);
            coming.push_back(bytes);
            let come = coming.pop_front().unwrap_or(0);
            window.receive(come);
            let left = (waiting + come).min(5_000);
            waiting = waiting + come - left;
            sent.push(left);
            statuses.push_back(window.report(waiting));
            if statuses.len() > 1 {
                credit.heed(statuses.pop_front().expect("one"));
            }
        }
        // It is never dry once the rate is known, and what waits is below two round trips.
        assert!(sent[50..].iter().all(|bytes| *bytes == 5_000), "{sent:?}");
        assert!(waiting <= 30_000, "{waiting}");
    }
}
