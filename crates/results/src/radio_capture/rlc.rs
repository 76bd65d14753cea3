//! PDUs of RLC as bytes, of the bytes of SDUs that they name.

use airpath_net::layers::{Nack, RlcPdu, SduRange};
use airpath_wire::radio::{self, rlc_lte, rlc_nr};

use super::sdus::Channel;

/// A part of an SDU: its number, from which byte, and up to which.
type Stretch = (u64, u32, u32);

/// The parts of SDUs that are in a stretch of a data field.
fn stretches(sdus: SduRange, part: (u32, u32), channel: &Channel) -> Vec<Stretch> {
    let mut offset = 0;
    let mut found = Vec::new();
    for id in sdus.first..=sdus.last {
        let start = if id == sdus.first { sdus.start } else { 0 };
        let end = if id == sdus.last { sdus.end } else { channel.size(id) };
        let length = end.saturating_sub(start);
        let from = start + part.0.saturating_sub(offset).min(length);
        let to = start + part.1.saturating_sub(offset).min(length);
        offset += length;
        if to > from {
            found.push((id, from, to));
        }
    }
    found
}

fn append((id, from, to): Stretch, channel: &Channel, out: &mut Vec<u8>) {
    let sdu = channel.get(id);
    out.extend(sdu.get(from as usize..to as usize).unwrap_or_default());
}

/// A PDU of LTE, of its own channel; a status report is about the other direction's.
pub(super) fn lte(mode: rlc_lte::Mode, pdu: &RlcPdu, [own, other]: [&mut Channel; 2]) -> Vec<u8> {
    let mut out = Vec::new();
    match pdu {
        RlcPdu::Data { sn, sdus, length, part, poll } => {
            let channel = own;
            let found = stretches(*sdus, *part, channel);
            let lengths: Vec<u32> = found.iter().map(|(_, from, to)| to - from).collect();
            let begins = found.first().is_some_and(|(_, from, _)| *from == 0);
            let ends = found.last().is_some_and(|(id, _, to)| *to == channel.size(*id));
            let whole = *part == (0, *length);
            let segment =
                (!whole).then_some(rlc_lte::Segment { offset: part.0, last: part.1 == *length });
            if !whole {
                channel.segment(*sn, *length);
            }
            let (sn, poll, framing, lengths) = (*sn, *poll, [begins, ends], &lengths[..]);
            rlc_lte::Header { mode, sn, framing, poll, segment, lengths }.emit(&mut out);
            found.into_iter().for_each(|stretch| append(stretch, channel, &mut out));
        }
        RlcPdu::Status { ack, nacks } => {
            let first = nacks.first().map_or(*ack, |nack| nack.sn);
            let lengths = other.segmented(first);
            let length = |sn| lengths.get(&sn).copied().unwrap_or(0);
            rlc_lte::emit_status(*ack, &self::nacks(nacks, length), &mut out);
        }
        RlcPdu::Run { .. } | RlcPdu::Full => {}
    }
    out
}

/// PDUs of NR, one for each SDU.
pub(super) fn nr(
    mode: rlc_nr::Mode,
    pdu: &RlcPdu,
    channel: &mut Channel,
    mut out: impl FnMut(Vec<u8>),
) {
    let RlcPdu::Run { sdus, poll } = pdu else { return };
    for (id, start, end) in stretches(*sdus, (0, u32::MAX), channel) {
        let ends = end == channel.size(id);
        let sn = match mode {
            rlc_nr::Mode::Am12 | rlc_nr::Mode::Am18 => channel.sn(id),
            rlc_nr::Mode::Um6 | rlc_nr::Mode::Um12 => {
                let sn = channel.next_sn;
                // TS 38.322, 5.2.2.1.1: SDUs that are cut up count.
                channel.next_sn += u64::from(ends && start > 0);
                sn
            }
        };
        let mut bytes = Vec::new();
        let poll = *poll && id == sdus.last;
        rlc_nr::Header { mode, sn, start, ends, poll }.emit(&mut bytes);
        append((id, start, end), channel, &mut bytes);
        out(bytes);
    }
}

/// A status report of NR about the SDUs of a channel.
pub(super) fn nr_status(
    mode: rlc_nr::Mode,
    ack: u64,
    missing: &[Nack],
    channel: &Channel,
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut missing = nacks(missing, |sn| channel.size(sn));
    missing.iter_mut().for_each(|nack| nack.sn = channel.reported(nack.sn));
    rlc_nr::emit_status(mode, channel.reported(ack), &missing, &mut out);
    out
}

/// NACKs of a report, with last bytes instead of ends. `size` gives the bytes of a data field up to
/// whose end the report speaks, 0 if that is not known.
pub(super) fn nacks(nacks: &[Nack], size: impl Fn(u64) -> u32) -> Vec<radio::Nack> {
    let offsets = |sn, (start, end): (u32, u32)| (start, (end < size(sn)).then_some(end - 1));
    let nack = |nack: &Nack| radio::Nack {
        sn: nack.sn,
        offsets: nack.part.map(|part| offsets(nack.sn, part)),
    };
    nacks.iter().map(nack).collect()
}

/// Bytes of an SDU of NR's MAC that fills `room` with its subheader.
pub(super) fn inner(room: u32) -> u32 {
    match room {
        0..=258 => room.saturating_sub(2).min(255),
        _ => room - 3,
    }
}
