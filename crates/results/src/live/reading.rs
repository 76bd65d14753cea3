//! Readings, as they are written as JSON: one object a line.

use serde::{Deserialize, Serialize};

use airpath_base::documented;
use airpath_base::measure::{BPS, BYTES, MS, PACKETS, RESOURCE_BLOCKS, S, SHARE};

documented! {
    /// Facts of a run; they come before the first reading.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Session {
        /// The scenario, as its file is called.
        pub scenario: String,
        /// Its title, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub title: Option<String>,
        /// Seed of all randomness.
        pub seed: u64,
        /// Planned end of the run; absent if it ends by a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub end_s: Option<f64> [S],
        /// Length of an interval; the last may be shorter.
        pub interval_s: f64 [S],
    }
}

documented! {
    /// Reading of an interval of a run.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Reading {
        /// Number of the interval, from 0.
        pub number: u64,
        /// End of the interval, in the run's time.
        pub time_s: f64 [S],
        /// Length of the interval.
        pub interval_s: f64 [S],
        /// Flows in the order of the scenario. With more than eight, those of like UEs are one
        /// row; of more than 24 rows the last is the sum of what has no row.
        pub flows: Vec<FlowReading>,
        /// Cells; of more than 16 the last row is the sum of the others.
        pub cells: Vec<CellReading>,
        /// Queues that have held something so far: those of links, then those of bearers. Of more
        /// than 16 the last row is the sum of the others.
        pub queues: Vec<QueueReading>,
        /// Radio links that failed or came back in the interval, in their order; at most 16.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub radio_links: Vec<RadioLinkReading>,
        /// All of it.
        pub totals: TotalsReading,
        /// Punctuality of the run against the clock; of an emulation only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub health: Option<Health>,
    }
}

documented! {
    /// A flow, or several. Packets are those of its data, not of its feedback.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct FlowReading {
        /// Name of the flow; of several, with the name of their group of UEs, or how many they are.
        pub name: String,
        /// Number of its flows.
        pub flows: u32,
        /// `down` or `up`; null if they go both ways, or not through a cell.
        pub direction: Option<String>,
        /// `received_bytes` in bits a second.
        pub rate_bps: f64 [BPS],
        /// Packets handed to the network, repeated segments too.
        pub sent_packets: u64 [PACKETS],
        /// Packets that arrived.
        pub received_packets: u64 [PACKETS],
        /// Bytes of IP that arrived; of a full buffer, those in decoded blocks.
        pub received_bytes: u64 [BYTES],
        /// Packets that were dropped on the way.
        pub lost_packets: u64 [PACKETS],
        /// Times that an element set congestion experienced.
        pub marks: u64,
        /// One-way delays, from birth to arrival, of the packets that arrived.
        pub delay_ms: Option<Spread> [MS],
        /// Of these delays the time in queues: those of links, and of PDCP and RLC at the cell and
        /// in the UE.
        pub queue_ms: Option<Spread> [MS],
    }
}

documented! {
    /// Percentiles by nearest rank, in milliseconds, off by at most 1%.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Spread {
        /// Median.
        pub p50: f64 [MS],
        /// 95th percentile.
        pub p95: f64 [MS],
    }
}

documented! {
    /// A cell, or several.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct CellReading {
        /// Name of the cell; of several, how many they are.
        pub name: String,
        /// Number of its cells.
        pub cells: u32,
        /// Share of the downlink's resource blocks that were used; with time division duplex, of
        /// the slots that carry it. It may pass 1 where an interval does not hold whole patterns
        /// of slots.
        pub utilisation: Option<f64> [SHARE],
        /// Share of the uplink's resource blocks that were used; with time division duplex, of the
        /// slots that carry it.
        pub utilisation_up: Option<f64> [SHARE],
        /// Resource blocks used downlink.
        pub resource_blocks: u64 [RESOURCE_BLOCKS],
        /// Resource blocks used uplink.
        pub resource_blocks_up: u64 [RESOURCE_BLOCKS],
        /// Bits of decoded blocks without padding, a second, downlink.
        pub throughput_bps: f64 [BPS],
        /// Bits of decoded blocks without padding, a second, uplink.
        pub throughput_up_bps: f64 [BPS],
    }
}

documented! {
    /// A queue, or several, at the end of the interval.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct QueueReading {
        /// Name of the link or bearer; of several, how many they are.
        pub name: String,
        /// Number of its queues.
        pub queues: u32,
        /// Of a bearer, its UE.
        #[serde(default)]
        pub ue: Option<String>,
        /// Of a bearer, `down` or `up`.
        pub direction: Option<String>,
        /// Packets that wait.
        pub packets: u64 [PACKETS],
        /// Their bytes.
        pub bytes: u64 [BYTES],
    }
}

documented! {
    /// A change of a radio link.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct RadioLinkReading {
        /// Time of the change, in the run's time.
        pub time_s: f64 [S],
        /// Name of the UE.
        pub ue: String,
        /// `failed` with the cause behind a colon, `re-established`, `lost` (the UE became idle), or
        /// `returned` (an idle UE has selected its cell again).
        pub change: String,
    }
}

documented! {
    /// All flows and nodes together.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct TotalsReading {
        /// `received_bytes` of all flows in bits a second.
        pub rate_bps: f64 [BPS],
        /// Packets handed to the network, of data and of feedback.
        pub originated: u64,
        /// Packets received.
        pub consumed: u64,
        /// Packets dropped.
        pub dropped: u64,
        /// Times that an element set congestion experienced.
        pub marked: u64,
    }
}

documented! {
    /// Punctuality of an emulation in the interval.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Health {
        /// Median delay of the program behind its planned wake-ups.
        pub wake_p50_ms: f64 [MS],
        /// 99th percentile of that.
        pub wake_p99_ms: f64 [MS],
        /// The latest.
        pub wake_max_ms: f64 [MS],
        /// Times that what was due happened more than 1 ms late.
        pub missed: u64,
        /// Processor time of the program for each second; 1 is a whole core.
        pub cpu: f64,
        /// Delay of the run behind the clock at the end of the interval.
        pub lag_ms: f64 [MS],
    }
}
