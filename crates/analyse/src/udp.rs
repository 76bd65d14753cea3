//! What a flow over UDP is, once that was recognised, and its silences.

use airpath_base::Time;

use crate::gaps::Silences;
use crate::quic::{self, is_quic};

/// A flow over UDP of a protocol that is known.
#[derive(Debug)]
pub(crate) struct Udp {
    pub(crate) quic: quic::Connection,
    /// Of both sides.
    pub(crate) silences: [Silences; 2],
}

/// A datagram.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datagram<'a> {
    pub(crate) at: Time,
    pub(crate) side: usize,
    /// Whether the client sent it.
    pub(crate) up: bool,
    /// Bytes of its payload, and as many of them as were captured.
    pub(crate) len: u32,
    pub(crate) payload: &'a [u8],
}

impl Udp {
    /// What a datagram begins.
    pub(crate) fn begun_by(datagram: &Datagram<'_>) -> Option<Box<Udp>> {
        let begun = is_quic(datagram.payload, datagram.len);
        begun.then(|| Box::new(Udp { quic: Default::default(), silences: Default::default() }))
    }

    /// A datagram; `detailed` if there is memory for more than counts.
    pub(crate) fn datagram(&mut self, datagram: &Datagram<'_>, detailed: bool) {
        self.silences[datagram.side].packet(datagram.at);
        self.quic.datagram(datagram, detailed);
    }

    /// Bytes on the heap, its own place included.
    pub(crate) fn heap(&self) -> usize {
        let silences = self.silences.iter().map(Silences::heap).sum::<usize>();
        size_of::<Udp>() + self.quic.heap() + silences
    }
}
