//! Transport blocks on their way through HARQ.

use core::ops::Range;
use std::sync::Arc;

use airpath_base::Time;
use airpath_net::Direction;

use crate::bsr::BufferStatusReport;
use crate::index::{BearerIndex, UeIndex};
use crate::mac::ResourceAllocation;
use crate::paired::Paired;
use crate::phy::{Codeword, Format, TransmissionMode, stream};
use crate::rates::Scheme;
use crate::rlc::Pdu;

/// A TTI on the air, in a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AirSlot {
    pub direction: Direction,
    /// Its number, from 0.
    pub tti: u64,
}

/// A transport block before it is filled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub ue: UeIndex,
    pub slot: AirSlot,
    /// HARQ process that will hold it.
    pub process: u16,
    pub allocation: ResourceAllocation,
    pub scheme: Scheme,
}

/// Contents of a transport block.
#[derive(Debug)]
pub(crate) struct Contents {
    pub pdus: Vec<(BearerIndex, Pdu)>,
    /// Bytes that carry nothing.
    pub padding: u32,
}

/// A transport block, from its making until it is decoded or given up.
#[derive(Debug)]
pub(crate) struct Block {
    pub ue: UeIndex,
    pub direction: Direction,
    /// Number among two transport blocks of its HARQ process, 0 or 1.
    pub transport_block: u8,
    /// Allocation of the present transmission, with the layers of both transport blocks.
    pub allocation: ResourceAllocation,
    /// Its first layer and the number of its layers. Codeword 0 begins with layer 0.
    pub first_layer: u8,
    pub layers: u8,
    pub mcs: u8,
    pub bytes: u32,
    /// Bytes of it that carry nothing.
    pub padding: u32,
    /// Transmissions so far, the present one not counted.
    pub attempt: u8,
    /// TTIs of the first transmission, which ends with the present one: repetitions that the receiver combines.
    pub repetitions: u8,
    /// HARQ process that holds it.
    pub process: u16,
    /// New-data indicator of that process.
    pub new_data: bool,
    /// TTI of the present transmission on the air.
    pub tti: u64,
    /// Time at which the first transmission was received and decoding was tried.
    pub first_decoding: Option<Time>,
    /// Mutual information of a coded bit, added up over the transmissions: the receiver
    /// combines them.
    pub information: f64,
    /// True if the UE missed the grant of the present transmission.
    pub missed: bool,
    /// Layers of other UEs beside that of its present transmission; none without.
    pub paired: Option<Arc<Paired>>,
    /// Buffer status report of the UE in it.
    pub report: Option<BufferStatusReport>,
    /// Time at which the first of the UE's data is late, by the delay status report in it.
    pub deadline: Option<Time>,
    pub pdus: Vec<(BearerIndex, Pdu)>,
}

impl Block {
    /// A block of a plan with these contents.
    pub fn new(plan: Plan, Contents { pdus, padding }: Contents) -> Block {
        Block {
            ue: plan.ue,
            direction: plan.slot.direction,
            transport_block: 0,
            first_layer: 0,
            layers: plan.allocation.layers,
            allocation: plan.allocation,
            mcs: plan.scheme.mcs,
            bytes: plan.scheme.bytes,
            padding,
            attempt: 0,
            repetitions: 1,
            process: plan.process,
            new_data: false,
            tti: plan.slot.tti,
            first_decoding: None,
            information: 0.0,
            missed: false,
            paired: None,
            report: None,
            deadline: None,
            pdus,
        }
    }

    /// This block as a codeword of the plan's layers.
    pub fn codeword(self, Codeword { index, first, layers }: Codeword) -> Block {
        Block { transport_block: index, first_layer: first, layers, ..self }
    }

    /// The layers over which it is received: its own, or with delay diversity all of its transmission.
    pub fn layers_received(&self, mode: TransmissionMode) -> Range<usize> {
        match mode.delay_diversity {
            true => 0..self.allocation.layers.into(),
            false => {
                let first = usize::from(self.first_layer);
                first..first + usize::from(self.layers)
            }
        }
    }

    /// Index of the report on it in its first transmission.
    pub fn stream(&self) -> usize {
        stream(self.allocation.layers, u8::from(self.first_layer > 0))
    }

    /// Number of its resource blocks.
    pub fn resource_blocks(&self) -> u16 {
        self.allocation.blocks.count()
    }

    /// Most UEs in one of its resource blocks, and its share of them: each counts one over the UEs in it.
    pub fn sharing(&self) -> (u8, f32) {
        let Some(paired) = &self.paired else { return (1, 1.0) };
        let all = paired.by_ues(self.ue);
        let most = all.iter().map(|(count, _)| *count).max().unwrap_or(1);
        let own = all.iter().map(|(count, blocks)| f32::from(blocks.count()) / *count as f32);
        (most as u8, own.sum::<f32>() / f32::from(self.resource_blocks().max(1)))
    }

    /// Number of resource blocks in so many symbols of a slot: as many resource elements as now, or
    /// a few more.
    pub fn resource_blocks_in(&self, symbols: u8, format: &Format) -> u16 {
        let room = |symbols| u32::from(format.symbols_of_size(self.direction, symbols));
        let elements = u32::from(self.resource_blocks()) * room(self.allocation.symbols);
        u16::try_from(elements.div_ceil(room(symbols).max(1))).unwrap_or(u16::MAX)
    }

    /// Key of the present transmission among the draws of block errors; `ue` is the UE's number. No
    /// two transmissions share a key.
    pub fn draw(&self, ue: u64) -> [u64; 3] {
        let [ue, process, tti] = draw(ue, self.direction, self.process, self.tti);
        [ue, process | u64::from(self.transport_block) << 16, tti]
    }

    /// Parts of it by bearer, from 0 to 1 by bytes of PDUs: PDUs of a bearer lie next to each other.
    pub fn shares(&self) -> impl Iterator<Item = (BearerIndex, f64)> {
        let bytes = |pdus: &[(BearerIndex, Pdu)]| pdus.iter().map(|(_, pdu)| pdu.size).sum::<u32>();
        let all = f64::from(bytes(&self.pdus));
        let own = self.pdus.chunk_by(|one, next| one.0 == next.0);
        own.map(move |own| (own[0].0, f64::from(bytes(own)) / all))
    }
}

/// Key of a transmission among draws, by the number of its UE, its HARQ process and its TTI on the
/// air.
pub(crate) fn draw(ue: u64, direction: Direction, process: u16, tti: u64) -> [u64; 3] {
    [ue << 1 | direction as u64, u64::from(process), tti]
}

/// All transport blocks that are on their way.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    slots: Vec<Option<Block>>,
    free: Vec<u32>,
    /// Emptied lists, to be used again.
    spare: Vec<Vec<(BearerIndex, Pdu)>>,
}

impl Blocks {
    pub fn list(&mut self) -> Vec<(BearerIndex, Pdu)> {
        self.spare.pop().unwrap_or_default()
    }

    pub fn recycle(&mut self, mut list: Vec<(BearerIndex, Pdu)>) {
        list.clear();
        self.spare.push(list);
    }

    /// The blocks of a UE.
    pub fn of(&self, ue: UeIndex) -> Vec<u32> {
        let all = (0..).zip(&self.slots);
        all.filter(|(_, block)| block.as_ref().is_some_and(|block| block.ue == ue))
            .map(|(key, _)| key)
            .collect()
    }

    /// PDUs of a bearer in a direction that are on their way.
    pub fn pdus(&self, ue: UeIndex, bearer: BearerIndex, direction: Direction) -> u64 {
        let own = |block: &&Block| block.ue == ue && block.direction == direction;
        let blocks = self.slots.iter().flatten().filter(own);
        blocks.flat_map(|block| &block.pdus).filter(|(own, _)| *own == bearer).count() as u64
    }

    #[inline(always)]
    pub fn insert(&mut self, block: Block) -> u32 {
        match self.free.pop() {
            Some(key) => {
                self.slots[key as usize] = Some(block);
                key
            }
            None => {
                self.slots.push(Some(block));
                self.slots.len() as u32 - 1
            }
        }
    }

    pub fn get(&self, key: u32) -> &Block {
        self.slots[key as usize].as_ref().expect("a block on its way")
    }

    pub fn get_mut(&mut self, key: u32) -> &mut Block {
        self.slots[key as usize].as_mut().expect("a block on its way")
    }

    #[inline(always)]
    pub fn remove(&mut self, key: u32) -> Block {
        self.free.push(key);
        self.slots[key as usize].take().expect("a block on its way")
    }
}
