//! What protocols over UDP show of a flow, in lines.

use airpath_analyse::{Direction, FlowRecord, Quic};

use crate::table::plural;

/// The lines of a flow; none of one over TCP.
pub fn lines(flow: &FlowRecord) -> String {
    let quic = flow.quic.as_ref().map(|quic| handshake(flow, quic));
    let silent = [("up", &flow.up), ("down", &flow.down)].map(|(name, way)| silence(name, way));
    quic.into_iter().chain(silent.into_iter().flatten()).collect()
}

/// Version, name and handshake of QUIC.
fn handshake(flow: &FlowRecord, quic: &Quic) -> String {
    let name = flow.server_name.iter().map(|name| format!(" to {name}")).collect::<String>();
    let mut text = format!("   QUIC {}{name}: ", quic.versions.join(", "));
    text += &quic.outcome.name().replace('_', " ");
    text += &quic.error.map(|error| format!(" (error {error:#x})")).unwrap_or_default();
    let sides = flow.handshake_rtt_ms;
    let sides = [("client", sides.client_side), ("server", sides.server_side)];
    let told = sides.into_iter().filter_map(|(side, rtt)| Some(format!("{side} {:.1} ms", rtt?)));
    let told: Vec<String> = told.collect();
    let told =
        if told.is_empty() { String::new() } else { format!("\n   RTT: {}", told.join(", ")) };
    text + &told + "\n"
}

/// The silences of a direction, if it has any.
fn silence(name: &str, way: &Direction) -> Option<String> {
    let gaps = way.gaps.as_ref().filter(|gaps| gaps.count > 0)?;
    Some(format!(
        "   {name}: silent for {:.0}% of its time in {}, the longest {:.2} s\n",
        100.0 * gaps.silent_share,
        plural(gaps.count, "gap"),
        gaps.longest_s,
    ))
}
