use airpath_net::Direction::{Downlink, Uplink};
use proptest::prelude::*;

use super::*;
use crate::phy::nr::Nr;
use crate::phy::{McsTable, block_error, tables};

const LTE: Format = Format {
    technology: Technology::Lte(McsTable::Qam64),
    tti: Tti::LTE,
    control_symbols: 3,
    layers: 1,
    reference: ReferenceSignals::ONE_PORT,
};

/// With one symbol of control.
fn nr(nr: Nr) -> Format {
    let tti = Tti::nr(1, nr.symbols).expect("an interval");
    Format {
        technology: Technology::Nr(nr),
        tti,
        control_symbols: 1,
        layers: 1,
        reference: ReferenceSignals::ONE_PORT,
    }
}

#[test]
fn cqi_rises_with_sinr_from_none_to_all() {
    let large = Format { technology: Technology::Lte(McsTable::Qam256), ..LTE };
    for format in [LTE, large, nr(Nr { mcs_table: McsTable::Qam256, ..Nr::DEFAULT })] {
        let reports: Vec<u8> = (-150..300)
            .map(|tenth| format.cqi(Db(f64::from(tenth) / 10.0).linear(), 0.1))
            .collect();
        assert!(reports.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!((reports[0], reports[reports.len() - 1]), (0, 15));
        // NR's CQI 1 is below all MCS: it stands for MCS 0, as does 2 with table 1.
        assert!((2..=15).all(|cqi| reports.contains(&cqi)));
        assert_eq!(format.cqi(f64::NAN, 0.1), 0);
    }
}

#[test]
fn blocks_of_slots_and_mini_slots() {
    // TS 38.214, 5.1.3.2, by fractions (`block_size.rs`): 51 resource blocks, MCS 16, 12
    // elements of each for reference signals; 13 symbols downlink, 14 uplink; of a mini-slot
    // six and seven.
    let slot = nr(Nr::DEFAULT);
    let sizes = [Downlink, Uplink].map(|way| slot.block_bytes(way, 16, 51, 14) * 8);
    assert_eq!(sizes, [18_960, 20_496]);
    let mini = nr(Nr { symbols: 7, ..Nr::DEFAULT });
    let sizes = [Downlink, Uplink].map(|way| mini.block_bytes(way, 16, 51, 14) * 8);
    assert_eq!(sizes, [7_808, 9_480]);
    // Of a slot that both directions share, nine symbols.
    assert_eq!(slot.block_bytes(Downlink, 16, 51, 9) * 8, 11_016);
    assert_eq!(slot.block_bytes(Downlink, 16, 51, 1), 0);
    assert_eq!(LTE.block_bytes(Downlink, 28, 50, 14), 4_587);
    assert_eq!(LTE.block_bytes(Downlink, 28, 50, 7), 2_293);
}

/// Layers, and bits of two transport blocks.
const LAYERED: [(u8, u32, u32); 4] =
    [(1, 295_176, 17_424), (2, 590_128, 34_816), (3, 868_584, 52_224), (4, 1_179_864, 69_672)];

#[test]
fn blocks_of_several_layers() {
    // TS 38.214, 5.1.3.2, by fractions: resource elements count once for each layer. MCS 27 of 256QAM in
    // 273 resource blocks of 13 symbols, MCS 16 of 64QAM in 51 of 12.
    let large = nr(Nr { mcs_table: McsTable::Qam256, ..Nr::DEFAULT });
    for (layers, wide, narrow) in LAYERED {
        let of = |format: &Format, mcs, blocks, symbols| {
            Format { layers, ..*format }.block_bytes(Downlink, mcs, blocks, symbols) * 8
        };
        assert_eq!(of(&large, 27, 273, 14), wide, "{layers} layers");
        assert_eq!(of(&nr(Nr::DEFAULT), 16, 51, 13), narrow, "{layers} layers");
        // The code rate is that of one layer, but for the quantisation of sizes.
        let rate = Format { layers, ..large }.code_rate(Downlink, 27, 273);
        assert!((rate / (948.0 / 1024.0) - 1.0).abs() < 0.02, "{rate}");
    }
}

#[test]
fn peak_rates_of_layers() {
    // TS 38.306, 4.1.2, with its overhead of 0.14 downlink in FR1: v x 8 x 948/1024 x 273 x 12 x 28 000
    // bit/s. Here the overhead is one symbol of control and one of reference signals of 14: 1/7.
    let format = nr(Nr { mcs_table: McsTable::Qam256, ..Nr::DEFAULT });
    for layers in 1..=4 {
        let standard = f64::from(layers) * 8.0 * 948.0 / 1024.0 * 273.0 * 12.0 * 28_000.0 * 0.86;
        let bits = Format { layers, ..format }.block_bytes(Downlink, 27, 273, 14) * 8;
        let rate = f64::from(bits) * 2_000.0;
        let ratio = rate / standard * 0.86 / (6.0 / 7.0);
        // Sizes are rounded to at most a thirty-second, and to whole code blocks.
        assert!((ratio - 1.0).abs() < 0.02, "{layers}: {ratio}");
    }
}

#[test]
fn code_rates() {
    // (36 696 + 24) / 37 800.
    assert!((LTE.code_rate(Downlink, 28, 50) - 0.971_428_571).abs() < 1e-9);
    // (18 960 + 24) bits in 144 elements of 51 resource blocks, four bits each.
    assert!((nr(Nr::DEFAULT).code_rate(Downlink, 16, 51) - 18_984.0 / 29_376.0).abs() < 1e-12);
    assert_eq!(nr(Nr::DEFAULT).code_rate(Downlink, 16, 0), f64::INFINITY);
}

proptest! {
    #[test]
    fn reported_schemes_meet_the_target(
        large in any::<bool>(),
        sinr in -6.0..30.0,
        target in 0.001..0.5,
    ) {
        let table = if large { McsTable::Qam256 } else { McsTable::Qam64 };
        let format = Format { technology: Technology::Lte(table), ..LTE };
        let linear = Db(sinr).linear();
        let cqi = format.cqi(linear, target);
        prop_assume!(cqi > 0);
        let mcs = format.technology.mcs_for_cqi(cqi);
        let bytes = tables::block_bytes(table, Downlink, mcs, 50);
        prop_assert!(block_error(table, linear, mcs, bytes) <= target);
    }
}
