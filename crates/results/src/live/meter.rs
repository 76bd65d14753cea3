//! The probe that makes readings.

use std::collections::VecDeque;

use airpath_base::{CellId, Duration, FlowId, NodeId, Time, UeId};
use airpath_net::{
    AppEvent, Direction, Event, Leg, LinkChange, Packet, Probe, QueueEvent, RadioEvent,
};

use super::counts::{Cells, Flows, Queue, queues, rate};
use super::rows::{self, Row};
use super::{RadioLinkReading, Reading, TotalsReading};
use crate::measures::source::Window;
use crate::{FlowInfo, Inventory, UeGroups};

/// The shortest interval: what happens in a shorter one says nothing.
pub const LEAST_INTERVAL: Duration = Duration::from_millis(1);
/// Most rows of cells.
const MOST_CELLS: usize = 16;
/// Most rows of queues.
const MOST_QUEUES: usize = 16;
/// Most changes of radio links in an interval.
const MOST_RADIO_LINKS: usize = 16;

/// Listens to a run and gives a [`Reading`] for each interval.
///
/// ```
/// # use airpath_base::{Duration, Time};
/// # use airpath_results::live::Meter;
/// # use airpath_results::{Inventory, UeGroups};
/// let mut meter = Meter::new(&Inventory::default(), &UeGroups::default(), Duration::from_secs(1));
/// // The run goes on, with the meter as its probe.
/// meter.advance(Time::from_millis(1_900));
/// meter.finish(Time::from_millis(2_500));
/// let ends = std::iter::from_fn(|| meter.take()).map(|reading| reading.time_s);
/// assert_eq!(ends.collect::<Vec<f64>>(), [1.0, 2.0, 2.5]);
/// ```
pub struct Meter {
    interval: Duration,
    number: u64,
    /// The interval that goes on.
    from: Time,
    due: Time,
    flows: Vec<Flows>,
    /// By number of the flow: its row, and whether it is a full buffer.
    flow_rows: Vec<(usize, bool)>,
    cells: Vec<Cells>,
    queues: Vec<Queue>,
    /// Index among the queues, by number of the node.
    node_queues: Vec<Option<usize>>,
    /// Index of the first bearer's downlink queue among the queues.
    bearers: usize,
    /// Names of UEs.
    ues: Vec<String>,
    radio_links: Vec<RadioLinkReading>,
    totals: Totals,
    ready: VecDeque<Reading>,
}

#[derive(Default)]
struct Totals {
    bytes: u64,
    originated: u64,
    consumed: u64,
    dropped: u64,
    marked: u64,
}

impl Meter {
    /// A meter of the world that `inventory` describes. Where there are many flows, those of the
    /// same group of UEs are one row. An interval is no shorter than [`LEAST_INTERVAL`].
    pub fn new(inventory: &Inventory, groups: &UeGroups, interval: Duration) -> Meter {
        let interval = interval.max(LEAST_INTERVAL);
        let (flows, places) = rows::of_flows(inventory, groups);
        let full = inventory.flows.iter().map(|flow| flow.kind == FlowInfo::FULL_BUFFER);
        let links = inventory.links.iter().map(|link| Queue::of_link(&link.name));
        let bearers = inventory.bearers.iter().flat_map(|bearer| {
            let ue = inventory.ues.get(bearer.ue.index()).map(|ue| ue.name.as_str());
            Direction::ALL.map(|way| Queue::of_bearer(&bearer.name, ue, way))
        });
        Meter {
            interval,
            number: 0,
            from: Time::ZERO,
            due: Time::ZERO + interval,
            flows: flows.into_iter().map(Flows::new).collect(),
            flow_rows: places.into_iter().zip(full).collect(),
            cells: cells(inventory),
            queues: links.chain(bearers).collect(),
            node_queues: node_queues(inventory),
            bearers: inventory.links.len(),
            ues: inventory.ues.iter().map(|ue| ue.name.clone()).collect(),
            radio_links: Vec::new(),
            totals: Totals::default(),
            ready: VecDeque::new(),
        }
    }

    /// The run has come to `now`, and what happens at that instant has happened.
    pub fn advance(&mut self, now: Time) {
        while self.due <= now {
            self.close(self.due);
        }
    }

    /// The run has ended at `end`: closes the interval that has begun, if any time of it has
    /// passed.
    pub fn finish(&mut self, end: Time) {
        self.advance(end);
        if self.from < end {
            self.close(end);
        }
    }

    /// The oldest reading that has not been taken.
    pub fn take(&mut self) -> Option<Reading> {
        self.ready.pop_front()
    }

    fn close(&mut self, end: Time) {
        let window = Window { from: self.from, end };
        let seconds = window.seconds();
        let held = self.queues.iter_mut().filter_map(|queue| queue.at(end)).collect();
        self.ready.push_back(Reading {
            number: self.number,
            time_s: end.as_secs_f64(),
            interval_s: seconds,
            flows: self.flows.iter_mut().map(|flows| flows.take(seconds)).collect(),
            cells: self.cells.iter_mut().map(|cells| cells.take(window)).collect(),
            queues: queues(held, MOST_QUEUES),
            radio_links: std::mem::take(&mut self.radio_links),
            totals: std::mem::take(&mut self.totals).reading(seconds),
            health: None,
        });
        self.number += 1;
        (self.from, self.due) = (end, end.saturating_add(self.interval));
    }

    #[cold]
    fn close_before(&mut self, now: Time) {
        while now > self.due {
            self.close(self.due);
        }
    }

    #[inline]
    fn flow(&mut self, flow: FlowId) -> Option<&mut Flows> {
        let (row, _) = *self.flow_rows.get(flow.index())?;
        self.flows.get_mut(row)
    }

    #[inline(never)]
    fn originated(&mut self, packet: &Packet) {
        self.totals.originated += 1;
        if let Some(flows) = self.flow(packet.flow) {
            flows.sent(packet);
        }
    }

    #[inline(never)]
    fn consumed(&mut self, now: Time, packet: &Packet) {
        self.totals.consumed += 1;
        if packet.leg == Leg::Data {
            self.totals.bytes += u64::from(packet.size);
            if let Some(flows) = self.flow(packet.flow) {
                flows.received(now, packet);
            }
        }
    }

    #[cold]
    fn dropped(&mut self, packet: &Packet) {
        self.totals.dropped += 1;
        if let Some(flows) = self.flow(packet.flow) {
            flows.lost(packet);
        }
    }

    #[cold]
    fn marked(&mut self, packet: &Packet) {
        self.totals.marked += 1;
        if let Some(flows) = self.flow(packet.flow) {
            flows.marked(packet);
        }
    }

    #[inline(never)]
    fn queue(&mut self, now: Time, node: NodeId, event: &QueueEvent) {
        if let Some(Some(place)) = self.node_queues.get(node.index()) {
            self.queues[*place].on(now, *event);
        }
    }

    /// Bytes of a full buffer, which has no packets.
    #[inline(never)]
    fn delivered(&mut self, flow: FlowId, bytes: u64) {
        if let Some((row, true)) = self.flow_rows.get(flow.index()) {
            self.totals.bytes += bytes;
            self.flows[*row].filled(bytes);
        }
    }

    /// The row of a cell: the last stands for all that are too many.
    fn cell(&mut self, cell: CellId) -> Option<&mut Cells> {
        let last = self.cells.len().saturating_sub(1);
        self.cells.get_mut(cell.index().min(last))
    }

    #[cold]
    fn link_changes(&mut self, now: Time, ue: UeId, change: LinkChange) {
        if self.radio_links.len() < MOST_RADIO_LINKS {
            let name = self.ues.get(ue.index()).cloned().unwrap_or_default();
            let (time_s, change) = (now.as_secs_f64(), change.name().to_owned());
            self.radio_links.push(RadioLinkReading { time_s, ue: name, change });
        }
    }

    #[inline(never)]
    fn radio(&mut self, now: Time, event: &RadioEvent) {
        match *event {
            RadioEvent::Link { ue, change } => self.link_changes(now, ue, change),
            RadioEvent::Block {
                cell,
                direction,
                resource_blocks,
                first_layer,
                bytes,
                padding,
                decoded,
                ..
            } => {
                let Some(cell) = self.cell(cell) else { return };
                if first_layer == 0 {
                    cell.used(direction, resource_blocks);
                }
                if decoded {
                    cell.decoded(direction, bytes.saturating_sub(padding));
                }
            }
            RadioEvent::Unused { cell, direction, resource_blocks, .. }
            | RadioEvent::Missed { cell, direction, resource_blocks, .. } => {
                if let Some(cell) = self.cell(cell) {
                    cell.used(direction, resource_blocks);
                }
            }
            RadioEvent::Queue { bearer, direction, packets, bytes } => {
                let place = self.bearers + 2 * bearer.index() + direction as usize;
                if let Some(queue) = self.queues.get_mut(place) {
                    queue.set(packets, bytes);
                }
            }
            _ => {}
        }
    }
}

/// Rows of cells: the last stands for all that are too many.
fn cells(inventory: &Inventory) -> Vec<Cells> {
    let mut rows: Vec<Row> =
        inventory.cells.iter().map(|cell| Row::alone(&cell.name, None)).collect();
    let last = rows::gather(&mut rows, MOST_CELLS);
    let mut cells: Vec<Cells> = rows.into_iter().map(Cells::new).collect();
    for (n, info) in inventory.cells.iter().enumerate() {
        cells[n.min(last)].stands_for(info);
    }
    cells
}

fn node_queues(inventory: &Inventory) -> Vec<Option<usize>> {
    let last = inventory.links.iter().map(|link| link.node.index()).max();
    let mut places = vec![None; last.map_or(0, |last| last + 1)];
    for (place, link) in inventory.links.iter().enumerate() {
        places[link.node.index()] = Some(place);
    }
    places
}

impl Totals {
    fn reading(self, seconds: f64) -> TotalsReading {
        let Totals { bytes, originated, consumed, dropped, marked } = self;
        TotalsReading { rate_bps: rate(bytes * 8, seconds), originated, consumed, dropped, marked }
    }
}

impl Probe for Meter {
    // It only tells events apart: what a case needs is not paid for in the others.
    #[inline]
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        // Events at the end of an interval are in it.
        if now > self.due {
            self.close_before(now);
        }
        match event {
            Event::Originated(packet) => self.originated(packet),
            Event::Consumed(packet) => self.consumed(now, packet),
            Event::Dropped { packet, .. } => self.dropped(packet),
            Event::Marked { packet, .. } => self.marked(packet),
            Event::Queue(event) => self.queue(now, node, event),
            Event::Radio(event) => self.radio(now, event),
            Event::App(flow, AppEvent::Delivered { bytes }) => self.delivered(*flow, *bytes),
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;
