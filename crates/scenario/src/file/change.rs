//! Changes while the world runs.

use airpath_base::Duration;
use airpath_schema::{Decoder, Field, Json, Node, json, record};

use crate::change::settings;
use crate::json;

record! {
    /// Something that becomes different while the world runs.
    pub struct TimedChange {
        /// Time of the change, before whatever else happens at that instant: "10 s". A change
        /// behind the end of the run does not happen.
        at: Duration;
        /// Values that are set, by keys as `--set` takes them: { "path.sgi.rate" = "5 Mbit/s" }.
        /// These keys can change: rate, delay, loss and mark of a link; snr of a UE or group whose
        /// links are fixed. Of a flow active can change, of a bearer marking. Of queues these can
        /// change: low and high of a ramp, threshold of a step, target of codel, fq-codel, pie,
        /// l4span and dualpi2. Of dualpi2, ramp_low, ramp_high and step can change, too.
        set: Settings;
    }
}

/// Values by key.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings(pub Vec<(String, Json)>);

/// The changes of a scenario, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes(pub Vec<TimedChange>);

impl Settings {
    /// Each key with its value, for people: `path.sgi.rate = 5 Mbit/s`.
    pub fn shown(&self) -> Vec<String> {
        let shown = |(key, value): &(String, Json)| match value {
            Json::Text(text) => format!("{key} = {text}"),
            other => format!("{key} = {}", json::value(other.clone())),
        };
        self.0.iter().map(shown).collect()
    }
}

impl Changes {
    /// In the order of their times, those of one instant in that of the file.
    pub fn in_order(&self) -> Vec<TimedChange> {
        let mut all = self.0.clone();
        all.sort_by_key(|change| change.at);
        all
    }
}

impl Field for Settings {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Settings> {
        let all = settings::of(node);
        if all.is_empty() {
            let allowed = "it must be a table of keys with values, as { \"path.sgi.rate\" = \"5 \
                           Mbit/s\" }";
            return cx.fail(&node.place, "sets nothing", allowed.to_owned());
        }
        let encoded = |setting: settings::Setting| (setting.key, setting.node.to_json());
        Some(Settings(all.into_iter().map(encoded).collect()))
    }

    fn encode(&self) -> Json {
        Json::Table(self.0.clone())
    }

    fn schema() -> Json {
        json!({"type": "object", "minProperties": 1})
    }
}

impl Field for Changes {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Changes> {
        Vec::decode(node, cx).map(Changes)
    }

    /// Nothing where there are none, so that scenarios without changes are as they ever were.
    fn encode(&self) -> Json {
        if self.0.is_empty() { Json::Null } else { self.0.encode() }
    }

    fn schema() -> Json {
        Vec::<TimedChange>::schema()
    }

    fn absent() -> Option<Changes> {
        Some(Changes::default())
    }
}
