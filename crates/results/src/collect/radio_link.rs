//! Failures of a UE's radio link as they are counted.

use airpath_base::{Duration, Time};
use airpath_net::{LinkChange, LinkFailure};

/// Failures of a radio link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RadioLinkCounts {
    /// Radio link failures by the expiry of T310.
    pub out_of_sync: u64,
    /// Radio link failures by maxRetxThreshold of RLC, at the UE or at the cell.
    pub retransmissions: u64,
    /// Connections that were re-established.
    pub reestablished: u64,
    /// Times that the UE became idle by a failure.
    pub lost: u64,
    /// Time from failures until the link was there again.
    pub outage: Duration,
    /// Beginning of its absence.
    since: Option<Time>,
}

impl RadioLinkCounts {
    /// All failures.
    pub fn failures(&self) -> u64 {
        self.out_of_sync + self.retransmissions
    }

    pub(super) fn change(&mut self, now: Time, change: LinkChange) {
        match change {
            LinkChange::Failed(why) => {
                self.since = Some(now);
                match why {
                    LinkFailure::OutOfSync => self.out_of_sync += 1,
                    LinkFailure::MaxRetransmissions(_) => self.retransmissions += 1,
                    LinkFailure::Handover => {} // counted with handovers
                }
            }
            LinkChange::Reestablished => {
                self.reestablished += 1;
                self.end(now);
            }
            LinkChange::Lost => self.lost += 1,
            LinkChange::Returned => self.end(now),
        }
    }

    /// The run has ended, or the failure.
    pub(super) fn end(&mut self, now: Time) {
        self.outage += self.since.take().map_or(Duration::ZERO, |since| now.since(since));
    }

    /// The warm-up has ended: what goes on counts from here.
    pub(super) fn begin(&mut self, at: Time) {
        *self = RadioLinkCounts { since: self.since.map(|_| at), ..RadioLinkCounts::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_lasts_until_there_is_a_connection() {
        let (mut counts, at) = (RadioLinkCounts::default(), Time::from_millis);
        counts.change(at(100), LinkChange::Failed(LinkFailure::OutOfSync));
        counts.change(at(265), LinkChange::Reestablished);
        counts.change(at(1_000), LinkChange::Failed(LinkFailure::OutOfSync));
        counts.change(at(2_000), LinkChange::Lost);
        counts.change(at(2_600), LinkChange::Returned);
        assert_eq!((counts.failures(), counts.reestablished, counts.lost), (2, 1, 1));
        assert_eq!(counts.outage, Duration::from_millis(165 + 1_600));
        counts.change(at(3_000), LinkChange::Failed(LinkFailure::OutOfSync));
        counts.begin(at(3_100));
        counts.end(at(3_500));
        assert_eq!((counts.failures(), counts.outage), (0, Duration::from_millis(400)));
    }
}
