//! A datagram of a flow over UDP.

use airpath_base::Time;

/// A datagram.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datagram<'a> {
    pub(crate) at: Time,
    pub(crate) side: usize,
    /// True if the client sent the datagram.
    pub(crate) up: bool,
    /// Port of the server.
    pub(crate) port: u16,
    /// Bytes of its payload, and as many of them as were captured.
    pub(crate) len: u32,
    pub(crate) payload: &'a [u8],
}
