//! Transmissions on the air, and the links that receive them.
//!
//! A slot has two phases. First all cells decide. Their transmissions and those of their UEs are
//! written into [`OnAir`], a ring of the last slots with a row for each cell. A block is decoded
//! after its reception, against the transmissions of the ring in its resource blocks. The order in
//! which cells decide therefore does not matter.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use airpath_base::{CellId, Db, Dbm, Time, UeId};
use airpath_net::Direction;

use crate::mac::{ResourceAllocation, ResourceBlocks};
use crate::spatial::Spatial;

/// The link between a UE and its cell.
#[derive(Clone, Debug)]
pub enum Link {
    /// Signal to noise ratios that change by order only and that nobody disturbs.
    Fixed {
        /// Downlink, as a factor.
        downlink: f64,
        /// Uplink, as a factor: in each of as many resource blocks as get the most power.
        uplink: f64,
        /// Number of resource blocks uplink that get the UE's greatest power. More resource blocks
        /// share that power. Infinite: the ratio is the same for any number.
        full_power: f64,
    },
    /// A link of a network, with interference.
    Network(Arc<dyn Channel>),
}

impl Link {
    /// A fixed link with these ratios, as factors, whatever resource blocks are granted.
    pub const fn fixed(downlink: f64, uplink: f64) -> Link {
        Link::Fixed { downlink, uplink, full_power: f64::INFINITY }
    }
}

/// The channel of a network: what its receivers hear.
///
/// A pure function of its arguments: neither the order of calls nor missing calls change any
/// result.
pub trait Channel: Debug + Send + Sync {
    /// Expected signal to interference and noise ratio of a UE and its cell over the whole carrier,
    /// as a factor. Link adaptation begins with it.
    fn expected_sinr(&self, ue: UeId, direction: Direction) -> f64;

    /// Number of resource blocks uplink that get the UE's greatest power. More resource blocks
    /// share its greatest total power.
    fn full_power(&self, ue: UeId) -> f32;

    /// Power in mW in each of `resource_blocks` of a transmission between a UE and its cell.
    fn power(&self, ue: UeId, cell: CellId, direction: Direction, resource_blocks: u16) -> f32;

    /// Appends to `sinr` the ratio, as a factor, in each resource block of a transmission. They are in
    /// order, layer after layer. `air` says what else was sent.
    fn sinr(&self, transmission: &Transmission, air: &OnAir, sinr: &mut Vec<f32>);

    /// Appends to `power` that of noise and interference at an antenna in mW in each resource block of a
    /// transmission, in their order.
    fn disturbance(&self, transmission: &Transmission, air: &OnAir, power: &mut Vec<f32>);

    /// Appends to `sinr` the ratio, as [`sinr`](Channel::sinr) does, against a given disturbance.
    fn against(&self, transmission: &Transmission, disturbance: &[f32], sinr: &mut Vec<f32>);

    /// Link of a UE to any cell on average, without fading; none if the channel knows the UE's own cell alone.
    fn mean_link(&self, ue: UeId, cell: CellId) -> Option<MeanLink> {
        let _ = (ue, cell);
        None
    }

    /// True if the mean link of a UE changes.
    fn moves(&self, ue: UeId) -> bool {
        let _ = ue;
        false
    }

    /// Channels by port, if the channel knows them.
    fn spatial(&self) -> Option<&dyn Spatial> {
        None
    }
}

/// Ratio of a cell to noise and all others, of so many, at a UE as a factor, with all sending and without fading.
pub(crate) fn mean_ratio(channel: &dyn Channel, ue: UeId, cell: CellId, cells: usize) -> f64 {
    let (mut own, mut others) = (0.0_f64, 0.0_f64);
    for n in 0..cells {
        let Some(link) = channel.mean_link(ue, CellId(n as u16)) else { continue };
        let power = link.rsrp.milliwatts();
        if n == cell.index() {
            (own, others) = (power, others + link.noise.milliwatts());
        } else {
            others += power;
        }
    }
    own / others.max(f64::MIN_POSITIVE)
}

/// Link of a UE to a cell on average, without fading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanLink {
    /// RSRP of the cell at the UE (TS 36.214, 5.1.1; TS 38.215, 5.1.1).
    pub rsrp: Dbm,
    /// Loss between UE and cell, antennas included, uplink.
    pub path_loss: Db,
    /// Noise in a resource element at the UE.
    pub noise: Dbm,
    /// Noise in a resource block at the cell.
    pub noise_at_cell: Dbm,
}

/// A transmission that has been received.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    /// The UE that sends it or to which it is sent.
    pub ue: UeId,
    /// Its cell.
    pub cell: CellId,
    /// Direction.
    pub direction: Direction,
    /// Number of the TTI on the air, from 0.
    pub tti: u64,
    /// Begin of the transmission.
    pub start: Time,
    /// Allocation of the transmission.
    pub allocation: ResourceAllocation,
    /// Power in each resource block in mW, of all layers together.
    pub power: f32,
}

/// Transmission in some resource blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// The UE that sends it or to which it is sent.
    pub ue: UeId,
    /// Resource blocks.
    pub blocks: ResourceBlocks,
    /// Power in each of them in mW, of all layers together.
    pub power: f32,
    /// Layers.
    pub layers: u8,
}

/// Resource blocks beside each other in which a UE sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// The UE.
    pub ue: UeId,
    /// Power in each of them in mW.
    pub power: f32,
    /// The first.
    pub from: u16,
    /// The one behind the last.
    pub to: u16,
}

/// Transmissions of cells and their UEs, in a ring of the last slots.
#[derive(Debug)]
pub struct OnAir {
    cells: usize,
    depth: u64,
    /// Downlink power of all cells in each resource block in mW, TTI by TTI.
    totals: Vec<Total>,
    /// The row of cell c in TTI n is at (n modulo depth, a power of two) times the number of cells, plus c.
    rows: Vec<Row>,
    /// Interference of cells uplink, at the same indices, once it has been computed.
    /// Only the thread that receives for a cell locks the cell's.
    disturbances: Vec<Mutex<Total>>,
}

/// Transmissions of a cell and its UEs in a TTI.
#[derive(Clone, Debug, Default)]
struct Row {
    tti: u64,
    /// Downlink and uplink.
    sent: [Vec<Sent>; 2],
    /// Transmissions of UEs, run by run.
    runs: Vec<Run>,
    /// True if the cell sends downlink.
    sends: bool,
    /// Power downlink in each resource block in mW.
    power: Vec<f32>,
    /// Likewise of the first layer, of the second and so on, where cells can have several.
    by_layer: Vec<Vec<f32>>,
}

/// Sums in each resource block in a TTI.
#[derive(Clone, Debug)]
pub(crate) struct Total {
    tti: u64,
    pub(crate) power: Vec<f32>,
}

impl OnAir {
    /// Of so many cells with so many resource blocks, for so many TTIs.
    pub(crate) fn new(cells: usize, carrier: u16, depth: u64) -> OnAir {
        let (eights, depth) = (usize::from(carrier).div_ceil(8), depth.next_power_of_two());
        let row = Row { power: vec![0.0; 8 * eights], ..Row::default() };
        let total = Total { tti: u64::MAX, power: vec![0.0; 8 * eights] };
        let count = cells * depth as usize;
        let disturbances = (0..count).map(|_| Mutex::new(total.clone())).collect();
        OnAir {
            cells,
            depth,
            totals: vec![total; depth as usize],
            rows: vec![row; count],
            disturbances,
        }
    }

    /// With the power of each of up to so many layers downlink.
    pub(crate) fn layered(mut self, most: u8) -> OnAir {
        if most > 1 {
            let planes = |row: &Row| vec![row.power.clone(); most.into()];
            self.rows.iter_mut().for_each(|row| row.by_layer = planes(row));
        }
        self
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Transmissions in TTI `tti` in a cell, in no particular order. Empty if the TTI is older than
    /// the decoding of a block takes.
    pub fn sent(&self, cell: CellId, direction: Direction, tti: u64) -> &[Sent] {
        let row = &self.rows[self.row(cell, tti)];
        if row.tti == tti { &row.sent[direction as usize] } else { &[] }
    }

    /// Transmissions of a cell's UEs in TTI `tti`, run by run; see [`sent`](OnAir::sent).
    #[inline]
    pub(crate) fn runs(&self, cell: CellId, tti: u64) -> &[Run] {
        let row = &self.rows[self.row(cell, tti)];
        if row.tti == tti { &row.runs } else { &[] }
    }

    /// Power in mW in each resource block of a cell downlink; `None` if it is silent. Zeros fill the
    /// last eight of the carrier.
    #[inline]
    pub fn power(&self, cell: CellId, tti: u64) -> Option<&[f32]> {
        let row = &self.rows[self.row(cell, tti)];
        (row.tti == tti && row.sends).then_some(row.power.as_slice())
    }

    /// Power in mW in each resource block of the layers of a cell downlink; see
    /// [`power`](OnAir::power).
    pub fn powers_by_layer(&self, cell: CellId, tti: u64) -> impl Iterator<Item = &[f32]> {
        let row = &self.rows[self.row(cell, tti)];
        let all = match &row.by_layer[..] {
            [] => std::slice::from_ref(&row.power),
            planes => planes,
        };
        let all = if row.tti == tti && row.sends { all } else { &[] };
        all.iter().map(Vec::as_slice)
    }

    /// Power in mW of all cells together in each resource block downlink; `None` if all are silent.
    /// Zeros fill the last eight of the carrier.
    #[inline]
    pub fn total(&self, tti: u64) -> Option<&[f32]> {
        let total = &self.totals[(tti & (self.depth - 1)) as usize];
        (total.tti == tti).then_some(total.power.as_slice())
    }

    /// Interference of a cell uplink in each resource block in mW, which is the same for all of its
    /// UEs. `compute` writes it at the first call for a TTI, which must be over.
    pub(crate) fn disturbance(
        &self,
        cell: CellId,
        tti: u64,
        compute: impl FnOnce(&mut [f32]),
    ) -> MutexGuard<'_, Total> {
        let slot = &self.disturbances[self.row(cell, tti)];
        let mut total = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if total.tti != tti {
            total.tti = tti;
            compute(&mut total.power);
        }
        total
    }

    /// Writes what will be sent in TTI `tti`.
    pub(crate) fn write(&mut self, cell: CellId, direction: Direction, tti: u64, sent: Sent) {
        let n = self.row(cell, tti);
        debug_assert!(!self.was_received(tti), "TTI {tti} is written to after it was received");
        let row = &mut self.rows[n];
        if row.tti != tti {
            row.tti = tti;
            row.sent.iter_mut().for_each(Vec::clear);
            row.runs.clear();
            row.power.fill(0.0);
            row.by_layer.iter_mut().for_each(|plane| plane.fill(0.0));
            row.sends = false;
        }
        let Sent { ue, blocks, power, layers } = sent;
        if direction == Direction::Uplink {
            row.runs.extend(blocks.runs().map(|(from, to)| Run { ue, power, from, to }));
        } else {
            row.sends = true;
            let total = &mut self.totals[(tti & (self.depth - 1)) as usize];
            if total.tti != tti {
                total.tti = tti;
                total.power.fill(0.0);
            }
            for (from, to) in blocks.runs() {
                let run = usize::from(from)..usize::from(to);
                row.power[run.clone()].iter_mut().for_each(|sum| *sum += power);
                for plane in row.by_layer.iter_mut().take(layers.into()) {
                    let own = power / f32::from(layers);
                    plane[run.clone()].iter_mut().for_each(|sum| *sum += own);
                }
                total.power[run].iter_mut().for_each(|sum| *sum += power);
            }
        }
        row.sent[direction as usize].push(sent);
    }

    /// Gives a UE another power in mW in each resource block of what it sends in TTI `tti`.
    pub(crate) fn amend(&mut self, cell: CellId, tti: u64, (ue, power): (UeId, f32)) {
        let n = self.row(cell, tti);
        debug_assert!(!self.was_received(tti), "TTI {tti} is amended after it was received");
        let row = &mut self.rows[n];
        if row.tti == tti {
            let sent = &mut row.sent[Direction::Uplink as usize];
            sent.iter_mut().filter(|own| own.ue == ue).for_each(|own| own.power = power);
            row.runs.iter_mut().filter(|own| own.ue == ue).for_each(|own| own.power = power);
        }
    }

    fn was_received(&self, tti: u64) -> bool {
        let received = |cell| {
            let slot = &self.disturbances[self.row(CellId(cell), tti)];
            slot.lock().unwrap_or_else(PoisonError::into_inner).tti == tti
        };
        (0..self.cells as u16).any(received)
    }

    fn row(&self, cell: CellId, tti: u64) -> usize {
        (tti & (self.depth - 1)) as usize * self.cells + cell.index()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_may_share_it() {
        let mut air = OnAir::new(3, 6, 4);
        let sent = Sent { ue: UeId(0), blocks: ResourceBlocks::range(0, 3), power: 1.0, layers: 1 };
        air.write(CellId(0), Direction::Uplink, 5, sent);
        let fill = |cell: u16| air.disturbance(CellId(cell), 5, |all| all.fill(f32::from(cell)));
        std::thread::scope(|scope| {
            for cell in 0..3 {
                scope.spawn(move || assert_eq!(fill(cell).power, [f32::from(cell); 8]));
            }
        });
        // Computed once.
        let again = air.disturbance(CellId(2), 5, |_| panic!("it is known"));
        assert_eq!(again.power[7], 2.0);
    }

    #[test]
    fn a_ue_gets_another_power() {
        let (mut air, up) = (OnAir::new(2, 6, 4), Direction::Uplink);
        let sent = |ue: u32, power| Sent {
            ue: UeId(ue),
            blocks: ResourceBlocks::range(3 * ue as u16, 3),
            power,
            layers: 1,
        };
        for (cell, ue, tti) in [(0, 0, 5), (0, 1, 5), (1, 0, 5), (0, 0, 6)] {
            air.write(CellId(cell), up, tti, sent(ue, 1.0));
        }
        air.amend(CellId(0), 5, (UeId(0), 0.25));
        assert_eq!(air.sent(CellId(0), up, 5), [sent(0, 0.25), sent(1, 1.0)]);
        let powers = |air: &OnAir, cell, tti| -> Vec<f32> {
            air.runs(CellId(cell), tti).iter().map(|run| run.power).collect()
        };
        assert_eq!(powers(&air, 0, 5), [0.25, 1.0]);
        assert_eq!([powers(&air, 1, 5), powers(&air, 0, 6)], [[1.0], [1.0]]);
        // A TTI that the ring has forgotten stays forgotten.
        air.amend(CellId(0), 2, (UeId(0), 0.25));
        assert_eq!(powers(&air, 0, 6), [1.0]);
    }

    #[test]
    fn the_ring_forgets_what_is_too_long_ago() {
        let mut air = OnAir::new(2, 6, 4);
        let sent =
            |ue| Sent { ue: UeId(ue), blocks: ResourceBlocks::range(0, 3), power: 1.0, layers: 1 };
        let down = Direction::Downlink;
        air.write(CellId(1), down, 5, sent(0));
        air.write(CellId(1), down, 5, sent(1));
        air.write(CellId(0), down, 6, sent(2));
        assert_eq!(air.sent(CellId(1), down, 5), [sent(0), sent(1)]);
        assert_eq!(air.sent(CellId(0), down, 5), []);
        assert_eq!(air.sent(CellId(1), Direction::Uplink, 5), []);
        air.write(CellId(1), down, 9, sent(3));
        assert_eq!(air.sent(CellId(1), down, 5), []);
        assert_eq!(air.sent(CellId(1), down, 9), [sent(3)]);
    }
}
