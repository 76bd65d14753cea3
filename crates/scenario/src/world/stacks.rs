//! Ends of flows whose transport is a real stack.

use airpath_net::{Leg, Node};
use airpath_schema::units::Size;
use airpath_stacks::quic::{Application, Congestion, KeyLines, Logs, Quic, QuicConfig, Side};
use airpath_stacks::{EndConfig, StackEnd};
use airpath_wire::Endpoint;

use super::StackLogs;
use super::traffic::{Draws, Nodes, OneFlow};
use crate::file::{self, QuicControl};

/// Both ends of QUIC, that of the source first. The UE opens.
pub(super) fn quic(
    one: &OneFlow<'_>,
    (source, sink): (Endpoint, Endpoint),
    draws: &Draws,
    files: &StackLogs,
) -> Result<Nodes, String> {
    let options = one.flow.quic.as_ref().ok_or("a flow of kind quic lacks its options")?;
    let bytes = one.flow.size.and_then(Size::quantity).map(|bytes| bytes.0);
    let source_application = Application::Source { bytes, streams: options.streams };
    let sink_application = Application::Sink { expected: bytes };
    let end = |local: Endpoint, remote: Endpoint, application: Application, leg: Leg| {
        let at_ue = local == one.local;
        let (side, name) = if at_ue { (Side::Client, "ue") } else { (Side::Server, "server") };
        let mut stream = draws.stream(&format!("quic {name}"));
        let config = config(options, QuicConfig::new(side, (local, remote), application));
        let keys = files.keys.clone().map(KeyLines);
        let name = format!("quic-{}-{name}", one.id.0);
        let logs = Logs { keys, qlog: files.qlog.clone(), name };
        let stack = Quic::new(config, &mut stream, logs).map_err(|fault| fault.to_string())?;
        let own = EndConfig {
            flow: if at_ue { one.id } else { one.far },
            leg,
            local,
            remote,
            dscp: match leg {
                Leg::Data => one.flow.code_point(),
                Leg::Feedback => one.flow.feedback_code_point(),
            },
            start: one.start,
            stop: one.stop.filter(|_| leg == Leg::Data),
        };
        Ok::<Box<dyn Node>, String>(Box::new(StackEnd::new(own, stack, stream)))
    };
    let data = end(source, sink, source_application, Leg::Data)?;
    Ok([data, end(sink, source, sink_application, Leg::Feedback)?])
}

fn config(file: &file::Quic, base: QuicConfig) -> QuicConfig {
    QuicConfig {
        connections: file.connections,
        congestion: match file.congestion_control {
            QuicControl::Cubic => Congestion::Cubic,
            QuicControl::NewReno => Congestion::NewReno,
            QuicControl::Bbr => Congestion::Bbr,
        },
        receive_window: file.receive_window.map(|bytes| bytes.0 as u32),
        largest_payload: Some(file.largest_payload.0 as u16),
        idle_timeout: Some(std::time::Duration::from_nanos(file.idle_timeout.as_nanos())),
        ..base
    }
}
