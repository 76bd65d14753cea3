//! Events of one direction of a connection: all that the judge of causes learns of it.
//!
//! They are in the order in which packets pass the capture point. A silence has no event of its own: it is the
//! time between two. Times are those of the capture, sequence numbers those of the wire.

use airpath_base::Time;

/// An event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// Data passes for the first time.
    Sent(Segment),
    /// Data passes again, as it was lost. The flag is true if the retransmission timer may have sent it.
    Lost(Segment, bool),
    /// RTT sample from the capture point to the receiver and back, in nanoseconds. The next ACK gave it.
    Rtt(u64),
    /// An ACK with its window passes; the number that it acknowledges may be an old one.
    Acknowledged(Ack),
    /// The receiver reports that packets were marked (CE; RFC 3168, 5).
    Marked(Time),
    /// Data of the receiver's passes: a request, if the sender is a server.
    Request(Time),
}

/// A segment with data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Time at the capture point.
    pub(crate) at: Time,
    /// Sequence number behind the data.
    pub(crate) end: u32,
    /// Bytes of data.
    pub(crate) len: u32,
    /// Largest segment that the SYNs allow, in bytes without options; zero if not known.
    pub(crate) mss: u32,
    /// Timestamp of the segment, and its echo of the receiver's.
    pub(crate) stamps: Option<(u32, u32)>,
    /// True if a loss is being repaired.
    pub(crate) recovering: bool,
    /// True if IPv4's identification shows that packets before it did not pass.
    pub(crate) skips: bool,
    /// Number of the packet among those of the flow, from one.
    pub(crate) number: u32,
}

/// A segment of the receiver's, with or without data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack {
    /// Time at the capture point.
    pub(crate) at: Time,
    /// Highest sequence number that was ever acknowledged.
    pub(crate) una: u32,
    /// Right edge of the receive window, if the window's scale is known.
    pub(crate) edge: Option<u32>,
    /// True if the window is closed, and the window as the header has it.
    pub(crate) closed: bool,
    pub(crate) window: u16,
    /// Timestamp of the segment, and its echo of the sender's.
    pub(crate) stamps: Option<(u32, u32)>,
    /// True if a loss is being repaired.
    pub(crate) recovering: bool,
    /// True for a plain answer to data that goes on. A SACK block answers what came twice (RFC 2883), or behind
    /// a gap. A FIN is sent as the receiver's program closes.
    pub(crate) plain: bool,
    /// Number of the packet among those of the flow, from one.
    pub(crate) number: u32,
}
