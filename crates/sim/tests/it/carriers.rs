//! Further carriers, from the file to the results.

use airpath_results::RunSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

fn ran(text: &str) -> RunSummary {
    let read = Scenario::parse("s.toml", text, &[]);
    let scenario = read.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).expect("a run without failure").summary
}

/// Full buffers of a UE in a cell and its carriers.
fn full(keys: &str, ue: &str, direction: &str) -> RunSummary {
    ran(&format!(
        "duration = \"2 s\"\noutput.warm_up = \"1 s\"\n{keys}\n[[ue]]\nname = \"phone\"\n{ue}\n\
         [[flow]]\nname = \"f\"\nkind = \"full-buffer\"\ndirection = \"{direction}\"\n"
    ))
}

/// Bits of a block uplink of each cell, and blocks a second.
fn uplink(summary: &RunSummary) -> Vec<(f64, u64)> {
    let up = summary.cells.iter().map(|cell| &cell.up);
    up.map(|up| (up.bytes as f64 * 8.0 / up.transmissions as f64, up.transmissions)).collect()
}

const LTE: &str = "[cell]\nresource_blocks = 100\nradio.carrier = \"2.12 GHz\"\n\
                   [[carrier]]\nname = \"second\"\nfrequency = \"2.14 GHz\"\nuplink = true\n\
                   activation = \"always\"\n\
                   [[carrier]]\nname = \"third\"\nfrequency = \"1.84 GHz\"\nuplink = true\n";

#[test]
fn three_carriers_of_20_mhz_have_three_blocks_of_the_table() {
    let found = uplink(&full(LTE, "snr = \"40 dB\"", "up"));
    assert_eq!(found.len(), 3);
    // TS 36.213, table 7.1.7.2.1-1: I_TBS 26 in 100 resource blocks. A block a millisecond.
    for (bits, blocks) in found {
        assert_eq!(bits, 75_376.0);
        assert_eq!(blocks, 1_000);
    }
}

/// A window has as many blocks as intervals, with a warm-up too.
#[test]
fn no_more_resource_blocks_are_used_than_there_are() {
    let tdd = "[cell]\ntechnology = \"nr\"\nduplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\n\
               special_slot = \"10:2:2\"\nharq.processes = 32\n";
    let always = LTE.replace("name = \"third\"", "activation = \"always\"\nname = \"third\"");
    let mini = format!("{tdd}tti = \"mu1/2sym\"\n");
    for (keys, least) in [(&*always, 1.0), (tdd, 1.0), (&*mini, 0.99)] {
        for direction in ["down", "up"] {
            for cell in full(keys, "snr = \"40 dB\"", direction).cells {
                let used = if direction == "up" { cell.utilisation_up } else { cell.utilisation };
                let used = used.expect("resource blocks");
                assert!((least - 1e-9..1.0 + 1e-9).contains(&used), "{keys} {direction}: {used}");
            }
        }
    }
}

#[test]
fn a_ue_sends_on_as_many_carriers_as_it_can() {
    let found = full(LTE, "snr = \"40 dB\"\nuplink_carriers = 2", "up");
    let sent: Vec<bool> = found.cells.iter().map(|cell| cell.up.transmissions > 0).collect();
    assert_eq!(sent, [true, true, false]);
}

#[test]
fn nr_with_100_and_20_mhz_has_the_sum_of_both() {
    let keys = "[cell]\ntechnology = \"nr\"\nnumerology = 0\nbandwidth = \"20 MHz\"\n\
                radio.carrier = \"1.84 GHz\"\n[[carrier]]\nname = \"wide\"\nfrequency = \"3.5 GHz\"\n\
                numerology = 1\nbandwidth = \"100 MHz\"\nduplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\n\
                special_slot = \"10:2:2\"\nuplink = true\nactivation = \"always\"\n";
    let [alone, both] = [1, 2].map(|carriers| {
        let ue = format!("snr = \"40 dB\"\nuplink_carriers = {carriers}");
        uplink(&full(keys, &ue, "up"))
    });
    // The cell sends what it sends alone: a block in each slot of 1 ms.
    assert_eq!(both[0].0, alone[0].0);
    assert_eq!(both[0].1, 1_000);
    // TS 38.214, 6.1.4.2, by fractions: MCS 28 of 64QAM in 273 resource blocks of 14 symbols, one with
    // reference signals. One slot of five is for the uplink, of 2000 a second.
    assert_eq!(both[1].0, 237_776.0);
    assert_eq!(both[1].1, 400);
}

/// Bits of TS 36.306, table 4.1-1, over carriers of 20 MHz. With three control symbols the largest block has
/// 63 776 bits (TS 36.213, table 7.1.7.2.1-1, I_TBS 25).
#[test]
fn a_category_counts_over_carriers() {
    let keys = LTE.replace("name = \"third\"", "activation = \"always\"\nname = \"third\"");
    // Three carriers send 191 328 bits, below the 452 256 of category 9.
    for (category, most) in [(3, 102_048.0), (4, 150_752.0), (9, 3.0 * 63_776.0)] {
        let ue = format!("snr = \"40 dB\"\ncategory = {category}");
        let found = full(&keys, &ue, "down");
        let down = found.cells.iter().map(|cell| &cell.down);
        let bits: Vec<f64> = down.map(|down| down.bytes as f64 * 8.0 / 1_000.0).collect();
        let share = bits.iter().sum::<f64>() / most;
        assert!((0.99..=1.002).contains(&share), "{category}: {bits:?}");
        // The cell goes first.
        assert!((bits[0] / 63_776.0 - 1.0).abs() < 0.002, "{category}: {bits:?}");
    }
}

/// A UE at 1.2 km, whose power suffices for two resource blocks of a carrier at 3.5 GHz. The first carrier
/// takes all of it, and both together send no more than the power allows.
#[test]
fn carriers_share_the_power_of_a_ue() {
    let keys = |uplink: bool| {
        format!(
            "[cell]\ntechnology = \"nr\"\nbandwidth = \"50 MHz\"\nduplex = \"tdd\"\n\
             tdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"\nradio.carrier = \"3.5 GHz\"\n\
             [[carrier]]\nname = \"b\"\nfrequency = \"3.6 GHz\"\nuplink = {uplink}\n\
             activation = \"always\"\n"
        )
    };
    let [one, two] = [false, true].map(|uplink| full(&keys(uplink), "distance = \"1200 m\"", "up"));
    let bytes = |summary: &RunSummary| summary.cells.iter().map(|cell| cell.up.bytes).sum::<u64>();
    let gain = bytes(&two) as f64 / bytes(&one) as f64;
    assert!((0.98..1.05).contains(&gain), "{gain}");
    // Nearer, power suffices for all resource blocks of both.
    let [one, two] = [false, true].map(|uplink| full(&keys(uplink), "distance = \"100 m\"", "up"));
    let gain = bytes(&two) as f64 / bytes(&one) as f64;
    assert!((1.9..=2.01).contains(&gain), "{gain}");
}

/// 3 cells with full buffers of 12 UEs, on one carrier or two that are alike but for their fading.
fn network(carriers: &str) -> RunSummary {
    ran(&format!(
        "duration = \"5 s\"\noutput.warm_up = \"1 s\"\n[cell]\nresource_blocks = 25\n\
         scheduler = \"round-robin\"\n[network]\nsites = 1\nsite_distance = \"500 m\"\n\
         carrier = \"2 GHz\"\n{carriers}[[ue]]\nname = \"phone\"\ncount = 12\n[[flow]]\n\
         name = \"down\"\nkind = \"full-buffer\"\ndirection = \"down\"\n"
    ))
}

#[test]
fn cells_of_a_network_disturb_each_other_on_the_same_carrier() {
    let carrier = "[[carrier]]\nname = \"b\"\nfrequency = \"2.01 GHz\"\nactivation = \"always\"\n";
    let (one, two) = (network(""), network(carrier));
    let names: Vec<&str> = two.cells.iter().map(|cell| &*cell.name).collect();
    assert_eq!(names, ["cell-0", "cell-1", "cell-2", "b-0", "b-1", "b-2"]);
    let bytes = |summary: &RunSummary, cells: core::ops::Range<usize>| {
        summary.cells[cells].iter().map(|cell| cell.down.bytes as f64).sum::<f64>()
    };
    // With interference from the same carrier alone, each carries what one carries by itself. Interference
    // of both would halve the SINR at least.
    let alone = bytes(&one, 0..3);
    for cells in [0..3, 3..6] {
        let share = bytes(&two, cells.clone()) / alone;
        assert!((0.95..1.05).contains(&share), "{cells:?}: {share}");
    }
}

#[test]
fn carriers_of_a_network_have_the_loss_of_their_frequency() {
    // One cell and a UE in line of sight, whose channel does not change: SNR alone counts. TR 38.901, table
    // 7.4.1-1: UMi in line of sight loses 20 lg f, 6.02 dB for an octave.
    let mcs = |frequency: &str, offset: f64| {
        let summary = ran(&format!(
            "duration = \"1 s\"\n[cell]\nresource_blocks = 50\n[network]\nlayout = \"single\"\n\
             environment = \"umi\"\ncarrier = \"1 GHz\"\ntransmit_power = \"-33 dBm\"\n\
             fading = {{ scatterers = \"0 km/h\", delay_spread = \"100 ns\" }}\n\
             [[carrier]]\nname = \"b\"\nfrequency = \"{frequency}\"\n\
             activation = \"always\"\nsnr_offset = \"{offset} dB\"\n\
             [[ue]]\nname = \"phone\"\nplace = {{ x = \"15 m\", y = \"0 m\" }}\n\
             [[flow]]\nname = \"down\"\nkind = \"full-buffer\"\ndirection = \"down\"\n"
        ));
        summary.cells[1].down.mean_mcs.expect("blocks")
    };
    let [low, high, mended] = [("1.1 GHz", 0.0), ("2.2 GHz", 0.0), ("2.2 GHz", 6.0206)]
        .map(|(frequency, offset)| mcs(frequency, offset));
    assert!(high + 2.0 < low, "{low} {high}");
    assert!((mended - low).abs() < 0.05, "{low} {mended}");
}

/// A cell of a network and a UE 15 m away in line of sight, whose channel does not change.
fn near(cell: &str, network: &str, carrier: &str) -> String {
    format!(
        "[cell]\n{cell}\n[network]\nlayout = \"single\"\nenvironment = \"umi\"\n{network}\n\
         fading = {{ scatterers = \"0 km/h\", delay_spread = \"100 ns\" }}\n\
         [[carrier]]\nname = \"b\"\nuplink = true\nactivation = \"always\"\n{carrier}\n"
    )
}

const NEAR: &str = "place = { x = \"15 m\", y = \"0 m\" }";
/// 28 dB above the noise of 180 kHz with 5 dB of noise figure, as the loss is made up for.
const STRONG: &str = "uplink = { p0 = \"-88 dBm\", alpha = 1.0 }";

#[test]
fn a_ue_alone_in_a_network_has_the_blocks_of_both_carriers() {
    let network = |hertz: &str| format!("carrier = \"{hertz}\"\n{STRONG}");
    let lte = near("resource_blocks = 100", &network("2.12 GHz"), "frequency = \"2.14 GHz\"");
    // TS 36.213, table 7.1.7.2.1-1: I_TBS 26 in 100 resource blocks. A block a millisecond.
    assert_eq!(uplink(&full(&lte, NEAR, "up")), [(75_376.0, 1_000); 2]);
    let one = format!("{NEAR}\nuplink_carriers = 1");
    let alone = full(&lte, &one, "up");
    let sent: Vec<u64> = alone.cells.iter().map(|cell| cell.up.transmissions).collect();
    assert_eq!(sent, [1_000, 0]);
    // TS 38.214, 6.1.4.2: MCS 28 of 64QAM in 273 resource blocks, one slot of five.
    let tdd = "technology = \"nr\"\nbandwidth = \"100 MHz\"\nduplex = \"tdd\"\n\
               tdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"";
    let nr = near(tdd, &network("3.5 GHz"), "frequency = \"3.61 GHz\"");
    assert_eq!(uplink(&full(&nr, NEAR, "up")), [(237_776.0, 400); 2]);
}

#[test]
fn the_uplink_of_a_carrier_has_the_loss_of_its_frequency() {
    // Power makes up for the loss at 2.2 GHz. TR 38.901, table 7.4.1-1: UMi in line of sight loses 20 lg f,
    // 6.02 dB less at half of it, and 0.20 dB less at 2.15 GHz.
    let mcs = |frequency_up: &str, p0: f64| {
        let network = format!("carrier = \"2 GHz\"\nuplink = {{ p0 = \"{p0} dBm\", alpha = 1.0 }}");
        let carrier = format!("frequency = \"2.2 GHz\"\nfrequency_up = \"{frequency_up}\"");
        let summary = full(&near("resource_blocks = 50", &network, &carrier), NEAR, "up");
        summary.cells[1].up.mean_mcs.expect("blocks")
    };
    let [low, high, mended] = [("1.1 GHz", -106.0), ("2.15 GHz", -106.0), ("2.15 GHz", -100.18)]
        .map(|(frequency_up, p0)| mcs(frequency_up, p0));
    assert!(high + 2.0 < low, "{low} {high}");
    assert!((mended - low).abs() < 0.05, "{low} {mended}");
}
