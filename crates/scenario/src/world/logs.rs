//! Files that the real stacks of a world write.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Opens a file by its name.
pub type OpenLog = Arc<dyn Fn(&str) -> io::Result<Box<dyn Write + Send + Sync>> + Send + Sync>;

/// Files that the real stacks of a world write.
#[derive(Clone, Default)]
pub struct StackLogs {
    /// Takes the keys of TLS connections, in NSS Key Log Format (draft-ietf-tls-keylogfile).
    pub keys: Option<Arc<Mutex<Vec<u8>>>>,
    /// Opens the qlog of each end of a connection.
    pub qlog: Option<OpenLog>,
}
