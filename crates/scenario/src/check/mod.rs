//! Checks that depend on several keys: references, sums, orders, matches.
//!
//! Two passes: [`structure`] before defaults that follow from other keys are filled in,
//! [`traffic`] after.

mod applications;
mod bearers;
mod cancellation;
mod carrier_cells;
mod carriers;
mod cell;
mod congestion;
mod dual;
mod duplex;
mod exposure;
mod filters;
mod flows;
mod full_buffer;
mod handover;
mod inter_frequency;
mod layers;
mod links;
mod load;
mod mu_mimo;
mod network;
mod pdu_sets;
mod ports;
mod proxy;
mod recorded;
mod routes;
mod rrc;
mod scheduler;
mod secondary;
mod technology;
mod ues;
mod video;
mod wires;
mod xr;

use std::borrow::Cow;

use airpath_schema::{Draft, Node, Place, Value, listed, nearest, suggest};

use crate::file::{Indices, Names, PcapPoint, RadioKind, RecordedBlocks, Rrc, Scenario};
use crate::interval::Interval;
use crate::world::LogicalChannels;

/// Most entries of a list of bearers or flows.
const MOST_ENTRIES: usize = 1_000;

/// References, ranges and exclusions.
pub(crate) fn structure(scenario: &Scenario, root: &Node) -> Vec<Draft> {
    let mut checker = Checker { root, drafts: Vec::new(), renamed: None };
    check_output(scenario, &mut checker);
    links::check(scenario, &mut checker);
    match (scenario.radio, &scenario.cell) {
        (RadioKind::None, _) => wires::check(scenario, &mut checker),
        (RadioKind::Lte, cell) => cell.iter().for_each(|cell| {
            technology::check(cell, &mut checker);
            layers::check(scenario, cell, &mut checker);
            mu_mimo::check(scenario, cell, &mut checker);
            cell::check(scenario, cell, &mut checker);
            carriers::check(scenario, cell, &mut checker);
            scheduler::check(scenario, &cell.scheduler, &mut checker);
            rrc::check(scenario, cell, &mut checker);
            recorded::check(scenario, cell, &mut checker);
        }),
    }
    ues::check(scenario, &mut checker);
    routes::check(scenario, &mut checker);
    network::check(scenario, &mut checker);
    handover::check(scenario, &mut checker);
    dual::check(scenario, &mut checker);
    bearers::check(scenario, &mut checker);
    flows::check(scenario, &mut checker);
    proxy::check(scenario, &mut checker);
    checker.drafts
}

/// Starts of flows, of a file: changes while the run goes on leave them as they are.
pub(crate) fn starts(scenario: &Scenario, root: &Node) -> Vec<Draft> {
    let mut checker = Checker { root, drafts: Vec::new(), renamed: None };
    flows::check_starts(scenario, &mut checker);
    checker.drafts
}

fn check_output(scenario: &Scenario, checker: &mut Checker<'_>) {
    if scenario.output.warm_up >= scenario.duration {
        let allowed = format!("less than duration, {}", scenario.duration);
        checker.fail("output.warm_up", "leaves nothing of the run", allowed);
    }
    let windowed = scenario.output.blocks == RecordedBlocks::Window;
    if windowed && scenario.output.blocks_from >= scenario.duration {
        let allowed = format!("less than duration, {}", scenario.duration);
        checker.fail("output.blocks_from", "is behind the end of the run", allowed);
    }
}

/// A radio that is in a file of its own.
pub(crate) fn radio(radio: &Rrc, root: &Node) -> Vec<Draft> {
    let mut checker = Checker { root, drafts: Vec::new(), renamed: None };
    rrc::check_one(radio, "rrc", Interval::LTE.tti().length(), &mut checker);
    rrc::check_radio_file(radio, &mut checker);
    checker.drafts
}

pub(crate) use links::read_capacity;
pub(crate) use recorded::read_recorded_load;
pub(crate) use routes::read_tracks;
pub(crate) use video::read_frames;

/// Packets that are sent, and the bearers that they take.
pub(crate) fn traffic(scenario: &Scenario, root: &Node) -> Vec<Draft> {
    let mut checker = Checker { root, drafts: Vec::new(), renamed: None };
    bearers::check_resolved(scenario, &mut checker);
    dual::check_resolved(scenario, &mut checker);
    filters::check(scenario, &mut checker);
    flows::check_resolved(scenario, &mut checker);
    full_buffer::check_resolved(scenario, &mut checker);
    proxy::check_resolved(scenario, &mut checker);
    check_channels(scenario, &mut checker);
    check_qlog(scenario, &mut checker);
    checker.drafts
}

/// A capture of the radio has logical channels with numbers.
fn check_channels(scenario: &Scenario, checker: &mut Checker<'_>) {
    let captures = scenario.output.pcap.iter().position(|point| *point == PcapPoint::Mac);
    let Some(n) = captures.filter(|_| scenario.cell.is_some()) else { return };
    if LogicalChannels::of(scenario).is_none() {
        let (first, last) = LogicalChannels::range(scenario.has_user_plane_of_nr()).into_inner();
        let allowed = format!(
            "logical channels {first} to {last} for the bearers of a UE, a number for each mode \
             of RLC, one for full buffers"
        );
        checker.fail(&format!("output.pcap.{n}"), "has too many bearers to capture", allowed);
    }
}

/// Flows are logged from the capture of their point.
fn check_qlog(scenario: &Scenario, checker: &mut Checker<'_>) {
    let Some(point) = scenario.output.qlog else { return };
    if point == PcapPoint::Mac {
        let allowed = "a point that packets of IP pass, as \"server\" or \"ue\"";
        checker.fail("output.qlog", "has transport blocks and no flows", allowed);
    } else if !scenario.output.pcap.contains(&point) {
        let allowed = format!("a point of output.pcap: add \"{}\" there", point.word());
        checker.fail("output.qlog", "is not captured", allowed);
    }
}

/// Collects errors, each with the location of a key.
struct Checker<'a> {
    root: &'a Node,
    drafts: Vec<Draft>,
    /// The path of the table that stands for `cell` while a further carrier is checked.
    renamed: Option<String>,
}

impl Checker<'_> {
    /// Reports that the value at `path` (keys and numbers, with dots between) `is_wrong`. The
    /// location is that of the nearest table if the key is not in the file.
    fn fail(&mut self, path: &str, is_wrong: &str, allowed: impl Into<String>) {
        let (key, place) = self.locate(&self.renamed(path));
        let message = format!("`{key}` {is_wrong}");
        let label = is_wrong.to_owned();
        self.drafts.push(Draft { message, label, help: Some(allowed.into()), place });
    }

    /// The path of a key of the cell in the table that stands for it.
    fn renamed<'p>(&self, path: &'p str) -> Cow<'p, str> {
        match (&self.renamed, path.strip_prefix("cell.")) {
            (Some(table), Some(key)) => format!("{table}.{key}").into(),
            _ => path.into(),
        }
    }

    /// True if an override set the duration while the file set the value at `path`: a flow that has
    /// no time then is no mistake.
    fn is_cut_short(&self, path: &str) -> bool {
        let overridden = |place: &Place| place.source != self.root.place.source;
        let duration = self.root.entry("duration");
        duration.is_some_and(|entry| overridden(&entry.node.place))
            && !overridden(&self.locate(path).1)
    }

    /// Value of the file at `path`, a key of tables.
    fn given(&self, path: &str) -> Option<&Value> {
        let mut node = self.root;
        for step in self.renamed(path).split('.') {
            node = match (&node.value, step.parse::<usize>()) {
                (Value::Array(items), Ok(n)) => items.get(n)?,
                _ => &node.entry(step)?.node,
            };
        }
        Some(&node.value)
    }

    /// The path with names instead of numbers, and its location.
    fn locate(&self, path: &str) -> (String, Place) {
        let mut place = self.root.place.clone();
        let mut node = Some(self.root);
        let mut key = Vec::new();
        for step in path.split('.') {
            let next = node.and_then(|node| match &node.value {
                Value::Array(items) => items.get(step.parse::<usize>().ok()?),
                _ => node.entry(step).map(|entry| &entry.node),
            });
            let name = next.and_then(Node::name).filter(|_| step.parse::<usize>().is_ok());
            key.push(name.unwrap_or(step));
            if let Some(next) = next {
                place = next.place.clone();
            }
            node = next;
        }
        (key.join("."), place)
    }

    /// Checks the groups and numbers that an entry selects.
    fn selection(
        &mut self,
        scenario: &Scenario,
        path: &str,
        names: &Names,
        only: Option<&Indices>,
    ) {
        let groups = || scenario.ue.iter().map(|group| group.name.as_str());
        let unknown = |name: &&String| !groups().any(|group| group == name.as_str());
        for name in names.0.iter().filter(unknown) {
            let allowed = format!("groups of UEs: {}", listed(groups()));
            let allowed = suggest(nearest(name, groups()), &allowed);
            self.fail(&format!("{path}.ue"), &format!("names no UE: \"{name}\""), allowed);
        }
        let Some(only) = only else { return };
        let chosen = |name: &str| names.0.is_empty() || names.0.iter().any(|n| n == name);
        let selected = scenario.ue.iter().filter(|group| chosen(&group.name));
        if selected.clone().any(|group| group.arrivals.is_some()) {
            let allowed = "leave it out, or name groups with a count";
            let is_wrong = "picks from UEs that arrive, whose number is drawn";
            return self.fail(&format!("{path}.only"), is_wrong, allowed);
        }
        if let Some(most) = selected.map(|group| group.count).max()
            && only.last() >= most
        {
            let is_wrong = format!("has no UE of number {}", only.last());
            self.fail(&format!("{path}.only"), &is_wrong, format!("numbers are 0 to {}", most - 1));
        }
    }

    /// Checks that names differ and can be part of a path; `list` is the key.
    fn names<'n>(&mut self, list: &str, names: impl Iterator<Item = &'n str>) {
        let mut seen: Vec<&str> = Vec::new();
        for (n, name) in names.enumerate() {
            let path = format!("{list}.{n}.name");
            if !self.name(&path, name) {
                continue;
            }
            if seen.contains(&name) {
                let is_wrong = format!("is a second \"{name}\"");
                self.fail(&path, &is_wrong, format!("each {list} needs a name of its own"));
            }
            seen.push(name);
        }
    }

    /// Checks that a name can be part of a path.
    fn name(&mut self, path: &str, name: &str) -> bool {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ' | '\'');
        let too_long = name.chars().count() > 64;
        let fine = !name.is_empty() && !too_long && name.chars().all(plain);
        if !fine {
            self.fail(path, "is no name", "1 to 64 letters, digits, spaces, - and _");
        }
        fine
    }

    /// Checks the length of a list; what is longer is not looked into.
    fn length(&mut self, list: &str, len: usize) -> bool {
        let fine = len <= MOST_ENTRIES;
        if !fine {
            let is_wrong = format!("has {len} entries");
            self.fail(list, &is_wrong, format!("at most {MOST_ENTRIES}"));
        }
        fine
    }
}
