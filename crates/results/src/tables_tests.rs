use std::path::Path;

use airpath_base::Duration;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::*;
use crate::Options;
use crate::summarise::tests::{facts, run};

fn read(path: &Path) -> Vec<String> {
    let file = std::fs::File::open(path).expect("the file just written");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| row.expect("a row").to_string()).collect()
}

fn options() -> Options {
    let series = Some(Duration::from_millis(50));
    Options { packets: 10, series, ..Options::default() }
}

#[test]
fn every_table_has_its_rows() {
    let collector = run(&options());
    let summary = collector.summary(facts());
    assert_eq!(flows(&summary).rows(), 2);
    assert_eq!(cells(&summary).rows(), 2);
    assert_eq!(ues(&summary).rows(), 2);
    assert_eq!(bearers(&summary).rows(), 2);
    assert_eq!(links(&summary).rows(), 1);
    assert_eq!(series(&collector).rows(), collector.series().len());
    assert!(flows(&summary).columns().any(|name| name == "rlc_ms"));
}

#[test]
fn packets_declared_lost_are_columns_where_there_is_media() {
    let mut summary = run(&options()).summary(facts());
    let names = |summary: &RunSummary| flows(summary).columns().count();
    let without = names(&summary);
    // A folder of an earlier version lacks both counts.
    let none = serde_json::json!({"mean": null, "min": null, "max": null, "stddev": null,
        "stddev_sample": null, "p50": null, "p95": null, "p99": null});
    let earlier = serde_json::json!({"frames": 60, "key_frames": 1, "frames_complete": 60,
        "frames_lost": 0, "frames_late": 0, "frame_delay_ms": none, "rtp_queue_ms": none,
        "network_queue_ms": none, "discarded_packets": 4, "target_bps": null});
    let mut media: crate::MediaSummary = serde_json::from_value(earlier).expect("a summary");
    assert_eq!((media.declared_lost_packets, media.declared_lost_arrived_packets), (0, 0));
    (media.declared_lost_packets, media.declared_lost_arrived_packets) = (7, 5);
    summary.flows[1].media = Some(media);
    assert_eq!(names(&summary), without + 6);
    let of = |name: &str| flows(&summary).integers(name).expect("a column");
    assert_eq!(of("declared_lost_packets"), [None, Some(7)]);
    assert_eq!(of("declared_lost_arrived_packets"), [None, Some(5)]);
}

#[test]
fn connections_are_columns_where_there_is_quic() {
    let mut summary = run(&options()).summary(facts());
    let without = flows(&summary).columns().count();
    let quic = serde_json::json!({"connections": 2, "handshake_ms": 61.5, "handshake_max_ms": 63.0,
        "streams": 9, "declared_lost_packets": 7, "spurious_packets": null, "blocked_frames": 3,
        "failed": null});
    summary.flows[0].quic = Some(serde_json::from_value(quic).expect("a summary"));
    let table = flows(&summary);
    assert_eq!(table.columns().count(), without + 7);
    let integers = |name: &str| table.integers(name).expect("a column");
    assert_eq!(integers("connections"), [Some(2), None]);
    assert_eq!(integers("streams"), [Some(9), None]);
    assert_eq!(integers("declared_lost_packets"), [Some(7), None]);
    assert_eq!(integers("spurious_packets"), [None, None]);
    assert_eq!(integers("blocked_frames"), [Some(3), None]);
    let numbers = |name: &str| table.numbers(name).expect("a column");
    assert_eq!(numbers("handshake_ms"), [Some(61.5), None]);
    assert_eq!(numbers("handshake_max_ms"), [Some(63.0), None]);
}

#[test]
fn tables_as_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let collector = run(&options());
    let summary = collector.summary(facts());
    flows(&summary).write_parquet(path("flows")).expect("written");
    cells(&summary).write_parquet(path("cells")).expect("written");
    ues(&summary).write_parquet(path("ues")).expect("written");
    bearers(&summary).write_parquet(path("bearers")).expect("written");
    links(&summary).write_parquet(path("links")).expect("written");
    series(&collector).write_parquet(path("series")).expect("written");
    write_packets(&collector, path("packets")).expect("written");
    let all = ["flows", "cells", "ues", "bearers", "links", "series", "packets"];
    let rows = all.map(|name| format!("{name}\n{}\n", read(&path(name)).join("\n")));
    insta::assert_snapshot!(rows.concat());
}
