//! Groups of packets, and the change of delay from group to group (draft-ietf-rmcat-gcc-02, 5.1 and 5.2).

use airpath_base::{Duration, Time};

use super::Variant;

/// Packets that are sent within this time form a group. A packet that arrives within this time after the
/// one before joins its group if its delay is less (draft-ietf-rmcat-gcc-02, 5.2).
const BURST: Duration = Duration::from_millis(5);
/// Longest group by arrivals (libwebrtc, inter_arrival_delta.cc, `kMaxBurstDuration`).
const LONGEST: Duration = Duration::from_millis(100);

/// Differences between two groups, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Delta {
    /// From the last packet sent of one group to that of the next.
    pub sent: f64,
    /// From the last arrival of one group to that of the next.
    pub arrived: f64,
    /// Last arrival of the later group.
    pub at: Time,
}

impl Delta {
    /// Change of the delay.
    pub fn delay(self) -> f64 {
        self.arrived - self.sent
    }
}

#[derive(Clone, Copy, Debug)]
struct Group {
    first_sent: Time,
    first_arrived: Time,
    sent: Time,
    arrived: Time,
}

/// The last two groups.
#[derive(Debug)]
pub(super) struct Groups {
    longest: Duration,
    before: Option<Group>,
    current: Option<Group>,
}

impl Groups {
    pub fn new(variant: Variant) -> Groups {
        let longest = match variant {
            Variant::Draft => Duration::from_secs(3_600),
            Variant::Libwebrtc => LONGEST,
        };
        Groups { longest, before: None, current: None }
    }

    /// A packet has arrived. If it begins a group, the two groups before it are compared. A packet that
    /// was sent before its group is left out.
    pub fn add(&mut self, sent: Time, arrived: Time) -> Option<Delta> {
        let new = Group { first_sent: sent, first_arrived: arrived, sent, arrived };
        let longest = self.longest;
        let Some(group) = &mut self.current else {
            self.current = Some(new);
            return None;
        };
        if sent < group.first_sent {
            return None;
        }
        if group.takes(sent, arrived, longest) {
            group.sent = group.sent.max(sent);
            group.arrived = group.arrived.max(arrived);
            return None;
        }
        let ended = *group;
        self.current = Some(new);
        let before = self.before.replace(ended)?;
        Some(Delta {
            sent: millis(before.sent, ended.sent),
            arrived: millis(before.arrived, ended.arrived),
            at: ended.arrived,
        })
    }
}

impl Group {
    fn takes(&self, sent: Time, arrived: Time, longest: Duration) -> bool {
        let between = (millis(self.sent, sent), millis(self.arrived, arrived));
        let joins = between.1 < between.0
            && between.1 <= BURST.as_millis_f64()
            && arrived.saturating_since(self.first_arrived) < longest;
        joins || sent.saturating_since(self.first_sent) <= BURST
    }
}

/// Milliseconds from one time to another; negative for an earlier one.
fn millis(from: Time, to: Time) -> f64 {
    (to.as_nanos() as f64 - from.as_nanos() as f64) / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deltas(packets: &[(u64, u64)], variant: Variant) -> Vec<(f64, f64)> {
        let mut groups = Groups::new(variant);
        let time = |micros: u64| Time::ZERO + Duration::from_micros(micros);
        let add = |(sent, arrived): &(u64, u64)| groups.add(time(*sent), time(*arrived));
        packets.iter().filter_map(add).map(|delta| (delta.sent, delta.arrived)).collect()
    }

    #[test]
    fn packets_of_five_milliseconds_are_a_group() {
        // Sent at 0 to 5 ms, at 10 ms and at 20 ms; arrivals of the second group are 2 ms late.
        let packets =
            [(0, 20_000), (5_000, 25_000), (10_000, 37_000), (20_000, 46_000), (30_000, 60_000)];
        assert_eq!(deltas(&packets, Variant::Draft), [(5.0, 12.0), (10.0, 9.0)]);
    }

    #[test]
    fn packets_behind_an_outage_arrive_as_one_group() {
        // Packets of 100 ms each 10 ms arrive at once, 1 ms apart.
        let outage = (1..=10u64).map(|n| (10_000 * n, 120_000 + 1_000 * n));
        let mut packets = vec![(0, 20_000)];
        packets.extend(outage);
        packets.extend([(110_000, 141_000), (120_000, 151_000)]);
        assert_eq!(deltas(&packets, Variant::Libwebrtc), [(100.0, 110.0), (10.0, 11.0)]);
    }

    #[test]
    fn a_packet_that_was_overtaken_is_left_out() {
        let packets =
            [(0, 20_000), (10_000, 30_000), (2_000, 31_000), (20_000, 40_000), (30_000, 50_000)];
        assert_eq!(deltas(&packets, Variant::Draft), [(10.0, 10.0), (10.0, 10.0)]);
    }
}
