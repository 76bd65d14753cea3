use airpath_base::Db;
use airpath_net::Direction::{Downlink, Uplink};

use super::super::{Expected, Links};
use super::*;
use crate::Tti;
use crate::config::Access;
use crate::duplex::{Duplex, Pattern, SpecialSlot};
use crate::mac::ResourceBlocks;
use crate::node::tables::Tables;
use crate::phy::nr::Nr;
use crate::phy::{McsTable, Technology};
use crate::rates::Scheme;
use crate::testing::cell;

const TARGET: f64 = 0.1;

fn carrier(technology: Technology, resource_blocks: u16) -> CellConfig {
    let mut cell = cell(Access::Instant);
    (cell.resource_blocks, cell.technology) = (resource_blocks, [technology; 2]);
    cell.adaptation.by_grant = true;
    if matches!(technology, Technology::Nr(_)) {
        cell.tti = Tti::nr(1, 14).expect("a slot");
        (cell.adaptation.control_symbols, cell.adaptation.code_rate_limit) = (1, Some(0.95));
    }
    cell
}

fn link(sinr_db: f64, full_power: f32, layers: u8) -> Expected {
    Expected {
        number: 0,
        layers,
        sinr: Db(sinr_db).linear(),
        measured: false,
        full_power,
        most_bytes: u32::MAX,
        most_tti_bytes: u32::MAX,
    }
}

fn links(cell: &CellConfig, sinr_db: f64, full_power: f32) -> Links {
    let tables = Tables::of(std::slice::from_ref(cell)).remove(0);
    let [layers, up_layers] = cell.layers;
    let down = link(sinr_db, f32::INFINITY, layers);
    let up = link(sinr_db, full_power, up_layers);
    Links::new(cell, [vec![down], vec![up]], tables)
}

/// A carrier of 75 resource blocks with time division duplex and four layers, two uplink with NR. The
/// reference is one of 50 resource blocks.
fn layered(technology: Technology) -> CellConfig {
    let mut cell = carrier(technology, 75);
    cell.adaptation.by_grant = false;
    let (layers, pattern) = match technology {
        Technology::Lte(_) => ([4, 1], Pattern::lte(1, 7)),
        Technology::Nr(_) => ([4, 2], Pattern::new("DDDSU", SpecialSlot::new(10, 2, 2)).ok()),
    };
    cell.layers = layers;
    cell.duplex = Duplex::Tdd(pattern.expect("a pattern"));
    cell.duplex = cell.duplex.with_control(cell.adaptation.control_symbols);
    cell
}

/// With several layers no block above MCS 0 fails more often than it may, in whole and in special slots. A fixed
/// number of layers never carries more.
#[test]
fn layers_are_those_that_carry_most_in_each_grant() {
    let nr = |mcs_table| Technology::Nr(Nr { mcs_table, ..Nr::DEFAULT });
    let lte = [McsTable::Qam64, McsTable::Qam256].map(Technology::Lte);
    for technology in lte.into_iter().chain([nr(McsTable::Qam64), nr(McsTable::Qam256)]) {
        let cell = layered(technology);
        for db in (-4..=36).step_by(4) {
            for direction in [Downlink, Uplink] {
                compare_with_fixed_layers(&cell, direction, f64::from(db));
            }
        }
    }
}

fn compare_with_fixed_layers(cell: &CellConfig, direction: Direction, db: f64) {
    let (technology, most) = (cell.technology_in(direction), cell.layers[direction as usize]);
    let own = links(cell, db, f32::INFINITY);
    let fixed = (1..=most).map(|layers| {
        let least_layers = [layers; 2];
        links(&CellConfig { least_layers, ..cell.clone() }, db, f32::INFINITY)
    });
    let fixed: Vec<Links> = fixed.collect();
    let ratio = |scheme: Scheme| Db(db).linear() / f64::from(scheme.layers);
    let fails = |scheme: Scheme| {
        let error = |one: Scheme| technology.error_at(one.mcs, ratio(scheme), one.bytes);
        scheme.each().any(|one| error(one) > TARGET)
    };
    let parts = cell.duplex.part_symbols(direction).into_iter();
    for symbols in parts.chain([SLOT_SYMBOLS]) {
        for count in [1, 2, 3, 5, 8, 13, 25, 50, 75] {
            let all = ResourceBlocks::range(0, count);
            let scheme = |links: &Links| links.scheme((direction, symbols), UeIndex::new(0), &all);
            let found = scheme(&own);
            let case = format!("{technology:?} {db} dB {symbols} {count} {found:?}");
            assert!(!fails(found) || found.mcs == 0, "{case}");
            for other in fixed.iter().map(scheme).filter(|other| !fails(*other)) {
                assert!(found.all_bytes() >= other.all_bytes(), "{case} {other:?}");
            }
        }
    }
}

/// Widths of LTE (TS 36.104, table 5.6-1) and of NR (TS 38.101-1, table 5.3.2-1).
fn carriers() -> Vec<CellConfig> {
    let nr = |mcs_table| Technology::Nr(Nr { mcs_table, ..Nr::DEFAULT });
    let mut all = Vec::new();
    for table in [McsTable::Qam64, McsTable::Qam256] {
        all.extend([6, 15, 25, 50, 75, 100].map(|n| carrier(Technology::Lte(table), n)));
        all.extend([11, 24, 51, 79, 106, 133, 162, 217, 273].map(|n| carrier(nr(table), n)));
    }
    all
}

/// Above MCS 0, which is the least there is, no block fails more often than the target.
#[test]
fn blocks_of_each_size_fail_no_more_often_than_they_may() {
    let ue = UeIndex::new(0);
    for cell in carriers() {
        let mut links = links(&cell, -5.0, f32::INFINITY);
        for half_db in -10..=70 {
            let sinr = Db(f64::from(half_db) / 2.0).linear();
            for direction in [Downlink, Uplink] {
                links.fix(&cell, direction, ue, sinr);
                let technology = cell.technology_in(direction);
                for count in 1..=cell.resource_blocks {
                    let blocks = ResourceBlocks::range(0, count);
                    let scheme = links.scheme((direction, SLOT_SYMBOLS), ue, &blocks);
                    let error = technology.error_at(scheme.mcs, sinr, scheme.bytes);
                    assert!(
                        error <= TARGET || scheme.mcs == 0,
                        "{count} {half_db} {scheme:?} {error}"
                    );
                }
            }
        }
    }
}

/// Code blocks of 8 448 bits at most with 24 of check each (TS 38.212, 5.2.2): 237 776 bits are 29 of
/// them, so that each may fail with 1 - 0.9^(1/29) = 0.0036 only.
#[test]
fn a_wide_block_has_a_lower_scheme_where_one_of_50_barely_suffices() {
    let technology = Technology::Nr(Nr::DEFAULT);
    let wide = carrier(technology, 273);
    let fifty = CellConfig {
        adaptation: crate::phy::LinkAdaptation { by_grant: false, ..wide.adaptation },
        ..wide.clone()
    };
    let (format, ue, all) = (wide.format(Uplink), UeIndex::new(0), ResourceBlocks::range(0, 273));
    // The SINR from which on a block of 50 resource blocks has MCS 28.
    let db = format.needed_db(28, TARGET) + 0.01;
    let mcs = |cell| links(cell, db, f32::INFINITY).scheme((Uplink, SLOT_SYMBOLS), ue, &all).mcs;
    let error = |mcs| {
        let bytes = format.block_bytes(Uplink, mcs, 273, SLOT_SYMBOLS);
        technology.error_at(mcs, Db(db).linear(), bytes)
    };
    assert_eq!(mcs(&fifty), 28);
    assert!(error(28) > 0.25, "{}", error(28));
    assert!(mcs(&wide) < 28 && error(mcs(&wide)) <= TARGET, "{}", mcs(&wide));
}

/// Power for 20 resource blocks: in 80 of them a fourth, 6 dB less.
#[test]
fn power_of_the_uplink_is_shared() {
    let cell = carrier(Technology::Nr(Nr::DEFAULT), 217);
    let (links, ue) = (links(&cell, 4.0, 20.0), UeIndex::new(0));
    let (bytes, most) = links.uplink(ue, SLOT_SYMBOLS);
    assert!(bytes.windows(2).all(|pair| pair[0] <= pair[1]) && most > 20);
    for count in 1..=most {
        let blocks = ResourceBlocks::range(0, count);
        let scheme = links.scheme((Uplink, SLOT_SYMBOLS), ue, &blocks);
        let sinr = Db(4.0).linear() * 217.0 / f64::from(count.max(20));
        let error = cell.technology_in(Uplink).error_at(scheme.mcs, sinr, scheme.bytes);
        assert!(error <= TARGET, "{count} {scheme:?} {error}");
    }
}
