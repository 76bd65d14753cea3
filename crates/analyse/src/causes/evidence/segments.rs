//! Size of the sender's full segments.

use crate::causes::event::Segment;

/// Ethernet's MSS in bytes, for a connection whose SYNs were not seen.
const USUAL: u32 = 1460;

/// Sizes of segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Segments {
    /// Largest segment up to what the SYNs allow, in bytes.
    largest: u32,
    /// True if larger ones passed.
    offload: bool,
}

impl Segments {
    /// Largest segment up to what the SYNs allow, in bytes; zero before the first.
    pub(crate) fn largest(&self) -> u32 {
        self.largest
    }

    /// True if segments passed that are larger than the SYNs allow.
    pub(crate) fn are_merged(&self) -> bool {
        self.offload
    }

    /// Size of a full segment in bytes, after this segment.
    #[inline]
    pub(crate) fn size(&mut self, seg: &Segment) -> u32 {
        let most = if seg.mss > 0 { seg.mss } else { USUAL };
        if seg.len <= most {
            self.largest = self.largest.max(seg.len);
        } else {
            self.offload = true;
        }
        // A path's MTU is at least 1280 (RFC 8200, 5). A segment above four fifths may be all that the MTU
        // leaves of the MSS. A smaller one is the application's.
        if self.largest > most - most / 5 { self.largest } else { most }
    }
}
