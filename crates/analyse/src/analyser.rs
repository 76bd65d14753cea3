//! Captures in, flows out.

use std::io::Read;

use airpath_base::Time;
use airpath_wire::datagram::Transport;
use airpath_wire::{Protocol, TcpFlags};

use crate::decode::{Decoder, Unit};
use crate::flow::Flow;
use crate::input::{OpenError, Reader, decompressed};
use crate::key::Key;
use crate::options::Options;
use crate::record::FlowRecord;
use crate::table::{Over, Table};
use crate::warnings::{Warning, Warnings};

/// Ports of servers: the well-known ones, and below those that clients choose (IANA; RFC
/// 6335, 6).
const WELL_KNOWN: u16 = 1024;
const DYNAMIC: u16 = 32_768;

/// What was read in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets, of all kinds.
    pub packets: u64,
    /// Bytes of the frames.
    pub bytes: u64,
    /// Flows.
    pub flows: u64,
    /// What was wrong.
    pub warnings: Vec<Warning>,
}

/// Analyses captures. Flows are handed to `sink` when they are over; several captures, one
/// after the other, are taken for parts of one.
pub struct Analyser<S: FnMut(&FlowRecord)> {
    decoder: Decoder,
    warnings: Warnings,
    packets: u64,
    bytes: u64,
    flows: Flows<S>,
}

/// The part that is fed with decoded packets.
struct Flows<S> {
    options: Options,
    table: Table,
    now: Time,
    ended: u64,
    evicted: u64,
    /// Whether memory was short.
    cramped: bool,
    sink: S,
}

impl<S: FnMut(&FlowRecord)> Analyser<S> {
    /// Begins an analysis.
    pub fn new(options: Options, sink: S) -> Analyser<S> {
        let table = Table::new(options.idle, options.memory);
        Analyser {
            decoder: Decoder::default(),
            warnings: Warnings::default(),
            packets: 0,
            bytes: 0,
            flows: Flows {
                options,
                table,
                now: Time::ZERO,
                ended: 0,
                evicted: 0,
                cramped: false,
                sink,
            },
        }
    }

    /// Reads a capture, compressed or not, to its end or as far as it can be read; trouble
    /// on the way is for the warnings, under the name `file`.
    ///
    /// # Errors
    ///
    /// If it is no capture.
    pub fn read(&mut self, file: &str, input: impl Read) -> Result<(), OpenError> {
        self.warnings.begin(file);
        let mut reader = Reader::open(decompressed(input)?)?;
        while let Some(frame) = reader.next(&mut self.warnings) {
            self.packets += 1;
            self.bytes += u64::from(frame.len);
            let flows = &mut self.flows;
            self.decoder.decode(&frame, &mut self.warnings, &mut |unit| flows.unit(unit));
        }
        Ok(())
    }

    /// Ends the analysis: hands out the flows that are left, and what was read in all.
    pub fn finish(mut self) -> Totals {
        self.flows.finish();
        if self.flows.evicted > 0 {
            let what = format!(
                "{} flows were ended early, since more lived at once than the memory is for",
                self.flows.evicted
            );
            self.warnings.add(0, &what);
        }
        if self.flows.cramped {
            let what = "more flows lived at once than the memory is for: of some only packets, \
                        bytes and retransmissions were counted";
            self.warnings.add(0, what);
        }
        if self.decoder.orphans() > 0 {
            let what = format!("{} fragments of incomplete packets", self.decoder.orphans());
            self.warnings.add(0, &what);
        }
        let Analyser { packets, bytes, flows, warnings, .. } = self;
        Totals { packets, bytes, flows: flows.ended, warnings: warnings.into_list() }
    }
}

impl<S: FnMut(&FlowRecord)> Flows<S> {
    #[inline]
    fn unit(&mut self, unit: &Unit<'_>) {
        let ports = [unit.tuple.src.port, unit.tuple.dst.port];
        let counted = matches!(unit.tuple.protocol, Protocol::TCP | Protocol::UDP);
        if !counted || self.options.port.is_some_and(|port| !ports.contains(&port)) {
            return;
        }
        self.now = self.now.max(unit.at);
        while let Some((flow, over)) = self.table.over(self.now) {
            self.end(&flow, over);
        }
        let (key, side) = Key::new(&unit.tuple);
        let n = self.place(key, side, unit);
        let room = self.table.room();
        self.cramped |= !room;
        let flow = self.table.flow(n);
        let (before, closed) = (flow.heap(), flow.is_closed());
        flow.packet(side, unit, self.options.most_bandwidth, room);
        let (now, closing) = (flow.heap(), !closed && flow.is_closed());
        self.table.grown(before, now);
        if closing {
            self.table.closing(n, unit.at);
        }
    }

    /// The flow of a packet: one that is known, or a new one.
    fn place(&mut self, key: Key, side: usize, unit: &Unit<'_>) -> u32 {
        let syn = match &unit.transport {
            Transport::Tcp(seg) if seg.flags.contains(TcpFlags::SYN) => Some(seg),
            _ => None,
        };
        if let Some(n) = self.table.find(&key, side, unit) {
            let reused = syn.is_some_and(|seg| self.table.flow(n).is_reused_by(side, seg));
            if !reused {
                if let Some(seg) = syn {
                    let ack = seg.flags.contains(TcpFlags::ACK);
                    let flow = self.table.flow(n);
                    if !flow.client_certain {
                        flow.client = if ack { 1 - side } else { side } as u8;
                        flow.client_certain = true;
                    }
                }
                return n;
            }
            if let Some(flow) = self.table.end(n) {
                self.end(&flow, Over::Time);
            }
        }
        let n = self.table.begin(key, side, unit);
        let syn = syn.map(|seg| seg.flags.contains(TcpFlags::ACK));
        let (client, certain) = client(&self.options, &key, side, syn);
        let flow = self.table.flow(n);
        (flow.client, flow.client_certain) = (client as u8, certain);
        n
    }

    fn end(&mut self, flow: &Flow, over: Over) {
        self.ended += 1;
        self.evicted += u64::from(over == Over::Memory);
        (self.sink)(&flow.record(over));
    }

    fn finish(&mut self) {
        while let Some((flow, over)) = self.table.drain() {
            self.end(&flow, over);
        }
    }
}

/// Which end is the client, and whether a SYN that comes later could not say otherwise.
/// `syn` is there if the packet is a SYN, and says whether it is a SYN-ACK.
fn client(options: &Options, key: &Key, sender: usize, syn: Option<bool>) -> (usize, bool) {
    let within = |side| options.clients.iter().any(|net| net.contains(key.end(side).addr));
    match (within(0), within(1)) {
        (true, false) => return (0, true),
        (false, true) => return (1, true),
        _ => {}
    }
    if let Some(port) = options.port
        && (key.port(0) == port) != (key.port(1) == port)
    {
        return (usize::from(key.port(0) == port), true);
    }
    match syn {
        Some(true) => return (1 - sender, true),
        Some(false) => return (sender, true),
        None => {}
    }
    let server_below = |bound| match (key.port(0) < bound, key.port(1) < bound) {
        (true, false) => Some(1),
        (false, true) => Some(0),
        _ => None,
    };
    let by_port = server_below(WELL_KNOWN).or_else(|| server_below(DYNAMIC));
    (by_port.unwrap_or(sender), false)
}

#[cfg(test)]
#[path = "analyser_tests.rs"]
mod tests;
