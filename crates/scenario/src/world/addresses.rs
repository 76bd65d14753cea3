//! Addresses of a world: private ones for UEs, those for documentation (RFC 5737)
//! for all else.

use core::net::{IpAddr, Ipv4Addr};

use airpath_wire::Endpoint;

/// Port of GTP-U (TS 29.281, 4.4.2.3).
const GTPU_PORT: u16 = 2152;

/// The gateway on S1-U.
pub(super) const GATEWAY_S1: Endpoint = at([192, 0, 2, 1], GTPU_PORT);
/// The cell on S1-U.
pub(super) const CELL_S1: Endpoint = at([192, 0, 2, 2], GTPU_PORT);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ue_has_an_address_of_its_own() {
        assert_eq!(ue(0), Ipv4Addr::new(10, 45, 0, 2));
        assert_eq!(ue(254), Ipv4Addr::new(10, 45, 1, 0));
        assert_eq!(ue(9_999), Ipv4Addr::new(10, 45, 39, 17));
    }
}
