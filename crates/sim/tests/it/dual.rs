//! Dual connectivity of LTE with NR in whole runs.

use airpath_base::Direction;
use airpath_results::LegSummary;
use airpath_scenario::{Scenario, templates};
use airpath_sim::{Outcome, RunOptions, run};

fn outcome(text: &str, overrides: &[&str]) -> Outcome {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let scenario = Scenario::parse("s.toml", text, &overrides);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).unwrap_or_else(|failure| panic!("{failure}"))
}

fn legs(run: &Outcome) -> &LegSummary {
    let all = run.summary.events.handovers.as_ref().expect("handovers");
    all.legs.as_ref().expect("dual connectivity")
}

/// A UE near to its site, with an anchor of so many resource blocks and a leg of 20 MHz, and a transfer in a direction.
fn near(blocks: u32, keys: &str, direction: Direction) -> String {
    let way = if direction == Direction::Downlink { "down" } else { "up" };
    format!(
        "duration = \"3 s\"\n[path.sgi]\nrate = \"10 Gbit/s\"\ndelay = \"2 ms\"\nqueue = \"unlimited\"\n\
         [cell]\nresource_blocks = {blocks}\n[network]\nlayout = \"given\"\ncarrier = \"1.8 GHz\"\n\
         [[network.site]]\nx = \"0 m\"\ny = \"0 m\"\nsectors = [\"0 deg\"]\n\
         [[network.site]]\nx = \"5000 m\"\ny = \"0 m\"\nsectors = [\"180 deg\"]\n\
         [network.handover]\n[network.dual_connectivity]\naddition = {{ threshold = -120 }}\n\
         [[carrier]]\nname = \"nr\"\nrole = \"leg\"\nfrequency = \"3.5 GHz\"\nbandwidth = \"20 MHz\"\n\
         [[ue]]\nname = \"car\"\nplace = {{ x = \"150 m\", y = \"20 m\", inside = \"outdoors\" }}\n\
         route = {{ kind = \"straight\", speed = \"0.1 km/h\", heading = \"0 deg\" }}\n\
         [[bearer]]\ndefault = true\nrlc = \"am\"\nqueue = \"unlimited\"\n{keys}\n\
         [[flow]]\nname = \"all\"\nkind = \"tcp\"\ndirection = \"{way}\"\n[output]\nwarm_up = \"1500 ms\"\n"
    )
}

#[test]
fn a_split_bearer_has_the_sum_of_both_rates() {
    // A slot of 0.5 ms has 51 resource blocks. Each has at most 144 resource elements downlink, without the symbols of control
    // and of reference signals, and 156 uplink. They carry 8 bits with 256QAM and 6 bits with 64QAM at a code rate of 948/1024
    // (TS 38.214, 5.1.3.2 and tables 5.1.3.1-1 and -2). Headers and retransmissions take 10% at most.
    for (direction, elements, bits) in
        [(Direction::Downlink, 144.0, 8.0), (Direction::Uplink, 156.0, 6.0)]
    {
        let most = 51.0 * elements * bits * 948.0 / 1024.0 * 2_000.0;
        let rate = |blocks: u32, keys: &str| {
            let run = outcome(&near(blocks, keys, direction), &[]);
            run.summary.flows[0].goodput_bps.expect("a goodput")
        };
        let of_leg =
            |blocks| rate(blocks, "split_threshold = \"1 kB\"") - rate(blocks, "split = false");
        let [beside_little, beside_much] = [6, 75].map(of_leg);
        assert!(
            (0.9 * most..most).contains(&beside_little),
            "{direction:?} {beside_little} {most}"
        );
        let ratio = beside_much / beside_little;
        assert!((0.99..1.01).contains(&ratio), "{direction:?} {beside_little} {beside_much}");
    }
}

#[test]
fn below_the_threshold_uplink_data_take_the_leg_alone() {
    let used = |keys: &str| {
        let run = outcome(&near(25, keys, Direction::Uplink), &["output.warm_up=0 s"]);
        assert_eq!(legs(&run).added, 1);
        // Cells 0 and 1 are anchors, 2 and 3 legs.
        [0, 2].map(|cell| run.summary.cells[cell].up.throughput_bps.unwrap_or(0.0))
    };
    // Before the leg is there, the anchor carries the begin of the transfer.
    let [anchor, leg] = used("");
    assert!(anchor < 0.1 * leg, "{anchor} {leg}");
    let [anchor, leg] = used("primary_path = \"anchor\"");
    // RLC of the leg acknowledges ACKs of TCP, which go downlink by the leg.
    assert!(leg < 0.01 * anchor, "{anchor} {leg}");
}

#[test]
fn the_template_adds_changes_and_ends_legs() {
    let template = templates().iter().find(|own| own.name == "en-dc").expect("a template");
    let of = |overrides: &[&str]| outcome(template.text, overrides);
    let run = of(&["duration=10 s"]);
    let own = legs(&run);
    assert!(own.added > 5 && own.anchor_left > 0 && own.legs_s > 10.0, "{own:?}");
    let rows = run.collector.leg_changes().count() as u64;
    let failed = own.link_failed + own.t304_expired + own.command_lost;
    assert_eq!(rows, own.added + own.changed + own.released + own.anchor_left + failed);
    let sentence = run.summary.events.handovers.as_ref().expect("handovers").sentence();
    assert!(sentence.contains(&format!("; legs: {} added", own.added)), "{sentence}");
    // Above the level of each cell no leg is added, and the cells of NR carry nothing.
    let alone = of(&["duration=3 s", "network.dual_connectivity.addition.threshold=-32"]);
    assert_eq!((legs(&alone).added, legs(&alone).legs_s), (0, 0.0));
    let blocks = alone.summary.cells[21..].iter().map(|cell| cell.down.transmissions).sum::<u64>();
    assert_eq!(blocks, 0);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let template = templates().iter().find(|own| own.name == "en-dc").expect("a template");
    let of = |threads: usize| {
        let scenario = Scenario::parse("s.toml", template.text, &["duration=3 s".to_owned()]);
        let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
        let options = RunOptions { threads, ..RunOptions::default() };
        let outcome = run(&scenario, options).unwrap_or_else(|failure| panic!("{failure}"));
        format!("{:?}", outcome.summary)
    };
    assert!(of(1) == of(2));
}

/// Packets of 200 bytes each 20 ms in a direction, with a leg behind the warm-up.
fn calls(keys: &str, way: &str) -> String {
    let text = near(25, keys, Direction::Downlink);
    let flow = format!(
        "kind = \"rtp\"\ndirection = \"{way}\"\n[flow.rtp]\npayload = \"160 B\"\ninterval = \"20 ms\"\n"
    );
    text.replace("kind = \"tcp\"\ndirection = \"down\"\n", &flow)
}

#[test]
fn duplication_gives_each_packet_the_first_of_both_paths() {
    let transport = "network.dual_connectivity.transport=\"1 ms\"";
    let of = |keys: &str| outcome(&calls(keys, "up"), &[transport]);
    let [anchor, leg] = ["primary_path = \"anchor\"", "primary_path = \"leg\""].map(of);
    let both = of("duplication = \"uplink\"");
    let delays =
        [&anchor, &leg, &both].map(|run| run.summary.flows[0].delay_ms.expect("delays").mean);
    assert!(delays[2] <= delays[0].min(delays[1]), "{delays:?}");
    // Each packet counts once: the run closes its books, and nothing is lost or comes twice.
    // From 1.5 s to 3 s they are one each 20 ms, with both ends.
    for run in [&anchor, &leg, &both] {
        let flow = &run.summary.flows[0];
        assert_eq!((flow.sent_packets, flow.lost_packets), (76, 0));
    }
    assert_eq!(legs(&leg).duplicated_packets, None);
    let own = legs(&both);
    let copies = own.withdrawn_copies.expect("copies") + own.needless_copies.expect("copies");
    assert!((75..=77).contains(&own.duplicated_packets.expect("packets")), "{own:?}");
    assert!(copies.abs_diff(own.duplicated_packets.expect("packets")) <= 2, "{own:?}");
    // Resource blocks are those of both paths. Cells 0 and 1 are anchors, 2 and 3 legs.
    let blocks = |run: &Outcome| [0, 2].map(|n| run.summary.cells[n].up.transmissions);
    assert!(
        blocks(&both)[0] >= blocks(&anchor)[0] / 2 && blocks(&both)[1] > 10 + blocks(&anchor)[1]
    );
}
