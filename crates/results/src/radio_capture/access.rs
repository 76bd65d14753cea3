//! Random access as packets of a capture: preambles, responses, and messages 3 (TS 36.321, 5.1; TS 38.321, 5.1).
//!
//! - A preamble stands at its begin. Wireshark's framing of NR has none, so a comment has it, without a PDU.
//! - The response to an occasion is one PDU, at its end, with all preambles that the cell has detected there.
//! - Message 3 stands at its end. With contention it has the C-RNTI and is sent with the temporary C-RNTI. With a preamble
//!   of its own a UE sends it with its C-RNTI (5.1.4). The RRC message in it is left out: it is padding.
//! - Contention is resolved by a grant for the C-RNTI, which is no PDU (5.1.5).

use std::io::Write;

use airpath_base::{CellId, Duration, Time, UeId};
use airpath_net::layers::{AccessMessage, DetectedPreamble};
use airpath_wire::radio::random_access::{self, Grant, LTE_BLOCKS, MESSAGE_3, NR_BLOCKS, Response};
use airpath_wire::radio::{exported, mac_lte, mac_nr};

use super::frame::{self, Air};
use super::rnti::Identity;
use super::{RadioCapture, RadioLayers};

/// Speed of light in metres a second.
const LIGHT: f64 = 299_792_458.0;
/// Step of the timing advance in seconds, 16 Ts (TS 36.213, 4.2.3). NR divides it by slots of a millisecond (TS 38.213,
/// 4.2).
const ADVANCE: f64 = 16.0 / 30_720_000.0;
/// The greatest commands (TS 36.213, 4.2.3; TS 38.213, 4.2).
const MOST_OF_LTE: f64 = 1_282.0;
const MOST_OF_NR: f64 = 3_846.0;

/// Message 3 of a UE.
struct Message3 {
    identity: Identity,
    /// RNTI with which it is sent.
    rnti: u16,
    air: Air,
    contention: bool,
    decoded: bool,
}

impl<W: Write> RadioCapture<W> {
    /// Writes a message of a random access.
    pub(super) fn access(
        &mut self,
        now: Time,
        (cell, ue): (CellId, UeId),
        message: &AccessMessage<'_>,
    ) {
        let identity = self.rntis.of(ue);
        self.bytes.clear();
        let comment = match *message {
            AccessMessage::Preamble { preamble, attempt } => {
                self.preamble(now, identity, (preamble, attempt))
            }
            AccessMessage::Response { occasion, detected } => {
                if self.answered.insert(cell, occasion) == Some(occasion) {
                    return;
                }
                self.response(now, cell, (occasion, detected));
                None
            }
            AccessMessage::Message3 { occasion, preamble, begin, contention, decoded } => {
                let temporary = self.rntis.temporary(occasion, preamble);
                let rnti = if contention { temporary } else { identity.rnti };
                let air = Air::at(begin.as_nanos(), &self.layers);
                self.message_3(&Message3 { identity, rnti, air, contention, decoded })
            }
        };
        self.write(now, cell, comment.as_deref());
    }

    fn preamble(
        &mut self,
        now: Time,
        Identity { ue, .. }: Identity,
        (preamble, attempt): (u8, u32),
    ) -> Option<String> {
        let Air { frame, subframe, .. } = Air::at(now.as_nanos(), &self.layers);
        if self.layers.is_nr {
            frame::in_udp(&[], &mut self.bytes);
            let rnti = random_access::nr_ra_rnti(subframe);
            return Some(format!(
                "preamble {preamble}, attempt {attempt}, UE {ue}, SFN {frame}, subframe {subframe}, RA-RNTI {rnti}"
            ));
        }
        let attempt = u8::try_from(attempt).unwrap_or(u8::MAX);
        exported::emit_tags("mac-lte-framed", &mut self.bytes);
        let (radio, at) = (self.layers.radio, (frame, subframe));
        mac_lte::emit_preamble(radio, ue, at, (preamble, attempt), &mut self.bytes);
        None
    }

    fn response(
        &mut self,
        now: Time,
        cell: CellId,
        (occasion, detected): (Time, &[DetectedPreamble]),
    ) {
        let layers = &self.layers;
        let to = |detected: &DetectedPreamble| Response {
            preamble: detected.preamble,
            timing_advance: timing_advance(detected.distance_m.unwrap_or(0.0), layers),
            temporary_rnti: self.rntis.temporary(occasion, detected.preamble),
        };
        let responses: Vec<Response> = detected.iter().map(to).collect();
        let carrier = layers.resource_blocks.get(cell.index()).copied().unwrap_or(0);
        let sent = Air::at(occasion.as_nanos(), layers).subframe;
        let begin = now.saturating_sub(Duration::from_nanos(layers.slot));
        let Air { frame, subframe, slot } = Air::at(begin.as_nanos(), layers);
        let (radio, ue, decoded) = (layers.radio, None, true);
        if layers.is_nr {
            let mut payload = Vec::new();
            let rnti = random_access::nr_ra_rnti(sent);
            mac_nr::AccessContext { radio, rnti, ue, frame, slot }.emit(&mut payload);
            let grant = Grant { carrier, blocks: NR_BLOCKS };
            mac_nr::emit_responses(&responses, grant, &mut payload);
            return frame::in_udp(&payload, &mut self.bytes);
        }
        exported::emit_tags("mac-lte-framed", &mut self.bytes);
        let rnti = random_access::lte_ra_rnti(sent);
        mac_lte::AccessContext { radio, rnti, ue, frame, subframe, decoded }.emit(&mut self.bytes);
        let grant = Grant { carrier, blocks: LTE_BLOCKS };
        mac_lte::emit_responses(&responses, grant, &mut self.bytes);
    }

    fn message_3(&mut self, message: &Message3) -> Option<String> {
        let Message3 { identity, rnti, air, contention, decoded } = *message;
        let Air { frame, subframe, slot } = air;
        let (radio, ue) = (self.layers.radio, Some(identity.ue));
        let element = contention.then_some(identity.rnti);
        if !self.layers.is_nr {
            exported::emit_tags("mac-lte-framed", &mut self.bytes);
            let context = mac_lte::AccessContext { radio, rnti, ue, frame, subframe, decoded };
            context.emit(&mut self.bytes);
            mac_lte::emit_identity(element, MESSAGE_3, &mut self.bytes);
            return None;
        }
        let mut payload = Vec::new();
        if decoded {
            mac_nr::AccessContext { radio, rnti, ue, frame, slot }.emit(&mut payload);
            mac_nr::emit_identity(element, MESSAGE_3, &mut payload);
        }
        frame::in_udp(&payload, &mut self.bytes);
        (!decoded).then(|| {
            format!("CRC failed: up, RNTI {rnti}, SFN {frame}, slot {slot}, message 3, {MESSAGE_3} bytes")
        })
    }
}

/// Timing advance command for a UE at a distance in metres.
fn timing_advance(distance_m: f64, layers: &RadioLayers) -> u16 {
    let (steps_a_slot, most) = match layers.is_nr {
        false => (1.0, MOST_OF_LTE),
        true => ((1e6 / layers.slot.max(1) as f64).round().max(1.0), MOST_OF_NR),
    };
    let advance = 2.0 * distance_m / LIGHT / ADVANCE * steps_a_slot;
    advance.round().clamp(0.0, most) as u16
}

#[cfg(test)]
mod tests {
    use airpath_wire::radio::RadioType;

    use super::*;

    #[test]
    fn timing_advance_by_hand() {
        let layers = |is_nr, slot| RadioLayers {
            is_nr,
            radio: RadioType::Fdd,
            tti: (slot, 1),
            slot,
            mac_header: true,
            first_256qam: None,
            cells: Vec::new(),
            resource_blocks: Vec::new(),
            handover: true,
            ue_cells: Vec::new(),
            bearers: Vec::new(),
            full_buffer: 0,
        };
        // A step of LTE is 78.07 m: 0.5208 us there and back. One of NR with 30 kHz is half of that.
        let lte = layers(false, 1_000_000);
        let rows =
            [(0.0, 0), (39.0, 0), (40.0, 1), (1_000.0, 13), (100_000.0, 1_281), (2e5, 1_282)];
        for (metres, steps) in rows {
            assert_eq!(timing_advance(metres, &lte), steps, "{metres}");
        }
        let [nr, wide] = [500_000, 125_000].map(|slot| layers(true, slot));
        assert_eq!([timing_advance(1_000.0, &nr), timing_advance(1e9, &nr)], [26, 3_846]);
        assert_eq!(timing_advance(1_000.0, &wide), 102);
    }
}
