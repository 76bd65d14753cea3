//! Limits of a flow's application and ends, read from the scenario in the summary.

use airpath_results::{FlowSummary, RunSummary};
use airpath_scenario::{bit_rate, bytes, duration};
use serde_json::Value;

/// Bytes of RTP's header (RFC 3550, 5.1), which a payload of the scenario includes.
const RTP_HEADER: f64 = 12.0;

/// Limits that a flow brings along.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Asked {
    /// Most bits a second that the application makes; none if it takes whatever it gets.
    pub(super) most_bps: Option<f64>,
    /// True if a controller may make the application send less.
    pub(super) adapts: bool,
    /// Answer of the sender to signals of congestion.
    pub(super) answers: Answers,
    /// The smaller one of TCP's send and receive buffers in bytes, or QUIC's receive window, and its name.
    pub(super) buffer: Option<(f64, &'static str)>,
    /// Bits a second that the receiver reads.
    pub(super) read_bps: Option<f64>,
}

/// Answer of a sender to signals of congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Answers {
    /// A mark as a loss (RFC 3168).
    #[default]
    Classic,
    /// Marks in proportion (RFC 9331).
    Scalable,
    /// Losses above a share only (BBR, GCC, NADA).
    Tolerant,
    /// Marks in proportion, with growth that a mark holds up as a loss does (SCReAM).
    Media,
}

impl Asked {
    pub(super) fn of(run: &RunSummary, flow: &FlowSummary) -> Asked {
        let Some(entry) = entry(&run.scenario, flow) else {
            return Asked {
                adapts: matches!(&*flow.kind, "tcp" | "quic" | "webrtc"),
                ..Asked::default()
            };
        };
        match &*flow.kind {
            "rtp" => of_rtp(&entry["rtp"]),
            // Frames of a statistical model, whatever the network does.
            "xr" => Asked::default(),
            "quic" => of_quic(entry),
            "webrtc" => of_webrtc(&entry["webrtc"]),
            _ => of_tcp(entry),
        }
    }
}

/// The flow of the file: that of its name, behind which several UEs add theirs.
fn entry<'a>(scenario: &'a Value, flow: &FlowSummary) -> Option<&'a Value> {
    let own = |name: &str| {
        let tail = flow.name.strip_prefix(name);
        tail.is_some_and(|tail| tail.is_empty() || tail.starts_with(' '))
    };
    let named = scenario["flow"].as_array()?.iter().filter_map(|f| Some((f["name"].as_str()?, f)));
    named.filter(|(name, _)| own(name)).max_by_key(|(name, _)| name.len()).map(|(_, f)| f)
}

fn rate_of(value: &Value) -> Option<f64> {
    Some(bit_rate(value.as_str()?).ok()?.as_bps() as f64)
}

fn bytes_of(value: &Value) -> Option<f64> {
    Some(bytes(value.as_str()?).ok()?.0 as f64)
}

fn of_rtp(rtp: &Value) -> Asked {
    let adapts = rtp["congestion_control"].as_str().is_some_and(|name| name != "none");
    let answers = match (rtp["congestion_control"].as_str(), rtp["scream"]["ecn"].as_str()) {
        (Some("gcc" | "nada"), _) => Answers::Tolerant,
        (_, Some("l4s") | None) if adapts => Answers::Media,
        _ => Answers::Classic,
    };
    let most_bps = match rtp.get("video") {
        Some(video) => rate_of(&video["max_rate"]),
        None => packets(rtp),
    };
    Asked { most_bps, adapts, answers, ..Asked::default() }
}

/// str0m's estimate tolerates few losses (its loss controller), as GCC does.
fn of_webrtc(call: &Value) -> Asked {
    let adapts = call["bandwidth_estimation"].as_bool() != Some(false);
    let most_bps = rate_of(&call["video"]["max_rate"]);
    let answers = if adapts { Answers::Tolerant } else { Answers::Classic };
    Asked { most_bps, adapts, answers, ..Asked::default() }
}

/// Bits of media a second of equal packets.
fn packets(rtp: &Value) -> Option<f64> {
    let payload = bytes_of(&rtp["payload"])? - RTP_HEADER;
    let interval = duration(rtp["interval"].as_str()?).ok()?.as_secs_f64();
    (interval > 0.0).then(|| payload * 8.0 / interval)
}

fn of_tcp(entry: &Value) -> Asked {
    let tcp = &entry["tcp"];
    let answers = match tcp["controller"].as_str() {
        Some("prague" | "dctcp") => Answers::Scalable,
        Some("bbr" | "bbr1") => Answers::Tolerant,
        _ => Answers::Classic,
    };
    let send = bytes_of(&tcp["send_buffer"]).map(|size| (size, "send buffer"));
    let receive = bytes_of(&tcp["receive_buffer"]).map(|size| (size, "receive buffer"));
    let buffers = [send, receive].into_iter().flatten();
    Asked {
        most_bps: rate_of(&entry["player"]["bit_rate"]).or_else(|| by_the_clock(entry)),
        adapts: true,
        answers,
        buffer: buffers.min_by(|a, b| a.0.total_cmp(&b.0)),
        read_bps: rate_of(&tcp["read_rate"]),
    }
}

/// Bytes that quinn-proto lets a peer send on a stream before they are read.
const QUIC_STREAM_WINDOW: f64 = 1_250_000.0;

fn of_quic(entry: &Value) -> Asked {
    let quic = &entry["quic"];
    let datagrams = quic.get("datagrams").filter(|own| !own.is_null());
    let connections = quic["connections"].as_f64().unwrap_or(1.0);
    let streams = quic["streams"].as_f64().unwrap_or(1.0);
    // A given window holds for a stream and for its connection. Without one, only streams have a limit.
    let window = match bytes_of(&quic["receive_window"]) {
        Some(window) => window * connections,
        None => QUIC_STREAM_WINDOW * streams * connections,
    };
    let rate = |own: &Value| {
        let interval = duration(own["interval"].as_str()?).ok()?.as_secs_f64();
        Some(bytes_of(&own["payload"])? * 8.0 / interval)
    };
    let answers = match quic["congestion_control"].as_str() {
        Some("bbr" | "airpath-bbr" | "airpath-bbr1") => Answers::Tolerant,
        Some("airpath-prague") => Answers::Scalable,
        _ => Answers::Classic,
    };
    Asked {
        most_bps: datagrams.and_then(rate).or_else(|| by_the_clock(entry)),
        adapts: true,
        answers,
        buffer: datagrams.is_none().then_some((window, "receive window")),
        read_bps: None,
    }
}

/// Bits a second of requests that come by the clock, whether or not they are answered.
fn by_the_clock(entry: &Value) -> Option<f64> {
    let requests = entry.get("requests")?;
    let period = duration(requests["period"].as_str()?).ok()?.as_secs_f64();
    let response = &requests["response"];
    let ends = [bytes_of(&response["min"]), bytes_of(&response["max"])];
    let mean = match (bytes_of(response), ends) {
        (Some(bytes), _) => bytes,
        (None, [Some(least), Some(most)]) => (least + most) / 2.0,
        (None, _) => return None,
    };
    Some(mean * requests["objects"].as_f64().unwrap_or(1.0) * 8.0 / period)
}
