//! The uplink's power control, of a network and of a single cell.

use airpath_base::{Db, Dbm};
use airpath_ran::phy::PowerControl;

use crate::file::{Cell, UplinkPowerControl};

/// Power of the UEs of a cell: `most` over all resource blocks; P0 and alpha count with fractional
/// power control.
pub(super) fn power_control(
    cell: &Cell,
    kind: UplinkPowerControl,
    most: Dbm,
    (p0, alpha): (Dbm, f64),
) -> PowerControl {
    match kind {
        UplinkPowerControl::Off => PowerControl::Full { most },
        UplinkPowerControl::Fractional => {
            // P0 is of 12 subcarriers 15 kHz apart: 10 log10(2^mu M), TS 38.213, 7.1.1.
            let wider = Db::from_linear(f64::from(1u32 << cell.numerology()));
            PowerControl::Fractional { most, target: p0 + wider, share: alpha }
        }
    }
}
