//! Controllers that can be evaluated.

use airpath_study::MakeOwn;

use crate::{EvaluateError, Family};

/// A congestion controller, and the keys that give it to a flow.
#[derive(Clone)]
pub struct Controller<'a> {
    /// Its name.
    pub name: String,
    /// Family of the cases that it is evaluated by.
    pub family: Family,
    /// Keys below the flow with their values in TOML.
    keys: Vec<(String, String)>,
    /// True if it keeps the state of BBR (draft-ietf-ccwg-bbr-06, 2).
    pub is_bbr: bool,
    /// True if it needs a program with stacks.
    pub needs_stacks: bool,
    /// Makes it, if it is the caller's own.
    pub(crate) own: Option<&'a MakeOwn<'a>>,
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
pub const CONTROLLERS: [Known; 14] = [
    media(
        "scream",
        "SCReAM (RFC 8298 and its successor)",
        &[("rtp.congestion_control", "\"scream\"")],
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
            is_bbr: ["bbr", "bbr1"].contains(&name),
            needs_stacks: known.keys.iter().any(|(key, _)| *key == "kind"),
            own: None,
        })
    }

    /// The caller's own controller of a TCP sender.
    pub fn own(name: &str, make: &'a MakeOwn<'a>) -> Controller<'a> {
        Controller {
            name: name.to_owned(),
            family: Family::Transport,
            keys: Vec::new(),
            is_bbr: false,
            needs_stacks: false,
            own: Some(make),
        }
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
