//! Result tables, statistics and writers.
//!
//! All that hangs off probes. A [`Collector`] listens to a run and counts, and a [`RunSummary`] has
//! the results (`summary.json`). [`tables`] lays the same out as Parquet files. A [`ResultsFolder`]
//! writes them so that no half-written folder is left, and a [`PcapWriter`] writes packets at
//! chosen points. [`stat`] holds the statistics of delays, with their definitions. [`measures`]
//! declares each quantity once: objects of the summary, columns of tables and metrics.
//!
//! Nothing here looks at a clock: the same run gives the same bytes. Wall time
//! and host go to a [`Timing`], which the caller fills, and to no other file.

pub mod blocks;
mod collect;
mod decibels;
mod delays;
mod digests;
mod failing;
mod files;
mod folder;
mod given_up;
mod inventory;
mod leftover;
pub mod live;
pub mod measures;
mod metrics;
mod named;
mod nothing;
mod occupancy;
mod pcap;
mod radio_capture;
mod reach;
mod reference;
mod resources;
mod sentences;
mod small_grants;
mod stalled;
pub mod stat;
mod summarise;
mod summary;
mod table;
pub mod tables;
mod tee;
mod timing;
mod unused;
pub mod users;
mod voice;

pub use airpath_stats::Welford;
pub use collect::{
    BlockCount, BlockCounts, BudgetCounts, CellCounts, Collector, ControlCounts, FlowCost,
    FlowCounts, FrameRow, HandoverCounts, HandoverFlow, LegCounts, MediaCounts, OffsetRow, Options,
    PacketMark, PacketRow, PageCounts, PlaybackCounts, PositionRow, RadioLinkCounts, RadioQueues,
    RangeCounts, RequestCounts, RrcCounts, SeriesRow, ShareCounts, ShownCounts, StackCounts,
    Subject, TcpCounts, Totals, UeCounts,
};
pub use decibels::{DecibelSummary, Decibels};
pub use delays::Delays;
pub use digests::{Digests, Refused};
pub use files::{Folder, InMemory, Location, Output};
pub use folder::{FolderError, ResultsFolder};
pub use inventory::{BearerInfo, CellInfo, FlowInfo, Inventory, LinkInfo, RrcInfo, UeInfo};
pub use leftover::is_at;
pub use measures::{
    AdmissionSummary, BalancingSummary, BearerSummary, CarrierSummary, CellSummary,
    ConditionalSummary, DapsSummary, FlowSummary, HandoverCost, HandoverCostSummary,
    HandoverSummary, LegSummary, LinkSummary, MediaSummary, NoServiceSummary, OutOfRangeSummary,
    PageSummary, PairOffset, PlaybackSummary, QueueSummary, QuicSummary, RadioLinkSummary,
    RadioSummary, RequestSummary, RrcSummary, SecondarySummary, UeSummary, VoiceSummary,
    WebrtcSummary,
};
pub use metrics::{Metric, MetricInfo, MetricName, UeGroups, metric_info, unit_for_people};
pub use named::Named;
pub use occupancy::Occupancy;
pub use pcap::{CellPaths, PcapWriter, Snap};
pub use radio_capture::{BearerLayers, RadioCapture, RadioLayers, profile as wireshark_profile};
pub use reach::{OutOfReach, Why, warnings as reach_warnings};
pub use reference::reference;
pub use resources::ResourcesSummary;
pub use stat::DelaySummary;
pub use summarise::RunFacts;
pub use summary::{ChangeSummary, EventCounts, FORMAT, RunSummary, VERSION};
pub use table::{CsvWriter, Table, TableError, TableReader, TableWriter};
pub use tee::{Pair, Tee};
pub use timing::{RealTime, Timing};
pub use users::{OverUsers, UsersSummary};
pub use voice::{Voice, VoiceCodec};
