//! The timeline of a cell: slots against resource blocks, and the whole way of a packet.
//!
//! Its data are columns of whole numbers, packed. Each number is a zigzag varint, of rising columns
//! its difference to the last. All bytes together are deflated (RFC 1951) and written in base64.
//! `data.js`, which reads the columns, describes them.

mod pack;

use serde_json::{Map, Value, json};

use crate::Component;

/// Its script, which a page that shows a timeline has.
pub(crate) const SCRIPT: &str = concat!(
    include_str!("begin.js"),
    include_str!("data.js"),
    include_str!("words.js"),
    include_str!("draw.js"),
    include_str!("parts.js"),
    include_str!("view.js"),
    include_str!("hands.js"),
    include_str!("end.js"),
);
const STYLE: &str = include_str!("timeline.css");

/// Columns of a timeline, by `TABLE.COLUMN`.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    bytes: Vec<u8>,
    columns: Map<String, Value>,
}

impl Timeline {
    /// Adds a column.
    pub fn column(&mut self, name: &str, values: impl IntoIterator<Item = i64>) {
        self.add(name, values.into_iter(), false);
    }

    /// Adds a column in which a value is seldom far from the one before, as times are.
    pub fn rising(&mut self, name: &str, values: impl IntoIterator<Item = i64>) {
        self.add(name, values.into_iter(), true);
    }

    fn add(&mut self, name: &str, values: impl Iterator<Item = i64>, differences: bool) {
        let (at, mut rows, mut last) = (self.bytes.len(), 0_u64, 0_i64);
        for value in values {
            pack::varint(
                &mut self.bytes,
                if differences { value.wrapping_sub(last) } else { value },
            );
            (rows, last) = (rows + 1, value);
        }
        let place = json!({"at": at, "rows": rows, "differences": differences});
        self.columns.insert(name.to_owned(), place);
    }

    /// The part of a page that shows it; `about` says what the columns refer to, `sentence` what
    /// is to be seen.
    pub fn component(self, id: &str, sentence: String, about: Value) -> Component {
        let mut data = match about {
            Value::Object(data) => data,
            _ => Map::new(),
        };
        data.insert("columns".into(), Value::Object(self.columns));
        data.insert("bytes".into(), json!(crate::page::base64(&pack::deflated(&self.bytes))));
        Component {
            id: id.to_owned(),
            kind: "timeline",
            sentence,
            data: Value::Object(data).to_string(),
            script: SCRIPT,
            style: STYLE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_packed_one_behind_the_other() {
        let mut timeline = Timeline::default();
        timeline.rising("a.x", [1_000, 1_001, 999]);
        timeline.column("a.y", [-1, 63, 64]);
        // Zigzag: 1000 is 2000 = 0b1111_1010000, 1 is 2, -2 is 3; -1 is 1, 63 is 126, 64 is 128.
        assert_eq!(timeline.bytes, [0xD0, 0x0F, 2, 3, 1, 126, 0x80, 1]);
        assert_eq!(timeline.columns["a.y"], json!({"at": 4, "rows": 3, "differences": false}));
        let made = timeline.component("cells", "Said.".into(), json!({"from_ns": 5}));
        let data: Value = serde_json::from_str(&made.data).expect("JSON");
        assert_eq!((data["from_ns"].as_i64(), made.kind), (Some(5), "timeline"));
        assert!(data["bytes"].as_str().is_some_and(|text| !text.is_empty()));
    }
}
