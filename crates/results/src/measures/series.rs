//! Quantities of the time series: columns of `series.parquet`, and the metrics of its rows.

use airpath_base::measure::{BPS, BYTES, DB, MS, Measure, PACKETS, PLAIN, RESOURCE_BLOCKS, Row, S};
use airpath_base::{Duration, Time, measures, row};

use super::source::named;
use crate::{Collector, FlowCounts, SeriesRow, Subject};

row! {
    from |(run, sample): (&Collector, &SeriesRow)|
    /// A value of a metric at a time.
    pub(crate) struct Sample {
        /// End of the interval.
        time_s: f64 [S] = sample.at.as_secs_f64(),
        /// `flow`, `bearer_down`, `bearer_up`, `cell_down`, `cell_up` or `link`.
        kind: &'static str = sample.subject.kind(),
        /// Name of the flow, bearer, cell or link.
        name: String = run.subject_name(sample.subject),
        /// UE of the flow or bearer.
        ue: Option<String> = run.subject_ue(sample.subject),
        /// Name of the metric; its ending is its unit.
        metric: &'static str = sample.metric,
        /// The value.
        value: f64 = sample.value,
    }
}

/// A flow at the end of an interval.
pub(crate) struct FlowSample<'a> {
    pub counts: &'a FlowCounts,
    pub at: Time,
    /// Bits of the application in the interval, a second.
    pub goodput_bps: f64,
    /// Bits of IP that arrived in the interval, a second; none of full buffers.
    pub arrival_bps: Option<f64>,
}

/// A queue over an interval.
pub(crate) struct QueueSample {
    /// Packets and bytes that waited, mean over the interval.
    pub waiting: Option<(f64, f64)>,
    pub wait_ms: Option<f64>,
}

/// A cell over an interval.
pub(crate) struct CellSample {
    pub resource_blocks: u64,
    pub mcs: Option<f64>,
    pub sinr_db: Option<f64>,
}

/// Reader of a metric.
type Read<Source> = fn(&Source) -> Option<f64>;
type ReadFlow = fn(&FlowSample<'_>) -> Option<f64>;

/// Metrics of a flow.
pub(crate) const OF_FLOW: &[Measure<ReadFlow>] = measures! {
    /// Bits that the application of a flow got in order in the interval, a second. Of datagrams all
    /// that arrived count, of full buffers the bytes in decoded blocks.
    #[label = "goodput"]
    in_order_goodput_bps [BPS.more()] = |flow| Some(flow.goodput_bps),
    /// Bits of IP of the data packets of a flow that arrived in the interval, a second; not of full
    /// buffers.
    #[label = "rate of arrivals"]
    arrival_rate_bps [BPS] = |flow| flow.arrival_bps,
    /// Congestion window of TCP at the end of the interval.
    #[label = "congestion window"]
    cwnd_bytes [BYTES] = |flow| flow.counts.tcp.cwnd.map(|bytes| bytes as f64),
    /// Bytes of TCP in flight at the end of the interval.
    #[label = "in flight"]
    in_flight_bytes [BYTES] = |flow| flow.counts.tcp.cwnd.map(|_| flow.counts.tcp.in_flight as f64),
    /// Smoothed RTT of TCP at the end of the interval.
    #[label = "smoothed RTT"]
    srtt_ms [MS.less()] =
        |flow| flow.counts.tcp.cwnd.and(flow.counts.tcp.srtt).map(Duration::as_millis_f64),
    /// Media that a player could play at the end of the interval without more arriving.
    #[label = "media in the buffer"]
    buffer_s [S.more()] =
        |flow| flow.counts.playback.as_ref().map(|play| play.buffered(flow.at).as_secs_f64()),
};

/// Metrics of a queue.
pub(crate) const OF_QUEUE: &[Measure<Read<QueueSample>>] = measures! {
    /// Packets that waited in a queue, mean over the interval.
    queue_packets [PACKETS] = |queue| queue.waiting.map(|(packets, _)| packets),
    /// Bytes that waited in a queue, mean over the interval.
    #[label = "bytes in queue"]
    queue_bytes [BYTES] = |queue| queue.waiting.map(|(_, bytes)| bytes),
    /// Mean wait of the packets that left a queue in the interval.
    #[label = "queueing delay"]
    queue_delay_ms [MS.less()] = |queue| queue.wait_ms,
};

/// Metrics of a cell in one direction.
pub(crate) const OF_CELL: &[Measure<Read<CellSample>>] = measures! {
    /// Resource blocks of a cell that were used in the interval.
    #[label = "resource blocks used"]
    resource_blocks [RESOURCE_BLOCKS] = |cell| Some(cell.resource_blocks as f64),
    /// Mean modulation and coding scheme of the transmissions of a cell in the interval.
    #[label = "modulation and coding scheme"]
    mcs [PLAIN.more()] = |cell| cell.mcs,
    /// Mean effective SINR of the transmissions of a cell in the interval.
    #[label = "SINR"]
    sinr_db [DB.more()] = |cell| cell.sinr_db,
};

/// Name, label, unit and meaning of each metric.
pub(crate) fn declared() -> impl Iterator<Item = [&'static str; 4]> {
    let flows = OF_FLOW.iter().map(facts);
    flows.chain(OF_QUEUE.iter().map(facts)).chain(OF_CELL.iter().map(facts))
}

fn facts<Read>(measure: &'static Measure<Read>) -> [&'static str; 4] {
    [&measure.name, measure.label, measure.scale.unit, &measure.meaning]
}

/// Meaning of a row, and of each metric.
pub(crate) fn description() -> String {
    let metrics = declared().map(|[name, .., meaning]| format!(" `{name}`: {meaning}"));
    format!(
        "{} A metric without a value has no row.{}",
        Sample::MEANING,
        metrics.collect::<String>()
    )
}

impl Subject {
    /// Name of its kind in tables.
    fn kind(self) -> &'static str {
        match self {
            Subject::Flow(_) => "flow",
            Subject::Downlink(_) => "bearer_down",
            Subject::Uplink(_) => "bearer_up",
            Subject::CellDownlink(_) => "cell_down",
            Subject::CellUplink(_) => "cell_up",
            Subject::Link(_) => "link",
        }
    }
}

impl Collector {
    fn subject_name(&self, subject: Subject) -> String {
        let inventory = self.inventory();
        match subject {
            Subject::Flow(id) => named(inventory.flows.get(id.index()).map(|f| &*f.name), id),
            Subject::Downlink(id) | Subject::Uplink(id) => {
                named(inventory.bearers.get(id.index()).map(|b| &*b.name), id)
            }
            Subject::CellDownlink(id) | Subject::CellUplink(id) => self.cell_name(id),
            Subject::Link(id) => {
                let link = inventory.links.iter().find(|link| link.node == id);
                link.map_or_else(|| self.node_name(id), |link| link.name.clone())
            }
        }
    }

    /// UE of a flow or a bearer.
    fn subject_ue(&self, subject: Subject) -> Option<String> {
        let inventory = self.inventory();
        let ue = match subject {
            Subject::Flow(id) => inventory.flows.get(id.index())?.ue?,
            Subject::Downlink(id) | Subject::Uplink(id) => inventory.bearers.get(id.index())?.ue,
            Subject::CellDownlink(_) | Subject::CellUplink(_) | Subject::Link(_) => return None,
        };
        Some(self.ue_name(ue))
    }
}
