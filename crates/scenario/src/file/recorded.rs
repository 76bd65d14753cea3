//! Table `cell.recorded_load`: UEs of a recorded scheduler.

use core::fmt;
use std::sync::Arc;

use airpath_base::Digest;
use airpath_ran::RecordedLoad as Load;
use airpath_schema::{Decoder, Field, Json, Node, between, json, record};

use super::Cell;
use crate::dci::{DciLog, LogCell};

record! {
    /// UEs whose resource blocks a sniffer has recorded. They take these from the cell's schedule in both directions, slot
    /// by slot, and have no packets.
    pub struct RecordedLoad(file) {
        /// NR-Scope's log of DCIs, by its path relative to this file's (Wan et al., CoNEXT 2024). It begins with the run,
        /// at an even frame, and repeats. Numerology, bandwidth and slots of the cell are those of the recorded one.
        file: DciFile;
        /// Carrier of the log (`carrier_index`). Default: 0, and rows of logs without this column.
        carrier: u8 = 0 => between(0, 31);
    }
}

/// A log of DCIs, by its path relative to the scenario's.
#[derive(Clone, PartialEq)]
pub struct DciFile {
    file: String,
    log: Option<Arc<DciLog>>,
    digest: Digest,
}

impl DciFile {
    /// The path as the scenario has it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Fingerprint of the content.
    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }

    pub(crate) fn read(&mut self, text: &str) -> Result<(), String> {
        self.log = Some(Arc::new(DciLog::parse(text)?));
        self.digest = Digest::new().field(text.as_bytes());
        Ok(())
    }
}

impl RecordedLoad {
    /// Resource blocks that the recorded UEs take of a cell; none before the file has been read.
    pub(crate) fn load(&self, cell: &Cell) -> Option<Result<Load, String>> {
        let cell = LogCell {
            numerology: cell.numerology(),
            resource_blocks: cell.resource_blocks(),
            carrier: self.carrier,
        };
        Some(self.file.log.as_ref()?.load(cell))
    }
}

impl fmt::Debug for DciFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DciFile({:?})", self.file)
    }
}

impl Field for DciFile {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "the path of a log of NR-Scope";
        let file = cx.text(node, allowed)?;
        match file.is_empty() {
            true => cx.fail(&node.place, "is empty", format!("it must be {allowed}")),
            false => Some(DciFile { file: file.to_owned(), log: None, digest: Digest::new() }),
        }
    }
    fn encode(&self) -> Json {
        self.file.clone().into()
    }
    fn schema() -> Json {
        json!({"type": "string", "minLength": 1})
    }
}
