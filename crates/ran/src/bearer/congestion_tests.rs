use super::*;

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

#[test]
fn shares_are_those_of_the_interval_in_hundredths_of_a_percent() {
    let mut own = Congestion::new(Duration::from_millis(10), 3);
    own.marked[0] = 3;
    (0..8).for_each(|n| own.count_up(n % 4 == 0));
    assert_eq!(own.report(ms(9), 12), None);
    // 3 of 12 packets, 2 of 8; an interval that ended at 10 ms and is reported at 14 ms begins the next at 10 ms.
    let report = CongestionInformation { qfi: 3, up: 2_500, down: 2_500 };
    assert_eq!(own.report(ms(14), 12), Some(report));
    own.marked[0] = 1;
    assert_eq!(own.report(ms(19), 15), None);
    // One of three, rounded down; nothing uplink.
    let report = CongestionInformation { qfi: 3, up: 0, down: 3_333 };
    assert_eq!(own.report(ms(20), 15), Some(report));
    assert_eq!(own.report(ms(30), 15), Some(CongestionInformation { qfi: 3, up: 0, down: 0 }));
}
