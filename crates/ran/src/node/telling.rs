//! What listeners hear of transport blocks that are sent, if they ask for it.

use airpath_base::{Time, UeId};
use airpath_net::{CarriedPdu, Content, Cx, Direction, Event, Piece, RadioEvent, Transmission};

use super::Ran;
use super::links::Range;
use crate::block::Block;
use crate::bsr::{BufferStatusReport, BytesByGroup};

/// Tells of a report that came without data.
#[inline]
pub(super) fn tell_report(ue: UeId, bytes: BytesByGroup, cx: &mut Cx<'_>) {
    if cx.wants_blocks() {
        cx.emit(|| Event::BufferStatus { ue, bytes });
    }
}

/// A UE came into range or went out of it.
#[cold]
pub(super) fn tell_range(ue: UeId, direction: Direction, range: Range, cx: &mut Cx<'_>) {
    let Range { in_range, level_db: sinr_db } = range;
    cx.emit(|| Event::Radio(RadioEvent::Range { ue, direction, in_range, sinr_db }));
}

impl Ran {
    /// Tells of the present transmission of a block, which will have been `received` by then.
    #[inline]
    pub(super) fn tell_sent(&self, key: u32, received: Time, cx: &mut Cx<'_>) {
        if cx.wants_blocks() {
            self.tell(self.blocks.get(key), received, cx);
        }
    }

    #[cold]
    fn tell(&self, block: &Block, received: Time, cx: &mut Cx<'_>) {
        let cell = &self.cells[self.serving(block.ue).0];
        let runs: Vec<(u16, u16)> = block.allocation.blocks.runs().collect();
        let mut pieces = Vec::new();
        let ends = self.pieces(block, &mut pieces);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let pdus = block.pdus.iter().zip(starts.zip(&ends));
        let pdus: Vec<CarriedPdu<'_>> = pdus
            .map(|((bearer, pdu), (start, &end))| CarriedPdu {
                bearer: *bearer,
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
            cell: cell.id,
            ue: block.ue,
            direction: block.direction,
            slot: block.tti,
            start: cell.starts_at(block.tti, block.direction),
            received,
            process: block.process,
            new_data: block.new_data,
            attempt: block.attempt,
            resource_blocks: &runs,
            first_symbol: block.allocation.first_symbol,
            symbols: block.allocation.symbols,
            layers: block.allocation.layers,
            mcs: block.mcs,
            bytes: block.bytes,
            padding: block.padding,
            missed: block.missed,
            pdus: &pdus,
            report: block.report.as_ref().filter(|_| first).map(BufferStatusReport::said),
        };
        cx.emit(|| Event::Sent(&sent));
    }

    /// Appends what a block carries for the first time; gives where each of its PDUs ends there.
    fn pieces<'a>(&'a self, block: &Block, pieces: &mut Vec<Piece<'a>>) -> Vec<usize> {
        let first = block.attempt == 0;
        let own = block.pdus.iter().filter(|_| first);
        let ends = own.map(|(bearer, pdu)| {
            let rlc = self.bearers[bearer.index()].rlc();
            pieces.extend(rlc.pieces(block.direction, pdu));
            pieces.len()
        });
        ends.collect()
    }
}
