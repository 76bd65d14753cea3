//! Lines about a flow's protocols over UDP: QUIC and RTP.

use airpath_analyse::{Direction, FlowRecord, Quic, RtpStream};
use airpath_plot::plural;

/// Streams of RTP that are listed for a direction, at most.
const MOST_STREAMS: usize = 2;

/// The lines of a flow; none of one over TCP.
pub fn lines(flow: &FlowRecord) -> String {
    let quic = flow.quic.as_ref().map(|quic| handshake(flow, quic));
    let ways = [("up", &flow.up), ("down", &flow.down)];
    let streams = ways.iter().flat_map(|(name, way)| streams(name, way));
    let silent = ways.iter().filter_map(|(name, way)| silence(name, way));
    quic.into_iter().chain(streams).chain(silent).collect()
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

/// The streams of RTP of a direction.
fn streams(name: &str, way: &Direction) -> Vec<String> {
    let streams = way.rtp.iter().flat_map(|rtp| &rtp.streams).take(MOST_STREAMS);
    streams.map(|stream| format!("   {name}: {}", told(stream))).collect()
}

/// Loss, jitter and frames of a stream.
fn told(stream: &RtpStream) -> String {
    let share = 100.0 * stream.lost as f64 / stream.expected as f64;
    let lost = plural(stream.lost, "packet");
    let mut text = format!("RTP {:#010x}, {lost} lost ({share:.1}%)", stream.ssrc);
    let jitter = stream.jitter_mean_ms.zip(stream.jitter_max_ms);
    text += &jitter
        .map(|(mean, max)| format!(", jitter {mean:.1} ms (max {max:.1})"))
        .unwrap_or_default();
    // A stream of audio has a frame in each packet, so counts of frames add nothing.
    if let Some(frames) = stream.frames.as_ref().filter(|f| f.count < stream.packets) {
        let rate = frames.rate_hz.map(|hz| format!(" at {hz:.1}/s")).unwrap_or_default();
        let frames_told = plural(frames.count, "frame");
        text += &format!(
            "\n   {frames_told}{rate}, {} damaged, longest gap {:.0} ms",
            frames.damaged,
            1e3 * frames.longest_gap_s
        );
    }
    text + "\n"
}

/// The silences of a direction, if it has any; of one that has RTCP only they say nothing.
fn silence(name: &str, way: &Direction) -> Option<String> {
    let reports_only = way.rtp.as_ref().is_some_and(|rtp| rtp.streams.is_empty());
    let gaps = way.gaps.as_ref().filter(|gaps| gaps.count > 0 && !reports_only)?;
    Some(format!(
        "   {name}: silent for {:.0}% of its time in {}, the longest {:.2} s\n",
        100.0 * gaps.silent_share,
        plural(gaps.count, "gap"),
        gaps.longest_s,
    ))
}
