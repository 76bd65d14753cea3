//! Checks of what LTE and NR have each.

use airpath_schema::Value;
use airpath_schema::units::{Hertz, Quantity};

use crate::bands;
use crate::file::{Cell, McsTable};
use crate::interval::Interval;

use super::Checker;

/// Keys that only NR has.
const OF_NR: [&str; 5] = [
    "numerology",
    "dmrs_elements",
    "x_overhead",
    "link_adaptation.error_curves",
    "link_adaptation.effective_sinr",
];
/// Hertz of a resource block of LTE (TS 36.211, table 6.2.3-1: 12 subcarriers of 15 kHz).
const LTE_BLOCK_HZ: f64 = 180e3;
/// Subcarriers of a resource block (TS 38.211, 4.4.4.1).
const SUBCARRIERS: u8 = 12;

pub(super) fn check(cell: &Cell, checker: &mut Checker<'_>) {
    check_tables(cell, checker);
    if let Some(fault) = bands::fault(cell) {
        checker.fail(&format!("cell.radio.{}", fault.key), &fault.is_wrong, fault.allowed);
    }
}

/// Checks of all but frequencies.
pub(super) fn check_tables(cell: &Cell, checker: &mut Checker<'_>) {
    match cell.is_nr() {
        true => check_nr(cell, checker),
        false => check_lte(cell, checker),
    }
    check_bandwidth(cell, checker);
}

fn check_lte(cell: &Cell, checker: &mut Checker<'_>) {
    for key in OF_NR {
        let path = format!("cell.{key}");
        if checker.given(&path).is_some() {
            let allowed = "leave it out, or set cell.technology = \"nr\"";
            checker.fail(&path, "does not count with LTE", allowed);
        }
    }
    let up = "cell.link_adaptation.mcs_table.up";
    if matches!(checker.given(up), Some(Value::String(table)) if table != "64qam") {
        let allowed = "\"64qam\" with LTE, or leave it out: { down = \"256qam\" }";
        checker.fail(up, "is NR's", allowed);
    }
    let down = cell.link_adaptation.mcs_table.as_ref().and_then(|tables| tables.down);
    if down == Some(McsTable::Qam64LowSe) {
        let allowed = "\"64qam\" or \"256qam\" with LTE, or set cell.technology = \"nr\"";
        checker.fail("cell.link_adaptation.mcs_table", "is NR's", allowed);
    }
    // TS 36.211, table 6.7-1.
    let blocks = cell.resource_blocks();
    let symbols = if blocks > 10 { 1..=3 } else { 2..=4 };
    if !symbols.contains(&cell.control_symbols()) {
        let is_wrong = format!("cannot be {}", cell.control_symbols());
        let allowed = format!(
            "{} to {} with {blocks} resource blocks (TS 36.211, table 6.7-1)",
            symbols.start(),
            symbols.end(),
        );
        checker.fail("cell.control_symbols", &is_wrong, allowed);
    }
}

fn check_nr(cell: &Cell, checker: &mut Checker<'_>) {
    check_interval(cell, checker);
    let control = cell.control_symbols();
    if control > 3 {
        let allowed = "0 to 3 with NR (TS 38.211, 7.3.2.2)";
        checker.fail("cell.control_symbols", &format!("cannot be {control}"), allowed);
    }
    let lost = cell.dmrs_elements.unwrap_or(0) + cell.x_overhead.unwrap_or(0);
    let all = SUBCARRIERS * cell.symbols();
    let left = all.saturating_sub(SUBCARRIERS * control);
    if left <= lost {
        let is_wrong = "leaves no room for data";
        let allowed = format!(
            "of {all} resource elements of a resource block and interval, control_symbols takes \
             {}, dmrs_elements and x_overhead {lost}",
            all - left
        );
        checker.fail("cell.control_symbols", is_wrong, allowed);
    }
}

/// The interval is a slot or mini-slot of the numerology.
fn check_interval(cell: &Cell, checker: &mut Checker<'_>) {
    let numerology = cell.numerology();
    let allowed = format!("\"mu{numerology}\", or \"mu{numerology}/7sym\", /4sym or /2sym");
    let Interval::Nr { mu, .. } = cell.tti else {
        checker.fail("cell.tti", "is no slot of NR", allowed);
        return;
    };
    let written = match checker.given("cell.tti") {
        Some(Value::String(text)) => text.trim().starts_with("mu"),
        _ => true,
    };
    if numerology > airpath_ran::phy::nr::MAX_NUMEROLOGY {
        checker.fail("cell.tti", "is of numerology 4", "mu0 to mu3 with NR's tables");
    } else if mu != numerology || (!written && numerology != 0) {
        let is_wrong = format!("is not of numerology {numerology}");
        checker.fail("cell.tti", &is_wrong, format!("{allowed}; or leave it out"));
    }
}

/// Key of an NR cell that replaces `resource_blocks` of an LTE cell: the narrowest carrier with as
/// many hertz.
fn instead_of_blocks(cell: &Cell, checker: &Checker<'_>) -> String {
    let blocks = match checker.given("cell.resource_blocks") {
        Some(Value::Integer(blocks)) => *blocks as f64,
        _ => 0.0,
    };
    let hertz = blocks * LTE_BLOCK_HZ;
    let all = cell.bandwidths();
    let wide = |bandwidth: &&Hertz| {
        let blocks = cell.carrier(**bandwidth).unwrap_or(0);
        f64::from(blocks) * cell.resource_block_hz() >= hertz
    };
    let Some(found) = all.iter().find(wide).or(all.last()) else {
        return "with NR, bandwidth says how wide the carrier is".to_owned();
    };
    let (blocks, bandwidth) = (cell.carrier(*found).unwrap_or(0), found.show());
    format!(
        "leave it out and write bandwidth = \"{bandwidth}\", which is {blocks} resource blocks of \
         NR; with a file that has it: --unset cell.resource_blocks --set \
         cell.bandwidth=\"{bandwidth}\""
    )
}

fn check_bandwidth(cell: &Cell, checker: &mut Checker<'_>) {
    let blocks_given = checker.given("cell.resource_blocks").is_some();
    if blocks_given && checker.given("cell.bandwidth").is_some() {
        let allowed = "one of the two; --unset cell.resource_blocks takes that key out";
        checker.fail("cell.bandwidth", "is given beside resource_blocks", allowed);
        return;
    }
    if blocks_given && cell.is_nr() {
        let allowed = instead_of_blocks(cell, checker);
        checker.fail("cell.resource_blocks", "is LTE's", allowed);
    }
    let Some(bandwidth) = cell.bandwidth.filter(|bandwidth| cell.carrier(*bandwidth).is_none())
    else {
        return;
    };
    let all: Vec<String> = cell.bandwidths().iter().map(Quantity::show).collect();
    if all.is_empty() {
        return; // the numerology is none of these
    }
    let all = all.join(", ");
    let allowed = match cell.is_nr() {
        true => format!(
            "with numerology {} one of {all} (TS 38.101-1, TS 38.101-2, tables 5.3.2-1)",
            cell.numerology()
        ),
        false => format!("with LTE one of {all} (TS 36.104, table 5.6-1)"),
    };
    checker.fail("cell.bandwidth", &format!("cannot be {}", bandwidth.show()), allowed);
}
