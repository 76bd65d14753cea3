//! Position of a capture, seen from one direction's sender.

use serde::Serialize;

/// Position at which a direction's packets were captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// At the data's sender, or near it.
    Sender,
    /// At its receiver, or near it.
    Receiver,
    /// On the way.
    Between,
    /// Neither a handshake nor timestamps tell.
    #[default]
    Unknown,
}

/// Greatest part of the whole round trip, as its inverse, to an end that counts as near. The view of a near end differs
/// by less than the tenth by which shares have to differ.
pub(crate) const NEAR: u64 = 10;

/// Evidence of the position: round trips between the capture point and the two ends, in
/// nanoseconds, and sizes of segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) to_sender: Option<u64>,
    pub(crate) to_receiver: Option<u64>,
    /// True if segments larger than the MSS passed. They are made, or put together, in a host only.
    pub(crate) offload: bool,
}

impl Place {
    pub(crate) fn position(&self) -> Position {
        let (Some(near), Some(far)) = (self.to_sender, self.to_receiver) else {
            return Position::Unknown;
        };
        let whole = near.saturating_add(far);
        match (near <= whole / NEAR, far <= whole / NEAR) {
            (true, _) => Position::Sender,
            (_, true) => Position::Receiver,
            _ if self.offload && near < far => Position::Sender,
            _ if self.offload => Position::Receiver,
            _ => Position::Between,
        }
    }
}

impl Position {
    /// All of them.
    pub const ALL: [Position; 4] =
        [Position::Sender, Position::Receiver, Position::Between, Position::Unknown];

    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Position::Sender => "sender",
            Position::Receiver => "receiver",
            Position::Between => "between",
            Position::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(to_sender: u64, to_receiver: u64, offload: bool) -> Position {
        Place { to_sender: Some(to_sender), to_receiver: Some(to_receiver), offload }.position()
    }

    #[test]
    fn the_nearer_end_is_where_the_capture_was_made() {
        assert_eq!(place(1, 99, false), Position::Sender);
        assert_eq!(place(10, 90, false), Position::Sender);
        assert_eq!(place(11, 89, false), Position::Between);
        assert_eq!(place(90, 10, false), Position::Receiver);
        assert_eq!(Place::default().position(), Position::Unknown);
    }

    #[test]
    fn large_segments_are_seen_in_hosts_only() {
        assert_eq!(place(30, 70, true), Position::Sender);
        assert_eq!(place(70, 30, true), Position::Receiver);
    }
}
