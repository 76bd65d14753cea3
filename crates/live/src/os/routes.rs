//! The host's own routes, which a session must not shadow if it reaches outside.
//!
//! Source: proc_pid_net(5) and, for IPv6, net/ipv6/route.c of Linux (`rt6_info_route`).

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A route of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route {
    network: IpAddr,
    bits: u32,
    device: String,
}

impl Route {
    /// True if an address is among those of the route.
    pub(super) fn covers(&self, address: IpAddr) -> bool {
        match (self.network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                shared(u128::from(network.to_bits() ^ address.to_bits()) << 96, self.bits)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                shared(network.to_bits() ^ address.to_bits(), self.bits)
            }
            _ => false,
        }
    }
}

/// True if the first bits of a difference are zero.
fn shared(difference: u128, bits: u32) -> bool {
    difference.leading_zeros() >= bits
}

impl Display for Route {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} through {}", self.network, self.bits, self.device)
    }
}

/// Routes of the namespace of the caller, without those to everywhere and to itself.
pub(super) fn of_host() -> Vec<Route> {
    let text = |path| fs::read_to_string(path).unwrap_or_default();
    let (v4, v6) = (text("/proc/net/route"), text("/proc/net/ipv6_route"));
    let routes = v4.lines().filter_map(line_v4).chain(v6.lines().filter_map(line_v6));
    routes.filter(|route| route.bits > 0 && route.device != "lo").collect()
}

/// True if the host itself reaches something by IPv6.
pub(super) fn has_v6() -> bool {
    let text = fs::read_to_string("/proc/net/ipv6_route").unwrap_or_default();
    let mut routes = text.lines().filter_map(line_v6);
    routes.any(|route| route.bits == 0 && route.device != "lo")
}

/// Device, destination, gateway, flags, references, uses, metric, mask, …
fn line_v4(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let word = |place: usize| {
        let word = u32::from_str_radix(fields.get(place)?, 16).ok()?;
        Some(Ipv4Addr::from(word.to_ne_bytes()))
    };
    let device = (*fields.first()?).to_owned();
    Some(Route { network: word(1)?.into(), bits: word(7)?.to_bits().count_ones(), device })
}

/// Destination, its bits, source, its bits, next hop, metric, references, uses, flags, device.
fn line_v6(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let network = Ipv6Addr::from_bits(u128::from_str_radix(fields.first()?, 16).ok()?);
    let bits = u32::from_str_radix(fields.get(1)?, 16).ok()?;
    Some(Route { network: network.into(), bits, device: (*fields.get(9)?).to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_read() {
        let line = "eth0\t0002000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0";
        let route = line_v4(line).expect("a route");
        if cfg!(target_endian = "little") {
            assert_eq!(route.to_string(), "10.0.2.0/24 through eth0");
            assert!(route.covers([10, 0, 2, 200].into()));
            assert!(!route.covers([10, 0, 3, 1].into()));
        }
        assert_eq!(line_v4("Iface\tDestination\tGateway"), None);
        let line = "fd0000a1000000000000000000000000 40 00000000000000000000000000000000 00 \
                    00000000000000000000000000000000 00000400 00000001 00000000 00000001  v0";
        let route = line_v6(line).expect("a route");
        assert_eq!(route.to_string(), "fd00:a1::/64 through v0");
        assert!(route.covers(IpAddr::V6("fd00:a1::1:2".parse().expect("an address"))));
        assert!(!route.covers(IpAddr::V6("fd00:a1:0:1::1".parse().expect("an address"))));
        assert!(!route.covers([10, 0, 2, 2].into()));
    }
}
