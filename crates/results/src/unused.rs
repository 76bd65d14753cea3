//! Dedicated bearers whose packet filters matched nothing that a run sent.
//!
//! A filter that can match no flow is an error of the scenario. ECN bits of a filter are known only
//! once packets were sent, so that this is found after the run.

use serde_json::Value;

use crate::{BearerSummary, OutOfReach, QueueSummary, RunSummary, reach_warnings};

impl RunSummary {
    /// Sentences that stand after the tables of a run. Each names UEs out of reach, fixed links that fail too
    /// often, UEs that HARQ processes limit, or that send more than configured grants carry. Others name flows that gave up, bearers without packets, or UEs that keep their cells.
    pub fn warnings(&self) -> Vec<String> {
        let mut all = reach_warnings(&OutOfReach::of(self));
        all.extend(self.failing_links());
        all.extend(self.stalled_ues());
        all.extend(self.small_grants());
        all.extend(self.given_up_flows());
        all.extend(self.unused_bearers());
        all.extend(self.kept_cells());
        all
    }

    /// A sentence for each dedicated bearer of the scenario that carried no packet at any UE.
    ///
    /// Left out are bearers whose filters may be unused, and those whose UEs sent and received nothing.
    pub fn unused_bearers(&self) -> Vec<String> {
        let all = self.scenario["bearer"].as_array();
        let all = all.into_iter().flatten().filter(|bearer| is_expected(bearer));
        let names = all.filter_map(|bearer| bearer["name"].as_str());
        names.filter(|name| self.is_unused(name)).map(sentence).collect()
    }

    fn is_unused(&self, name: &str) -> bool {
        let own = || self.bearers.iter().filter(|bearer| bearer.name == name);
        own().all(|bearer| !carried(bearer)) && own().any(|bearer| self.has_traffic(bearer))
    }

    fn has_traffic(&self, bearer: &BearerSummary) -> bool {
        self.flows.iter().any(|flow| flow.ue == bearer.ue && flow.received_packets > 0)
    }
}

/// True if packets are expected: the bearer has a filter that must not be unused.
fn is_expected(bearer: &Value) -> bool {
    let flows = bearer["qos_flow"].as_array().into_iter().flatten();
    let filters = flows.chain([bearer]).filter_map(|of| of["filter"].as_array()).flatten();
    bearer["default"] != true && filters.into_iter().any(|filter| filter["may_be_unused"] != true)
}

fn carried(bearer: &BearerSummary) -> bool {
    let waited = |queue: &QueueSummary| queue.max_packets > 0 || queue.mean_delay_ms.is_some();
    waited(&bearer.queue) || waited(&bearer.queue_up)
}

fn sentence(name: &str) -> String {
    format!("bearer {name} carried nothing: its filters matched no packet that was sent")
}
