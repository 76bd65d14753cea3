//! Implementations: values of keys that count where a file has none.
//!
//! - `cell.implementation` and `ue.implementation` name a table of values.
//! - The tables are the files of `crates/scenario/implementations`, each value with its source.
//! - A key of the scenario goes before the value of an implementation.
//! - A fault in a value of an implementation is reported at the key `implementation`.

use airpath_schema::{Draft, Entry, Node, Place, SourceId, Value};

use crate::tree;

/// An implementation's name, and its file.
const FILES: [(&str, &str); 5] = [
    ("oai", include_str!("../implementations/oai.toml")),
    ("srsran", include_str!("../implementations/srsran.toml")),
    ("commercial-sa", include_str!("../implementations/commercial-sa.toml")),
    ("commercial-lte", include_str!("../implementations/commercial-lte.toml")),
    ("ideal", include_str!("../implementations/ideal.toml")),
];
/// Values of `cell.timing` that are left out with `tdd_configuration`. TS 36.213 has the first two by subframe, and a round
/// trip is longer than the feedback takes.
const BY_SUBFRAME: [&str; 3] = ["grant_to_transmission", "data_to_feedback", "harq_round_trip"];
/// Values of `cell.uplink` that are left out with another access than scheduling requests.
const WITH_REQUESTS: [&str; 2] = ["proactive_period", "proactive_grant"];
/// The key.
const KEY: &str = "implementation";

/// The file of an implementation, whose values have their sources beside them; none of an unknown name.
pub fn implementation(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The tree with the values of its implementations beneath its own. Unknown names are left to the declaration of
/// the key.
///
/// # Errors
///
/// An implementation of another technology than the cell's.
pub(crate) fn lay(root: &mut Node) -> Result<(), Vec<Draft>> {
    let technology = technology(root);
    let mut drafts = Vec::new();
    if let Some(cell) = entry(root, "cell") {
        drafts.extend(lay_table(cell, "cell", technology).err());
    }
    if let Some(Node { value: Value::Array(ues), .. }) = entry(root, "ue") {
        for ue in ues {
            drafts.extend(lay_table(ue, "ue", technology).err());
        }
    }
    if drafts.is_empty() { Ok(()) } else { Err(drafts) }
}

/// True if a tree names an implementation.
pub(crate) fn is_named(root: &Node) -> bool {
    let named = |node: &Node| node.entry(KEY).is_some();
    let cell = root.entry("cell").is_some_and(|cell| named(&cell.node));
    let ues = root.entry("ue").map(|ues| &ues.node.value);
    cell || matches!(ues, Some(Value::Array(ues)) if ues.iter().any(named))
}

/// The technology of the cell, by its word.
fn technology(root: &Node) -> &'static str {
    let word = root.entry("cell").and_then(|cell| cell.node.entry("technology"));
    match word.map(|word| &word.node.value) {
        Some(Value::String(word)) if word == "nr" => "nr",
        _ => "lte",
    }
}

fn entry<'n>(node: &'n mut Node, key: &str) -> Option<&'n mut Node> {
    let Value::Table(entries) = &mut node.value else { return None };
    entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
}

/// Puts the values of the implementation that a table names beneath the table's own.
fn lay_table(table: &mut Node, section: &str, technology: &str) -> Result<(), Draft> {
    let Some((name, place)) = named(table) else { return Ok(()) };
    let Some(text) = implementation(&name) else { return Ok(()) };
    let draft = |message: String, help: Option<String>| Draft {
        message,
        label: "here".to_owned(),
        help,
        place: place.clone(),
    };
    let values = tree::document(text, SourceId(0))
        .map_err(|error| draft(format!("{name} is no TOML: {}", error.message()), None))?;
    if let Some(Value::String(own)) = values.entry("technology").map(|entry| &entry.node.value)
        && own != technology
    {
        let message =
            format!("`{section}.{KEY}` \"{name}\" is one of {own}, and the cell has {technology}");
        let help = format!("set technology = \"{own}\" in [cell], or another implementation");
        return Err(draft(message, Some(help)));
    }
    let mut values = values;
    if let Some(own) = entry(&mut values, section) {
        if table.entry("tdd_configuration").is_some() {
            leave_out(own, "timing", &BY_SUBFRAME);
        }
        let access = table.entry("uplink").and_then(|uplink| uplink.node.entry("access"));
        if access.is_some_and(|own| !is_text(&own.node, "scheduling-request")) {
            leave_out(own, "uplink", &WITH_REQUESTS);
        }
        beneath(table, own, &place);
    }
    Ok(())
}

fn is_text(node: &Node, text: &str) -> bool {
    matches!(&node.value, Value::String(own) if own == text)
}

/// Leaves out values of a table within a table.
fn leave_out(node: &mut Node, table: &str, keys: &[&str]) {
    if let Some(Node { value: Value::Table(entries), .. }) = entry(node, table) {
        entries.retain(|entry| !keys.contains(&entry.key.as_str()));
    }
}

fn named(table: &Node) -> Option<(String, Place)> {
    let entry = table.entry(KEY)?;
    match &entry.node.value {
        Value::String(name) => Some((name.clone(), entry.node.place.clone())),
        _ => None,
    }
}

/// Adds what a table lacks, table by table. A table with a `kind` is one value.
fn beneath(table: &mut Node, values: &Node, place: &Place) {
    let (Value::Table(own), Value::Table(values)) = (&mut table.value, &values.value) else {
        return;
    };
    let is_value = |entries: &[Entry]| entries.iter().any(|entry| entry.key == "kind");
    if is_value(own) || is_value(values) {
        return;
    }
    for Entry { key, node, .. } in values {
        match own.iter_mut().find(|entry| entry.key == *key) {
            Some(entry) => beneath(&mut entry.node, node, place),
            None => {
                let mut node = node.clone();
                tree::relocate(&mut node, place);
                own.push(Entry { key: key.clone(), key_place: place.clone(), node });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Scenario;

    #[test]
    fn grants_without_requests_are_left_out_where_none_are_sent() {
        let period = |access: &str| {
            let text = format!(
                "duration = \"1 s\"\n[cell]\ntechnology = \"nr\"\nbandwidth = \"20 MHz\"\n\
                 implementation = \"commercial-sa\"\n{access}[[ue]]\nname = \"ue\"\nsnr = \"20 dB\"\n[[flow]]\n\
                 name = \"flow\"\nkind = \"tcp\"\ndirection = \"down\"\n"
            );
            let read = Scenario::parse("a.toml", &text, &[]);
            let read = read.unwrap_or_else(|errors| panic!("{}", errors.plain()));
            read.cell.and_then(|cell| cell.uplink.proactive_period)
        };
        assert!(period("").is_some());
        assert_eq!(period("uplink.access = \"reported\"\n"), None);
    }

    #[test]
    fn timing_that_lte_has_by_subframe_is_left_out() {
        for name in ["ideal", "commercial-lte"] {
            let text = format!(
                "duration = \"1 s\"\n[cell]\nresource_blocks = 50\nduplex = \"tdd\"\ntdd_configuration = 2\n\
                 implementation = \"{name}\"\n[[ue]]\nname = \"ue\"\nsnr = \"20 dB\"\n[[flow]]\n\
                 name = \"flow\"\nkind = \"tcp\"\ndirection = \"down\"\n"
            );
            let read = Scenario::parse("a.toml", &text, &[]);
            assert!(read.is_ok(), "{name}: {}", read.unwrap_err().plain());
        }
    }
}
