//! Ends of flows whose transport is a real stack.

use airpath_base::Duration;
use airpath_net::{Leg, Node};
use airpath_schema::units::Size;
use airpath_stacks::quic::{Application, Congestion, KeyLines, Logs, Quic, QuicConfig, Side};
use airpath_stacks::{EndConfig, StackEnd};
use airpath_wire::Endpoint;

use super::traffic::{Draws, Nodes, OneFlow};
use super::{StackLogs, applications};
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
