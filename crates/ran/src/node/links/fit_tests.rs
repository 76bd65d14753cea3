use airpath_base::Db;
use airpath_net::Direction::{Downlink, Uplink};

use super::super::{Expected, Links};
use super::*;
use crate::Tti;
use crate::config::Access;
use crate::mac::ResourceBlocks;
use crate::node::tables::Tables;
use crate::phy::nr::Nr;
use crate::phy::{McsTable, Technology};
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

fn link(sinr_db: f64, full_power: f32) -> Expected {
    Expected {
        number: 0,
        layers: 1,
        sinr: Db(sinr_db).linear(),
        measured: false,
        full_power,
        most_bytes: u32::MAX,
        most_tti_bytes: u32::MAX,
    }
}

fn links(cell: &CellConfig, sinr_db: f64, full_power: f32) -> Links {
    let tables = Tables::of(std::slice::from_ref(cell)).remove(0);
    let [down, up] = [link(sinr_db, f32::INFINITY), link(sinr_db, full_power)];
    Links::new(cell, [vec![down], vec![up]], tables)
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
