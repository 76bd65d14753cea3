//! Networks with cells on several carriers.

use std::collections::BTreeSet;

use airpath_base::random::Seed;
use airpath_base::{NodeId, Time};
use airpath_net::{AppEvent, Direction, Event, Handover, Probe, RadioEvent};
use airpath_scenario::Scenario;
use airpath_scenario::world::{Facts, WorldOptions, survey};
use airpath_sim::{Course, RunOptions, run};

/// Blocks of the radio as texts, bytes by flow, handovers and gaps.
#[derive(Default)]
struct Seen {
    /// UE whose blocks are kept.
    of: u32,
    blocks: Vec<String>,
    cells: BTreeSet<usize>,
    /// By flow.
    bytes: Vec<u64>,
    handovers: Vec<Handover>,
    gaps: u64,
}

impl Probe for Seen {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::App(flow, AppEvent::Delivered { bytes }) => {
                self.bytes.resize(self.bytes.len().max(flow.index() + 1), 0);
                self.bytes[flow.index()] += bytes;
            }
            Event::Handover(record) => self.handovers.push((*record).clone()),
            Event::Radio(RadioEvent::Gap { .. }) => self.gaps += 1,
            Event::Radio(RadioEvent::Block { ue, cell, .. }) if ue.0 == self.of => {
                self.cells.insert(cell.index());
                self.blocks.push(format!("{now} {event:?}"));
            }
            _ => {}
        }
    }
}

fn parse(text: &str) -> Scenario {
    Scenario::parse("s.toml", text, &[]).unwrap_or_else(|errors| panic!("{}", errors.plain()))
}

/// A run on so many threads, and the facts of its world.
fn seen(text: &str, of: u32, threads: usize) -> (Seen, Facts) {
    let scenario = parse(text);
    let options = WorldOptions { threads, ..WorldOptions::default() };
    let mut course = Course::begin(&scenario, None, None, options).expect("a course");
    let facts = course.world().facts.clone();
    let mut seen = Seen { of, ..Seen::default() };
    let end = Time::ZERO + scenario.duration;
    course.run_until(end, Some(&mut seen)).expect("a run without failure");
    (seen, facts)
}

const FLOWS: &str = "[[flow]]\nname = \"down\"\nkind = \"full-buffer\"\ndirection = \"down\"\n\
                     [[flow]]\nname = \"up\"\nkind = \"full-buffer\"\ndirection = \"up\"\n";

/// Bytes downlink and uplink of a UE with full buffers that is near its cell and measures another carrier.
fn carried(cell: &str, keys: &str) -> [u64; 2] {
    let text = format!(
        "duration = \"8 s\"\n[cell]\n{cell}\n[network]\nlayout = \"single\"\ncarrier = \"800 MHz\"\n\
         [network.handover.inter_frequency]\n{keys}\n\
         [[carrier]]\nname = \"high\"\nrole = \"cells\"\nfrequency = \"2.6 GHz\"\n\
         [[ue]]\nname = \"near\"\nplace = {{ x = \"60 m\", y = \"0 m\" }}\n\
         route = {{ kind = \"straight\", speed = \"1 km/h\", heading = \"90 deg\" }}\n{FLOWS}"
    );
    let (seen, _) = seen(&text, 0, 1);
    assert!(seen.handovers.is_empty() && seen.cells == BTreeSet::from([0]));
    let expected = if keys.contains("needs_gaps") { 0..=0 } else { 95..=200 };
    assert!(expected.contains(&seen.gaps), "{keys}: {} gaps", seen.gaps);
    [seen.bytes[0], seen.bytes[1]]
}

#[test]
fn gaps_take_their_share_of_both_directions() {
    // LTE with frequency division duplex: of 40 subframes 6 are gap. Downlink, feedback of the 4 before would fall into
    // it; uplink, grants of the 4 behind. 30 of 40 are left. With gaps each 80 ms 70 of 80 are.
    let lte = "resource_blocks = 25\npdcch = \"ideal\"";
    // NR with 30 kHz: of 80 slots 12 are gap, and 4 more with k1 = 4 or k2 = 4. 64 of 80 are left.
    let nr = "technology = \"nr\"\nnumerology = 1\nbandwidth = \"20 MHz\"\npdcch = \"ideal\"\n\
              timing = { data_to_feedback = \"4 tti\", grant_to_transmission = \"4 tti\" }";
    for (cell, keys, expected) in [
        (lte, "", 30.0 / 40.0),
        (lte, "gap_period = \"80 ms\"", 70.0 / 80.0),
        (nr, "", 64.0 / 80.0),
    ] {
        let without = carried(cell, "needs_gaps = false");
        let with = carried(cell, keys);
        for (with, without) in with.into_iter().zip(without) {
            let share = with as f64 / without as f64;
            assert!(
                (share - expected).abs() < 0.01,
                "{cell} {keys}: {share} instead of {expected}"
            );
        }
    }
}

/// A UE outdoors, and so many in a building that send and receive all the time. Loss of walls decides between carriers.
fn layers(others: u32, handover: &str) -> String {
    let ue = |n: u32| {
        let at = format!("x = \"{n} m\", y = \"150 m\", inside = \"building\"");
        format!("[[ue]]\nname = \"inside-{n}\"\nplace = {{ {at} }}\n")
    };
    let inside: String = (0..others).map(ue).collect();
    format!(
        "duration = \"1500 ms\"\n[network]\nsites = 1\nwrap_around = false\ncarrier = \"800 MHz\"\n{handover}\n\
         [[carrier]]\nname = \"high\"\nrole = \"cells\"\nfrequency = \"2.6 GHz\"\noffset = \"8.2 dB\"\n\
         resource_blocks = 25\n\
         [[ue]]\nname = \"outside\"\nplace = {{ x = \"120 m\", y = \"70 m\", inside = \"outdoors\" }}\n{}{FLOWS}",
        inside
    )
}

#[test]
fn carriers_do_not_disturb_each_other() {
    let (alone, facts) = seen(&layers(0, ""), 0, 1);
    // 20 lg (2.6 / 0.8) is 10.2 dB. In half as many resource blocks each element has 3 dB more, so 7.2 dB are left. That is
    // less than the offset: the UE outdoors is on the further carrier, whose cells are 3 to 5. Walls take at least 1.9 dB
    // more there.
    assert_eq!(
        facts.cells.iter().map(|cell| &*cell.name).collect::<Vec<_>>(),
        ["cell-0", "cell-1", "cell-2", "high-0", "high-1", "high-2"]
    );
    assert_eq!(facts.cells[3].resource_blocks, 25);
    assert!(alone.cells.iter().all(|cell| *cell >= 3) && alone.blocks.len() > 2_000);
    let (beside, facts) = seen(&layers(12, ""), 0, 1);
    let cells: Vec<usize> = facts.ues.iter().filter_map(|ue| Some(ue.cell?.index())).collect();
    assert!(cells[0] >= 3 && cells[1..].iter().all(|cell| *cell < 3), "{cells:?}");
    assert!(beside.bytes.iter().skip(2).sum::<u64>() > 1_000_000);
    assert!(alone.blocks == beside.blocks, "UEs of another carrier have changed blocks");
}

/// Eight cars at 120 km/h between carriers, with an event that most often prefers the other one.
const DRIVE: &str = "duration = \"6 s\"\n[network]\nsites = 7\ncarrier = \"2.6 GHz\"\n[network.handover]\n\
     error = \"2 dB\"\n[network.handover.inter_frequency]\nevent = { kind = \"a4\", threshold = -95, time_to_trigger = \"0 ms\" }\n\
     [[carrier]]\nname = \"low\"\nrole = \"cells\"\nfrequency = \"800 MHz\"\nresource_blocks = 25\n\
     [[ue]]\nname = \"car\"\ncount = 8\nroute = { kind = \"straight\", speed = \"120 km/h\" }\n";

#[test]
fn handovers_between_carriers_do_not_depend_on_the_number_of_threads() {
    let text = format!("{DRIVE}{FLOWS}");
    let [one, three] = [1, 3].map(|threads| seen(&text, 0, threads).0);
    let between = one.handovers.iter().filter(|one| one.inter_frequency).count();
    assert!(between > 5, "{between} of {}", one.handovers.len());
    assert!(one.blocks == three.blocks && one.handovers == three.handovers);
    for record in &one.handovers {
        // Cells 0 to 20 are at 2.6 GHz.
        let reached = record.reached.unwrap_or(record.target);
        assert_eq!(record.inter_frequency, (record.source.index() < 21) != (reached.index() < 21));
    }
}

#[test]
fn a_run_counts_gaps_and_handovers_between_carriers() {
    let outcome = run(&parse(&format!("{DRIVE}{FLOWS}")), RunOptions::default()).expect("a run");
    let all = outcome.summary.events.handovers.clone().expect("handovers");
    let own = all.carriers.clone().expect("carriers");
    // Gaps of 6 ms each 40 ms; the last of a UE may be missing, and with handovers some more.
    assert!(own.gaps > 8 * 100 && own.gaps <= 8 * 150, "{}", own.gaps);
    assert!((own.gaps_s - 0.006 * own.gaps as f64).abs() < 1e-9);
    assert!(own.handovers > 5 && own.handovers <= all.handovers);
    let words = format!("{} of them to another carrier", own.handovers);
    assert!(all.sentence().contains(&words), "{}", all.sentence());
    let metric = |name: &str| {
        let found = outcome
            .collector
            .metrics(&outcome.summary)
            .into_iter()
            .find(|metric| metric.name == name);
        found.expect(name).value
    };
    let expected = own.gaps_s / (8.0 * 6.0);
    assert!((metric("measurement_gap_share") - expected).abs() < 1e-12);
    assert!(
        (metric("handover_inter_frequency_share") - own.handovers as f64 / all.handovers as f64)
            .abs()
            < 1e-12
    );
}

#[test]
fn directions_of_a_ue_end_with_its_cell() {
    // A UE is in one cell at a time, in both directions.
    let (seen, _) = seen(&format!("{DRIVE}{FLOWS}"), 3, 1);
    let of = |direction: Direction| {
        let word = format!("{direction:?}");
        seen.blocks.iter().filter(move |block| block.contains(&word)).count()
    };
    assert!(of(Direction::Downlink) > 500 && of(Direction::Uplink) > 500);
}

#[test]
fn a_survey_has_the_strongest_cell_of_all_carriers() {
    // With half as many resource blocks 800 MHz has 3 dB more. Within both breakpoint distances (TR 38.901, table 7.4.1-1)
    // its loss is less by 20 lg (2.6 / 0.8) = 10.2 dB, behind both by (20 - 18) lg (2.6 / 0.8) = 1.0 dB.
    for (offset, low) in [("-3 dB", true), ("-17 dB", false)] {
        let text = format!("{DRIVE}{FLOWS}").replace(
            "resource_blocks = 25",
            &format!("resource_blocks = 25\noffset = \"{offset}\""),
        );
        let times = (0..6).map(|second| Time::from_millis(1_000 * second));
        let points = survey(&parse(&text), Seed(1), 2, times).expect("a survey");
        assert_eq!(points.len(), 6);
        for point in points {
            assert_eq!(point.cell >= 21, low, "{offset}: {point:?}");
            assert!(point.rsrp_dbm < -40.0 && point.reach.iter().all(|way| way.mcs.is_some()));
        }
    }
}
