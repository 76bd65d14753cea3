//! Addresses of a world: private ones for UEs, those for documentation (RFC 5737) for all else.
//!
//! Cells of a network with handover have addresses for benchmarks (RFC 2544, C.2.2).

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use airpath_wire::Endpoint;

/// Port of GTP-U (TS 29.281, 4.4.2.3).
const GTPU_PORT: u16 = 2152;

/// The gateway on S1-U.
pub(super) const GATEWAY_S1: Endpoint = at([192, 0, 2, 1], GTPU_PORT);
/// The cell on S1-U.
pub(super) const CELL_S1: Endpoint = at([192, 0, 2, 2], GTPU_PORT);
/// A cell on S1-U, if UEs go from cell to cell: 198.18.0.1 and so on.
pub(super) fn cell_s1(number: usize) -> Endpoint {
    of_benchmark(0xc612_0001, number)
}

/// A cell on X2-U: 198.19.0.1 and so on.
pub(super) fn cell_x2(number: usize) -> Endpoint {
    of_benchmark(0xc613_0001, number)
}

fn of_benchmark(first: u32, number: usize) -> Endpoint {
    let addr = Ipv4Addr::from_bits(first + u32::from(number as u16));
    Endpoint { addr: IpAddr::V4(addr), port: GTPU_PORT }
}

/// The gateway's end of the IPsec tunnel.
pub(super) const GATEWAY_IPSEC: Endpoint = at([203, 0, 113, 1], 0);
/// The cell's end of the IPsec tunnel.
pub(super) const CELL_IPSEC: Endpoint = at([203, 0, 113, 2], 0);

const fn at([a, b, c, d]: [u8; 4], port: u16) -> Endpoint {
    Endpoint { addr: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), port }
}

/// The address of a UE: 10.45.0.2 and so on, of which a scenario has at most 10,000.
pub(super) fn ue(number: usize) -> Ipv4Addr {
    const FIRST: u32 = 0x0a2d_0002;
    Ipv4Addr::from_bits(FIRST + number as u32)
}

/// The server of real hosts; private, as routes to it are made on the user's machine.
pub(super) const SERVER_V4: Ipv4Addr = Ipv4Addr::new(10, 46, 0, 1);
/// The server of real hosts in IPv6: a unique local address (RFC 4193), as those of UEs.
pub(super) const SERVER_V6: Ipv6Addr = Ipv6Addr::new(0xfd61, 0x6972, 0x7061, 1, 0, 0, 0, 1);

/// The IPv6 address of a UE: fd61:6972:7061::2 and so on.
pub(super) fn ue_v6(number: usize) -> Ipv6Addr {
    const FIRST: u128 = 0xfd61_6972_7061 << 80 | 2;
    Ipv6Addr::from_bits(FIRST + number as u128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_addresses_of_their_own() {
        let addresses = [cell_s1(0), cell_s1(256), cell_x2(20)].map(|end| end.addr.to_string());
        assert_eq!(addresses, ["198.18.0.1", "198.18.1.1", "198.19.0.21"]);
    }

    #[test]
    fn the_last_ue_has_an_address_of_its_own() {
        assert_eq!(ue(0), Ipv4Addr::new(10, 45, 0, 2));
        assert_eq!(ue(254), Ipv4Addr::new(10, 45, 1, 0));
        assert_eq!(ue(9_999), Ipv4Addr::new(10, 45, 39, 17));
        assert_eq!(ue_v6(0).to_string(), "fd61:6972:7061::2");
        assert_eq!(ue_v6(9_999).to_string(), "fd61:6972:7061::2711");
    }
}
