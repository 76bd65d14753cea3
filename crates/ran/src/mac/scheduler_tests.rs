use airpath_base::{BitRate, Duration};
use proptest::prelude::*;

use super::*;
use crate::config::Allocation;
use crate::mac::testing::{CARRIER, Cell, Queue, VIDEO, WEB, class, classes};
use crate::mac::{Raise, TrafficClasses};
use crate::testing;

const VOICE: u8 = 2;

fn cell(scheduler: SchedulerConfig, precedence: Precedence) -> SchedulerKind {
    let usual = testing::cell(testing::asking());
    let resource_blocks = CARRIER;
    let allocation = Allocation::ByNeed;
    let config = CellConfig { scheduler, precedence, resource_blocks, allocation, ..usual };
    SchedulerKind::new(&config)
}

fn turns() -> SchedulerConfig {
    SchedulerConfig::RoundRobin { ues_per_slot: None }
}

/// UE with the first grant of each TTI.
fn first(cell: &mut Cell, scheduler: &mut SchedulerKind, ttis: usize) -> Vec<u32> {
    (0..ttis).map(|_| cell.serve(scheduler)[0].0).collect()
}

#[test]
fn what_stands_first_counts_first() {
    // All have old packets: UE 0 web, UE 1 video, UE 2 voice, UE 3 web with a guaranteed rate.
    let queues = || {
        let mut all = [WEB, VIDEO, VOICE, WEB].map(|of| Queue::full(of, 1)).to_vec();
        all[3].guaranteed = BitRate::from_kbps(256);
        Cell::new(all)
    };
    let raise = Raise { classes: classes(VIDEO), beyond: Duration::ZERO };
    let raised = Precedence { raise: Some(raise), ..Precedence::default() };
    let voice = Precedence { priority: vec![class(VOICE)], ..raised.clone() };
    let minimum = Precedence { minimum_rate: true, ..voice.clone() };
    let all = Precedence { starvation: Some(Duration::from_millis(200)), ..minimum.clone() };
    // At 0 ms nothing is older than 0 ms; from then on the video is.
    assert_eq!(first(&mut queues(), &mut cell(turns(), raised), 4), [0, 1, 1, 1]);
    // Absolute priority comes before raised priority …
    assert_eq!(first(&mut queues(), &mut cell(turns(), voice), 4), [2; 4]);
    // … the minimum rate before both, as long as it is not reached. 96 bytes a TTI rise with a
    // window of 99 to 32 in 40 TTIs: 99 ln(3/2) is 40.1.
    let served = first(&mut queues(), &mut cell(turns(), minimum), 60);
    let reached = served.iter().position(|ue| *ue != 3).expect("reached");
    assert!((39..=42).contains(&reached) && served[reached] == 2, "{served:?}");
    // And who starves before all.
    let served = first(&mut queues(), &mut cell(turns(), all), 203);
    assert_eq!(served[201..], [0, 1]);
    assert!(served[..201].iter().all(|ue| *ue >= 2), "{served:?}");
}

#[test]
fn rules_hold_around_each_scheduler() {
    let schedulers = [
        turns(),
        SchedulerConfig::RoundRobin { ues_per_slot: Some(1) },
        SchedulerConfig::ProportionalFair { window: 99.0 },
        SchedulerConfig::DelayBased { by_age: TrafficClasses::ALL, ues_per_slot: None },
    ];
    for scheduler in schedulers {
        let precedence = Precedence {
            priority: vec![class(VIDEO)],
            starvation: Some(Duration::from_millis(20)),
            ..Precedence::default()
        };
        let mut cell_of = Cell::new([WEB, VIDEO].map(|of| Queue::full(of, 1)).to_vec());
        let served = cell_of.serve_many(&mut cell(scheduler, precedence), 210);
        // A slot each 21 ms, the first after 21.
        assert_eq!(served, [9, 201], "{scheduler:?}");
    }
}

#[test]
fn delay_based_without_levels() {
    let scheduler = SchedulerConfig::DelayBased { by_age: classes(VIDEO), ues_per_slot: None };
    let mut cell_of = Cell::new([WEB, VIDEO, VIDEO].map(|of| Queue::full(of, 1)).to_vec());
    cell_of.tti = 5;
    cell_of.queues[1].packets[0].0 = 1;
    let mut kind = cell(scheduler, Precedence::default());
    assert!(matches!(kind, SchedulerKind::DelayBased(_)));
    assert_eq!(first(&mut cell_of, &mut kind, 6), [0, 2, 2, 0, 2, 2]);
}

fn schedulers() -> impl Strategy<Value = SchedulerConfig> {
    let ues_per_slot = || prop::option::of(1u16..4);
    prop_oneof![
        Just(SchedulerConfig::ProportionalFair { window: 99.0 }),
        ues_per_slot().prop_map(|ues_per_slot| SchedulerConfig::RoundRobin { ues_per_slot }),
        (any::<bool>(), ues_per_slot()).prop_map(|(all, ues_per_slot)| {
            let by_age = if all { TrafficClasses::ALL } else { classes(VIDEO) };
            SchedulerConfig::DelayBased { by_age, ues_per_slot }
        }),
    ]
}

fn precedences() -> impl Strategy<Value = Precedence> {
    let millis = || prop::option::of((0u64..40).prop_map(Duration::from_millis));
    let priority = prop::sample::subsequence(vec![class(WEB), class(VIDEO), class(VOICE)], 0..=3);
    (millis(), any::<bool>(), priority, millis()).prop_map(
        |(starvation, minimum_rate, priority, beyond)| {
            let raise = beyond.map(|beyond| Raise { classes: classes(VIDEO), beyond });
            Precedence { starvation, minimum_rate, priority, deadlines: false, raise }
        },
    )
}

/// A TTI: who gets how many bytes, if anybody does.
type Arrival = Option<(usize, u32)>;

/// Serves these packets until all are sent; gives who had what, TTI by TTI.
fn serve_all(
    scheduler: &mut SchedulerKind,
    arrivals: &[Arrival],
    elements: Option<u16>,
) -> Vec<Vec<(u32, u16)>> {
    let mut queues = [WEB, VIDEO, VOICE, VIDEO, WEB].map(|of| Queue::new(of, 1)).to_vec();
    queues[1].guaranteed = BitRate::from_kbps(300);
    queues[4].guaranteed = BitRate::from_kbps(100);
    let mut cell = Cell::new(queues);
    cell.elements = elements;
    let mut slots = Vec::new();
    for arrival in arrivals {
        if let Some((n, bytes)) = arrival {
            let packet = (cell.tti, *bytes);
            cell.queues[*n].packets.push_back(packet);
        }
        slots.push(cell.serve(scheduler));
    }
    while cell.queues.iter().any(|queue| !queue.packets.is_empty()) {
        let slot = cell.serve(scheduler);
        assert!(!slot.is_empty(), "somebody has data, and nobody is served");
        slots.push(slot);
    }
    slots
}

proptest! {
    #[test]
    fn whatever_the_rules_all_is_sent_and_the_same_again(
        scheduler in schedulers(),
        precedence in precedences(),
        arrivals in prop::collection::vec(prop::option::of((0usize..5, 1u32..300)), 0..80),
        elements in prop::option::of(2u16..9),
    ) {
        let mut one = cell(scheduler, precedence.clone());
        let mut other = cell(scheduler, precedence);
        let slots = serve_all(&mut one, &arrivals, elements);
        prop_assert_eq!(&slots, &serve_all(&mut other, &arrivals, elements));
        for slot in &slots {
            prop_assert!(slot.iter().map(|(_, blocks)| blocks).sum::<u16>() <= CARRIER);
        }
    }
}
