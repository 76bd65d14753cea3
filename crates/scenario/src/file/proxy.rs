//! A proxy that splits TCP connections.

use airpath_base::Bytes;
use airpath_schema::{between, choice, record};

use super::{Flow, FlowKind, Link, Names, Ports, RadioKind, Tcp};

record! {
    /// A performance-enhancing proxy that splits TCP connections (RFC 3135, 2.4). Each flow
    /// that passes it counts as two: that at the UE under its own name, and one between
    /// proxy and server.
    pub struct Proxy {
        /// Position of the proxy. Default: "gateway"; without a radio "servers".
        at: Option<ProxyPlace>;
        /// The link between the servers and the proxy, where it stands in front of SGi; only
        /// with at = "servers". Default: one without limit and delay.
        link: Option<Link>;
        /// Flows of TCP that it splits, by name. Default: all.
        flow: Names;
        /// Ports of servers whose connections it splits: 80, "8000-8099". Default: all.
        remote_port: Option<Ports>;
        /// Bytes that it holds between both connections of a flow, for each direction. Default: 256
        /// KiB; no specification has a value.
        relay_buffer: Bytes = Bytes(256 << 10) => between(Bytes(1), Bytes(1 << 30));
        /// Options of its connections to UEs, but for `opened_by` and `read_rate`. The UEs'
        /// own ends have those of the flow.
        ue: Option<Tcp>;
        /// Options of its connections to servers, but for `opened_by` and `read_rate`.
        server: Option<Tcp>;
    }
}

choice! {
    /// Position of a proxy.
    pub enum ProxyPlace {
        /// Between SGi's link and the gateway.
        Gateway = "gateway",
        /// In front of SGi's link, on the servers' side.
        Servers = "servers",
    }
}

impl Proxy {
    /// Position of the proxy.
    pub fn place(&self, radio: RadioKind) -> ProxyPlace {
        self.at.unwrap_or(match radio {
            RadioKind::Lte => ProxyPlace::Gateway,
            RadioKind::None => ProxyPlace::Servers,
        })
    }

    /// True if it splits the connections of a flow whose port is known.
    pub fn splits(&self, flow: &Flow) -> bool {
        let named = self.flow.0.is_empty() || self.flow.0.contains(&flow.name);
        let port = flow.remote_port.unwrap_or(0);
        let within = |ports: Ports| (ports.first..=ports.last).contains(&port);
        flow.kind == FlowKind::Tcp && named && self.remote_port.is_none_or(within)
    }
}
