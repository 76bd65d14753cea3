//! Events of a connection for the watches of its two directions.

use airpath_base::Time;
use airpath_wire::TcpRepr;

use super::Path;
use super::half_connection::HalfConnection;
use crate::causes::{self, Event, RULES, Start, Watch};

/// Data passes the watch, which begins with the first; `copy` as [`data`] has it.
pub(super) fn watch(
    fwd: &mut HalfConnection,
    rev: &HalfConnection,
    at: Time,
    seg: &TcpRepr,
    copy: Option<bool>,
    path: &Path<'_>,
) {
    let mss = fwd.segment_size(rev, seg.timestamps.is_some());
    let (edge, closed) = rev.edge(fwd);
    let Some(sent) = &mut fwd.sent else { return };
    if sent.watch.is_none() && path.detailed {
        let una = sent.una;
        let Path { sides, keep, up, .. } = *path;
        let start = Start { una, sides, keep, serves: !up, answered: rev.ack_at };
        let mut watch = Box::new(Watch::new(&start, RULES));
        let (at, stamps, recovering, plain) = (Time::ZERO, None, false, true);
        let (number, window) = (number(fwd.packets, rev.packets), rev.raw_window);
        let known =
            causes::Ack { at, una, edge, closed, window, stamps, recovering, plain, number };
        watch.take(&Event::Acknowledged(known));
        (sent.watch, sent.marked) = (Some(watch), rev.marks_told());
    }
    let end = seg.seq.0.wrapping_add(seg.payload_len);
    let stamps = seg.timestamps.map(|timestamps| (timestamps.value, timestamps.echo));
    let (len, recovering) = (seg.payload_len, sent.recovery.is_some());
    if let Some(watch) = &mut sent.watch {
        let number = number(fwd.packets, rev.packets);
        let skips = fwd.idents.skips();
        let segment = causes::Segment { at, end, len, mss, stamps, recovering, skips, number };
        watch.take(&match copy {
            Some(by_timer) => Event::Lost(segment, by_timer),
            None => Event::Sent(segment),
        });
    }
}

/// Emits the acknowledgement and window of `half`'s peer, with or without data, to `half`'s watch.
#[inline]
pub(super) fn hear(
    half: &mut HalfConnection,
    peer: &HalfConnection,
    at: Time,
    stamps: Option<(u32, u32)>,
    (sack, closes, data): (bool, bool, bool),
) {
    let (edge, closed) = peer.edge(half);
    let Some(sent) = &mut half.sent else { return };
    let (una, recovering) = (sent.una, sent.recovery.is_some());
    if let Some(watch) = &mut sent.watch {
        let marked = peer.marks_told();
        if std::mem::replace(&mut sent.marked, marked) != marked {
            watch.take(&Event::Marked(at));
        }
        let plain = !sack && !closes;
        let (number, window) = (number(half.packets, peer.packets), peer.raw_window);
        let ack = causes::Ack { at, una, edge, closed, window, stamps, recovering, plain, number };
        watch.take(&Event::Acknowledged(ack));
        if data {
            watch.take(&Event::Request(at));
        }
    }
}

/// Number of the last packet among those of the flow, from one.
#[inline]
pub(super) fn number(one: u32, other: u32) -> u32 {
    one.saturating_add(other)
}
