//! Checks of the antenna ports of a network's cells, and of their panel.

use airpath_channel::precoding::Panel;

use super::Checker;
use crate::file::{Cell, Network, NetworkPrecoding, PrecodingCodebook, PrecodingScheme};

/// Paths of keys.
const PORTS: &str = "network.precoding.ports";
const COLUMNS: &str = "network.precoding.columns";
/// Numbers of ports without a panel, and all numbers.
const FEW: &str = "1, 2 or 4";
const ALL: &str = "1, 2, 4, 8, 12, 16, 24 or 32 (TS 38.214, table 5.2.2.2.1-2)";

pub(super) fn check(file: &Network, cell: Option<&Cell>, checker: &mut Checker<'_>) {
    let own = &file.precoding;
    let ports = own.ports.unwrap_or(1);
    if !is_possible(ports) {
        return checker.fail(PORTS, &format!("is {ports}"), ALL);
    }
    check_scheme(own, cell, checker);
    if ports > 4 {
        check_many(own, cell, checker);
    }
    check_panel(own, checker);
}

/// True for a number of ports that a cell may have.
pub(super) fn is_possible(ports: u32) -> bool {
    matches!(ports, 1 | 2) || Panel::usual(ports).is_some()
}

/// One port has no precoding.
fn check_scheme(own: &NetworkPrecoding, cell: Option<&Cell>, checker: &mut Checker<'_>) {
    let several = own.scheme.filter(|scheme| *scheme != PrecodingScheme::SinglePort);
    if let Some(scheme) = several.filter(|_| own.ports == Some(1)) {
        let is_wrong = format!("is one, and \"{}\" needs several", scheme.word());
        let allowed = match cell.and_then(|cell| cell.transmission_mode) {
            Some(_) => "2 or 4, or cell.transmission_mode = 1",
            None => "2 or 4, or scheme = \"single-port\"",
        };
        checker.fail(PORTS, &is_wrong, allowed);
    }
}

/// Ports beyond four, which NR has with closed loop alone.
fn check_many(own: &NetworkPrecoding, cell: Option<&Cell>, checker: &mut Checker<'_>) {
    let is_wrong = format!("is {}", own.ports.unwrap_or(1));
    if let Some(cell) = cell.filter(|cell| !cell.is_nr()) {
        let mode = cell.transmission_mode.map(|mode| format!(" with mode {mode}"));
        let is_wrong =
            format!("{is_wrong}, and cell.technology is \"lte\"{}", mode.unwrap_or_default());
        let allowed = format!("{FEW} with LTE, or set cell.technology = \"nr\"");
        return checker.fail(PORTS, &is_wrong, allowed);
    }
    let scheme = own.scheme.unwrap_or(PrecodingScheme::ClosedLoop);
    if scheme != PrecodingScheme::ClosedLoop {
        let is_wrong = format!("{is_wrong}, and network.precoding.scheme is \"{}\"", scheme.word());
        let allowed = format!("{FEW}, or set network.precoding.scheme = \"closed-loop\"");
        return checker.fail(PORTS, &is_wrong, allowed);
    }
    if own.codebook == Some(PrecodingCodebook::Lte) {
        let is_wrong = format!("is \"lte\", and {PORTS} {is_wrong}");
        checker.fail("network.precoding.codebook", &is_wrong, "\"type-1\", or leave it out");
    }
}

/// The panel has as many antennas as ports, and a codebook.
fn check_panel(own: &NetworkPrecoding, checker: &mut Checker<'_>) {
    let (Some(columns), Some(rows), Some(ports)) = (own.columns, own.rows, own.ports) else {
        return;
    };
    let pair = ports == 2 && (columns, rows) == (1, 1);
    if pair || Panel::new(columns, rows).is_some_and(|panel| panel.ports() as u32 == ports) {
        return;
    }
    let is_wrong = format!("are {columns} and rows {rows}, and {PORTS} is {ports}");
    let panels: Vec<String> = match ports {
        1 => {
            return checker.fail(
                COLUMNS,
                &is_wrong,
                "leave out columns and rows, or 2 and more ports",
            );
        }
        2 => vec!["columns = 1 and rows = 1".to_owned()],
        _ => Panel::of_ports(ports)
            .map(|panel| format!("columns = {} and rows = {}", panel.columns(), panel.rows()))
            .collect(),
    };
    let source = "TS 38.214, table 5.2.2.2.1-2";
    checker.fail(COLUMNS, &is_wrong, format!("{} ({source})", panels.join(", or ")));
}
