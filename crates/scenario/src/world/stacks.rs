//! Ends of flows whose transport is a real stack.

use airpath_base::{Duration, FlowId};
use airpath_net::{Leg, Node};
use airpath_schema::units::Size;
use airpath_stacks::quic::{Application, Congestion, KeyLines, Logs, Quic, QuicConfig, Side};
use airpath_stacks::webrtc::{LARGEST_PACKET, Role, VideoSource, Webrtc, WebrtcConfig};
use airpath_stacks::{EndConfig, StackEnd};
use airpath_wire::Endpoint;

use super::traffic::{Draws, Nodes, OneFlow};
use super::{StackLogs, applications, media};
use crate::file::{self, Flow, QuicControl, QuicEcn};

/// Both ends of QUIC, that of the source first. The UE opens.
pub(super) fn quic(
    one: &OneFlow<'_>,
    (source, sink): (Endpoint, Endpoint),
    draws: &Draws,
    files: &StackLogs,
) -> Result<Nodes, String> {
    let options = one.flow.quic.as_ref().ok_or("a flow of kind quic lacks its options")?;
    let [of_source, of_sink] = applications(one.flow, options, draws)?;
    let end = |local: Endpoint, remote: Endpoint, application: Application, leg: Leg| {
        let at_ue = local == one.local;
        let (side, name) = if at_ue { (Side::Client, "ue") } else { (Side::Server, "server") };
        let mut stream = draws.stream(&format!("quic {name}"));
        let config = config(options, QuicConfig::new(side, (local, remote), application));
        let keys = files.keys.clone().map(KeyLines);
        let name = format!("quic-{}-{name}", one.id.0);
        let logs = Logs { keys, qlog: files.qlog.clone(), name };
        let stack = Quic::new(config, &mut stream, logs).map_err(|fault| fault.to_string())?;
        let acts = if one.flow.asks() { Leg::Feedback } else { Leg::Data };
        let flow = if at_ue { one.id } else { one.far };
        let own = EndConfig {
            flow,
            received: flow,
            starts: leg == Leg::Data,
            leg,
            local,
            remote,
            dscp: match leg {
                Leg::Data => one.flow.code_point(),
                Leg::Feedback => one.flow.feedback_code_point(),
            },
            ecn: options.ecn != QuicEcn::Off,
            start: one.start,
            stop: one.stop.filter(|_| leg == acts),
        };
        Ok::<Box<dyn Node>, String>(Box::new(StackEnd::new(own, stack, stream)))
    };
    let data = end(source, sink, of_source, Leg::Data)?;
    Ok([data, end(sink, source, of_sink, Leg::Feedback)?])
}

/// Time that a call goes on behind the stop of its video, so that lost packets are repaired.
const LINGER: Duration = Duration::from_secs(1);

/// Both ends of a call of WebRTC, that of the source first. The UE opens.
pub(super) fn webrtc(
    one: &OneFlow<'_>,
    (source, sink): (Endpoint, Endpoint),
    draws: &Draws,
) -> Result<Nodes, String> {
    let options = one.flow.webrtc.as_ref().ok_or("a flow of kind webrtc lacks its options")?;
    let both = options.both_directions;
    let back = FlowId(one.id.0 + u32::from(both));
    let end = |(local, remote): (Endpoint, Endpoint), is_source: bool| {
        let at_ue = local == one.local;
        let (role, name) = if at_ue { (Role::Client, "ue") } else { (Role::Server, "server") };
        let way = if is_source { "" } else { " back" };
        let config = WebrtcConfig {
            role,
            local,
            remote,
            video: (is_source || both).then(|| video(one, options, draws, way)).transpose()?,
            receives: both || !is_source,
            end: one.stop.map(|stop| stop + LINGER),
        };
        let mut stream = draws.stream(&format!("webrtc {name}"));
        let frames = draws.stream(&format!("video{way}"));
        let stack = Webrtc::new(config, &mut stream, frames).map_err(|error| error.to_string())?;
        let own = EndConfig {
            flow: if is_source { one.id } else { back },
            received: if is_source { back } else { one.id },
            starts: false,
            leg: if is_source && !both { Leg::Data } else { Leg::Feedback },
            local,
            remote,
            dscp: match is_source {
                true => one.flow.code_point(),
                false => one.flow.feedback_code_point(),
            },
            ecn: false,
            start: one.start,
            stop: None,
        };
        Ok::<Box<dyn Node>, String>(Box::new(StackEnd::new(own, stack, stream)))
    };
    Ok([end((source, sink), true)?, end((sink, source), false)?])
}

/// Video of an end.
fn video(
    one: &OneFlow<'_>,
    options: &file::Webrtc,
    draws: &Draws,
    way: &str,
) -> Result<VideoSource, String> {
    let video = options.video.as_ref().ok_or("a call lacks its video")?;
    let encoder = media::encoder(video);
    let start_bps = options.start_rate.unwrap_or(video.min_rate).as_bps() as f64;
    Ok(VideoSource {
        phase: media::phase(video, &encoder, || draws.stream(&format!("phase{way}"))),
        encoder,
        packet: u32::try_from(video.packet.0).unwrap_or(LARGEST_PACKET),
        start: one.start + options.media_after,
        stop: one.stop,
        start_bps: options.bandwidth_estimation.then_some(start_bps),
        give_up: video.give_up,
        processing: video.processing,
        deadline: video.deadline,
    })
}

/// Applications of both ends, that of the source of the data first.
fn applications(
    flow: &Flow,
    options: &file::Quic,
    draws: &Draws,
) -> Result<[Application; 2], String> {
    let streams = options.streams.unwrap_or(1);
    if flow.asks() {
        let requests = flow.requests.as_ref().map(|own| (own.request, own.reply_delay));
        let web = flow.web.as_ref().map(|own| (own.request, own.reply_delay));
        let (request, reply_delay) = requests.or(web).ok_or("a flow without application")?;
        let behaviour = Box::new(applications::behaviour_of(flow, draws)?);
        let client = Application::Client { behaviour, request: request.0, streams };
        return Ok([Application::Server { reply_delay }, client]);
    }
    if let Some(datagrams) = &options.datagrams {
        let (payload, interval) = (datagrams.payload.0 as u32, datagrams.interval);
        let source = Application::Datagrams { payload, interval };
        return Ok([source, Application::Sink { expected: None }]);
    }
    let bytes = flow.size.and_then(Size::quantity).map(|bytes| bytes.0);
    Ok([Application::Source { bytes, streams }, Application::Sink { expected: bytes }])
}

fn config(file: &file::Quic, base: QuicConfig) -> QuicConfig {
    let std_of = |own: Duration| std::time::Duration::from_nanos(own.as_nanos());
    QuicConfig {
        connections: file.connections,
        congestion: match file.congestion_control {
            QuicControl::Cubic => Congestion::Cubic,
            QuicControl::NewReno => Congestion::NewReno,
            QuicControl::Bbr => Congestion::Bbr,
        },
        receive_window: file.receive_window.map(|bytes| bytes.0 as u32),
        largest_payload: Some(file.largest_payload.0 as u16),
        idle_timeout: Some(std_of(file.idle_timeout)),
        ..base
    }
}
