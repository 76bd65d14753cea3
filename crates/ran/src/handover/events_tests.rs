use airpath_base::Duration;

use super::*;

/// Event A3 with an offset of 2 dB, a hysteresis of 1 dB and 80 ms.
const A3: EventConfig = EventConfig {
    event: Event::A3 { offset: 2.0 },
    hysteresis: 1.0,
    time_to_trigger: Duration::from_millis(80),
    report_interval: Duration::from_millis(120),
    report_amount: Some(1),
    ..EventConfig::A3
};

/// Times of reports, ms, with their cells, for values each 40 ms, with polls between.
fn run(config: EventConfig, offsets: &Offsets, samples: &[&[f64]]) -> Vec<(u64, Vec<usize>)> {
    run_with(config, offsets, samples, 0)
}

fn run_with(
    config: EventConfig,
    offsets: &Offsets,
    samples: &[&[f64]],
    serving: usize,
) -> Vec<(u64, Vec<usize>)> {
    let (mut events, mut reports) = (Trigger::new(&config), Vec::new());
    for (n, values) in samples.iter().enumerate() {
        let start = Time::from_millis(40 * n as u64);
        let end = start + Duration::from_millis(40);
        let view = View { serving, secondary: Some(2), values, offsets };
        let mut report = events.measure(start, &view);
        let mut now = start;
        loop {
            if let Some(report) = report {
                let cells = report.neighbours.iter().map(|n| n.cell).collect();
                reports.push((now.as_nanos() / 1_000_000, cells));
            }
            let Some(due) = events.next_due().filter(|due| *due < end) else { break };
            assert!(due >= now);
            now = due;
            report = events.poll(now, &view);
        }
    }
    reports
}

/// Samples of a serving cell at -90 dBm and of a neighbour this much above.
fn above(margins: &[f64]) -> Vec<[f64; 2]> {
    margins.iter().map(|margin| [-90.0, -90.0 + margin]).collect()
}

fn a3(config: EventConfig, margins: &[f64]) -> Vec<u64> {
    let samples = above(margins);
    let samples: Vec<&[f64]> = samples.iter().map(|s| &s[..]).collect();
    run(config, &Offsets::default(), &samples).iter().map(|(at, _)| *at).collect()
}

#[test]
fn a3_triggers_after_its_time() {
    // It enters above 3 dB: at 40 ms, so the report is at 120 ms.
    assert_eq!(a3(A3, &[3.0, 3.1, 3.1, 3.1, 3.1]), [120]);
    // Equality is not above.
    assert!(a3(A3, &[3.0; 9]).is_empty());
    // A break at 80 ms, or at the end of the time itself: it begins anew.
    assert_eq!(a3(A3, &[3.1, 3.1, 2.9, 3.1, 3.1, 3.1]), [200]);
    assert!(a3(A3, &[3.1, 3.1, 2.9]).is_empty());
    // 0 ms: at once. 100 ms: between two samples.
    let of = |millis| EventConfig { time_to_trigger: Duration::from_millis(millis), ..A3 };
    assert_eq!(a3(of(0), &[0.0, 3.1]), [40]);
    assert_eq!(a3(of(100), &[3.1, 3.1, 3.1, 0.0]), [100]);
    assert!(a3(of(100), &[3.1, 3.1, 3.0, 3.1]).is_empty());
}

#[test]
fn a3_is_left_below_the_negative_hysteresis() {
    // It leaves below 1 dB. 1.5 dB is neither: still triggered, so no second report.
    assert_eq!(a3(A3, &[4.0, 4.0, 4.0, 1.5, 1.5, 1.5, 1.5, 4.0, 4.0, 4.0]), [80]);
    // Below 1 dB at 120 ms and out at 200 ms. It enters again at 240 ms.
    let margins = [4.0, 4.0, 4.0, 0.9, 0.9, 0.9, 4.0, 4.0, 4.0];
    assert_eq!(a3(A3, &margins), [80, 320]);
    // Only 40 ms below: not left.
    assert_eq!(a3(A3, &[4.0, 4.0, 4.0, 0.9, 1.5, 0.9, 4.0, 4.0, 4.0]), [80]);
    let leave = EventConfig { report_on_leave: true, ..A3 };
    assert_eq!(a3(leave, &margins), [80, 200, 320]);
}

#[test]
fn reports_are_repeated_up_to_their_amount() {
    let of = |report_amount| EventConfig { report_amount, ..A3 };
    // At 80 ms, then each 120 ms while the cell is triggered.
    assert_eq!(a3(of(Some(3)), &[4.0; 20]), [80, 200, 320]);
    assert_eq!(a3(of(None), &[4.0; 20]), [80, 200, 320, 440, 560, 680]);
    // Left at 240 ms: no report after 200 ms.
    let margins = [4.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(a3(of(None), &margins), [80, 200]);
}

#[test]
fn a_second_cell_begins_reports_anew() {
    // The second neighbour enters at 120 ms. Reports have both, the best first.
    let first = [-90.0, -86.0, -90.0];
    let both = [-90.0, -86.0, -85.0];
    let samples: Vec<&[f64]> = vec![&first, &first, &first, &both, &both, &both, &both];
    let reports = run(A3, &Offsets::default(), &samples);
    assert_eq!(reports, [(80, vec![1]), (200, vec![2, 1])]);
    let one = EventConfig { max_cells: 1, ..A3 };
    assert_eq!(run(one, &Offsets::default(), &samples)[1].1, [2]);
}

#[test]
fn cell_individual_offsets_shift_a3() {
    // -90 + 4 + 0 against -90 + 3: a neighbour level with the serving cell enters by 4 dB.
    let level: Vec<&[f64]> = vec![&[-90.0, -90.0]; 4];
    let cell = |cell: Vec<f64>| Offsets { cell, frequency: Vec::new() };
    assert_eq!(run(A3, &cell(vec![0.0, 3.1]), &level).len(), 1);
    assert!(run(A3, &cell(vec![0.0, 3.0]), &level).is_empty());
    // The serving cell's own offset counts against the neighbour.
    assert!(run(A3, &cell(vec![0.2, 3.1]), &level).is_empty());
    let frequency = Offsets { cell: vec![0.0, 1.0], frequency: vec![0.0, 2.1] };
    assert_eq!(run(A3, &frequency, &level).len(), 1);
}

/// Reports of an event without hysteresis of 1 dB at one sample of three cells, at once.
fn triggers(event: Event, values: [f64; 3], offsets: &Offsets) -> Option<Vec<usize>> {
    let config = EventConfig { event, time_to_trigger: Duration::ZERO, ..A3 };
    run(config, offsets, &[&values]).pop().map(|(_, cells)| cells)
}

#[test]
fn each_event_by_hand() {
    let none = Offsets::default();
    let all = |event, values| triggers(event, values, &none);
    // A1: Ms - Hys > Thresh. A2: Ms + Hys < Thresh. Reports have all neighbours.
    let a1 = Event::A1 { threshold: -95.0 };
    assert_eq!(all(a1, [-93.9, -99.0, -98.0]), Some(vec![2, 1]));
    assert_eq!(all(a1, [-94.0, -50.0, -50.0]), None);
    let a2 = Event::A2 { threshold: -95.0 };
    assert_eq!(all(a2, [-96.1, -99.0, -98.0]), Some(vec![2, 1]));
    assert_eq!(all(a2, [-96.0, -120.0, -120.0]), None);
    // A4: Mn + Ofn + Ocn - Hys > Thresh.
    let a4 = Event::A4 { threshold: -95.0 };
    assert_eq!(all(a4, [-50.0, -93.9, -94.0]), Some(vec![1]));
    // A5: Mp + Hys < Thresh1 and Mn - Hys > Thresh2.
    let a5 = Event::A5 { serving: -100.0, neighbour: -95.0 };
    assert_eq!(all(a5, [-101.1, -93.9, -94.0]), Some(vec![1]));
    assert_eq!(all(a5, [-101.0, -93.9, -94.0]), None);
    // A6: Mn + Ocn - Hys > Ms + Ocs + Off, against the secondary cell 2; Ofn does not count.
    let a6 = Event::A6 { offset: 2.0 };
    assert_eq!(all(a6, [-40.0, -86.9, -90.0]), Some(vec![1]));
    assert_eq!(all(a6, [-40.0, -87.0, -90.0]), None);
    let offsets = Offsets { cell: vec![0.0, 0.0, 0.2], frequency: vec![0.0, 9.0, 0.0] };
    assert_eq!(triggers(a6, [-40.0, -86.9, -90.0], &offsets), None);
    assert_eq!(triggers(a4, [-50.0, -102.9, -110.0], &offsets), Some(vec![1]));
}

#[test]
fn a5_is_left_by_either_condition() {
    let config = EventConfig {
        event: Event::A5 { serving: -100.0, neighbour: -95.0 },
        time_to_trigger: Duration::ZERO,
        ..A3
    };
    let mut events = Trigger::new(&config);
    let mut at = |serving: f64, neighbour: f64| {
        let values = [serving, neighbour];
        let offsets = Offsets::default();
        let view = View { serving: 0, secondary: None, values: &values, offsets: &offsets };
        events.measure(Time::ZERO, &view);
        events.is_triggered(1)
    };
    // A5-3: Mp - Hys > Thresh1. A5-4: Mn + Hys < Thresh2.
    assert!(at(-102.0, -90.0) && at(-99.0, -96.0) && !at(-98.9, -90.0));
    assert!(at(-102.0, -90.0) && !at(-102.0, -96.1));
}

#[test]
fn a_change_of_the_serving_cell_ends_everything() {
    let mut events = Trigger::new(&EventConfig { report_amount: None, ..A3 });
    let offsets = Offsets::default();
    let values = [-90.0, -80.0, -85.0];
    let view = |serving| View { serving, secondary: None, values: &values, offsets: &offsets };
    events.measure(Time::ZERO, &view(0));
    let report = events.poll(Time::from_millis(80), &view(0)).unwrap();
    assert_eq!(report.serving, Measured { cell: 0, value: -90.0 });
    let expected = [(1, -80.0), (2, -85.0)].map(|(cell, value)| Measured { cell, value });
    assert_eq!(report.neighbours, expected);
    // In cell 1 nobody is better, and no report is repeated.
    assert_eq!(events.measure(Time::from_millis(100), &view(1)), None);
    assert_eq!(events.next_due(), None);
    assert!(!events.is_triggered(1) && !events.is_triggered(2));
    // The time to trigger of cell 1 runs anew after a return.
    assert_eq!(events.measure(Time::from_millis(120), &view(0)), None);
    assert_eq!(events.next_due(), Some(Time::from_millis(200)));
}

#[test]
fn a_change_of_the_secondary_cell_ends_a6_alone() {
    for (event, ends) in [(Event::A6 { offset: 2.0 }, true), (Event::A3 { offset: 2.0 }, false)] {
        let mut trigger =
            Trigger::new(&EventConfig { event, time_to_trigger: Duration::ZERO, ..A3 });
        let offsets = Offsets::default();
        let values = [-90.0, -80.0, -100.0];
        let mut triggered = |secondary| {
            let view = View { serving: 0, secondary, values: &values, offsets: &offsets };
            trigger.measure(Time::ZERO, &view);
            trigger.is_triggered(1)
        };
        assert!(triggered(Some(2)));
        // Cell 1 becomes the secondary cell itself.
        assert_eq!(triggered(Some(1)), !ends);
    }
}

#[test]
fn b1_needs_no_serving_cell() {
    // TS 36.331, 5.5.4.7: it enters above -100 dBm + 1 dB. Cells 0 and 2 do so, the best first.
    let b1 = EventConfig {
        event: Event::A4 { threshold: -100.0 },
        time_to_trigger: Duration::ZERO,
        ..A3
    };
    let samples: [&[f64]; 2] = [&[-99.1, -99.1, -99.1], &[-98.9, -99.1, -98.0]];
    let reports = run_with(b1, &Offsets::default(), &samples, usize::MAX);
    assert_eq!(reports, [(40, vec![2, 0])]);
}
