//! Recording of transport blocks: who got what in which slot, what it carried, and the control
//! channel.
//!
//! A [`BlockRecorder`] is a probe beside the collector. It keeps rows of a window of time, of all
//! cells. Or it finds the window by itself, among spans of equal length and cells: that whose
//! packets [waited longest](Score). Then it holds two spans at a time, the worst so far and the one
//! that goes on.

mod row;
mod score;
mod tables;
mod window;

use std::collections::BTreeMap;

use airpath_base::{CellId, Duration, FlowId, NodeId, Time, UeId};
use airpath_net::{Direction, Event, Packet, Probe, RadioEvent};

pub use row::{BlockRow, Carried, CarriedRow, ControlKind, ControlRow, Fate, QueueRow};
pub use score::Score;
pub(crate) use tables::all_tables;
pub use tables::{BlockWindow, ScoreSummary, WindowCell};
pub use window::Window;

use crate::{Inventory, PacketRow};
use score::Scorer;

/// A HARQ process of a UE in a direction: its cell, its number and that of the transport block.
pub(crate) type Process = (UeId, Direction, (CellId, u16, u8));

/// Options of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockOptions {
    /// Beginning of the window: earlier transmissions are not kept.
    pub from: Time,
    /// Nor what is sent from then on.
    pub to: Time,
    /// Spans that are compared have this length. It must not be zero.
    pub span: Duration,
    /// True if only the worst span of the worst cell is kept.
    pub worst: bool,
    /// Most rows that are kept, those of all tables together. A span that is the worst so far
    /// and the one that goes on may have so many each.
    pub rows: usize,
}

impl Default for BlockOptions {
    /// The worst 2 s; at most 20 million rows (about 1.5 GB).
    fn default() -> BlockOptions {
        BlockOptions {
            from: Time::ZERO,
            to: Time::MAX,
            span: Duration::from_secs(2),
            worst: true,
            rows: 20_000_000,
        }
    }
}

/// Records transport blocks.
pub struct BlockRecorder {
    options: BlockOptions,
    inventory: Inventory,
    /// The window that goes on; none before the first, and behind the last.
    open: Option<Window>,
    /// The worst window so far, or the only one.
    kept: Option<(Window, Option<Score>)>,
    scorer: Scorer,
    scores: Vec<Score>,
    /// Time at which a window opens or closes, or a span ends.
    due: Time,
    /// Transport blocks so far.
    blocks: u64,
    /// The block that each process holds.
    numbers: BTreeMap<Process, u64>,
    /// Packets and bytes that wait of each bearer, by direction.
    waiting: Vec<[(u32, u64); 2]>,
}

impl BlockRecorder {
    /// A recorder for the world that `inventory` describes.
    pub fn new(inventory: Inventory, options: BlockOptions) -> BlockRecorder {
        BlockRecorder {
            open: None,
            kept: None,
            scorer: Scorer::new(&inventory),
            scores: Vec::new(),
            due: options.from,
            blocks: 0,
            numbers: BTreeMap::new(),
            waiting: vec![[(0, 0); 2]; inventory.bearers.len()],
            inventory,
            options,
        }
    }

    /// The run has ended at `end`.
    pub fn finish(&mut self, end: Time) {
        self.catch_up(end);
        if let Some(from) = self.open.as_ref().map(|window| window.span_from) {
            if end > from {
                self.score(from, end);
            }
            self.close(end);
        }
    }

    /// The recorded window; none if the run ended before the window began.
    pub fn window(&self) -> Option<&Window> {
        self.kept.as_ref().map(|(window, _)| window)
    }

    /// The score by which it was chosen, if it was.
    pub fn chosen(&self) -> Option<&Score> {
        self.kept.as_ref().and_then(|(_, score)| score.as_ref())
    }

    /// The scores of all spans of all cells, in order of time.
    pub fn scores(&self) -> &[Score] {
        &self.scores
    }

    /// The names that it was given.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    fn cell_of_flow(&self, flow: FlowId) -> Option<CellId> {
        self.inventory.cell_of(self.inventory.flows.get(flow.index())?.ue?)
    }

    /// Opens and closes what is due by `now`.
    #[cold]
    fn catch_up(&mut self, now: Time) {
        while self.due <= now && self.due < Time::MAX {
            let at = self.due;
            match self.open.as_ref().map(|window| window.span_from) {
                None => self.open(at),
                Some(from) => {
                    self.score(from, at);
                    if at >= self.options.to {
                        self.close(at);
                        self.due = Time::MAX;
                        return;
                    }
                    match self.options.worst {
                        true => {
                            self.close(at);
                            self.open(at);
                        }
                        false => self.open.iter_mut().for_each(|window| window.span_from = at),
                    }
                }
            }
            let next = at.as_nanos().saturating_add(self.options.span.as_nanos().max(1));
            self.due = Time::from_nanos(next).min(self.options.to);
        }
    }

    fn open(&mut self, at: Time) {
        let mut window = Window::new(at, self.options.rows);
        for (bearer, waiting) in self.inventory.bearers.iter().zip(&self.waiting) {
            for direction in Direction::ALL {
                if waiting[direction as usize].0 > 0 {
                    window.queue(self.queue_row(at, bearer.ue, direction));
                }
            }
        }
        self.open = Some(window);
    }

    fn score(&mut self, from: Time, to: Time) {
        self.scores.extend(self.scorer.take(from, to));
    }

    fn close(&mut self, at: Time) {
        let Some(mut window) = self.open.take() else { return };
        window.end(at);
        if !self.options.worst {
            self.kept = Some((window, None));
            return;
        }
        let own = self.scores.iter().filter(|score| score.from == window.from);
        let Some(worst) = own.reduce(|one, other| if other.is_worse(one) { other } else { one })
        else {
            return;
        };
        let before = self.kept.as_ref().and_then(|(_, score)| score.as_ref());
        if before.is_none_or(|before| worst.is_worse(before)) {
            let (cell, inventory) = (worst.cell, &self.inventory);
            window.retain(
                cell,
                |ue| inventory.cell_of(ue) == Some(cell),
                |flow| inventory.flows.get(flow.index()).and_then(|flow| flow.ue),
            );
            self.kept = Some((window, Some(worst.clone())));
        }
    }

    /// Queue of a UE in a direction: of all of its bearers.
    fn queue_row(&self, at: Time, ue: UeId, direction: Direction) -> QueueRow {
        let own = self.inventory.bearers.iter().zip(&self.waiting);
        let own = own.filter(|(bearer, _)| bearer.ue == ue);
        let of = own.map(|(_, waiting)| waiting[direction as usize]);
        let (packets, bytes) = of.fold((0, 0), |(p, b), (packets, bytes)| (p + packets, b + bytes));
        QueueRow { at, ue, direction, packets, bytes }
    }

    fn ended(&mut self, packet: &Packet, row: impl Fn() -> PacketRow) {
        let has_cell = self.cell_of_flow(packet.flow).is_some();
        if let Some(window) = self.open.as_mut().filter(|_| has_cell) {
            window.packet(row());
        }
        if let Some((window, _)) = &mut self.kept
            && window.awaits(packet.id)
        {
            window.packet_later(row());
        }
    }

    fn received(&mut self, process: Process, sinr_db: Option<f32>, fate: Fate) {
        let kept = self.kept.as_mut().map(|(window, _)| window);
        let mut windows = self.open.as_mut().into_iter().chain(kept);
        windows.any(|window| window.received(process, sinr_db, fate));
    }

    fn radio(&mut self, now: Time, event: &RadioEvent) {
        match *event {
            RadioEvent::Block {
                cell,
                ue,
                direction,
                process,
                transport_block,
                sinr_db,
                decoded,
                ..
            } => {
                let fate = if decoded { Fate::Decoded } else { Fate::Failed };
                let process = (ue, direction, (cell, process, transport_block));
                self.received(process, Some(sinr_db), fate);
            }
            RadioEvent::Cancelled { cell, ue, direction, process, .. } => {
                self.received((ue, direction, (cell, process, 0)), None, Fate::Cancelled);
            }
            RadioEvent::Queue { bearer, direction, packets, bytes } => {
                let Some(waiting) = self.waiting.get_mut(bearer.index()) else { return };
                waiting[direction as usize] = (packets, bytes);
                let ue = self.inventory.bearers[bearer.index()].ue;
                if self.open.is_some() {
                    let row = self.queue_row(now, ue, direction);
                    let slot = self.slot_of(ue);
                    self.open.iter_mut().for_each(|window| window.queue_in_slot(row, slot));
                }
            }
            RadioEvent::Left { bearer, waited, .. } => {
                let ue = self.inventory.bearers.get(bearer.index()).map(|bearer| bearer.ue);
                if let Some(cell) =
                    ue.and_then(|ue| self.inventory.cell_of(ue)).filter(|_| self.open.is_some())
                {
                    self.scorer.waited(cell, waited);
                }
            }
            RadioEvent::Control { cell, used, elements, blocked } => {
                let kind = ControlKind::Elements { used, elements, blocked };
                self.control(ControlRow { at: now, cell, ue: None, kind });
            }
            RadioEvent::Blocked { cell, ue, direction } => {
                let kind = ControlKind::Blocked(direction);
                self.control(ControlRow { at: now, cell, ue: Some(ue), kind });
            }
            RadioEvent::Missed { cell, ue, direction: Direction::Uplink, .. } => {
                self.control(ControlRow { at: now, cell, ue: Some(ue), kind: ControlKind::Missed });
            }
            RadioEvent::SchedulingRequest { ue } => self.by_ue(now, ue, ControlKind::Request),
            RadioEvent::Unused { cell, ue, resource_blocks, .. } => {
                let kind = ControlKind::Unused { resource_blocks };
                self.control(ControlRow { at: now, cell, ue: Some(ue), kind });
            }
            _ => {}
        }
    }

    fn slot_of(&self, ue: UeId) -> Duration {
        let cell =
            self.inventory.cell_of(ue).and_then(|cell| self.inventory.cells.get(cell.index()));
        cell.map_or(Duration::ZERO, |cell| cell.slot)
    }

    fn by_ue(&mut self, at: Time, ue: UeId, kind: ControlKind) {
        if let Some(cell) = self.inventory.cell_of(ue) {
            self.control(ControlRow { at, cell, ue: Some(ue), kind });
        }
    }

    fn control(&mut self, row: ControlRow) {
        self.open.iter_mut().for_each(|window| window.control(row));
    }

    fn sent(&mut self, now: Time, sent: &airpath_net::Transmission<'_>) {
        let process = (sent.ue, sent.direction, (sent.cell, sent.process, sent.transport_block));
        if sent.attempt == 0 {
            self.numbers.insert(process, self.blocks);
            self.blocks += 1;
        }
        if self.open.is_none() {
            return;
        }
        let blocks = sent.resource_blocks.iter().map(|(first, behind)| u64::from(behind - first));
        if sent.first_layer == 0 {
            let own = f64::from(sent.share) * blocks.sum::<u64>() as f64;
            self.scorer.used(sent.cell, own.round() as u64);
        }
        let number = self.numbers.get(&process).copied();
        let number = number.unwrap_or_else(|| {
            self.blocks += 1;
            self.blocks - 1
        });
        self.numbers.insert(process, number);
        self.open.iter_mut().for_each(|window| window.sent(now, number, sent));
        if let Some(report) = sent.report {
            let bytes = report.into_iter().flatten().map(u64::from).sum();
            self.by_ue(sent.received, sent.ue, ControlKind::Report { bytes });
        }
    }
}

impl Probe for BlockRecorder {
    #[inline]
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        if now >= self.due {
            self.catch_up(now);
        }
        match event {
            Event::Sent(sent) => self.sent(now, sent),
            Event::Radio(radio) => self.radio(now, radio),
            Event::BufferStatus { ue, bytes } => {
                let bytes = bytes.iter().copied().map(u64::from).sum();
                self.by_ue(now, *ue, ControlKind::Report { bytes });
            }
            Event::Consumed(packet) => {
                self.ended(packet, || PacketRow::of(now, (node, None), packet, None));
            }
            Event::Dropped { packet, cause, end } => {
                self.ended(packet, || PacketRow::of(now, (node, *end), packet, Some(*cause)));
            }
            _ => {}
        }
    }

    fn wants_blocks(&self) -> bool {
        self.due < self.options.to || self.open.is_some()
    }
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
