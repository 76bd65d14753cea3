//! Checks of the cell.

use crate::file::Scenario;

use super::Checker;

pub(super) fn check(scenario: &Scenario, checker: &mut Checker<'_>) {
    let cell = &scenario.cell;
    // TS 36.211, table 6.7-1.
    let symbols = if cell.resource_blocks > 10 { 1..=3 } else { 2..=4 };
    if !symbols.contains(&cell.control_symbols) {
        let is_wrong = format!("cannot be {}", cell.control_symbols);
        let allowed = format!(
            "{} to {} with {} resource blocks (TS 36.211, table 6.7-1)",
            symbols.start(),
            symbols.end(),
            cell.resource_blocks
        );
        checker.fail("cell.control_symbols", &is_wrong, allowed);
    }
    let adaptation = &cell.link_adaptation;
    if adaptation.min_mcs > adaptation.max_mcs {
        let allowed = format!("at most max_mcs, {}", adaptation.max_mcs);
        checker.fail("cell.link_adaptation.min_mcs", "is above max_mcs", allowed);
    }
    let uplink = &cell.uplink;
    if uplink.min_resource_blocks > cell.resource_blocks {
        let allowed = format!("at most {}", cell.resource_blocks);
        checker.fail("cell.uplink.min_resource_blocks", "is more than the cell has", allowed);
    }
    let whole = |path: &str, time: airpath_base::Duration, checker: &mut Checker<'_>| {
        if !(time % cell.tti).is_zero() {
            checker.fail(path, "is no multiple of the tti", format!("whole times {}", cell.tti));
        }
    };
    whole("cell.uplink.sr_period", uplink.sr_period, checker);
    whole("cell.uplink.bsr_period", uplink.bsr_period, checker);
    if let Some(offset) = uplink.sr_offset {
        whole("cell.uplink.sr_offset", offset, checker);
        if offset >= uplink.sr_period {
            let allowed = format!("less than sr_period, {}", uplink.sr_period);
            checker.fail("cell.uplink.sr_offset", "is beyond the period", allowed);
        }
    }
}
