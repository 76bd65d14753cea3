//! The flows as a Parquet table: a row for each, a column for each value, those of the
//! two directions named `up_…` and `down_…`.

use airpath_analyse::{Direction, FlowRecord, LimitedBy, Spread};
use airpath_results::Table;

/// A table of flows.
pub fn flows(rows: &[FlowRecord]) -> Table {
    let each = || rows.iter();
    let nanos = |row: &FlowRecord| i64::try_from(row.start.as_nanos()).unwrap_or(i64::MAX);
    let table = Table::new()
        .utf8("client", each().map(|row| row.client.addr.to_string()))
        .u64("client_port", each().map(|row| row.client.port.into()))
        .utf8("server", each().map(|row| row.server.addr.to_string()))
        .u64("server_port", each().map(|row| row.server.port.into()))
        .utf8("protocol", each().map(|row| row.protocol.name()))
        .i64("start_ns", each().map(nanos))
        .f64("duration_s", each().map(|row| row.duration_s))
        .utf8("end_reason", each().map(|row| row.end_reason.name()))
        .optional_f64("delayed_fin_s", each().map(|row| row.delayed_fin_s))
        .optional_f64(
            "handshake_rtt_client_side_ms",
            each().map(|row| row.handshake_rtt_ms.client_side),
        )
        .optional_f64(
            "handshake_rtt_server_side_ms",
            each().map(|row| row.handshake_rtt_ms.server_side),
        )
        .optional_f64("promotion_delay_ms", each().map(|row| row.promotion_delay_ms));
    let up: Vec<&Direction> = each().map(|row| &row.up).collect();
    let down: Vec<&Direction> = each().map(|row| &row.down).collect();
    direction(direction(table, "up", &up), "down", &down)
}

/// A column, and where its values come from.
type Column<T> = (&'static str, fn(&Direction) -> T);

/// Counters of a direction.
const COUNTS: [Column<u64>; 14] = [
    ("packets", |d| d.packets),
    ("bytes", |d| d.bytes),
    ("payload_bytes", |d| d.payload_bytes),
    ("retransmissions", |d| d.retransmissions),
    ("fast_retransmissions", |d| d.fast_retransmissions),
    ("timeout_retransmissions", |d| d.timeout_retransmissions),
    ("spurious_retransmissions", |d| d.spurious_retransmissions),
    ("duplicate_acks", |d| d.duplicate_acks),
    ("out_of_order", |d| d.out_of_order),
    ("zero_windows", |d| d.zero_windows),
    ("window_full", |d| d.window_full),
    ("undesired_slow_starts", |d| d.undesired_slow_starts),
    ("preventable_slow_starts", |d| d.preventable_slow_starts),
    ("rtt_samples", |d| d.rtt_ms.map_or(0, |rtt| rtt.samples)),
];

/// Values of a direction that may be missing.
const VALUES: [Column<Option<f64>>; 16] = [
    ("rate_bps", |d| d.rate_bps),
    ("rtt_min_ms", |d| rtt(d, |rtt| rtt.min)),
    ("rtt_p50_ms", |d| rtt(d, |rtt| rtt.p50)),
    ("rtt_mean_ms", |d| rtt(d, |rtt| rtt.mean)),
    ("rtt_p99_ms", |d| rtt(d, |rtt| rtt.p99)),
    ("rtt_max_ms", |d| rtt(d, |rtt| rtt.max)),
    ("most_in_flight_bytes", |d| d.most_in_flight_bytes.map(|n| n as f64)),
    ("receive_window_least_bytes", |d| d.receive_window_bytes.map(|[least, _]| least as f64)),
    ("receive_window_most_bytes", |d| d.receive_window_bytes.map(|[_, most]| most as f64)),
    ("timestamp_period_ms", |d| d.timestamp_period_ms),
    ("timestamp_period_error", |d| d.timestamp_period_error),
    ("bandwidth_bps", |d| d.bandwidth_bps),
    ("limited_by_receive_window", |d| limit(d, |by| by.receive_window)),
    ("limited_by_application", |d| limit(d, |by| by.application)),
    ("limited_by_congestion_window", |d| limit(d, |by| by.congestion_window)),
    ("limited_by_loss", |d| limit(d, |by| by.loss)),
];

fn direction(table: Table, name: &str, rows: &[&Direction]) -> Table {
    let table = COUNTS.iter().fold(table, |table, (column, get)| {
        table.u64(&format!("{name}_{column}"), rows.iter().map(|row| get(row)))
    });
    VALUES.iter().fold(table, |table, (column, get)| {
        table.optional_f64(&format!("{name}_{column}"), rows.iter().map(|row| get(row)))
    })
}

fn rtt(direction: &Direction, get: impl Fn(&Spread) -> f64) -> Option<f64> {
    direction.rtt_ms.as_ref().map(get)
}

fn limit(direction: &Direction, get: impl Fn(&LimitedBy) -> f64) -> Option<f64> {
    direction.limited_by.as_ref().map(get)
}
