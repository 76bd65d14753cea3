//! `airpath analyse --qlog DIR`: the largest flows of TCP and QUIC as [qlogs](airpath_analyse::qlog).

use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::path::Path;

use airpath_analyse::qlog::{self, HEAD};
use airpath_analyse::{LargestFlows, Options};

use super::AnalyseArgs;
use super::picture::again;

/// Writes the largest flows of TCP and QUIC, and gives their number.
///
/// # Errors
///
/// If a file cannot be written.
pub fn write(
    folder: &Path,
    largest: &LargestFlows,
    args: &AnalyseArgs,
    options: &Options,
) -> Result<usize, String> {
    let failed = |error: io::Error| format!("cannot write {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let mut written = 0;
    for flow in largest.flows() {
        let found = qlog::packets(flow, &|| Box::new(again(args)), options);
        let Some((flow, packets)) = found else { continue };
        let path = folder.join(format!("flow-{}.qlog", flow.number));
        if path.exists() && !is_ours(&path) {
            return Err(format!(
                "{} is none of airpath's files: remove it, or name another folder",
                path.display()
            ));
        }
        let out = BufWriter::new(File::create(path).map_err(failed)?);
        qlog::write(out, &flow, packets).map_err(failed)?;
        written += 1;
    }
    Ok(written)
}

/// True if the file begins as one of these.
fn is_ours(path: &Path) -> bool {
    let mut head = vec![0; HEAD.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == HEAD.as_bytes()
}
