//! Transmissions as packets of a capture.

use core::net::Ipv4Addr;

use airpath_base::UeId;
use airpath_net::Direction;
use airpath_wire::radio::{RadioType, exported, mac_lte, mac_nr};
use airpath_wire::{Endpoint, Protocol, Tuple, udp};

use super::rnti::Identity;
use super::{RadioLayers, way};

/// The port of NR's frames.
const PORT: u16 = 9_999;
/// System frame numbers, and subframes of a frame.
const FRAMES: u64 = 1_024;
const SUBFRAMES: u64 = 10;
const SUBFRAME: u64 = 1_000_000;

/// A transmission that was received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transmission {
    pub ue: UeId,
    pub identity: Identity,
    pub direction: Direction,
    pub tti: u64,
    pub process: u16,
    pub transport_block: u8,
    pub first_layer: u8,
    pub new_data: bool,
    pub resource_blocks: u16,
    pub mcs: u8,
    pub layers: u8,
    /// Most UEs in one of its resource blocks.
    pub ues: u8,
    pub attempt: u8,
    pub decoded: bool,
}

/// Time of a transmission on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Air {
    /// System frame number.
    pub frame: u16,
    pub subframe: u8,
    /// Slot of the frame.
    pub slot: u16,
}

impl Air {
    /// The beginning of a TTI.
    pub fn of(tti: u64, layers: &RadioLayers) -> Air {
        let (nanos, parts) = layers.tti;
        let begin = u128::from(tti) * u128::from(nanos) / u128::from(parts.max(1));
        Air::at(u64::try_from(begin).unwrap_or(u64::MAX), layers)
    }

    /// A time in nanoseconds.
    pub fn at(begin: u64, layers: &RadioLayers) -> Air {
        let frame = SUBFRAMES * SUBFRAME;
        Air {
            frame: (begin / frame % FRAMES) as u16,
            subframe: (begin / SUBFRAME % SUBFRAMES) as u8,
            slot: (begin % frame / layers.slot.max(1)) as u16,
        }
    }
}

/// Appends a transmission of LTE.
pub(super) fn lte(
    transmission: &Transmission,
    (radio, air): (RadioType, Air),
    pdu: &[u8],
    out: &mut Vec<u8>,
) -> Option<String> {
    let Identity { ue, rnti } = transmission.identity;
    exported::emit_tags("mac-lte-framed", out);
    let context = mac_lte::Context {
        radio,
        way: way(transmission.direction),
        rnti,
        ue,
        frame: air.frame,
        subframe: air.subframe,
        retransmission: transmission.attempt,
        decoded: transmission.decoded,
        mcs: transmission.mcs,
        resource_blocks: transmission.resource_blocks,
        process: transmission.process as u8,
        new_data: transmission.new_data,
    };
    context.emit(out);
    out.extend(pdu);
    None
}

/// Appends a scheduling request of LTE.
pub(super) fn request(Identity { ue, rnti }: Identity, radio: RadioType, out: &mut Vec<u8>) {
    exported::emit_tags("mac-lte-framed", out);
    mac_lte::emit_request(radio, ue, rnti, out);
}

/// Appends a transmission of NR, and gives what the framing cannot say.
pub(super) fn nr(
    transmission: &Transmission,
    (radio, air): (RadioType, Air),
    pdu: &[u8],
    out: &mut Vec<u8>,
) -> Option<String> {
    let Transmission { attempt, decoded, process, .. } = *transmission;
    let Identity { ue, rnti } = transmission.identity;
    let (way, frame, slot) = (way(transmission.direction), air.frame, air.slot);
    let mut payload = Vec::with_capacity(pdu.len() + 32);
    let direction = transmission.direction.name();
    if decoded {
        let context = mac_nr::Context { radio, way, rnti, ue, frame, slot, process: process as u8 };
        context.emit(&mut payload);
        payload.extend(pdu);
    }
    in_udp(&payload, out);
    let again = (attempt > 0).then(|| format!("retransmission {attempt}"));
    let failed = (!decoded).then(|| {
        format!("CRC failed: {direction}, RNTI {rnti}, SFN {frame}, slot {slot}, HARQ process {process}, {} bytes", pdu.len())
    });
    let parts: Vec<String> = failed.into_iter().chain(again).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Appends the frame of NR with this payload, which is empty without a PDU.
pub(super) fn in_udp(payload: &[u8], out: &mut Vec<u8>) {
    let tuple = Tuple {
        src: Endpoint::new(Ipv4Addr::LOCALHOST, PORT),
        dst: Endpoint::new(Ipv4Addr::LOCALHOST, PORT),
        protocol: Protocol::UDP,
    };
    // A block of one layer on the widest carrier has 40 kB.
    let _fits = udp::emit_packet(tuple, payload, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_subframes_and_slots() {
        let layers = |tti, slot| RadioLayers {
            is_nr: true,
            radio: RadioType::Fdd,
            tti,
            slot,
            mac_header: true,
            first_256qam: None,
            cells: Vec::new(),
            resource_blocks: Vec::new(),
            handover: false,
            ue_cells: Vec::new(),
            bearers: Vec::new(),
            full_buffer: 0,
        };
        // Subframe 10 245 is 5 of frame 1 024, which is 0 again.
        let lte = layers((SUBFRAME, 1), SUBFRAME);
        assert_eq!(Air::of(10_245, &lte), Air { frame: 0, subframe: 5, slot: 5 });
        // Slots of half a millisecond: 20 a frame.
        let nr = layers((SUBFRAME / 2, 1), SUBFRAME / 2);
        assert_eq!(Air::of(39, &nr), Air { frame: 1, subframe: 9, slot: 19 });
        // Two symbols of such a slot: 140 a frame. Interval 1 000 006 begins at 71 429 ms.
        let mini = layers((SUBFRAME, 14), SUBFRAME / 2);
        assert_eq!(Air::of(1_000_006, &mini), Air { frame: 998, subframe: 9, slot: 18 });
    }
}
