//! Channels by port against the gains of one layer, and phases by hand.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{CellId, Dbm, Duration};
use airpath_channel::fading::{Library, LibraryConfig, Profile};
use airpath_channel::precoding::{Codebook, Feedback, Precoding};

use super::super::{NetworkLinks, NetworkUe};
use super::*;
use crate::air::Channel;
use crate::phy::PowerControl;

const BLOCKS: u16 = 12;
const GROUP: u16 = 3;

/// A cell of four ports, and a UE with so many antennas at 40 degrees.
fn network(receivers: u8, panel: Option<Panel>) -> Network {
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(300), 5.0);
    let ms = Duration::from_millis;
    let feedback = Feedback { delay: ms(6), period: ms(5), subband: Some(4) };
    let closed = Precoding::ClosedLoop { codebook: Codebook::TypeI, feedback };
    let down = config.received_by(receivers).on(BLOCKS, 0, closed).grouped(GROUP, true);
    let library = Library::new(&LibraryConfig { steps: 2_048, ..down }, Seed(4)).unwrap();
    let library = Arc::new(library);
    Network::new(NetworkLinks {
        power: vec![Dbm(10.0)],
        resource_blocks: BLOCKS,
        noise: [Dbm(-30.0); 2],
        power_control: PowerControl::Full { most: Dbm(20.0) },
        interferers: 0,
        precoded: false,
        panel,
        libraries: vec![[library.clone(), library]],
        ues: vec![NetworkUe {
            number: 70,
            cell: CellId(0),
            gains: vec![0.1],
            gains_up: None,
            library: 0,
            travelled: None,
            receivers,
            direction: (40.0, 90.0),
        }],
    })
}

const PANEL: Panel = Panel { columns: 2, rows: 1, spacing: [0.5; 2] };

#[test]
fn phases_of_a_panel_by_hand() {
    // Half a wavelength at 30 degrees: a quarter of a turn from column to column. A row more at a zenith of 60 degrees:
    // cos(60) / 2 is a quarter, too, and sin(30) sin(60) / 2 = 0.2165 of a turn across.
    let close = |found: Complex64, turn: f64| {
        let phase = turn * std::f64::consts::TAU;
        (found - Complex64::new(math::cos(phase), math::sin(phase))).norm_sqr() < 1e-20
    };
    let level = PANEL.turns((30.0, 90.0), 4);
    for (port, turn) in [0.0, 0.25, 0.0, 0.25].into_iter().enumerate() {
        assert!(close(level[port], turn), "{port} {:?}", level[port]);
    }
    let tall = Panel { rows: 2, ..PANEL }.turns((30.0, 60.0), 8);
    let across = 0.5 * 0.5 * 3.0_f64.sqrt() / 2.0;
    for (port, turn) in [0.0, 0.25, across, across + 0.25].into_iter().enumerate() {
        assert!(close(tall[port], turn) && close(tall[port + 4], turn), "{port}");
    }
}

#[test]
fn a_reported_precoder_has_the_gain_of_the_layer_alone() {
    for receivers in [1, 2, 4] {
        for panel in [PANEL, Panel { columns: 1, ..PANEL }] {
            let network = network(receivers, Some(panel));
            let [library, _] = &network.libraries[0];
            for at in [3, 40, 777].map(Time::from_millis) {
                let link = network.ue(UeId(0)).link[0];
                let matched = library.matched(link, library.step(at)).as_flattened();
                for group in 0..usize::from(BLOCKS / GROUP) {
                    let (mut gains, mut weights) = (Vec::new(), Vec::new());
                    network.gains(UeId(0), at, group, &mut gains);
                    network.reported(UeId(0), at, group, &mut weights);
                    let antennas = gains.chunks_exact(4);
                    let power: f64 = antennas
                        .map(|h| {
                            let sum: Complex64 = h.iter().zip(&weights).map(|(h, w)| h * w).sum();
                            sum.norm_sqr()
                        })
                        .sum();
                    let expected = f64::from(matched[group * usize::from(GROUP) + 1]);
                    assert!((power / expected - 1.0).abs() < 1e-4, "{power} {expected}");
                }
            }
        }
    }
}

#[test]
fn without_a_panel_there_are_no_channels_by_port() {
    assert!(network(1, None).spatial().is_none());
    let network = network(1, Some(PANEL));
    let spatial = network.spatial().expect("channels by port");
    assert_eq!((spatial.group(), spatial.ports()), (GROUP, 4));
}
