//! A small cell of queues, for tests of schedulers. It has twelve resource blocks and a TTI of a
//! millisecond. A transport block has as many bytes as resource blocks.

use std::collections::VecDeque;

use airpath_base::{BitRate, Duration, UeId};

use super::{
    Buffers, Candidate, Grants, MeanRates, Placement, ResourceBlocks, Scheduler, Slot,
    TrafficClass, TrafficClasses,
};
use crate::index::UeIndex;

pub(crate) const CARRIER: u16 = 12;
/// Of 12 resource blocks (TS 36.213, table 7.1.6.1-1).
pub(crate) const GROUP: u16 = 2;
/// Bytes of a resource block of the worst channel.
pub(crate) const BYTES: u32 = 8;
pub(crate) const WEB: u8 = 0;
pub(crate) const VIDEO: u8 = 1;

pub(crate) fn class(number: u8) -> TrafficClass {
    TrafficClass::new(number).expect("a class")
}

pub(crate) fn classes(number: u8) -> TrafficClasses {
    TrafficClasses::of(class(number))
}

/// A UE's queue, and its channel.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub class: u8,
    pub guaranteed: BitRate,
    /// Packets: the TTI in which each came, and bytes.
    pub packets: VecDeque<(u64, u32)>,
    /// TTIs after its coming in which the oldest packet is late; none without a deadline.
    pub budget: Option<u64>,
    /// Bytes of a transport block by its resource blocks.
    table: Vec<u32>,
}

impl Queue {
    /// An empty one of a UE with a channel so many times as good as the worst.
    pub fn new(class: u8, quality: u32) -> Queue {
        let table = (0..=u32::from(CARRIER)).map(|n| n * BYTES * quality).collect();
        let guaranteed = BitRate::from_bps(0);
        Queue { class, guaranteed, packets: VecDeque::new(), budget: None, table }
    }

    /// One that is never empty, with packets that came at the beginning.
    pub fn full(class: u8, quality: u32) -> Queue {
        Queue { packets: VecDeque::from([(0, u32::MAX)]), ..Queue::new(class, quality) }
    }

    pub fn bytes(&self) -> u32 {
        self.packets.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    fn remaining(&self, tti: u64) -> Option<Duration> {
        let late = self.budget? + self.packets.front()?.0;
        Some(Duration::from_millis(late.saturating_sub(tti)))
    }

    fn take(&mut self, mut bytes: u32) {
        while let Some((_, first)) = self.packets.front_mut() {
            if *first > bytes {
                *first -= bytes;
                return;
            }
            bytes -= *first;
            self.packets.pop_front();
        }
    }
}

/// The cell.
pub(crate) struct Cell {
    pub tti: u64,
    pub queues: Vec<Queue>,
    pub elements: Option<u16>,
    /// The most resource blocks that bring a UE more.
    pub most: u16,
    means: MeanRates,
    grants: Grants,
}

impl Cell {
    pub fn new(queues: Vec<Queue>) -> Cell {
        let means = MeanRates::new(99.0, queues.len());
        Cell { tti: 0, queues, elements: None, most: CARRIER, means, grants: Grants::new() }
    }

    /// Decides a TTI and takes what is sent off the queues; gives UEs and how many resource
    /// blocks each got.
    pub fn serve(&mut self, scheduler: &mut (impl Scheduler + ?Sized)) -> Vec<(u32, u16)> {
        let Cell { tti, queues, means, grants, elements, most } = self;
        let waiting = (0..).zip(&*queues).filter(|(_, queue)| !queue.packets.is_empty());
        let candidates: Vec<Candidate<'_>> = waiting
            .map(|(n, queue)| Candidate {
                ue: UeId(n),
                wanted: queue.bytes(),
                head_of_line: Duration::from_millis(*tti - queue.packets[0].0),
                remaining: queue.remaining(*tti),
                priority: 1,
                traffic: classes(queue.class),
                guaranteed: queue.guaranteed,
                bytes: &queue.table,
                most: *most,
                layers: 1,
                control_elements: 2,
                index: UeIndex::new(n as usize),
                buffers: Buffers::Uplink(&[]),
            })
            .collect();
        grants.begin(Placement::Blocks, CARRIER, ResourceBlocks::range(0, CARRIER), *elements);
        if !candidates.is_empty() {
            means.pass(*tti);
            let slot = Slot {
                tti: *tti,
                tti_length: Duration::from_millis(1),
                carrier: CARRIER,
                candidates: &candidates,
                means,
                group_rates: &[],
                trials: None,
            };
            scheduler.schedule(&slot, grants);
        }
        let list: Vec<(u32, u16)> =
            grants.list().iter().map(|grant| (grant.ue.0, grant.blocks.count())).collect();
        for &(ue, blocks) in &list {
            let bytes = queues[ue as usize].table[usize::from(blocks)];
            means.serve(UeIndex::new(ue as usize), f64::from(bytes));
            queues[ue as usize].take(bytes);
        }
        *tti += 1;
        list
    }

    /// Serves many TTIs; gives the number of TTIs in which each UE was served.
    pub fn serve_many(&mut self, scheduler: &mut (impl Scheduler + ?Sized), ttis: u64) -> Vec<u32> {
        let mut served = vec![0; self.queues.len()];
        for _ in 0..ttis {
            for (ue, _) in self.serve(scheduler) {
                served[ue as usize] += 1;
            }
        }
        served
    }
}
