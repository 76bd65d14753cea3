//! RTP (RFC 3550).

/// What a simulated RTP packet says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RtpRepr {
    /// Payload type (7 bits).
    pub payload_type: u8,
    /// Marker: the last packet of a video frame, the first after silence.
    pub marker: bool,
    /// Sequence number; wraps.
    pub seq: u16,
    /// Media timestamp in clock ticks; wraps.
    pub timestamp: u32,
    /// Synchronisation source.
    pub ssrc: u32,
    /// Bytes after the RTP header.
    pub payload_len: u32,
}

impl RtpRepr {
    /// Bytes of the fixed header (RFC 3550, 5.1).
    pub const HEADER: u32 = 12;
}
