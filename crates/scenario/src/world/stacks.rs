//! Ends of flows whose transport is a real stack.

use std::sync::Arc;

use airpath_base::{Duration, FlowId};
use airpath_net::{Leg, Node};
use airpath_schema::units::Size;
use airpath_stacks::quic::{
    Application, Congestion, EcnUse, KeyLines, Logs, Quic, QuicConfig, Side,
};
use airpath_stacks::webrtc::{LARGEST_PACKET, Role, VideoSource, Webrtc, WebrtcConfig};
use airpath_stacks::{EndConfig, StackEnd};
use airpath_transport::control::{CongestionControl, Controller};
use airpath_transport::tcp::TcpConfig;
use airpath_wire::Endpoint;

use super::traffic::{Draws, Nodes, OneFlow};
use super::{Builder, StackFlow, applications, media};
use crate::file::{self, Flow, QuicControl, QuicEcn};

/// Both ends of a flow of kind quic, that of the source first. The UE opens.
pub(super) fn ends(
    (one, name): (&OneFlow<'_>, &str),
    (source, sink): (Endpoint, Endpoint),
    draws: &Draws,
    of: &Builder<'_>,
) -> Result<Nodes, String> {
    let options = one.flow.quic.as_ref().ok_or("a flow of kind quic lacks its options")?;
    let size = one.flow.size.and_then(Size::quantity).map(|bytes| bytes.0);
    let is_upload = source == one.local;
    let flow = StackFlow { flow: &one.flow.name, name, source, sink, is_upload, size };
    if let Some([at_source, at_sink]) = of.own.stacks(&flow)? {
        let node = |local, stack, leg, name: &str| -> Box<dyn Node> {
            let draws = draws.stream(&format!("stack {name}"));
            Box::new(StackEnd::new(end(one, options, local, leg), stack, draws))
        };
        let data = node(source, at_source, Leg::Data, "source");
        return Ok([data, node(sink, at_sink, Leg::Feedback, "sink")]);
    }
    let [of_source, of_sink] = applications(one.flow, options, draws)?;
    let usual = congestion(options, one.seed);
    let own = of.own.congestion(&one.flow.name, name, options.connections);
    let make = |(local, remote): (Endpoint, Endpoint), application, congestion, leg| {
        let at_ue = local == one.local;
        let (side, name) = if at_ue { (Side::Client, "ue") } else { (Side::Server, "server") };
        let mut stream = draws.stream(&format!("quic {name}"));
        let base = QuicConfig::new(side, (local, remote), application);
        let config = config(options, QuicConfig { congestion, ..base });
        let keys = of.stack_logs.keys.clone().map(KeyLines);
        let name = format!("quic-{}-{name}", one.id.0);
        let logs = Logs { keys, qlog: of.stack_logs.qlog.clone(), name };
        let stack = Quic::new(config, &mut stream, logs).map_err(|fault| fault.to_string())?;
        let end = end(one, options, local, leg);
        Ok::<Box<dyn Node>, String>(Box::new(StackEnd::new(end, stack, stream)))
    };
    let (sends, takes) = (own.unwrap_or(usual.clone()), usual);
    let data = make((source, sink), of_source, sends, Leg::Data)?;
    Ok([data, make((sink, source), of_sink, takes, Leg::Feedback)?])
}

/// Options of one end.
fn end(one: &OneFlow<'_>, options: &file::Quic, local: Endpoint, leg: Leg) -> EndConfig {
    let acts = if one.flow.asks() { Leg::Feedback } else { Leg::Data };
    let flow = if local == one.local { one.id } else { one.far };
    EndConfig {
        flow,
        received: flow,
        starts: leg == Leg::Data,
        leg,
        local,
        next_port: options.new_port.map(|span| one.start + span).filter(|_| local == one.local),
        dscp: match leg {
            Leg::Data => one.flow.code_point(),
            Leg::Feedback => one.flow.feedback_code_point(),
        },
        ecn: options.ecn() != QuicEcn::Off,
        start: one.start,
        stop: one.stop.filter(|_| leg == acts),
    }
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
            next_port: None,
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
        ecn: match file.ecn() {
            QuicEcn::Off => EcnUse::Off,
            QuicEcn::Classic => EcnUse::Classic,
            #[cfg(feature = "accurate-ecn")]
            QuicEcn::L4s => EcnUse::L4s,
            #[cfg(not(feature = "accurate-ecn"))]
            QuicEcn::L4s => EcnUse::Classic, // refused by the checks
        },
        receive_window: file.receive_window.map(|bytes| bytes.0 as u32),
        largest_payload: Some(file.largest_payload.0 as u16),
        idle_timeout: Some(std_of(file.idle_timeout)),
        ..base
    }
}

/// Congestion control by the file. The random waits of airpath's BBR derive from `seed` and the connection's number.
fn congestion(file: &file::Quic, seed: u64) -> Congestion {
    let Some(controller) = file.congestion_control.of_airpath() else {
        return match file.congestion_control {
            QuicControl::NewReno => Congestion::NewReno,
            QuicControl::Bbr => Congestion::Bbr,
            _ => Congestion::Cubic,
        };
    };
    let make = move |number: u32| -> Option<Box<dyn CongestionControl>> {
        let seed = seed.wrapping_add(u64::from(number));
        let tcp = TcpConfig { controller, seed, ..TcpConfig::default() };
        Some(Box::new(Controller::new(&tcp)))
    };
    let name = file.congestion_control.word().to_owned();
    Congestion::Airpath { name, make: Arc::new(make) }
}
