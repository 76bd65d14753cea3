//! Writes a large capture of headers, for measuring: FLOWS flows of PACKETS packets each,
//! interleaved, with a handshake, data and ACKs. The last packets close the flow if CLOSE is given.
//!
//!     cargo run --release -p airpath-analyse --example capture -- FLOWS PACKETS OUT [CLOSE]

use std::fs::File;
use std::io::{BufWriter, Write};

use airpath_wire::datagram::{Content, Inner, emit};
use airpath_wire::{
    Ecn, Endpoint, IpRepr, Protocol, SeqNumber, TcpFlags, TcpRepr, Timestamps, Tuple,
};

/// Bytes of data in a segment.
const DATA: u32 = 1448;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, flows, packets, out, close @ ..] = &args[..] else {
        return Err("FLOWS PACKETS OUT [CLOSE]".into());
    };
    let (flows, packets): (u32, u32) = (flows.parse()?, packets.parse()?);
    let mut file = BufWriter::new(File::create(out)?);
    file.write_all(&0xa1b2_c3d4_u32.to_le_bytes())?;
    for word in [0x0004_0002_u32, 0, 0, 96, 101] {
        file.write_all(&word.to_le_bytes())?;
    }
    let mut bytes = Vec::new();
    // Flows in groups, as if so many lived at once.
    let group = if close.is_empty() { flows } else { flows.min(20_000) };
    let mut micros = 0u64;
    for first in (0..flows).step_by(group as usize) {
        for n in 0..packets {
            for flow in first..(first + group).min(flows) {
                micros += 10;
                let (tuple, seg) = segment(flow, n, packets, micros, !close.is_empty());
                let size = 40 + 12 + seg.payload_len;
                let ip = IpRepr::new(tuple, 0, Ecn::NotEct, size);
                let len = emit(Inner::Repr(ip, Content::Tcp(seg)), &[], 96, &mut bytes)?;
                bytes.truncate(seg.header_len() as usize + 20);
                for word in [
                    (micros / 1_000_000) as u32,
                    (micros % 1_000_000) as u32,
                    bytes.len() as u32,
                    len,
                ] {
                    file.write_all(&word.to_le_bytes())?;
                }
                file.write_all(&bytes)?;
            }
        }
    }
    file.flush()?;
    Ok(())
}

/// The n-th packet of a flow.
fn segment(flow: u32, n: u32, packets: u32, micros: u64, close: bool) -> (Tuple, TcpRepr) {
    let [_, a, b, c] = flow.to_be_bytes();
    let client = Endpoint::new([10, a, b, c], 40_000);
    let up =
        Tuple { src: client, dst: Endpoint::new([192, 0, 2, 1], 443), protocol: Protocol::TCP };
    let (syn, ack) = (TcpFlags::SYN, TcpFlags::ACK);
    let stamp = (micros / 1000) as u32;
    let timestamps = Some(Timestamps { value: stamp, echo: stamp });
    let base = TcpRepr { window: 500, timestamps, flags: ack, ..TcpRepr::default() };
    let sent = n.saturating_sub(3) / 2 * DATA;
    let last = close && n + 2 >= packets;
    let flags = if last { ack.with(TcpFlags::FIN) } else { ack };
    match n {
        0 => (up, TcpRepr { flags: syn, window_scale: Some(7), ..base }),
        1 => (
            up.reversed(),
            TcpRepr { flags: syn.with(ack), ack: SeqNumber(1), window_scale: Some(7), ..base },
        ),
        n if n % 2 == 0 => {
            let acked = if n == 2 { 1 } else { 1 + sent + DATA };
            (up, TcpRepr { seq: SeqNumber(1), ack: SeqNumber(acked), flags, ..base })
        }
        _ => {
            let (seq, ack) = (SeqNumber(1 + sent), SeqNumber(1));
            (up.reversed(), TcpRepr { seq, ack, flags, payload_len: DATA, ..base })
        }
    }
}
