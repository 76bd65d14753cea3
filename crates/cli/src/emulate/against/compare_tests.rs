use super::*;

/// A half with flows of these Mbit/s, milliseconds in queues and retransmissions in 1000 packets.
pub fn half(flows: &[(f64, f64, u64)]) -> Half {
    let flow = |(place, &(mbps, queue, retransmissions)): (usize, &(f64, f64, u64))| FlowHalf {
        name: ["first", "second"][place].to_owned(),
        controller: "cubic",
        goodput_bps: Some(mbps * 1e6),
        delay_ms: Some(queue + 12.0),
        queue_ms: Some(queue),
        rtt_ms: Some(queue + 24.0),
        retransmissions,
        sent_packets: 1000,
        lost_packets: retransmissions,
        marks: 0,
        finish_s: None,
    };
    let flows = flows.iter().enumerate().map(flow).collect();
    Half { flows, real_time: None, cpu_s: 0.25, complete: true }
}

fn verdict(simulated: &[Half], kernel: &[Half]) -> String {
    let seeds = (0..simulated.len() as u64).collect();
    Comparison::new(seeds, simulated.to_vec(), kernel.to_vec()).verdict()
}

#[test]
fn what_is_near_agrees_and_what_is_not_differs() {
    assert_eq!(
        verdict(&[half(&[(4.0, 40.0, 10)])], &[half(&[(4.19, 45.9, 19)])]),
        "Kernel and simulation agree in goodput (within 5%), time in queues (within 15%), the rate \
         of retransmissions (within a factor of 2)."
    );
    assert_eq!(
        verdict(&[half(&[(4.0, 40.0, 10)])], &[half(&[(4.21, 46.1, 21)])]),
        "Kernel and simulation differ in goodput (by more than 5%), time in queues (by more than \
         15%), the rate of retransmissions (by more than a factor of 2)."
    );
}

#[test]
fn shares_are_of_all_flows_and_names_are_said_where_they_are_needed() {
    let said = verdict(
        &[half(&[(2.0, 40.0, 10), (2.0, 40.0, 10)])],
        &[half(&[(2.06, 40.0, 10), (1.94, 50.0, 10)])],
    );
    assert!(said.contains("agree in goodput (within 5%), share of the goodput (within 10 points)"));
    assert!(said.contains("time in queues of first (within 15%)"), "{said}");
    assert!(said.contains("they differ in time in queues of second (by more than 15%)"), "{said}");
}

#[test]
fn what_intervals_do_not_tell_apart_is_open() {
    let of = |queues: [f64; 3]| queues.map(|queue| half(&[(4.0, queue, 10)])).to_vec();
    let said = verdict(&of([40.0, 40.0, 40.0]), &of([30.0, 60.0, 70.0]));
    assert!(said.contains("may differ, but for the spread of these runs, in time in"), "{said}");
    let said = verdict(&of([40.0, 40.0, 40.0]), &of([53.0, 54.0, 55.0]));
    assert!(said.contains("differ in time in queues"), "{said}");
    let row = Mean::of(&[53.0, 54.0, 55.0]).expect("values");
    // t(0.975, 2) = 4.303, s = 1: 4.303 / sqrt(3).
    assert!((row.half.expect("three values") - 2.484).abs() < 1e-3, "{row:?}");
}
