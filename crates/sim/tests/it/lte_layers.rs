//! Layers of LTE against block sizes of the standard, and transmission modes against each other.

use airpath_results::RunSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

fn ran(text: &str) -> RunSummary {
    let read = Scenario::parse("s.toml", text, &[]);
    let scenario = read.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).expect("a run without failure").summary
}

const FULL: &str = "kind = \"full-buffer\"";

/// A UE alone in 20 MHz of LTE at 40 dB, with one symbol of control.
fn alone(cell: &str, ue: &str, flow: &str) -> RunSummary {
    ran(&format!(
        "duration = \"4 s\"\noutput.warm_up = \"2 s\"\n[cell]\nresource_blocks = 100\n\
         control_symbols = 1\n{cell}\n[[ue]]\nname = \"phone\"\nsnr = \"40 dB\"\nreceivers = 4\n{ue}\n\
         [[flow]]\nname = \"f\"\ndirection = \"down\"\n{flow}\n"
    ))
}

/// Bits of a subframe, of all its transport blocks.
fn bits(summary: &RunSummary) -> f64 {
    let down = &summary.cells[0].down;
    down.bytes as f64 * 8.0 / 2_000.0
}

/// TS 36.213, tables 7.1.7.2.1-1 and 7.1.7.2.2-1: I_TBS 26 and 33 in 100 resource blocks on one layer and on two.
const ONE_AND_TWO: [[f64; 2]; 2] = [[75_376.0, 149_776.0], [97_896.0, 195_816.0]];

#[test]
fn a_ue_alone_has_the_block_sizes_of_its_layers() {
    for (table, [one, two]) in ["64qam", "256qam"].into_iter().zip(ONE_AND_TWO) {
        // TS 36.211, table 6.3.3.2-1: layers of both codewords.
        for (layers, expected) in (1..).zip([one, 2.0 * one, one + two, 2.0 * two]) {
            for mode in [3, 4] {
                let cell = format!(
                    "layers = {layers}\ntransmission_mode = {mode}\n\
                     link_adaptation.mcs_table = \"{table}\""
                );
                let summary = alone(&cell, "", FULL);
                let found = bits(&summary) / expected;
                assert!((found - 1.0).abs() < 0.001, "{table} {layers}: {found}");
                let down = &summary.cells[0].down;
                let shares = down.layers.clone().unwrap_or(vec![1.0]);
                assert_eq!((shares.len(), shares.last()), (layers, Some(&1.0)));
                // Both codewords have the same resource blocks. A grant ends where more bring no larger
                // block: on two layers, 98 have the bits of 100 (table 7.1.7.2.2-1).
                let used = down.resource_blocks as f64 / 2_000.0;
                assert!((97.9..=100.1).contains(&used), "{used}");
            }
        }
    }
}

/// TS 36.306, table 4.1-1: layers, and most bits in a subframe.
#[test]
fn categories_limit_layers_and_bits() {
    for (category, layers, most) in [
        (1, 1, 10_296.0),
        (2, 2, 51_024.0),
        (3, 2, 102_048.0),
        (4, 2, 150_752.0),
        (5, 4, 299_552.0),
    ] {
        // A second UE, without data, may have all layers.
        let ue = format!(
            "category = {category}\n[[ue]]\nname = \"other\"\nsnr = \"9 dB\"\nreceivers = 4"
        );
        let summary = alone("layers = 4", &ue, "ue = \"phone\"\nkind = \"full-buffer\"");
        let found = bits(&summary);
        assert!(found <= most * 1.001 && found > 0.93 * most, "category {category}: {found}");
        let shares = summary.cells[0].down.layers.as_ref().map_or(1, Vec::len);
        assert_eq!(shares, layers, "category {category}");
    }
}

#[test]
fn reference_signals_of_a_ue_take_room() {
    // Of 168 elements 12 are of control. Two cell-specific ports have 12 behind it, and the UE has 12 for two
    // layers, 24 for four: 132 and 120. MCS 26 has 63 776 bits on one layer: (63 776 + 24) / (132 x 600) is
    // 0.81, MCS 27 with 71 112 is 0.90, 28 with 75 376 is 0.95 and too much. On four layers the size of two
    // is that of one twice, and MCS 27 is 0.99.
    let with = |layers: u8| {
        let cell = format!("layers = {layers}\ntransmission_mode = 9");
        bits(&alone(&cell, "", FULL))
    };
    let table = |mcs, layers, blocks| {
        let bytes = match layers {
            1 => airpath_ran::phy::tables::block_bytes(
                airpath_ran::phy::McsTable::Qam64,
                airpath_net::Direction::Downlink,
                mcs,
                blocks,
            ),
            _ => airpath_ran::phy::tables::two_layer_bytes(
                airpath_ran::phy::McsTable::Qam64,
                mcs,
                blocks,
            ),
        };
        f64::from(bytes) * 8.0
    };
    // The largest block of at most 100 resource blocks whose code rate is possible.
    let expected = |elements: f64, layers: u8| {
        let fits = |&(mcs, blocks): &(u8, u16)| {
            let room = elements * 6.0 * f64::from(blocks) * f64::from(layers);
            (table(mcs, layers, blocks) + 24.0) / room <= 0.93
        };
        let all = (0..29).flat_map(|mcs| (1..=100).map(move |blocks| (mcs, blocks)));
        let bits = all.filter(fits).map(|(mcs, blocks)| table(mcs, layers, blocks));
        2.0 * bits.fold(0.0, f64::max)
    };
    assert!((with(2) / expected(132.0, 1) - 1.0).abs() < 0.001);
    assert!((with(4) / expected(120.0, 2) - 1.0).abs() < 0.001);
}

#[test]
fn tcp_fills_two_and_four_layers() {
    let flow = "ue = \"phone\"\nkind = \"tcp\"\ntcp.receive_buffer = \"5 MB\"\ntcp.send_buffer = \"5 MB\"\n\
                tcp.initial_window = 1000\n[[bearer]]\nname = \"default\"\nue = \"phone\"\n\
                default = true\nqueue = \"20 MB\"";
    for (layers, bits) in [(2, 2.0 * 75_376.0), (4, 2.0 * 149_776.0)] {
        let summary = alone(&format!("layers = {layers}"), "", flow);
        let goodput = summary.flows[0].goodput_bps.expect("bytes arrived");
        // Of 1500 bytes 52 are of TCP/IP with timestamps, and about 10 are of PDCP, RLC and MAC.
        let most = bits * 1_000.0 * 1_448.0 / 1_510.0;
        assert!((goodput / most - 1.0).abs() < 0.03, "{layers}: {goodput} of {most}");
    }
}

/// Sum rate of 21 cells, with UEs of as many antennas as ports.
fn sum(mode: u8, (least, most): (u8, u8), ports: u8) -> f64 {
    let summary = ran(&format!(
        "duration = \"1.5 s\"\nseed = 3\noutput.warm_up = \"0.5 s\"\n[cell]\nresource_blocks = 25\n\
         layers = {most}\nmin_layers = {least}\ntransmission_mode = {mode}\n[network]\nsites = 7\n\
         precoding.ports = {ports}\n[[ue]]\nname = \"phone\"\ncount = 42\nreceivers = {ports}\n\
         speed = \"3 km/h\"\n[[flow]]\nname = \"f\"\nkind = \"full-buffer\"\ndirection = \"down\"\n"
    ));
    let cells = summary.cells.iter().filter_map(|cell| cell.down.throughput_bps);
    cells.sum()
}

#[test]
fn modes_of_a_network_are_in_order() {
    for ports in [2, 4] {
        let [diversity, open, closed] =
            [(2, 1), (3, ports), (4, ports)].map(|(mode, most)| sum(mode, (1, most), ports));
        // Precoders that know the channel carry more than those that do not, and layers more than one.
        assert!(diversity < open && open < closed, "{ports}: {diversity} {open} {closed}");
        let single = sum(4, (1, 1), ports);
        assert!(closed > 0.98 * single, "{ports}: {closed} {single}");
    }
}
