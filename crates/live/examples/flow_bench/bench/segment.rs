//! Fields of a TCP segment or a UDP datagram over IPv4 that the relay looks at.

/// Numbers of protocols (IANA).
const TCP: u8 = 6;
const UDP: u8 = 17;

/// A segment, or a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Ports of source and destination.
    pub ports: [u16; 2],
    /// Sequence number.
    pub seq: u32,
    /// Bytes of payload.
    pub payload: u32,
    /// True if it opens a connection.
    pub syn: bool,
}

impl Segment {
    /// Sequence number behind its data.
    pub fn end(self) -> u32 {
        self.seq.wrapping_add(self.payload)
    }

    /// Segment in an IP packet, if there is one.
    pub fn of(packet: &[u8]) -> Option<Segment> {
        let word = |at: usize| Some(u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]));
        let tcp = usize::from(packet.first()? & 15) * 4;
        let ports = [word(tcp)?, word(tcp + 2)?];
        match (packet[0] >> 4, *packet.get(9)?) {
            (4, TCP) => {}
            // A datagram has no sequence number.
            (4, UDP) => return Some(Segment { ports, seq: 0, payload: 0, syn: false }),
            _ => return None,
        }
        let header = usize::from(packet.get(tcp + 12)? >> 4) * 4;
        let total = usize::from(word(2)?);
        let seq = u32::from(word(tcp + 4)?) << 16 | u32::from(word(tcp + 6)?);
        let payload = total.saturating_sub(tcp + header) as u32;
        Some(Segment { ports, seq, payload, syn: packet.get(tcp + 13)? & 2 != 0 })
    }
}
