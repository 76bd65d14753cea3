use airpath_net::{Event, Probe, Stage};
use airpath_wire::{Endpoint, Protocol, Tuple};

use std::path::PathBuf;

use super::*;
use crate::{FlowInfo, Options, TableReader};

/// A collector after each of some packets has ended.
fn after(
    packets: usize,
    options: &Options,
    file: Option<PathBuf>,
    look: &mut dyn FnMut(&Collector),
) -> Collector {
    let flows = vec![FlowInfo { name: "audio".into(), ..FlowInfo::default() }];
    let mut c = Collector::new(Inventory { flows, ..Inventory::default() }, options);
    file.into_iter().for_each(|file| c.write_packets(file.into()));
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    let tuple = Tuple { src: end(1), dst: end(2), protocol: Protocol::UDP };
    for n in 0..packets as u64 {
        let mut packet = Packet::new(FlowId(0), Leg::Data, 200, tuple, Time::from_nanos(n));
        (packet.id, packet.number) = (n, n);
        packet.charge(Stage::Rlc, Time::from_nanos(n + 1000 + n % 7));
        c.on(packet.stages.until(), NodeId(0), &Event::Consumed(&packet));
        look(&c);
    }
    c
}

#[test]
fn rows_that_wait_are_a_group_at_most_and_the_file_is_that_of_rows_that_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let [streamed, kept] = ["streamed", "kept"].map(|name| folder.path().join(name));
    let options = Options { packets: 2 * GROUP + 5, ..Options::default() };
    let mut most = 0;
    let mut look = |c: &Collector| most = most.max(c.packets().len());
    let mut c = after(2 * GROUP + 7, &options, Some(streamed.clone()), &mut look);
    assert_eq!((most, c.packets().len(), c.packets_omitted()), (GROUP - 1, 5, 2));
    assert!(c.packets.rows.capacity() <= GROUP);
    c.close_packets().expect("written");
    let reader = TableReader::open(&streamed).expect("a table");
    assert_eq!((reader.parts(), reader.rows()), (3, 2 * GROUP + 5));
    let c = after(2 * GROUP + 7, &options, None, &mut |_| {});
    assert_eq!((c.packets().len(), c.packets_omitted()), (2 * GROUP + 5, 2));
    tables::write_packets(&c, &kept).expect("written");
    let [streamed, kept] = [streamed, kept].map(|path| std::fs::read(path).expect("a file"));
    assert!(streamed == kept, "the same bytes");
}

#[test]
fn a_run_without_packets_leaves_no_file_and_a_failure_is_reported_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { packets: 10, ..Options::default() };
    let none = folder.path().join("none");
    after(0, &options, Some(none.clone()), &mut |_| {}).close_packets().expect("nothing to do");
    assert!(!none.exists());
    let nowhere = folder.path().join("no folder").join("packets");
    let failed = after(1, &options, Some(nowhere), &mut |_| {}).close_packets();
    assert!(matches!(failed, Err(TableError::Io(_))), "{failed:?}");
}
