//! Overrides that take a key out of the file: `unset path.to.key`.
//!
//! The key then has its default, and an item of a list is gone. The path is that of
//! [`--set`](crate::set). A key that the file does not write is an error. Its default counts
//! already, and a misspelt key would stay unseen.

use airpath_schema::{Draft, Entry, Node, SourceId, Value, nearest};

use crate::set::{Step, draft, index, steps};

/// The word in front of the path.
const WORD: &str = "unset";

/// The override that takes a key out, as [`Scenario::parse`](crate::Scenario::parse) takes it.
pub fn unset(path: &str) -> String {
    format!("{WORD} {path}")
}

/// The path of an override that takes a key out; none of one that sets a key.
pub(crate) fn path(text: &str) -> Option<&str> {
    let path = text.trim_start().strip_prefix(WORD)?;
    path.starts_with(char::is_whitespace).then(|| path.trim())
}

/// Takes a key out of the tree.
pub(crate) fn apply(root: &mut Node, path: &str, source: SourceId) -> Result<(), Draft> {
    take(root, &steps(path, source))
}

fn take(node: &mut Node, steps: &[Step<'_>]) -> Result<(), Draft> {
    let Some((step, rest)) = steps.split_first() else { return Ok(()) };
    let next = match &mut node.value {
        Value::Table(entries) => {
            let at = key(entries, step)?;
            if rest.is_empty() {
                entries.remove(at);
                return Ok(());
            }
            &mut entries[at].node
        }
        Value::Array(items) => {
            let at = index(items, step)?;
            if rest.is_empty() {
                items.remove(at);
                return Ok(());
            }
            &mut items[at]
        }
        _ => return Err(missing(step, &[])),
    };
    take(next, rest)
}

/// The number of the entry with the key of a step.
fn key(entries: &[Entry], step: &Step<'_>) -> Result<usize, Draft> {
    let found = entries.iter().position(|entry| entry.key == step.name);
    found.ok_or_else(|| missing(step, entries))
}

fn missing(step: &Step<'_>, entries: &[Entry]) -> Draft {
    let message = match step.path {
        "" => "--unset needs a key".to_owned(),
        path => format!("`{path}` is not written in the scenario, so there is nothing to take out"),
    };
    let keys = || entries.iter().map(|entry| entry.key.as_str());
    let help = match (nearest(step.name, keys()), entries.is_empty()) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, false) => {
            format!("keys that are written here: {}", keys().collect::<Vec<_>>().join(", "))
        }
        (None, true) => "write the path of a key, as --unset path.s1.queue".to_owned(),
    };
    draft(message, Some(help), step.place.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, template};

    fn with(overrides: &[&str]) -> Result<Scenario, String> {
        let text = template("lte-6rb").expect("a template").text;
        let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
        Scenario::parse("lte-6rb.toml", text, &overrides).map_err(|errors| errors.plain())
    }

    #[test]
    fn a_scenario_without_a_key_is_as_if_its_line_were_not_there() {
        let text = template("lte-6rb").expect("a template").text;
        let without = text.replace("queue = \"100 packets\"\n", "");
        assert_ne!(without, text);
        let expected = Scenario::parse("lte-6rb.toml", &without, &[]).expect("valid");
        assert_eq!(with(&["unset path.s1.queue"]), Ok(expected.clone()));
        assert_eq!(with(&["path.s1.queue=pie", &unset("path.s1.queue")]), Ok(expected));
        // A setting behind it counts.
        assert_eq!(with(&["unset path.s1.queue", "path.s1.queue=100 packets"]), with(&[]));
    }

    #[test]
    fn items_of_lists_are_taken_out_by_name_and_number() {
        let names = |overrides: &[&str]| {
            let flows = with(overrides).expect("valid").flow;
            flows.iter().map(|flow| flow.name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(&["unset flow.voice", "unset bearer.voice"]), ["download"]);
        assert_eq!(names(&["unset flow.1", "unset bearer.1"]), ["download"]);
    }

    #[test]
    fn what_cannot_be_taken_out_is_named() {
        for (path, expected) in [
            ("duratoin", "did you mean `duration`?"),
            ("cell.harq", "`cell.harq` is not written in the scenario"),
            ("flow.upload", "`flow.upload` does not exist"),
            ("duration.x", "`duration.x` is not written"),
            ("", "needs a key"),
        ] {
            let error = with(&[&unset(path)]).expect_err(path);
            assert!(
                error.contains(expected) && error.starts_with("--unset:1: "),
                "{path}: {error}"
            );
        }
    }
}
