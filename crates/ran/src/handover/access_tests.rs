use super::super::ProcedureConfig;
use super::*;

const LTE: AccessConfig = AccessConfig::LTE;
/// 100 dB to a cell with noise of -108.7 dBm: -174 dBm/Hz over 1.08 MHz, and 5 dB.
const NEAR: Reception = Reception { path_loss: Db(100.0), noise: Dbm(-108.7) };
/// A UE out of reach: 23 dBm less 200 dB.
const FAR: Reception = Reception { path_loss: Db(200.0), noise: Dbm(-108.7) };

/// All steps of UEs in one cell that begin at a time, in the order of time; ms.
fn run(config: &AccessConfig, seed: u64, ues: u32, own: bool) -> Vec<(UeId, f64, AccessStep)> {
    run_from(config, seed, ues, own, (Time::ZERO, NEAR))
}

fn run_from(
    config: &AccessConfig,
    seed: u64,
    ues: u32,
    own: bool,
    (begin, reception): (Time, Reception),
) -> Vec<(UeId, f64, AccessStep)> {
    let mut occasions = Occasions::new();
    let begin = |ue| {
        let dedicated = own.then_some(52 + ue);
        Access::begin(config, UeId(ue), Seed(seed), begin, dedicated)
    };
    let mut accesses: Vec<Access> = (0..ues).map(begin).collect();
    let mut steps = Vec::new();
    while let Some(now) = accesses.iter().filter_map(Access::next_due).min() {
        for access in &mut accesses {
            while let Some((at, step)) = access.poll(now, &reception, &mut occasions) {
                steps.push((access.ue, at.as_secs_f64() * 1e3, step));
            }
        }
    }
    steps
}

/// Time of the first step of a kind, ms.
fn time_of(steps: &[(UeId, f64, AccessStep)], wanted: AccessStep) -> f64 {
    steps.iter().find(|(_, _, step)| *step == wanted).map_or(f64::NAN, |(_, at, _)| *at)
}

#[test]
fn steps_without_contention_by_hand() {
    // Occasion in subframe 1, response in 4, message 3 in 10 (TS 36.321, 5.1.4; TS 36.213, 6.1.1).
    let steps: Vec<(f64, AccessStep)> =
        run(&LTE, 1, 1, true).into_iter().map(|(_, at, step)| (at, step)).collect();
    let preamble = AccessStep::Preamble { number: 1, preamble: 52, power: Dbm(-4.0) };
    let expected = [
        (1.0, preamble),
        (5.0, AccessStep::Response),
        (10.0, AccessStep::Message3),
        (11.0, AccessStep::Completed),
    ];
    assert_eq!(steps, expected);
}

#[test]
fn random_access_of_lte_has_the_measured_quantiles() {
    // A wait of 0 to 10 ms and 1 + 2 + 1 + 5 ms: 9.5, 14 and 18.5 ms at 5, 50 and 95% to message 3.
    // LTE handovers in the US, 2022: 10, 15 and 19 ms.
    let mut all: Vec<[f64; 2]> = (0..4_000u64)
        .map(|n| {
            let begin = Time::from_nanos(50_000_000 + n * 2_500);
            let steps = run_from(&LTE, n, 1, true, (begin, NEAR));
            [AccessStep::Message3, AccessStep::Completed]
                .map(|step| time_of(&steps, step) - begin.as_secs_f64() * 1e3)
        })
        .collect();
    all.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let rows = [(200, 9.5, 10.0), (2_000, 14.0, 15.0), (3_800, 18.5, 19.0)];
    for (n, expected, measured) in rows {
        let [message_3, completed] = all[n];
        assert!((message_3 - expected).abs() < 0.1, "{message_3} {expected}");
        assert!((message_3 - measured).abs() < 2.0 && (completed - measured).abs() < 2.0);
    }
    // Execution with the processing of the command: 26 and 34 ms were measured at 5 and 50%.
    let before = ProcedureConfig::LTE.rrc_processing + ProcedureConfig::LTE.synchronisation;
    for (n, measured) in [(200, 26.0), (2_000, 34.0)] {
        let execution: f64 = before.as_millis_f64() + all[n][1];
        assert!((execution / measured - 1.0).abs() < 0.15, "{execution} {measured}");
    }
}

#[test]
fn another_period_changes_the_wait_alone() {
    // 5 ms: the mean wait is 2.5 ms less.
    let mean = |period| {
        let config = AccessConfig { period: Duration::from_millis(period), ..LTE };
        let of = |n: u64| {
            let begin = Time::from_nanos(n * 10_000);
            let steps = run_from(&config, n, 1, true, (begin, NEAR));
            time_of(&steps, AccessStep::Completed) - begin.as_secs_f64() * 1e3
        };
        (0..2_000).map(of).sum::<f64>() / 2e3
    };
    // The means are 5 + 10 and 2.5 + 10 ms.
    assert!((mean(10) - 15.0).abs() < 0.1 && (mean(5) - 12.5).abs() < 0.1);
}

#[test]
fn power_ramps_until_the_access_fails() {
    let steps = run_from(&LTE, 1, 1, true, (Time::ZERO, FAR));
    // Windows end 13 ms after a preamble, so occasions are at 1, 21, 41 and so on.
    let sent: Vec<(f64, f64)> = steps
        .iter()
        .filter_map(|(_, at, step)| match step {
            AccessStep::Preamble { power, .. } => Some((*at, power.0)),
            _ => None,
        })
        .collect();
    let expected = [1.0, 21.0, 41.0, 61.0, 81.0, 101.0].map(|at| (at, 23.0));
    assert_eq!(sent, expected);
    assert_eq!(time_of(&steps, AccessStep::NoResponse), 14.0);
    let (_, at, step) = steps[steps.len() - 1];
    assert_eq!((at, step), (114.0, AccessStep::Failed));
}

#[test]
fn detection_by_its_closed_form() {
    // 99% at the requirement; x = 0.14855 * 10^0.3 = 0.2964 and 1.4855 below by 3 and 10 dB.
    for (above, expected) in [(0.0, 0.99), (-3.0, 0.963_9), (-10.0, 0.562_7), (-60.0, 0.0)] {
        assert!(
            (detection(Db(above)) - expected).abs() < 1e-4,
            "{above}: {}",
            detection(Db(above))
        );
    }
    // Noise of -86 dBm: the first preamble, at -104 dBm, is 10 dB below the requirement.
    let edge = Reception { path_loss: Db(120.0), noise: Dbm(-86.0) };
    let first = (0..4_000u64).filter(|seed| {
        let steps = run_from(&LTE, *seed, 1, true, (Time::ZERO, edge));
        time_of(&steps, AccessStep::Response) < 10.0
    });
    // Four deviations of a share of 4000: 0.031.
    let share = first.count() as f64 / 4e3;
    assert!((share - 0.562_7).abs() < 0.031, "{share}");
}

#[test]
fn collisions_have_their_probability() {
    // 1 - (1 - 1/m)^(n - 1), within four deviations of 3000 trials.
    let trials = 3_000;
    for (ues, preambles) in [(2, 4), (5, 16), (10, 52)] {
        let config = AccessConfig { preambles, max_preambles: 1, ..LTE };
        let collided = |seed: &u64| {
            let steps = run(&config, *seed, ues, false);
            steps.iter().any(|(ue, _, step)| ue.0 == 0 && *step == AccessStep::Collision)
        };
        let share = (0..trials).filter(collided).count() as f64 / trials as f64;
        let free = 1.0 - 1.0 / f64::from(preambles);
        let expected = 1.0 - (1..ues).map(|_| free).product::<f64>();
        let bound = 4.0 * (expected * (1.0 - expected) / trials as f64).sqrt();
        // A preamble that nobody detects is no collision: below 0.01% at this ratio.
        assert!((share - expected).abs() < bound, "{ues} of {preambles}: {share} {expected}");
    }
}

#[test]
fn collided_ues_fail_both_and_try_again() {
    // One preamble for two UEs: messages 3 end at 11 ms, both timers at 59 ms.
    let config = AccessConfig { preambles: 1, max_preambles: 1, ..LTE };
    let steps = run(&config, 1, 2, false);
    let collisions: Vec<f64> = steps
        .iter()
        .filter(|(_, _, step)| *step == AccessStep::Collision)
        .map(|(_, at, _)| *at)
        .collect();
    assert_eq!(collisions, [59.0, 59.0]);
    assert!(steps.iter().all(|(_, _, step)| *step != AccessStep::Completed));
    // With two preambles and a backoff of 100 ms, both come through in the end.
    let backoff = Duration::from_millis(100);
    let config = AccessConfig { preambles: 2, max_preambles: 30, backoff, ..LTE };
    let steps = run(&config, 1, 2, false);
    let completed = steps.iter().filter(|(_, _, step)| *step == AccessStep::Completed);
    assert_eq!(completed.count(), 2);
}

#[test]
fn contention_takes_its_resolution() {
    let steps = run(&LTE, 1, 1, false);
    assert_eq!(time_of(&steps, AccessStep::Completed), 16.0);
    // A timer shorter than the resolution is a failure.
    let short = AccessConfig { resolution_timer: Duration::from_millis(4), ..LTE };
    assert_eq!(time_of(&run(&short, 1, 1, false), AccessStep::Collision), 15.0);
}

#[test]
fn backoff_is_uniform() {
    // After a window of 13 ms, from 14 ms on: 0 to 160 ms and the wait for an occasion, 5 ms.
    let config = AccessConfig {
        backoff: Duration::from_millis(160),
        period: Duration::from_millis(1),
        offset: Duration::ZERO,
        ..LTE
    };
    let second = |seed| {
        let steps = run_from(&config, seed, 1, true, (Time::ZERO, FAR));
        let at = steps.iter().filter_map(|(_, at, step)| match step {
            AccessStep::Preamble { number: 2, .. } => Some(*at),
            _ => None,
        });
        at.sum::<f64>()
    };
    let all: Vec<f64> = (0..2_000).map(second).collect();
    // 13 + 80 + 0.5 ms; four deviations of the mean are 4.1 ms.
    let mean = all.iter().sum::<f64>() / 2e3;
    assert!((mean - 93.5).abs() < 4.1, "{mean}");
    assert!(all.iter().all(|at| (13.0..=174.0).contains(at)));
}

#[test]
fn one_more_ue_moves_nobody() {
    let of = |ues| {
        let all = run(&LTE, 3, ues, true);
        all.into_iter().filter(|(ue, ..)| ue.0 < 3).collect::<Vec<_>>()
    };
    assert_eq!(of(3), of(4));
}
