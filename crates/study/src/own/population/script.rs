//! A flow's packets as a monitor between server and radio sees them.

use std::net::Ipv4Addr;

use airpath_wire::{Endpoint, TcpFlags};

use super::bulk;
use super::params::{Kind, Params};
use super::plan::{MSS, Plan};
use super::segments::{Connection, Packets, Side};

/// Between a packet's arrival at a host and its answer, in s.
const SOON: f64 = 0.000_3;
/// Times at which an unanswered SYN is sent, in s (RFC 6298, 2.1 and 5.5).
const SYNS: [f64; 3] = [0.0, 1.0, 3.0];

/// Writes a flow's packets.
pub(crate) fn write(params: &Params, client: Ipv4Addr, plan: &Plan, out: &mut Packets) {
    let kind = params.strata[plan.stratum].kind;
    let client = Endpoint::new(client.octets(), plan.port);
    let server = Endpoint::new(server(plan), plan.server_port);
    match kind {
        Kind::Lookup | Kind::Datagrams => return datagrams(kind, plan, client, server, out),
        _ => {}
    }
    let mut flow = Connection::new(plan, client, server, params.window, out);
    match kind {
        Kind::Unanswered => unanswered(&mut flow),
        Kind::Upload => upload(&mut flow),
        Kind::Bulk => bulk::paused(&mut flow, params),
        Kind::Steady => bulk::steady(&mut flow),
        _ => answered(&mut flow),
    }
}

/// A server's address; what port it serves is part of it.
fn server(plan: &Plan) -> [u8; 4] {
    let [high, low] = plan.server_port.to_be_bytes();
    [198, 18 + (plan.port % 2) as u8, high, low]
}

fn unanswered(flow: &mut Connection<'_>) {
    let (start, attempts) = (flow.plan.start, 1 + usize::from(flow.plan.port) % SYNS.len());
    SYNS.iter().take(attempts).for_each(|after| flow.syn(start + after, Side::Client));
}

/// SYN, SYN-ACK, ACK; gives when the client knows of it, at the monitor.
pub(crate) fn handshake(flow: &mut Connection<'_>) -> f64 {
    let plan = flow.plan;
    flow.syn(plan.start, Side::Client);
    flow.syn(plan.start + plan.server_side, Side::Server);
    flow.connected();
    let at = plan.start + plan.server_side + plan.client_side;
    let to = flow.acked[0];
    flow.ack(at, Side::Client, to, None);
    at
}

/// The request, from `at` on; the server acknowledges it. Gives when that has passed.
pub(crate) fn request(flow: &mut Connection<'_>, at: f64) -> f64 {
    let (plan, mut at) = (flow.plan, at);
    let requests = plan.up.div_ceil(MSS);
    for n in 0..requests {
        at += SOON;
        let len = plan.up / requests + u32::from(n < plan.up % requests);
        flow.data(at, Side::Client, len, &request_text(plan, len));
    }
    if plan.up > 0 {
        let to = flow.seq[0];
        flow.ack(at + plan.server_side, Side::Server, to, None);
    }
    at + plan.server_side
}

/// A request over HTTP of so many bytes; players ask for ranges (the study, 7.1).
fn request_text(plan: &Plan, len: u32) -> String {
    if plan.server_port != 80 {
        return String::new();
    }
    let range = match plan.content.as_deref() {
        Some("application/octet-stream") => "Range: bytes=0-4194303\r\n",
        _ => "",
    };
    let head = format!("GET /a HTTP/1.1\r\nHost: example.com\r\n{range}Cookie: ");
    let room = (len as usize).saturating_sub(head.len() + 4);
    format!("{head}{:a<room$}\r\n\r\n", "")
}

/// The head of an answer over HTTP with so many bytes in all.
pub(crate) fn answer_text(plan: &Plan) -> String {
    let Some(content) = plan.content.as_deref().filter(|_| plan.server_port == 80) else {
        return String::new();
    };
    let status =
        if content == "application/octet-stream" { "206 Partial Content" } else { "200 OK" };
    let kind = match content {
        "unknown" => String::new(),
        content => format!("Content-Type: {content}\r\n"),
    };
    let head =
        |length: u32| format!("HTTP/1.1 {status}\r\n{kind}Content-Length: {length:08}\r\n\r\n");
    head(plan.down.saturating_sub(head(0).len() as u32))
}

/// Ends the connection at `at`, which is the time of its last packet.
pub(crate) fn end(flow: &mut Connection<'_>, at: f64) {
    let plan = flow.plan;
    if plan.reset {
        return flow.close(at, Side::Client, TcpFlags::RST);
    }
    let answered = at - plan.client_side;
    flow.close(answered - plan.server_side, Side::Client, TcpFlags::FIN);
    flow.acked[1] = flow.seq[0];
    flow.close(answered, Side::Server, TcpFlags::FIN);
    let to = flow.seq[1];
    flow.ack(at, Side::Client, to, None);
}

/// A request and an answer, whose packets are spread evenly.
fn answered(flow: &mut Connection<'_>) {
    let plan = flow.plan;
    let at = handshake(flow);
    request(flow, at);
    let count = plan.down.div_ceil(MSS);
    let (mut left, mut text) = (plan.down, answer_text(plan));
    let first = plan.start + plan.answer_at;
    let mut acks = Vec::new();
    for n in 0..count {
        let at = first + plan.answer_for * f64::from(n) / f64::from(count.max(2) - 1);
        let len = left.min(MSS);
        flow.data(at, Side::Server, len, &text);
        text.clear();
        left -= len;
        if n % 2 == 1 || n + 1 == count {
            acks.push((at + plan.client_side + SOON, flow.seq[1]));
        }
    }
    acks.into_iter().for_each(|(at, to)| flow.ack(at, Side::Client, to, None));
    end(flow, plan.start + plan.duration);
}

/// A long request, sent evenly.
fn upload(flow: &mut Connection<'_>) {
    let plan = flow.plan;
    let begin = handshake(flow);
    let mut text = match &plan.content {
        Some(content) => format!(
            "POST /a HTTP/1.1\r\nHost: example.com\r\nContent-Type: {content}\r\n\
             Content-Length: {}\r\n\r\n",
            plan.up
        ),
        None => String::new(),
    };
    let count = plan.up.div_ceil(MSS).max(1);
    let last = plan.start + plan.duration - 2.0 * (plan.server_side + plan.client_side);
    let step = (last - begin).max(0.01) / f64::from(count);
    let (mut left, mut acks) = (plan.up, Vec::new());
    for n in 1..=count {
        let (at, len) = (begin + step * f64::from(n), left.min(MSS));
        flow.data(at, Side::Client, len, &text);
        text.clear();
        left -= len;
        if n % 2 == 0 || n == count {
            acks.push((at + plan.server_side + SOON, flow.seq[0]));
        }
    }
    acks.into_iter().for_each(|(at, to)| flow.ack(at, Side::Server, to, None));
    end(flow, plan.start + plan.duration);
}

/// A DNS lookup, or datagrams down.
fn datagrams(kind: Kind, plan: &Plan, client: Endpoint, server: Endpoint, out: &mut Packets) {
    if kind == Kind::Lookup {
        let server = Endpoint::new([10, 255, 0, 53], 53);
        let id = plan.port.to_be_bytes();
        out.datagram(plan.start, client, server, &query(id, false), 0);
        return out.datagram(plan.start + plan.server_side, server, client, &query(id, true), 0);
    }
    out.datagram(plan.start, client, server, &[], plan.up.max(40));
    for n in 0..plan.down.div_ceil(1200) {
        let at = plan.start + plan.server_side + 0.01 * f64::from(n);
        out.datagram(at, server, client, &[], 1200);
    }
}

/// A question for the address of example.com, or the answer to it (RFC 1035, 4.1).
fn query(id: [u8; 2], answer: bool) -> Vec<u8> {
    let flags = if answer { [0x81, 0x80] } else { [0x01, 0x00] };
    let mut bytes = vec![id[0], id[1], flags[0], flags[1], 0, 1, 0, u8::from(answer), 0, 0, 0, 0];
    bytes.extend_from_slice(b"\x07example\x03com\x00\x00\x01\x00\x01");
    if answer {
        bytes
            .extend_from_slice(b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x0e\x10\x00\x04\xc6\x12\x00\x50");
    }
    bytes
}
