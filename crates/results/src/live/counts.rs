//! Counters of flows and cells since the last live reading, and what queues hold now.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::{Direction, Leg, Packet, QueueEvent};

use super::rows::Row;
use super::spread::Durations;
use super::{CellReading, FlowReading, QueueReading};
use crate::CellInfo;
use crate::measures::source::{DOWN, UP, Window};
use crate::resources::{offered, share};

/// Of a row of flows.
pub(super) struct Flows {
    row: Row,
    sent: u64,
    received: u64,
    bytes: u64,
    lost: u64,
    marks: u64,
    delays: Durations,
    queueing: Durations,
}

/// Of a row of cells.
#[derive(Default)]
pub(super) struct Cells {
    pub(super) row: Row,
    /// Those that it stands for.
    infos: Vec<CellInfo>,
    /// Resource blocks, and bits of decoded blocks without padding.
    blocks: [(u64, u64); 2],
}

/// A queue that reports.
pub(super) struct Queue {
    row: Row,
    /// UE of a bearer.
    ue: Option<String>,
    /// True if it has ever held anything.
    seen: bool,
    held: Held,
}

/// Contents of a queue now; the collector has those of the past.
#[derive(Default)]
struct Held {
    packets: u32,
    bytes: u64,
    /// Departures of a queue that are known: time and bytes.
    leaving: VecDeque<(Time, u32)>,
}

impl Flows {
    pub(super) fn new(row: Row) -> Flows {
        let (delays, queueing) = (Durations::new(), Durations::new());
        Flows { row, sent: 0, received: 0, bytes: 0, lost: 0, marks: 0, delays, queueing }
    }

    #[inline]
    pub(super) fn sent(&mut self, packet: &Packet) {
        self.sent += u64::from(packet.leg == Leg::Data);
    }

    /// Of its data.
    #[inline]
    pub(super) fn received(&mut self, now: Time, packet: &Packet) {
        self.received += 1;
        self.bytes += u64::from(packet.size);
        self.delays.add(now.saturating_since(packet.born()));
        self.queueing.add(packet.stages.queued());
    }

    pub(super) fn lost(&mut self, packet: &Packet) {
        self.lost += u64::from(packet.leg == Leg::Data);
    }

    pub(super) fn marked(&mut self, packet: &Packet) {
        self.marks += u64::from(packet.leg == Leg::Data);
    }

    /// Bytes of a full buffer.
    pub(super) fn filled(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// The reading of an interval of so many seconds; then nothing is counted.
    pub(super) fn take(&mut self, seconds: f64) -> FlowReading {
        let reading = FlowReading {
            name: self.row.name.clone(),
            flows: self.row.members,
            direction: name(self.row.direction),
            rate_bps: rate(self.bytes * 8, seconds),
            sent_packets: self.sent,
            received_packets: self.received,
            received_bytes: self.bytes,
            lost_packets: self.lost,
            marks: self.marks,
            delay_ms: self.delays.take(),
            queue_ms: self.queueing.take(),
        };
        [self.sent, self.received, self.bytes, self.lost, self.marks] = [0; 5];
        reading
    }
}

impl Cells {
    pub(super) fn new(row: Row) -> Cells {
        Cells { row, ..Cells::default() }
    }

    pub(super) fn stands_for(&mut self, cell: &CellInfo) {
        self.infos.push(cell.clone());
    }

    #[inline]
    pub(super) fn used(&mut self, direction: Direction, resource_blocks: u16) {
        self.blocks[direction as usize].0 += u64::from(resource_blocks);
    }

    #[inline]
    pub(super) fn decoded(&mut self, direction: Direction, bytes: u32) {
        self.blocks[direction as usize].1 += u64::from(bytes) * 8;
    }

    pub(super) fn take(&mut self, window: Window) -> CellReading {
        let mut all = [0.0; 2];
        for info in &self.infos {
            let [down, up, _] = offered(Some(info), 0, window);
            all = [all[DOWN] + down, all[UP] + up];
        }
        let blocks = std::mem::take(&mut self.blocks);
        let used = |way: usize| share(blocks[way].0 as f64, all[way]);
        CellReading {
            name: self.row.name.clone(),
            cells: self.row.members,
            utilisation: used(DOWN),
            utilisation_up: used(UP),
            resource_blocks: blocks[DOWN].0,
            resource_blocks_up: blocks[UP].0,
            throughput_bps: rate(blocks[DOWN].1, window.seconds()),
            throughput_up_bps: rate(blocks[UP].1, window.seconds()),
        }
    }
}

impl Queue {
    pub(super) fn of_link(name: &str) -> Queue {
        Queue::of(Row::alone(name, None), None)
    }

    pub(super) fn of_bearer(name: &str, ue: Option<&str>, direction: Direction) -> Queue {
        Queue::of(Row::alone(name, Some(direction)), ue.map(str::to_owned))
    }

    fn of(row: Row, ue: Option<String>) -> Queue {
        Queue { row, ue, seen: false, held: Held::default() }
    }

    /// A link's queue reports.
    #[inline]
    pub(super) fn on(&mut self, now: Time, event: QueueEvent) {
        match event {
            QueueEvent::Occupancy { packets, bytes } => self.set(packets, bytes),
            QueueEvent::Scheduled { bytes, leaves } => {
                self.settle(now);
                if leaves > now {
                    self.held.leaving.push_back((leaves, bytes));
                    self.set(self.held.packets + 1, self.held.bytes + u64::from(bytes));
                }
            }
            QueueEvent::Left { .. } => {}
        }
    }

    /// It holds so much from now on.
    #[inline]
    pub(super) fn set(&mut self, packets: u32, bytes: u64) {
        (self.held.packets, self.held.bytes) = (packets, bytes);
        self.seen |= packets > 0;
    }

    /// Lets go what leaves up to and at `now`.
    #[inline]
    fn settle(&mut self, now: Time) {
        let held = &mut self.held;
        while let Some((_, bytes)) = held.leaving.pop_front_if(|(leaves, _)| *leaves <= now) {
            held.packets = held.packets.saturating_sub(1);
            held.bytes = held.bytes.saturating_sub(u64::from(bytes));
        }
    }

    /// Its contents at `now`, once it has held something.
    pub(super) fn at(&mut self, now: Time) -> Option<QueueReading> {
        self.settle(now);
        self.seen.then(|| QueueReading {
            name: self.row.name.clone(),
            queues: 1,
            ue: self.ue.clone(),
            direction: name(self.row.direction),
            packets: u64::from(self.held.packets),
            bytes: self.held.bytes,
        })
    }
}

/// Readings of these queues: of too many the last is the sum of the rest.
pub(super) fn queues(mut all: Vec<QueueReading>, most: usize) -> Vec<QueueReading> {
    if all.len() > most {
        let others = all.split_off(most - 1);
        let sum = |of: fn(&QueueReading) -> u64| others.iter().map(of).sum();
        all.push(QueueReading {
            name: format!("{} others", others.len()),
            queues: others.len() as u32,
            ue: None,
            direction: None,
            packets: sum(|queue| queue.packets),
            bytes: sum(|queue| queue.bytes),
        });
    }
    all
}

fn name(direction: Option<Direction>) -> Option<String> {
    direction.map(|direction| direction.name().to_owned())
}

/// Bits a second; none in no time.
pub(super) fn rate(bits: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bits as f64 / seconds } else { 0.0 }
}
