//! Any sequence of calls against a list of what must wait.

use std::collections::BTreeMap;

use airpath_base::{Duration, Time};
use airpath_wire::Ecn;
use proptest::prelude::*;

use super::samples::{Log, packet};
use super::tests::every;
use super::*;
use crate::DropCause;
use crate::testing::Bench;

/// One call, so many microseconds after the one before.
#[derive(Clone, Debug)]
enum Call {
    Enqueue {
        flow: u16,
        size: u32,
    },
    Dequeue,
    Discard(Duration),
    /// Drops the packets whose numbers this divides.
    DropWhere(u64),
}

fn calls() -> impl Strategy<Value = Vec<(u64, Call)>> {
    let gap = prop_oneof![8 => 0u64..1_500, 1 => 0u64..60_000];
    let call = prop_oneof![
        6 => (1u16..9, 20u32..1_600).prop_map(|(flow, size)| Call::Enqueue { flow, size }),
        4 => Just(Call::Dequeue),
        1 => (0u64..12_000).prop_map(|limit| Call::Discard(Duration::from_micros(limit))),
        1 => (1u64..9).prop_map(Call::DropWhere),
    ];
    prop::collection::vec((gap, call), 0..300)
}

/// The ECN field of a flow: flows 1 to 8 have each of them twice.
fn ecn(flow: u16) -> Ecn {
    Ecn::from_bits((flow % 4) as u8)
}

/// A queue and what must wait in it: number, arrival and bytes.
struct Checked {
    queue: QueueKind,
    waiting: BTreeMap<u64, (Time, u32)>,
    sent: Vec<Packet>,
    log: Log,
    bench: Bench,
}

impl Checked {
    fn new(queue: QueueKind) -> Checked {
        let (waiting, sent) = (BTreeMap::new(), Vec::new());
        Checked { queue, waiting, sent, log: Log::default(), bench: Bench::new() }
    }

    /// Makes a call; gives the causes and numbers of what was dropped in it.
    fn call(&mut self, now: Time, number: u64, call: &Call) -> Vec<(DropCause, u64)> {
        let before = self.log.drops.len();
        let cx = &mut self.bench.cx_watched(now, &mut self.log);
        match *call {
            Call::Enqueue { flow, size } => {
                self.waiting.insert(number, (now, size));
                self.queue.enqueue(now, packet(flow, number, size, ecn(flow)), cx);
            }
            Call::Dequeue => {
                let sent = self.queue.dequeue(now, cx);
                if let Some(packet) = &sent {
                    self.waiting.remove(&packet.number);
                }
                self.sent.extend(sent);
            }
            Call::Discard(limit) => self.queue.discard(now, limit, cx),
            Call::DropWhere(divisor) => {
                let cause =
                    |number: u64| number.is_multiple_of(divisor).then_some(DropCause::PduSet);
                self.queue.drop_where(now, &mut |packet| cause(packet.number), cx);
            }
        }
        let drops = &self.log.drops[before..];
        drops.iter().map(|&(_, cause, number)| (cause, number)).collect()
    }

    /// Takes what was dropped off the list; it must have been there.
    fn strike(&mut self, drops: &[(DropCause, u64)]) -> Result<(), TestCaseError> {
        for (_, number) in drops {
            prop_assert!(self.waiting.remove(number).is_some(), "{} was not there", number);
        }
        Ok(())
    }

    /// Checks that the queue and the list agree.
    fn agrees(&mut self) -> Result<(), TestCaseError> {
        let arrivals = self.waiting.values().map(|(since, _)| *since);
        prop_assert_eq!(self.queue.oldest(), arrivals.min());
        prop_assert_eq!(self.queue.packets() as usize, self.waiting.len());
        let bytes: u64 = self.waiting.values().map(|(_, size)| u64::from(*size)).sum();
        prop_assert_eq!((self.queue.bytes(), self.queue.held().bytes), (bytes, bytes));
        let (mut seen, mut last) = (Vec::new(), BTreeMap::new());
        let mut ordered = true;
        self.queue.for_each_waiting(&mut |packet| {
            seen.push(packet.number);
            ordered &= last.insert(packet.tuple.src.port, packet.number) < Some(packet.number);
        });
        seen.sort_unstable();
        prop_assert!(ordered, "those of a flow come oldest first");
        prop_assert!(seen.iter().eq(self.waiting.keys()), "each is shown once");
        Ok(())
    }
}

fn check(queue: QueueKind, calls: &[(u64, Call)]) -> Result<(), TestCaseError> {
    let (mut checked, mut now) = (Checked::new(queue), Time::ZERO);
    for (number, (gap, call)) in calls.iter().enumerate() {
        now += Duration::from_micros(*gap);
        let old: Vec<u64> = match call {
            Call::Discard(limit) => {
                let waiting = checked.waiting.iter();
                let old = waiting.filter(|(_, (since, _))| now.since(*since) >= *limit);
                old.map(|(number, _)| *number).collect()
            }
            Call::DropWhere(divisor) => {
                let waiting = checked.waiting.keys();
                waiting.filter(|number| number.is_multiple_of(*divisor)).copied().collect()
            }
            _ => Vec::new(),
        };
        let mut drops = checked.call(now, number as u64, call);
        checked.strike(&drops)?;
        checked.agrees()?;
        let own = [DropCause::DiscardTimer, DropCause::PduSet];
        let discards = drops.iter().filter(|(cause, _)| own.contains(cause));
        prop_assert_eq!(discards.count(), old.len(), "only these calls have these causes");
        if matches!(call, Call::Discard(_) | Call::DropWhere(_)) {
            drops.sort_unstable();
            prop_assert!(drops.iter().map(|(_, number)| number).eq(&old), "exactly those");
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_queue_knows_its_oldest_packet_and_drops_exactly_those_named(calls in calls()) {
        for queue in every() {
            check(queue, &calls)?;
        }
    }

    #[test]
    fn no_mark_is_on_a_packet_that_is_not_ecn_capable(calls in calls()) {
        for queue in every() {
            let (mut checked, mut now) = (Checked::new(queue), Time::ZERO);
            for (number, (gap, call)) in calls.iter().enumerate() {
                now += Duration::from_micros(*gap);
                checked.call(now, number as u64, call);
            }
            let mut sound = true;
            let mut look = |packet: &Packet| {
                let before = ecn(packet.tuple.src.port);
                sound &= packet.ecn == before || before.is_capable() && packet.ecn == Ecn::Ce;
            };
            checked.sent.iter().for_each(&mut look);
            checked.queue.for_each_waiting(&mut |packet| look(packet));
            prop_assert!(sound, "a packet keeps its field or is marked");
            prop_assert!(checked.log.marks.iter().all(|(_, from, _)| from.is_capable()));
        }
    }
}
