//! Summary of a capture over all its flows, as text within 80 columns.

use std::collections::BTreeMap;

use airpath_analyse::{Part, Quantiles, SizeSummary, SummaryReport, TcpSummary};
use airpath_plot::plural;

/// The summary; nothing of fewer than two flows, which speak for themselves.
pub fn text(summary: &SummaryReport) -> String {
    let flows: u64 = summary.protocols.values().map(|part| part.flows).sum();
    if flows < 2 {
        return String::new();
    }
    let mut text = parts("\n", &summary.protocols) + &parts("", &summary.applications);
    if let Some(tcp) = &summary.tcp {
        text += &tcp_flows(tcp);
    }
    if let Some(http) = &summary.http {
        text += &format!("HTTP: {} responses; bytes: ", http.responses);
        text += &listed(http.bytes_shares.iter().map(|(name, share)| (*name, *share)));
    }
    if let Some(dns) = &summary.dns {
        let median = dns.time_ms.map(|time| format!(", median {:.1} ms", time.p50));
        let median = median.unwrap_or_default();
        let within = 100.0 * dns.sooner_than_10_ms;
        text += &format!(
            "DNS: {} lookups, {} answered, {within:.1}% within 10 ms{median}\n",
            dns.queries, dns.answers
        );
    }
    text + &quic(summary) + &rtp(summary)
}

/// Outcomes of the handshakes of QUIC, and their median RTT.
fn quic(summary: &SummaryReport) -> String {
    let Some(quic) = &summary.quic else { return String::new() };
    let rtt = quic.handshake_rtt_ms.whole;
    let rtt = rtt.map(|rtt| format!("QUIC: median RTT of the handshake {:.1} ms\n", rtt.p50));
    let outcomes = listed(quic.outcomes.iter().map(|(name, share)| (*name, *share)));
    format!("QUIC: {outcomes}") + &rtt.unwrap_or_default()
}

/// Loss and jitter of RTP.
fn rtp(summary: &SummaryReport) -> String {
    let Some(rtp) = &summary.rtp else { return String::new() };
    let share = 100.0 * rtp.lost as f64 / rtp.expected.max(1) as f64;
    let jitter = rtp.jitter_mean_ms;
    let jitter = jitter.map(|jitter| format!(", median of their jitter {:.1} ms", jitter.p50));
    let streams = plural(rtp.streams, "stream");
    format!("RTP: {streams}, {share:.2}% lost{}\n", jitter.unwrap_or_default())
}

/// Shares of flows and of bytes.
fn parts(before: &str, parts: &BTreeMap<&'static str, Part>) -> String {
    let part = |(name, part): (&&str, &Part)| {
        format!("{name} {:.1}%/{:.1}%", 100.0 * part.flows_share, 100.0 * part.bytes_share)
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    format!("{before}{} (flows/bytes)\n", parts.join(", "))
}

fn tcp_flows(tcp: &TcpSummary) -> String {
    let mut text =
        format!("\n{:<24}{:>11}{:>11}{:>11}{:>11}\n", "TCP flows", "10%", "50%", "90%", "99%");
    for (name, quantiles, unit) in [
        ("bytes up", tcp.up.payload_bytes, 1.0),
        ("bytes down", tcp.down.payload_bytes, 1.0),
        ("kbit/s up", tcp.up.rate_bps, 1e3),
        ("kbit/s down", tcp.down.rate_bps, 1e3),
        ("duration, s", tcp.duration_s, 1.0),
        ("FIN after the data, s", tcp.delayed_fin_s, 1.0),
        ("handshake, ms", tcp.handshake_rtt_ms.whole, 1.0),
    ] {
        text += &quantiles.map(|quantiles| line(name, &quantiles, unit)).unwrap_or_default();
    }
    text += &format!("ended: {}", listed(tcp.ends.iter().map(|(name, share)| (*name, *share))));
    text += &way("up", &tcp.up);
    text + &way("down", &tcp.down)
}

fn line(name: &str, quantiles: &Quantiles, unit: f64) -> String {
    let number = |value: f64| match value / unit {
        value if value >= 100.0 => format!("{value:>11.0}"),
        value => format!("{value:>11.2}"),
    };
    let Quantiles { p10, p50, p90, p99, .. } = *quantiles;
    format!("  {name:<22}{}{}{}{}\n", number(p10), number(p50), number(p90), number(p99))
}

fn way(name: &str, size: &SizeSummary) -> String {
    let top = size.top.iter().find(|top| top.flows_share == 0.01);
    let Some(top) = top else { return String::new() };
    let top = 100.0 * top.bytes_share;
    let of = |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{value:.2}"));
    let correlation = &size.correlation;
    format!(
        "{name}: the top 1% of flows have {top:.1}% of bytes; correlation of logarithms:\n  \
         size and duration {}, duration and rate {}, rate and size {}\n",
        of(correlation.size_duration.log),
        of(correlation.duration_rate.log),
        of(correlation.rate_size.log),
    )
}

fn listed<'a>(shares: impl Iterator<Item = (&'a str, f64)>) -> String {
    let share =
        |(name, share): (&str, f64)| format!("{} {:.1}%", name.replace('_', " "), 100.0 * share);
    let shares: Vec<String> = shares.map(share).collect();
    shares.join(", ") + "\n"
}

#[cfg(test)]
mod tests {
    use airpath_analyse::Summary;

    use super::*;

    #[test]
    fn of_no_flows_there_is_nothing_to_say() {
        assert_eq!(text(&Summary::default().report()), "");
    }
}
