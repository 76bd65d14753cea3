//! Selection of packets by a filter, in the language of pcap-filter(7) as far as flows have its quantities.
//!
//! A filter judges the packet that a flow consists of: in a tunnel the inner one. `and` and `or` have equal precedence
//! and associate to the left, as in pcap-filter(7). A library for libpcap's own compiler is C, and those in Rust judge
//! frames, not what fragments and tunnels carry.

mod parse;
mod span;

use core::fmt;
use core::str::FromStr;

use airpath_wire::Protocol;

use crate::key::Key;
use crate::options::Net;

pub(crate) use span::Span;
pub use span::{NotATime, When};

/// A filter of packets, as `host 10.0.0.1 and port 443`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection(Filter);

/// Reason for which a text is no filter: the column where it ceases to be one, from 1, and the mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAFilter {
    column: usize,
    reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Filter {
    Is(Test),
    Not(Box<Filter>),
    And(Box<[Filter; 2]>),
    Or(Box<[Filter; 2]>),
}

/// A test of one quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    /// IPv4, or IPv6.
    Version {
        four: bool,
    },
    Protocol(Protocol),
    Net(Net, Ends),
    /// A range of ports, of this protocol if one is given.
    Ports([u16; 2], Option<Protocol>, Ends),
}

/// Ends that a test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Source,
    Destination,
    Either,
    Both,
}

impl Selection {
    /// True if the filter holds for a packet of the key's flow that this end sent.
    pub(crate) fn holds(&self, key: &Key, side: usize) -> bool {
        self.0.holds(key, side)
    }
}

impl Filter {
    fn holds(&self, key: &Key, side: usize) -> bool {
        match self {
            Filter::Is(test) => test.holds(key, side),
            Filter::Not(filter) => !filter.holds(key, side),
            Filter::And(both) => both.iter().all(|filter| filter.holds(key, side)),
            Filter::Or(either) => either.iter().any(|filter| filter.holds(key, side)),
        }
    }
}

impl Test {
    fn holds(&self, key: &Key, side: usize) -> bool {
        match *self {
            Test::Version { four } => key.end(side).addr.is_ipv4() == four,
            Test::Protocol(protocol) => key.protocol() == protocol,
            Test::Net(net, ends) => ends.hold(side, |end| net.contains(key.end(end).addr)),
            Test::Ports([least, most], protocol, ends) => {
                protocol.is_none_or(|protocol| key.protocol() == protocol)
                    && ends.hold(side, |end| (least..=most).contains(&key.port(end)))
            }
        }
    }
}

impl Ends {
    fn hold(self, source: usize, holds: impl Fn(usize) -> bool) -> bool {
        let (from, to) = (holds(source), holds(1 - source));
        match self {
            Ends::Source => from,
            Ends::Destination => to,
            Ends::Either => from || to,
            Ends::Both => from && to,
        }
    }
}

impl FromStr for Selection {
    type Err = NotAFilter;

    fn from_str(text: &str) -> Result<Selection, NotAFilter> {
        parse::filter(text).map(Selection)
    }
}

impl fmt::Display for NotAFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.reason)
    }
}

impl core::error::Error for NotAFilter {}

#[cfg(test)]
#[path = "select_tests.rs"]
mod tests;
