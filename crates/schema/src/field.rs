//! From the tree of values to types, collecting every error on the way.

use crate::{Draft, Json, Node, Place, Value};

/// A type of an option: reads itself from a value, writes itself, and describes itself as JSON
/// Schema. The macros [`record!`](crate::record), [`choice!`](crate::choice) and
/// [`kinds!`](crate::kinds) derive all three from one declaration, so that the keys that are read,
/// written and described cannot differ.
pub trait Field: Sized {
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

/// Position of decoding, and errors so far.
#[derive(Debug, Default)]
pub struct Decoder {
    path: Vec<String>,
    drafts: Vec<Draft>,
    /// Warnings so far, a sentence each.
    pub(crate) warnings: Vec<String>,
    /// A key that the next table may have besides its own.
    pub(crate) also: Option<&'static str>,
}

impl Decoder {
    /// The errors so far.
    pub fn into_drafts(self) -> Vec<Draft> {
        self.drafts
    }

    /// The warnings so far, a sentence each.
    pub fn take_warnings(&mut self) -> Vec<String> {
        core::mem::take(&mut self.warnings)
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

    /// Reports an error in whole sentences, with a few words for its position.
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
