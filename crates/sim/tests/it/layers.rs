//! Layers against block sizes of the standard, and ranks against each other.

use airpath_results::RunSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

fn ran(text: &str) -> RunSummary {
    let read = Scenario::parse("s.toml", text, &[]);
    let scenario = read.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).expect("a run without failure").summary
}

/// A UE alone in 100 MHz of NR at so many decibels, with 256QAM.
fn alone(snr: &str, layers: u8, flow: &str) -> RunSummary {
    ran(&format!(
        "duration = \"4 s\"\noutput.warm_up = \"2 s\"\n[cell]\ntechnology = \"nr\"\ntti = \"mu1\"\n\
         bandwidth = \"100 MHz\"\nlayers = {layers}\nlink_adaptation.mcs_table = \"256qam\"\n\
         [[ue]]\nname = \"phone\"\nsnr = \"{snr}\"\nreceivers = 4\n[[flow]]\nname = \"f\"\n\
         direction = \"down\"\n{flow}\n"
    ))
}

/// TS 38.214, 5.1.3.2, by fractions: bits of a slot with MCS 27 in 273 resource blocks of 13 symbols, one
/// of these with reference signals, for each number of layers.
const BITS: [f64; 4] = [295_176.0, 590_128.0, 868_584.0, 1_179_864.0];

#[test]
fn a_ue_alone_has_the_block_sizes_of_its_layers() {
    for (layers, bits) in (1..).zip(BITS) {
        let summary = alone("40 dB", layers, "kind = \"full-buffer\"");
        let down = &summary.cells[0].down;
        // Two seconds of 2000 slots each, with a block in each.
        assert_eq!(down.bytes as f64 * 8.0 / down.transmissions as f64, bits);
        assert!((3_999..=4_001).contains(&down.transmissions), "{}", down.transmissions);
        let shares = down.layers.clone().unwrap_or(vec![1.0]);
        assert_eq!(shares.last(), Some(&1.0), "{shares:?}");
    }
}

#[test]
fn tcp_fills_four_layers() {
    // Sequence numbers of 18 bits (TS 38.322, 6.2.3.3): a window of 2048 PDUs would hold it back.
    let flow = "kind = \"tcp\"\ntcp.receive_buffer = \"64 MB\"\ntcp.send_buffer = \"64 MB\"\n\
                tcp.initial_window = 1000\n[[bearer]]\nname = \"default\"\nue = \"phone\"\ndefault = true\n\
                rlc_sn = 18\npdcp_sn = 18\nqueue = \"20 MB\"";
    let summary = alone("40 dB", 4, flow);
    let down = &summary.cells[0].down;
    let goodput = summary.flows[0].goodput_bps.expect("bytes arrived");
    // Of 1500 bytes 52 are of TCP/IP with timestamps, and about 10 are of PDCP, RLC and MAC.
    let most = BITS[3] * 2_000.0 * 1_448.0 / 1_510.0;
    assert!((goodput / most - 1.0).abs() < 0.02, "{goodput} of {most}");
    assert_eq!(down.layers.as_deref(), Some(&[0.0, 0.0, 0.0, 1.0][..]));
}

/// TS 38.214, 6.1.4.2, by fractions: bits of a slot with MCS 28 of 64QAM, for one layer and for two. The
/// slot has 273 resource blocks of 14 symbols, one with reference signals.
const BITS_UP: [f64; 2] = [237_776.0, 475_584.0];

#[test]
fn a_ue_alone_sends_the_block_sizes_of_its_layers() {
    for (layers, bits) in (1..).zip(BITS_UP) {
        let summary = ran(&format!(
            "duration = \"2 s\"\noutput.warm_up = \"1 s\"\n[cell]\ntechnology = \"nr\"\ntti = \"mu1\"\n\
             bandwidth = \"100 MHz\"\nreceivers = 4\nuplink.layers = {layers}\n[[ue]]\nname = \"phone\"\n\
             snr = \"40 dB\"\nports = 2\n[[flow]]\nname = \"f\"\ndirection = \"up\"\nkind = \"full-buffer\"\n"
        ));
        let up = &summary.cells[0].up;
        assert_eq!(up.bytes as f64 * 8.0 / up.transmissions as f64, bits);
    }
}

#[test]
fn few_decibels_carry_few_layers() {
    // Four antennas add 6 dB, which layers share. At -12 dB one layer has -6 dB, and each of two has -9 dB.
    // That is too little for CQI 1: its 0.15 bits a symbol need -9.6 dB by Shannon, and more in practice.
    let layers = |snr| {
        let summary = alone(snr, 4, "kind = \"full-buffer\"");
        summary.cells[0].down.layers.as_ref().map_or(1, Vec::len)
    };
    let found = ["-12 dB", "5 dB", "40 dB"].map(layers);
    assert!(found.is_sorted() && found[0] == 1 && found[2] == 4, "{found:?}");
}

/// Sum rate of 21 cells, with UEs of four antennas at this speed.
fn sum(speed: &str, seed: u64, (least, most): (u8, u8)) -> f64 {
    let summary = ran(&format!(
        "duration = \"1.5 s\"\nseed = {seed}\noutput.warm_up = \"0.5 s\"\n[cell]\ntechnology = \"nr\"\n\
         tti = \"mu0\"\nbandwidth = \"5 MHz\"\nlayers = {most}\nmin_layers = {least}\n\
         link_adaptation.mcs_table = \"256qam\"\n[network]\nsites = 7\nprecoding.codebook = \"type-1\"\n\
         [[ue]]\nname = \"phone\"\ncount = 42\nreceivers = 4\nspeed = \"{speed}\"\n[[flow]]\nname = \"f\"\n\
         kind = \"full-buffer\"\ndirection = \"down\"\n"
    ));
    let cells = summary.cells.iter().filter_map(|cell| cell.down.throughput_bps);
    cells.sum()
}

#[test]
fn ranks_that_adapt_carry_more_than_one_layer() {
    let seeds = if std::env::var_os("AIRPATH_TEST_LONG").is_some() { 1..21 } else { 1..2 };
    for speed in ["3 km/h", "30 km/h"] {
        for seed in seeds.clone() {
            let [adapted, single] = [(1, 4), (1, 1)].map(|ranks| sum(speed, seed, ranks));
            assert!(adapted > 0.98 * single, "{speed}, seed {seed}: {adapted} and {single}");
        }
    }
}

#[test]
fn a_summary_of_one_layer_names_none() {
    let summary = alone("20 dB", 1, "kind = \"full-buffer\"");
    assert_eq!(summary.cells[0].down.layers, None);
    assert_eq!(summary.ues[0].down.layers, None);
}

/// Sum rate of 21 cells with full buffers downlink and uplink, of UEs and cells with two antennas.
fn sums(keys: &str, receiver: &str) -> [f64; 2] {
    let flow = |name, direction| {
        format!(
            "[[flow]]\nname = \"{name}\"\nkind = \"full-buffer\"\ndirection = \"{direction}\"\n"
        )
    };
    let summary = ran(&format!(
        "duration = \"1.5 s\"\noutput.warm_up = \"0.5 s\"\n[cell]\nresource_blocks = 25\nreceivers = 2\n\
         receiver = \"{receiver}\"\n[network]\nsites = 7\nprecoding.ports = 2\n{keys}\n[[ue]]\n\
         name = \"phone\"\ncount = 42\nreceivers = 2\nreceiver = \"{receiver}\"\n{}{}",
        flow("f", "down"),
        flow("g", "up"),
    ));
    let sum = |rates: Vec<f64>| rates.iter().sum();
    let cells = || summary.cells.iter();
    [
        sum(cells().filter_map(|cell| cell.down.throughput_bps).collect()),
        sum(cells().filter_map(|cell| cell.up.throughput_bps).collect()),
    ]
}

/// In a full network one interferer is often strong, so that a receiver that turns away from it has more.
#[test]
fn receivers_that_reject_interference_carry_more() {
    for keys in ["", "interference = \"precoded\""] {
        let [usual, rejecting] = ["mmse", "mmse-irc"].map(|receiver| sums(keys, receiver));
        assert!(rejecting[0] > 1.03 * usual[0], "{keys}: {rejecting:?} {usual:?}");
        assert!(rejecting[1] > 1.03 * usual[1], "{keys}: {rejecting:?} {usual:?}");
    }
    // Independent ports: the power of what disturbs has one distribution with and without precoders.
    let [usual, precoded] = ["", "interference = \"precoded\""].map(|keys| sums(keys, "mmse"));
    assert!((precoded[0] / usual[0] - 1.0).abs() < 0.1, "{precoded:?} {usual:?}");
}
