//! Flows whose real stack has given up, in a sentence.

use crate::{RunSummary, sentences};

impl RunSummary {
    /// A sentence on the flows of real stacks of which an end has given up; nothing if there are none.
    pub fn given_up_flows(&self) -> Option<String> {
        let named: Vec<String> = self
            .flows
            .iter()
            .filter_map(|flow| {
                let quic = flow.quic.as_ref().and_then(|quic| quic.failed.as_ref());
                let webrtc = flow.webrtc.as_ref().and_then(|call| call.failed.as_ref());
                Some(format!("{} ({})", flow.name, quic.or(webrtc)?))
            })
            .collect();
        let counted = match named.len() {
            0 => return None,
            1 => "1 flow".to_owned(),
            many => format!("{many} flows"),
        };
        Some(format!("{counted} of QUIC or WebRTC gave up: {}", sentences::list(&named)))
    }
}
