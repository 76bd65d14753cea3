//! Defaults of a cell that go by its technology.

use airpath_ran::phy::nr::Nr;
use airpath_schema::units::Hertz;

use crate::bands;
use crate::file::{
    Cell, CodeRate, CqiReference, EffectiveSinr, ErrorCurves, McsTable, McsTables, UserPlane,
};
use crate::interval::Interval;

/// The last MCS of a table up to 256QAM.
const LAST_OF_256QAM: u8 = 27;

/// Most resource blocks of a carrier of LTE (TS 36.104, table 5.6-1, has 100; TS 36.213, table
/// 7.1.7.2.1-1, 110).
const MOST_OF_LTE: u16 = 110;

/// Fills them in; `carrier` is that of a network, if there is one.
pub(crate) fn fill(cell: &mut Cell, carrier: Option<Hertz>) {
    bands::fill(cell);
    match cell.is_nr() {
        true => fill_nr(cell, carrier),
        false => fill_lte(cell),
    }
    cell.control_symbols = Some(cell.control_symbols());
    let usual = usual_reference(cell);
    cell.link_adaptation.cqi_reference.get_or_insert(usual);
    let usual = if cell.is_nr() { UserPlane::Nr } else { UserPlane::Lte };
    cell.user_plane.get_or_insert(usual);
}

/// The default by the width of a cell.
pub(crate) fn usual_reference(cell: &Cell) -> CqiReference {
    match cell.is_nr() && cell.resource_blocks() > MOST_OF_LTE {
        true => CqiReference::Grant,
        false => CqiReference::Fifty,
    }
}

/// Resource blocks say the bandwidth, unless both do, which the checks refuse. A single MCS table
/// counts downlink: the uplink has the one up to 64QAM alone.
fn fill_lte(cell: &mut Cell) {
    if let (Some(bandwidth), None) = (cell.bandwidth, cell.resource_blocks) {
        let Some(blocks) = cell.carrier(bandwidth) else { return };
        (cell.resource_blocks, cell.bandwidth) = (Some(blocks.into()), None);
    }
    cell.resource_blocks.get_or_insert(50);
    cell.link_adaptation.code_rate_limit.get_or_insert(CodeRate(Some(0.93)));
    if let Some(tables) = &mut cell.link_adaptation.mcs_table {
        tables.down.get_or_insert(McsTable::Qam64);
        tables.up = Some(McsTable::Qam64);
    }
}

fn fill_nr(cell: &mut Cell, carrier: Option<Hertz>) {
    let numerology = cell.numerology();
    cell.numerology = Some(numerology);
    if cell.tti == Interval::LTE {
        cell.tti = Interval::Nr { mu: numerology, symbols: 14 };
    }
    let usual = if numerology == 3 { 100 } else { 20 };
    cell.bandwidth.get_or_insert(Hertz(usual * 1_000_000));
    cell.dmrs_elements.get_or_insert(Nr::DEFAULT.dmrs_elements);
    cell.x_overhead.get_or_insert(Nr::DEFAULT.overhead);
    let range_2 = bands::is_range_2(cell, carrier);
    let adaptation = &mut cell.link_adaptation;
    adaptation.code_rate_limit.get_or_insert(CodeRate(Some(0.95)));
    let tables = adaptation.mcs_table.get_or_insert(McsTables { down: None, up: None });
    let usual = if range_2 { McsTable::Qam64 } else { McsTable::Qam256 };
    let down = *tables.down.get_or_insert(usual);
    let up = *tables.up.get_or_insert(McsTable::Qam64);
    if down == McsTable::Qam256 && up == McsTable::Qam256 {
        adaptation.max_mcs = adaptation.max_mcs.min(LAST_OF_256QAM);
    }
    adaptation.error_curves.get_or_insert(ErrorCurves::FiveGLena);
    adaptation.effective_sinr.get_or_insert(EffectiveSinr::Exponential);
}
