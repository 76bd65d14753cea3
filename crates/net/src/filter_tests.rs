use core::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;

fn tuple(src: (u8, u16), dst: (u8, u16), protocol: Protocol) -> Tuple {
    let end = |(host, port)| Endpoint::new([10, 0, 0, host], port);
    Tuple { src: end(src), dst: end(dst), protocol }
}

fn filter(precedence: u8, bearer: usize) -> PacketFilter {
    PacketFilter { precedence, bearer, ..PacketFilter::default() }
}

#[test]
fn the_lowest_precedence_value_is_asked_first() {
    let tft = Tft::new(vec![filter(9, 1), filter(3, 2)]).unwrap();
    let tuple = tuple((1, 80), (2, 4000), Protocol::TCP);
    assert_eq!(tft.classify(&tuple, 0, Direction::Downlink), Some(2));
}

#[test]
fn local_is_the_side_of_the_ue() {
    let web = PacketFilter { remote_ports: Some(80..=80), ..filter(1, 1) };
    let tft = Tft::new(vec![web]).unwrap();
    let down = tuple((1, 80), (2, 4000), Protocol::TCP);
    assert_eq!(tft.classify(&down, 0, Direction::Downlink), Some(1));
    assert_eq!(tft.classify(&down.reversed(), 0, Direction::Uplink), Some(1));
    assert_eq!(tft.classify(&down, 0, Direction::Uplink), None);
}

#[test]
fn an_ect1_packet_can_have_a_bearer_of_its_own() {
    // The ECN bits are part of the octet: 01 is ECT(1), 11 is CE.
    let l4s = PacketFilter { tos: Some(TosMatch { value: 0b01, mask: 0b01 }), ..filter(1, 1) };
    let tft = Tft::new(vec![l4s]).unwrap();
    let tuple = tuple((1, 80), (2, 4000), Protocol::TCP);
    let bearers = [0b00, 0b01, 0b10, 0b11, 46 << 2 | 0b01]
        .map(|tos| tft.classify(&tuple, tos, Direction::Downlink));
    assert_eq!(bearers, [None, Some(1), None, Some(1), Some(1)]);
}

#[test]
fn a_precedence_twice_is_an_error() {
    let error = Tft::new(vec![filter(5, 0), filter(1, 0), filter(5, 1)]).unwrap_err();
    assert_eq!(error, TftError::DuplicatePrecedence(5));
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn a_range_of_no_ports_is_an_error() {
    let empty = PacketFilter { local_ports: Some(9..=8), ..filter(4, 0) };
    assert_eq!(Tft::new(vec![empty]).unwrap_err(), TftError::EmptyPortRange(4));
}

#[test]
fn prefixes_of_every_length() {
    assert!(Prefix::new([10, 0, 0, 1], 33).is_none());
    let any = Prefix::new([10, 0, 0, 1], 0).unwrap();
    assert!(any.contains([192, 168, 0, 1].into()));
    assert!(!any.contains(Ipv6Addr::LOCALHOST.into()));
    let odd = Prefix::new([10, 0, 0, 0], 9).unwrap();
    assert!(odd.contains([10, 127, 0, 1].into()) && !odd.contains([10, 128, 0, 1].into()));
    assert!(Prefix::host(Ipv6Addr::LOCALHOST).contains(Ipv6Addr::LOCALHOST.into()));
    assert!(!Prefix::host(Ipv4Addr::LOCALHOST).contains([127, 0, 0, 2].into()));
}

/// Matching as the text of TS 24.008 has it, component by component, bit by bit.
fn naive(filters: &[PacketFilter], tuple: &Tuple, tos: u8, down: bool) -> Option<usize> {
    let (local, remote) = if down { (tuple.dst, tuple.src) } else { (tuple.src, tuple.dst) };
    let mut best: Option<&PacketFilter> = None;
    for filter in filters {
        let mut fits = match filter.direction {
            FilterDirection::Down => down,
            FilterDirection::Up => !down,
            FilterDirection::Both => true,
        };
        for (prefix, addr) in [(filter.remote, remote.addr), (filter.local, local.addr)] {
            if let (Some(prefix), IpAddr::V4(addr)) = (prefix, addr) {
                let IpAddr::V4(wanted) = prefix.addr else { unreachable!() };
                for bit in 0..u32::from(prefix.len) {
                    let of = |addr: Ipv4Addr| u32::from(addr) >> (31 - bit) & 1;
                    fits &= of(wanted) == of(addr);
                }
            }
        }
        for (ports, port) in
            [(&filter.local_ports, local.port), (&filter.remote_ports, remote.port)]
        {
            if let Some(ports) = ports {
                fits &= *ports.start() <= port && port <= *ports.end();
            }
        }
        if let Some(protocol) = filter.protocol {
            fits &= protocol == tuple.protocol;
        }
        if let Some(wanted) = filter.tos {
            fits &= tos & wanted.mask == wanted.value & wanted.mask;
        }
        if fits && best.is_none_or(|best| filter.precedence < best.precedence) {
            best = Some(filter);
        }
    }
    best.map(|filter| filter.bearer)
}

fn any_prefix() -> impl Strategy<Value = Option<Prefix>> {
    prop::option::of((0u8..4, 28u8..=32))
        .prop_map(|prefix| prefix.and_then(|(host, len)| Prefix::new([10, 0, 0, host], len)))
}

fn any_ports() -> impl Strategy<Value = Option<RangeInclusive<u16>>> {
    prop::option::of((0u16..5, 0u16..3).prop_map(|(low, more)| low..=low + more))
}

fn any_filter() -> impl Strategy<Value = PacketFilter> {
    use FilterDirection::{Both, Down, Up};
    let direction = prop::sample::select(vec![Down, Up, Both]);
    let protocol = prop::option::of(prop::sample::select(vec![Protocol::TCP, Protocol::UDP]));
    let tos = prop::option::of((0u8..4, 0u8..4));
    (0usize..4, direction, (any_prefix(), any_prefix()), protocol, (any_ports(), any_ports()), tos)
        .prop_map(|(bearer, direction, addrs, protocol, ports, tos)| PacketFilter {
            precedence: 0,
            bearer,
            direction,
            remote: addrs.0,
            local: addrs.1,
            protocol,
            local_ports: ports.0,
            remote_ports: ports.1,
            tos: tos.map(|(value, mask)| TosMatch { value, mask }),
        })
}

proptest! {
    #[test]
    fn classifies_as_a_naive_matcher_does(
        filters in prop::collection::vec(any_filter(), 0..6),
        order in prop::collection::vec(any::<u8>(), 6),
        src in (0u8..4, 0u16..7), dst in (0u8..4, 0u16..7),
        tcp: bool, tos in 0u8..4, down: bool,
    ) {
        let mut filters = filters;
        for (filter, precedence) in filters.iter_mut().zip(order) {
            filter.precedence = precedence;
        }
        let tuple = tuple(src, dst, if tcp { Protocol::TCP } else { Protocol::UDP });
        let direction = if down { Direction::Downlink } else { Direction::Uplink };
        match Tft::new(filters.clone()) {
            Ok(tft) => prop_assert_eq!(
                tft.classify(&tuple, tos, direction),
                naive(&filters, &tuple, tos, down)
            ),
            Err(_) => {
                let mut values: Vec<u8> = filters.iter().map(|f| f.precedence).collect();
                values.sort_unstable();
                values.dedup();
                prop_assert!(values.len() < filters.len());
            }
        }
    }
}
