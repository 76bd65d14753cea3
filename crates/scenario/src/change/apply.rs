//! A scenario as it is behind a change: read again with other values, so that these are decoded
//! and checked as those of a file.

use airpath_schema::{Decoder, Draft, Field, Node, Value, nearest, suggest};

use super::keys;
use super::settings::{self, Setting};
use crate::file::Scenario;
use crate::{check, json, resolve, set};

/// The scenario with these values.
///
/// # Errors
///
/// What is wrong with them.
pub(super) fn apply(scenario: &Scenario, settings: &[Setting]) -> Result<Scenario, Vec<Draft>> {
    let drafts: Vec<Draft> =
        settings.iter().filter_map(|setting| check_key(scenario, setting)).collect();
    let Some(first) = settings.first().filter(|_| drafts.is_empty()) else { return Err(drafts) };
    let mut root = settings::node(&json::without_nulls(scenario.encode()), &first.place);
    remove(&mut root, "change");
    let drafts: Vec<Draft> =
        settings.iter().filter_map(|setting| put(&mut root, setting).err()).collect();
    if !drafts.is_empty() {
        return Err(drafts);
    }
    read(&root, scenario)
}

fn check_key(scenario: &Scenario, setting: &Setting) -> Option<Draft> {
    let Setting { key, place, .. } = setting;
    if !keys::is_known(key) {
        let all = keys::of(scenario);
        let help = suggest(nearest(key, all.iter().map(String::as_str)), keys::ALLOWED);
        let (message, label) =
            (format!("`{key}` cannot change while the world runs"), "cannot change");
        return Some(Draft {
            message,
            label: label.to_owned(),
            help: Some(help),
            place: place.clone(),
        });
    }
    let in_network = key.starts_with("ue.") && scenario.network.is_some();
    in_network.then(|| {
        let why = "the links of a network follow from where its UEs are dropped";
        refused(setting, "is no key of a network", why)
    })
}

fn refused(setting: &Setting, is_wrong: &str, help: &str) -> Draft {
    Draft {
        message: format!("`{}` {is_wrong}", setting.key),
        label: is_wrong.to_owned(),
        help: Some(help.to_owned()),
        place: setting.place.clone(),
    }
}

/// Puts a value where it belongs: what is around it must be there.
fn put(root: &mut Node, setting: &Setting) -> Result<(), Draft> {
    let steps: Vec<&str> = setting.key.split('.').map(str::trim).collect();
    let last = steps.len() - 1;
    let mut node = Some(&*root);
    for (n, step) in steps[..last].iter().enumerate() {
        let Some(inner) = node else { break };
        node = match &inner.value {
            Value::Array(items) => {
                let named = items.iter().find(|item| item.name() == Some(step));
                named.or_else(|| items.get(step.parse::<usize>().ok()?))
            }
            Value::Table(_) => {
                let entry = inner.entry(step).map(|entry| &entry.node);
                if entry.is_none() {
                    let path = steps[..=n].join(".");
                    let help = format!("what changes must be there: the scenario has no `{path}`");
                    return Err(refused(setting, "does not exist", &help));
                }
                entry
            }
            _ => None,
        };
    }
    if let Some(table) = node {
        check_table(table, &steps, setting)?;
    }
    // A ratio replaces a distance.
    if steps[0] == "ue" && last == 2 {
        drop_distance(root, steps[1]);
    }
    set::put_at(root, &setting.key, &setting.place, setting.node.clone())
}

/// Checks what depends on the table that the key is in.
fn check_table(table: &Node, steps: &[&str], setting: &Setting) -> Result<(), Draft> {
    let last = steps[steps.len() - 1];
    let around = steps[steps.len() - 2];
    if last == "rate" && table.entry("capacity").is_some() {
        let why = "the link has recorded capacity, which is its rate";
        return Err(refused(setting, "cannot change", why));
    }
    if around.ends_with("queue") {
        let Some(kind) = text(table, "kind") else { return Ok(()) };
        let can = matches!(
            (kind, last),
            ("ramp", "low" | "high")
                | ("step", "threshold")
                | ("codel" | "fq-codel" | "pie" | "l4span" | "dualpi2", "target")
                | ("dualpi2", "ramp_low" | "ramp_high" | "step")
        );
        if !can {
            let is_wrong = format!("cannot change: the queue is of kind {kind}");
            let why = "of queues these can: low and high of a ramp, threshold of a step, target \
                       of codel, fq-codel, pie, l4span and dualpi2, and of dualpi2 ramp_low, \
                       ramp_high and step";
            return Err(refused(setting, &is_wrong, why));
        }
        let steps = match text(table, "marking") {
            Some(marking) => marking == "step",
            None => text(table, "preset") == Some("linux"),
        };
        if kind == "dualpi2" && last != "target" && steps != (last == "step") {
            let why =
                "its marking is a step with `step`, or a ramp with `ramp_low` and `ramp_high`";
            return Err(refused(setting, "cannot change: the queue does not mark by it", why));
        }
    }
    Ok(())
}

/// The text of a key.
fn text<'a>(table: &'a Node, key: &str) -> Option<&'a str> {
    match &table.entry(key)?.node.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn drop_distance(root: &mut Node, ue: &str) {
    let Value::Table(entries) = &mut root.value else { return };
    let groups = entries.iter_mut().find(|entry| entry.key == "ue");
    let Some(Value::Array(groups)) = groups.map(|entry| &mut entry.node.value) else { return };
    let named = groups.iter().position(|group| group.name() == Some(ue));
    let number = named.or_else(|| ue.parse().ok());
    if let Some(group) = number.and_then(|number| groups.get_mut(number)) {
        remove(group, "distance");
    }
}

fn remove(node: &mut Node, key: &str) {
    if let Value::Table(entries) = &mut node.value {
        entries.retain(|entry| entry.key != key);
    }
}

/// The scenario of a tree that is `before` with other values; what was read of files is the same.
fn read(root: &Node, before: &Scenario) -> Result<Scenario, Vec<Draft>> {
    let mut cx = Decoder::default();
    let after = Scenario::decode(root, &mut cx);
    let mut drafts = cx.into_drafts();
    // A value that stands for several says the same for each.
    drafts.dedup_by(|one, other| one.message == other.message && one.place == other.place);
    let Some(mut after) = after.filter(|_| drafts.is_empty()) else { return Err(drafts) };
    keep_files(before, &mut after);
    resolve::fill_radio(&mut after);
    let drafts = check::structure(&after, root);
    if !drafts.is_empty() {
        return Err(drafts);
    }
    resolve::fill(&mut after);
    let drafts = check::traffic(&after, root);
    if drafts.is_empty() { Ok(after) } else { Err(drafts) }
}

/// Takes over what a scenario has of files and draws, which no change touches.
fn keep_files(before: &Scenario, after: &mut Scenario) {
    after.change = before.change.clone();
    after.seed = before.seed;
    for (old, new) in before.path.links().zip(after.path.links_mut()) {
        new.capacity = old.capacity.clone();
        new.up.capacity = old.up.capacity.clone();
    }
    if let (Some(old), Some(new)) = (&before.cell, &mut after.cell) {
        new.recorded_load = old.recorded_load.clone();
    }
    for (old, new) in before.ue.iter().zip(&mut after.ue) {
        new.arrivals = old.arrivals.clone();
        new.route = old.route.clone();
    }
    for (old, new) in before.flow.iter().zip(&mut after.flow) {
        let sizes = old.video().and_then(|(video, _)| video.frame_sizes.clone());
        if let Some((video, _)) = new.video_mut() {
            video.frame_sizes = sizes;
        }
    }
}
