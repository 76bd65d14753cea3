//! Flows, hosts and windows of bandwidth as Parquet tables, with a row for each. Each value has a
//! column; those of the two directions begin with `up_` and `down_`.

use airpath_analyse::{
    Bottleneck, Cause, Causes, Content, Direction, DscpCount, EcnReports, Evidence, FlowRecord,
    Frames, Gaps, HostRecord, Hypothesis, Note, PeriodicRequests, Quic, RadioUse, RtpStream,
    RttSource, Sign, Spread, Tunnel, Window,
};
use airpath_base::Time;
use airpath_plot::figure;
use airpath_results::Table;

/// A table of flows.
pub fn flows(rows: &[FlowRecord]) -> Table {
    let each = || rows.iter();
    let table = Table::new()
        .u64("number", each().map(|row| row.number))
        .utf8("client", each().map(|row| row.client.addr.to_string()))
        .u64("client_port", each().map(|row| row.client.port.into()))
        .utf8("server", each().map(|row| row.server.addr.to_string()))
        .u64("server_port", each().map(|row| row.server.port.into()))
        .utf8("protocol", each().map(|row| row.protocol.name()))
        .optional_utf8("tunnels", each().map(|row| tunnels(&row.tunnels)))
        .utf8("application", each().map(|row| row.application.name()))
        .optional_utf8("server_name", each().map(|row| row.server_name.as_deref()))
        .optional_utf8("alpn", each().map(|row| together(&row.alpn)))
        .optional_i64("start_ns", each().map(|row| row.start.map(nanos)))
        .optional_f64("duration_s", each().map(|row| row.duration_s))
        .optional_f64("longest_gap_s", each().map(|row| row.longest_gap_s))
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
        .optional_f64("idle_before_s", each().map(|row| row.idle_before_s))
        .optional_f64("promotion_delay_ms", each().map(|row| row.promotion_delay_ms))
        .optional_utf8("signs", each().map(|row| signs(&row.signs)));
    let verdict = || each().map(|row| row.verdict.as_ref());
    let ecn = || each().map(|row| row.ecn.as_ref());
    let table = table
        .optional_utf8("ecn_asked", ecn().map(|ecn| Some(ecn?.asked?.name())))
        .optional_utf8("ecn_answered", ecn().map(|ecn| Some(ecn?.answered?.name())));
    let table = quic(names(table, rows), rows)
        .optional_utf8("verdict", verdict().map(|verdict| Some(verdict?.cause.name())))
        .optional_utf8("sentence", verdict().map(|verdict| Some(verdict?.sentence.as_str())));
    let hypotheses: Vec<Option<String>> =
        verdict().map(|verdict| verdict.map(|verdict| explained(&verdict.hypotheses))).collect();
    let likelihood = verdict().map(|verdict| Some(verdict?.hypotheses.first()?.likelihood));
    let table = table
        .optional_f64("likelihood", likelihood)
        .optional_utf8("hypotheses", hypotheses.iter().map(Option::as_deref));
    let up: Vec<&Direction> = each().map(|row| &row.up).collect();
    let down: Vec<&Direction> = each().map(|row| &row.down).collect();
    direction(direction(table, "up", &up), "down", &down)
}

/// Hypotheses with their likelihoods and evidence, as `bottleneck 0.95 (queue_ms 60, 0.1 to 4.3 s, packets 7 to 912)`.
fn explained(hypotheses: &[Hypothesis]) -> String {
    let evidence = |evidence: &Evidence| {
        let Evidence { measure, value, from_s, to_s, packets: [first, last] } = *evidence;
        format!(" ({measure} {value:.4}, {from_s:.3} to {to_s:.3} s, packets {first} to {last})")
    };
    let one = |hypothesis: &Hypothesis| {
        let evidence = hypothesis.evidence.as_ref().map(evidence).unwrap_or_default();
        format!("{} {:.2}{evidence}", hypothesis.cause.name(), hypothesis.likelihood)
    };
    hypotheses.iter().map(one).collect::<Vec<String>>().join("; ")
}

/// Signs of a radio with their measures, as `slots 1 ms (6 of 6); grant_cycle 5 ms (6 of 6)`.
fn signs(signs: &[Sign]) -> Option<String> {
    let one = |Sign { sign, ms, seen, of }: &Sign| {
        format!("{} {} ms ({seen} of {of})", sign.name(), figure(*ms))
    };
    (!signs.is_empty()).then(|| signs.iter().map(one).collect::<Vec<String>>().join("; "))
}

/// Counts and names of HTTP and DNS; missing where neither is seen.
fn names(table: Table, rows: &[FlowRecord]) -> Table {
    let count = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let http = || rows.iter().map(|row| row.http.as_ref());
    let dns = || rows.iter().map(|row| row.dns.as_ref());
    let mut table = table
        .optional_i64("http_requests", http().map(|http| Some(count(http?.requests))))
        .optional_i64("http_responses", http().map(|http| Some(count(http?.responses))))
        .optional_i64("http_errors", http().map(|http| Some(count(http?.errors))))
        .optional_i64("dns_queries", dns().map(|dns| Some(count(dns?.queries))))
        .optional_i64("dns_answers", dns().map(|dns| Some(count(dns?.answers))))
        .optional_i64("dns_retries", dns().map(|dns| Some(count(dns?.retries))))
        .optional_f64("dns_p50_ms", dns().map(|dns| Some(dns?.time_ms?.p50)));
    for class in Content::ALL {
        let name = |way| format!("http_{way}_{}_bytes", class.name());
        table = table
            .optional_i64(&name("up"), http().map(|http| Some(count(http?.up.of(class).bytes))))
            .optional_i64(
                &name("down"),
                http().map(|http| Some(count(http?.down.of(class).bytes))),
            );
    }
    table
}

/// Columns of QUIC; missing where it is not seen.
fn quic(table: Table, rows: &[FlowRecord]) -> Table {
    let quic = || rows.iter().map(|row| row.quic.as_ref());
    let packets = |quic: &Quic| i64::try_from(quic.zero_rtt_packets).unwrap_or(i64::MAX);
    table
        .optional_utf8("quic_versions", quic().map(|quic| together(&quic?.versions)))
        .optional_utf8("quic_offered_versions", quic().map(|q| together(&q?.offered_versions)))
        .optional_utf8("quic_outcome", quic().map(|quic| Some(quic?.outcome.name())))
        .optional_i64("quic_error", quic().map(|quic| quic?.error?.try_into().ok()))
        .optional_i64("quic_retry", quic().map(|quic| Some(quic?.retry.into())))
        .optional_f64("quic_handshake_s", quic().map(|quic| quic?.handshake_s))
        .optional_i64("quic_zero_rtt_packets", quic().map(|quic| Some(packets(quic?))))
}

/// Notes on a direction, as `duplicate_ack 12 (3 5); zero_window 1 (9)`: number, and numbers of packets.
pub fn notes(notes: &[Note]) -> Option<String> {
    let one = |Note { kind, count, packets }: &Note| {
        let packets: Vec<String> = packets.iter().map(u64::to_string).collect();
        format!("{} {count} ({})", kind.name(), packets.join(" "))
    };
    (!notes.is_empty()).then(|| notes.iter().map(one).collect::<Vec<_>>().join("; "))
}

/// Tunnels around a flow, the outermost first, as `vxlan 5 gre`.
pub fn tunnels(tunnels: &[Tunnel]) -> Option<String> {
    let id = |tunnel: &Tunnel| tunnel.id.map_or(String::new(), |id| format!(" {id}"));
    let one = |tunnel: &Tunnel| format!("{}{}", tunnel.kind.name(), id(tunnel));
    (!tunnels.is_empty()).then(|| tunnels.iter().map(one).collect::<Vec<_>>().join(" "))
}

/// Words in one column, parted by spaces.
fn together(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| words.join(" "))
}

/// Table of hosts. One column has the shares of time with one active flow, with two, and so on,
/// parted by spaces. Another has periodic requests: server, period in seconds and confidence.
pub fn hosts(rows: &[HostRecord]) -> Table {
    let each = || rows.iter();
    let table = Table::new()
        .utf8("address", each().map(|row| row.address.to_string()))
        .optional_i64("start_ns", each().map(|row| row.start.map(nanos)))
        .optional_f64("duration_s", each().map(|row| row.duration_s))
        .u64("flows", each().map(|row| row.flows))
        .u64("up_packets", each().map(|row| row.up.packets))
        .u64("up_bytes", each().map(|row| row.up.bytes))
        .u64("down_packets", each().map(|row| row.down.packets))
        .u64("down_bytes", each().map(|row| row.down.bytes))
        .optional_f64("timestamp_period_ms", each().map(|row| row.timestamp_period_ms))
        .optional_f64("timestamp_period_error", each().map(|row| row.timestamp_period_error));
    let delays = || each().map(|row| row.promotion_delay_ms.as_ref());
    let concurrent = || each().map(|row| row.concurrency.as_ref());
    let table = table
        .u64("promotion_delay_samples", delays().map(|delay| delay.map_or(0, |d| d.samples)))
        .optional_f64("promotion_delay_p25_ms", delays().map(|delay| delay.map(|d| d.p25)))
        .optional_f64("promotion_delay_p50_ms", delays().map(|delay| delay.map(|d| d.p50)))
        .optional_f64("promotion_delay_p75_ms", delays().map(|delay| delay.map(|d| d.p75)))
        .optional_f64("active_s", concurrent().map(|c| c.map(|c| c.active_s)))
        .optional_utf8("active_shares", concurrent().map(|c| c.map(|c| listed(&c.shares))))
        .utf8("periodic", each().map(|row| periodic(&row.periodic)));
    RADIO.iter().fold(table, |table, (column, get)| {
        table.optional_f64(column, each().map(|row| row.radio.as_ref().map(get)))
    })
}

/// Nanoseconds since 1970.
fn nanos(time: Time) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

/// A table of windows of bandwidth.
pub fn windows(rows: &[Window]) -> Table {
    let each = || rows.iter();
    Table::new()
        .utf8("client", each().map(|row| row.client.addr.to_string()))
        .u64("client_port", each().map(|row| row.client.port.into()))
        .utf8("server", each().map(|row| row.server.addr.to_string()))
        .u64("server_port", each().map(|row| row.server.port.into()))
        .i64("flow_start_ns", each().map(|row| nanos(row.flow_start)))
        .utf8("direction", each().map(|row| if row.up { "up" } else { "down" }))
        .optional_utf8("interface", each().map(|row| row.interface.as_deref()))
        .i64("start_ns", each().map(|row| nanos(row.start)))
        .f64("width_s", each().map(|row| row.width_s))
        .f64("used_bps", each().map(|row| row.used_bps))
        .optional_f64("available_bps", each().map(|row| row.available_bps))
        .bool("by_timestamps", each().map(|row| row.by_timestamps))
}

/// Values of a radio.
const RADIO: [Column<f64, RadioUse>; 13] = [
    ("radio_promotions", |r| r.promotions as f64),
    ("radio_idle_s", |r| r.time_s.idle),
    ("radio_promotion_s", |r| r.time_s.promotion),
    ("radio_active_s", |r| r.time_s.active),
    ("radio_short_drx_s", |r| r.time_s.short_drx),
    ("radio_long_drx_s", |r| r.time_s.long_drx),
    ("energy_idle_j", |r| r.energy_j.idle),
    ("energy_promotion_j", |r| r.energy_j.promotion),
    ("energy_active_j", |r| r.energy_j.active),
    ("energy_drx_j", |r| r.energy_j.drx),
    ("energy_up_j", |r| r.energy_j.up),
    ("energy_down_j", |r| r.energy_j.down),
    ("energy_total_j", |r| r.energy_j.total),
];

fn listed(shares: &[f64]) -> String {
    shares.iter().map(|share| format!("{share:.6}")).collect::<Vec<_>>().join(" ")
}

fn periodic(requests: &[PeriodicRequests]) -> String {
    let one = |r: &PeriodicRequests| format!("{} {:.3} {:.6}", r.server, r.period_s, r.confidence);
    requests.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// A column, and where its values come from.
type Column<T, R = Direction> = (&'static str, fn(&R) -> T);

/// Counters of a direction.
const COUNTS: [Column<u64>; 27] = [
    ("packets", |d| d.packets),
    ("bytes", |d| d.bytes),
    ("payload_bytes", |d| d.payload_bytes),
    ("ect0_packets", |d| d.ect0_packets),
    ("ect1_packets", |d| d.ect1_packets),
    ("ce_packets", |d| d.ce_packets),
    ("ece_segments", |d| d.ece_segments),
    ("cwr_segments", |d| d.cwr_segments),
    ("dscp_changes", |d| d.dscp_changes),
    ("retransmissions", |d| d.retransmissions),
    ("fast_retransmissions", |d| d.fast_retransmissions),
    ("timeout_retransmissions", |d| d.timeout_retransmissions),
    ("spurious_retransmissions", |d| d.spurious_retransmissions),
    ("retransmitted_packets_least", |d| d.retransmitted_packets[0]),
    ("retransmitted_packets_most", |d| d.retransmitted_packets[1]),
    ("lost_packets_least", |d| d.lost_packets[0]),
    ("lost_packets_most", |d| d.lost_packets[1]),
    ("duplicate_acks", |d| d.duplicate_acks),
    ("copies", |d| d.copies),
    ("copies_or_retransmissions", |d| d.copies_or_retransmissions),
    ("out_of_order", |d| d.out_of_order),
    ("zero_windows", |d| d.zero_windows),
    ("window_full", |d| d.window_full),
    ("undesired_slow_starts", |d| d.undesired_slow_starts),
    ("preventable_slow_starts", |d| d.preventable_slow_starts),
    ("slow_starts_by_ratio", |d| d.slow_starts_by_ratio),
    ("rtt_samples", |d| d.rtt_ms.map_or(0, |rtt| rtt.samples)),
];

/// Values of a direction that may be missing.
const VALUES: [Column<Option<f64>>; 46] = [
    ("rate_bps", |d| d.rate_bps),
    ("rtt_min_ms", |d| rtt(d, |rtt| rtt.min)),
    ("rtt_p50_ms", |d| rtt(d, |rtt| rtt.p50)),
    ("rtt_mean_ms", |d| rtt(d, |rtt| rtt.mean)),
    ("rtt_p99_ms", |d| rtt(d, |rtt| rtt.p99)),
    ("rtt_max_ms", |d| rtt(d, |rtt| rtt.max)),
    ("ecn_reported_ce_packets", |d| reports(d, |reports| reports.ce_packets)),
    ("ecn_option_segments", |d| reports(d, |reports| reports.option_segments)),
    ("ecn_reported_ect0_bytes", |d| reports(d, |reports| reports.ect0_bytes)),
    ("ecn_reported_ce_bytes", |d| reports(d, |reports| reports.ce_bytes)),
    ("ecn_reported_ect1_bytes", |d| reports(d, |reports| reports.ect1_bytes)),
    ("most_in_flight_bytes", |d| d.most_in_flight_bytes.map(|n| n as f64)),
    ("first_window_full_s", |d| d.first_window_full_s),
    ("receive_window_least_bytes", |d| d.receive_window_bytes.map(|[least, _]| least as f64)),
    ("receive_window_most_bytes", |d| d.receive_window_bytes.map(|[_, most]| most as f64)),
    ("timestamp_period_ms", |d| d.timestamp_period_ms),
    ("timestamp_period_error", |d| d.timestamp_period_error),
    ("bandwidth_bps", |d| d.bandwidth_bps),
    ("judged_s", |d| causes(d, |causes| Some(causes.judged_s))),
    ("active_s", |d| causes(d, |causes| Some(causes.active_s))),
    ("goodput_bps", |d| causes(d, |causes| causes.goodput_bps)),
    ("bottleneck_bps", |d| full(d, |full| full.rate_bps)),
    ("bottleneck_queue_mean_ms", |d| full(d, |full| full.queue_ms[0])),
    ("bottleneck_queue_least_ms", |d| full(d, |full| full.queue_ms[1])),
    ("bottleneck_queue_most_ms", |d| full(d, |full| full.queue_ms[2])),
    ("gaps", |d| gaps(d, |gaps| gaps.count as f64)),
    ("gaps_silent_s", |d| gaps(d, |gaps| gaps.silent_s)),
    ("gaps_silent_share", |d| gaps(d, |gaps| gaps.silent_share)),
    ("gaps_longest_s", |d| gaps(d, |gaps| gaps.longest_s)),
    ("active_bps", |d| d.gaps.as_ref()?.active_bps),
    ("rtp_streams", |d| d.rtp.as_ref().map(|rtp| rtp.streams.len() as f64)),
    ("rtp_packets", |d| rtp(d, |stream| stream.packets as f64)),
    ("rtp_lost", |d| rtp(d, |stream| stream.lost as f64)),
    ("rtp_duplicates", |d| rtp(d, |stream| stream.duplicates as f64)),
    ("rtp_late", |d| rtp(d, |stream| stream.late as f64)),
    ("rtp_jitter_mean_ms", |d| main_stream(d)?.jitter_mean_ms),
    ("rtp_jitter_max_ms", |d| main_stream(d)?.jitter_max_ms),
    ("rtp_frames", |d| frames(d, |frames| frames.count as f64)),
    ("rtp_frames_damaged", |d| frames(d, |frames| frames.damaged as f64)),
    ("rtp_frame_rate_hz", |d| main_stream(d)?.frames.as_ref()?.rate_hz),
    ("rtp_frame_size_p50_bytes", |d| frames(d, |frames| frames.size_bytes.p50)),
    ("rtp_frame_spread_p50_ms", |d| frames(d, |frames| frames.spread_ms.p50)),
    ("rtp_frame_longest_gap_s", |d| frames(d, |frames| frames.longest_gap_s)),
    ("rtcp_reported_lost", |d| main_stream(d)?.reported.map(|told| told.lost as f64)),
    ("rtcp_reported_jitter_ms", |d| main_stream(d)?.reported?.jitter_ms),
    ("rtcp_packets", |d| d.rtp.as_ref().map(|rtp| rtp.rtcp.all() as f64)),
];

fn direction(table: Table, name: &str, rows: &[&Direction]) -> Table {
    let table = COUNTS.iter().fold(table, |table, (column, get)| {
        table.u64(&format!("{name}_{column}"), rows.iter().map(|row| get(row)))
    });
    let interface = rows.iter().map(|row| row.interface.as_deref());
    let table = table.optional_utf8(&format!("{name}_interface"), interface);
    let points = rows.iter().map(|row| code_points(row));
    let table = table.optional_utf8(&format!("{name}_dscp"), points);
    let noted = rows.iter().map(|row| notes(&row.notes));
    let table = table.optional_utf8(&format!("{name}_notes"), noted);
    let source = rows.iter().map(|row| row.rtt_source.map(RttSource::name));
    let table = table.optional_utf8(&format!("{name}_rtt_source"), source);
    let link = rows.iter().map(|row| row.link.map(i64::from));
    let table = table.optional_i64(&format!("{name}_link"), link);
    let sack = rows.iter().map(|row| row.sack_permitted);
    let table = table.bool(&format!("{name}_sack_permitted"), sack);
    let table = VALUES.iter().fold(table, |table, (column, get)| {
        table.optional_f64(&format!("{name}_{column}"), rows.iter().map(|row| get(row)))
    });
    let why = || rows.iter().map(|row| row.causes.as_ref());
    let position = why().map(|causes| Some(causes?.position.name()));
    let confidence = why().map(|causes| Some(causes?.confidence.name()));
    let table = table
        .optional_utf8(&format!("{name}_position"), position)
        .optional_utf8(&format!("{name}_confidence"), confidence);
    Cause::ALL.iter().fold(table, |table, cause| {
        let shares = why().map(|causes| Some(causes?.share(*cause)));
        table.optional_f64(&format!("{name}_cause_{}", cause.name()), shares)
    })
}

fn rtt(direction: &Direction, get: impl Fn(&Spread) -> f64) -> Option<f64> {
    direction.rtt_ms.as_ref().map(get)
}

/// The stream of RTP with the most packets.
fn main_stream(direction: &Direction) -> Option<&RtpStream> {
    direction.rtp.as_ref()?.streams.iter().max_by_key(|stream| stream.packets)
}

fn rtp(direction: &Direction, get: impl Fn(&RtpStream) -> f64) -> Option<f64> {
    main_stream(direction).map(get)
}

fn frames(direction: &Direction, get: impl Fn(&Frames) -> f64) -> Option<f64> {
    main_stream(direction)?.frames.as_ref().map(get)
}

fn gaps(direction: &Direction, get: impl Fn(&Gaps) -> f64) -> Option<f64> {
    direction.gaps.as_ref().map(get)
}

fn causes(direction: &Direction, get: impl Fn(&Causes) -> Option<f64>) -> Option<f64> {
    direction.causes.as_ref().and_then(get)
}

/// Count from the reports of accurate ECN feedback in a direction, if there are any.
fn reports<N: Into<Option<u64>>>(
    direction: &Direction,
    get: impl Fn(&EcnReports) -> N,
) -> Option<f64> {
    direction.ecn_reports.as_ref().and_then(|reports| get(reports).into()).map(|n| n as f64)
}

/// Code points with their packets, as `EF 120 CS0 3`; those without a name by their number.
fn code_points(direction: &Direction) -> Option<String> {
    let named = |count: &DscpCount| match count.name {
        Some(name) => format!("{name} {}", count.packets),
        None => format!("{} {}", count.dscp, count.packets),
    };
    together(&direction.dscp.iter().map(named).collect::<Vec<_>>())
}

fn full(direction: &Direction, get: impl Fn(&Bottleneck) -> f64) -> Option<f64> {
    causes(direction, |causes| causes.bottleneck.as_ref().map(&get))
}
