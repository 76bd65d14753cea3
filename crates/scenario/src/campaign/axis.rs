//! Axes of a campaign: points that each set some keys.

use airpath_schema::{Draft, Node, Place, SourceId, Value};

use super::file::{ArmTable, Lists, Setting, Sweep, words};
use crate::tree;

/// Something that is varied.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Its columns: the keys that its points set, and `name` if they have names.
    pub columns: Vec<String>,
    pub points: Vec<Point>,
    /// Location in its text.
    pub place: Place,
}

/// A point of an axis.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Name, unique on its axis.
    pub name: String,
    /// Text in each column of the axis.
    pub cells: Vec<Option<String>>,
    pub settings: Vec<Setting>,
    /// Number of runs of its arms, if given.
    pub runs: Option<u64>,
    pub place: Place,
}

/// The axes of a table `[sweep]`: arms, lists that go together, the grid.
pub(super) fn of_file(sweep: &Sweep, drafts: &mut Vec<Draft>) -> Vec<Axis> {
    let zips: Vec<Axis> = sweep.zip.iter().filter_map(|lists| zipped(lists, drafts)).collect();
    let grid = sweep.grid.0.iter().map(|(key, values)| single(key, values));
    arms(sweep).into_iter().chain(zips).chain(grid).collect()
}

/// Arms by axis, in the order of their first arms.
fn arms(sweep: &Sweep) -> Vec<Axis> {
    let mut axes: Vec<(Option<&str>, Vec<&ArmTable>)> = Vec::new();
    for arm in &sweep.arm {
        let axis = arm.axis.as_deref();
        match axes.iter_mut().find(|(known, _)| *known == axis) {
            Some((_, arms)) => arms.push(arm),
            None => axes.push((axis, vec![arm])),
        }
    }
    axes.into_iter().map(|(axis, arms)| of_arms(axis, &arms)).collect()
}

/// An axis of arms: its column of names, and one for each key that any of them sets.
fn of_arms(axis: Option<&str>, arms: &[&ArmTable]) -> Axis {
    let named = axis.is_some() || arms.iter().any(|arm| arm.name.is_some());
    let title = axis.unwrap_or("name");
    let mut columns: Vec<String> = named.then(|| title.to_owned()).into_iter().collect();
    for setting in arms.iter().flat_map(|arm| &arm.settings) {
        if !columns.contains(&setting.path) {
            columns.push(setting.path.clone());
        }
    }
    let point = |arm: &&ArmTable| {
        let name = arm_name(arm);
        let cell = |(n, column): (usize, &String)| match n {
            0 if named => Some(name.clone()),
            _ => arm.settings.iter().find(|s| s.path == *column).map(|s| words(&s.node)),
        };
        let cells = columns.iter().enumerate().map(cell).collect();
        let (settings, place) = (arm.settings.clone(), arm.place.clone());
        Point { name, cells, settings, runs: arm.replications, place }
    };
    let points: Vec<Point> = arms.iter().map(point).collect();
    let place = arms[0].place.clone();
    Axis { columns, points, place }
}

fn arm_name(arm: &ArmTable) -> String {
    let of = |setting: &Setting| format!("{} {}", setting.path, words(&setting.node));
    let spelt = || arm.settings.iter().map(of).collect::<Vec<_>>().join(", ");
    match arm.name.clone().unwrap_or_else(spelt) {
        name if name.is_empty() => "as it is".to_owned(),
        name => name,
    }
}

fn zipped(lists: &Lists, drafts: &mut Vec<Draft>) -> Option<Axis> {
    let (first, values) = lists.0.first()?;
    if let Some((other, own)) = lists.0.iter().find(|(_, own)| own.len() != values.len()) {
        let message = format!(
            "`{}` has {} values and `{}` {}: keys that go together need as many",
            first.path,
            values.len(),
            other.path,
            own.len()
        );
        let help = Some("give each key of this table as many values".to_owned());
        drafts.push(Draft { message, label: "here".into(), help, place: other.place.clone() });
        return None;
    }
    let columns = lists.0.iter().map(|(key, _)| key.path.clone()).collect();
    let point = |n: usize| {
        let set = |(key, values): &(Setting, Vec<Node>)| setting(key, &values[n]);
        together(lists.0.iter().map(set).collect(), values[n].place.clone())
    };
    let points = (0..values.len()).map(point).collect();
    Some(Axis { columns, points, place: first.place.clone() })
}

fn single(key: &Setting, values: &[Node]) -> Axis {
    let point = |value: &Node| together(vec![setting(key, value)], value.place.clone());
    let points = values.iter().map(point).collect();
    Axis { columns: vec![key.path.clone()], points, place: key.place.clone() }
}

fn setting(key: &Setting, value: &Node) -> Setting {
    Setting { node: value.clone(), ..key.clone() }
}

/// A point that is called by what it sets.
fn together(settings: Vec<Setting>, place: Place) -> Point {
    let cells: Vec<String> = settings.iter().map(|setting| words(&setting.node)).collect();
    let name = cells.join(" / ");
    let cells = cells.into_iter().map(Some).collect();
    Point { name, cells, settings, runs: None, place }
}

/// An axis from `KEY[,KEY]=VALUE,VALUE…`. With several keys each value is a list of as many,
/// or one that all of them get.
pub(super) fn of_argument(text: &str, source: SourceId) -> Result<Axis, Draft> {
    let fault = |message: String, help: &str, span: core::ops::Range<usize>| {
        let place = Place::new(source, span);
        Draft { message, label: "here".to_owned(), help: Some(help.to_owned()), place }
    };
    let form = "write KEY=VALUE,VALUE as flow.download.tcp.controller=cubic,prague";
    let Some((keys, values)) = text.split_once('=') else {
        return Err(fault("what is varied needs an equals sign".into(), form, 0..text.len()));
    };
    let keys: Vec<Setting> = pieces(keys)
        .map(|span| Setting {
            path: keys[span.clone()].to_owned(),
            place: Place::new(source, span.clone()),
            node: Node { value: Value::Datetime, place: Place::new(source, span) },
        })
        .collect();
    if keys.iter().any(|key| key.path.is_empty()) {
        return Err(fault("a key is empty".into(), form, 0..text.len() - values.len()));
    }
    let offset = text.len() - values.len();
    let mut points = Vec::new();
    for span in pieces(values) {
        let written = &values[span.clone()];
        let span = span.start + offset..span.end + offset;
        if written.is_empty() {
            return Err(fault("a value is missing".into(), form, offset - 1..text.len()));
        }
        let node = tree::value(written, source, span.start).unwrap_or_else(|| Node {
            value: Value::String(written.to_owned()),
            place: Place::new(source, span.clone()),
        });
        let Some(own) = for_keys(&node, keys.len()) else {
            let message = format!("there are {} keys, and not as many values here", keys.len());
            let help = "give a list with a value for each key, or one value for all";
            return Err(fault(message, help, span));
        };
        let settings = keys.iter().zip(own).map(|(key, value)| setting(key, &value)).collect();
        points.push(together(settings, Place::new(source, span)));
    }
    let columns = keys.iter().map(|key| key.path.clone()).collect();
    Ok(Axis { columns, points, place: Place::new(source, 0..offset - 1) })
}

/// A value for each of so many keys.
fn for_keys(node: &Node, keys: usize) -> Option<Vec<Node>> {
    match &node.value {
        _ if keys == 1 => Some(vec![node.clone()]),
        Value::Array(items) => (items.len() == keys).then(|| items.clone()),
        _ => Some(vec![node.clone(); keys]),
    }
}

/// Parts between commas outside of quotes and brackets, without spaces around.
fn pieces(text: &str) -> impl Iterator<Item = core::ops::Range<usize>> {
    let (mut depth, mut quote, mut start) = (0_i32, None, 0);
    let mut spans = Vec::new();
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                spans.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    spans.push(start..text.len());
    spans.into_iter().map(|span| {
        let own = &text[span.clone()];
        let from = span.start + own.len() - own.trim_start().len();
        from..from + own.trim().len()
    })
}
