//! Secondary cells of UEs that go from cell to cell, in whole runs.

use airpath_base::{CellId, Time};
use airpath_net::{Handover, SecondaryEnd, SecondaryStay};
use airpath_scenario::Scenario;
use airpath_sim::{Outcome, RunOptions, run};

/// Cells of seven sites.
const CELLS: u16 = 21;

fn outcome(text: &str, threads: usize) -> Outcome {
    let scenario = Scenario::parse("s.toml", text, &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let options = RunOptions { threads, ..RunOptions::default() };
    run(&scenario, options).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Four cars through seven sites with a carrier of secondary cells.
fn cars(cell: &str, handover: &str, carrier: &str) -> String {
    format!(
        "duration = \"8 s\"\n[network]\nsites = 7\n[network.handover]\n\
         event = {{ kind = \"a3\", hysteresis = \"1 dB\", time_to_trigger = \"40 ms\" }}\n{handover}\n\
         [cell]\n{cell}\n[[carrier]]\nname = \"low\"\nfrequency = \"800 MHz\"\n{carrier}\n\
         [[ue]]\nname = \"car\"\ncount = 4\nplace = {{ x = \"-200 m\", y = \"30 m\" }}\n\
         route = {{ kind = \"straight\", speed = \"120 km/h\", heading = \"0 deg\", spacing = \"60 m\" }}\n\
         [[flow]]\nname = \"down\"\nkind = \"tcp\"\ndirection = \"down\"\n"
    )
}

const LTE: &str = "resource_blocks = 25";
const NR: &str = "technology = \"nr\"\nbandwidth = \"10 MHz\"";

fn stays(run: &Outcome, ue: u32) -> Vec<SecondaryStay> {
    run.collector.secondary_stays().filter(|stay| stay.ue.0 == ue).copied().collect()
}

/// Handovers and re-establishments in another cell.
fn handovers(run: &Outcome, ue: u32) -> Vec<Handover> {
    let arrived = |one: &&Handover| one.ue.0 == ue && one.completed.is_some();
    run.collector.handovers().filter(arrived).cloned().collect()
}

#[test]
fn secondary_cells_are_those_of_the_serving_cell() {
    for cell in [LTE, NR] {
        let run = outcome(&cars(cell, "", ""), 1);
        let (mut moved, mut same) = (0, 0);
        for ue in 0..4 {
            let (all, ways) = (stays(&run, ue), handovers(&run, ue));
            assert_eq!(all[0].added, Time::ZERO);
            for pair in all.windows(2) {
                let (before, after) = (pair[0], pair[1]);
                let (end, why) = before.ended.expect("an end");
                let Some(way) = ways.iter().find(|way| way.completed == Some(after.added)) else {
                    // A re-establishment in the same cell.
                    assert_eq!((before.cell, why), (after.cell, SecondaryEnd::Failure));
                    same += 1;
                    continue;
                };
                // The secondary cell of each cell has its number behind those of all.
                let reached = way.reached.expect("a cell");
                let beside = |cell: CellId| CellId(CELLS + cell.0);
                assert_eq!([before.cell, after.cell], [way.source, reached].map(beside));
                let left = match why {
                    SecondaryEnd::Handover => way.command_received,
                    _ => way.failed,
                };
                assert_eq!(left, Some(end), "{why:?}");
                moved += 1;
            }
        }
        assert!(moved > 4, "{moved}");
        let own = run.summary.events.handovers.as_ref().expect("handovers");
        let own = own.secondary_cells.as_ref().expect("secondary cells");
        assert_eq!((own.added, own.handover + own.link_failed), (4 + moved + same, moved + same));
        let low = run.summary.cells[usize::from(CELLS)..].iter();
        assert!(low.filter(|cell| cell.down.transmissions > 0).count() > 3);
    }
}

/// Event A6 before the handover, between sites.
const A6: &str = "[network.handover.secondary]\nother_sites = true\n\
                  a6 = { offset = \"-1 dB\", hysteresis = \"0 dB\", time_to_trigger = \"0 ms\" }";

#[test]
fn threads_decide_nothing_about_guests() {
    let text = cars(LTE, A6, "activation = \"always\"");
    let of = |threads: usize| {
        let run = outcome(&text, threads);
        let changed = run.summary.events.handovers.as_ref().unwrap();
        let changed = changed.secondary_cells.as_ref().unwrap().changed;
        let stays: Vec<SecondaryStay> = run.collector.secondary_stays().copied().collect();
        (changed, format!("{:?} {stays:?}", run.summary))
    };
    let first = of(1);
    assert!(first.0 > 3, "{}", first.0);
    assert!(of(1) == first && of(2) == first && of(3) == first);
}

#[test]
fn without_other_sites_a_secondary_cell_is_one_of_the_site() {
    let sites = |text: &str| {
        let run = outcome(text, 1);
        let all = run.collector.secondary_stays();
        let changed =
            all.filter(|stay| stay.ended.is_some_and(|(_, why)| why == SecondaryEnd::Change));
        let changed: Vec<SecondaryStay> = changed.copied().collect();
        let site = |cell: CellId| (cell.0 - CELLS) / 3;
        let next = |stay: &SecondaryStay| {
            let at = stay.ended.unwrap().0;
            let mut later = run.collector.secondary_stays().filter(|own| own.ue == stay.ue);
            later.find(|own| own.added > at).map(|own| own.cell)
        };
        let ways = changed.iter().filter_map(|stay| Some((site(stay.cell), site(next(stay)?))));
        ways.filter(|(from, to)| from != to).count()
    };
    assert!(sites(&cars(LTE, A6, "")) > 0);
    assert_eq!(sites(&cars(LTE, &A6.replace("true", "false"), "")), 0);
}
