//! Events of transport blocks, links and reports, for listeners that want them.

use airpath_base::{Time, UeId};
use airpath_net::{CarriedPdu, Content, Cx, Direction, Event, Piece, RadioEvent, Transmission};

use super::cell::Cell;
use super::links::Range;
use crate::block::{AirSlot, Block};
use crate::bsr::{BufferStatusReport, BytesByGroup};

/// Reports a buffer status report that came without data.
#[inline]
pub(super) fn report_buffer_status(ue: UeId, bytes: BytesByGroup, cx: &mut Cx<'_>) {
    if cx.wants_blocks() {
        cx.emit(|| Event::BufferStatus { ue, bytes });
    }
}

/// Reports that a UE came into range or went out of it.
#[cold]
pub(super) fn report_range(ue: UeId, direction: Direction, range: Range, cx: &mut Cx<'_>) {
    let Range { in_range, level_db: sinr_db } = range;
    cx.emit(|| Event::Radio(RadioEvent::Range { ue, direction, in_range, sinr_db }));
}

impl Cell {
    /// Reports the UEs that came into range or went out of it in the present decision. A secondary cell
    /// reports none, nor does a leg: the primary cell or the anchor decides whether a UE has a link.
    pub fn report_ranges(&mut self, direction: Direction, cx: &mut Cx<'_>) {
        if self.secondary.is_some() || self.is_leg {
            return self.ranges.clear();
        }
        for (ue, range) in self.ranges.drain(..) {
            report_range(ue, direction, range, cx);
        }
    }

    /// Reports which parts of the resource blocks of a transport block are whose.
    pub fn report_shares(&self, key: u32, cx: &mut Cx<'_>) {
        if !cx.is_watched() {
            return;
        }
        let block = self.blocks.get(key);
        // Two blocks share their resource blocks by layers.
        let (_, sharing) = block.sharing();
        let part =
            f64::from(block.layers) / f64::from(block.allocation.layers) * f64::from(sharing);
        let (all, direction) = (part * f64::from(block.resource_blocks()), block.direction);
        for (own, share) in block.shares() {
            let bearer = self.ues[block.ue.index()].bearers[own.index()].id();
            let resource_blocks = all * share;
            let cell = self.id;
            cx.emit(|| {
                Event::Radio(RadioEvent::Share { cell, bearer, direction, resource_blocks })
            });
        }
    }

    /// Reports the present transmission of a block, which will have been `received` by then.
    #[inline]
    pub fn report_sent(&self, key: u32, received: Time, cx: &mut Cx<'_>) {
        if cx.wants_blocks() {
            self.report_transmission(self.blocks.get(key), received, cx);
        }
    }

    #[cold]
    fn report_transmission(&self, block: &Block, received: Time, cx: &mut Cx<'_>) {
        let ue = &self.ues[block.ue.index()];
        let runs: Vec<(u16, u16)> = block.allocation.blocks.runs().collect();
        let mut pieces = Vec::new();
        let ends = self.pieces(block, &mut pieces);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let pdus = block.pdus.iter().zip(starts.zip(&ends));
        let pdus: Vec<CarriedPdu<'_>> = pdus
            .map(|((bearer, pdu), (start, &end))| CarriedPdu {
                bearer: ue.bearers[bearer.index()].id(),
                bytes: pdu.size,
                content: match (pdu.is_status(), pdu.is_full()) {
                    (true, _) => Content::Status,
                    (_, true) => Content::Full,
                    _ => Content::Data {
                        retransmission: pdu.is_retransmission(),
                        pieces: &pieces[start..end],
                    },
                },
            })
            .collect();
        let first = block.attempt == 0;
        let sent = Transmission {
            cell: self.id,
            ue: ue.id,
            direction: block.direction,
            slot: block.tti,
            start: self.starts_at(AirSlot { direction: block.direction, tti: block.tti }),
            received,
            process: block.process,
            new_data: block.new_data,
            transport_block: block.transport_block,
            first_layer: block.first_layer,
            attempt: block.attempt,
            resource_blocks: &runs,
            share: block.sharing().1,
            first_symbol: block.allocation.first_symbol,
            symbols: block.allocation.symbols,
            layers: block.allocation.layers,
            mcs: block.mcs,
            bytes: block.bytes,
            padding: block.padding,
            missed: block.missed,
            pdus: &pdus,
            report: block.report.as_ref().filter(|_| first).map(BufferStatusReport::estimates),
        };
        cx.emit(|| Event::Sent(&sent));
    }

    /// Appends the pieces of packets that a block carries for the first time. Gives for each of its
    /// PDUs the number of pieces up to its end.
    fn pieces<'a>(&'a self, block: &Block, pieces: &mut Vec<Piece<'a>>) -> Vec<usize> {
        let first = block.attempt == 0;
        let own = block.pdus.iter().filter(|_| first);
        let ends = own.map(|(bearer, pdu)| {
            let rlc = self.ues[block.ue.index()].bearers[bearer.index()].rlc();
            pieces.extend(rlc.pieces(block.direction, pdu));
            pieces.len()
        });
        ends.collect()
    }
}
