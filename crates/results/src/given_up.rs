//! Flows whose stack has given up, in a sentence.

use crate::{RunSummary, sentences};

impl RunSummary {
    /// A sentence on the flows of QUIC of which an end has given up; nothing if there are none.
    pub fn given_up_flows(&self) -> Option<String> {
        let named: Vec<String> = self
            .flows
            .iter()
            .filter_map(|flow| {
                Some(format!("{} ({})", flow.name, flow.quic.as_ref()?.failed.as_ref()?))
            })
            .collect();
        let counted = match named.len() {
            0 => return None,
            1 => "1 flow".to_owned(),
            many => format!("{many} flows"),
        };
        Some(format!("{counted} of QUIC gave up: {}", sentences::list(&named)))
    }
}
