//! Properties over random sequences.

use airpath_base::random::Seed;
use airpath_base::{Db, Dbm, Duration, Time, UeId};
use proptest::prelude::*;

use super::*;

fn events() -> impl Strategy<Value = EventConfig> {
    let event = (0..6, -15.0..15.0f64, -110.0..-70.0f64, -110.0..-70.0f64).prop_map(
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

proptest! {
    #[test]
    fn events_never_go_back_in_time(
        config in events(),
        samples in prop::collection::vec((prop::collection::vec(-120.0..-60.0f64, 4), 0usize..4), 1..60),
    ) {
        let (mut events, offsets) = (Trigger::new(&config), Offsets::default());
        let (mut now, mut since_change, mut serving) = (Time::ZERO, 0u32, 0);
        for (n, (values, cell)) in samples.iter().enumerate() {
            now = Time::from_millis(40 * n as u64);
            let end = now + Duration::from_millis(40);
            // The serving cell changes at a tenth of the samples.
            if n % 10 == 9 && *cell != serving {
                (serving, since_change) = (*cell, 0);
            }
            let view = View { serving, secondary: Some(3), values, offsets: &offsets };
            let mut report = events.measure(now, &view);
            loop {
                since_change += u32::from(report.is_some());
                if let Some(report) = report {
                    prop_assert!(report.neighbours.len() <= 3);
                    prop_assert!(report.neighbours.iter().all(|n| n.cell != serving));
                    prop_assert!(report.neighbours.is_sorted_by(|a, b| a.value >= b.value));
                }
                let Some(due) = events.next_due() else { break };
                prop_assert!(due > now, "{due} {now}");
                if due >= end {
                    break;
                }
                now = due;
                report = events.poll(now, &view);
            }
        }
        // Reports need the time to trigger since the last change.
        prop_assert!(config.time_to_trigger <= now.since(Time::ZERO) || since_change == 0);
    }

    #[test]
    fn every_access_ends_and_its_steps_are_in_order(
        seed in any::<u64>(), ues in 1u32..8, own in any::<bool>(), losses in prop::collection::vec(60.0..180.0f64, 8),
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
            (Access::begin(&config, ue, Seed(seed), now, own.then_some(52 + ue.0)), Steps::begin(ue, Default::default(), Default::default(), now))
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
            let sample = Sample { rsrp, activity: &[], noise: -120.0 };
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
