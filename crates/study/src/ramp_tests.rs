//! Tests of ramp-ups, with series made by hand.

use super::*;

const RAMP: Ramp = Ramp {
    window_ms: 20.0,
    ahead_ms: 0.0,
    origin: Origin::Start,
    step_ms: 5.0,
    share: 0.9,
    kilobyte: 1000.0,
};

/// 1000 bytes each millisecond from `lag` ms on, for `end` ms; begun at 7 ms.
fn steady(lag: u64, end: u64) -> Growth {
    let at = |ms: u64| (7 + ms) * 1_000_000;
    let delivered = (lag + 1..=end).map(|ms| (at(ms), (ms - lag) * 1000));
    Growth {
        started: at(0),
        established: Some(at(2)),
        ended: at(end),
        delivered: delivered.collect(),
        trips: [Vec::new(), Vec::new()],
    }
}

fn read(growth: &Growth, ramp: Ramp) -> RampFigures {
    growth.read(&ramp).expect("figures")
}

#[test]
fn the_window_may_lie_anywhere() {
    // Full rate from 30 ms on: 18 of 20 ms of it are full in the window up to 48 ms.
    let growth = steady(30, 1000);
    for (ahead, ramp_ms, ramp_kb) in
        [(0.0, 50.0, 20.0), (10.0, 40.0, 10.0), (20.0, 30.0, 0.0), (3.0, 45.0, 15.0)]
    {
        let figures = read(&growth, Ramp { ahead_ms: ahead, ..RAMP });
        assert_eq!(figures.seen.ramp_ms, Some(ramp_ms), "{ahead}");
        assert_eq!(figures.seen.ramp_kb, Some(ramp_kb), "{ahead}");
    }
    assert!((read(&growth, RAMP).saturation_mbps - 8.0).abs() < 1e-9);
}

#[test]
fn a_lag_costs_ten_times_its_length() {
    // (t - 30) / t >= 0.9 from t = 300 on.
    let figures = read(&steady(30, 1000), RAMP);
    assert_eq!((figures.seen.upt_ms, figures.seen.upt_kb), (Some(300.0), Some(270.0)));
    assert_eq!((figures.exact.ramp_ms, figures.exact.upt_ms), (Some(48.0), Some(300.0)));
    let coarse = read(&steady(29, 1000), RAMP);
    assert_eq!((coarse.seen.upt_ms, coarse.seen.upt_kb), (Some(290.0), Some(261.0)));
    let share = read(&steady(30, 1000), Ramp { share: 0.5, kilobyte: 1024.0, ..RAMP });
    assert_eq!((share.seen.upt_ms, share.seen.upt_kb), (Some(60.0), Some(30_000.0 / 1024.0)));
}

#[test]
fn time_may_begin_at_the_request_or_with_the_data() {
    let growth = steady(32, 1000);
    let at = |origin| read(&growth, Ramp { origin, step_ms: 1.0, ..RAMP }).seen.ramp_ms;
    assert_eq!(at(Origin::Start), Some(50.0));
    assert_eq!(at(Origin::Request), Some(48.0));
    // The first byte is there at 33 ms.
    assert_eq!(at(Origin::Data), Some(17.0));
    let unopened = Growth { established: None, ..growth };
    assert_eq!(unopened.read(&Ramp { origin: Origin::Request, ..RAMP }), None);
}

#[test]
fn who_never_gets_there_has_no_figures() {
    // 90% since the beginning would be there at 300 ms, the window's at 48 ms.
    let figures = read(&steady(30, 200), RAMP);
    assert_eq!((figures.seen.ramp_ms, figures.seen.upt_ms), (Some(50.0), None));
    assert_eq!(steady(200, 200).read(&RAMP), None);
    let ahead = read(&steady(30, 44), Ramp { ahead_ms: 20.0, ..RAMP });
    assert_eq!(ahead.seen.ramp_ms, None, "the window ends after the run");
}

#[test]
fn the_round_trip_is_that_of_packets_before_the_ramp_up() {
    let trip = |ms: u64, delay: u64, air: u64| Trip {
        at: (7 + ms) * 1_000_000,
        delay: delay * 1_000_000,
        air: air * 1_000_000,
    };
    let growth = Growth {
        trips: [
            vec![trip(10, 4, 3), trip(20, 6, 3), trip(60, 900, 1)],
            vec![trip(50, 10, 9), trip(51, 99, 0)],
        ],
        ..steady(30, 1000)
    };
    // Ramp-up at 50 ms: 5 ms of data, 3 of them on the air, and 10 of feedback, 9 of them.
    let figures = read(&growth, RAMP);
    assert_eq!((figures.round_trip_ms, figures.air_share), (Some(15.0), Some(0.8)));
}

#[test]
fn curves_have_a_point_at_each_instant() {
    let figures = read(&steady(30, 60), RAMP);
    assert_eq!(figures.moving_mbps.len(), 12);
    // At 40 ms half of the window is full, and a quarter of all time.
    assert!((figures.moving_mbps[7] - 4.0).abs() < 1e-9);
    assert!((figures.upt_mbps[7] - 2.0).abs() < 1e-9);
}
