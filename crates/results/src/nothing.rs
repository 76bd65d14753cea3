//! Reasons why nothing of a flow arrived, in a sentence: by the counters of a run.
//!
//! The causes, the most certain first. Nothing was sent; the UE had no service; it was out of range
//! all the time. Elements on the way dropped all packets; it was out of range for a part of the
//! run, an outage. Packets still wait; blocks of the radio link fail.

use airpath_net::DropCause;

use crate::{FlowSummary, OutOfRangeSummary, RunSummary, UeSummary};

/// From this share of a run on, a UE was out of range all the time.
const ALWAYS: f64 = 0.999;

impl RunSummary {
    /// Reason why nothing of a flow arrived, as a sentence; none if something did.
    pub fn why_nothing(&self, flow: &FlowSummary) -> Option<String> {
        if flow.delivered_bytes > 0 {
            return None;
        }
        let ue = self.ues.iter().find(|ue| Some(&ue.name) == flow.ue.as_ref());
        let causes = [
            ue.and_then(no_service),
            ue.and_then(|ue| out_of_reach(ue, flow)),
            self.not_begun(flow),
            self.dropped(flow).filter(|_| !self.drops_at_radio(flow)),
            ue.and_then(|ue| outage(ue, flow)),
            self.dropped(flow),
            unanswered(flow),
            waiting(flow),
            ue.and_then(|ue| failing(ue, flow)),
        ];
        let why = causes.into_iter().flatten().next();
        Some(why.unwrap_or_else(|| "nothing was sent.".into()))
    }

    fn not_begun(&self, flow: &FlowSummary) -> Option<String> {
        let sent = flow.sent_packets + flow.feedback_packets > 0;
        if sent || flow.start_s.is_some() {
            return None;
        }
        Some(format!("it had not begun by the end of the run, at {} s.", self.duration_s))
    }

    /// True if most of a flow's dropped packets were dropped at the radio.
    fn drops_at_radio(&self, flow: &FlowSummary) -> bool {
        let own = self.bearers.iter().filter(|bearer| bearer.ue == flow.ue);
        let dropped = own.flat_map(|bearer| bearer.dropped.iter().map(|(_, count)| count));
        2 * dropped.sum::<u64>() > flow.lost_packets
    }

    /// More packets were dropped than arrived: those of a connection's set-up may have.
    fn dropped(&self, flow: &FlowSummary) -> Option<String> {
        let (cause, _) = flow.dropped.iter().max_by_key(|(_, count)| **count)?;
        if flow.lost_packets <= flow.received_packets {
            return None;
        }
        let at = self.events.dropped_at.iter();
        let at = at.filter_map(|(node, causes)| Some((node, *causes.get(cause)?)));
        let node = at.max_by_key(|(_, count)| *count);
        let node = node.map_or_else(String::new, |(node, _)| format!(" at {node}"));
        let (lost, sent) = (flow.lost_packets, flow.sent_packets);
        let which = if lost == sent { format!("all {sent}") } else { format!("{lost} of {sent}") };
        Some(format!("{which} packets were dropped{node}: {}.", in_words(cause)))
    }
}

fn no_service(ue: &UeSummary) -> Option<String> {
    let rsrp = ue.no_service?.rsrp_dbm;
    Some(format!(
        "{} has no service: its RSRP of {rsrp:.1} dBm is not above cell.q_rx_lev_min.",
        ue.name
    ))
}

/// Both directions, that of the data first.
fn ranges<'a>(
    ue: &'a UeSummary,
    flow: &FlowSummary,
) -> impl Iterator<Item = (&'static str, OutOfRangeSummary)> + use<'a> {
    let both = [("downlink", ue.down.out_of_range), ("uplink", ue.up.out_of_range)];
    let up = flow.direction.as_deref() == Some("up");
    let [first, second] = if up { [both[1], both[0]] } else { both };
    [first, second].into_iter().filter_map(|(way, out)| Some((way, out?)))
}

/// The directions that a flow needs: TCP, QUIC and WebRTC both, others that of their data.
fn needed<'a>(
    ue: &'a UeSummary,
    flow: &FlowSummary,
) -> impl Iterator<Item = (&'static str, OutOfRangeSummary)> + use<'a> {
    let own = if flow.direction.as_deref() == Some("up") { "uplink" } else { "downlink" };
    let answered = matches!(&*flow.kind, "tcp" | "quic" | "webrtc");
    let both = answered || flow.requests.is_some() || flow.pages.is_some();
    ranges(ue, flow).filter(move |(way, _)| both || *way == own)
}

fn out_of_reach(ue: &UeSummary, flow: &FlowSummary) -> Option<String> {
    let (way, out) = needed(ue, flow).find(|(_, out)| out.share >= ALWAYS)?;
    Some(format!("{} is out of range {way}, at SINR {:.1} dB (CQI 0).", ue.name, out.sinr_db))
}

fn outage(ue: &UeSummary, flow: &FlowSummary) -> Option<String> {
    let (way, out) = needed(ue, flow).max_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds))?;
    Some(format!(
        "an outage: {} was out of range {way} for {} s, {:.0}% of the run, at SINR {:.1} dB (CQI 0).",
        ue.name,
        (out.seconds * 1e3).round() / 1e3,
        100.0 * out.share,
        out.sinr_db
    ))
}

/// Data arrived nowhere, as no connection was set up, or its answers are lost.
fn unanswered(flow: &FlowSummary) -> Option<String> {
    let (lost, all) = (flow.feedback_lost_packets, flow.feedback_packets);
    (lost > 0 && lost == all)
        .then(|| format!("all {all} packets of acknowledgement were dropped on their way."))
}

fn waiting(flow: &FlowSummary) -> Option<String> {
    let waiting = flow.in_flight_packets;
    (waiting > 0).then(|| {
        format!("{waiting} of {} packets were still on their way at the end.", flow.sent_packets)
    })
}

fn failing(ue: &UeSummary, flow: &FlowSummary) -> Option<String> {
    let (way, radio) = match flow.direction.as_deref() {
        Some("up") => ("uplink", &ue.up),
        _ => ("downlink", &ue.down),
    };
    let sinr = radio.mean_sinr_db?;
    let failed = radio.bler_first.filter(|share| *share > 0.5)?;
    Some(format!(
        "{:.0}% of the blocks {way} of {} failed, at SINR {sinr:.1} dB.",
        100.0 * failed,
        ue.name
    ))
}

/// A cause of drops in words.
fn in_words(cause: &str) -> &'static str {
    let cause = DropCause::ALL.into_iter().find(|known| known.name() == cause);
    match cause {
        Some(DropCause::QueueFull) => "the queue was full, or is smaller than a packet",
        Some(DropCause::Aqm) => "by its active queue management",
        Some(DropCause::DiscardTimer) => "they waited longer than PDCP's discard timer",
        Some(DropCause::PduSet) => "others of their PDU set were late, dropped or lost",
        Some(DropCause::RlcLoss) => "RLC UM lost parts of them on the air",
        Some(DropCause::Reordering) => "PDCP had ceased to wait for them",
        Some(DropCause::LinkFailure) => "the radio link failed, and RLC had them",
        Some(DropCause::Handover) => "their UE went to another cell without them",
        Some(DropCause::RandomLoss | DropCause::PeriodicLoss) => "by the losses of the link",
        Some(DropCause::TunnelEcn) => "by the ECN fields of the tunnel (RFC 6040, 4.2)",
        Some(DropCause::NoService) => "no cell serves the UE",
        Some(DropCause::NoRoute) => "nobody knows their destination",
        Some(DropCause::Unexpected) | None => "nobody expected them",
    }
}
