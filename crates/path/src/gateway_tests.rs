use core::net::Ipv6Addr;

use airpath_net::filter::PacketFilter;
use airpath_net::{Outer, PduSet};
use airpath_wire::Ecn;

use super::*;
use crate::samples::{World, end, to};

fn bearer(teid: u32) -> BearerTunnel {
    BearerTunnel { teid, dscp: None, qfi: None }
}

/// The IPv6 address of a UE.
fn v6(host: u8) -> IpAddr {
    Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, host.into()).into()
}

/// A UE with a dedicated bearer (TEID 100 + host) for packets from port 80.
fn subscriber(host: u8) -> Subscriber {
    let web = PacketFilter { bearer: 1, remote_ports: Some(80..=80), ..PacketFilter::default() };
    Subscriber {
        addresses: vec![end(host, 0).addr, v6(host)],
        base_station: end(200, GtpuRepr::PORT),
        tft: Tft::new(vec![web]).unwrap(),
        bearers: vec![bearer(u32::from(host)), bearer(100 + u32::from(host))],
    }
}

fn config() -> GatewayConfig {
    let endpoint = end(100, GtpuRepr::PORT);
    GatewayConfig { endpoint, ecn: EcnMode::Normal, processing: Duration::ZERO }
}

fn world(config: GatewayConfig) -> World {
    World::new(Gateway::new(config, vec![subscriber(12), subscriber(11)]).unwrap())
}

fn downlink(source_port: u16, host: u8) -> Packet {
    let mut packet = to(end(host, 4000), 1000);
    packet.tuple.src.port = source_port;
    packet.ecn = Ecn::Ect1;
    packet.dscp = 34;
    packet
}

#[test]
fn a_downlink_packet_takes_the_bearer_of_its_filter() {
    let mut world = world(config());
    for (port, host) in [(80, 11), (81, 11), (80, 12)] {
        world.inject(Time::ZERO, Gateway::INTERNET, downlink(port, host));
    }
    let out = world.run(Time::ZERO);
    let outers: Vec<Outer> = out.iter().map(|(.., packet)| packet.outermost().unwrap()).collect();
    let teids = [111, 11, 112].map(|teid| TunnelKind::Gtpu { teid, qfi: None, congestion: None });
    assert!(outers.iter().map(|outer| outer.kind).eq(teids));
    assert!(
        out.iter().all(|(_, port, packet)| (*port, packet.wire_size()) == (Gateway::RAN, 1036))
    );
    assert_eq!((outers[0].dscp, outers[0].ecn), (34, Ecn::Ect1));
    assert_eq!(outers[0].ends, (end(100, 2152), end(200, 2152)));
}

#[test]
fn packets_of_pdu_sets_have_their_information_where_the_bearer_marks_them() {
    let marking = |qfi| {
        let mut subscriber = subscriber(11);
        subscriber.bearers[0].qfi = qfi;
        let mut world = World::new(Gateway::new(config(), vec![subscriber]).unwrap());
        let mut marked = downlink(81, 11);
        marked.set = Some(Arc::new(set()));
        world.inject(Time::ZERO, Gateway::INTERNET, marked);
        world.inject(Time::ZERO, Gateway::INTERNET, downlink(81, 11));
        let out = world.run(Time::ZERO);
        out.iter().map(|(.., p)| (p.outermost().unwrap().kind, p.wire_size())).collect::<Vec<_>>()
    };
    let plain = (TunnelKind::Gtpu { teid: 11, qfi: None, congestion: None }, 1036);
    // TS 29.281: 4 bytes up to the next type, 4 of the session container, 12 of the set information.
    assert_eq!(
        marking(Some(3)),
        [(TunnelKind::Gtpu { teid: 11, qfi: Some(3), congestion: None }, 1056), plain]
    );
    assert_eq!(marking(None), [plain, plain]);
}

fn set() -> PduSet {
    let (made, deadline) = (Time::ZERO, Duration::from_millis(10));
    PduSet {
        number: 0,
        first: 0,
        packets: 1,
        bytes: 1000,
        importance: 1,
        ends_burst: false,
        made,
        deadline,
    }
}

#[test]
fn nobody_knows_a_stranger() {
    let mut world = world(config());
    world.inject(Time::ZERO, Gateway::INTERNET, downlink(80, 13));
    assert_eq!(world.log.drops, [(Time::ZERO, DropCause::NoRoute)]);
}

#[test]
fn the_modes_differ_in_the_outer_field() {
    let mut world = world(GatewayConfig { ecn: EcnMode::Compatibility, ..config() });
    world.inject(Time::ZERO, Gateway::INTERNET, downlink(80, 11));
    let (.., packet) = &world.run(Time::ZERO)[0];
    assert_eq!((packet.visible_ecn(), packet.ecn), (Ecn::NotEct, Ecn::Ect1));
}

fn uplink(teid: u32, inner: Ecn, outer: Ecn) -> Packet {
    let mut packet = to(end(1, 80), 100);
    packet.ecn = inner;
    let (kind, ends) =
        (TunnelKind::Gtpu { teid, qfi: None, congestion: None }, (end(200, 2152), end(100, 2152)));
    packet.push_outer(Outer { kind, ends, dscp: 0, ecn: outer, overhead: 36 }).unwrap();
    packet
}

#[test]
fn an_uplink_packet_leaves_its_tunnel_with_the_mark() {
    let mut world = world(config());
    world.inject(Time::ZERO, Gateway::RAN, uplink(111, Ecn::Ect0, Ecn::Ce));
    let (_, port, packet) = &world.run(Time::ZERO)[0];
    assert_eq!((*port, packet.ecn, packet.wire_size()), (Gateway::INTERNET, Ecn::Ce, 100));
}

#[test]
fn uplink_packets_that_cannot_be_are_dropped() {
    let mut world = world(config());
    world.inject(Time::ZERO, Gateway::RAN, uplink(999, Ecn::Ect0, Ecn::Ect0));
    world.inject(Time::ZERO, Gateway::RAN, uplink(11, Ecn::NotEct, Ecn::Ce));
    world.inject(Time::ZERO, Gateway::RAN, to(end(1, 80), 100));
    let causes: Vec<DropCause> = world.log.drops.iter().map(|(_, cause)| *cause).collect();
    assert_eq!(causes, [DropCause::NoRoute, DropCause::TunnelEcn, DropCause::Unexpected]);
    assert_eq!(world.log.suspicious, 1);
}

#[test]
fn processing_takes_its_time_in_both_directions() {
    let mut world = world(GatewayConfig { processing: Duration::from_micros(250), ..config() });
    world.inject(Time::ZERO, Gateway::INTERNET, downlink(80, 11));
    world.inject(Time::ZERO, Gateway::RAN, uplink(11, Ecn::NotEct, Ecn::NotEct));
    assert_eq!(world.held(), 2);
    for (at, port, packet) in world.run(Time::from_millis(1)) {
        // The Internet's side is where it came in, and where it goes out.
        let there = if port == Gateway::RAN { Time::ZERO } else { at };
        assert_eq!(packet.at_gateway(), Some(there));
        assert_eq!(at, Time::from_nanos(250_000));
        assert_eq!(packet.stages.spent(Stage::Processing), Duration::from_micros(250));
    }
}

#[test]
fn contradictions_are_refused() {
    let refused = |subscribers| Gateway::new(config(), subscribers).unwrap_err();
    let (eleven, address) = (subscriber(11), end(11, 0).addr);
    let twin = Subscriber { bearers: vec![bearer(1), bearer(2)], ..eleven.clone() };
    let same_teid = Subscriber { bearers: vec![bearer(1), bearer(11)], ..subscriber(12) };
    let without = Subscriber { bearers: Vec::new(), ..eleven.clone() };
    let short = Subscriber { bearers: vec![bearer(1)], ..eleven.clone() };
    assert_eq!(refused(vec![eleven.clone(), twin]), GatewayError::DuplicateAddress(address));
    assert_eq!(refused(vec![eleven, same_teid]), GatewayError::DuplicateTeid(11));
    assert_eq!(refused(vec![without]), GatewayError::NoBearer(address));
    assert_eq!(refused(vec![short]), GatewayError::UnknownBearer(address, 1));
    let nowhere = Subscriber { addresses: Vec::new(), ..subscriber(11) };
    assert_eq!(refused(vec![nowhere]), GatewayError::NoAddress);
}

#[test]
fn the_gateway_marks_the_share_that_the_base_station_has_reported() {
    let report = |down, up| {
        let mut packet = to(end(1, 80), 100);
        let congestion = Some(CongestionInformation { qfi: 1, up, down });
        let kind = TunnelKind::Gtpu { teid: 11, qfi: None, congestion };
        let ends = (end(200, 2152), end(100, 2152));
        packet.push_outer(Outer { kind, ends, dscp: 0, ecn: Ecn::NotEct, overhead: 52 }).unwrap();
        packet
    };
    let mut world = world(config());
    let marks = |world: &mut World| {
        for _ in 0..8 {
            world.inject(Time::ZERO, Gateway::INTERNET, downlink(81, 11));
            world.inject(Time::ZERO, Gateway::INTERNET, downlink(81, 12));
            world.inject(Time::ZERO, Gateway::RAN, uplink(11, Ecn::Ect1, Ecn::Ect1));
            let mut plain = downlink(81, 11);
            plain.ecn = Ecn::NotEct;
            world.inject(Time::ZERO, Gateway::INTERNET, plain);
        }
        let out = world.run(Time::ZERO);
        [(Gateway::RAN, 11), (Gateway::RAN, 12), (Gateway::INTERNET, 1)].map(|(at, host)| {
            let own = out.iter().filter(|(_, port, packet)| {
                (*port, packet.tuple.dst.addr) == (at, end(host, 0).addr) && packet.ecn == Ecn::Ce
            });
            own.count()
        })
    };
    assert_eq!(marks(&mut world), [0, 0, 0]);
    // A quarter of eight packets down, a half up. The other UE and packets without ECN have no marks.
    world.inject(Time::ZERO, Gateway::RAN, report(2_500, 5_000));
    assert_eq!(marks(&mut world), [2, 0, 4]);
    world.inject(Time::ZERO, Gateway::RAN, report(0, 0));
    assert_eq!(marks(&mut world), [0, 0, 0]);
    world.inject(Time::ZERO, Gateway::RAN, report(10_000, 10_000));
    assert_eq!(marks(&mut world), [8, 0, 8]);
}
