use super::*;

/// A transmission from `start` on for so long, in eighths of a millisecond.
fn part(carrier: u64, start: u64, length: u64, share: f64) -> Part {
    let at = |eighths: u64| Time::from_nanos(eighths * 125_000);
    Part {
        carrier,
        tti: start / length,
        start: at(start),
        end: at(start + length),
        resource_blocks: 1,
        share,
    }
}

fn shared(rule: Rule, parts: &[Part]) -> SharedPower {
    let mut power = SharedPower::new(rule, Duration::from_millis(20));
    parts.iter().for_each(|part| power.send(Time::ZERO, *part));
    power
}

fn factors(power: &SharedPower, parts: &[Part]) -> Vec<f64> {
    parts.iter().map(|part| power.factor(part.carrier, part.start)).collect()
}

#[test]
fn lte_scales_all_carriers_alike() {
    // 0.5 + 0.75 + 0.75 are twice the power.
    let parts = [part(0, 0, 8, 0.5), part(1, 0, 8, 0.75), part(2, 0, 8, 0.75)];
    let mut power = shared(Rule::Alike, &parts);
    assert_eq!(factors(&power, &parts), [0.5; 3]);
    // With feedback the first keeps its half. The others have 1.5 where 0.5 is left.
    power.expect_feedback(Time::ZERO, parts[0].start);
    assert_eq!(factors(&power, &parts), [1.0, 1.0 / 3.0, 1.0 / 3.0]);
    // Below the largest power nothing is scaled.
    let few = [part(0, 0, 8, 0.25), part(1, 0, 8, 0.75)];
    assert_eq!(factors(&shared(Rule::Alike, &few), &few), [1.0; 2]);
}

#[test]
fn nr_serves_carriers_in_their_order() {
    let parts = [part(2, 0, 8, 0.5), part(0, 0, 8, 0.5), part(1, 0, 8, 1.0)];
    // The primary cell has its half, the next the other half, the last nothing.
    assert_eq!(factors(&shared(Rule::InOrder, &parts), &parts), [0.0, 1.0, 0.5]);
}

#[test]
fn the_least_power_of_any_symbol_counts() {
    // A slot of 1 ms beside two of half a millisecond, the second of which takes most.
    let parts = [part(0, 0, 4, 0.25), part(0, 4, 4, 0.75), part(1, 0, 8, 0.5)];
    assert_eq!(factors(&shared(Rule::InOrder, &parts), &parts), [1.0, 1.0, 0.5]);
    assert_eq!(factors(&shared(Rule::Alike, &parts), &parts), [1.0, 0.8, 0.8]);
    // Those behind one another do not compete.
    let behind = [part(0, 0, 4, 1.0), part(1, 4, 4, 1.0)];
    assert_eq!(factors(&shared(Rule::Alike, &behind), &behind), [1.0; 2]);
}

#[test]
fn a_carrier_is_granted_what_the_others_leave() {
    let parts = [part(0, 0, 4, 0.25), part(0, 4, 4, 0.75)];
    let power = shared(Rule::InOrder, &parts);
    let span = |start, length| (part(0, start, length, 0.0).start, part(0, start, length, 0.0).end);
    assert_eq!(
        [span(0, 4), span(0, 8), span(8, 8)].map(|span| power.left(span)),
        [0.75, 0.25, 1.0]
    );
    // A quarter of the power suffices for a quarter of 30 resource blocks.
    assert_eq!(power.most(span(0, 8), (100, 30.0)), 7);
    assert_eq!(power.most(span(8, 8), (100, 30.0)), 100);
}

#[test]
fn powers_that_change_are_named_until_the_end() {
    let (one, two) = (part(0, 0, 8, 0.5), part(1, 0, 8, 1.0));
    let mut power = shared(Rule::InOrder, &[two]);
    assert_eq!(power.changed(Time::ZERO), []);
    // The cell itself goes first, and leaves half.
    power.send(Time::ZERO, one);
    assert_eq!(power.changed(Time::ZERO), [(two, 0.5)]);
    assert_eq!(power.changed(Time::ZERO), []);
    // Another beside it, and nothing after the end.
    power.send(Time::ZERO, part(0, 0, 8, 0.75));
    assert_eq!(power.changed(two.end), []);
    assert_eq!(power.changed(Time::ZERO), [(two, 0.25)]);
}

#[test]
fn a_grant_that_the_ue_missed_takes_no_power() {
    let (missed, own) = (part(0, 0, 8, 1.0), part(1, 0, 8, 0.5));
    let mut power = shared(Rule::InOrder, &[own]);
    power.grant(Time::ZERO, missed);
    assert_eq!(power.left((own.start, own.end)), -0.5);
    assert_eq!(power.factor(1, own.start), 1.0);
    // The UE sends something else in that TTI.
    power.send(Time::ZERO, Part { share: 0.75, ..missed });
    assert_eq!(power.factor(1, own.start), 0.5);
}
