//! Samples over time, on request.

use airpath_base::{BearerId, CellId, Duration, FlowId, NodeId, Time};

use super::Collector;
use super::flow::FlowCounts;
use super::radio::{BlockCounts, CellCounts};
use crate::FlowInfo;
use crate::measures::series::{CellSample, FlowSample, OF_CELL, OF_FLOW, OF_QUEUE, QueueSample};
use crate::occupancy::Sums;

/// Sampling more often than events happen would only fill memory.
const LEAST_INTERVAL: Duration = Duration::from_micros(100);

/// Subject of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A flow.
    Flow(FlowId),
    /// A bearer's downlink queue.
    Downlink(BearerId),
    /// A bearer's uplink queue.
    Uplink(BearerId),
    /// A cell's downlink.
    CellDownlink(CellId),
    /// A cell's uplink.
    CellUplink(CellId),
    /// A node's wired queue.
    Link(NodeId),
}

/// One value of a time series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesRow {
    /// End of the interval.
    pub at: Time,
    /// Its subject.
    pub subject: Subject,
    /// Name of the metric, with its unit.
    pub metric: &'static str,
    /// The value.
    pub value: f64,
}

/// Sums over a cell's blocks.
#[derive(Clone, Copy, Debug, Default)]
struct CellSums {
    resource_blocks: u64,
    mcs: u64,
    transmissions: u64,
    sinr_db: f64,
}

/// Samples at multiples of an interval, and the counters as they were at the
/// last one.
pub(super) struct Series {
    interval: Option<Duration>,
    next: Time,
    limit: usize,
    pub(super) rows: Vec<SeriesRow>,
    pub(super) truncated: Option<Time>,
    /// By flow: bytes delivered, and bytes of IP that arrived.
    flow_bytes: Vec<[u64; 2]>,
    cells: Vec<[CellSums; 2]>,
    bearers: Vec<[Sums; 2]>,
    links: Vec<Sums>,
}

impl Series {
    pub(super) fn new(interval: Option<Duration>, limit: usize) -> Series {
        let interval = interval.map(|interval| interval.max(LEAST_INTERVAL));
        let next = interval.map_or(Time::MAX, |interval| Time::ZERO + interval);
        Series {
            interval,
            next,
            limit,
            rows: Vec::new(),
            truncated: None,
            flow_bytes: Vec::new(),
            cells: Vec::new(),
            bearers: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Time of the next sample.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    fn push(&mut self, subject: Subject, metric: &'static str, value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        if self.rows.len() < self.limit {
            self.rows.push(SeriesRow { at: self.next, subject, metric, value });
        } else {
            self.truncated.get_or_insert(self.next);
        }
    }

    fn flow(&mut self, (n, packets): (usize, bool), counts: &FlowCounts, span: Duration) {
        let now = counts.all_bytes();
        let before = std::mem::replace(&mut self.flow_bytes[n], now);
        let rate = |n: usize| now[n].saturating_sub(before[n]) as f64 * 8.0 / span.as_secs_f64();
        let (goodput_bps, arrival_bps) = (rate(0), packets.then(|| rate(1)));
        let sample = FlowSample { counts, at: self.next, goodput_bps, arrival_bps };
        for measure in OF_FLOW {
            self.push(Subject::Flow(FlowId(n as u32)), &measure.name, (measure.read)(&sample));
        }
    }

    fn cell(&mut self, n: usize, cell: &CellCounts) {
        let id = CellId(n as u16);
        for (d, subject) in [Subject::CellDownlink(id), Subject::CellUplink(id)].iter().enumerate()
        {
            let blocks = &cell.blocks[d];
            let now = sums(blocks);
            let before = std::mem::replace(&mut self.cells[n][d], now);
            let since = minus(now, before);
            let mean =
                |sum: f64| (since.transmissions > 0).then(|| sum / since.transmissions as f64);
            let sample = CellSample {
                resource_blocks: since.resource_blocks,
                mcs: mean(since.mcs as f64),
                // Digits beyond these depend on what was added up before.
                sinr_db: mean(since.sinr_db).map(|db| (db * 1e6).round() / 1e6),
            };
            for measure in OF_CELL {
                self.push(*subject, &measure.name, (measure.read)(&sample));
            }
        }
    }
}

fn sums(blocks: &BlockCounts) -> CellSums {
    CellSums {
        resource_blocks: blocks.resource_blocks,
        mcs: blocks.mcs_sum(),
        transmissions: blocks.transmissions(),
        sinr_db: blocks.sinr_db_sum(),
    }
}

/// Sums since `before`, which wraps below zero after counting began anew.
fn minus(now: CellSums, before: CellSums) -> CellSums {
    CellSums {
        resource_blocks: now.resource_blocks.wrapping_sub(before.resource_blocks),
        mcs: now.mcs.wrapping_sub(before.mcs),
        transmissions: now.transmissions.wrapping_sub(before.transmissions),
        sinr_db: now.sinr_db - before.sinr_db,
    }
}

impl Series {
    /// Adds the samples of a queue in the interval, by all that it has added up.
    fn queue(&mut self, subject: Subject, sums: Sums, span: Duration) {
        let sample = QueueSample { waiting: sums.means(span), wait_ms: sums.wait_ms() };
        for measure in OF_QUEUE {
            self.push(subject, &measure.name, (measure.read)(&sample));
        }
    }
}

impl Collector {
    /// Takes all samples that are due at `now`.
    pub(super) fn sample(&mut self, now: Time) {
        while let Some(interval) = self.series.interval.filter(|_| now >= self.series.next) {
            self.make_room();
            for (n, flow) in self.flows.items.iter().enumerate() {
                let info = self.inventory.flows.get(n);
                let packets = info.is_none_or(FlowInfo::has_packets);
                self.series.flow((n, packets), flow, interval);
            }
            for (n, cell) in self.cells.items.iter().enumerate() {
                self.series.cell(n, cell);
            }
            self.sample_queues(interval);
            let next = self.series.next.as_nanos().checked_add(interval.as_nanos());
            match next.filter(|_| self.series.truncated.is_none()) {
                Some(next) => self.series.next = Time::from_nanos(next),
                None => (self.series.next, self.series.interval) = (Time::MAX, None),
            }
        }
    }

    fn make_room(&mut self) {
        let series = &mut self.series;
        series.flow_bytes.resize(self.flows.items.len(), [0; 2]);
        series.cells.resize(self.cells.items.len(), Default::default());
        series.bearers.resize(self.bearers.items.len(), [Sums::default(); 2]);
        series.links.resize(self.nodes.items.len(), Sums::default());
    }

    /// Counting begins anew at `at`: an interval that has begun keeps what it has.
    pub(super) fn carry_over(&mut self, at: Time) {
        if self.series.interval.is_none() {
            return;
        }
        self.make_room();
        let series = &mut self.series;
        for (before, bearer) in series.bearers.iter_mut().zip(&self.bearers.items) {
            let of = before.iter_mut().zip(&bearer.queue);
            of.for_each(|(before, queue)| *before = before.since(&queue.sums(at)));
        }
        let before_then = at.saturating_sub(Duration::from_nanos(1));
        for (before, node) in series.links.iter_mut().zip(&mut self.nodes.items) {
            if let Some(queue) = &mut node.queue {
                queue.settle(before_then);
                *before = before.since(&queue.now().sums(at));
            }
        }
    }

    /// Counting of blocks begins anew: an interval that has begun keeps what it has.
    pub(super) fn carry_blocks_over(&mut self) {
        if self.series.interval.is_none() {
            return;
        }
        self.make_room();
        for (before, cell) in self.series.cells.iter_mut().zip(&self.cells.items) {
            let of = before.iter_mut().zip(&cell.blocks);
            of.for_each(|(before, blocks)| *before = minus(*before, sums(blocks)));
        }
    }

    fn sample_queues(&mut self, span: Duration) {
        let series = &mut self.series;
        // Events at the end of the interval belong to the next.
        let (end, before_end) = (series.next, Time::from_nanos(series.next.as_nanos() - 1));
        for (n, bearer) in self.bearers.items.iter().enumerate() {
            let id = BearerId(n as u32);
            for (d, subject) in [Subject::Downlink(id), Subject::Uplink(id)].iter().enumerate() {
                let sums = bearer.queue[d].sums(end);
                let before = std::mem::replace(&mut series.bearers[n][d], sums);
                series.queue(*subject, sums.since(&before), span);
            }
        }
        for (n, node) in self.nodes.items.iter_mut().enumerate() {
            if let Some(queue) = &mut node.queue {
                queue.settle(before_end);
                let sums = queue.now().sums(end);
                let before = std::mem::replace(&mut series.links[n], sums);
                series.queue(Subject::Link(NodeId(n as u32)), sums.since(&before), span);
            }
        }
    }
}
