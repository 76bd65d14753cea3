//! Files that connections write: keys of TLS, and qlogs.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use quinn_proto::{QlogConfig, QlogStream};

/// Opens a qlog file by its name.
pub type OpenLog = Arc<dyn Fn(&str) -> io::Result<Box<dyn Write + Send + Sync>> + Send + Sync>;

/// Files of an end.
#[derive(Clone, Default)]
pub struct Logs {
    /// Lines of the keys of all connections that are opened here.
    pub keys: Option<KeyLines>,
    /// Opens the qlog of each connection, whose name begins with `name`.
    pub qlog: Option<OpenLog>,
    /// Name of the end in names of files.
    pub name: String,
}

impl Logs {
    /// The qlog of a connection, from time zero on. None if no qlog is wanted, or if the file cannot be made. The
    /// connection then goes on without it, and the opener of files has the error.
    pub(super) fn qlog(&self, number: u32, zero: Instant) -> Option<QlogStream> {
        let open = self.qlog.as_ref()?;
        let file = open(&format!("{}-{number}.qlog", self.name)).ok()?;
        let mut config = QlogConfig::default();
        config.writer(file);
        config.title(Some(format!("{}, connection {number}", self.name)));
        config.start_time(zero);
        config.into_stream()
    }
}

/// Keys of TLS connections in NSS Key Log Format (draft-ietf-tls-keylogfile), with which Wireshark decrypts a capture.
#[derive(Clone, Default)]
pub struct KeyLines(pub Arc<Mutex<Vec<u8>>>);

impl fmt::Debug for KeyLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyLines")
    }
}

impl rustls::KeyLog for KeyLines {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let line = format!("{label} {} {}\n", hex(client_random), hex(secret));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(line.into_bytes());
    }
}

#[cfg(test)]
mod tests {
    use rustls::KeyLog as _;

    use super::*;

    #[test]
    fn a_line_has_label_random_and_secret() {
        let lines = KeyLines::default();
        lines.log("CLIENT_TRAFFIC_SECRET_0", &[0x0a, 0xff], &[0x10]);
        assert_eq!(*lines.0.lock().expect("a lock"), b"CLIENT_TRAFFIC_SECRET_0 0aff 10\n");
    }
}
