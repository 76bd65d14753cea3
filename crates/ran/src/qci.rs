//! QoS class identifiers (TS 23.203, 6.1.7), and how their bearers are
//! configured unless a scenario says otherwise.
//!
//! The characteristics are standardised. The configuration of a bearer is the
//! operator's choice; the rules here follow from the characteristics:
//!
//! - RLC AM where the loss rate is 10^-6, since HARQ alone leaves about 10^-3,
//!   and UM elsewhere, where late is lost. This gives UM for voice and AM for
//!   IMS signalling and TCP, as GSMA PRD IR.92 has it, and UM for video calls
//!   (IR.94).
//! - PDCP's discard timer is the value of TS 36.331 that is nearest to the radio's
//!   share of the packet delay budget, for UM. Infinity for AM: discarding what
//!   is late would break the loss rate, and TCP would send it again.
//! - The queue is unlimited where the discard timer bounds it. Elsewhere it has
//!   the layer 2 buffer of a UE of category 4 (TS 36.306, table 4.1-3), in both
//!   directions.
//! - Logical channels are prioritised in the order of the QCIs' priorities,
//!   behind the signalling bearers' 1 and 3. Each has a prioritised bit rate so
//!   that none starves: the guaranteed one, or 8 kB/s.

use airpath_base::{BitRate, Duration};

use crate::mac::TrafficClass;
use crate::pdcp::QueueLimit;
use crate::rlc::{Mode, am, um};
use crate::{pdcp, rlc};

/// Standardised characteristics of a QCI (TS 23.203, table 6.1.7-A).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Characteristics {
    /// The identifier.
    pub qci: u8,
    /// True if the bearer has a guaranteed bit rate.
    pub guaranteed: bool,
    /// Priority in tenths, so that 5 is the 0.5 of QCI 69; lower goes first.
    pub priority: u8,
    /// Packet delay budget between the UE and the gateway.
    pub delay_budget: Duration,
    /// The share of it that the network behind the cell may use.
    pub core_share: Duration,
    /// The packet error loss rate is ten to the minus this.
    pub loss_exponent: u8,
    /// Priority of the logical channel, 1 to 16; lower goes first. Not
    /// standardised; QCI 79 shares that of 7, since there are more QCIs than
    /// values left.
    pub channel_priority: u8,
}

/// Resource type, priority in tenths, delay budget and the core's share of it in
/// milliseconds (notes 1, 7, 10 and 11), loss exponent; logical channel priority.
const fn row(
    qci: u8,
    guaranteed: bool,
    priority: u8,
    budget: [u64; 2],
    loss_exponent: u8,
    channel_priority: u8,
) -> Characteristics {
    let [delay_budget, core_share] =
        [Duration::from_millis(budget[0]), Duration::from_millis(budget[1])];
    Characteristics {
        qci,
        guaranteed,
        priority,
        delay_budget,
        core_share,
        loss_exponent,
        channel_priority,
    }
}

/// TS 23.203, table 6.1.7-A, in the order of the identifiers.
pub const TABLE: [Characteristics; 15] = [
    row(1, true, 20, [100, 20], 2, 7),
    row(2, true, 40, [150, 20], 3, 10),
    row(3, true, 30, [50, 20], 3, 9),
    row(4, true, 50, [300, 20], 6, 11),
    row(5, false, 10, [100, 20], 6, 6),
    row(6, false, 60, [300, 20], 6, 13),
    row(7, false, 70, [100, 20], 3, 14),
    row(8, false, 80, [300, 20], 6, 15),
    row(9, false, 90, [300, 20], 6, 16),
    row(65, true, 7, [75, 10], 2, 5),
    row(66, true, 20, [100, 20], 2, 7),
    row(69, false, 5, [60, 10], 6, 4),
    row(70, false, 55, [200, 10], 6, 12),
    row(75, true, 25, [50, 20], 2, 8),
    row(79, false, 65, [50, 20], 2, 14),
];

/// The characteristics of a QCI, if it is in the table.
pub fn characteristics(qci: u8) -> Option<&'static Characteristics> {
    TABLE.iter().find(|row| row.qci == qci)
}

/// Prioritisation of a logical channel in the MAC (TS 36.321, 5.4.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogicalChannel {
    /// 1 to 16; lower goes first.
    pub priority: u8,
    /// Rate that it may send before lower channels are served; `None` for all its data.
    pub prioritised_bit_rate: Option<BitRate>,
    /// Over how much time that may be saved up.
    pub bucket_size_duration: Duration,
    /// The group that a buffer status report counts it in: 0 to 7 in NR, 0 to 3 in LTE.
    pub group: u8,
    /// Traffic class for schedulers.
    pub traffic_class: TrafficClass,
    /// Guaranteed bit rate (TS 23.203, 6.1.7.3), if it has one.
    pub guaranteed_bit_rate: Option<BitRate>,
}

/// Defaults for a bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// PDCP.
    pub pdcp: pdcp::Config,
    /// RLC.
    pub rlc: rlc::Config,
    /// Logical channel.
    pub channel: LogicalChannel,
}

/// Values of discardTimer in milliseconds, but for infinity (TS 36.331, 6.3.2,
/// PDCP-Config).
const DISCARD_TIMERS: [u64; 7] = [50, 100, 150, 300, 500, 750, 1500];

/// Values of prioritisedBitRate in kB/s, but for 0 and infinity (TS 36.331,
/// 6.3.2, LogicalChannelConfig).
const PRIORITISED_RATES: [u64; 9] = [8, 16, 32, 64, 128, 256, 512, 1024, 2048];

/// Layer 2 buffer of a UE of category 4 in bytes (TS 36.306, table 4.1-3).
const LAYER_2_BUFFER: u64 = 1_900_000;

impl Characteristics {
    /// The radio's share of the delay budget.
    pub fn radio_budget(&self) -> Duration {
        self.delay_budget.saturating_sub(self.core_share)
    }

    /// True if RLC has to repair losses.
    pub const fn is_acknowledged(&self) -> bool {
        self.loss_exponent >= 6
    }

    /// Configuration of a bearer of this class; `guaranteed` is its bit rate if it has one.
    pub fn bearer(&self, guaranteed: Option<BitRate>) -> Bearer {
        let group = group(self.guaranteed, self.delay_budget);
        let channel = LogicalChannel::new(self.channel_priority, group, guaranteed);
        let timer = (!self.is_acknowledged()).then(|| nearest_discard_timer(self.radio_budget()));
        Bearer::new(channel, timer)
    }
}

impl LogicalChannel {
    /// A channel of this priority and group that saves up for 100 ms.
    pub(crate) fn new(priority: u8, group: u8, guaranteed: Option<BitRate>) -> LogicalChannel {
        LogicalChannel {
            priority,
            prioritised_bit_rate: prioritised(guaranteed.unwrap_or(BitRate::from_bps(0))),
            bucket_size_duration: Duration::from_millis(100),
            group,
            traffic_class: TrafficClass::DEFAULT,
            guaranteed_bit_rate: guaranteed,
        }
    }
}

impl Bearer {
    /// A bearer of UM whose packets are given up after `discard_timer`; without one, of AM,
    /// which gives up none.
    pub(crate) fn new(channel: LogicalChannel, discard_timer: Option<Duration>) -> Bearer {
        let (mode, queue) = match discard_timer {
            Some(_) => (Mode::Um(um::Config::default()), QueueLimit::Unlimited),
            None => (Mode::Am(am::Config::default()), QueueLimit::Bytes(LAYER_2_BUFFER)),
        };
        let rlc = rlc::Config { mode, header: rlc::HeaderModel::Standard };
        let pdcp = pdcp::Config {
            discard_timer,
            downlink_queue: queue,
            uplink_queue: queue,
            ..pdcp::Config::default()
        };
        Bearer { pdcp, rlc, channel }
    }
}

/// Group of a logical channel. Group 0 is left to the signalling bearers (TS 36.331, 9.2.1). Then
/// come guaranteed rates, other bearers with a short delay budget, and the rest.
pub(crate) fn group(guaranteed: bool, delay_budget: Duration) -> u8 {
    match guaranteed {
        true => 1,
        false if delay_budget <= Duration::from_millis(100) => 2,
        false => 3,
    }
}

/// The standard's discard timer nearest to `budget`.
fn nearest_discard_timer(budget: Duration) -> Duration {
    let timers = DISCARD_TIMERS.map(Duration::from_millis);
    timers.into_iter().min_by_key(|timer| timer.abs_diff(budget)).unwrap_or(budget)
}

/// The least of the standard's prioritised bit rates that is not below `rate`.
fn prioritised(rate: BitRate) -> Option<BitRate> {
    PRIORITISED_RATES
        .map(|kilobytes| BitRate::from_bps(kilobytes * 8_000))
        .into_iter()
        .find(|&r| r >= rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(qci: u8) -> &'static Characteristics {
        characteristics(qci).expect("a QCI of the table")
    }

    #[test]
    fn some_rows_of_the_standard() {
        // TS 23.203, table 6.1.7-A: conversational voice, and the default bearer.
        let voice = of(1);
        assert!(voice.guaranteed);
        assert_eq!((voice.priority, voice.loss_exponent), (20, 2));
        assert_eq!(voice.delay_budget, Duration::from_millis(100));
        let default = of(9);
        assert!(!default.guaranteed);
        assert_eq!((default.priority, default.loss_exponent), (90, 6));
        assert_eq!(default.delay_budget, Duration::from_millis(300));
        assert_eq!(characteristics(0), None);
    }

    #[test]
    fn guaranteed_classes_are_those_of_the_standard() {
        let guaranteed: Vec<u8> =
            TABLE.iter().filter(|row| row.guaranteed).map(|row| row.qci).collect();
        assert_eq!(guaranteed, [1, 2, 3, 4, 65, 66, 75]);
    }

    #[test]
    fn channels_are_ordered_as_their_classes() {
        for a in &TABLE {
            for b in TABLE.iter().filter(|b| a.priority < b.priority) {
                assert!(a.channel_priority <= b.channel_priority, "{} and {}", a.qci, b.qci);
            }
            assert!((4..=16).contains(&a.channel_priority));
        }
    }

    #[test]
    fn tcp_is_acknowledged_and_voice_is_not() {
        let modes = |qci| matches!(of(qci).bearer(None).rlc.mode, Mode::Am(_));
        assert_eq!([4, 5, 6, 8, 9, 69, 70].map(modes), [true; 7]);
        assert_eq!([1, 2, 3, 7, 65, 66, 75, 79].map(modes), [false; 8]);
    }

    #[test]
    fn discard_timers_follow_the_radio_budget() {
        let timer = |qci| of(qci).bearer(None).pdcp.discard_timer.map(Duration::as_millis);
        // 80, 130, 30, 80 and 65 ms of radio budget.
        assert_eq!([1, 2, 3, 7, 65].map(timer), [100, 150, 50, 100, 50].map(Some));
        assert_eq!(timer(9), None);
    }

    #[test]
    fn prioritised_rates_cover_the_guaranteed_one() {
        let rate = |kbit| prioritised(BitRate::from_kbps(kbit)).map(BitRate::as_bps);
        assert_eq!(rate(0), Some(64_000));
        assert_eq!(rate(64), Some(64_000));
        assert_eq!(rate(384), Some(512_000));
        assert_eq!(rate(20_000), None);
    }
}
