//! Names of flows on the command line: a number, or an end.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use airpath_analyse::FlowRecord;

/// Candidates that are listed.
const LISTED: usize = 16;

/// Name of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowName {
    /// Number in the order in which flows ended.
    Number(u64),
    /// Address of an end, and its port if that is given.
    End(IpAddr, Option<u16>),
}

/// Flows that have a name.
pub struct Matches {
    name: FlowName,
    first: Option<Box<FlowRecord>>,
    count: u64,
    /// Lines on the first of them.
    listed: Vec<String>,
}

impl FlowName {
    fn is(self, flow: &FlowRecord) -> bool {
        match self {
            FlowName::Number(number) => flow.number == number,
            FlowName::End(addr, port) => [flow.client, flow.server]
                .iter()
                .any(|end| end.addr == addr && port.is_none_or(|port| end.port == port)),
        }
    }
}

impl FromStr for FlowName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<FlowName, &'static str> {
        let number = text.parse().ok().map(FlowName::Number);
        let end = || text.parse().ok().map(|addr| FlowName::End(addr, None));
        let with_port = || {
            let end: SocketAddr = text.parse().ok()?;
            Some(FlowName::End(end.ip(), Some(end.port())))
        };
        number.or_else(end).or_else(with_port).ok_or(
            "must be a flow's number, or an end as 10.0.0.1, 10.0.0.1:443 or [2001:db8::1]:443",
        )
    }
}

impl fmt::Display for FlowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FlowName::Number(number) => write!(f, "{number}"),
            FlowName::End(addr, None) => write!(f, "{addr}"),
            FlowName::End(addr, Some(port)) => write!(f, "{}", SocketAddr::new(addr, port)),
        }
    }
}

impl Matches {
    pub fn new(name: FlowName) -> Matches {
        Matches { name, first: None, count: 0, listed: Vec::new() }
    }

    /// A flow has ended.
    pub fn flow(&mut self, flow: &FlowRecord) {
        if !self.name.is(flow) {
            return;
        }
        self.count += 1;
        self.first.get_or_insert_with(|| Box::new(flow.clone()));
        if self.listed.len() < LISTED {
            let FlowRecord { number, client, server, protocol, up, down, .. } = flow;
            let bytes = up.bytes + down.bytes;
            self.listed.push(format!(
                "  {number}. {client} > {server}, {}, {bytes} bytes",
                protocol.name()
            ));
        }
    }

    /// The only flow that has the name, of so many flows.
    ///
    /// # Errors
    ///
    /// If none has it, or several: these are listed.
    pub fn only(self, flows: u64) -> Result<Box<FlowRecord>, String> {
        let Matches { name, first, count, mut listed } = self;
        match (first, count) {
            (Some(flow), 1) => return Ok(flow),
            (None, _) => return Err(none(name, flows)),
            _ => {}
        }
        if count > LISTED as u64 {
            listed.push(format!("  and {} more", count - LISTED as u64));
        }
        let listed = listed.join("\n");
        Err(format!(
            "--flow {name}: {count} flows have this end; name one by its number:\n{listed}"
        ))
    }
}

fn none(name: FlowName, flows: u64) -> String {
    match (name, flows) {
        (_, 0) => format!("--flow {name}: there are no flows"),
        (FlowName::End(..), _) => format!("--flow {name}: no flow has this end"),
        (_, 1) => format!("--flow {name}: there is one flow, number 1"),
        _ => format!("--flow {name}: there are {flows} flows, with the numbers 1 to {flows}"),
    }
}
