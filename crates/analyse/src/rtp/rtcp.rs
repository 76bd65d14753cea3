//! RTCP (RFC 3550, 6; RFC 4585, 6): what is counted, what receivers report, and round trips.
//!
//! A receiver names the last sender report that it received, and the time since then (RFC 3550,
//! 6.4.1). Its answer passes the capture point some time after the sender report. That time less
//! the named delay is the round trip from the capture point to the receiver and back. Encrypted
//! reports (SRTCP, RFC 3711) name no visible report and no stream, so nothing of them is taken.

use serde::Serialize;

/// Packet types (RFC 3550, 12.1; RFC 4585, 6.1).
const SENDER_REPORT: u8 = 200;
const RECEIVER_REPORT: u8 = 201;
const TRANSPORT: u8 = 205;
const PAYLOAD: u8 = 206;
/// Bytes of a report block.
const BLOCK: usize = 24;

/// RTCP packets that one end sent, by their kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RtcpCounts {
    /// Sender reports.
    pub sender_reports: u64,
    /// Receiver reports.
    pub receiver_reports: u64,
    /// Congestion control feedback (RFC 8888).
    pub congestion_feedback: u64,
    /// Transport-wide congestion control (draft-holmer-rmcat-transport-wide-cc-extensions-01).
    pub transport_wide_feedback: u64,
    /// Requests for packets (generic NACK, RFC 4585, 6.2.1).
    pub nacks: u64,
    /// Requests for a whole picture (PLI and FIR; RFC 4585, 6.3.1, and RFC 5104, 4.3.1).
    pub picture_requests: u64,
    /// All others.
    pub others: u64,
}

impl RtcpCounts {
    /// All of them.
    pub fn all(&self) -> u64 {
        let reports = self.sender_reports + self.receiver_reports;
        let feedback = self.congestion_feedback + self.transport_wide_feedback;
        reports + feedback + self.nacks + self.picture_requests + self.others
    }
}

/// A sender report's own part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SenderReport {
    pub(super) ssrc: u32,
    /// Seconds since 1900, and their middle 32 bits.
    pub(super) seconds: f64,
    pub(super) middle: u32,
    pub(super) timestamp: u32,
}

/// Receiver report on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) ssrc: u32,
    /// Share of packets lost since the last report, in 1/256.
    pub(super) fraction: u8,
    pub(super) lost: i32,
    /// In ticks of the stream's clock.
    pub(super) jitter: u32,
    /// Middle bits of the last sender report's time, or zero.
    pub(super) last: u32,
    /// Time since the last sender report, in 1/65536 s.
    pub(super) delay: u32,
}

/// Content of a compound packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Said {
    Sender(SenderReport),
    Block(Block),
}

/// True if a datagram is RTCP rather than RTP, by its second byte (RFC 5761, 4).
pub(super) fn is_rtcp(payload: &[u8]) -> bool {
    matches!(*payload, [first, 192..=223, ..] if first >> 6 == 2)
}

/// True if a datagram of `len` bytes is a compound packet that begins with a report and whose
/// lengths add up (RFC 3550, A.2).
pub(super) fn is_compound(payload: &[u8], len: u32) -> bool {
    let report = matches!(*payload, [_, SENDER_REPORT | RECEIVER_REPORT, ..]);
    let mut rest = payload;
    while let Some((_, behind)) = split(rest) {
        rest = behind;
    }
    report && is_rtcp(payload) && rest.is_empty() && payload.len() == len as usize
}

/// Reads a compound packet: counts its parts, and hands on what they say.
pub(super) fn read(payload: &[u8], counts: &mut RtcpCounts, mut said: impl FnMut(Said)) {
    let mut rest = payload;
    // Behind the first packet, what is encrypted looks like no RTCP.
    while let Some((packet, behind)) = split(rest).filter(|_| is_rtcp(rest)) {
        rest = behind;
        let format = packet[0] & 0x1f;
        let count = match (packet[1], format) {
            (SENDER_REPORT, _) => &mut counts.sender_reports,
            (RECEIVER_REPORT, _) => &mut counts.receiver_reports,
            (TRANSPORT, 1) => &mut counts.nacks,
            (TRANSPORT, 11) => &mut counts.congestion_feedback,
            (TRANSPORT, 15) => &mut counts.transport_wide_feedback,
            (PAYLOAD, 1 | 4) => &mut counts.picture_requests,
            _ => &mut counts.others,
        };
        *count += 1;
        let blocks = match packet[1] {
            SENDER_REPORT => {
                sender(packet).map(Said::Sender).into_iter().for_each(&mut said);
                28
            }
            RECEIVER_REPORT => 8,
            _ => continue,
        };
        let blocks = packet.get(blocks..).unwrap_or_default().chunks_exact(BLOCK);
        let blocks = blocks.take(format.into()).filter_map(block);
        blocks.map(Said::Block).for_each(&mut said);
    }
}

/// The packet at the beginning, and what is behind it.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let [first, _, high, low, ..] = *bytes else { return None };
    let len = 4 * (usize::from(u16::from_be_bytes([high, low])) + 1);
    bytes.split_at_checked(len).filter(|_| first >> 6 == 2)
}

fn sender(packet: &[u8]) -> Option<SenderReport> {
    let [seconds, fraction] = [word(packet, 8)?, word(packet, 12)?];
    Some(SenderReport {
        ssrc: word(packet, 4)?,
        seconds: f64::from(seconds) + f64::from(fraction) / 4_294_967_296.0,
        middle: seconds << 16 | fraction >> 16,
        timestamp: word(packet, 16)?,
    })
}

fn block(bytes: &[u8]) -> Option<Block> {
    let lost = word(bytes, 4)?;
    Some(Block {
        ssrc: word(bytes, 0)?,
        fraction: (lost >> 24) as u8,
        // 24 bits with a sign.
        lost: (lost << 8).cast_signed() >> 8,
        jitter: word(bytes, 12)?,
        last: word(bytes, 16)?,
        delay: word(bytes, 20)?,
    })
}

pub(super) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(bytes.iter().fold(0, |n, byte| n << 8 | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(first: [u8; 4], rest: &[u32]) -> Vec<u8> {
        let rest = rest.iter().flat_map(|word| word.to_be_bytes());
        first.into_iter().chain(rest).collect()
    }

    #[test]
    fn reports_with_their_blocks() {
        // A sender report with a block, a request for packets, one for a picture.
        let block = [9, 0x80ff_fffe, 77, 90, 0x0002_8000, 0x8000];
        let sender = [&[7, 0x0001_0002, 0x8000_0000, 3000, 10, 1000][..], &block].concat();
        let nack = words([0x81, 205, 0, 3], &[7, 9, 0]);
        let picture = words([0x81, 206, 0, 2], &[7, 9]);
        let bytes = [words([0x81, 200, 0, 12], &sender), nack, picture].concat();
        let (mut counts, mut all) = (RtcpCounts::default(), Vec::new());
        read(&bytes, &mut counts, |said| all.push(said));
        let counted = [counts.sender_reports, counts.nacks, counts.picture_requests, counts.others];
        assert_eq!(counted, [1, 1, 1, 0]);
        let [Said::Sender(sender), Said::Block(block)] = all[..] else { panic!("{all:?}") };
        assert_eq!(
            (sender.seconds, sender.middle, sender.timestamp),
            (65_538.5, 0x0002_8000, 3000)
        );
        assert_eq!((block.ssrc, block.fraction, block.lost), (9, 128, -2));
        assert_eq!((block.jitter, block.last, block.delay), (90, 0x0002_8000, 0x8000));
        assert!(is_compound(&bytes, bytes.len() as u32) && !is_compound(&bytes[4..], 80));
        assert!(!is_compound(&bytes[..bytes.len() - 1], bytes.len() as u32));
    }

    #[test]
    fn feedback_of_congestion_is_counted() {
        let both = [words([0x8b, 205, 0, 2], &[1, 2]), words([0x8f, 205, 0, 2], &[1, 2])].concat();
        let mut counts = RtcpCounts::default();
        read(&both, &mut counts, |_| {});
        assert_eq!((counts.congestion_feedback, counts.transport_wide_feedback), (1, 1));
        assert_eq!(counts.all(), 2);
    }

    #[test]
    fn what_is_cut_or_lies_says_nothing() {
        let mut counts = RtcpCounts::default();
        read(&[0x9f, 200, 0, 1, 0, 0, 0, 7], &mut counts, |said| panic!("{said:?}"));
        read(&[0x81, 201, 0, 9, 0, 0, 0, 7], &mut counts, |said| panic!("{said:?}"));
        read(&[0x80, 3, 0, 0], &mut counts, |said| panic!("{said:?}"));
        assert_eq!((counts.sender_reports, counts.all()), (1, 1));
    }
}
