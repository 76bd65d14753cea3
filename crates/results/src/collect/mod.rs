//! The collector: a probe that counts.
//!
//! It is on in every run, so an event costs an index into an array and some additions; nothing is
//! looked up by hash. Memory is bounded. Delays are kept one by one up to a limit
//! ([`Delays`](crate::Delays)). The optional recordings (a row for each packet, a time series) stop
//! at theirs and count the rows that are left out.

mod application;
mod budget;
mod cost;
mod events;
mod flow;
mod media;
mod movements;
mod options;
pub(crate) mod packets;
mod pages;
mod radio;
mod radio_link;
mod range;
mod record;
mod rrc;
mod share;
mod shown;
mod stack;
mod waiting;
mod warm_up;

use std::collections::BTreeMap;

use airpath_base::{BearerId, BitRate, CellId, FlowId, NodeId, Time, UeId};
use airpath_net::{AppEvent, DropCause, Event, Probe, RadioEnd};

pub use application::{PlaybackCounts, RequestCounts};
pub use budget::BudgetCounts;
pub use cost::{FlowCost, HandoverCounts, HandoverFlow, PacketMark};
pub use flow::{FlowCounts, LegCounts, TcpCounts};
pub use media::{FrameRow, MediaCounts};
pub use movements::{OffsetRow, PositionRow};
pub use options::Options;
pub use packets::PacketRow;
pub use pages::PageCounts;
pub use radio::{BlockCount, BlockCounts, CellCounts, ControlCounts, RadioQueues, UeCounts};
pub use radio_link::RadioLinkCounts;
pub use range::RangeCounts;
pub use record::{SeriesRow, Subject};
pub use rrc::RrcCounts;
pub use share::ShareCounts;
pub use shown::ShownCounts;
pub use stack::StackCounts;

use crate::occupancy::WiredQueue;
use crate::{BearerInfo, FlowInfo, Inventory, Occupancy};
use cost::Costs;
use flow::Keep;
use movements::Movements;
use packets::Packets;
use record::Series;

/// Number of events of each kind, the warm-up's too. Watched points are left out, so that watching
/// changes no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All that are counted here.
    pub events: u64,
    /// Packets that endpoints handed to the network.
    pub originated: u64,
    /// Packets that endpoints took from the network.
    pub consumed: u64,
    /// Packets dropped.
    pub dropped: u64,
    /// Packets marked.
    pub marked: u64,
    /// Transmissions of transport blocks, decoded or not.
    pub blocks: u64,
    /// Suspicious combinations of ECN fields at tunnel ends.
    pub suspicious_ecn: u64,
    /// Packets, received or dropped, whose stages do not add up to their age. Not zero means that
    /// a model has a mistake.
    pub stage_mismatches: u64,
}

/// Counts what happens in a run.
pub struct Collector {
    pub(crate) inventory: Inventory,
    pub(crate) flows: Slots<FlowCounts>,
    pub(crate) nodes: Slots<NodeCounts>,
    pub(crate) ues: Slots<UeCounts>,
    pub(crate) cells: Slots<CellCounts>,
    pub(crate) bearers: Slots<RadioQueues>,
    totals: Totals,
    packets: Packets,
    series: Series,
    movements: Movements,
    /// Cost of changes of cells; none where UEs keep theirs.
    costs: Option<Box<Costs>>,
    pub(crate) low_rate: BitRate,
    end: Time,
    /// End of the warm-up.
    from: Time,
    /// True until the end of the warm-up.
    warming: bool,
    /// True until transport blocks count, an instant later.
    blocks_warming: bool,
    /// Time of the next sample, or of the end of the warm-up, whatever happens.
    due: Time,
}

/// A node, and the end of the radio within it.
pub(crate) type Spot = (NodeId, Option<RadioEnd>);

/// Drops by cause.
pub(crate) type Drops = [u64; DropCause::ALL.len()];

/// Counters of a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeCounts {
    pub(crate) drops: Drops,
    /// Of these, drops at each end of the radio.
    pub(crate) ends: BTreeMap<RadioEnd, Drops>,
    pub(crate) marks: u64,
    /// Of these drops and marks, those during the warm-up.
    pub(crate) early: (Drops, u64),
    pub(crate) queue: Option<WiredQueue>,
    pub(crate) radio: bool,
}

impl Collector {
    /// A collector for the world that `inventory` describes. Numbers that it
    /// does not name are counted as well.
    pub fn new(inventory: Inventory, options: &Options) -> Collector {
        let mut nodes: Slots<NodeCounts> = Slots::new(inventory.nodes.len());
        inventory.radio_nodes.iter().for_each(|node| nodes.at(node.index()).radio = true);
        for link in &inventory.links {
            nodes.at(link.node.index()).queue = Some(WiredQueue::default());
        }
        let mut flows = Slots::new(inventory.flows.len());
        let from = Time::ZERO + options.warm_up;
        flows.blank = FlowCounts::new(Keep {
            exact_delays: options.exact_delays,
            rows: [options.frames, options.requests],
            from,
            deadlines: inventory.handover,
            within: options.within,
            no_pictures: false,
        });
        flows.items.fill(flows.blank.clone());
        for (counts, info) in flows.items.iter_mut().zip(&inventory.flows) {
            counts.budgets = budgets(info, &inventory.bearers);
            counts.keep.no_pictures = info.no_pictures;
            let judged = options.within.is_some() || info.codec.is_some();
            counts.waiting = (judged && info.kind == FlowInfo::RTP).then(Default::default);
        }
        let mut ues: Slots<UeCounts> = Slots::new(inventory.ues.len());
        for (counts, info) in ues.items.iter_mut().zip(&inventory.ues) {
            let rrc = info.rrc.as_ref().map(|rrc| RrcCounts::new(rrc, options.states, from));
            counts.rrc = rrc.map(Box::new);
            let begins = info.arrival.unwrap_or(Time::ZERO);
            counts.range = info.out_of_range_db.map(|sinr| RangeCounts::new(begins, sinr));
        }
        let mut collector = Collector {
            flows,
            nodes,
            ues,
            cells: Slots::new(inventory.cells.len()),
            bearers: Slots::new(inventory.bearers.len()),
            totals: Totals::default(),
            packets: Packets::new(options.packets),
            series: Series::new(options.series, options.series_rows),
            movements: Movements::new(options.positions),
            costs: inventory.handover.then(|| Box::new(Costs::new(&inventory, from))),
            inventory,
            low_rate: options.low_rate,
            end: Time::ZERO,
            from,
            warming: !options.warm_up.is_zero(),
            blocks_warming: !options.warm_up.is_zero(),
            due: Time::MAX,
        };
        collector.plan();
        collector
    }

    /// The run has ended at `end`: completes the time series.
    pub fn finish(&mut self, end: Time) {
        // Events at the end belong to the last interval.
        self.catch_up(Time::from_nanos(end.as_nanos().saturating_sub(1)));
        if self.warming {
            self.begin(end);
        }
        if self.blocks_warming {
            self.begin_blocks();
        }
        self.cells.items.iter_mut().for_each(|cell| cell.control.end(end));
        self.end = end;
        self.nodes.items.iter_mut().filter_map(|node| node.queue.as_mut()).for_each(|queue| {
            queue.settle(end);
        });
        self.sample(end);
        self.flows.items.iter_mut().for_each(|flow| flow.finish(end));
        self.ues.items.iter_mut().for_each(|ue| ue.radio_link.end(end));
        let states = self.ues.items.iter_mut().filter_map(|ue| ue.rrc.as_mut());
        states.for_each(|rrc| rrc.finish(end));
        self.finish_costs();
    }

    /// The names that it was given.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// Number of events.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Counters of a flow; none if it was neither named nor seen.
    pub fn flow(&self, flow: FlowId) -> Option<&FlowCounts> {
        self.flows.get(flow.index())
    }

    /// Counters of a UE.
    pub fn ue(&self, ue: UeId) -> Option<&UeCounts> {
        self.ues.get(ue.index())
    }

    /// Counters of a cell.
    pub fn cell(&self, cell: CellId) -> Option<&CellCounts> {
        self.cells.get(cell.index())
    }

    /// Counters of a bearer.
    pub fn bearer(&self, bearer: BearerId) -> Option<&RadioQueues> {
        self.bearers.get(bearer.index())
    }

    /// Drops at a node by cause, since the warm-up.
    pub fn drops_at(&self, node: NodeId) -> impl Iterator<Item = (DropCause, u64)> {
        let mut drops = self.all_drops_at(node);
        if let Some(counts) = self.nodes.get(node.index()) {
            drops.iter_mut().zip(counts.early.0).for_each(|(n, early)| *n -= early);
        }
        DropCause::ALL.into_iter().zip(drops)
    }

    /// Drops at a node in the whole run.
    pub(crate) fn all_drops_at(&self, node: NodeId) -> Drops {
        self.nodes.get(node.index()).map(|node| node.drops).unwrap_or_default()
    }

    /// Drops in the whole run by node or, at the radio, by cell and UE.
    pub(crate) fn drops_by_spot(&self) -> impl Iterator<Item = (Spot, Drops)> {
        self.nodes.items.iter().enumerate().flat_map(|(n, counts)| {
            let node = NodeId(n as u32);
            let mut own = counts.drops;
            for ends in counts.ends.values() {
                own.iter_mut().zip(ends).for_each(|(own, at_end)| *own -= at_end);
            }
            let ends = counts.ends.iter().map(move |(end, drops)| ((node, Some(*end)), *drops));
            std::iter::once(((node, None), own)).chain(ends)
        })
    }

    /// Times that a node set congestion experienced, since the warm-up.
    pub fn marks_at(&self, node: NodeId) -> u64 {
        self.nodes.get(node.index()).map_or(0, |node| node.marks - node.early.1)
    }

    /// Occupancy of a node's wired queue by `end`; none if it reported nothing.
    pub fn queue(&self, node: NodeId, end: Time) -> Option<Occupancy> {
        self.nodes.get(node.index())?.queue.as_ref().map(|queue| queue.by(end))
    }

    /// The time series, in order of time.
    pub fn series(&self) -> &[SeriesRow] {
        &self.series.rows
    }

    /// Time at which the time series reached its limit of rows, if it did.
    pub fn series_truncated(&self) -> Option<Time> {
        self.series.truncated
    }

    #[inline(never)]
    fn consumed(&mut self, now: Time, node: NodeId, packet: &airpath_net::Packet) {
        self.totals.consumed += 1;
        let closes = self.flows.at(packet.flow.index()).consumed(now, packet);
        self.totals.stage_mismatches += u64::from(!closes);
        self.packets.ended(now, (node, None), packet, None, &self.inventory);
    }

    #[cold]
    fn dropped(
        &mut self,
        now: Time,
        (node, end): Spot,
        packet: &airpath_net::Packet,
        cause: DropCause,
    ) {
        let at = self.nodes.at(node.index());
        at.drops[cause as usize] += 1;
        if let Some(end) = end {
            at.ends.entry(end).or_default()[cause as usize] += 1;
        }
        let radio = at.radio;
        let closes = self.flows.at(packet.flow.index()).dropped(now, packet, cause, radio);
        self.totals.stage_mismatches += u64::from(!closes);
        self.packets.ended(now, (node, end), packet, Some(cause), &self.inventory);
    }

    #[inline(always)]
    fn count(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        match event {
            Event::Originated(packet) => {
                self.totals.originated += 1;
                self.flows.at(packet.flow.index()).originated(now, packet);
            }
            Event::Consumed(packet) => self.consumed(now, node, packet),
            Event::Dropped { packet, cause, end } => {
                self.totals.dropped += 1;
                self.dropped(now, (node, *end), packet, *cause);
            }
            Event::Marked { packet, .. } => {
                self.totals.marked += 1;
                self.nodes.at(node.index()).marks += 1;
                self.flows.at(packet.flow.index()).marked(packet);
            }
            Event::Queue(event) => {
                self.nodes.at(node.index()).queue.get_or_insert_default().on(now, *event);
            }
            Event::Tcp(flow, event) => self.flows.at(flow.index()).tcp_event(now, event),
            Event::App(flow, AppEvent::Frame(frame)) => self.frame(now, *flow, *frame),
            Event::App(flow, event) => self.flows.at(flow.index()).app_event(now, event),
            Event::Radio(event) => self.radio(now, event),
            Event::SuspiciousEcn { .. } => self.totals.suspicious_ecn += 1,
            Event::Left(_) | Event::Layer(_) | Event::Moved(_) => {}
            Event::LeavesCell(_) | Event::Handover(_) | Event::Candidate { .. } => {}
            Event::Leg(_) | Event::Secondary(_) | Event::OffsetByLoad { .. } => {}
            Event::BehindHandover { .. } | Event::Path(_) => {}
            Event::Passed { .. } | Event::Sent(_) | Event::BufferStatus { .. } => {}
        }
    }
}

/// Delay budgets of a flow's data and feedback: those of their bearers.
fn budgets(flow: &FlowInfo, bearers: &[BearerInfo]) -> [Option<BudgetCounts>; 2] {
    let Some(direction) = flow.direction else { return [None; 2] };
    let budget = |bearer: Option<BearerId>, direction| {
        let budget = bearers.get(bearer?.index())?.delay_budget?;
        Some(BudgetCounts::new(budget, direction))
    };
    let [data, feedback] = flow.bearers;
    [budget(data, direction), budget(feedback, direction.opposite())]
}

impl Probe for Collector {
    #[inline]
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        if event.is_extra() {
            return self.extra(now, event); // listeners for the others change no result
        }
        if now >= self.due {
            self.catch_up(now);
        }
        self.totals.events += 1;
        self.count(now, node, event);
        if self.costs.is_some() {
            self.cost(now, node, event);
        }
    }
}

/// A table by number. It grows with the numbers that are met, within reason:
/// beyond that, all share one entry.
#[derive(Clone, Debug)]
pub(crate) struct Slots<T> {
    pub(crate) items: Vec<T>,
    blank: T,
    stray: T,
}

impl<T: Clone + Default> Slots<T> {
    /// Numbers from here on are not table positions but somebody's mark.
    const MOST: usize = 1 << 20;

    fn new(len: usize) -> Slots<T> {
        Slots { items: vec![T::default(); len], blank: T::default(), stray: T::default() }
    }

    #[inline]
    pub(crate) fn at(&mut self, index: usize) -> &mut T {
        if index >= self.items.len() {
            return self.grown(index);
        }
        &mut self.items[index]
    }

    #[cold]
    fn grown(&mut self, index: usize) -> &mut T {
        if index >= Slots::<T>::MOST {
            return &mut self.stray;
        }
        self.items.resize(index + 1, self.blank.clone());
        &mut self.items[index]
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.items.get(index)
    }
}

#[cfg(test)]
#[path = "../collect_tests.rs"]
mod tests;
