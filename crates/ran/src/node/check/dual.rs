//! Checks of dual connectivity.

use airpath_net::Direction;

use super::RanError;
use crate::config::{BearerConfig, CellConfig, DualConnectivity, RanConfig, SplitBearer};
use crate::rlc::Mode;

/// True if dual connectivity can be.
pub(super) fn check(config: &RanConfig) -> Result<(), RanError> {
    let Some(dual) = &config.dual else { return Ok(()) };
    dual.check().map_err(RanError::DualRange)?;
    check_cells(config, dual).and_then(|()| check_bearers(config, dual)).map_err(RanError::Dual)
}

/// True if anchors and legs are cells that can be.
fn check_cells(config: &RanConfig, dual: &DualConnectivity) -> Result<(), &'static str> {
    let Some(setup) = &config.handover else {
        return Err("its UEs need handover");
    };
    if setup.handover.daps || setup.handover.conditional.is_some() {
        return Err("handover with DAPS or by condition is not supported beside it");
    }
    let is_nr = |cell: &CellConfig| cell.technology_in(Direction::Downlink).is_nr();
    let carrier = |cell: &CellConfig| cell.frequency.map(|own| own.carrier);
    let is_leg = |cell: &CellConfig| carrier(cell) == Some(dual.carrier);
    let last = config.cells.iter().filter_map(carrier).max();
    if dual.carrier == 0 || last != Some(dual.carrier) {
        return Err("the carrier of its legs is not the last one behind those of anchors");
    }
    if config.cells.iter().any(|cell| is_leg(cell) != is_nr(cell)) {
        return Err("an anchor is a cell of LTE, and a leg one of NR");
    }
    match config.ues.iter().any(|ue| is_leg(&config.cells[ue.cell.index()])) {
        true => Err("a UE has a leg without an anchor"),
        false => Ok(()),
    }
}

/// True if split bearers can be.
fn check_bearers(config: &RanConfig, dual: &DualConnectivity) -> Result<(), &'static str> {
    let mut seen = Vec::new();
    for SplitBearer { bearer, rlc, duplicates, .. } in &dual.bearers {
        let Some(host) = config.bearers.get(bearer.index()) else {
            return Err("a split bearer is not there");
        };
        if seen.contains(bearer) {
            return Err("a bearer is split twice");
        }
        seen.push(*bearer);
        let BearerConfig { rlc: own, full_buffers, ue, .. } = host;
        let fits = match own.mode {
            Mode::Am(_) | Mode::NrAm(..) => matches!(rlc.mode, Mode::NrAm(..)),
            Mode::Um(_) | Mode::NrUm(_) => matches!(rlc.mode, Mode::NrUm(_)),
        };
        if !fits || (matches!(rlc.mode, Mode::NrUm(_)) && *duplicates == [false; 2]) {
            return Err(
                "a split bearer needs RLC in acknowledged mode or duplication, in the leg that of NR",
            );
        }
        if full_buffers.iter().any(Option::is_some) {
            return Err("a split bearer has no full buffer");
        }
        if config.ues[ue.index()].rrc.is_some() {
            return Err("a UE with a split bearer has no RRC states");
        }
    }
    Ok(())
}
