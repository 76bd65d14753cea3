//! Fates of the packets of a direction.

use std::collections::BTreeMap;

use super::record::{MarkChange, MarksRecord, WayRecord};
use crate::sketch::Sketch;

/// Counts of a direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    sent: u64,
    arrived: u64,
    lost: u64,
    unknown: u64,
    duplicates: u64,
    only_behind: u64,
    reordered: u64,
    delays: Sketch,
    /// Sending time of the latest packet that has arrived.
    latest: Option<i64>,
    /// Packets by DSCP and ECN in front and behind, where these differ. There are 2^16 at most.
    changes: BTreeMap<(u8, u8), u64>,
}

/// Fate of a packet that only one point saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// The one in front: it is lost.
    Lost,
    /// The other's capture did not run.
    Unknown,
    /// The one behind, once more.
    Duplicate,
    /// The one behind.
    Before,
}

impl Way {
    /// A packet passed both points. `sent` is when it passed the one in front.
    pub(super) fn arrived(&mut self, sent: i64, delay: i64, tos: [u8; 2]) {
        self.sent += 1;
        self.arrived += 1;
        self.delays.add(u64::try_from(delay).unwrap_or(0));
        if self.latest.is_some_and(|latest| sent < latest) {
            self.reordered += 1;
        }
        self.latest = self.latest.max(Some(sent));
        if tos[0] != tos[1] {
            *self.changes.entry((tos[0], tos[1])).or_default() += 1;
        }
    }

    /// A packet passed both points, and it is not known which first.
    pub(super) fn passed_both(&mut self) {
        self.sent += 1;
        self.arrived += 1;
    }

    /// Packets that passed both.
    pub(super) fn both(&self) -> u64 {
        self.arrived
    }

    /// A packet passed only one.
    pub(super) fn missing(&mut self, what: Missing) {
        match what {
            Missing::Lost => (self.sent, self.lost) = (self.sent + 1, self.lost + 1),
            Missing::Unknown => (self.sent, self.unknown) = (self.sent + 1, self.unknown + 1),
            Missing::Duplicate => self.duplicates += 1,
            Missing::Before => self.only_behind += 1,
        }
    }

    /// Takes another's counts in.
    pub(super) fn join(&mut self, other: &Way) {
        self.sent += other.sent;
        self.arrived += other.arrived;
        self.lost += other.lost;
        self.unknown += other.unknown;
        self.duplicates += other.duplicates;
        self.only_behind += other.only_behind;
        self.reordered += other.reordered;
        self.delays.join(&other.delays);
        for (change, packets) in &other.changes {
            *self.changes.entry(*change).or_default() += packets;
        }
    }

    /// Record of the direction.
    pub(super) fn record(&self) -> WayRecord {
        WayRecord {
            sent: self.sent,
            arrived: self.arrived,
            lost: self.lost,
            unknown: self.unknown,
            duplicates: self.duplicates,
            only_behind: self.only_behind,
            reordered: self.reordered,
            delay_ms: self.delays.spread(),
            marks: marks(&self.changes),
        }
    }
}

fn marks(changes: &BTreeMap<(u8, u8), u64>) -> MarksRecord {
    const CE: u8 = 3;
    let mut all = MarksRecord::default();
    for ((before, behind), packets) in changes {
        let (dscp, ecn) = ([before >> 2, behind >> 2], [before & 3, behind & 3]);
        match ecn {
            [a, b] if a == b => {}
            [_, 0] => all.ecn_bleached += packets,
            [1 | 2, CE] => all.ce_marked += packets,
            _ => all.ecn_remarked += packets,
        }
        match dscp {
            [a, b] if a == b => {}
            [_, 0] => all.dscp_bleached += packets,
            _ => all.dscp_remarked += packets,
        }
        all.changes.push(MarkChange { dscp, ecn, packets: *packets });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_apart() {
        // EF with ECT(0) to best effort with CE; ECT(1) to none; none to ECT(0); AF11 to CS1.
        let mut way = Way::default();
        for tos in [[0xba, 0x03], [0x01, 0x00], [0x00, 0x02], [0x28, 0x20], [0x28, 0x28]] {
            way.arrived(0, 5, tos);
        }
        let MarksRecord { changes, ecn_bleached, ce_marked, ecn_remarked, .. } = way.record().marks;
        assert_eq!((ecn_bleached, ce_marked, ecn_remarked), (1, 1, 1));
        let marks = way.record().marks;
        assert_eq!((marks.dscp_bleached, marks.dscp_remarked), (1, 1));
        assert_eq!(changes.len(), 4);
        assert!(changes.contains(&MarkChange { dscp: [46, 0], ecn: [2, 3], packets: 1 }));
    }

    #[test]
    fn what_is_overtaken_is_reordered() {
        let mut way = Way::default();
        [10, 30, 20, 40].into_iter().for_each(|sent| way.arrived(sent, 1, [0, 0]));
        assert_eq!(way.record().reordered, 1);
    }
}
