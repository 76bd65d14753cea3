//! UEs out of reach, in sentences: without service, or out of range in a direction.

use airpath_net::Direction;

use crate::{RunSummary, sentences};

/// A UE out of range for a smaller share of a run is not worth a warning.
const OFTEN: f64 = 0.5;

/// A UE out of reach.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfReach {
    /// Name of the UE.
    pub ue: String,
    /// Reason.
    pub why: Why,
}

/// Reason why a UE is out of reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// No cell is suitable (TS 36.304, 5.2.3.2; TS 38.304, 5.2.3.2).
    NoService {
        /// RSRP of the strongest cell in dBm.
        rsrp_dbm: f64,
    },
    /// Its CQI is 0 in a direction (TS 36.213, 7.2.3; TS 38.214, 5.2.2.1).
    OutOfRange {
        /// Direction.
        direction: Direction,
        /// SINR in dB.
        sinr_db: f64,
        /// Share of the run, 0 to 1; none before a run.
        share: Option<f64>,
    },
}

impl OutOfReach {
    /// The UEs of a run that had no service, or were out of range for half of the run or longer.
    pub fn of(run: &RunSummary) -> Vec<OutOfReach> {
        let mut all = Vec::new();
        for ue in &run.ues {
            let mut add = |why| all.push(OutOfReach { ue: ue.name.clone(), why });
            if let Some(none) = ue.no_service {
                add(Why::NoService { rsrp_dbm: none.rsrp_dbm });
                continue;
            }
            for (direction, radio) in Direction::ALL.into_iter().zip([&ue.down, &ue.up]) {
                if let Some(out) = radio.out_of_range.filter(|out| out.share >= OFTEN) {
                    let (sinr_db, share) = (out.sinr_db, Some(out.share));
                    add(Why::OutOfRange { direction, sinr_db, share });
                }
            }
        }
        all
    }

    /// The level that it has, in words.
    fn level(&self) -> String {
        let OutOfReach { ue, why } = self;
        match *why {
            Why::NoService { rsrp_dbm } => format!("{ue} (RSRP {rsrp_dbm:.1} dBm)"),
            Why::OutOfRange { sinr_db, share, .. } => {
                let partly = share.map(|share| (100.0 * share).round()).filter(|of| *of < 100.0);
                let partly = partly.map_or_else(String::new, |of| format!(", {of}% of the run"));
                format!("{ue} (SINR {sinr_db:.1} dB{partly})")
            }
        }
    }
}

/// A sentence for each way in which UEs are out of reach; nothing if all are within it.
pub fn warnings(all: &[OutOfReach]) -> Vec<String> {
    let none = |one: &&OutOfReach| matches!(one.why, Why::NoService { .. });
    let out = |of: Direction| move |one: &&OutOfReach| matches!(one.why, Why::OutOfRange { direction, .. } if direction == of);
    let lists = [
        (all.iter().filter(none).collect::<Vec<_>>(), "no service, no cell is suitable"),
        (all.iter().filter(out(Direction::Downlink)).collect(), "out of range downlink, CQI 0"),
        (all.iter().filter(out(Direction::Uplink)).collect(), "out of range uplink"),
    ];
    let lists = lists.into_iter().filter(|(own, _)| !own.is_empty());
    lists.map(|(own, what)| sentence(&own, what)).collect()
}

fn sentence(own: &[&OutOfReach], what: &str) -> String {
    let named: Vec<String> = own.iter().map(|one| one.level()).collect();
    let (counted, listed) = (sentences::ues(own.len()), sentences::list(&named));
    let verb = match (what.starts_with("no "), own.len()) {
        (true, 1) => "has",
        (true, _) => "have",
        (false, 1) => "is",
        (false, _) => "are",
    };
    format!("{counted} {verb} {what}: {listed}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_out_of_reach_is_named() {
        let out = |ue: &str, direction, sinr_db, share| OutOfReach {
            ue: ue.into(),
            why: Why::OutOfRange { direction, sinr_db, share },
        };
        let none = OutOfReach { ue: "cellar".into(), why: Why::NoService { rsrp_dbm: -141.26 } };
        let mut all = vec![none, out("far", Direction::Downlink, -15.0, Some(1.0))];
        all.extend((0..8).map(|n| out(&format!("x-{n}"), Direction::Uplink, -9.25, Some(0.625))));
        let of_run = |n| format!("x-{n} (SINR -9.2 dB, 63% of the run)");
        let named: Vec<String> = (0..6).map(of_run).collect();
        let expected = [
            "1 UE has no service, no cell is suitable: cellar (RSRP -141.3 dBm)".to_owned(),
            "1 UE is out of range downlink, CQI 0: far (SINR -15.0 dB)".to_owned(),
            format!("8 UEs are out of range uplink: {} and 2 more", named.join(", ")),
        ];
        assert_eq!(warnings(&all), expected);
        assert!(warnings(&[]).is_empty());
    }
}
