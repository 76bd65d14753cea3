//! Changes while a world runs.
//!
//! A change sets keys of the scenario, in its file at a time (`[[change]]`) or by hand. It is
//! decoded and checked as if the whole scenario were read again with other values, and becomes
//! [changes](airpath_net::Change) of the nodes that differ. Keys that a UE's group, a link or a
//! bearer inherits thus mean what they mean in the file.

mod apply;
mod difference;
pub(crate) mod keys;
pub(crate) mod settings;

use airpath_base::NodeId;
use airpath_net::Change;
use airpath_schema::{Draft, Json, Node, Place, Value};

pub(crate) use difference::between;

use crate::error::Errors;
use crate::file::{Scenario, TimedChange};
use crate::set;
use crate::source::Sources;
use crate::world::Facts;
use settings::Setting;

/// Changes with their nodes, in the order in which they are to be made.
pub type Resolved = Vec<(NodeId, Change)>;

/// Turns keys with values into changes of a world, one after the other.
#[derive(Clone, Debug)]
pub struct Controls {
    /// The scenario as it is by now.
    scenario: Scenario,
    facts: Facts,
}

impl Controls {
    /// For the world with these facts, built of this scenario.
    pub fn new(scenario: &Scenario, facts: &Facts) -> Controls {
        Controls { scenario: scenario.clone(), facts: facts.clone() }
    }

    /// The scenario with all that has changed.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Keys that can change, but for those of queues.
    pub fn keys(&self) -> Vec<String> {
        keys::of(&self.scenario)
    }

    /// Changes in the world by `KEY=VALUE`, as `--set` takes it; from then on they count as done.
    ///
    /// # Errors
    ///
    /// What is wrong with it; nothing then counts as done.
    pub fn resolve(&mut self, text: &str) -> Result<Resolved, Errors> {
        let mut sources = Sources::default();
        let source = sources.add("change", text);
        let setting = set::parse(text, source).map_err(|draft| vec![draft]);
        let done = setting.and_then(|setting| self.set(&[setting]));
        done.map_err(|drafts| Errors::from_drafts(drafts, &sources))
    }

    /// Changes by an entry of the schedule; from then on they count as done.
    ///
    /// # Errors
    ///
    /// What is wrong with it; nothing in a scenario that was read from a file, unless something
    /// else has been resolved before that.
    pub fn timed(&mut self, change: &TimedChange) -> Result<Resolved, Errors> {
        let mut sources = Sources::default();
        let mut setting = |(key, value): &(String, Json)| {
            let source = sources.add("change", key);
            let place = Place::new(source, 0..key.len());
            let node = settings::node(value, &place);
            Setting { key: key.clone(), place, node }
        };
        let settings: Vec<Setting> = change.set.0.iter().map(&mut setting).collect();
        self.set(&settings).map_err(|drafts| Errors::from_drafts(drafts, &sources))
    }

    fn set(&mut self, settings: &[Setting]) -> Result<Resolved, Vec<Draft>> {
        let after = apply::apply(&self.scenario, settings)?;
        let changes = between(&self.scenario, &after, &self.facts);
        self.scenario = after;
        Ok(changes)
    }
}

/// Checks the changes of a file, one after the other in the order of their times.
pub(crate) fn check(scenario: &Scenario, root: &Node) -> Vec<Draft> {
    let Some(Value::Array(items)) = root.entry("change").map(|entry| &entry.node.value) else {
        return Vec::new();
    };
    let mut all: Vec<_> = scenario.change.0.iter().zip(items).collect();
    all.sort_by_key(|(change, _)| change.at);
    let mut drafts = Vec::new();
    let mut now = scenario.clone();
    for (_, item) in all {
        let Some(set) = item.entry("set") else { continue };
        match apply::apply(&now, &settings::of(&set.node)) {
            Ok(after) => now = after,
            Err(wrong) => drafts.extend(wrong),
        }
    }
    drafts
}
