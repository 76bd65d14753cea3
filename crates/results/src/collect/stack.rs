//! Counters of a flow whose transport is a real stack.

use airpath_base::Duration;
use airpath_net::StackEvent;

/// Connections of a flow, and what its ends reported.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackCounts {
    /// Connections with a complete handshake.
    pub connections: u64,
    /// Sum and largest of the times of handshakes.
    pub handshakes: (Duration, Duration),
    /// Time until ICE found a path; the largest of all ends.
    pub path: Option<Duration>,
    /// Packets of media that NACKs named.
    pub nacked: u64,
    /// Packets of media that were sent again.
    pub repeated: u64,
    /// Streams whose data have all come to the application.
    pub streams: u64,
    /// Packets that were declared lost.
    pub lost: u64,
    /// Probes of path MTU discovery that were declared lost.
    pub lost_probes: u64,
    /// Frames DATA_BLOCKED and STREAM_DATA_BLOCKED.
    pub blocked: u64,
    /// Reason for which an end has given up.
    pub failed: Option<&'static str>,
}

impl StackCounts {
    pub(super) fn on(&mut self, event: StackEvent) {
        match event {
            StackEvent::Handshake { took } => {
                self.connections += 1;
                let (sum, largest) = self.handshakes;
                self.handshakes = (sum + took, largest.max(took));
            }
            StackEvent::Path { took } => self.path = self.path.max(Some(took)),
            StackEvent::Nacked { packets } => self.nacked += packets,
            StackEvent::Repeated { packets } => self.repeated += packets,
            StackEvent::Stream => self.streams += 1,
            StackEvent::Lost { packets, probes } => {
                self.lost += packets;
                self.lost_probes += probes;
            }
            StackEvent::Blocked { frames } => self.blocked += frames,
            StackEvent::Failed(cause) => self.failed = self.failed.or(Some(cause)),
        }
    }

    /// Counts from now on; connections and an end stay.
    pub(super) fn begin(&mut self) {
        let StackCounts { connections, handshakes, path, failed, .. } = *self;
        *self = StackCounts { connections, handshakes, path, failed, ..StackCounts::default() };
    }

    /// Mean time of a handshake; none without any.
    pub fn mean_handshake(&self) -> Option<Duration> {
        (self.connections > 0).then(|| self.handshakes.0 / self.connections)
    }
}
