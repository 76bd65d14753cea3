//! Cases and criteria that a controller has something to compare with.

use airpath_scenario::Scenario;
use serde_json::Value;

use crate::{Case, Controller, Criterion, Family};

impl Case {
    /// Reason for which a controller is not evaluated by this case; none if it is.
    pub(crate) fn is_not_for(&self, controller: &Controller<'_>) -> Option<String> {
        match (self.file.family, controller.family) {
            (own, other) if own == other => {}
            (Family::Media, _) => return Some("the case is about media".to_owned()),
            (Family::Transport, _) => {
                return Some("the case is about senders of bulk data".to_owned());
            }
        }
        let only = &self.file.only;
        if !only.is_empty() && !only.contains(&controller.variant_of) {
            return Some(format!("the case is about {}", only.join(", ")));
        }
        if self.file.needs_ecn && !controller.has_ecn {
            return Some("the case is about marks, and the controller has no ECN".to_owned());
        }
        self.no_transfer(controller).or_else(|| self.keys_of_another_kind(controller))
    }

    /// Criteria that a controller is judged by.
    pub(crate) fn criteria_of<'a>(
        &'a self,
        controller: &'a Controller<'_>,
    ) -> impl Iterator<Item = &'a Criterion> {
        self.file.criterion.iter().filter(|own| self.not_judged(own, controller).is_none())
    }

    /// Reason for which a controller is not judged by a criterion; none if it is.
    pub(crate) fn not_judged(
        &self,
        own: &Criterion,
        controller: &Controller<'_>,
    ) -> Option<&'static str> {
        if own.bbr_only && !controller.is_bbr {
            return Some("the criterion reads the state of BBR");
        }
        // Real stacks report no expiries: a count of them would be 0 whatever happens.
        let is_stack = matches!(controller.kind(), "quic" | "webrtc");
        let counts = |flow: &String| {
            let of = |rest: &str| rest.split(['.', '[', ' ']).nth(1) == Some(flow.as_str());
            own.quantity.split("expiries@").skip(1).any(of)
        };
        (is_stack && self.file.subjects.iter().any(counts)).then_some(
            "the criterion counts expiries of the retransmission timer, which only TCP reports",
        )
    }

    /// Application of a flow that the case evaluates, beside a controller of the caller's own over TCP. It drives transfers
    /// alone: the connections of an application would have the controller of the scenario.
    fn no_transfer(&self, controller: &Controller<'_>) -> Option<String> {
        if controller.own.is_none() || controller.kind() != "tcp" {
            return None;
        }
        let keys = ["requests", "web", "player"];
        let key = |flow: &Value| keys.into_iter().find(|key| !flow[*key].is_null());
        let key = self.subjects_as_written().iter().find_map(key)?;
        Some(format!("the flow has {key}; one's own controller drives transfers"))
    }

    /// Reason for which a controller that takes another kind of flow is not evaluated; none for the usual kind. QUIC has no options
    /// of TCP, and WebRTC none of RTP. A case that sets such options would be another one without them.
    fn keys_of_another_kind(&self, controller: &Controller<'_>) -> Option<String> {
        let (kind, usual) = match (controller.kind(), self.file.family) {
            ("tcp" | "rtp", _) => return None,
            (kind, Family::Transport) => (kind, "tcp"),
            (kind, Family::Media) => (kind, "rtp"),
        };
        self.subjects_as_written().iter().find_map(|flow| {
            let keys = flow[usual].as_object().filter(|keys| !keys.is_empty())?;
            let keys = keys.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            Some(format!("the case sets {keys} of {usual}, which {kind} has not"))
        })
    }

    /// Flows that the case evaluates, as its runs have them, with nothing filled in. A run whose scenario has a fault has none: the
    /// fault is found when the run is made.
    fn subjects_as_written(&self) -> Vec<Value> {
        let written = |set: &[String]| Scenario::written(&self.name, &self.scenario, set).ok();
        let flows =
            self.runs().into_iter().filter_map(|run| written(&run.set)?.get("flow").cloned());
        let flows = flows.filter_map(|flows| flows.as_array().cloned()).flatten();
        flows.filter(|flow| self.file.subjects.iter().any(|own| flow["name"] == **own)).collect()
    }
}
