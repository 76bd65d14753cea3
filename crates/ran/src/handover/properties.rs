//! Properties over random sequences.

use airpath_base::random::Seed;
use airpath_base::{CellId, Db, Dbm, Duration, Time, UeId};
use proptest::prelude::*;

use super::*;

fn events() -> impl Strategy<Value = EventConfig> {
    let event = (0..6, -15.0..15.0f64, -95.0..-80.0f64, -95.0..-80.0f64).prop_map(
        |(kind, offset, threshold, serving)| match kind {
            0 => Event::A1 { threshold },
            1 => Event::A2 { threshold },
            2 => Event::A3 { offset },
            3 => Event::A4 { threshold },
            4 => Event::A5 { serving, neighbour: threshold },
            _ => Event::A6 { offset },
        },
    );
    let amount = prop::option::of(1u32..5);
    (event, 0.0..15.0f64, 0usize..16, 1u64..500, amount, any::<bool>()).prop_map(
        |(event, hysteresis, time, interval, report_amount, report_on_leave)| EventConfig {
            event,
            hysteresis,
            time_to_trigger: Duration::from_millis(EventConfig::TIMES_TO_TRIGGER[time]),
            report_interval: Duration::from_millis(interval),
            report_amount,
            max_cells: 3,
            report_on_leave,
        },
    )
}

/// Values of four cells each 40 ms, near each other, with the serving cell, which changes at times.
fn samples() -> impl Strategy<Value = Vec<([f64; 4], usize)>> {
    let values = prop::array::uniform4(-92.0..-84.0f64);
    let slow = (values, 1usize..6, prop::bool::weighted(0.2), 0usize..4);
    prop::collection::vec(slow, 1..30).prop_map(|parts| {
        let (mut samples, mut serving) = (Vec::new(), 0);
        for (values, count, changes, cell) in parts {
            serving = if changes { cell } else { serving };
            samples.extend(std::iter::repeat_n((values, serving), count));
        }
        samples
    })
}

/// Time and serving cell of each poll, its report, and the time of the next.
type Polled = (Time, usize, Option<Report>, Option<Time>);

fn run(config: &EventConfig, samples: &[([f64; 4], usize)]) -> Vec<Polled> {
    let (mut trigger, offsets) = (Trigger::new(config), Offsets::default());
    let mut polled = Vec::new();
    for (n, (values, serving)) in samples.iter().enumerate() {
        let mut now = Time::from_millis(40 * n as u64);
        let end = now + Duration::from_millis(40);
        let view = View { serving: *serving, secondary: Some(3), values, offsets: &offsets };
        let mut report = trigger.measure(now, &view);
        loop {
            let due = trigger.next_due();
            polled.push((now, *serving, report, due));
            let Some(due) = due.filter(|due| (now..end).contains(due)) else { break };
            now = due;
            report = trigger.poll(now, &view);
            assert!(polled.len() < 1_000_000);
        }
    }
    polled
}

proptest! {
    #[test]
    fn triggers_never_go_back_in_time(config in events(), samples in samples()) {
        let mut last = Time::ZERO;
        for (now, serving, report, due) in run(&config, &samples) {
            prop_assert!(now >= last && due.is_none_or(|due| due > now), "{now} {due:?}");
            last = now;
            let Some(report) = report else { continue };
            prop_assert!(report.neighbours.len() <= 3);
            prop_assert!(report.neighbours.iter().all(|n| n.cell != serving));
            prop_assert!(report.neighbours.is_sorted_by(|a, b| a.value >= b.value));
        }
    }

    #[test]
    fn the_condition_has_held_for_the_time_to_trigger(
        offset in -6.0..6.0f64, hysteresis in 0.0..3.0f64, time in 0usize..9, samples in samples(),
    ) {
        let config = EventConfig {
            event: Event::A3 { offset },
            hysteresis,
            time_to_trigger: Duration::from_millis(EventConfig::TIMES_TO_TRIGGER[time]),
            report_amount: Some(1),
            ..EventConfig::A3
        };
        for (now, serving, report, _) in run(&config, &samples) {
            let Some(report) = report else { continue };
            // Samples from the last one before the time to trigger up to now, all in this cell.
            let holds = |cell: usize| {
                let first = now.saturating_sub(config.time_to_trigger).as_nanos() / 40_000_000;
                let seen = first as usize..=(now.as_nanos() / 40_000_000) as usize;
                samples[seen].iter().all(|(values, of)| {
                    *of == serving && values[cell] - hysteresis > values[serving] + offset
                })
            };
            prop_assert!(now >= Time::ZERO + config.time_to_trigger);
            prop_assert!(report.neighbours.iter().any(|n| holds(n.cell)), "{now}: {report:?}");
        }
    }

    #[test]
    fn every_access_ends_and_its_steps_are_in_order(
        seed in any::<u64>(), ues in 1u32..8, own in any::<bool>(),
        losses in prop::collection::vec(60.0..180.0f64, 8),
        period in 1u64..40, offset in 0u64..50, preambles in 1u32..6, most in 1u32..12,
        window in 1u64..12, backoff in 0u64..100,
    ) {
        let config = AccessConfig {
            period: Duration::from_millis(period),
            offset: Duration::from_millis(offset),
            preambles,
            max_preambles: most,
            window: Duration::from_millis(window),
            backoff: Duration::from_millis(backoff),
            ..AccessConfig::LTE
        };
        prop_assert_eq!(config.check(), Ok(()));
        let mut occasions = Occasions::new();
        let begin = |ue: u32| {
            let (ue, now) = (UeId(ue), Time::from_millis(u64::from(ue) * 3));
            let access = Access::begin(&config, ue, Seed(seed), now, own.then_some(52 + ue.0));
            (access, Steps::begin(ue, CellId(0), CellId(1), now))
        };
        let mut all: Vec<(Access, Steps)> = (0..ues).map(begin).collect();
        let (mut now, mut polls) = (Time::ZERO, 0);
        while let Some(due) = all.iter().filter_map(|(access, _)| access.next_due()).min() {
            prop_assert!(due >= now, "{due} {now}");
            now = due;
            polls += 1;
            prop_assert!(polls < 10_000);
            for (n, (access, steps)) in all.iter_mut().enumerate() {
                let reception = Reception { path_loss: Db(losses[n]), noise: Dbm(-108.7) };
                while let Some((at, step)) = access.poll(now, &reception, &mut occasions) {
                    prop_assert_eq!(at, now);
                    steps.enter(at, &step);
                }
            }
        }
        for (access, steps) in &all {
            prop_assert!(access.is_ended());
            let sent = steps.preambles.len();
            prop_assert!((1..=most as usize).contains(&sent) && steps.preambles.is_sorted());
            // Preambles are in occasions alone.
            let span = config.offset % config.period;
            prop_assert!(steps.preambles.iter().all(|at| (*at - Time::ZERO) % config.period == span));
            if steps.completed.is_some() {
                prop_assert!(steps.response < steps.message_3 && steps.message_3 < steps.completed);
            } else {
                prop_assert_eq!(sent, most as usize);
            }
        }
    }

    #[test]
    fn measurements_lie_between_the_extremes(
        k in 0u8..20, period in 1u64..400,
        rsrp in prop::collection::vec(prop::collection::vec(-130.0..-50.0f64, 3), 1..40),
    ) {
        let config = MeasurementConfig {
            sample_period: Duration::from_millis(period),
            error: 0.0,
            filter_coefficient: k,
            ..MeasurementConfig::DEFAULT
        };
        let mut measuring = Measuring::new(&config, UeId(5), 3, Seed(2));
        let mut extremes = [(f64::INFINITY, f64::NEG_INFINITY); 3];
        for rsrp in &rsrp {
            let now = measuring.next_due();
            let sample = Sample { rsrp, noise: -120.0 };
            let values = measuring.sample(now, &sample).to_vec();
            prop_assert_eq!(measuring.next_due(), now + config.sample_period);
            for (exact, (least, most)) in rsrp.iter().zip(&mut extremes) {
                (*least, *most) = (least.min(*exact), most.max(*exact));
            }
            for (value, (least, most)) in values.iter().zip(&extremes) {
                prop_assert!((*least - 1e-9..=*most + 1e-9).contains(value));
            }
        }
    }
}
