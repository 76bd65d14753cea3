//! The uplink of a UE at a distance against a link budget by hand.

use airpath_base::{NodeId, Time, math};
use airpath_net::{Direction, Event, Probe, RadioEvent};
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// Resource blocks and SINR in dB of the first transmissions uplink.
#[derive(Default)]
struct Uplink(Vec<(u16, f32)>);

impl Probe for Uplink {
    fn on(&mut self, _now: Time, _node: NodeId, event: &Event<'_>) {
        if let Event::Radio(RadioEvent::Block {
            direction: Direction::Uplink,
            attempt: 0,
            resource_blocks,
            sinr_db,
            ..
        }) = *event
        {
            self.0.push((resource_blocks, sinr_db));
        }
    }
}

/// Blocks and bit/s of a full buffer uplink for a second.
fn uplink(distance: &str, cell: &str) -> (Vec<(u16, f32)>, f64) {
    let text = format!(
        "duration = \"1 s\"\n[[ue]]\nname = \"phone\"\ndistance = \"{distance}\"\n[[flow]]\n\
         name = \"up\"\nkind = \"full-buffer\"\ndirection = \"up\"\n[cell]\n{cell}\n"
    );
    let read = Scenario::parse("s.toml", &text, &[]);
    let scenario = read.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let mut seen = Uplink::default();
    let options = RunOptions { listener: Some(&mut seen), ..RunOptions::default() };
    let outcome = run(&scenario, options).expect("a run without failure");
    (seen.0, outcome.summary.flows[0].delivered_bytes as f64 * 8.0)
}

/// Checks that all blocks have the SNR of a UE with `in_one` in one resource block, if its power
/// suffices for `full` resource blocks.
fn have_snr(blocks: &[(u16, f32)], in_one: f64, full: f64) {
    assert!(blocks.len() > 100, "{} blocks", blocks.len());
    for (count, sinr_db) in blocks {
        let expected = in_one - 10.0 * math::log10((f64::from(*count) / full).max(1.0));
        assert!((f64::from(*sinr_db) - expected).abs() < 0.01, "{count}: {sinr_db} {expected}");
    }
}

/// TR 36.942, 4.5.2, at 3.5 GHz, 1.2 km and 15 m: 37.6 x 0.07918 - 18 x 1.17609 + 21 x 3.54407 + 80
/// = 136.233 dB, less 15 dB of antennas. TS 38.213, 7.1.1: -80 + 3.010 + 0.8 x 121.233 = 19.997
/// dBm in a resource block of 360 kHz, which 23 dBm suffice for in 1.997. Noise: -174 + 55.563 + 5.
#[test]
fn a_wide_carrier_leaves_the_uplink_its_budget() {
    let [wide, half] = ["100 MHz", "50 MHz"].map(|bandwidth| {
        let keys = format!(
            "technology = \"nr\"\nbandwidth = \"{bandwidth}\"\nduplex = \"tdd\"\n\
             tdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"\nradio.carrier = \"3.5 GHz\""
        );
        let (blocks, rate) = uplink("1200 m", &keys);
        have_snr(&blocks, 12.2007, 1.9968);
        // 20 resource blocks have 2.19 dB. By 5G-LENA's link-level results QPSK with a code rate of
        // 308/1024 needs 2.0 dB there for 10% of errors. The rate is 20 x 156 x 0.6016 bits, less 7
        // bytes of headers and a report, in 400 slots a second.
        let block = 20.0 * 156.0 * 0.6016 - 56.0;
        assert!(rate > 0.9 * block * 400.0, "{bandwidth}: {rate}");
        // No more than Shannon's capacity over all of 273 resource blocks.
        let snr = 33.14 / 273.0;
        assert!(rate < 273.0 * 156.0 * math::log2(1.0 + snr) * 400.0, "{bandwidth}: {rate}");
        let most = blocks.iter().map(|(count, _)| *count).max().expect("blocks");
        (most, rate)
    });
    // The bandwidth beyond what power suffices for is not granted.
    assert!(wide.0 < 133, "{} resource blocks", wide.0);
    assert_eq!(wide.0, half.0);
    assert!((wide.1 / half.1 - 1.0).abs() < 0.01, "{wide:?} {half:?}");
}

/// LTE in band 1: 2.12 GHz down, 1.93 GHz up. At 1 km 128.683 and 127.827 dB. TS 36.213, 5.1.1.1, with
/// the loss downlink: -80 + 0.8 x 113.683 = 10.947 dBm, which 23 dBm suffice for in 16.045. Noise:
/// -174 + 52.553 + 5.
#[test]
fn power_control_of_lte_by_hand() {
    let (blocks, rate) = uplink("1 km", "bandwidth = \"20 MHz\"");
    have_snr(&blocks, 14.567, 16.045);
    // In 50 resource blocks it has 9.63 dB, more than QPSK needs: more than suffice for the most
    // power in each are worth their grant. By Shannon 100 of 144 symbols carry 35.8 Mbit/s.
    let most = blocks.iter().map(|(count, _)| *count).max().expect("blocks");
    assert!(most > 50 && (10e6..35.8e6).contains(&rate), "{most} {rate}");
    // Without power control all goes to what is granted: 23 - 112.827 + 116.447 in one.
    let keys = "bandwidth = \"20 MHz\"\nradio.power_control = \"off\"";
    have_snr(&uplink("1 km", keys).0, 26.620, 1.0);
    // P0 and alpha: -100 + 0.9 x 113.683 = 2.315 dBm, in all 100 resource blocks.
    let keys = "bandwidth = \"20 MHz\"\nradio = { p0 = \"-100 dBm\", alpha = 0.9 }";
    have_snr(&uplink("1 km", keys).0, 5.935, 117.08);
}

/// The UE measures the loss of the downlink, and loses that of the uplink: with both carriers at
/// 3.5 GHz as with one.
#[test]
fn carriers_of_both_directions_count() {
    let both = "radio = { carrier = \"3.5 GHz\", carrier_up = \"3.5 GHz\" }";
    // 600 m: 136.233 - 37.6 x 0.30103 = 124.914 dB, less 15: 7.931 dBm in a resource block.
    have_snr(&uplink("600 m", both).0, 14.464, 32.126);
    // With 700 MHz uplink 21 x 0.69897 = 14.678 dB less is lost.
    let low = "radio = { carrier = \"3.5 GHz\", carrier_up = \"700 MHz\" }";
    have_snr(&uplink("600 m", low).0, 29.143, 32.126);
}
