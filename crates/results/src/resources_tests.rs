use airpath_base::{BearerId, Duration, NodeId, Time, UeId};
use airpath_net::{Direction, Event, Probe, RadioEvent};

use super::*;
use crate::{FlowInfo, Inventory, Options, RunFacts, RunSummary, UeInfo};

const DOWNLINK: Direction = Direction::Downlink;
const UPLINK: Direction = Direction::Uplink;

fn flow(application: &str, ue: u32, bearers: [u32; 2]) -> FlowInfo {
    FlowInfo {
        kind: "tcp".into(),
        application: Some(application.into()),
        ue: Some(UeId(ue)),
        direction: Some(DOWNLINK),
        bearers: bearers.map(|n| Some(BearerId(n))),
        ..FlowInfo::default()
    }
}

fn bearer(ue: u32, class: Option<&str>) -> BearerInfo {
    BearerInfo { ue: UeId(ue), traffic_class: class.map(str::to_owned), ..BearerInfo::default() }
}

/// Two cells of 10 resource blocks with a UE each. The first UE has the web on bearer 0 and video
/// on bearer 1, which is answered on bearer 0. The second has bearer 2 of a class and bearer 3 that
/// carries nothing.
fn collector() -> Collector {
    let cell = |name: &str| CellInfo {
        name: name.into(),
        resource_blocks: [10, 10],
        slot: Duration::from_millis(1),
        shares: [1.0; 3],
    };
    let ue = |n: u16| UeInfo { cell: Some(CellId(n)), ..UeInfo::default() };
    let inventory = Inventory {
        flows: vec![flow("web", 0, [0, 0]), flow("video", 0, [1, 0]), flow("web", 1, [2, 2])],
        ues: vec![ue(0), ue(1)],
        cells: vec![cell("one"), cell("two")],
        bearers: vec![
            bearer(0, None),
            bearer(0, None),
            bearer(1, Some("premium")),
            bearer(1, None),
        ],
        ..Inventory::default()
    };
    Collector::new(inventory, &Options::default())
}

fn run() -> RunSummary {
    let mut c = collector();
    let mut radio = |event| c.on(Time::from_millis(5), NodeId(0), &Event::Radio(event));
    let blocks = [
        (0, DOWNLINK, 30.0),
        (1, DOWNLINK, 60.0),
        (2, DOWNLINK, 40.0),
        (0, UPLINK, 8.0),
        (1, UPLINK, 2.0),
        (3, UPLINK, 4.0),
    ];
    for (n, direction, resource_blocks) in blocks {
        let bearer = BearerId(n);
        let (cell, ue) = if n < 2 { (CellId(0), UeId(0)) } else { (CellId(1), UeId(1)) };
        radio(RadioEvent::Share { cell, bearer, direction, resource_blocks });
        let resource_blocks = resource_blocks as u16;
        radio(RadioEvent::Unused { cell, ue, direction, resource_blocks });
    }
    let (cell, direction, ue) = (CellId(0), DOWNLINK, UeId(0));
    radio(RadioEvent::Missed { cell, ue, direction, resource_blocks: 10 });
    radio(RadioEvent::Control { cell, used: 16, elements: 8, blocked: 0 });
    c.summary(RunFacts { end: Time::from_millis(20), complete: true, ..RunFacts::default() })
}

fn named(shares: &Named<f64>) -> Vec<(&str, f64)> {
    shares.iter().map(|(name, share)| (name, *share)).collect()
}

#[test]
fn shares_are_of_all_cells() {
    let of = run().resources;
    // Two cells, 20 slots, 10 resource blocks: 400. 130 and 10 in vain; 14 uplink.
    assert_eq!((of.pdsch, of.pusch), (Some(0.35), Some(0.035)));
    let down = [("premium", 0.1), ("video", 0.15), ("web", 0.075)];
    assert_eq!(named(&of.pdsch_by_class), [("other", 0.0), down[0], down[1], down[2]]);
    // Answers to video and web share a bearer; video's own sends RLC's status only.
    let up = [("other", 0.01), ("premium", 0.0), ("video", 0.005), ("video+web", 0.02)];
    assert_eq!(named(&of.pusch_by_class), up);
    // The second cell has had no grant: it too has 8 elements in 20 slots.
    assert_eq!(of.pdcch, Some(16.0 / 320.0));
}

#[test]
fn cells_have_their_own() {
    let run = run();
    let [one, two] = &run.cells[..] else { panic!("two cells") };
    assert_eq!(named(&one.utilisation_by_class), [("video", 0.3), ("web", 0.15)]);
    assert_eq!(named(&two.utilisation_by_class), [("other", 0.0), ("premium", 0.2)]);
    assert_eq!(named(&two.utilisation_by_class_up), [("other", 0.02), ("premium", 0.0)]);
    assert_eq!((one.control_utilisation, two.control_utilisation), (Some(0.1), None));
}

/// A bearer of the web takes 20 of 200 resource blocks in its UE's cell, and 10 of 200 in a further carrier.
#[test]
fn a_carrier_has_what_was_sent_in_it() {
    let mut c = collector();
    for (n, resource_blocks) in [(0, 20.0), (1, 10.0)] {
        let (cell, bearer, direction) = (CellId(n), BearerId(0), DOWNLINK);
        let event = RadioEvent::Share { cell, bearer, direction, resource_blocks };
        c.on(Time::from_millis(5), NodeId(0), &Event::Radio(event));
    }
    let run = c.summary(RunFacts { end: Time::from_millis(20), ..RunFacts::default() });
    let web = |n: usize| run.cells[n].utilisation_by_class.get("web").copied();
    assert_eq!([web(0), web(1)], [Some(0.1), Some(0.05)]);
    assert_eq!(run.bearers[0].resource_blocks, 30.0);
}

#[test]
fn without_cells_there_is_nothing() {
    let c = Collector::new(Inventory::default(), &Options::default());
    let run = c.summary(RunFacts { end: Time::from_millis(20), ..RunFacts::default() });
    assert_eq!(run.resources, ResourcesSummary::default());
}
