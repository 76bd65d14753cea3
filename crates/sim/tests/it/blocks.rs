//! Recorded transport blocks against what is counted otherwise, and against stages of packets.

use std::collections::BTreeMap;

use airpath_results::{Table, TableReader};
use airpath_scenario::{Scenario, template};
use airpath_sim::{RunOptions, run};

/// A column of integers; -1 where it is empty.
fn numbers(table: &Table, name: &str) -> Vec<i64> {
    let values = table.integers(name).expect("a column").into_iter();
    values.map(|value| value.unwrap_or(-1)).collect()
}

#[test]
fn blocks_agree_with_totals_and_with_the_stages_of_their_packets() {
    let set = ["duration=\"1500 ms\"", "output.blocks=\"all\""].map(str::to_owned);
    let text = template("l4s-cell").expect("a template").text;
    let scenario = Scenario::parse("s.toml", text, &set).expect("a scenario");
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let options = RunOptions { out: Some(&out), ..RunOptions::default() };
    let outcome = run(&scenario, options).expect("a run");
    let table = |name: &str| {
        let reader = TableReader::open(&out.join(name)).expect("a file");
        reader.all().expect("a table")
    };
    let (blocks, carried) = (table("blocks.parquet"), table("carried.parquet"));
    let packets = table("journeys.parquet");
    let fates = blocks.texts("fate").expect("fates");
    let ways = blocks.texts("direction").expect("directions");
    let resource_blocks = numbers(&blocks, "resource_blocks");
    let cell = &outcome.summary.cells[0];
    for (way, radio) in [("down", &cell.down), ("up", &cell.up)] {
        let own = || (0..ways.len()).filter(|&n| ways[n] == Some(way) && fates[n].is_some());
        assert_eq!(own().count() as u64, radio.transmissions, "{way}");
        let used: i64 = own().map(|n| resource_blocks[n]).sum();
        assert_eq!(used as u64, radio.resource_blocks, "{way}");
    }
    // Times of each block: filled, first decoded and decoded at last.
    let (attempts, block) = (numbers(&blocks, "attempt"), numbers(&blocks, "block"));
    let (sent, received) = (numbers(&blocks, "sent_ns"), numbers(&blocks, "received_ns"));
    let mut times: BTreeMap<i64, [i64; 3]> = BTreeMap::new();
    for n in 0..block.len() {
        let entry = times.entry(block[n]).or_insert([sent[n], received[n], 0]);
        if fates[n] == Some("decoded") {
            entry[2] = received[n];
        }
        assert_eq!(attempts[n] == 0, entry[0] == sent[n]);
    }
    let (ids, bytes) = (numbers(&carried, "packet"), numbers(&carried, "bytes"));
    let (of, sizes) = (numbers(&carried, "block"), numbers(&carried, "packet_bytes"));
    let mut ways: BTreeMap<i64, (i64, i64, i64)> = BTreeMap::new();
    for n in (0..ids.len()).filter(|&n| ids[n] >= 0) {
        let way = ways.entry(ids[n]).or_insert((0, sizes[n], 0));
        *way = (way.0 + bytes[n], sizes[n], of[n]);
    }
    let stage = |name: &str| numbers(&packets, name);
    let [radio, harq, arq] = ["radio_ns", "harq_ns", "arq_ns"].map(stage);
    let ended = numbers(&packets, "id");
    let delivered = packets.truths("delivered").expect("truths");
    let mut judged = 0;
    for n in (0..ended.len()).filter(|&n| delivered[n] == Some(true) && arq[n] == 0) {
        let (all, size, last) = ways[&ended[n]];
        assert_eq!(all, size, "the blocks of packet {} carry it", ended[n]);
        let [filled, first, decoded] = times[&last];
        if harq[n] == 0 && first == decoded {
            assert_eq!(radio[n], first - filled, "packet {}", ended[n]);
            judged += 1;
        }
    }
    assert!(judged > 1_000, "{judged} packets judged");
}
