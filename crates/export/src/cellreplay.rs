//! CellReplay's format (Sentosa et al., NSDI 2025), as `mm-cellular` reads it at commit 2ca662c
//! (`src/frontend/cellular_queue.cc`).
//!
//! - A line of light opportunities has the time of a train, its one-way base delay, and each arrival after the first.
//!   All are whole milliseconds.
//! - Heavy opportunities are in mahimahi's format, but of 1400 bytes each (`PACKET_SIZE` there).

use std::fmt::Write as _;

use crate::format::File;
use crate::{Recording, Way, mahimahi};

/// Bytes of a heavy opportunity.
pub(crate) const OPPORTUNITY: u32 = 1_400;

pub(crate) fn files(recording: &Recording) -> Vec<File> {
    let script = format!(
        "#!/bin/sh\n{}# Usage: cellreplay.sh PROGRAM ...\ncd \"$(dirname \"$0\")\" || exit 1\n\
         exec mm-cellular 6 up.light down.light up.heavy down.heavy \"$@\"\n",
        crate::format::head(recording, "#")
    );
    vec![
        File::new("down.light", trains(&recording.down)),
        File::new("up.light", trains(&recording.up)),
        File::new("down.heavy", heavy(&recording.down)),
        File::new("up.heavy", heavy(&recording.up)),
        File::new("cellreplay.sh", script),
    ]
}

pub(crate) fn heavy(way: &Way) -> String {
    mahimahi::opportunities(way, OPPORTUNITY)
}

pub(crate) fn trains(way: &Way) -> String {
    let mut text = String::new();
    for train in &way.trains {
        let _ = write!(text, "{} {}", train.at_ms, train.delay_ms.round() as u64);
        for arrival in &train.arrivals_ms {
            let _ = write!(text, " {}", *arrival as u64);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Train;

    #[test]
    fn a_train_is_a_line() {
        let train = Train { at_ms: 100, delay_ms: 21.6, arrivals_ms: vec![0.0, 0.9, 5.0] };
        let way = Way { trains: vec![train], ..Way::default() };
        assert_eq!(trains(&way), "100 22 0 0 5\n");
    }
}
