//! UEs that their HARQ processes limit, in sentences.

use airpath_net::Direction;

use crate::{RunSummary, UeSummary, sentences};

/// Share of TTIs without a free process from which on a UE is named.
const SHARE: f64 = 0.05;
/// Fewer TTIs without a free process say little.
const TTIS: u64 = 100;
/// Most processes: nrofHARQ-ProcessesForPDSCH-v1700 and nrofHARQ-ProcessesForPUSCH-r17 (TS 38.331, 6.3.2).
const MOST: u64 = 32;

impl RunSummary {
    /// A sentence for each direction in which UEs with data and free resource blocks lacked a HARQ process in
    /// more than a twentieth of TTIs.
    pub fn stalled_ues(&self) -> Vec<String> {
        let processes = self.scenario["cell"]["harq"]["processes"].as_u64();
        let sentence = |direction| {
            let named: Vec<String> =
                self.ues.iter().filter_map(|ue| share(ue, direction)).collect();
            (!named.is_empty()).then(|| sentence(&named, direction, processes))
        };
        Direction::ALL.into_iter().filter_map(sentence).collect()
    }
}

/// Name of a UE and the share of TTIs in which it lacked a process.
fn share(ue: &UeSummary, direction: Direction) -> Option<String> {
    let radio = match direction {
        Direction::Downlink => &ue.down,
        Direction::Uplink => &ue.up,
    };
    radio.harq_stalls.filter(|count| *count >= TTIS)?;
    let share = radio.harq_stalled_share.filter(|share| *share > SHARE)?;
    Some(format!("{} ({:.0}% of intervals)", ue.name, 100.0 * share))
}

fn sentence(named: &[String], direction: Direction, processes: Option<u64>) -> String {
    let verb = if named.len() == 1 { "has" } else { "have" };
    let (counted, way) = (sentences::ues(named.len()), sentences::way(direction));
    let listed = sentences::list(named);
    let mend = match processes {
        Some(count) if count >= MOST => format!(
            "cell.harq.processes is {count}, the most of TS 38.331; shorter steps of cell.timing free them earlier"
        ),
        Some(count) => format!(
            "cell.harq.processes is {count}, and may be {MOST} (TS 38.331, release 17; 16 before)"
        ),
        None => format!("cell.harq.processes may be {MOST} (TS 38.331, release 17; 16 before)"),
    };
    format!(
        "{counted} {verb} data and free resource blocks {way}, but no free HARQ process: {listed}; {mend}"
    )
}
