//! Flows of TCP and QUIC as qlog 0.3, in the form that qvis reads (quiclog/qvis,
//! `QlogLoaderV2`).
//!
//! TCP is mapped as by qvis' own converter of captures. Each packet is one of type 1RTT, its number is that of the
//! frame, and the header has the sequence number. Of QUIC's protected packets the number cannot be read, so that of the
//! frame stands for it, too. A capture has no list of ACK frames. Later versions of qlog have other forms, which qvis
//! does not read.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json, to_writer};

use crate::{
    Captures, FlowProtocol, FlowRecord, Options, PacketKind, Packets, TracedPacket, traced,
};

/// Begin of each file.
pub const HEAD: &str =
    "{\"qlog_version\":\"0.3\",\"qlog_format\":\"JSON\",\"title\":\"airpath analyse\",";

/// True if a flow has a form in qlog: TCP and QUIC have.
pub fn has_form(flow: &FlowRecord) -> bool {
    matches!(flow.protocol, FlowProtocol::Tcp | FlowProtocol::Quic)
}

/// Packets of a flow for its file, for which the captures are read again; none if there are none.
pub fn packets(
    flow: &FlowRecord,
    captures: &Captures<'_>,
    options: &Options,
) -> Option<(Box<FlowRecord>, Packets)> {
    let options = Options { packets: true, ..options.clone() };
    let (flow, trace) = traced(flow, captures, options).ok()?;
    Some((flow, trace.packets.filter(|packets| !packets.list.is_empty())?))
}

/// Writes a flow as a file with one trace.
///
/// # Errors
///
/// Those of `out`.
pub fn write(mut out: impl Write, flow: &FlowRecord, packets: Packets) -> io::Result<()> {
    let Packets { list: mut packets, left_out } = packets;
    // qvis wants events in the order of time.
    packets.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    let up = flow.up.payload_bytes > flow.down.payload_bytes;
    let (tcp, sender) = (flow.protocol == FlowProtocol::Tcp, if up { "client" } else { "server" });
    let protocol = if tcp { "TCP" } else { "QUIC" };
    let description = match left_out {
        0 => String::new(),
        _ => format!("{left_out} further packets are left out"),
    };
    let begin = flow.start.map_or(0.0, |start| start.as_secs_f64() * 1e3);
    write!(out, "{HEAD}\"description\":{},\"traces\":[{{", json!(description))?;
    let title = format!("{} -> {}", flow.client, flow.server);
    write!(out, "\"title\":{},\"vantage_point\":", json!(title))?;
    to_writer(&mut out, &json!({ "type": "network", "flow": sender }))?;
    out.write_all(b",\"common_fields\":")?;
    let common =
        json!({ "protocol_type": [protocol], "time_format": "relative", "reference_time": begin });
    to_writer(&mut out, &common)?;
    out.write_all(b",\"events\":[")?;
    // The frame that carried a sequence number last.
    let mut sent: HashMap<(bool, u32), u64> = HashMap::new();
    let (mut least, mut first) = (f64::INFINITY, true);
    for packet in &packets {
        for event in events(packet, up, &mut sent, &mut least) {
            out.write_all(if first { b"\n" } else { b",\n" })?;
            first = false;
            to_writer(&mut out, &event)?;
        }
    }
    out.write_all(b"\n]}]}\n")?;
    out.flush()
}

/// Events of a packet; `up` is true if the data of the log are the client's.
fn events(
    packet: &TracedPacket,
    up: bool,
    sent: &mut HashMap<(bool, u32), u64>,
    least: &mut f64,
) -> Vec<Value> {
    let time = packet.at_s * 1e3;
    let event = |name: &str, data: Value| json!({ "time": time, "name": name, "data": data });
    let mut events = Vec::new();
    let name = if packet.up == up { "transport:packet_sent" } else { "transport:packet_received" };
    if let Some(seq) = packet.seq {
        let data = packet.payload_bytes > 0;
        let before = if data { sent.insert((packet.up, seq), packet.number) } else { None };
        if let Some(lost) = before.filter(|_| packet.again && packet.up == up) {
            let header = json!({ "packet_type": "1RTT", "packet_number": lost });
            events.push(event("recovery:packet_lost", json!({ "header": header })));
        }
        let header = json!({
            "packet_type": "1RTT", "packet_number": packet.number, "sequence_number": seq,
            "header_length": packet.header_bytes,
        });
        events.push(event(name, json!({ "header": header, "raw": raw(packet) })));
    } else {
        for (kind, len) in &packet.quic {
            let header = json!({ "packet_type": named(*kind), "packet_number": packet.number });
            events.push(event(name, json!({ "header": header, "raw": { "length": len } })));
        }
    }
    let answers = packet.up != up;
    if let (true, Some(rtt)) = (answers, packet.rtt_ms) {
        *least = least.min(rtt);
        let mut metrics = json!({ "latest_rtt": rtt, "min_rtt": *least });
        if let Some(bytes) = packet.in_flight {
            metrics["bytes_in_flight"] = bytes.into();
        }
        events.push(event("recovery:metrics_updated", metrics));
    }
    events
}

fn raw(packet: &TracedPacket) -> Value {
    let TracedPacket { header_bytes, payload_bytes, .. } = *packet;
    json!({ "length": header_bytes + payload_bytes, "payload_length": payload_bytes })
}

/// Name of a kind of packet in qlog.
fn named(kind: PacketKind) -> &'static str {
    match kind {
        PacketKind::Initial => "initial",
        PacketKind::ZeroRtt => "0RTT",
        PacketKind::Handshake => "handshake",
        PacketKind::Retry => "retry",
        PacketKind::VersionNegotiation => "version_negotiation",
        PacketKind::OneRtt => "1RTT",
    }
}
