//! Failures of radio links: their sums, and words.

use std::ops::Add;

use super::{RadioLinkSummary, UeSummary};

impl Add<&RadioLinkSummary> for RadioLinkSummary {
    type Output = RadioLinkSummary;

    /// Sums over two UEs.
    fn add(self, other: &RadioLinkSummary) -> RadioLinkSummary {
        RadioLinkSummary {
            failures: self.failures + other.failures,
            out_of_sync: self.out_of_sync + other.out_of_sync,
            retransmissions: self.retransmissions + other.retransmissions,
            reestablished: self.reestablished + other.reestablished,
            lost: self.lost + other.lost,
            outage_s: self.outage_s + other.outage_s,
        }
    }
}

impl RadioLinkSummary {
    /// Links that failed, by UE; those of more UEs than `few` in one sum, named by the number of UEs.
    pub fn of_ues(ues: &[UeSummary], few: usize) -> Vec<(String, RadioLinkSummary)> {
        let own = ues.iter().filter_map(|ue| Some((ue.name.clone(), ue.radio_link.clone()?)));
        let own: Vec<(String, RadioLinkSummary)> = own.collect();
        if own.len() <= few {
            return own;
        }
        let sum = own.iter().fold(RadioLinkSummary::default(), |sum, (_, link)| sum + link);
        vec![(format!("{} UEs", own.len()), sum)]
    }

    /// A sentence about the link of this UE, without a full stop.
    pub fn sentence(&self, ue: &str) -> String {
        let why = match (self.out_of_sync, self.retransmissions) {
            (_, 0) => "out of sync".to_owned(),
            (0, _) => "RLC retransmissions".to_owned(),
            (out, again) => format!("{out} out of sync, {again} by RLC retransmissions"),
        };
        let times = match self.failures {
            1 => "once".to_owned(),
            n => format!("{n} times"),
        };
        let ends = [
            (self.reestablished, "re-established"),
            (self.lost, "idle, with all that its bearers held lost"),
        ];
        let ends = ends.into_iter().filter(|(n, _)| *n > 0);
        let ends: Vec<String> = ends.map(|(n, what)| format!("{n} {what}")).collect();
        let ends = if ends.is_empty() { "no end yet".to_owned() } else { ends.join(", ") };
        let outage = (self.outage_s * 1e3).round() / 1e3;
        format!("radio link of {ue} failed {times} ({why}): {ends}; {outage} s without")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_a_sentence() {
        let link = RadioLinkSummary {
            failures: 3,
            out_of_sync: 2,
            retransmissions: 1,
            reestablished: 2,
            lost: 1,
            outage_s: 3.25,
        };
        let words = "radio link of phone failed 3 times (2 out of sync, 1 by RLC retransmissions): \
            2 re-established, 1 idle, with all that its bearers held lost; 3.25 s without";
        assert_eq!(link.sentence("phone"), words);
        let (failures, out_of_sync, reestablished, lost) = (1, 0, 1, 0);
        let once = RadioLinkSummary { failures, out_of_sync, reestablished, lost, ..link };
        let words =
            "radio link of ue failed once (RLC retransmissions): 1 re-established; 3.25 s without";
        assert_eq!(once.sentence("ue"), words);
        let words = "radio link of 2 UEs failed 4 times (2 out of sync, 2 by RLC retransmissions): 3 re-established, 1 \
                     idle, with all that its bearers held lost; 6.5 s without";
        assert_eq!((link + &once).sentence("2 UEs"), words);
    }
}
