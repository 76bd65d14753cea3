//! Making captures for tests.

use airpath_base::Time;
use airpath_wire::datagram::{Content, Inner, OuterRepr, emit};
use airpath_wire::pcapng::{InterfaceId, Writer};
use airpath_wire::{
    Ecn, Endpoint, IpRepr, Protocol, SeqNumber, TcpFlags, TcpRepr, Timestamps, Tuple,
};

use crate::{Analyser, Collected, FlowRecord, HostRecord, Options, Totals};

/// A capture of a client at 10.0.0.1 and a server at 192.0.2.1.
pub(crate) struct Capture {
    writer: Writer<Vec<u8>>,
    interfaces: Vec<InterfaceId>,
    pub(crate) here: usize,
    pub(crate) outers: Vec<OuterRepr>,
    /// The addresses, and the server's port.
    pub(crate) client: [u8; 4],
    pub(crate) server: [u8; 4],
    pub(crate) port: u16,
    /// Bytes that are captured of a packet.
    pub(crate) snap: usize,
    /// Of all that is sent from now on.
    pub(crate) ecn: Ecn,
    pub(crate) dscp: u8,
    /// The identification of IPv4 of all that is sent from now on.
    pub(crate) ident: u16,
}

/// Sender of a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    Client,
    Server,
}

impl Capture {
    pub(crate) fn new() -> Capture {
        let mut writer = Writer::new(Vec::new(), "test").unwrap();
        let interfaces = ["a", "b"].map(|name| writer.add_interface(name, 0).unwrap()).to_vec();
        Capture {
            writer,
            interfaces,
            here: 0,
            outers: Vec::new(),
            client: [10, 0, 0, 1],
            server: [192, 0, 2, 1],
            port: 443,
            snap: 200,
            ecn: Ecn::NotEct,
            dscp: 0,
            ident: 0,
        }
    }

    /// A segment of `len` bytes at a time in microseconds.
    pub(crate) fn tcp(&mut self, micros: u64, from: From, seg: &TcpRepr) {
        self.tcp_with(micros, from, seg, &[]);
    }

    /// A segment with what was captured of its data, or without, up to 200 bytes of all.
    pub(crate) fn tcp_with(&mut self, micros: u64, from: From, seg: &TcpRepr, data: &[u8]) {
        let (client, server) =
            (Endpoint::new(self.client, 40_000), Endpoint::new(self.server, self.port));
        let tuple = match from {
            From::Client => Tuple { src: client, dst: server, protocol: Protocol::TCP },
            From::Server => Tuple { src: server, dst: client, protocol: Protocol::TCP },
        };
        let size = 20 + seg.header_len() + seg.payload_len;
        let ip = IpRepr { ident: self.ident, ..IpRepr::new(tuple, self.dscp, self.ecn, size) };
        let mut bytes = Vec::new();
        let len = emit(Inner::Repr(ip, Content::Tcp(*seg)), &self.outers, 200, &mut bytes).unwrap();
        if !data.is_empty() {
            let headers = len as usize - seg.payload_len as usize;
            bytes.truncate(headers);
            bytes.extend_from_slice(data);
        }
        bytes.truncate(self.snap);
        self.frame(micros, &bytes, len);
    }

    /// A datagram between the client's port 40 000 and the server's.
    pub(crate) fn udp(&mut self, micros: u64, from: From, payload: &[u8]) {
        let ends = [(self.client, 40_000), (self.server, self.port)];
        let [src, dst] = if from == From::Client { ends } else { [ends[1], ends[0]] };
        let half = |n: usize| (n as u16).to_be_bytes();
        let len = half(28 + payload.len());
        let ip = [&[0x45, 0][..], &len, &[0, 0, 0, 0, 64, 17, 0, 0], &src.0, &dst.0].concat();
        let ports = [half(src.1.into()), half(dst.1.into()), half(8 + payload.len()), [0, 0]];
        let bytes = [&ip[..], ports.as_flattened(), payload].concat();
        self.frame(micros, &bytes, bytes.len() as u32);
    }

    pub(crate) fn frame(&mut self, micros: u64, bytes: &[u8], len: u32) {
        let at = Time::from_nanos(1_000_000_000 + micros * 1000);
        self.writer.packet(self.interfaces[self.here], at, bytes, len, None).unwrap();
    }

    /// SYN at 0, SYN-ACK at 20 ms, ACK at 50 ms.
    pub(crate) fn handshake(&mut self) {
        let syn = TcpRepr { window: 1000, window_scale: Some(2), ..seg(0, 0, 0) };
        let flags = TcpFlags::SYN;
        self.tcp(0, From::Client, &TcpRepr { flags, ..syn });
        let answer = TcpRepr { flags: flags.with(TcpFlags::ACK), ack: SeqNumber(1), ..syn };
        self.tcp(20_000, From::Server, &answer);
        self.tcp(50_000, From::Client, &seg(1, 1, 0));
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        self.writer.finish().unwrap()
    }

    /// Records of the analysis.
    pub(crate) fn flows(self) -> Vec<FlowRecord> {
        analyse(&self.bytes(), Options::default()).0
    }

    /// Record of the only flow.
    pub(crate) fn flow(self) -> FlowRecord {
        let mut flows = self.flows();
        assert_eq!(flows.len(), 1);
        flows.remove(0)
    }
}

/// A segment with a window of 1000 (scaled, 4000 bytes).
pub(crate) fn seg(seq: u32, ack: u32, len: u32) -> TcpRepr {
    TcpRepr {
        seq: SeqNumber(seq),
        ack: SeqNumber(ack),
        flags: TcpFlags::ACK,
        window: 1000,
        payload_len: len,
        ..TcpRepr::default()
    }
}

/// With timestamps.
pub(crate) fn stamped(seg: TcpRepr, value: u32, echo: u32) -> TcpRepr {
    TcpRepr { timestamps: Some(Timestamps { value, echo }), ..seg }
}

pub(crate) fn analyse(bytes: &[u8], options: Options) -> (Vec<FlowRecord>, Totals) {
    let mut flows = Vec::new();
    let mut analyser = Analyser::new(options, |flow| flows.push(flow.clone()));
    analyser.read("test", bytes).unwrap();
    let totals = analyser.finish();
    (flows, totals)
}

/// With the hosts.
pub(crate) fn analyse_hosts(
    bytes: &[u8],
    options: Options,
) -> (Vec<FlowRecord>, Vec<HostRecord>, Totals) {
    let (all, totals) = analyse_all(bytes, options);
    (all.flows, all.hosts, totals)
}

pub(crate) fn analyse_all(bytes: &[u8], options: Options) -> (Collected, Totals) {
    let mut all = Collected::default();
    let mut analyser = Analyser::with_sink(options, &mut all);
    analyser.read("test", bytes).unwrap();
    let totals = analyser.finish();
    (all, totals)
}
