//! What `summary.json` says.
//!
//! Every number is finite; what has no value (a mean of no packets) is null.
//! There is no wall time in it, so the same run gives the same bytes.

mod applications;
mod radio_link;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use applications::{MediaSummary, PageSummary, PlaybackSummary, RequestSummary};

use crate::documented::documented;
use crate::{DecibelSummary, DelaySummary, Named, ResourcesSummary, UsersSummary};

/// The mark by which a folder is known as airpath's own.
pub const FORMAT: &str = "airpath-results-1";

/// The version of airpath.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

documented! {
    /// A run and what it came to.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RunSummary {
        /// The mark by which a folder is known as airpath's own: `airpath-results-1`.
        pub format: String,
        /// Version of the program that ran it.
        #[serde(default)]
        pub version: String,
        /// Whether the run came to its end.
        pub complete: bool,
        /// The scenario as it was run.
        pub scenario: serde_json::Value,
        /// Seed of all randomness.
        pub seed: u64,
        /// Simulated seconds.
        pub duration_s: f64,
        /// Seconds at the beginning that no statistic counts.
        #[serde(default)]
        pub warm_up_s: f64,
        /// What changed while it ran, in the order of time; not there if nothing did.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub changes: Vec<ChangeSummary>,
        /// Flows in the order of the scenario.
        pub flows: Vec<FlowSummary>,
        /// UEs in the order of the scenario.
        pub ues: Vec<UeSummary>,
        /// Cells in the order of the scenario.
        pub cells: Vec<CellSummary>,
        /// Bearers, UE by UE.
        pub bearers: Vec<BearerSummary>,
        /// Wired links, each direction by itself.
        pub links: Vec<LinkSummary>,
        /// What all cells together used of what they have.
        #[serde(default)]
        pub resources: ResourcesSummary,
        /// Users by kind of application and direction: their distributions.
        #[serde(default)]
        pub users: Vec<UsersSummary>,
        /// How much happened.
        pub events: EventCounts,
    }
}

documented! {
    /// A change while the run went on.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ChangeSummary {
        /// When, in seconds, before whatever else happened at that instant.
        pub at_s: f64,
        /// What was set, as `path.sgi.rate = 5 Mbit/s`.
        pub set: Vec<String>,
    }
}

documented! {
    /// A flow. Packets, losses and delays are those of its data, not of its feedback.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct FlowSummary {
        /// Name of the flow.
        pub name: String,
        /// What carries it: `tcp`, `rtp` or `full-buffer`.
        pub kind: String,
        /// Name of the UE.
        pub ue: Option<String>,
        /// `down` or `up`.
        pub direction: Option<String>,
        /// Packets handed to the network, repeated segments too.
        pub sent_packets: u64,
        /// Packets that arrived.
        pub received_packets: u64,
        /// Packets that were dropped on the way.
        pub lost_packets: u64,
        /// Packets that were still on their way at the end.
        pub in_flight_packets: u64,
        /// Bytes of IP handed to the network.
        pub sent_bytes: u64,
        /// Bytes of IP that arrived.
        pub received_bytes: u64,
        /// Bytes that reached the application; of a full buffer, those in decoded blocks.
        pub delivered_bytes: u64,
        /// Bits that reached the application, a second of the time that the flow was active:
        /// from its start, or the end of the warm-up if that is later, to its completion, or else to its planned stop or its last delivery,
        /// whichever is later, or the end of the run.
        pub goodput_bps: Option<f64>,
        /// One-way delays from birth to arrival in milliseconds.
        #[serde(with = "nulls")]
        pub delay_ms: Option<DelaySummary>,
        /// Mean of |d(i+1) - d(i)| in milliseconds.
        pub jitter_ms: Option<f64>,
        /// Mean of |d(i) - d(1)| in milliseconds.
        pub jitter_from_first_ms: Option<f64>,
        /// Mean time in each stage in milliseconds; they add up to the mean delay.
        pub stages_ms: Named<f64>,
        /// The same of the packets that were dropped, up to their drop; they add up to the mean
        /// age of these packets then. Empty if there are none.
        #[serde(default)]
        pub lost_stages_ms: Named<f64>,
        /// Time of a packet in queues in milliseconds: those of links, and of PDCP and RLC at the
        /// cell and in the UE.
        #[serde(default, with = "nulls")]
        pub queue_ms: Option<DelaySummary>,
        /// Drops by cause, causes that occurred only.
        pub dropped: Named<u64>,
        /// Times that an element set congestion experienced.
        pub marks: u64,
        /// TCP segments sent again.
        pub retransmissions: u64,
        /// Of these, for duplicate acknowledgements or SACK.
        pub fast_retransmissions: u64,
        /// TCP retransmission timeouts.
        pub timeouts: u64,
        /// TCP loss recoveries begun.
        pub recoveries: u64,
        /// Mean RTT sample of TCP in milliseconds.
        pub rtt_ms: Option<f64>,
        /// Packets of acknowledgement or report sent.
        pub feedback_packets: u64,
        /// Of these, dropped on the way.
        pub feedback_lost_packets: u64,
        /// When it started, in seconds.
        pub start_s: Option<f64>,
        /// When a finite transfer was complete, in seconds.
        pub finish_s: Option<f64>,
        /// Frames and their controller, for flows of media only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub media: Option<MediaSummary>,
        /// Requests and responses, for applications that ask and packets that are answered only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub requests: Option<RequestSummary>,
        /// Pages, for users of the web only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub pages: Option<PageSummary>,
        /// The player, for players only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub playback: Option<PlaybackSummary>,
    }
}

documented! {
    /// Transport blocks of one direction.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RadioSummary {
        /// Transmissions, repeated ones too.
        pub transmissions: u64,
        /// Resource blocks that they took.
        pub resource_blocks: u64,
        /// Bytes of decoded blocks.
        pub bytes: u64,
        /// Of these, padding.
        pub padding_bytes: u64,
        /// Bits delivered, without padding, for each resource block.
        pub bits_per_resource_block: Option<f64>,
        /// Share of first transmissions that failed.
        pub bler_first: Option<f64>,
        /// Share of transmissions that failed, by attempt.
        pub bler_by_attempt: Vec<Option<f64>>,
        /// Mean modulation and coding scheme.
        pub mean_mcs: Option<f64>,
        /// Mean effective SINR.
        pub mean_sinr_db: Option<f64>,
        /// Effective SINR while scheduled: of its transmissions.
        #[serde(default)]
        pub sinr: Option<DecibelSummary>,
        /// Bytes of new blocks, decoded or not.
        #[serde(default)]
        pub granted_bytes: u64,
        /// Bits of decoded blocks without padding, a second of the run behind its warm-up.
        #[serde(default)]
        pub throughput_bps: Option<f64>,
        /// Times that a UE could have been served in a TTI but for want of control channel
        /// elements.
        #[serde(default)]
        pub blocked: u64,
        /// Grants and assignments that UEs missed: what they were for took its resource blocks in
        /// vain and counts as no transmission.
        #[serde(default)]
        pub missed: u64,
        /// Time out of range, for UEs that were out of range only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub out_of_range: Option<OutOfRangeSummary>,
    }
}

documented! {
    /// Time that a UE was out of range of its cell in a direction, and got no new data: its CQI was
    /// 0 (TS 36.213, 7.2.3; TS 38.214, 5.2.2.1). In a network its link is measured while it has
    /// something to send or to get.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct OutOfRangeSummary {
        /// Seconds out of range.
        pub seconds: f64,
        /// The same as a share of the run behind its warm-up; of a UE that arrives, of its stay.
        pub share: f64,
        /// The lowest SINR in dB by which it went out of range, measured over the carrier.
        pub sinr_db: f64,
    }
}

documented! {
    /// A UE without service: no cell is suitable (TS 36.304, 5.2.3.2; TS 38.304, 5.2.3.2).
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct NoServiceSummary {
        /// RSRP of its strongest cell in dBm; it is not above `cell.q_rx_lev_min`.
        pub rsrp_dbm: f64,
    }
}

documented! {
    /// A UE.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct UeSummary {
        /// Name of the UE.
        pub name: String,
        /// Name of its cell at the start.
        pub cell: Option<String>,
        /// For UEs without service only: nothing of theirs passes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub no_service: Option<NoServiceSummary>,
        /// When it arrived, for UEs that do. Its throughput is over its stay: from then until it
        /// left, as far as that is behind the warm-up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub arrival_s: Option<f64>,
        /// When the last of its flows was over; absent if it stayed to the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub left_s: Option<f64>,
        /// Its downlink.
        pub down: RadioSummary,
        /// Its uplink.
        pub up: RadioSummary,
        /// Scheduling requests sent.
        pub scheduling_requests: u64,
        /// Failures of its radio link, if there were any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub radio_link: Option<RadioLinkSummary>,
        /// Radio states and energy, for UEs with RRC only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub rrc: Option<RrcSummary>,
    }
}

documented! {
    /// Failures of a UE's radio link (TS 36.331, 5.3.11; TS 38.331, 5.3.10), and what came of them.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RadioLinkSummary {
        /// Radio link failures.
        pub failures: u64,
        /// Of these, those by the expiry of T310: the UE was out of sync.
        pub out_of_sync: u64,
        /// Of these, those by maxRetxThreshold of RLC, at the UE or at the cell.
        pub retransmissions: u64,
        /// Connections that were re-established.
        pub reestablished: u64,
        /// Times that the UE became idle instead, by the expiry of T311 or T301. What its bearers
        /// held was lost.
        pub lost: u64,
        /// Time from failures until the connection was there again, or with RRC the cell of an
        /// idle UE.
        pub outage_s: f64,
    }
}

documented! {
    /// Radio states of a UE over the run, and the energy that they took.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RrcSummary {
        /// Promotions begun.
        pub promotions: u64,
        /// Seconds in each state.
        pub seconds: Named<f64>,
        /// Share of the run in each state.
        pub share: Named<f64>,
        /// Seconds of idle in which it was awake for pages.
        pub paging_s: f64,
        /// Seconds of DRX in which it listened.
        pub on_duration_s: f64,
        /// Joules by what they were spent on.
        pub energy_j: Named<f64>,
        /// All of them.
        pub total_energy_j: f64,
        /// Stays in a state that are not in `states.parquet`, which has reached its limit.
        pub states_omitted: u64,
    }
}

documented! {
    /// A cell.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct CellSummary {
        /// Name of the cell.
        pub name: String,
        /// Share of the downlink's resource blocks that were used, 0 to 1; with time division
        /// duplex, of the slots that carry it.
        pub utilisation: Option<f64>,
        /// The same for the uplink.
        pub utilisation_up: Option<f64>,
        /// Share of the downlink's resource blocks that transmissions with data of bearers took,
        /// by their QCI ("5QI 80" for a 5QI); without blocks of padding only they add up to `utilisation`.
        #[serde(default)]
        pub utilisation_by_qci: Named<f64>,
        /// The same for the uplink.
        #[serde(default)]
        pub utilisation_by_qci_up: Named<f64>,
        /// The same downlink by class of traffic, as in `resources.pdsch_by_class`.
        #[serde(default)]
        pub utilisation_by_class: Named<f64>,
        /// The same uplink, as in `resources.pusch_by_class`.
        #[serde(default)]
        pub utilisation_by_class_up: Named<f64>,
        /// Share of the control channel elements that grants took; null with an ideal control
        /// channel, and where there was no grant.
        #[serde(default)]
        pub control_utilisation: Option<f64>,
        /// Its downlink.
        pub down: RadioSummary,
        /// Its uplink.
        pub up: RadioSummary,
    }
}

documented! {
    /// What waited in a queue. What is being sent has left it.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct QueueSummary {
        /// Packets that waited, mean over time.
        pub mean_packets: Option<f64>,
        /// Most packets that waited at any time.
        pub max_packets: u32,
        /// Their bytes, mean over time.
        pub mean_bytes: Option<f64>,
        /// Most bytes that waited at any time.
        pub max_bytes: u64,
        /// Mean wait in milliseconds of the packets that left to be sent.
        pub mean_delay_ms: Option<f64>,
        /// Longest of these waits in milliseconds.
        pub max_delay_ms: Option<f64>,
    }
}

documented! {
    /// A bearer.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct BearerSummary {
        /// Name of the bearer.
        pub name: String,
        /// Name of its UE.
        pub ue: Option<String>,
        /// QoS class identifier; with a 5QI that.
        pub qci: u8,
        /// 5QI; absent where it has a QCI.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub five_qi: Option<u8>,
        /// `um` or `am`.
        pub rlc_mode: String,
        /// Downlink queue at PDCP and RLC.
        pub queue: QueueSummary,
        /// Uplink queue.
        pub queue_up: QueueSummary,
        /// Drops at the radio by cause, of flows that are mapped to this bearer.
        pub dropped: Named<u64>,
        /// Times that RLC AM sent something again, both directions.
        pub rlc_retransmissions: u64,
        /// Bits of IP, or of full buffers, that arrived of flows that are mapped to this bearer.
        pub delivered_bits: u64,
        /// Downlink resource blocks of all transmissions of transport blocks with its
        /// data: repeated ones, and those of what RLC sent again and of its status reports
        /// about the uplink. Where bearers share a block, its resource blocks are divided
        /// by bytes of RLC PDUs; blocks of padding only count for no bearer.
        pub resource_blocks: f64,
        /// The same for the uplink.
        pub resource_blocks_up: f64,
        /// Downlink resource blocks for each of these bits that arrived downlink.
        pub resource_blocks_per_bit: Option<f64>,
        /// The same for the uplink.
        pub resource_blocks_per_bit_up: Option<f64>,
        /// Packet delay budget of its QCI or 5QI in milliseconds (TS 23.203, table 6.1.7-A; TS
        /// 23.501, table 5.7.4-1).
        #[serde(default)]
        pub delay_budget_ms: Option<f64>,
        /// Share of the downlink packets within it: from arrival at the gateway to arrival at the
        /// UE, without the path before the gateway (TS 23.501, 5.7.3.4). What was dropped in
        /// between is outside; what was dropped before the gateway, or is on its way at the end,
        /// does not count.
        #[serde(default)]
        pub within_delay_budget: Option<f64>,
        /// The same uplink: from when the UE hands a packet to the network to when it leaves the
        /// gateway, wherever it goes then.
        #[serde(default)]
        pub within_delay_budget_up: Option<f64>,
    }
}

documented! {
    /// A wired link.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct LinkSummary {
        /// Name of the link and direction.
        pub name: String,
        /// Bits a second; none if it changes or is unlimited.
        pub rate_bps: Option<u64>,
        /// Its queue.
        pub queue: QueueSummary,
        /// Drops by cause.
        pub dropped: Named<u64>,
        /// Times that it set congestion experienced.
        #[serde(default)]
        pub marks: u64,
    }
}

documented! {
    /// How much happened in the whole run, its warm-up too: the same for the same scenario and
    /// seed.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct EventCounts {
        /// Events reported by models, without watched points.
        pub events: u64,
        /// Packets handed to the network.
        pub originated: u64,
        /// Packets received.
        pub consumed: u64,
        /// Packets dropped.
        pub dropped: u64,
        /// Packets marked.
        pub marked: u64,
        /// Transmissions of transport blocks, decoded or not.
        pub blocks: u64,
        /// Suspicious combinations of ECN fields at tunnel ends (RFC 6040, 4.2).
        pub suspicious_ecn: u64,
        /// Packets, received or dropped, whose stages do not add up to their age: always zero, or
        /// a model has a mistake.
        pub stage_mismatches: u64,
        /// Drops by node, at the radio by cell and UE, and by cause.
        pub dropped_at: Named<Named<u64>>,
        /// Packets that are not in `packets.parquet`, which has reached its limit.
        pub packets_omitted: u64,
        /// When the time series reached its limit of rows, in seconds.
        pub series_truncated_s: Option<f64>,
    }
}

impl RunSummary {
    /// The JSON text, indented, with a newline at its end.
    ///
    /// # Errors
    ///
    /// None that these types can cause; `serde_json` may not know that.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

/// No delays are an object of nulls, so that `delay_ms.mean` is always there.
mod nulls {
    use super::*;

    #[derive(Default, Serialize, Deserialize)]
    struct Nulls {
        mean: Option<f64>,
        min: Option<f64>,
        max: Option<f64>,
        stddev: Option<f64>,
        stddev_sample: Option<f64>,
        p50: Option<f64>,
        p95: Option<f64>,
        p99: Option<f64>,
    }

    impl Nulls {
        fn filled(self) -> Option<DelaySummary> {
            Some(DelaySummary {
                mean: self.mean?,
                min: self.min?,
                max: self.max?,
                stddev: self.stddev?,
                stddev_sample: self.stddev_sample,
                p50: self.p50?,
                p95: self.p95?,
                p99: self.p99?,
            })
        }
    }

    pub fn serialize<S: Serializer>(
        delays: &Option<DelaySummary>,
        s: S,
    ) -> Result<S::Ok, S::Error> {
        match delays {
            Some(delays) => delays.serialize(s),
            None => Nulls::default().serialize(s),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<DelaySummary>, D::Error> {
        Nulls::deserialize(d).map(Nulls::filled)
    }
}
