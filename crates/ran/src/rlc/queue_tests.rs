//! Little's law at a bearer's queue: its bytes over time are what they waited, piece by piece.

use airpath_base::{Duration, NodeId, Time};
use airpath_net::{Event, Probe, RadioEvent};
use proptest::prelude::*;

use super::pdu::Body;
use super::testing::{DOWN, Rig, config, packet};
use super::{Mode, am, um};

/// Sums of the queue's reports.
#[derive(Default)]
struct Log {
    since: Time,
    bytes: u64,
    byte_nanos: u128,
    waits: Vec<Duration>,
}

impl Log {
    fn set(&mut self, now: Time, bytes: u64) {
        self.byte_nanos += weight(self.bytes, now - self.since);
        (self.since, self.bytes) = (now, bytes);
    }
}

impl Probe for Log {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match event {
            Event::Radio(RadioEvent::Queue { bytes, .. }) => self.set(now, *bytes),
            Event::Radio(RadioEvent::Left { waited, .. }) => self.waits.push(*waited),
            _ => {}
        }
    }
}

fn weight(bytes: u64, span: Duration) -> u128 {
    u128::from(bytes) * u128::from(span.as_nanos())
}

/// An SDU: its bytes, those that have left the queue, and since when it waits.
struct Sdu {
    size: u32,
    gone: u32,
    since: Time,
    dropped: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Arrive(u32),
    Build(u32),
    Discard(u64),
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1u32..1_600).prop_map(Step::Arrive),
        4 => (1u32..2_500).prop_map(Step::Build),
        1 => (0u64..30).prop_map(Step::Discard),
        3 => (0u64..20).prop_map(Step::Pass),
    ]
}

/// Takes the steps; gives what the pieces that left waited, byte by byte, and the waits of
/// SDUs by their last byte.
fn follow(rig: &mut Rig, log: &mut Log, steps: &[Step]) -> (u128, Vec<Duration>) {
    let (mut now, mut sdus, mut total, mut waits) = (Time::ZERO, Vec::new(), 0, Vec::new());
    for step in steps {
        match *step {
            Step::Pass(millis) => now += Duration::from_millis(millis),
            Step::Arrive(size) => {
                let packet = packet(sdus.len() as u64, size - 1, now);
                let mut cx = rig.bench.cx_watched(now, log);
                rig.bearer.enqueue(DOWN, now, packet, 0, &mut cx);
                sdus.push(Sdu { size, gone: 0, since: now, dropped: false });
            }
            Step::Discard(millis) => {
                let limit = Duration::from_millis(millis);
                rig.bearer.discard(DOWN, now, limit, &mut rig.bench.cx_watched(now, log));
                let untouched = sdus.iter_mut().filter(|sdu: &&mut Sdu| sdu.gone == 0);
                for sdu in untouched.take_while(|sdu| now - sdu.since >= limit) {
                    total += weight(u64::from(sdu.size), now - sdu.since);
                    (sdu.size, sdu.gone, sdu.dropped) = (0, 1, true);
                }
            }
            Step::Build(room) => {
                let mut cx = rig.bench.cx_watched(now, log);
                let Some(pdu) = rig.bearer.build(DOWN, now, room, &mut cx) else { continue };
                let Body::Data(data) = pdu.body else { continue };
                if data.retransmission {
                    continue;
                }
                // An SDU that was dropped before RLC took it has no number there.
                let taken = sdus.iter_mut().filter(|sdu: &&mut Sdu| !sdu.dropped);
                let (first, last) = (data.contents.first, data.contents.last);
                let taken = taken.skip(first as usize).take((last - first) as usize + 1);
                for (id, sdu) in (first..).zip(taken) {
                    let piece = data.contents.length(id, sdu.size);
                    total += weight(u64::from(piece), now - sdu.since);
                    sdu.gone += piece;
                    if piece > 0 && sdu.gone == sdu.size {
                        waits.push(now - sdu.since);
                    }
                }
            }
        }
    }
    log.set(now, 0);
    let left = sdus.iter().map(|sdu| (u64::from(sdu.size.saturating_sub(sdu.gone)), sdu.since));
    (total + left.map(|(bytes, since)| weight(bytes, now - since)).sum::<u128>(), waits)
}

proptest! {
    #[test]
    fn the_queue_over_time_is_what_its_bytes_wait(
        steps in prop::collection::vec(step(), 1..120), acknowledged: bool,
    ) {
        let mode = match acknowledged {
            true => Mode::Am(am::Config::default()),
            false => Mode::Um(um::Config::default()),
        };
        let (mut rig, mut log) = (Rig::new(&config(mode)), Log::default());
        let (waited, waits) = follow(&mut rig, &mut log, &steps);
        prop_assert_eq!(log.byte_nanos, waited);
        prop_assert_eq!(log.waits, waits);
    }
}
