//! The table `[sweep]`: what is varied, and how often each arm runs.

use airpath_schema::{Decoder, Entry, Field, Json, Node, Place, Value, between, json, record};

use crate::json;

/// Runs of an arm at most.
pub(super) const MOST_RUNS: u64 = 100_000;

record! {
    /// A campaign over the scenario: `airpath sweep` runs each arm, which is a combination
    /// of the points of all axes, with several seeds. `airpath run` runs the scenario alone.
    pub struct Sweep {
        /// Runs of each arm, with seeds from `seed` on; the same for all arms. Default: 20.
        replications: Option<u64> => between(1, MOST_RUNS);
        /// Runs each arm until a metric is known well enough, instead of `replications`.
        until: Option<Until>;
        /// Keys with a list of values each. Each is an axis. A key with dots is quoted:
        /// "cell.scheduler.kind" = ["round-robin", "proportional-fair"].
        grid: Lists;
        /// Keys that go together, with lists of equal length. Each table is an axis.
        zip: Vec<Lists>;
        /// Arms with keys of their own, and a `name`; without it an arm is called by what it
        /// sets. Those with the same `axis` are an axis. `replications` in an arm counts before
        /// that of the campaign.
        arm: Vec<ArmTable>;
    }
}

record! {
    /// Condition under which an arm has run often enough.
    pub struct Until {
        /// The metric, as `video.frame_delay_p99_ms`.
        metric: String;
        /// Half width of the 95% interval of its mean, of the mean, as "5%".
        interval: Percent;
        /// Runs of each arm at least. Default: 10.
        least: u64 = 10 => between(2, MOST_RUNS);
        /// Runs of each arm at most. Default: 200.
        most: u64 = 200 => between(2, MOST_RUNS);
    }
}

/// A share: "5%" or 0.05.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(pub f64);

/// A key of the scenario with its path, where that stands, and what it is set to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub path: String,
    pub place: Place,
    pub node: Node,
}

/// Keys with a list of values each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists(pub(super) Vec<(Setting, Vec<Node>)>);

/// An arm: its axis and name, how often it runs, and what it sets.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmTable {
    pub(super) axis: Option<String>,
    pub(super) name: Option<String>,
    pub(super) replications: Option<u64>,
    pub(super) place: Place,
    pub(super) settings: Vec<Setting>,
}

impl Field for Percent {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let share = match &node.value {
            Value::Float(share) => Some(*share),
            Value::String(text) => text.trim().strip_suffix('%').and_then(|number| {
                number.trim().parse::<f64>().ok().map(|percent| percent / 100.0)
            }),
            _ => None,
        };
        match share {
            Some(share) if share > 0.0 && share < 1.0 => Some(Percent(share)),
            Some(_) => cx.fail(&node.place, "is out of range", "more than 0%, below 100%".into()),
            None => cx.fail(&node.place, "is no share", "write it as \"5%\"".into()),
        }
    }
    fn encode(&self) -> Json {
        json!(format!("{}%", self.0 * 100.0))
    }
    fn schema() -> Json {
        json!({"anyOf": [
            {"type": "string", "pattern": "^ *[0-9.]+ *% *$"},
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        ]})
    }
}

impl Field for Lists {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let list = |setting: Setting, cx: &mut Decoder| {
            let allowed = || "write the values as a list: key = [1, 2]".to_owned();
            let items = match &setting.node.value {
                Value::Array(items) if !items.is_empty() => items.clone(),
                Value::Array(_) => return cx.fail(&setting.place, "has no values", allowed()),
                _ => return cx.fail(&setting.node.place, "is no list of values", allowed()),
            };
            Some((setting, items))
        };
        let settings = settings(node, cx)?.into_iter();
        let read: Vec<_> = settings.map(|s| cx.within(&s.path.clone(), |cx| list(s, cx))).collect();
        read.into_iter().collect::<Option<_>>().map(Lists)
    }
    fn encode(&self) -> Json {
        let pairs =
            self.0.iter().map(|(setting, _)| (setting.path.clone(), setting.node.to_json()));
        pairs.collect()
    }
    fn schema() -> Json {
        json!({"type": "object", "additionalProperties":
            {"anyOf": [{"type": "array", "minItems": 1}, {"type": "object"}]}})
    }
    fn absent() -> Option<Self> {
        Some(Lists::default())
    }
}

impl Field for ArmTable {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let mut settings = settings(node, cx)?;
        let mut own = |key: &str| {
            let at = settings.iter().position(|setting| setting.path == key)?;
            Some(settings.remove(at).node)
        };
        let (axis, name, runs) = (own("axis"), own("name"), own("replications"));
        let mut text = |key: &str, node: Option<Node>| {
            node.map(|node| cx.within(key, |cx| cx.text(&node, "a string").map(str::to_owned)))
        };
        let (axis, name) = (text("axis", axis), text("name", name));
        let runs = runs.map(|node| cx.within("replications", |cx| runs_of(&node, cx)));
        let given = |read: Option<Option<String>>| read.map_or(Some(None), |read| read.map(Some));
        Some(ArmTable {
            axis: given(axis)?,
            name: given(name)?,
            replications: runs.map_or(Some(None), |read| read.map(Some))?,
            place: node.place.clone(),
            settings,
        })
    }
    fn encode(&self) -> Json {
        let texts = [("axis", &self.axis), ("name", &self.name)].into_iter();
        let texts = texts.filter_map(|(key, text)| Some((key.to_owned(), text.as_ref()?.into())));
        let runs = self.replications.map(|runs| ("replications".to_owned(), runs.into()));
        let settings = self.settings.iter().map(|s| (s.path.clone(), s.node.to_json()));
        texts.chain(runs).chain(settings).collect()
    }
    fn schema() -> Json {
        json!({"type": "object", "additionalProperties": true})
    }
}

fn runs_of(node: &Node, cx: &mut Decoder) -> Option<u64> {
    let runs = u64::decode(node, cx)?;
    match (1..=MOST_RUNS).contains(&runs) {
        true => Some(runs),
        false => cx.fail(&node.place, "is out of range", format!("allowed: 1 to {MOST_RUNS}")),
    }
}

/// Keys of a table with their paths. A key with a dot is a path, and what it is set to is taken
/// whole; tables under other keys are gone into.
fn settings(node: &Node, cx: &mut Decoder) -> Option<Vec<Setting>> {
    match &node.value {
        Value::Table(entries) => {
            let mut all = Vec::new();
            entries.iter().for_each(|entry| gather(entry, "", &mut all));
            Some(all)
        }
        _ => cx.wrong_kind(node, "a table of keys and values"),
    }
}

fn gather(entry: &Entry, above: &str, all: &mut Vec<Setting>) {
    let path = match above {
        "" => entry.key.clone(),
        above => format!("{above}.{}", entry.key),
    };
    match &entry.node.value {
        Value::Table(inner) if !entry.key.contains('.') => {
            inner.iter().for_each(|entry| gather(entry, &path, all));
        }
        _ => all.push(Setting { path, place: entry.key_place.clone(), node: entry.node.clone() }),
    }
}

/// A value in a few words, for names.
pub(super) fn words(node: &Node) -> String {
    let json = node.to_json();
    let kind = match &json {
        Json::Table(keys) if keys.len() == 1 => json.get("kind").cloned(),
        _ => None,
    };
    match kind.unwrap_or(json) {
        Json::Text(text) => text,
        other => json::value(other).to_string(),
    }
}
