//! Mobility load balancing of the cells of a network: loads, neighbour relations, and moves of offsets
//! ([`Balancing`]).
//!
//! - The load is the share of resource blocks downlink that a cell has decided to use in a period, with those that are sent
//!   again. Or it is the number of its connected UEs.
//! - Relations follow from the measurements of connected UEs at each exchange.
//!
//! Simplified: a moved offset counts at once for all UEs of both cells. Its messages between cells, and the
//! reconfiguration of measurements, take no time. Cells that admit no UE take part with their loads.

use airpath_base::{CellId, Time, UeId};
use airpath_net::{Cx, Direction, Event};

use super::Handovers;
use crate::air::Sent;
use crate::block::AirSlot;
use crate::handover::{Balancing, BalancingConfig, CellLoad, HandoverConfig};
use crate::node::Ran;
use crate::node::serving::Serving;

/// Load balancing that goes on.
pub(in crate::node) struct Exchanges {
    config: BalancingConfig,
    balancing: Balancing,
    /// Time of the next exchange.
    next: Time,
    /// Resource blocks used downlink since the last exchange, by cell.
    used: Vec<u64>,
}

impl Exchanges {
    /// Those of a configuration; none without load balancing.
    pub fn new(config: &HandoverConfig, cells: usize) -> Option<Exchanges> {
        let own = config.balancing?;
        Some(Exchanges {
            config: own,
            balancing: Balancing::new(&own, &config.offsets),
            next: Time::ZERO + own.period,
            used: vec![0; cells],
        })
    }

    /// Time of the next exchange.
    pub fn next_due(&self) -> Time {
        self.next
    }

    /// A cell or one of its UEs sends.
    #[inline]
    pub fn count(&mut self, cell: CellId, slot: AirSlot, sent: &Sent) {
        if slot.direction == Direction::Downlink {
            self.used[cell.index()] += u64::from(sent.blocks.count());
        }
    }
}

impl Ran {
    /// Cells exchange their loads, if it is time.
    pub(super) fn exchange_loads(&mut self, all: &mut Handovers, now: Time, cx: &mut Cx<'_>) {
        let Some(mut own) = all.exchanges.take_if(|own| own.next <= now) else { return };
        own.next = now + own.config.period;
        self.relate_neighbours(all, &mut own.balancing);
        let loads = self.loads(&own);
        own.used.fill(0);
        for one in own.balancing.exchange(&loads) {
            own.balancing.enter(&one, all.carriers.count(), &mut all.config.handover.offsets);
            let (cells, loads) =
                (one.cells.map(|cell| CellId(cell as u16)), one.cells.map(|cell| loads[cell]));
            cx.emit(|| Event::OffsetByLoad { cells, offset_db: one.offset, loads });
        }
        all.exchanges = Some(own);
    }

    /// Loads by cell.
    fn loads(&self, own: &Exchanges) -> Vec<f64> {
        let of = |(cell, used): (&crate::node::cell::Cell, &u64)| match own.config.load {
            CellLoad::Ues => cell.connected_ues() as f64,
            CellLoad::ResourceBlocks => {
                let slots = own.config.period.as_secs_f64()
                    / cell.config.tti.length().as_secs_f64()
                    * cell.config.shares()[0];
                let all = slots * f64::from(cell.config.resource_blocks);
                (*used as f64 / all.max(1.0)).min(1.0)
            }
        };
        self.cells.iter().zip(&own.used).map(of).collect()
    }

    /// The best neighbour of each connected UE has a relation with its cell.
    fn relate_neighbours(&self, all: &Handovers, balancing: &mut Balancing) {
        for (n, own) in all.ues.iter().enumerate() {
            let Serving { cell, ue: index } = self.serving[n];
            let is_measured = own.neighbours.are_measured() && own.measuring.is_complete();
            if !is_measured || !self.cells[cell.index()].has_link(index) {
                continue;
            }
            let best = all.strongest(UeId(n as u32), |other| other != cell.index());
            best.into_iter().for_each(|best| balancing.relate(cell.index(), best));
        }
    }
}
