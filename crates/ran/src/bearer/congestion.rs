//! Congestion of a bearer that the cell reports to the gateway, which marks instead of the cell (ECN marking for L4S at
//! the UPF: TS 23.501, 5.37.3.3).
//!
//! Downlink, the queue at the cell decides about each packet and the cell counts its marks instead of making them. Uplink,
//! the cell's marker of uplink packets does so. Shares of packets over an interval go with the first uplink packet behind
//! the interval (TS 38.415, 5.5.2.2). Marks of the queue in the UE stay. Left out: a packet without data for a report while
//! no uplink packet comes (dummy uplink packet).

use airpath_base::{Duration, Time};
use airpath_net::{Cx, Direction};
use airpath_wire::CongestionInformation;

use super::Bearer;

/// Shares of a report are in steps of 0.01%.
const WHOLE: u64 = 10_000;

/// Packets of the present interval that pass the cell.
#[derive(Debug)]
pub(super) struct Congestion {
    interval: Duration,
    /// Identifier of the QoS flow.
    qfi: u8,
    /// Begin of the present interval.
    begun: Time,
    /// Marks by direction.
    marked: [u64; 2],
    /// Packets uplink.
    passed_up: u64,
    /// Packets downlink that RLC had taken at the begin of the interval.
    sent_before: u64,
}

impl Congestion {
    fn new(interval: Duration, qfi: u8) -> Congestion {
        let (begun, marked) = (Time::ZERO, [0; 2]);
        Congestion { interval, qfi, begun, marked, passed_up: 0, sent_before: 0 }
    }

    /// Counts an uplink packet, and whether it would have been marked.
    pub fn count_up(&mut self, marked: bool) {
        self.passed_up += 1;
        self.marked[Direction::Uplink as usize] += u64::from(marked);
    }

    /// Report of the interval that has ended by now, if one has; RLC has taken so many packets downlink.
    fn report(&mut self, now: Time, sent: u64) -> Option<CongestionInformation> {
        if now < self.begun + self.interval {
            return None;
        }
        let share = |marked: u64, of: u64| {
            let share = (marked * WHOLE).checked_div(of).unwrap_or(0);
            share.min(WHOLE) as u16
        };
        let [down, up] = self.marked;
        let report = CongestionInformation {
            qfi: self.qfi,
            up: share(up, self.passed_up),
            down: share(down, sent - self.sent_before),
        };
        let past = Duration::from_nanos(now.as_nanos() % self.interval.as_nanos().max(1));
        (self.begun, self.marked, self.passed_up) = (now.saturating_sub(past), [0; 2], 0);
        self.sent_before = sent;
        Some(report)
    }
}

impl Bearer {
    /// The cell reports congestion of the QoS flow each interval instead of marking its packets.
    pub(crate) fn report_congestion(&mut self, interval: Duration, qfi: u8) {
        self.congestion = Some(Box::new(Congestion::new(interval, qfi)));
        self.takes_notes = true;
    }

    /// Begins to note sets of which packets are dropped and to count marks downlink, if the bearer heeds either; true if
    /// it does.
    pub(super) fn begin_notes(&self, direction: Direction, cx: &mut Cx<'_>) -> bool {
        if self.takes_notes {
            self.begin_sets(cx);
            if self.congestion.is_some() && direction == Direction::Downlink {
                cx.withhold_marks(true);
            }
        }
        self.takes_notes
    }

    /// Acts by what has been noted since [`begin_notes`](Bearer::begin_notes).
    pub(super) fn end_notes(&mut self, now: Time, cx: &mut Cx<'_>) {
        let marks = cx.withhold_marks(false);
        if let Some(own) = &mut self.congestion {
            own.marked[Direction::Downlink as usize] += marks;
        }
        if self.heeds_sets() {
            self.end_sets(now, cx);
        }
    }

    /// The report that goes with an uplink packet, if an interval has ended.
    pub(crate) fn congestion_due(&mut self, now: Time) -> Option<CongestionInformation> {
        let own = self.congestion.as_mut()?;
        own.report(now, self.pdcp.sender(Direction::Downlink).sent_packets())
    }
}

#[cfg(test)]
#[path = "congestion_tests.rs"]
mod tests;
