//! Shares of bearers in resource blocks.

use airpath_base::NodeId;
use airpath_net::{Event, Probe, RadioEvent};

use super::tests::{asking, config, in_tunnel, packet};
use super::*;
use crate::rlc;

/// Adds up what is reported, by direction.
#[derive(Default)]
struct Sums {
    blocks: [f64; 2],
    shares: [f64; 2],
    first: [u64; 2],
    failed: [u64; 2],
}

impl Probe for Sums {
    fn on(&mut self, _now: Time, _node: NodeId, event: &Event<'_>) {
        match event {
            Event::Radio(RadioEvent::Block {
                direction,
                resource_blocks,
                decoded,
                attempt,
                padding,
                bytes,
                ..
            }) => {
                let d = *direction as usize;
                // A block of padding only belongs to nobody; two bytes are the report's.
                if padding + 2 < *bytes {
                    self.blocks[d] += f64::from(*resource_blocks);
                }
                self.first[d] += u64::from(*attempt == 0);
                self.failed[d] += u64::from(*attempt == 0 && !decoded);
            }
            Event::Radio(RadioEvent::Share { direction, resource_blocks, .. }) => {
                self.shares[*direction as usize] += resource_blocks;
            }
            _ => {}
        }
    }
}

/// Five seconds of 200 packets a second downlink and 50 uplink in the mode `rlc`, then
/// silence; gives what was used and the bits that arrived downlink.
fn carry(mode: rlc::Mode, transmissions: u8, snr: f64) -> (Sums, f64) {
    let mut config = config(9, asking(), snr);
    config.cells[0].max_transmissions = transmissions;
    config.bearers[0].rlc.mode = mode;
    let mut ran = Ran::new(config, Seed(1)).expect("a network");
    let (mut bench, mut sums, mut bits) = (airpath_net::testing::Bench::new(), Sums::default(), 0);
    for n in 0..=1_000 {
        let now = Time::from_millis(5 * n);
        let end = if n == 1_000 { Time::from_millis(60_000) } else { now };
        while let Some(due) = ran.next_wake().filter(|&due| due <= end) {
            ran.wake(due, &mut bench.cx_watched(due, &mut sums));
        }
        for (port, packet) in bench.sent() {
            bits += if port == Ran::CORE { 0 } else { packet.size * 8 };
        }
        if n < 1_000 {
            let cx = &mut bench.cx_watched(now, &mut sums);
            ran.receive(now, Ran::CORE, in_tunnel(now, 300, 7), cx);
            if n % 4 == 0 {
                ran.receive(now, Ran::ue(UeId(0)), packet(now, 60), cx);
            }
        }
    }
    (sums, f64::from(bits))
}

fn um() -> rlc::Mode {
    rlc::Mode::Um(rlc::um::Config::default())
}

fn am() -> rlc::Mode {
    rlc::Mode::Am(rlc::am::Config::default())
}

#[test]
fn shares_add_up_to_the_blocks() {
    for (mode, snr) in [(um(), 0.5), (am(), 0.5), (am(), 1e10)] {
        let (sums, _) = carry(mode, 2, snr);
        for d in [0, 1] {
            let (shares, blocks) = (sums.shares[d], sums.blocks[d]);
            assert!(blocks > 0.0 && (shares - blocks).abs() < 1e-6 * blocks, "{shares} {blocks}");
        }
    }
}

#[test]
fn acknowledged_mode_delivers_all_without_harq() {
    let (sums, bits) = carry(am(), 1, 0.8);
    assert!(sums.failed[0] > 100, "{} blocks failed", sums.failed[0]);
    assert_eq!(bits, 1_000.0 * 300.0 * 8.0);
}

#[test]
fn acknowledged_mode_pays_with_status_reports_and_unacknowledged_with_losses() {
    let cost = |(sums, bits): &(Sums, f64), d: usize| sums.shares[d] / bits;
    // With HARQ nothing is lost, and both take the same downlink but for the reports
    // about the uplink. Reports about the downlink are uplink data.
    let [unacknowledged, acknowledged] = [um(), am()].map(|mode| carry(mode, 4, 0.8));
    assert!(unacknowledged.0.failed[0] > 100 && acknowledged.0.failed[0] > 100);
    assert_eq!(unacknowledged.1, acknowledged.1);
    let more = cost(&acknowledged, 0) / cost(&unacknowledged, 0);
    assert!((1.0..1.01).contains(&more), "{more}");
    assert!(cost(&acknowledged, 1) > 1.2 * cost(&unacknowledged, 1));
    // Without HARQ a lost PDU costs UM a whole packet, of which other parts had been
    // sent, and AM just that PDU.
    let [unacknowledged, acknowledged] = [um(), am()].map(|mode| carry(mode, 1, 0.8));
    assert!(unacknowledged.1 < 0.8 * acknowledged.1);
    assert!(cost(&acknowledged, 0) < 0.8 * cost(&unacknowledged, 0));
}
