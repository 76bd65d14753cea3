//! Flows of a run as qlogs, which the analysis of its capture gives.

use std::io::{self, BufWriter};
use std::iter;

use airpath_analyse::{Analyser, Captures, FlowRecord, LargestFlows, Options, qlog};
use airpath_results::ResultsFolder;
use airpath_scenario::PcapPoint;

use crate::RunFailure;

/// Writes the largest flows of TCP and QUIC that passed a point. No other flow of a run has a form in qlog.
///
/// # Errors
///
/// If the capture cannot be read again, or a file not be written.
pub fn write(folder: &ResultsFolder, point: PcapPoint) -> Result<(), RunFailure> {
    let name = format!("capture-{}.pcapng", point.word());
    let capture = folder.file(&name)?;
    let (options, mut largest) = (Options::default(), LargestFlows::default());
    let ended = |flow: &FlowRecord| {
        if qlog::has_form(flow) {
            largest.flow(flow);
        }
    };
    let mut analyser = Analyser::with_sink(options.clone(), ended);
    let input = capture.open().map_err(RunFailure::Capture)?;
    let read = analyser.read(&name, input);
    read.map_err(|error| RunFailure::Capture(io::Error::other(error)))?;
    analyser.finish();
    let again: &Captures<'_> = &|| Box::new(iter::once_with(|| capture.open()).flatten());
    for flow in largest.flows() {
        let Some((flow, packets)) = qlog::packets(flow, again, &options) else { continue };
        let file = folder.file(&format!("flow-{}.qlog", flow.number))?.create();
        let written = file.and_then(|file| qlog::write(BufWriter::new(file), &flow, packets));
        written.map_err(RunFailure::Capture)?;
    }
    Ok(())
}
