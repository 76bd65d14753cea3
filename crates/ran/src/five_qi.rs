//! 5G QoS identifiers (TS 23.501, 5.7.4), and how their bearers are configured unless a
//! scenario says otherwise.
//!
//! The characteristics are standardised, the configuration of a bearer is the operator's choice.
//! The rules are those of the [QCIs](crate::qci) where these have a counterpart:
//!
//! - RLC AM where the packet error rate is below 10^-3, what HARQ alone leaves; UM elsewhere.
//!   UM also for delay-critical classes: a packet that is later than its budget counts as lost
//!   there (TS 23.501, 5.7.3.4), and ARQ needs more time than they have.
//! - PDCP's discard timer is the least value of TS 38.331 that is not below the radio's share of
//!   the packet delay budget, for UM: what may still be in time is not given up. Infinity for AM.
//! - The queue is that of a QCI's bearer. TS 38.306, 4.1.4, has a layer 2 buffer that grows with
//!   the UE's rate and names no figure.
//! - Logical channels are prioritised in the order of the default priority levels, QCIs and 5QIs
//!   of the same service alike. Each has a prioritised bit rate: the guaranteed one, or 8 kB/s.

use airpath_base::{BitRate, Duration};

use crate::qci::{Bearer, LogicalChannel, group};

/// QoS characteristics of a 5QI (TS 23.501, 5.7.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceType {
    /// A guaranteed bit rate.
    Guaranteed,
    /// None.
    NonGuaranteed,
    /// A guaranteed bit rate, and what comes later than its budget counts as lost.
    DelayCritical,
}

/// Standardised characteristics of a 5QI (TS 23.501, table 5.7.4-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Characteristics {
    /// The identifier.
    pub five_qi: u8,
    /// Its resource type.
    pub resource_type: ResourceType,
    /// Default priority level; lower goes first.
    pub priority_level: u8,
    /// Packet delay budget between the UE and the UPF that ends N6.
    pub delay_budget: Duration,
    /// The share of it that the network behind the cell may use: the static value of notes 4 to
    /// 7 and 13. The table has none for 74 and 76; they have that of 71 to 73.
    pub core_share: Duration,
    /// The packet error rate is ten to the minus this.
    pub error_exponent: u8,
    /// Default maximum data burst volume in bytes, of delay-critical classes.
    pub burst_volume: Option<u32>,
    /// Default averaging window of classes with a guaranteed bit rate.
    pub averaging_window: Option<Duration>,
}

/// Priority level, delay budget and the core's share of it in milliseconds, error exponent.
type Row = (u8, [u64; 2], u8);

const fn row(
    five_qi: u8,
    resource_type: ResourceType,
    (priority_level, [budget, core], error_exponent): Row,
    burst_volume: Option<u32>,
) -> Characteristics {
    let averaging_window = match resource_type {
        ResourceType::NonGuaranteed => None,
        _ => Some(Duration::from_millis(2_000)),
    };
    Characteristics {
        five_qi,
        resource_type,
        priority_level,
        delay_budget: Duration::from_millis(budget),
        core_share: Duration::from_millis(core),
        error_exponent,
        burst_volume,
        averaging_window,
    }
}

const fn gbr(five_qi: u8, row_of: Row) -> Characteristics {
    row(five_qi, ResourceType::Guaranteed, row_of, None)
}

const fn non_gbr(five_qi: u8, row_of: Row) -> Characteristics {
    row(five_qi, ResourceType::NonGuaranteed, row_of, None)
}

const fn critical(five_qi: u8, row_of: Row, burst_volume: u32) -> Characteristics {
    row(five_qi, ResourceType::DelayCritical, row_of, Some(burst_volume))
}

/// TS 23.501, table 5.7.4-1 (Releases 17 and 18), in the order of the identifiers. 75 is reserved
/// in Release 17.
pub const TABLE: [Characteristics; 32] = [
    gbr(1, (20, [100, 20], 2)),
    gbr(2, (40, [150, 20], 3)),
    gbr(3, (30, [50, 20], 3)),
    gbr(4, (50, [300, 20], 6)),
    non_gbr(5, (10, [100, 20], 6)),
    non_gbr(6, (60, [300, 20], 6)),
    non_gbr(7, (70, [100, 20], 3)),
    non_gbr(8, (80, [300, 20], 6)),
    non_gbr(9, (90, [300, 20], 6)),
    non_gbr(10, (90, [1_100, 20], 6)),
    gbr(65, (7, [75, 10], 2)),
    gbr(66, (20, [100, 20], 2)),
    gbr(67, (15, [100, 20], 3)),
    non_gbr(69, (5, [60, 10], 6)),
    non_gbr(70, (55, [200, 10], 6)),
    gbr(71, (56, [150, 20], 6)),
    gbr(72, (56, [300, 20], 4)),
    gbr(73, (56, [300, 20], 8)),
    gbr(74, (56, [500, 20], 8)),
    gbr(75, (25, [50, 20], 2)),
    gbr(76, (56, [500, 20], 4)),
    non_gbr(79, (65, [50, 20], 2)),
    non_gbr(80, (68, [10, 2], 6)),
    critical(82, (19, [10, 1], 4), 255),
    critical(83, (22, [10, 1], 4), 1_354),
    critical(84, (24, [30, 5], 5), 1_354),
    critical(85, (21, [5, 2], 5), 255),
    critical(86, (18, [5, 2], 4), 1_354),
    critical(87, (25, [5, 1], 3), 500),
    critical(88, (25, [10, 1], 3), 1_125),
    critical(89, (25, [15, 1], 4), 17_000),
    critical(90, (25, [20, 1], 4), 63_000),
];

/// The characteristics of a 5QI, if it is in the table.
pub fn characteristics(five_qi: u8) -> Option<&'static Characteristics> {
    TABLE.iter().find(|row| row.five_qi == five_qi)
}

/// Values of discardTimer and discardTimerExt in microseconds, but for infinity (TS 38.331,
/// 6.3.2, PDCP-Config).
const DISCARD_TIMERS: [u64; 21] = [
    500, 1_000, 2_000, 4_000, 6_000, 8_000, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 75_000,
    100_000, 150_000, 200_000, 250_000, 300_000, 500_000, 750_000, 1_500_000,
];

impl Characteristics {
    /// The radio's share of the delay budget.
    pub fn radio_budget(&self) -> Duration {
        self.delay_budget.saturating_sub(self.core_share)
    }

    /// True if a bit rate is guaranteed.
    pub fn is_guaranteed(&self) -> bool {
        self.resource_type != ResourceType::NonGuaranteed
    }

    /// True if RLC has to repair losses.
    pub fn is_acknowledged(&self) -> bool {
        self.error_exponent > 3 && self.resource_type != ResourceType::DelayCritical
    }

    /// Priority of the logical channel, 4 to 16; lower goes first. Not standardised; there are
    /// more levels than values left.
    pub const fn channel_priority(&self) -> u8 {
        match self.priority_level {
            ..=5 => 4,
            6..=7 => 5,
            8..=10 => 6,
            11..=20 => 7,
            21..=25 => 8,
            26..=30 => 9,
            31..=40 => 10,
            41..=50 => 11,
            51..=56 => 12,
            57..=60 => 13,
            61..=70 => 14,
            71..=80 => 15,
            _ => 16,
        }
    }

    /// Configuration of a bearer of this class; `guaranteed` is its bit rate if it has one.
    pub fn bearer(&self, guaranteed: Option<BitRate>) -> Bearer {
        let group = group(self.is_guaranteed(), self.delay_budget);
        let channel = LogicalChannel::new(self.channel_priority(), group, guaranteed);
        let timer = (!self.is_acknowledged()).then(|| discard_timer(self.radio_budget()));
        Bearer::new(channel, timer)
    }
}

/// The least of the standard's discard timers that is not below `budget`; if there is none, `budget` itself.
pub fn discard_timer(budget: Duration) -> Duration {
    let mut timers = DISCARD_TIMERS.into_iter().map(Duration::from_micros);
    timers.find(|timer| *timer >= budget).unwrap_or(budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qci;
    use crate::rlc::Mode;

    fn of(five_qi: u8) -> &'static Characteristics {
        characteristics(five_qi).expect("a 5QI of the table")
    }

    #[test]
    fn some_rows_of_the_standard() {
        // TS 23.501, table 5.7.4-1: augmented reality, remote driving, split rendering.
        let reality = of(80);
        assert_eq!(reality.resource_type, ResourceType::NonGuaranteed);
        assert_eq!((reality.priority_level, reality.error_exponent), (68, 6));
        assert_eq!(reality.radio_budget(), Duration::from_millis(8));
        assert_eq!((reality.burst_volume, reality.averaging_window), (None, None));
        let driving = of(85);
        assert_eq!(driving.resource_type, ResourceType::DelayCritical);
        assert_eq!((driving.priority_level, driving.error_exponent), (21, 5));
        assert_eq!(driving.radio_budget(), Duration::from_millis(3));
        assert_eq!(driving.burst_volume, Some(255));
        let rendering = of(90);
        assert_eq!(
            (rendering.delay_budget, rendering.burst_volume),
            (Duration::from_millis(20), Some(63_000))
        );
        assert_eq!(rendering.averaging_window, Some(Duration::from_millis(2_000)));
        assert_eq!(characteristics(68), None);
    }

    #[test]
    fn resource_types_are_those_of_the_standard() {
        let with = |kind| {
            let rows = TABLE.iter().filter(|row| row.resource_type == kind);
            rows.map(|row| row.five_qi).collect::<Vec<_>>()
        };
        let guaranteed = with(ResourceType::Guaranteed);
        assert_eq!(guaranteed, [1, 2, 3, 4, 65, 66, 67, 71, 72, 73, 74, 75, 76]);
        assert_eq!(with(ResourceType::NonGuaranteed), [5, 6, 7, 8, 9, 10, 69, 70, 79, 80]);
        assert_eq!(with(ResourceType::DelayCritical), [82, 83, 84, 85, 86, 87, 88, 89, 90]);
    }

    #[test]
    fn a_qci_and_its_5qi_are_alike() {
        for qci in &qci::TABLE {
            let own = of(qci.qci);
            assert_eq!(own.priority_level, qci.priority, "{}", qci.qci);
            assert_eq!(own.delay_budget, qci.delay_budget, "{}", qci.qci);
            assert_eq!(own.core_share, qci.core_share, "{}", qci.qci);
            assert_eq!(own.error_exponent, qci.loss_exponent, "{}", qci.qci);
            assert_eq!(own.is_guaranteed(), qci.guaranteed, "{}", qci.qci);
            assert_eq!(own.channel_priority(), qci.channel_priority, "{}", qci.qci);
            assert_eq!(own.is_acknowledged(), qci.is_acknowledged(), "{}", qci.qci);
        }
    }

    #[test]
    fn channels_are_ordered_as_their_classes() {
        for (a, b) in TABLE.iter().flat_map(|a| TABLE.iter().map(move |b| (a, b))) {
            let ordered = a.channel_priority() <= b.channel_priority();
            assert!(a.priority_level > b.priority_level || ordered, "{} {}", a.five_qi, b.five_qi);
        }
    }

    #[test]
    fn what_is_late_is_lost_where_it_is_critical() {
        let modes = |five_qi| matches!(of(five_qi).bearer(None).rlc.mode, Mode::Am(_));
        assert_eq!([4, 6, 9, 10, 71, 72, 73, 74, 76, 80].map(modes), [true; 10]);
        assert_eq!([1, 2, 3, 7, 67, 79, 82, 83, 84, 85, 90].map(modes), [false; 11]);
    }

    #[test]
    fn discard_timers_follow_the_radio_budget() {
        let timer = |five_qi| of(five_qi).bearer(None).pdcp.discard_timer;
        // 80, 130, 30, 80, 9, 25, 3, 4, 14 and 19 ms of radio budget.
        let of_budgets = [1, 2, 3, 7, 82, 84, 85, 87, 89, 90].map(timer);
        let expected = [100, 150, 30, 100, 10, 30, 4, 4, 20, 20];
        assert_eq!(of_budgets, expected.map(|ms| Some(Duration::from_millis(ms))));
        assert_eq!([9, 80].map(timer), [None; 2]);
    }
}
