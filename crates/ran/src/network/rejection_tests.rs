use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{CellId, Dbm, Duration, Time, UeId};
use airpath_channel::fading::{Library, LibraryConfig, Profile};
use airpath_channel::precoding::{Codebook, Feedback, Precoding};

use super::super::{NetworkLinks, NetworkUe};
use super::*;
use crate::air::{Channel, Sent};
use crate::mac::{ResourceAllocation, ResourceBlocks};
use crate::phy::PowerControl;

const BLOCKS: u16 = 10;
const NOISE: f64 = 1e-3;
const TTI: u64 = 7;

/// Two cells that send 1 mW in each resource block, a UE in each. Receivers have two antennas.
fn network(rejection: u8) -> Network {
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(300), 5.0);
    let down = config.received_by(2).rejecting(rejection).on(BLOCKS, 0, Precoding::SinglePort);
    let at_cell = Precoding::MaximumRatio { ports: 2 };
    let up = config.rejecting(rejection).on(BLOCKS, 0, at_cell);
    of_libraries([down, up], false)
}

/// The network with two ports and up to two layers downlink.
fn precoded(rejection: u8) -> Network {
    let config = LibraryConfig::new(Profile::TdlC, Duration::from_nanos(300), 5.0);
    let feedback = Feedback {
        delay: Duration::from_millis(6),
        period: Duration::from_millis(5),
        subband: Some(3),
    };
    let codebook = Codebook::TwoPorts;
    let closed = Precoding::ClosedLoop { codebook, feedback };
    let config = config.with_precoders(true);
    let down = config.received_by(2).layered(2).rejecting(rejection).on(BLOCKS, 0, closed);
    let up = config.on(BLOCKS, 0, Precoding::MaximumRatio { ports: 2 });
    of_libraries([down, up], true)
}

fn of_libraries([down, up]: [LibraryConfig; 2], precoded: bool) -> Network {
    // Of one axis, so that both receivers read the same fading.
    let library = |config| {
        Arc::new(Library::new(&LibraryConfig { steps: 2_048, ..config }, Seed(4)).unwrap())
    };
    let ue = |cell: u16, gains: [f64; 2]| NetworkUe {
        number: 70 + u64::from(cell),
        cell: CellId(cell),
        gains: gains.to_vec(),
        gains_up: None,
        library: 0,
        travelled: None,
        receivers: 2,
        direction: (0.0, 90.0),
    };
    Network::new(NetworkLinks {
        power: vec![Dbm(10.0); 2],
        resource_blocks: BLOCKS,
        noise: [Dbm(-30.0); 2],
        power_control: PowerControl::Fractional { most: Dbm(20.0), target: Dbm(5.0), share: 0.5 },
        interferers: 1,
        precoded,
        panel: None,
        libraries: vec![[library(down), library(up)]],
        ues: vec![ue(0, [0.1, 0.05]), ue(1, [0.02, 0.2])],
    })
}

fn transmission(direction: Direction, blocks: ResourceBlocks) -> Transmission {
    Transmission {
        ue: UeId(0),
        cell: CellId(0),
        direction,
        tti: TTI,
        start: Time::from_millis(TTI),
        allocation: ResourceAllocation::whole_tti(blocks),
        power: 1.0,
    }
}

fn ratios(network: &Network, t: &Transmission, air: &OnAir) -> Vec<f32> {
    let mut sinr = Vec::new();
    network.sinr(t, air, &mut sinr);
    sinr
}

fn air(direction: Direction) -> OnAir {
    let mut air = OnAir::new(2, BLOCKS, 8);
    let blocks = ResourceBlocks::range(2, 7);
    let sent = Sent { ue: UeId(1), blocks, power: 1.0, layers: 1 };
    air.write(CellId(1), direction, TTI, sent);
    air
}

/// Gains of two antennas in a resource block: rows of real and imaginary parts.
fn gains(rows: &[Eight], block: usize) -> [[f64; 2]; 2] {
    let stride = usize::from(BLOCKS.div_ceil(8));
    let at = |row: usize| f64::from(rows[row * stride + block / 8][block % 8]);
    [[at(0), at(1)], [at(2), at(3)]]
}

/// By hand, h^H R^-1 h for one interferer of gains f: (|h|^2 - P |f^H h|^2 / (N + P |f|^2)) / N.
#[test]
fn one_interferer_is_rejected_as_the_formula_has_it() {
    let network = network(1);
    for (direction, gain) in [(Direction::Downlink, 0.05), (Direction::Uplink, 0.02)] {
        let (air, all) = (air(direction), ResourceBlocks::range(0, BLOCKS));
        let t = transmission(direction, all);
        let (library, step) = network.step(UeId(0), &t);
        // Downlink cell 1 disturbs UE 0, uplink UE 1 disturbs cell 0.
        let other = match direction {
            Direction::Downlink => library.link(70, CellId(1), direction),
            Direction::Uplink => library.link(71, CellId(0), direction),
        };
        let own = library.link(70, CellId(0), direction);
        let found = ratios(&network, &t, &air);
        for (block, found) in found.iter().enumerate() {
            let h = gains(library.wanted(1, own, step), block);
            let f = gains(library.disturbing(other, step), block);
            let power = |v: [[f64; 2]; 2]| v.as_flattened().iter().map(|x| x * x).sum::<f64>();
            let (mut re, mut im) = (0.0, 0.0);
            for ([f_re, f_im], [h_re, h_im]) in f.into_iter().zip(h) {
                re += f_re * h_re + f_im * h_im;
                im += f_re * h_im - f_im * h_re;
            }
            let sent = if (2..9).contains(&block) { gain } else { 0.0 };
            let across = sent * (re * re + im * im) / (NOISE + sent * power(f));
            let expected = 0.1 * (power(h) - across) / NOISE;
            let near = (f64::from(*found) / expected - 1.0).abs() < 2e-3;
            assert!(near, "{direction:?} {block}: {found} {expected}");
        }
    }
}

/// Without others it is the receiver without rejection, also against a disturbance that was measured.
#[test]
fn in_noise_alone_receivers_agree() {
    let (rejecting, usual) = (network(1), network(0));
    let silence = OnAir::new(2, BLOCKS, 8);
    let some = [ResourceBlocks::range(0, BLOCKS), ResourceBlocks::range(3, 6)];
    for (direction, blocks) in Direction::ALL.into_iter().flat_map(|way| some.map(|own| (way, own)))
    {
        let t = transmission(direction, blocks);
        let [found, expected] = [&rejecting, &usual].map(|own| ratios(own, &t, &silence));
        assert_eq!(found.len(), usize::from(blocks.count()));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found / expected - 1.0).abs() < 1e-4, "{direction:?} {found} {expected}");
        }
        let (air, mut disturbance, mut against) = (air(direction), Vec::new(), Vec::new());
        rejecting.disturbance(&t, &air, &mut disturbance);
        rejecting.against(&t, &disturbance, &mut against);
        assert_eq!(against, ratios(&rejecting, &t, &air));
    }
}

/// Two layers have half of the power each.
#[test]
fn layers_of_a_cell_share_its_power() {
    let mut air = OnAir::new(2, BLOCKS, 8).layered(2);
    let sent = |first, layers| Sent {
        ue: UeId(1),
        blocks: ResourceBlocks::range(first, 2),
        power: 3.0,
        layers,
    };
    air.write(CellId(1), Direction::Downlink, TTI, sent(0, 1));
    air.write(CellId(1), Direction::Downlink, TTI, sent(2, 2));
    let planes: Vec<&[f32]> = air.powers_by_layer(CellId(1), TTI).collect();
    assert_eq!(planes[0][..5], [3.0, 3.0, 1.5, 1.5, 0.0]);
    assert_eq!(planes[1][..5], [0.0, 0.0, 1.5, 1.5, 0.0]);
    assert_eq!(air.powers_by_layer(CellId(0), TTI).count(), 0);
}

/// The parts of a complex number in resource block `block`, whose real part has this row.
fn part(rows: &[Eight], row: usize, block: usize) -> [f64; 2] {
    let stride = usize::from(BLOCKS.div_ceil(8));
    [row, row + 1].map(|row| f64::from(rows[row * stride + block / 8][block % 8]))
}

/// By hand, what disturbs is P g |h(1) w(1) + h(2) w(2)|^2, summed over layers of power 1 together. The
/// precoders are those of the UE that is served there, the channel is that to the UE that is disturbed.
#[test]
fn interferers_have_the_precoders_of_their_own_ues() {
    let mut air = OnAir::new(2, BLOCKS, 8).layered(2);
    for (first, layers) in [(1, 1), (5, 2)] {
        let blocks = ResourceBlocks::range(first, 3);
        let sent = Sent { ue: UeId(1), blocks, power: 2.0, layers };
        air.write(CellId(1), Direction::Downlink, TTI, sent);
    }
    let t = transmission(Direction::Downlink, ResourceBlocks::range(0, BLOCKS));
    for rejection in [0, 2] {
        let network = precoded(rejection);
        let (library, step) = network.step(UeId(0), &t);
        let served = library.link(71, CellId(1), Direction::Downlink);
        let disturbed = library.link(70, CellId(1), Direction::Downlink);
        let antennas = library.ends().1;
        let mut found = Vec::new();
        network.disturbance(&t, &air, &mut found);
        for (block, found) in found.iter().take(BLOCKS.into()).enumerate() {
            let layers = match block {
                1..=3 => 1,
                5..=7 => 2,
                _ => 0,
            };
            let mut power = 0.0;
            for layer in 0..layers {
                let (mut re, mut im) = (0.0, 0.0);
                for port in 0..2 {
                    let h = part(library.disturbing(disturbed, step), 2 * port * antennas, block);
                    let weights = library.weights(layers as u8, served, step);
                    let w = part(weights, 2 * (2 * layer + port), block);
                    re += h[0] * w[0] - h[1] * w[1];
                    im += h[0] * w[1] + h[1] * w[0];
                }
                power += re * re + im * im;
            }
            // With rejection, the entry of the first antenna.
            let expected = NOISE + 2.0 * 0.05 * power;
            let near = (f64::from(*found) / expected - 1.0).abs() < 1e-4;
            assert!(near, "{rejection} {block}: {found} {expected}");
        }
    }
}

/// Of one port the precoder is 1: what disturbs uplink is what it is without precoders.
#[test]
fn precoders_of_one_port_change_nothing() {
    let t = transmission(Direction::Uplink, ResourceBlocks::range(0, BLOCKS));
    let air = air(Direction::Uplink);
    let [found, expected] = [precoded(0), network(0)].map(|own| ratios(&own, &t, &air));
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
    }
}
