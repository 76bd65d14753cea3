//! Code points of differentiated services that a direction's packets had (RFC 2474).

use airpath_wire::dscp::name;
use serde::Serialize;

/// A code point, and how many packets had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DscpCount {
    /// The code point, 0 to 63.
    pub dscp: u8,
    /// Its name, if it has one: CS0 to CS7, AF11 to AF43, EF, VOICE-ADMIT, LE, NQB.
    pub name: Option<&'static str>,
    /// Packets.
    pub packets: u64,
}

/// Code points of a direction whose packets had several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CodePoints {
    /// Code points that were left, in the order in which they came, with their packets.
    left: Vec<(u8, u32)>,
    /// Packets before the present one came.
    before: u32,
    pub(crate) changes: u32,
}

impl CodePoints {
    /// A packet has another code point than the `packets` before, of which the last had `old`.
    pub(crate) fn change(&mut self, old: u8, packets: u32) {
        let own = packets.saturating_sub(self.before);
        match self.left.iter_mut().find(|(known, _)| *known == old) {
            Some((_, count)) => *count = count.saturating_add(own),
            None => self.left.push((old, own)),
        }
        self.before = packets;
        self.changes = self.changes.saturating_add(1);
    }

    /// All of them, the present one included, in the order in which they came.
    pub(crate) fn counts(&self, present: u8, packets: u32) -> Vec<DscpCount> {
        let mut all = self.clone();
        if packets > 0 {
            all.change(present, packets);
        }
        let count = |(dscp, packets): &(u8, u32)| DscpCount {
            dscp: *dscp,
            name: name(*dscp),
            packets: u64::from(*packets),
        };
        all.left.iter().map(count).collect()
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.left.capacity() * size_of::<(u8, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_counted_by_code_point_and_changes_between() {
        let mut points = CodePoints::default();
        points.change(46, 10);
        points.change(0, 13);
        points.change(46, 14);
        assert_eq!(points.changes, 3);
        let counts = points.counts(10, 20);
        let told: Vec<_> = counts.iter().map(|c| (c.dscp, c.name, c.packets)).collect();
        assert_eq!(told, [(46, Some("EF"), 11), (0, Some("CS0"), 3), (10, Some("AF11"), 6)]);
    }

    #[test]
    fn one_code_point_has_all_packets_and_no_packet_has_none() {
        let none = CodePoints::default();
        let counts = none.counts(45, 7);
        assert_eq!((counts.len(), counts[0].name, counts[0].packets), (1, Some("NQB"), 7));
        assert_eq!(none.counts(0, 0), []);
    }
}
