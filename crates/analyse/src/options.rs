//! Options of the analysis.

use core::fmt;
use core::net::IpAddr;
use core::str::FromStr;

use airpath_base::rrc::{Config, Power, Seen};
use airpath_base::{BitRate, Duration, Time};
use airpath_wire::Endpoint;

use crate::causes::Keep;
use crate::methods::{DEFAULT_MOST_BANDWIDTH, IDLE};
use crate::select::{Selection, When};

/// Options of the analysis.
#[derive(Clone, Debug)]
pub struct Options {
    /// Networks of clients. An end of a flow in one of these is its client, if the other end is
    /// not. Otherwise the client is the sender of the SYN. Without a SYN, it is the end with the
    /// port that is not a server's, else the sender of the first packet.
    pub clients: Vec<Net>,
    /// Only flows with this port count, and the end that has it is the server.
    pub port: Option<u16>,
    /// Only packets for which this filter holds are in flows.
    pub select: Option<Selection>,
    /// Only packets from the first time on count, and up to the second, which is excluded.
    pub span: [Option<When>; 2],
    /// True if VXLAN, Geneve, GRE, ERSPAN and pseudowires are looked through.
    pub decapsulate: bool,
    /// The most bandwidth that the network can give: C of the study's bandwidth estimate.
    pub most_bandwidth: BitRate,
    /// Widths of the windows of bandwidth as a time series; empty without a series.
    pub windows: Vec<Duration>,
    /// A flow is over after so long without a packet (1 h, as in the study).
    pub idle: Duration,
    /// Bytes that live flows may take; the ones idle longest are ended early for others.
    pub memory: usize,
    /// Radio of the hosts, for its promotions, its states and their energy. None, the default, for
    /// hosts without: a capture does not show the kind of its hosts.
    pub radio: Option<Radio>,
    /// A radio that was silent for so long is idle for certain (13 s, as in the study).
    pub radio_idle: Duration,
    /// Flows whose intervals of causes are kept
    /// ([`Direction::intervals`](crate::Direction::intervals)).
    pub keep: Keep,
    /// Numbers of packets that are kept of each kind of note ([`Direction::notes`](crate::Direction::notes)) of a
    /// direction; zero without notes.
    pub notes: usize,
    /// A flow whose packets are handed to [`Sink::trace`](crate::Sink::trace) behind it. Its
    /// intervals of causes are kept, too.
    pub trace: Option<Traced>,
    /// True if the packets of the traced flow are handed on one by one, too
    /// ([`Trace::packets`](crate::Trace::packets)).
    pub packets: bool,
    /// Threads that work, that of the caller included. What is found does not depend on it.
    pub threads: usize,
}

/// Identity of a flow that is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    pub(crate) client: Endpoint,
    pub(crate) server: Endpoint,
    pub(crate) tcp: bool,
    pub(crate) start: Time,
}

/// A radio, as hosts are taken to have one.
#[derive(Clone, Copy, Debug)]
pub struct Radio {
    /// Its timers and cycles.
    pub config: Config,
    /// Duration of a promotion.
    pub promotion: Duration,
    /// Power of the states.
    pub power: Power,
    /// Position of the capture: at the host, or in the network.
    pub seen: Seen,
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    addr: IpAddr,
    len: u32,
}

/// Reason for which a text is not a range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotANet;

impl Options {
    /// Flows whose intervals are kept, the traced flow included.
    pub(crate) fn kept(&self) -> Keep {
        match (self.keep, self.trace) {
            (Keep::Nothing, Some(Traced { client, server, .. })) => Keep::Between(client, server),
            // The one that is kept by name makes way.
            (Keep::Between(..), Some(_)) => Keep::All,
            (keep, _) => keep,
        }
    }
}

impl Radio {
    /// LTE as it was measured in a commercial network, promotions of 260.1 ms included
    /// (MobiSys 2012, table 3), seen from within the network.
    pub const MOBISYS_2012: Radio = Radio {
        config: Config::MOBISYS_2012,
        promotion: Duration::from_micros(260_100),
        power: Power::MOBISYS_2012,
        seen: Seen::InNetwork,
    };
}

impl Default for Options {
    fn default() -> Options {
        Options {
            clients: Vec::new(),
            port: None,
            select: None,
            span: [None; 2],
            decapsulate: false,
            most_bandwidth: DEFAULT_MOST_BANDWIDTH,
            windows: Vec::new(),
            idle: Duration::from_secs(3600),
            memory: 500 << 20,
            radio: None,
            radio_idle: IDLE,
            keep: Keep::Nothing,
            notes: 0,
            trace: None,
            packets: false,
            threads: 1,
        }
    }
}

impl Net {
    /// The range of addresses that begin with so many bits of this one; none if a bit behind them is set.
    pub(crate) fn of(addr: IpAddr, len: u32) -> Option<Net> {
        let (bits, most) = match addr {
            IpAddr::V4(addr) => (u128::from(u32::from(addr)) << 96, 32),
            IpAddr::V6(addr) => (u128::from(addr), 128),
        };
        (len <= most && bits.checked_shl(len).unwrap_or(0) == 0).then_some(Net { addr, len })
    }

    /// True if the address lies in the range.
    pub fn contains(&self, addr: IpAddr) -> bool {
        let bits = |addr: IpAddr| match addr {
            IpAddr::V4(addr) => u128::from(u32::from(addr)) << 96,
            IpAddr::V6(addr) => u128::from(addr),
        };
        let differ = bits(self.addr) ^ bits(addr);
        self.addr.is_ipv4() == addr.is_ipv4() && differ.leading_zeros() >= self.len
    }
}

impl FromStr for Net {
    type Err = NotANet;

    fn from_str(text: &str) -> Result<Net, NotANet> {
        let (addr, len) = text.split_once('/').map_or((text, None), |(a, l)| (a, Some(l)));
        let addr: IpAddr = addr.parse().map_err(|_| NotANet)?;
        let most = if addr.is_ipv4() { 32 } else { 128 };
        let len = len.map_or(Ok(most), |len| len.parse().map_err(|_| NotANet))?;
        if len <= most { Ok(Net { addr, len }) } else { Err(NotANet) }
    }
}

impl fmt::Display for NotANet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be an address or a range of them, as 10.0.0.0/8 or 2001:db8::/32")
    }
}

impl core::error::Error for NotANet {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_begins_alike() {
        let net: Net = "10.1.0.0/16".parse().unwrap();
        let addr = |text: &str| text.parse::<IpAddr>().unwrap();
        assert!(net.contains(addr("10.1.255.1")) && !net.contains(addr("10.2.0.1")));
        assert!(!net.contains(addr("a01::1")));
        let all: Net = "::/0".parse().unwrap();
        assert!(all.contains(addr("2001:db8::1")) && !all.contains(addr("10.1.0.1")));
        let one: Net = "10.1.2.3".parse().unwrap();
        assert!(one.contains(addr("10.1.2.3")) && !one.contains(addr("10.1.2.2")));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/-1", "x"] {
            assert_eq!(text.parse::<Net>(), Err(NotANet), "{text}");
        }
    }
}
