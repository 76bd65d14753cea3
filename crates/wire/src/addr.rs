//! Addresses, ports and the 5-tuple.

use core::fmt;
use core::net::{IpAddr, SocketAddr};

use airpath_schema::{Decoder, Field, Json, Node, json};

use crate::{IPV4_HEADER, IPV6_HEADER};

/// An IP protocol number (IANA registry "Protocol Numbers").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Protocol(pub u8);

impl Protocol {
    /// TCP.
    pub const TCP: Protocol = Protocol(6);
    /// UDP.
    pub const UDP: Protocol = Protocol(17);
    /// Encapsulating security payload of IPsec.
    pub const ESP: Protocol = Protocol(50);
}

impl Field for Protocol {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let named = |name: &str| match name {
            "tcp" => Some(Protocol::TCP),
            "udp" => Some(Protocol::UDP),
            _ => None,
        };
        let valid = |n: i64| u8::try_from(n).ok().map(Protocol);
        cx.number_or_text(node, "\"tcp\", \"udp\" or a number of 0 to 255", valid, named)
    }
    fn encode(&self) -> Json {
        match *self {
            Protocol::TCP => json!("tcp"),
            Protocol::UDP => json!("udp"),
            Protocol(number) => json!(number),
        }
    }
    fn schema() -> Json {
        json!({"anyOf": [
            {"enum": ["tcp", "udp"]}, {"type": "integer", "minimum": 0, "maximum": 255},
        ]})
    }
}

/// One end of a flow: address and port (zero where the protocol has none).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint {
    /// IP address.
    pub addr: IpAddr,
    /// Port in host order.
    pub port: u16,
}

/// Identity of a transport flow in one direction: addresses, ports and protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tuple {
    /// Source of the packet.
    pub src: Endpoint,
    /// Destination of the packet.
    pub dst: Endpoint,
    /// Transport protocol.
    pub protocol: Protocol,
}

impl Endpoint {
    /// The end at `addr` and `port`.
    pub fn new(addr: impl Into<IpAddr>, port: u16) -> Endpoint {
        Endpoint { addr: addr.into(), port }
    }
}

impl Tuple {
    /// The flow as packets of the other direction carry it.
    pub fn reversed(self) -> Tuple {
        Tuple { src: self.dst, dst: self.src, ..self }
    }

    /// Bytes of the IP header, by address family.
    pub fn ip_header(&self) -> u32 {
        match (self.src.addr, self.dst.addr) {
            (IpAddr::V4(_), IpAddr::V4(_)) => IPV4_HEADER,
            _ => IPV6_HEADER,
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SocketAddr::new(self.addr, self.port).fmt(f)
    }
}
