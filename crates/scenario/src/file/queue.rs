//! Recorded capacity of a link: files in mahimahi's or CellReplay's format that the scenario names.

use core::fmt;
use std::sync::Arc;

use airpath_base::Digest;
use airpath_path::{Light, Recording as Trace};
use airpath_schema::{Decoder, Field, Json, Node, Value, json, record};

/// Recorded capacity: a file in mahimahi's format, or both of CellReplay's, by paths relative to the scenario's.
#[derive(Clone, PartialEq)]
pub struct Capacity {
    file: String,
    light_file: Option<String>,
    recording: Option<Arc<Trace>>,
    light: Option<Arc<Light>>,
}

record! {
    /// Recordings of CellReplay (Sentosa et al., NSDI 2025): base delays over time, light and heavy delivery opportunities.
    pub struct CellReplay {
        /// File with trains in whole milliseconds: each line has a train's time, its base delay, and its arrivals after the
        /// first one. The last line is the end, after which the recording repeats.
        light: String;
        /// File of heavy opportunities: each line is a millisecond at which 1400 bytes can be delivered.
        heavy: String;
    }
}

impl Capacity {
    /// Path of the file with opportunities, as the scenario has it: mahimahi's, or CellReplay's heavy ones.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Path of CellReplay's file with trains, as the scenario has it; none in mahimahi's format.
    pub fn light_file(&self) -> Option<&str> {
        self.light_file.as_deref()
    }

    /// Opportunities, once they have been read.
    pub fn recording(&self) -> Option<&Arc<Trace>> {
        self.recording.as_ref()
    }

    /// Trains of CellReplay, once they have been read; none in mahimahi's format.
    pub fn light(&self) -> Option<&Arc<Light>> {
        self.light.as_ref()
    }

    pub(crate) fn set(&mut self, recording: Trace, light: Option<Light>) {
        (self.recording, self.light) = (Some(Arc::new(recording)), light.map(Arc::new));
    }

    /// Fingerprint of both files.
    pub(crate) fn digest(&self) -> Digest {
        let digest = self.recording.as_ref().map_or(Digest::new(), |own| own.digest());
        let Some(light) = &self.light else { return digest };
        digest.field(&light.digest().value().to_be_bytes())
    }
}

impl fmt::Debug for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let light = self.light_file.iter().map(|light| format!("{light:?}, ")).collect::<String>();
        write!(f, "Capacity({light}{:?})", self.file)
    }
}

impl Field for Capacity {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "the path of a file with recorded capacity, or a table with those of CellReplay: light and heavy";
        let (file, light_file) = match &node.value {
            Value::Table(_) => {
                let CellReplay { light, heavy } = CellReplay::decode(node, cx)?;
                (heavy, Some(light))
            }
            Value::String(file) => (file.clone(), None),
            _ => return cx.wrong_kind(node, allowed),
        };
        if file.is_empty() || light_file.as_deref() == Some("") {
            return cx.fail(&node.place, "is empty", format!("it must be {allowed}"));
        }
        Some(Capacity { file, light_file, recording: None, light: None })
    }
    fn encode(&self) -> Json {
        let heavy = self.file.clone();
        match self.light_file.clone() {
            Some(light) => CellReplay { light, heavy }.encode(),
            None => heavy.into(),
        }
    }
    fn schema() -> Json {
        json!({"anyOf": [{"type": "string", "minLength": 1}, CellReplay::schema()]})
    }
}
