//! Recorded capacity of a link: a file in mahimahi's format that the scenario names.

use core::fmt;
use std::sync::Arc;

use airpath_path::Recording as Trace;
use airpath_schema::{Decoder, Field, Json, Node, json};

/// A file with recorded capacity, by its path relative to the scenario's.
#[derive(Clone, PartialEq)]
pub struct Capacity {
    file: String,
    recording: Option<Arc<Trace>>,
}

impl Capacity {
    /// The path as the scenario has it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Content of the file, once it has been read.
    pub fn recording(&self) -> Option<&Arc<Trace>> {
        self.recording.as_ref()
    }

    pub(crate) fn set(&mut self, recording: Trace) {
        self.recording = Some(Arc::new(recording));
    }
}

impl fmt::Debug for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Capacity({:?})", self.file)
    }
}

impl Field for Capacity {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "the path of a file with recorded capacity";
        let file = cx.text(node, allowed)?;
        match file.is_empty() {
            true => cx.fail(&node.place, "is empty", format!("it must be {allowed}")),
            false => Some(Capacity { file: file.to_owned(), recording: None }),
        }
    }
    fn encode(&self) -> Json {
        self.file.clone().into()
    }
    fn schema() -> Json {
        json!({"type": "string", "minLength": 1})
    }
}
