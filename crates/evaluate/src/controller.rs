//! Controllers that can be evaluated.

use airpath_scenario::world::OwnParts;
use airpath_study::MakeOwn;
use airpath_transport::control::CongestionControl;

use crate::{EvaluateError, Family};

/// Makes the controller of a TCP sender of a run, by the name of its flow; none leaves that of the scenario. It is called
/// for flows that a case evaluates, and for no others.
pub type MakeControl<'a> = dyn Fn(&str) -> Option<Box<dyn CongestionControl>> + Sync + 'a;

/// A congestion controller, and the keys that give it to a flow.
#[derive(Clone)]
pub struct Controller<'a> {
    /// Its name.
    pub name: String,
    /// Family of the cases that it is evaluated by.
    pub family: Family,
    /// Keys below the flow with their values in TOML.
    keys: Vec<(String, String)>,
    /// Name of the controller of airpath of which it is a variant; its own name of another one.
    pub(crate) variant_of: String,
    /// True if it keeps the state of BBR (draft-ietf-ccwg-bbr-06, 2).
    pub is_bbr: bool,
    /// True if its packets can be ECN-capable.
    pub(crate) has_ecn: bool,
    /// True if it needs a program with stacks.
    pub needs_stacks: bool,
    /// Makes it, if it is the caller's own.
    pub(crate) own: Option<Own<'a>>,
}

/// Makers of a controller of the caller's own.
#[derive(Clone, Copy)]
pub(crate) enum Own<'a> {
    /// Makes the controller of a flow.
    Flow(&'a MakeControl<'a>),
    /// Makes the parts of a run.
    Run(&'a MakeOwn<'a>),
}

/// A controller that airpath comes with.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// A line about it.
    pub about: &'static str,
    family: Family,
    keys: &'static [(&'static str, &'static str)],
}

const fn tcp(
    name: &'static str,
    about: &'static str,
    keys: &'static [(&'static str, &'static str)],
) -> Known {
    Known { name, about, family: Family::Transport, keys }
}

const fn media(
    name: &'static str,
    about: &'static str,
    keys: &'static [(&'static str, &'static str)],
) -> Known {
    Known { name, about, family: Family::Media, keys }
}

/// Controllers that airpath comes with.
pub const CONTROLLERS: [Known; 15] = [
    media(
        "scream",
        "SCReAM (RFC 8298 and its successor) without ECN",
        &[("rtp.congestion_control", "\"scream\""), ("rtp.scream.ecn", "\"off\"")],
    ),
    media(
        "scream-l4s",
        "SCReAM with L4S marks",
        &[("rtp.congestion_control", "\"scream\""), ("rtp.scream.ecn", "\"l4s\"")],
    ),
    media(
        "gcc",
        "Google Congestion Control as libwebrtc has it",
        &[("rtp.congestion_control", "\"gcc\""), ("rtp.gcc.variant", "\"libwebrtc\"")],
    ),
    media(
        "gcc-draft",
        "Google Congestion Control (draft-ietf-rmcat-gcc)",
        &[("rtp.congestion_control", "\"gcc\""), ("rtp.gcc.variant", "\"draft\"")],
    ),
    media("nada", "NADA (RFC 8698)", &[("rtp.congestion_control", "\"nada\"")]),
    media(
        "str0m",
        "Bandwidth estimation of str0m, over WebRTC",
        &[("kind", "\"webrtc\""), ("webrtc.both_directions", "false")],
    ),
    tcp("cubic", "CUBIC (RFC 9438)", &[("tcp.controller", "\"cubic\"")]),
    tcp("newreno", "NewReno (RFC 5681 and 6582)", &[("tcp.controller", "\"newreno\"")]),
    tcp("dctcp", "DCTCP (RFC 8257)", &[("tcp.controller", "\"dctcp\"")]),
    tcp(
        "prague",
        "TCP Prague (draft-briscoe-iccrg-prague-congestion-control)",
        &[("tcp.controller", "\"prague\"")],
    ),
    tcp("bbr", "BBR (draft-ietf-ccwg-bbr)", &[("tcp.controller", "\"bbr\"")]),
    tcp("bbr1", "The first version of BBR, as in Linux", &[("tcp.controller", "\"bbr1\"")]),
    tcp(
        "quinn-cubic",
        "CUBIC of quinn-proto, over QUIC",
        &[("kind", "\"quic\""), ("quic.congestion_control", "\"cubic\"")],
    ),
    tcp(
        "quinn-newreno",
        "NewReno of quinn-proto, over QUIC",
        &[("kind", "\"quic\""), ("quic.congestion_control", "\"newreno\"")],
    ),
    tcp(
        "quinn-bbr",
        "BBR of quinn-proto, over QUIC",
        &[("kind", "\"quic\""), ("quic.congestion_control", "\"bbr\"")],
    ),
];

/// Controllers with the state of BBR.
const BBR: [&str; 2] = ["bbr", "bbr1"];

impl<'a> Controller<'a> {
    /// The controller of this name, as airpath comes with it.
    ///
    /// # Errors
    ///
    /// A name that is not known.
    pub fn known(name: &str) -> Result<Controller<'static>, EvaluateError> {
        let known = CONTROLLERS.iter().find(|known| known.name == name);
        let known = known.ok_or_else(|| {
            let names: Vec<&str> = CONTROLLERS.iter().map(|known| known.name).collect();
            EvaluateError::unknown("controller", name, &names)
        })?;
        let keys = known.keys.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Ok(Controller {
            name: name.to_owned(),
            family: known.family,
            keys: keys.collect(),
            variant_of: name.to_owned(),
            is_bbr: BBR.contains(&name),
            has_ecn: known.family == Family::Transport || name == "scream-l4s",
            needs_stacks: known.keys.iter().any(|(key, _)| *key == "kind"),
            own: None,
        })
    }

    /// The caller's own controller of a TCP sender, flow by flow.
    pub fn own(name: &str, make: &'a MakeControl<'a>) -> Controller<'a> {
        Controller::with_own(name, Own::Flow(make))
    }

    /// The caller's own parts of a sender of bulk data, run by run. Of the parts, congestion controllers count for flows that
    /// a case evaluates, and for no others. A run whose maker gives a reason is "not made".
    pub fn own_runs(name: &str, make: &'a MakeOwn<'a>) -> Controller<'a> {
        Controller::with_own(name, Own::Run(make))
    }

    fn with_own(name: &str, own: Own<'a>) -> Controller<'a> {
        Controller {
            name: name.to_owned(),
            family: Family::Transport,
            keys: Vec::new(),
            variant_of: name.to_owned(),
            is_bbr: false,
            has_ecn: true,
            needs_stacks: false,
            own: Some(own),
        }
    }

    /// This controller of the caller's own as a variant of one of airpath's: cases and criteria for that one have it too.
    #[must_use]
    pub fn variant_of(mut self, known: &str) -> Controller<'a> {
        known.clone_into(&mut self.variant_of);
        self.is_bbr = BBR.contains(&known);
        self
    }

    /// This controller of the caller's own as that of a flow of QUIC, which takes a program with stacks.
    #[must_use]
    pub fn over_quic(mut self) -> Controller<'a> {
        self.needs_stacks = true;
        self.with("kind", "\"quic\"")
    }

    /// This controller with a further key below the flow: `tcp.cubic.beta`, with its value in TOML.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Controller<'a> {
        self.keys.push((key.to_owned(), value.to_owned()));
        self
    }

    /// This controller under another name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Controller<'a> {
        name.clone_into(&mut self.name);
        self
    }

    /// Calls `run` with the parts of the caller's own for these flows. Gives the reason for which the run does not count.
    pub(crate) fn with_parts(
        &self,
        flows: &[String],
        run: &mut dyn FnMut(OwnParts<'_>),
    ) -> Option<String> {
        let is_one = |flow: &str| flows.iter().any(|own| own == flow);
        match self.own {
            None => run(OwnParts::default()),
            Some(Own::Flow(make)) => {
                let control = |flow: &str, _: &str| is_one(flow).then(|| make(flow)).flatten();
                run(OwnParts { controller: Some(&control), ..OwnParts::default() });
            }
            Some(Own::Run(make)) => {
                return make(&mut |parts| {
                    let control = |flow: &str, name: &str| {
                        parts.controller.filter(|_| is_one(flow)).and_then(|make| make(flow, name))
                    };
                    #[cfg(feature = "stacks")]
                    let quic = |flow: &str, name: &str| {
                        let own = parts.quic_controller.filter(|_| is_one(flow));
                        own.and_then(|make| make(flow, name))
                    };
                    run(OwnParts {
                        controller: Some(&control),
                        #[cfg(feature = "stacks")]
                        quic_controller: Some(&quic),
                        ..parts
                    });
                });
            }
        }
        None
    }

    /// Kind of its flows, which is the name of their table too.
    pub(crate) fn kind(&self) -> &str {
        let kind = self.keys.iter().rfind(|(key, _)| key == "kind");
        match (kind, self.family) {
            (Some((_, kind)), _) => kind.trim_matches('"'),
            (None, Family::Transport) => "tcp",
            (None, Family::Media) => "rtp",
        }
    }

    /// Overrides that give it to a flow.
    pub(crate) fn overrides(&self, flow: &str) -> impl Iterator<Item = String> {
        self.keys.iter().map(move |(key, value)| format!("flow.{flow}.{key}={value}"))
    }
}

/// The controllers of these names; all that this program can run for none.
///
/// # Errors
///
/// A name that is not known.
pub fn controllers(names: &[String]) -> Result<Vec<Controller<'static>>, EvaluateError> {
    if !names.is_empty() {
        return names.iter().map(|name| Controller::known(name)).collect();
    }
    let all = CONTROLLERS.iter().map(|known| Controller::known(known.name));
    let there = |own: &Result<Controller<'static>, _>| !matches!(own, Ok(own) if own.needs_stacks && !airpath_scenario::has_stacks());
    all.filter(there).collect()
}
