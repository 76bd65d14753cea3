//! The analysis as one JSON object, written flow by flow. Hosts come behind all flows, so
//! they are kept until then, on disk if they are many.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};

use airpath_analyse::{FlowRecord, HostRecord, SummaryReport, Totals};
use serde_json::{json, to_writer};
use tempfile::SpooledTempFile;

/// Bytes of hosts that are kept in memory.
const KEPT: usize = 16 << 20;

/// Writes the object.
pub struct Json<W> {
    out: W,
    flows: u64,
    hosts: BufWriter<SpooledTempFile>,
    empty: bool,
}

impl<W: Write> Json<W> {
    /// Begins the object.
    pub fn new(mut out: W) -> io::Result<Json<W>> {
        out.write_all(b"{\"flows\":[")?;
        let hosts = BufWriter::new(SpooledTempFile::new(KEPT));
        Ok(Json { out, flows: 0, hosts, empty: true })
    }

    /// Adds a flow.
    pub fn flow(&mut self, flow: &FlowRecord) -> io::Result<()> {
        self.out.write_all(if self.flows == 0 { b"\n" } else { b",\n" })?;
        self.flows += 1;
        Ok(to_writer(&mut self.out, flow)?)
    }

    /// Adds a host.
    pub fn host(&mut self, host: &HostRecord) -> io::Result<()> {
        self.hosts.write_all(if self.empty { b"\n" } else { b",\n" })?;
        self.empty = false;
        Ok(to_writer(&mut self.hosts, host)?)
    }

    /// Ends the object: the totals are known only now.
    pub fn finish(mut self, totals: &Totals, summary: &SummaryReport) -> io::Result<()> {
        self.out.write_all(b"\n],\n\"hosts\":[")?;
        let mut hosts = self.hosts.into_inner().map_err(io::IntoInnerError::into_error)?;
        hosts.seek(SeekFrom::Start(0))?;
        io::copy(&mut hosts, &mut self.out)?;
        self.out.write_all(b"\n],\n\"all_hosts\":")?;
        to_writer(&mut self.out, &totals.hosts)?;
        self.out.write_all(b",\n\"links\":")?;
        to_writer(&mut self.out, &totals.links)?;
        self.out.write_all(b",\n\"packets\":")?;
        to_writer(&mut self.out, &totals.packets)?;
        self.out.write_all(b",\"bytes\":")?;
        to_writer(&mut self.out, &totals.bytes)?;
        self.out.write_all(b",\"undecoded\":")?;
        to_writer(&mut self.out, &totals.undecoded)?;
        let warnings: Vec<String> = totals.warnings.iter().map(ToString::to_string).collect();
        self.out.write_all(b",\"warnings\":")?;
        to_writer(&mut self.out, &json!(warnings))?;
        self.out.write_all(b",\n\"summary\":")?;
        to_writer(&mut self.out, summary)?;
        self.out.write_all(b"}\n")?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use airpath_analyse::{Analyser, Options, Summary};

    use super::*;

    #[test]
    fn without_flows_it_is_an_object_still() {
        let mut out = Vec::new();
        let json = Json::new(&mut out).unwrap();
        let totals = Analyser::new(Options::default(), |_| {}).finish();
        json.finish(&totals, &Summary::default().report()).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let summary = json!({
            "protocols": {}, "applications": {}, "tcp": null, "http": null, "dns": null,
            "quic": null, "rtp": null
        });
        let hosts = json!({
            "hosts": 0, "promotion_delay_ms": null, "concurrency": null, "radio": null
        });
        let all = json!({
            "flows": [], "hosts": [], "all_hosts": hosts, "links": [], "packets": 0, "bytes": 0,
            "undecoded": {}, "warnings": [], "summary": summary
        });
        assert_eq!(value, all);
    }
}
