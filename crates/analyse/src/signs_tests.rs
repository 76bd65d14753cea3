use super::*;

/// Packets of a direction at times in microseconds.
fn slots(times: impl IntoIterator<Item = u64>) -> Slots {
    let mut slots = Slots::default();
    times.into_iter().for_each(|micros| slots.pass(Time::from_nanos((1_000_000 + micros) * 1_000)));
    slots
}

#[test]
fn bursts_in_slots_of_a_pattern_are_slots_and_a_cycle() {
    // LTE's configuration 1 uplink: slots 2 and 3 of five (TS 36.211, table 4.2-2).
    let times = (0..200).flat_map(|n| [5_000 * n + 2_300, 5_000 * n + 3_300]);
    let found = slots(times);
    let of = |sign, ms, windows| Some(Sign { sign, ms, seen: windows, of: windows });
    assert_eq!(found.slots(), of(SignKind::Slots, 1.0, 6)); // 400 bursts
    assert_eq!(found.cycle(), of(SignKind::GrantCycle, 5.0, 6));
    // Half slots, too: DDDSU at 30 kHz, whose slots D have data in two of three patterns.
    let times = (0..300u64).flat_map(|n| (0..3).map(move |k| (n, k)));
    let times = times.filter(|(n, k)| n % 3 != 0 || *k == 0).map(|(n, k)| 2_500 * n + 500 * k);
    let found = slots(times);
    assert_eq!(found.slots().map(|sign| sign.ms), Some(0.5));
    assert_eq!(found.cycle().map(|sign| sign.ms), Some(2.5));
}

#[test]
fn an_even_rate_and_uneven_times_are_no_slots() {
    // 12 Mbit/s: a packet each millisecond.
    assert_eq!(slots((0..1000).map(|n| 1_000 * n)).slots(), None);
    // Multiples of the golden section of a slot are everywhere within it.
    assert_eq!(slots((0..1000).map(|n| 1_618 * n + (n % 7) * 331)).slots(), None);
}

/// A flow of questions of two segments with silences, whose first RTTs are given in ms; the others take 20 ms.
fn requested(first_ms: &[u64]) -> Vec<Sign> {
    let mut signs = Signs::default();
    let (mut now, mut end) = (Time::from_millis(1000), 1);
    for first in first_ms {
        now += Duration::from_millis(500);
        for rtt in [*first, 20] {
            for _ in 0..2 {
                end += 1000;
                signs.take(now, 0, Passed { end, len: 1000, ack: Some(1) });
            }
            now += Duration::from_millis(rtt);
            signs.take(now, 1, Passed { end: 1, len: 0, ack: Some(end) });
        }
    }
    signs.found()
}

#[test]
fn data_that_waits_behind_silences_wakes_a_radio() {
    // The first silence has no data before it.
    let found = requested(&[20, 320, 455, 578]);
    assert_eq!(found, [Sign { sign: SignKind::WakeUp, ms: 435.0, seen: 3, of: 3 }]);
    // A delayed ACK takes 40 ms longer, and two silences are too few.
    assert_eq!(requested(&[20, 60, 60, 60, 60]), []);
    assert_eq!(requested(&[20, 320, 455]), []);
}
