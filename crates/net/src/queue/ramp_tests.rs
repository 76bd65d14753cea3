use airpath_wire::Ecn;
use proptest::prelude::*;

use super::*;
use crate::queue::samples::{Log, millis, ms, packet, stream};
use crate::queue::{AgeConfig, DelayConfig, DelayQueue, End, Limit, Queue};
use crate::testing::Bench;

#[test]
fn the_instantaneous_probability_is_linear_between_the_thresholds() {
    let config = RampConfig::default();
    let at = |micros| config.instantaneous(Duration::from_micros(micros));
    assert_eq!([0, 5_000, 6_000, 7_500, 10_000, 90_000].map(at), [0.0, 0.0, 0.2, 0.5, 1.0, 1.0]);
    let step = RampConfig { low: millis(5), high: millis(5), ..config };
    assert_eq!((step.instantaneous(millis(5)), step.instantaneous(millis(6))), (0.0, 1.0));
}

#[test]
fn the_probability_is_smoothed_each_5_ms() {
    let mut ramp = Ramp::new(RampConfig::default(), stream("ramp"));
    // The oldest came at 7.5 ms: 2.5, 7.5, 12.5 and 17.5 ms at the updates.
    let oldest = Some(Time::from_nanos(7_500_000));
    let mut after = |at| {
        ramp.catch_up(ms(at), oldest);
        ramp.probability()
    };
    assert_eq!(after(10), 0.0);
    assert_eq!(after(15), 0.125);
    assert_eq!(after(19), 0.125);
    assert_eq!(after(20), 0.25 + 0.75 * 0.125);
    assert_eq!(after(25), 0.25 + 0.75 * 0.34375);
    assert_eq!(after(10_000), 1.0);
    ramp.catch_up(ms(10_005), None);
    assert_eq!(ramp.probability(), 0.75);
}

/// Operation on a queue; gaps are in microseconds.
#[derive(Clone, Copy, Debug)]
enum Call {
    Enqueue,
    Dequeue,
    Discard(Duration),
    Free(f64),
}

fn calls() -> impl Strategy<Value = Vec<(u64, Call)>> {
    // Some calls come at the very instants of updates; some after so long a time that the
    // probability has settled.
    let gap = prop_oneof![
        12 => 0u64..4_000,
        4 => (0u64..4).prop_map(|n| n * 2_500),
        1 => 0u64..3_000_000,
    ];
    let call = prop_oneof![
        8 => Just(Call::Enqueue),
        6 => Just(Call::Dequeue),
        1 => (0u64..30).prop_map(|limit| Call::Discard(millis(limit))),
        3 => (0.0f64..1.0).prop_map(Call::Free),
    ];
    prop::collection::vec((gap, call), 0..200)
}

/// Arrivals of packets, and reports of free resources.
#[derive(Default)]
struct History {
    packets: Vec<(Time, Option<Time>)>,
    reports: Vec<(Time, f64)>,
}

impl History {
    /// Age of the oldest packet just before `at`, if there was one.
    fn age(&self, at: Time) -> Option<Duration> {
        let there = |(from, to): &&(Time, Option<Time>)| *from < at && to.is_none_or(|to| at <= to);
        self.packets.iter().filter(there).map(|(from, _)| at.since(*from)).max()
    }

    /// Mean of the reports after `from` up to `to`.
    fn free(&self, from: Time, to: Time) -> Option<f64> {
        let (mut before, mut sum, mut span) = (Time::ZERO, 0.0, 0);
        for &(at, share) in self.reports.iter().filter(|(at, _)| *at <= to) {
            if at > from {
                sum += share * at.since(before).as_nanos() as f64;
                span += at.since(before).as_nanos();
            }
            before = at;
        }
        (span > 0).then(|| sum / span as f64)
    }

    /// The probability after all updates up to `now`, each looked at; second, by equation 4.2
    /// alone.
    fn probability(&self, config: &RampConfig, now: Time) -> (f64, f64) {
        let (mut with, mut without, mut free, mut last) = (0.0, 0.0, 0.0, Time::ZERO);
        let mut at = Time::ZERO + config.update;
        while at <= now {
            free = self.free(last, at).unwrap_or(free);
            let age = self.age(at);
            let delay = age.unwrap_or(Duration::ZERO);
            let eased = config.free_above.is_some_and(|most| free > most);
            let goal = match eased {
                true if delay > config.high => 1.0,
                true => 0.0,
                false => config.instantaneous(delay),
            };
            without = config.alpha * goal + (1.0 - config.alpha) * without;
            with = config.alpha * goal + (1.0 - config.alpha) * with;
            if (age.is_none() || goal >= 1.0) && f64::abs(with - goal) < 1e-12 {
                with = goal;
            }
            (last, at) = (at, at + config.update);
        }
        (with, without)
    }
}

/// Makes calls on a queue with little room and compares after each.
fn compare(config: RampConfig, end: End, calls: &[(u64, Call)]) -> Result<(), TestCaseError> {
    let delay = DelayConfig {
        ramp: Some(config),
        end,
        drop_not_ect: true,
        age: Some(AgeConfig { one: millis(25), all: millis(60), spacing: millis(3), again: None }),
        limit: Limit::packets(8),
    };
    let (mut queue, mut bench) = (DelayQueue::new(delay, stream("ramp")), Bench::new());
    let (mut history, mut log, mut now) = (History::default(), Log::default(), Time::ZERO);
    for &(gap, call) in calls {
        now += Duration::from_micros(gap);
        let expected = history.probability(&config, now);
        let cx = &mut bench.cx_watched(now, &mut log);
        match call {
            Call::Enqueue => {
                let number = history.packets.len() as u64;
                history.packets.push((now, None));
                queue.enqueue(now, packet(1, number, 1000, Ecn::NotEct), cx);
            }
            Call::Dequeue => {
                let sent = queue.dequeue(now, cx);
                sent.iter().for_each(|sent| history.packets[sent.number as usize].1 = Some(now));
            }
            Call::Discard(limit) => queue.discard(now, limit, cx),
            Call::Free(share) => {
                history.reports.push((now, share));
                queue.set_free_resources(now, share);
                queue.catch_up(now);
            }
        }
        log.drops.drain(..).for_each(|drop| history.packets[drop.2 as usize].1 = Some(now));
        let expected = match call {
            Call::Free(_) => history.probability(&config, now),
            _ => expected,
        };
        prop_assert_eq!(queue.probability().to_bits(), expected.0.to_bits(), "at {:?}", now);
        prop_assert!((expected.0 - expected.1).abs() < 1e-11, "the rule of 1e-12 is no more");
    }
    Ok(())
}

proptest! {
    #[test]
    fn catching_up_is_the_same_as_looking_at_each_update(
        calls in calls(),
        alpha in prop_oneof![Just(0.25), Just(1.0), 0.01f64..1.0],
        free_above in prop::option::of(0.0f64..1.0),
        tail in any::<bool>(),
    ) {
        let config = RampConfig { alpha, free_above, ..RampConfig::default() };
        compare(config, if tail { End::Tail } else { End::Head }, &calls)?;
    }
}

#[test]
fn with_free_resources_only_what_is_older_than_the_upper_threshold_counts() {
    let config = RampConfig { alpha: 1.0, free_above: Some(0.25), ..RampConfig::default() };
    let mut ramp = Ramp::new(config, stream("ramp"));
    let oldest = Some(Time::from_nanos(2_500_000));
    // At 10 ms the oldest packet is 7.5 ms old: 0.5. A share describes the time up to its report.
    let mut after = |at, share| {
        ramp.set_free(ms(at), oldest, share);
        ramp.catch_up(ms(at), oldest);
        ramp.probability()
    };
    assert_eq!(after(4, 0.2), 0.0);
    assert_eq!(after(9, 0.2), 0.0);
    // Shares since the update at 5 ms: 0.2 for 5 ms and 0.6 for 1 ms, 0.267 in the mean.
    assert_eq!(after(10, 0.6), 0.0);
    assert_eq!(after(15, 1.0), 1.0, "12.5 ms are above the upper threshold");
    let mut busy = Ramp::new(config, stream("ramp"));
    busy.set_free(ms(10), oldest, 0.25);
    busy.catch_up(ms(10), oldest);
    assert_eq!(busy.probability(), 0.5);
}
