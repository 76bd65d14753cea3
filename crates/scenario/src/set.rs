//! Overrides: `path.to.key=value` instead of the file's value, or [`unset
//! path.to.key`](crate::unset) to take a key out.
//!
//! The path names tables by their keys, and items of lists by their names or numbers from 0. The
//! value is read as TOML. A value that is no TOML stands for itself as a string, so that no shell
//! has to be talked into passing quotes: `ue.0.snr=20 dB`.

use core::ops::Range;

use airpath_schema::{Draft, Entry, Node, Place, SourceId, Value, listed, nearest, suggest};

use crate::change::settings::Setting;
use crate::source::Sources;
use crate::tree;
use crate::unset;

/// One step of a path with its location.
pub(crate) struct Step<'a> {
    pub name: &'a str,
    pub place: Place,
    /// The path up to and with this step.
    pub path: &'a str,
}

/// Changes the tree by one override of either kind, whose text joins the sources.
pub(crate) fn over(root: &mut Node, text: &str, sources: &mut Sources) -> Result<(), Draft> {
    match unset::path(text) {
        Some(path) => unset::apply(root, path, sources.add("--unset", path)),
        None => apply(root, text, sources.add("--set", text)),
    }
}

/// Changes the tree by one override that sets a key.
fn apply(root: &mut Node, text: &str, source: SourceId) -> Result<(), Draft> {
    let (steps, value) = read(text, source, ("an override", "flow.download.start=\"20 ms\""))?;
    put(root, &steps, value)
}

/// The key and the value of one change, which is written as an override.
pub(crate) fn parse(text: &str, source: SourceId) -> Result<Setting, Draft> {
    let (steps, node) = read(text, source, ("a change", "path.sgi.rate=\"5 Mbit/s\""))?;
    let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    let ends = [steps.first(), steps.last()].map(|step| step.map(|step| &step.place.span));
    let place = Place::new(source, ends[0].map_or(0, |s| s.start)..ends[1].map_or(0, |s| s.end));
    Ok(Setting { key: names.join("."), place, node })
}

/// Path and value of a text that is `what`, and may be as this example.
fn read<'t>(
    text: &'t str,
    source: SourceId,
    (what, example): (&str, &str),
) -> Result<(Vec<Step<'t>>, Node), Draft> {
    let fault = |is_wrong: &str, span: Range<usize>| {
        let help = format!("write path.to.key=value, as {example}");
        draft(format!("{what} {is_wrong}"), Some(help), Place::new(source, span))
    };
    let Some((path, written)) = text.split_once('=') else {
        return Err(fault("needs an equals sign", 0..text.len()));
    };
    let steps = steps(path, source);
    if let Some(empty) = steps.iter().find(|step| step.name.is_empty()) {
        return Err(fault("has an empty part in its path", empty.place.span.clone()));
    }
    let offset = path.len() + 1;
    let trimmed = written.trim();
    if trimmed.is_empty() {
        return Err(fault("has no value", 0..text.len()));
    }
    let lead = written.len() - written.trim_start().len();
    let place = Place::new(source, offset + lead..offset + lead + trimmed.len());
    let other = || match airpath_schema::large_integer(trimmed) {
        Some(number) => Value::Integer(number),
        None => Value::String(trimmed.to_owned()),
    };
    let value = tree::value(trimmed, source, offset + lead)
        .unwrap_or_else(|| Node { value: other(), place });
    Ok((steps, value))
}

/// Changes the tree by one value under a path that is written at `place`.
pub(crate) fn put_at(root: &mut Node, path: &str, place: &Place, node: Node) -> Result<(), Draft> {
    let mut end = 0;
    let step = |name: &'_ str| {
        end += name.len() + 1;
        (name.len(), end - 1)
    };
    let ends: Vec<(usize, usize)> = path.split('.').map(step).collect();
    let step = |(len, end): (usize, usize)| Step {
        name: path[end - len..end].trim(),
        place: place.clone(),
        path: &path[..end],
    };
    let steps: Vec<Step<'_>> = ends.into_iter().map(step).collect();
    put(root, &steps, node)
}

/// True if there is a value under a path.
pub(crate) fn has(root: &Node, path: &str) -> bool {
    let inner = |node: &Node, name: &str, rest: Option<&str>| match &node.value {
        Value::Array(items) => {
            let found = items.iter().find(|item| item.name() == Some(name));
            found.is_some_and(|item| rest.is_none_or(|rest| has(item, rest)))
        }
        _ => node.entry(name).is_some_and(|entry| rest.is_none_or(|rest| has(&entry.node, rest))),
    };
    match path.split_once('.') {
        Some((name, rest)) => inner(root, name, Some(rest)),
        None => inner(root, path, None),
    }
}

pub(crate) fn steps(path: &str, source: SourceId) -> Vec<Step<'_>> {
    let mut offset = 0;
    let step = |part: &'_ str| {
        let start = offset + part.len() - part.trim_start().len();
        let name = part.trim();
        offset += part.len() + 1;
        (name.len(), start)
    };
    let spans: Vec<(usize, usize)> = path.split('.').map(step).collect();
    let step = |(len, start): (usize, usize)| Step {
        name: &path[start..start + len],
        place: Place::new(source, start..start + len),
        path: &path[..start + len],
    };
    spans.into_iter().map(step).collect()
}

fn put(node: &mut Node, steps: &[Step<'_>], value: Node) -> Result<(), Draft> {
    let Some((step, rest)) = steps.split_first() else {
        *node = value;
        return Ok(());
    };
    let next = match &mut node.value {
        Value::Table(entries) => child(entries, step),
        Value::Array(items) => item(items, step)?,
        _ => {
            let message = format!("`{}` does not exist: what is before it is no table", step.path);
            return Err(draft(message, None, step.place.clone()));
        }
    };
    put(next, rest, value)
}

/// The value of a key, made if it is not there.
fn child<'a>(entries: &'a mut Vec<Entry>, step: &Step<'_>) -> &'a mut Node {
    let found = entries.iter().position(|entry| entry.key == step.name);
    let index = found.unwrap_or_else(|| {
        let node = Node { value: Value::Table(Vec::new()), place: step.place.clone() };
        let key_place = step.place.clone();
        entries.push(Entry { key: step.name.to_owned(), key_place, node });
        entries.len() - 1
    });
    &mut entries[index].node
}

/// The item of a list with this name or number.
fn item<'a>(items: &'a mut [Node], step: &Step<'_>) -> Result<&'a mut Node, Draft> {
    let index = index(items, step)?;
    Ok(&mut items[index])
}

/// The number, from 0, of the item of a list with this name or number.
pub(crate) fn index(items: &[Node], step: &Step<'_>) -> Result<usize, Draft> {
    let named = items.iter().position(|item| item.name() == Some(step.name));
    let numbered = || step.name.parse::<usize>().ok().filter(|index| *index < items.len());
    if let Some(index) = named.or_else(numbered) {
        return Ok(index);
    }
    let names: Vec<&str> = items.iter().filter_map(Node::name).collect();
    let meant = nearest(step.name, names.iter().copied());
    let numbers = match items.len() {
        0 => "the list is empty".to_owned(),
        n => format!("a number from 0 to {}", n - 1),
    };
    let help = match names.is_empty() {
        true => numbers,
        false => suggest(meant, &format!("there is {}; or {numbers}", listed(names))),
    };
    let message = format!("`{}` does not exist", step.path);
    Err(draft(message, Some(help), step.place.clone()))
}

pub(crate) fn draft(message: String, help: Option<String>, place: Place) -> Draft {
    Draft { message, label: "here".to_owned(), help, place }
}

#[cfg(test)]
#[path = "set_tests.rs"]
mod tests;
