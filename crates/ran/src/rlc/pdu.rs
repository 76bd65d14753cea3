//! Protocol data units: what they carry, by reference, and how many bytes that
//! takes.

use airpath_base::{FlowId, Time};
use airpath_net::layers::{self, RlcPdu, SduRange};
use airpath_schema::choice;

use super::nr::Run;
use super::status::{Nack, Status};

/// A PDU on its way from one RLC entity to its peer.
///
/// It names the bytes that it carries; the SDUs themselves stay in the channel's
/// store. It cannot be copied: it is either received or lost.
#[derive(Debug)]
pub struct Pdu {
    /// Bytes, the RLC header included.
    pub size: u32,
    pub(super) body: Body,
}

#[derive(Debug)]
pub(super) enum Body {
    Data(Data),
    /// PDUs of NR.
    Run(Run),
    Status(Status),
    /// Bytes of a full buffer.
    Full {
        flow: FlowId,
        bytes: u32,
    },
}

/// An UMD PDU, an AMD PDU or a segment of one.
#[derive(Debug)]
pub(super) struct Data {
    /// Sequence number, not wrapped.
    pub sn: u64,
    /// Parts of SDUs that the whole PDU carries.
    pub contents: Contents,
    /// Bytes of the whole PDU's data field.
    pub length: u32,
    /// The part of the data field that is in this PDU: all of it but for a
    /// segment of an AMD PDU.
    pub part: Part,
    /// True if the transmitter requests a status report.
    pub poll: bool,
    /// True if RLC has sent these bytes before.
    pub retransmission: bool,
    /// Time at which the PDU was built.
    pub built: Time,
}

/// A stretch of consecutive SDUs' bytes, from within the first to within the
/// last of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contents {
    /// Number of the first SDU.
    pub first: u64,
    /// First byte of that SDU that is carried.
    pub start: u32,
    /// Number of the last SDU.
    pub last: u64,
    /// The byte of that SDU after the last that is carried.
    pub end: u32,
}

/// A stretch of a PDU's data field, `start` included and `end` not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub start: u32,
    pub end: u32,
}

impl Contents {
    /// Number of carried bytes of SDU `id`, one of these, of `size` bytes.
    pub fn length(self, id: u64, size: u32) -> u32 {
        let start = if id == self.first { self.start } else { 0 };
        let end = if id == self.last { self.end } else { size };
        end.saturating_sub(start)
    }

    fn range(self) -> SduRange {
        let Contents { first, start, last, end } = self;
        SduRange { first, start, last, end }
    }

    /// The first byte that is carried of SDU `id`, one of these.
    pub fn start_of(self, id: u64) -> u32 {
        if id == self.first { self.start } else { 0 }
    }
}

impl Part {
    pub fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    fn told(self) -> (u32, u32) {
        (self.start, self.end)
    }

    pub fn overlap(self, other: Part) -> Part {
        Part { start: self.start.max(other.start), end: self.end.min(other.end) }
    }
}

impl Pdu {
    pub(super) fn data(size: u32, data: Data) -> Pdu {
        Pdu { size, body: Body::Data(data) }
    }

    /// A PDU that fills all of `room`, with `header` bytes of header. It needs no sequence
    /// number: what is lost of a full buffer nobody waits for.
    pub(super) fn full(flow: FlowId, room: u32, header: u32) -> Option<Pdu> {
        let bytes = room.checked_sub(header).filter(|&bytes| bytes > 0)?;
        Some(Pdu { size: room, body: Body::Full { flow, bytes } })
    }

    /// Content of the PDU for listeners.
    pub(super) fn told(&self) -> RlcPdu {
        match &self.body {
            Body::Data(data) => RlcPdu::Data {
                sn: data.sn,
                sdus: data.contents.range(),
                length: data.length,
                part: data.part.told(),
                poll: data.poll,
            },
            Body::Run(run) => RlcPdu::Run { sdus: run.contents.range(), poll: run.poll },
            Body::Status(status) => {
                let nack =
                    |nack: &Nack| layers::Nack { sn: nack.sn, part: nack.part.map(Part::told) };
                RlcPdu::Status { ack: status.ack, nacks: status.nacks.iter().map(nack).collect() }
            }
            Body::Full { .. } => RlcPdu::Full,
        }
    }

    /// True if it is a status report rather than data.
    pub fn is_status(&self) -> bool {
        matches!(self.body, Body::Status(_))
    }

    /// True if it is of a full buffer.
    pub fn is_full(&self) -> bool {
        matches!(self.body, Body::Full { .. })
    }

    /// Parts of SDUs that it carries.
    pub(super) fn stretch(&self) -> Option<(Contents, Part)> {
        match &self.body {
            Body::Data(data) => Some((data.contents, data.part)),
            Body::Run(run) => Some((run.contents, Part { start: 0, end: u32::MAX })),
            Body::Status(_) | Body::Full { .. } => None,
        }
    }

    /// True if RLC (not HARQ) has sent its bytes before.
    pub fn is_retransmission(&self) -> bool {
        match self.body {
            Body::Data(Data { retransmission, .. }) | Body::Run(Run { retransmission, .. }) => {
                retransmission
            }
            Body::Status(_) | Body::Full { .. } => false,
        }
    }
}

// ns-3: `LteRlcUm` and `LteRlcAm`. It differs by a byte now and then; for comparisons.
choice! {
    /// Filling of a PDU by RLC.
    pub enum HeaderModel: Standard {
        /// Another packet is begun as long as a byte of it fits.
        Standard = "standard",
        /// No packet is begun where two bytes or less would be left (ns-3).
        Ns3 = "ns3",
    }
}

/// The longest stretch that a length indicator of 11 bits can announce
/// (TS 36.322, 6.2.2.5). A longer one can only be the last in a PDU, which has
/// none.
const LONGEST_INDICATED: u32 = 2047;

/// Bytes of `count` pairs of an E bit and an 11-bit length indicator, padded
/// (TS 36.322, 6.2.1.3 and 6.2.1.4).
pub(super) const fn indicator_bytes(count: u32) -> u32 {
    (3 * count).div_ceil(2)
}

/// Content of a PDU that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// Bytes of the header.
    pub header: u32,
    /// Bytes of the data field.
    pub data: u32,
}

impl HeaderModel {
    /// Fills a PDU of at most `room` bytes, `fixed` of them for the fixed part of the header. Its
    /// content is from stretches of these lengths in order, each of another SDU. A length is read
    /// only when at least one byte of its SDU fits. `None` if no byte does.
    #[inline(always)]
    pub(super) fn pack(
        self,
        fixed: u32,
        room: u32,
        mut pieces: impl Iterator<Item = u32>,
    ) -> Option<Packed> {
        let mut packed = Packed { header: fixed, data: 0 };
        for before in 0u32.. {
            let header = fixed + indicator_bytes(before);
            let left = room.saturating_sub(header + packed.data);
            if left == 0 || (before > 0 && !self.begins(room - packed.header - packed.data)) {
                break;
            }
            let Some(piece) = pieces.next() else { break };
            let taken = piece.min(left);
            packed = Packed { header, data: packed.data + taken };
            if taken < piece || taken > LONGEST_INDICATED {
                break;
            }
        }
        (packed.data > 0).then_some(packed)
    }

    /// True if a further SDU is begun when `left` bytes are left.
    fn begins(self, left: u32) -> bool {
        match self {
            HeaderModel::Standard => true,
            HeaderModel::Ns3 => left > 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(fixed: u32, room: u32, pieces: &[u32]) -> Option<(u32, u32)> {
        HeaderModel::Standard
            .pack(fixed, room, pieces.iter().copied())
            .map(|packed| (packed.header, packed.data))
    }

    #[test]
    fn length_indicators_take_12_bits_each_padded_to_bytes() {
        // TS 36.322, figures 6.2.1.3-3 to 6.2.1.3-6: 12, 24, 36, 48 bits.
        assert_eq!([0, 1, 2, 3, 4].map(indicator_bytes), [0, 2, 3, 5, 6]);
    }

    #[test]
    fn one_sdu_has_only_the_fixed_header() {
        assert_eq!(pack(2, 1000, &[590]), Some((2, 590)));
        assert_eq!(pack(1, 1000, &[590]), Some((1, 590)));
        assert_eq!(pack(2, 549, &[590]), Some((2, 547)));
        assert_eq!(pack(2, 592, &[590]), Some((2, 590)));
    }

    #[test]
    fn concatenated_sdus_fill_the_room() {
        // Nine ACKs of 54 bytes and a tenth cut: 2 + ceil(9 * 1.5) = 16 bytes of
        // header, 549 - 16 = 533 of data.
        assert_eq!(pack(2, 549, &[54; 12]), Some((16, 533)));
        // A second SDU needs 2 bytes of indicator and one of its own.
        assert_eq!(pack(2, 104, &[100, 50]), Some((2, 100)));
        assert_eq!(pack(2, 105, &[100, 50]), Some((4, 101)));
    }

    #[test]
    fn nothing_fits_into_a_header() {
        assert_eq!(pack(2, 2, &[10]), None);
        assert_eq!(pack(2, 0, &[10]), None);
        assert_eq!(pack(2, 3, &[10]), Some((2, 1)));
        assert_eq!(pack(2, 3, &[]), None);
    }

    #[test]
    fn what_an_indicator_cannot_announce_comes_last() {
        assert_eq!(pack(2, 5000, &[2047, 10]), Some((4, 2057)));
        assert_eq!(pack(2, 5000, &[2048, 10]), Some((2, 2048)));
    }

    #[test]
    fn ns3_leaves_two_bytes_alone() {
        let ns3 = |room| HeaderModel::Ns3.pack(2, room, [10, 10, 10].into_iter()).map(|p| p.data);
        // After two SDUs: header 2 + 2, data 20; the third indicator costs 1.
        assert_eq!(
            HeaderModel::Standard.pack(2, 26, [10, 10, 10].into_iter()).map(|p| p.data),
            Some(21)
        );
        assert_eq!(ns3(26), Some(20));
        assert_eq!(ns3(27), Some(22));
    }
}
