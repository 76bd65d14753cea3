//! Handling of PDU sets by a bearer.

use airpath_base::Duration;
use airpath_schema::{above, above_to, between, choice, record};

/// Longest discard timer of sets of low importance (TS 38.331, 6.3.2, DiscardTimerForLowImportance).
const LONGEST_LOW: Duration = Duration::from_millis(100);

record! {
    /// Handling of PDU sets, packets that an application needs together (TS 23.501, 5.37.5 and 5.7.7), in NR.
    #[derive(Copy)]
    pub struct PduSets {
        /// PDU set delay budget (PSDB; TS 23.501, 5.7.7.2), less what the core network takes of it. It counts from the
        /// arrival of a set's first packet at the cell or, uplink, at the UE.
        delay_budget: Duration => above(Duration::ZERO);
        /// PDU set error rate (PSER; TS 23.501, 5.7.7.3). It stands for the packet error rate of the class in the
        /// default of `rlc`: "am" below 10^-3. Default: none.
        error_rate: Option<f64> => above_to(0.0, 1.0);
        /// Marks all packets of a set as needed (PSIHI; TS 23.501, 5.7.7.4): if one is lost or dropped, the rest of the
        /// set is dropped. Default: false.
        integrated: bool = false;
        /// Discards a set as a whole when the discard timer of its first packet runs out (pdu-SetDiscard; TS 38.323,
        /// 5.3). `discard_timer` is then, unless given, the least of TS 38.331 that is not below `delay_budget`.
        /// Default: false.
        discard: bool = false;
        /// Discards sets of low importance earlier while the oldest packet has waited for half of the discard timer
        /// (TS 38.321, 5.18.34; TS 38.323, 5.2.1). Default: false.
        by_importance: bool = false;
        /// With `by_importance`, importance from which it is low: 1 is the most important. Default: 8, the middle.
        low_importance: u8 = 8 => between(1, 15);
        /// With `by_importance`, discard timer of such sets that begin under congestion (discardTimerForLowImportance;
        /// TS 38.331, 6.3.2). Default: 0 ms, which drops them as they come.
        low_importance_timer: Duration = Duration::ZERO => between(Duration::ZERO, LONGEST_LOW);
        /// Remaining time below which the UE reports it (delay status report, remainingTimeThreshold; TS 38.321, 5.4.9;
        /// TS 38.331, 6.3.2: 1 to 64 ms). The cell serves UEs that report it before others, the least time first.
        /// Default: none, without reports.
        delay_status: Option<Duration>
            => between(Duration::from_millis(1), Duration::from_millis(64));
        /// Order in which the cell serves UEs downlink. Default: "usual".
        schedule: SetSchedule = SetSchedule::Usual;
    }
}

choice! {
    /// Order of service of UEs with PDU sets.
    pub enum SetSchedule: Usual {
        /// Order of the cell's scheduler.
        Usual = "usual",
        /// UEs with such a bearer before the others, the least time until a set is late first. Late ones come last
        /// among them.
        RemainingTime = "remaining-time",
        /// UEs likewise, but by packets: each has the budget from its own arrival on.
        PacketRemainingTime = "packet-remaining-time",
    }
}
