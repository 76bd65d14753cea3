use airpath_base::Duration;

use super::*;
use crate::handover::{Event, EventConfig, Offsets};

const fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn config(max_candidates: u8, millis: u64) -> ConditionalConfig {
    let condition = EventConfig {
        event: Event::A3 { offset: 2.0 },
        hysteresis: 1.0,
        time_to_trigger: Duration::from_millis(millis),
        ..EventConfig::A3
    };
    ConditionalConfig { max_candidates, ..ConditionalConfig::of(condition) }
}

fn measured(of: &[(usize, f64)]) -> Vec<Measured> {
    of.iter().map(|&(cell, value)| Measured { cell, value }).collect()
}

#[test]
fn the_best_neighbours_become_candidates_and_leave_with_the_event() {
    let mut own = Candidates::new(&config(2, 0));
    let change = own.plan(&measured(&[(3, -80.0), (1, -82.0), (2, -84.0)]), 3.0);
    assert_eq!(change, Change { add: measured(&[(3, -80.0), (1, -82.0)]), ..Change::default() });
    for one in change.add {
        own.add(one, ms(0), ms(10));
    }
    // Cell 2 is 2 dB better than the worst candidate: less than the margin. Then it is 4 dB better.
    assert!(own.plan(&measured(&[(3, -80.0), (2, -82.0), (1, -84.0)]), 3.0).is_empty());
    let change = own.plan(&measured(&[(3, -78.0), (2, -80.0), (1, -84.0)]), 3.0);
    let (add, remove, replaced) = (measured(&[(2, -80.0)]), vec![1], vec![(1, 2)]);
    assert_eq!(change, Change { add, remove, replaced });
    // A refusal of cell 2 leaves cell 1 a candidate.
    let mut refused = change;
    refused.refuse(2);
    assert_eq!(refused, Change::default());
    // Cell 1 does not fulfil the event any more.
    let change = own.plan(&measured(&[(3, -78.0)]), 3.0);
    assert_eq!(change, Change { remove: vec![1], ..Change::default() });
    own.remove(1);
    assert_eq!(own.end(), [3]);
    assert!(own.all().is_empty());
}

#[test]
fn the_condition_counts_from_the_command_on() {
    let mut own = Candidates::new(&config(4, 80));
    let (values, offsets) = ([-90.0, -80.0, -70.0], Offsets::default());
    let view = View { serving: 0, secondary: None, values: &values, offsets: &offsets };
    own.add(Measured { cell: 1, value: -80.0 }, ms(0), ms(0));
    // 10 dB above the serving cell, but the UE does not know the candidate.
    assert_eq!(own.evaluate((ms(0), true), &view), None);
    own.all_mut()[0].known = Some(ms(200));
    assert_eq!(own.evaluate((ms(160), true), &view), None);
    assert_eq!(own.next_due(), None);
    // The time to trigger runs from the first measurement behind the command. Cell 2 is better, but no candidate.
    assert_eq!(own.evaluate((ms(200), true), &view), None);
    assert_eq!((own.next_due(), own.known(1, ms(199))), (Some(ms(280)), None));
    assert_eq!(own.evaluate((ms(280), false), &view), Some(1));
}

#[test]
fn the_condition_needs_its_offset_and_hysteresis() {
    let offsets = Offsets::default();
    // 2 dB of offset and 1 dB of hysteresis: more than 3 dB above the serving cell.
    for (value, expected) in [(-87.1, None), (-86.9, Some(1))] {
        let mut own = Candidates::new(&config(4, 0));
        own.add(Measured { cell: 1, value }, ms(0), ms(0));
        own.all_mut()[0].known = Some(ms(0));
        let values = [-90.0, value];
        let view = View { serving: 0, secondary: None, values: &values, offsets: &offsets };
        assert_eq!(own.evaluate((ms(0), true), &view), expected);
    }
}
