//! The analysis as one JSON object, written flow by flow.

use std::io::{self, Write};

use airpath_analyse::{FlowRecord, Totals};
use serde_json::{json, to_writer};

/// Writes the object.
pub struct Json<W> {
    out: W,
    flows: u64,
}

impl<W: Write> Json<W> {
    /// Begins the object.
    pub fn new(mut out: W) -> io::Result<Json<W>> {
        out.write_all(b"{\"flows\":[")?;
        Ok(Json { out, flows: 0 })
    }

    /// Adds a flow.
    pub fn flow(&mut self, flow: &FlowRecord) -> io::Result<()> {
        self.out.write_all(if self.flows == 0 { b"\n" } else { b",\n" })?;
        self.flows += 1;
        Ok(to_writer(&mut self.out, flow)?)
    }

    /// Ends the object: the totals are known only now.
    pub fn finish(mut self, totals: &Totals) -> io::Result<()> {
        self.out.write_all(b"\n],\n\"packets\":")?;
        to_writer(&mut self.out, &totals.packets)?;
        self.out.write_all(b",\"bytes\":")?;
        to_writer(&mut self.out, &totals.bytes)?;
        let warnings: Vec<String> = totals.warnings.iter().map(ToString::to_string).collect();
        self.out.write_all(b",\"warnings\":")?;
        to_writer(&mut self.out, &json!(warnings))?;
        self.out.write_all(b"}\n")?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use airpath_analyse::{Analyser, Options};

    use super::*;

    #[test]
    fn without_flows_it_is_an_object_still() {
        let mut out = Vec::new();
        let json = Json::new(&mut out).unwrap();
        json.finish(&Analyser::new(Options::default(), |_| {}).finish()).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(value, json!({ "flows": [], "packets": 0, "bytes": 0, "warnings": [] }));
    }
}
