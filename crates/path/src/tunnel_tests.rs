use airpath_wire::Ecn;
use proptest::prelude::*;

use super::*;
use crate::samples::{World, end, packet};

fn config() -> TunnelConfig {
    TunnelConfig::ipsec(7, end(8, 0), end(9, 0))
}

/// Output of a tunnel end for one packet at time zero.
fn through(config: TunnelConfig, port: Port, packet: Packet) -> (Option<(Port, Packet)>, World) {
    let mut world = World::new(TunnelEnd::new(config));
    world.inject(Time::ZERO, port, packet);
    let out = world.run(Time::from_millis(1000)).pop();
    (out.map(|(_, port, packet)| (port, packet)), world)
}

fn with_ecn(ecn: Ecn) -> Packet {
    let mut packet = packet(1000, Time::ZERO);
    packet.ecn = ecn;
    packet.dscp = 46;
    packet
}

fn gtpu() -> Outer {
    let (kind, ends) =
        (TunnelKind::Gtpu { teid: 1, qfi: None, congestion: None }, (end(3, 2152), end(4, 2152)));
    Outer { kind, ends, dscp: 10, ecn: Ecn::Ect0, overhead: 36 }
}

#[test]
fn ipsec_around_gtpu_has_the_size_of_both() {
    let mut packet = with_ecn(Ecn::Ect0);
    packet.push_outer(gtpu()).unwrap();
    let (out, _) = through(config(), TunnelEnd::CLEAR, packet);
    let (port, packet) = out.unwrap();
    assert_eq!(port, TunnelEnd::TUNNEL);
    // 1036 + 2 of padding + 2 = 1040; 20 IP + 8 ESP + 8 IV + 16 ICV.
    assert_eq!(packet.wire_size(), 1092);
    assert_eq!((packet.size, packet.visible_dscp(), packet.visible_ecn()), (1000, 10, Ecn::Ect0));
}

#[test]
fn a_mark_in_the_tunnel_reaches_the_packet() {
    let (out, _) = through(config(), TunnelEnd::CLEAR, with_ecn(Ecn::Ect1));
    let (_, mut packet) = out.unwrap();
    packet.set_visible_ecn(Ecn::Ce);
    let (out, world) = through(config(), TunnelEnd::TUNNEL, packet);
    let (port, packet) = out.unwrap();
    assert_eq!((port, packet.ecn, packet.outers().count()), (TunnelEnd::CLEAR, Ecn::Ce, 0));
    assert_eq!(world.log.suspicious, 0);
}

#[test]
fn compatibility_mode_hides_the_transport_from_the_tunnel() {
    let compatible = TunnelConfig { ecn: EcnMode::Compatibility, dscp: Some(0), ..config() };
    let (out, _) = through(compatible, TunnelEnd::CLEAR, with_ecn(Ecn::Ect1));
    let (_, packet) = out.unwrap();
    assert_eq!((packet.visible_ecn(), packet.visible_dscp()), (Ecn::NotEct, 0));
    assert_eq!((packet.ecn, packet.dscp), (Ecn::Ect1, 46));
}

fn marked_wrongly(inner: Ecn, outer: Ecn) -> Packet {
    let mut packet = with_ecn(inner);
    let kind = TunnelKind::Esp { spi: 7 };
    packet.push_outer(Outer { kind, ecn: outer, ..gtpu() }).unwrap();
    packet
}

#[test]
fn a_mark_around_a_packet_without_ecn_drops_it() {
    let (out, world) = through(config(), TunnelEnd::TUNNEL, marked_wrongly(Ecn::NotEct, Ecn::Ce));
    assert!(out.is_none());
    assert_eq!(world.log.drops, [(Time::ZERO, DropCause::TunnelEcn)]);
    assert_eq!(world.log.suspicious, 1);
}

#[test]
fn a_suspicious_combination_is_reported_and_passes() {
    let (out, world) = through(config(), TunnelEnd::TUNNEL, marked_wrongly(Ecn::Ect1, Ecn::Ect0));
    assert_eq!(out.unwrap().1.ecn, Ecn::Ect1);
    assert_eq!(world.log.suspicious, 1);
}

#[test]
fn what_is_not_of_the_tunnel_is_unexpected() {
    let mut foreign = with_ecn(Ecn::NotEct);
    foreign.push_outer(gtpu()).unwrap();
    for packet in [with_ecn(Ecn::NotEct), foreign] {
        let (_, world) = through(config(), TunnelEnd::TUNNEL, packet);
        assert_eq!(world.log.drops, [(Time::ZERO, DropCause::Unexpected)]);
    }
}

#[test]
fn a_third_tunnel_is_unexpected() {
    let mut packet = with_ecn(Ecn::NotEct);
    packet.push_outer(gtpu()).unwrap();
    packet.push_outer(gtpu()).unwrap();
    let (_, world) = through(config(), TunnelEnd::CLEAR, packet);
    assert_eq!(world.log.drops, [(Time::ZERO, DropCause::Unexpected)]);
}

#[test]
fn processing_takes_its_time() {
    let slow = TunnelConfig { processing: Duration::from_micros(30), ..config() };
    let mut world = World::new(TunnelEnd::new(slow));
    world.inject(Time::ZERO, TunnelEnd::CLEAR, with_ecn(Ecn::NotEct));
    assert_eq!(world.held(), 1);
    let out = world.run(Time::from_millis(1));
    assert_eq!(out[0].0, Time::from_nanos(30_000));
    assert_eq!(out[0].2.stages.spent(Stage::Processing), Duration::from_micros(30));
}

proptest! {
    #[test]
    fn through_a_tunnel_and_out_again_a_packet_is_as_it_was(
        size in 20u32..9000, bits in 0u8..4, compatible: bool, fixed in prop::option::of(0u32..200),
    ) {
        let ecn = if compatible { EcnMode::Compatibility } else { EcnMode::Normal };
        let overhead = fixed.map_or(Overhead::AES_GCM, Overhead::Fixed);
        let config = TunnelConfig { ecn, overhead, ..config() };
        let mut packet = packet(size, Time::ZERO);
        packet.ecn = Ecn::from_bits(bits);
        let (_, packet) = through(config, TunnelEnd::CLEAR, packet).0.unwrap();
        let added = packet.wire_size() - size;
        match fixed {
            Some(fixed) => prop_assert_eq!(added, fixed),
            // 20 + 8 + 8 + 2 + 16 and up to three bytes of padding.
            None => prop_assert!((54..58).contains(&added) && (added + size + 2) % 4 == 2),
        }
        let (_, packet) = through(config, TunnelEnd::TUNNEL, packet).0.unwrap();
        prop_assert_eq!((packet.wire_size(), packet.ecn), (size, Ecn::from_bits(bits)));
    }
}
