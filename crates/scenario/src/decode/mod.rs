//! From the tree of values to types, collecting every error on the way.
//!
//! Each type of the file is a [`Field`]: it reads itself from a value, writes
//! itself, and describes itself as JSON Schema. The macros [`record`], [`choice`]
//! and [`kinds`] derive all three from one declaration, so that the keys that are
//! read, written and described cannot differ.

mod bounds;
mod choice;
mod kinds;
mod plain;
mod record;

use serde_json::Value as Json;

use crate::error::Draft;
use crate::source::Place;
use crate::tree::{Node, Value};

pub(crate) use bounds::{Bounds, Check, above, above_to, at_least, between, one_of};
pub(crate) use choice::choice;
pub(crate) use kinds::{encoded, kinds, kinds_schema, with_kind};
pub(crate) use record::{Spec, TableReader, doc_text, record, record_schema};

/// A type of the scenario file.
pub(crate) trait Field: Sized {
    /// Reads a value; `None` if an error was reported.
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self>;

    /// The value as the file would have it, in canonical form.
    fn encode(&self) -> Json;

    /// JSON Schema (draft 7) of what `decode` accepts.
    fn schema() -> Json;

    /// The value when the key is not there, if it may be left out.
    fn absent() -> Option<Self> {
        None
    }
}

/// Where decoding stands, and what went wrong so far.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    path: Vec<String>,
    drafts: Vec<Draft>,
    /// A key that the next table may have besides its own.
    also: Option<&'static str>,
}

impl Decoder {
    /// The errors so far.
    pub fn into_drafts(self) -> Vec<Draft> {
        self.drafts
    }

    /// The key of the value being read, as `--set` would name it.
    pub fn key(&self) -> String {
        self.path.join(".")
    }

    /// Lets the next table have this key besides its own: somebody has read it already.
    pub fn allow_once(&mut self, key: &'static str) {
        self.also = Some(key);
    }

    /// Runs `read` one step further down.
    pub fn within<T>(&mut self, step: &str, read: impl FnOnce(&mut Decoder) -> T) -> T {
        self.path.push(step.to_owned());
        let result = read(self);
        self.path.pop();
        result
    }

    /// Reports that the value being read `is_wrong` and what is allowed.
    pub fn fail<T>(&mut self, place: &Place, is_wrong: &str, allowed: String) -> Option<T> {
        let message = format!("`{}` {is_wrong}", self.key());
        self.report(place, message, is_wrong, Some(allowed))
    }

    /// Reports an error in whole sentences, with a few words for the place.
    pub fn report<T>(
        &mut self,
        place: &Place,
        message: String,
        label: &str,
        help: Option<String>,
    ) -> Option<T> {
        self.drafts.push(Draft { message, label: label.to_owned(), help, place: place.clone() });
        None
    }

    /// Reports a value of the wrong kind.
    pub fn wrong_kind<T>(&mut self, node: &Node, allowed: &str) -> Option<T> {
        let is_wrong = format!("is {}", node.kind());
        self.fail(&node.place, &is_wrong, format!("it must be {allowed}"))
    }

    /// The text of a string value.
    pub fn text<'a>(&mut self, node: &'a Node, allowed: &str) -> Option<&'a str> {
        match &node.value {
            Value::String(text) => Some(text),
            _ => self.wrong_kind(node, allowed),
        }
    }
}

/// The candidate that looks most like `word`, if any does: for "did you mean". First the nearest
/// in spelling; then one that holds the word, as `newreno` holds `reno`; then one whose parts begin
/// with its letters, as those of `round-robin` with `rr`.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = letters(word);
    let candidates: Vec<(String, &str)> =
        candidates.into_iter().map(|candidate| (letters(candidate), candidate)).collect();
    let distance = |of: &str| strsim::damerau_levenshtein(&word, of);
    let spelt = candidates.iter().min_by_key(|(of, _)| distance(of))?;
    let likely = distance(&spelt.0) <= 1 + spelt.0.chars().count() / 4;
    let holds = |(of, _): &&(String, &str)| one_in_the_other(&word, of);
    let short = |(_, candidate): &&(String, &str)| word.len() >= 2 && initials(candidate) == word;
    let other = || candidates.iter().find(holds).or_else(|| candidates.iter().find(short));
    let found =
        if likely && distance(&spelt.0) < word.chars().count() { Some(spelt) } else { other() };
    found.map(|(_, candidate)| *candidate)
}

/// A word in lower case without what stands between its parts.
fn letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// First letters of the parts of a word.
fn initials(word: &str) -> String {
    let parts = word.split(|c: char| !c.is_alphanumeric());
    parts.filter_map(|part| part.chars().next()).flat_map(char::to_lowercase).collect()
}

/// Whether one is a part of the other, as `queue` of `queue_limit`.
fn one_in_the_other(word: &str, candidate: &str) -> bool {
    let shorter = word.len().min(candidate.len());
    shorter >= 3 && (candidate.contains(word) || word.contains(candidate))
}

/// A help text: what was meant, if that is known, and as a sentence of its own what is allowed.
pub(crate) fn suggest(meant: Option<&str>, allowed: &str) -> String {
    match meant {
        Some(meant) => advise(&format!("did you mean \"{meant}\"?"), allowed),
        None => allowed.to_owned(),
    }
}

/// The same behind a whole sentence of advice.
pub(crate) fn advise(advice: &str, allowed: &str) -> String {
    let mut letters = allowed.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("{advice} {}{}", first.collect::<String>(), letters.as_str())
}

/// Names in a row for a sentence.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_a_sentence() {
        assert_eq!(listed(["a", "b", "c"]), "\"a\", \"b\" or \"c\"");
        assert_eq!(listed([]), "nothing");
    }

    #[test]
    fn help_is_in_sentences() {
        assert_eq!(suggest(Some("a"), "it must be a"), "did you mean \"a\"? It must be a");
        assert_eq!(suggest(None, "it must be a"), "it must be a");
    }

    #[test]
    fn the_nearest_word_is_near() {
        let keys = ["rate", "delay", "queue", "resource_blocks"];
        assert_eq!(nearest("dealy", keys), Some("delay"));
        assert_eq!(nearest("ressource_block", keys), Some("resource_blocks"));
        assert_eq!(nearest("queue_limit", keys), Some("queue"));
        assert_eq!(nearest("colour", keys), None);
    }

    #[test]
    fn a_part_of_a_word_and_its_initials_are_near() {
        let controllers = ["newreno", "cubic", "dctcp", "bbr", "prague", "fixed"];
        assert_eq!(nearest("reno", controllers), Some("newreno"));
        assert_eq!(nearest("TCP_CUBIC", controllers), Some("cubic"));
        let templates = ["full-buffer", "lte-6rb", "l4s-cell", "lte-20-ues"];
        assert_eq!(nearest("lte6rb", templates), Some("lte-6rb"));
        assert_eq!(nearest("6rb", templates), Some("lte-6rb"));
        let schedulers = ["max-rate", "round-robin", "proportional-fair"];
        assert_eq!(nearest("rr", schedulers), Some("round-robin"));
        assert_eq!(nearest("PF", schedulers), Some("proportional-fair"));
        assert_eq!(nearest("x", schedulers), None);
        assert_eq!(nearest("", schedulers), None);
    }
}
